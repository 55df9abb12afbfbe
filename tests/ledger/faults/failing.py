"""Appends until the disk fails, and says how far it came: ``python -m tests.ledger.faults.failing PATH``."""

import sys
from pathlib import Path

from ledger.errors import LedgerError
from tests.ledger.contract.sample import append, moved
from tests.ledger.faults.killing import open_at


def main(path: Path) -> None:
    acknowledged = 0
    try:
        log = open_at(path)
        for number in range(40):
            append(log, moved("a", 1, once=f"failing:{number}", labels=("l" * 2000,), note="n" * 2000))
            acknowledged += 1
    except LedgerError as error:
        sys.stdout.write(f"{acknowledged} {type(error).__name__} {error}\n")
    else:
        sys.stdout.write(f"{acknowledged} nothing failed\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
