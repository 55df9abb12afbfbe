"""The peers: each in a script of its own, in an environment of their own that holds none of us.

pymerkle is under the GPL: it is installed here, for measuring, and nowhere else.
"""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.dev.bench import appending, growing
from tools.dev.bench.sheet import CLL, EVENTSOURCING, PYMERKLE, UMADB, Sheet

HERE = Path(__file__).parent / "peer-scripts"
ENVIRONMENT = Path(__file__).parents[3] / "build" / "bench-peers"
SCRIPTS = {
    CLL: "cll_peer.py",
    PYMERKLE: "pymerkle_peer.py",
    EVENTSOURCING: "eventsourcing_peer.py",
    UMADB: "umadb_peer.py",
}


def prepare() -> Path:
    """Make the environment if it is not there yet, and give its Python."""
    python = ENVIRONMENT / "bin" / "python"
    wanted = (HERE / "requirements.txt").read_text()
    mark = ENVIRONMENT / "installed"
    if not mark.exists() or mark.read_text() != wanted:
        venv.create(ENVIRONMENT, with_pip=True, clear=True)
        command: list[str | Path] = [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "-r",
            HERE / "requirements.txt",
        ]
        subprocess.run(command, check=True)
        mark.write_text(wanted)
    return python


def measure(sheet: Sheet, sizes: list[int], seconds: float) -> None:
    """Run every peer, each within so many seconds; what fails is said on the page, and stops nobody else."""
    python = prepare()
    for column, script in SCRIPTS.items():
        with TemporaryDirectory(prefix="tally-bench-peer-") as place:
            words: list[str | Path] = [
                python,
                "-W",
                "error",
                HERE / script,
                place,
                ",".join(map(str, sizes)),
                str(seconds),
            ]
            print(f"  {column}", file=sys.stderr)
            try:
                done = subprocess.run(
                    words, check=False, capture_output=True, text=True, timeout=3 * seconds + 60, env=environment()
                )
                output, fault = done.stdout, done.stderr.strip() if done.returncode else ""
            except subprocess.TimeoutExpired as error:
                output, fault = error.stdout.decode() if isinstance(error.stdout, bytes) else "", "it took too long"
        for line in output.splitlines():
            _take(sheet, column, json.loads(line))
        if fault:
            sheet.notes.append(f"{column}: NOT-RUN to its end: {fault.splitlines()[-1]}")


def environment() -> dict[str, str]:
    """Give what a peer's process may see: nothing of our Python's settings."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def _take(sheet: Sheet, column: str, line: dict[str, object]) -> None:
    if "note" in line:
        sheet.notes.append(f"{column}: {line['note']}.")
        return
    what, size, figure = str(line["what"]), int(str(line["size"])), float(str(line["figure"]))
    rows = {
        "single": (appending.SINGLE, "events/s"),
        "batch 100": (appending.log_path(100), "events/s"),
        "batch 1000": (appending.log_path(1000), "events/s"),
        "bulk": (growing.bulk(size), "events/s"),
        "prove": (growing.proving(size), "proofs/s"),
        "check": (growing.checking(size), "proofs/s"),
    }
    if what == "disk":
        sheet.rows.get(growing.DISK, sheet.row(growing.DISK)).figures.pop(column, None)
        sheet.add(growing.DISK, "bytes", column, figure)
    else:
        name, unit = rows[what]
        sheet.add(name, unit, column, figure)
