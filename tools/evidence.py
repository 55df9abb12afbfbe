"""Keeping what speaks against a log: an equivocation file, written once and down to the disk.

Source: docs/spec/equivocation.md.
"""

import hashlib
from pathlib import Path

from tools.errors import HomeError
from tools.home import sync
from tools.replacing import replace_file
from verify.equivocation import Equivocation
from verify.links import SUFFIX


def evidence_file(folder: Path, equivocation: Equivocation) -> Path:
    """Give the name of a file, which follows from its content: what is found twice is kept once."""
    return folder / f"equivocation-{hashlib.sha256(equivocation.to_bytes()).hexdigest()[:16]}.json"


def keep_evidence(folder: Path, equivocation: Equivocation) -> Path:
    """Write an equivocation file, in a directory that is made where it is missing.

    Raises:
        HomeError: it can't be written.
    """
    file = evidence_file(folder, equivocation)
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            sync(folder.parent)
        kept = file.exists()
    except OSError as error:
        raise HomeError(f"{folder} is no directory to write into ({error.strerror})") from error
    if not kept:
        replace_file(file, equivocation.to_bytes())
    return file


def tell_evidence(folder: Path, equivocation: Equivocation, links: bytes | None = None) -> str:
    """Write an equivocation file, and say where it is, or why it could not be kept: that must hide no finding.

    Args:
        folder: where to.
        equivocation: what is kept.
        links: what leads to the key that signed, where the policy does not name it; it is kept beside.
    """
    try:
        file = keep_evidence(folder, equivocation)
        if links is None:
            return f"see {file}"
        replace_file(file.with_name(f"{file.name}{SUFFIX}"), links)
    except HomeError as error:
        return f"the equivocation file could not be kept: {error}; run this again with another --evidence DIR"
    return f"see {file}, with --links {file}{SUFFIX}"
