"""Appends until something fails, and says how far it came: ``python -m tests.ledger.faults.failing ADDRESS [NAME]``."""

import sys

from ledger.errors import LedgerError
from ledger.sql.address import Address, parse_address
from tests.ledger.contract.sample import append, moved
from tests.ledger.faults.killing import open_at


def main(address: Address, name: str) -> None:
    acknowledged = 0
    try:
        log = open_at(address)
        for number in range(400 if name else 40):
            append(log, moved("a", 1, once=f"failing:{name}{number}", labels=("l" * 2000,), note="n" * 2000))
            acknowledged += 1
    except LedgerError as error:
        sys.stdout.write(f"{acknowledged} {type(error).__name__} {error}\n")
    else:
        sys.stdout.write(f"{acknowledged} nothing failed\n")


if __name__ == "__main__":
    main(parse_address(sys.argv[1]), "".join(f"{name}:" for name in sys.argv[2:]))
