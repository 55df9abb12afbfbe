"""What a copy goes from and to: a ledger's directory, a SQLite file, or a PostgreSQL address.

What is a directory, or is not there yet and does not end in ``.db``, is a ledger's directory; what is a file, or ends
in ``.db``, is the database itself.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ledger.errors import StoreMissingError
from ledger.sql.address import Address, PostgresAddress, parse_address
from ledger.sql.log import SqlLog
from ledger.sql.place import create_log, open_log
from tools.files import read_bytes
from tools.home import Home, write_new
from tools.ledger import time_of_day
from tools.replacing import replace_file
from verify.views import EVENTS, VIEWS

_DATABASE: Final = ".db"
_FOR_AUDITORS: Final = ("policy", "signers")


@dataclass(frozen=True, slots=True)
class Place:
    """One end of a copy.

    Attributes:
        home: the ledger's directory, or None for a database alone.
        address: the database.
    """

    home: Home | None
    address: Address

    @classmethod
    def named(cls, text: str) -> "Place":
        """Read what somebody wrote.

        Raises:
            StoreError: an address that can't be.
        """
        address = parse_address(text)
        if isinstance(address, PostgresAddress):
            return cls(None, address)
        path = address.absolute()
        if path.is_dir() or (not path.exists() and path.suffix != _DATABASE):
            home = Home(path)
            return cls(home, home.database)
        return cls(None, path)

    def __str__(self) -> str:
        return str(self.address if self.home is None else self.home.path)

    def open(self) -> SqlLog:
        """Open the log that is here.

        Raises:
            StoreMissingError: there is none.
            StoreError: it can't be used.
        """
        return open_log(self.address, VIEWS, time_of_day, registry=EVENTS)

    def open_or_create(self, like: "Place") -> SqlLog:
        """Open the log that is here, or make an empty one; a new directory gets what auditors are given of the other.

        Raises:
            HomeError: the directory can't be made.
            StoreError: the database can't be made or used.
        """
        if self.home is not None and not self.home.path.exists():
            self.home.create(lambda draft: _furnish(draft, like))
        try:
            return self.open()
        except StoreMissingError:
            return create_log(self.address, VIEWS, time_of_day, registry=EVENTS)


def _furnish(draft: Home, like: Place) -> None:
    create_log(draft.database, VIEWS, time_of_day, registry=EVENTS).close()
    if like.home is not None:
        for name in _FOR_AUDITORS:
            file = like.home.path / name
            if file.exists():
                write_new(draft.path / name, read_bytes(file))


def renew(source: Place, target: Place) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Bring what auditors are given up to date in a copy; a directory with a key of its own is left as it is.

    Returns:
        The files that were written, and those that differ and were left.

    Raises:
        InputError: a file can't be read.
        HomeError: a file can't be written.
    """
    if source.home is None or target.home is None:
        return (), ()
    stale = []
    for name in _FOR_AUDITORS:
        ours, theirs = source.home.path / name, target.home.path / name
        if ours.exists() and not (theirs.exists() and read_bytes(theirs) == read_bytes(ours)):
            stale.append(name)
    if target.home.key.exists():
        return (), tuple(stale)
    for name in stale:
        replace_file(target.home.path / name, read_bytes(source.home.path / name))
    return tuple(stale), ()


def is_same(one: Place, other: Place) -> bool:
    """Tell whether both are one database."""
    if isinstance(one.address, Path) and isinstance(other.address, Path):
        return one.address.resolve() == other.address.resolve()
    return one.address == other.address
