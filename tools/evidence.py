"""Keeping what speaks against a log: an equivocation file, written once and down to the disk.

Source: docs/spec/equivocation.md.
"""

import hashlib
from pathlib import Path

from tools.replacing import replace_file
from verify.equivocation import Equivocation


def evidence_file(folder: Path, equivocation: Equivocation) -> Path:
    """Give the name of a file, which follows from its content: what is found twice is kept once."""
    return folder / f"equivocation-{hashlib.sha256(equivocation.to_bytes()).hexdigest()[:16]}.json"


def keep_evidence(folder: Path, equivocation: Equivocation) -> Path:
    """Write an equivocation file.

    Raises:
        HomeError: it can't be written.
    """
    file = evidence_file(folder, equivocation)
    if not file.exists():
        replace_file(file, equivocation.to_bytes())
    return file
