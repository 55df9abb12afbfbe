"""What holds for one run of ``tally``: which ledger, which form of output, and what the operator has confirmed."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ledger.sql.log import SqlLog
    from tools.home import Home
    from tools.ledger import OpenLedger


@dataclass(slots=True)
class Session:
    """The settings of one run.

    Attributes:
        ledger: the directory that was named, or None for ``./.tally``.
        database: the database that was named in its place, which ``init`` makes a ledger's.
        json: whether data is printed as JSON.
        confirm_clock: whether a long jump of the clock is right.
        color: whether colours are allowed at all.
        passphrase_file: what holds the passphrase of the log's key, or None to ask at the terminal.
    """

    ledger: Path | None = None
    database: str | None = None
    json: bool = False
    confirm_clock: bool = False
    color: bool = True
    passphrase_file: Path | None = None

    def name_ledger(self, text: str) -> None:
        """Take what ``--ledger`` or ``TALLY_LEDGER`` names."""
        if "://" in text:
            self.database = text
        else:
            self.ledger = Path(text)


def session() -> Session:
    """Give the settings of this run."""
    context = click.get_current_context(silent=True)
    if context is None:
        return Session()
    return context.find_root().ensure_object(Session)


def home(*, ask: bool = True, begins: bool = False) -> "Home":
    """Give the directory of the ledger: ``--ledger``, then ``TALLY_LEDGER``, then ``./.tally``.

    Args:
        ask: whether the person at the terminal may be asked for the passphrase of the log's key.
        begins: whether the ledger is only begun, so that the database may be named that is to hold it.

    Raises:
        InputError: a database was named where the directory is wanted.
    """
    from tools.cli.passphrase import unlocking  # noqa: PLC0415  (help needs none of it)
    from tools.errors import InputError  # noqa: PLC0415  (as above)
    from tools.home import DEFAULT, Home  # noqa: PLC0415  (as above)

    if session().database is not None and not begins:
        raise InputError(
            "a ledger is named by its directory, which holds its key: only tally init and tally import take a URL"
        )
    file = session().passphrase_file
    return Home((session().ledger or DEFAULT).absolute(), unlocking(file) if ask or file is not None else None)


@contextmanager
def opened() -> "Iterator[OpenLedger]":
    """Open the ledger for the length of a block.

    Raises:
        StoreError: there is none, or it can't be used.
    """
    from tools.ledger import open_ledger  # noqa: PLC0415  (help needs none of it)

    ledger = open_ledger(home(), confirm_clock=session().confirm_clock)
    try:
        yield ledger
    finally:
        ledger.close()


@contextmanager
def opened_database() -> "Iterator[SqlLog]":
    """Open the ledger's log for the length of a block, even where its views do not say how it began.

    Raises:
        StoreError: there is none, or it can't be used.
        HomeError: it has no event.
    """
    from tools.ledger import check_not_empty, open_database  # noqa: PLC0415  (help needs none of it)

    place = home()
    log = open_database(place, confirm_clock=session().confirm_clock)
    try:
        check_not_empty(place, log)
        yield log
    finally:
        log.close()


def interactive() -> bool:
    """Tell whether somebody is there to be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def colored(stream_is_terminal: bool) -> bool:
    """Tell whether colours may go to a stream: on a terminal alone, and where nobody has forbidden them."""
    return (
        stream_is_terminal and session().color and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )
