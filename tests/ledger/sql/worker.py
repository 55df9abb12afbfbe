"""What the tests run in processes of their own: ``python -m tests.ledger.sql.worker append|crash ADDRESS ...``."""

import os
import signal
import sys

import sqlalchemy as sa

from ledger.sql.address import Address, parse_address
from ledger.sql.driver import Driver
from ledger.sql.log import SqlLog
from ledger.sql.place import open_log
from tests.ledger.contract.sample import START, VIEWS, moved


def open_at(address: Address) -> SqlLog:
    return open_log(address, VIEWS, lambda: START)


def append(address: Address, name: str, count: int) -> None:
    """Append so many events, one transaction each, and take what can be taken of the shared keys."""
    log = open_at(address)
    for number in range(count):
        log.transact(lambda tx, n=number: tx.append(moved("a", 1, once=f"{name}:{n}", by=name)))
    log.close()


def crash(address: Address, last_step: int) -> None:
    """Append in child after child, each killed one statement later; say after each what it had been told."""
    for step in range(1, last_step + 1):
        told, tell = os.pipe()
        child = os.fork()
        if not child:
            _append_and_die(address, step, tell)
        os.close(tell)
        os.waitpid(child, 0)
        acknowledged = os.read(told, 1) == b"!"
        os.close(told)
        log = open_at(address)
        # Behind whatever the dead one's server process still does.
        size = log.transact(lambda tx: tx.head.size)
        log.close()
        sys.stdout.write(f"{step} {int(acknowledged)} {size}\n")


def _append_and_die(address: Address, step: int, tell: int) -> None:
    log = open_at(address)
    left = step

    def die(*_arguments: object) -> None:
        nonlocal left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

    # Before each statement and after it, BEGIN and COMMIT among them.
    for moment in ("before_cursor_execute", "after_cursor_execute"):
        sa.event.listen(log.engine, moment, die)
    straight = Driver._checked

    def checked(*words: object) -> None:
        die()
        straight(*words)
        die()

    Driver._checked = checked
    log.transact(lambda tx: [tx.append(moved("a", 1, labels=("l",), note="n")) for _ in range(2)])
    os.write(tell, b"!")
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    if sys.argv[1] == "append":
        append(parse_address(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
    else:
        crash(parse_address(sys.argv[2]), int(sys.argv[3]))
