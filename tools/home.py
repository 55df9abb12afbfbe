"""A ledger's directory: where it is found, what stands in it, and how a new one appears whole or not at all.

    ledger.db      the database (and, while it is open, its -wal and -shm files), or instead of it
    database       the URL of the PostgreSQL schema that the log is in
    log.key        the log's own Ed25519 key, for its owner alone; see `tools.keys`
    high-water     the text of the checkpoint signed last; see `tools.checkpointing`
    policy         what an auditor trusts: the log's key, in C2SP tlog-policy form
    signers        the first human's key, in ``allowed_signers`` form
    erasing        while the bytes of an erasure may still lie in the database; see `tools.erasing`
    spool          what enforcement points could not record at once; see `tools.spool`
    settings.toml  how the ledger is kept, where somebody wrote one; see `tools.settings`

Source: DESIGN sections 9 and 13.
"""

import os
import secrets
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ledger.errors import StoreError
from ledger.sql.address import Address, PostgresAddress, parse_url
from tools.errors import HomeError

DEFAULT: Final = Path(".tally")
_MOST: Final = 4096


@dataclass(frozen=True, slots=True)
class Home:
    """A ledger's directory; making one of these touches nothing.

    Attributes:
        path: where it is.
        unlock: gives the passphrase of a key file, or None where no passphrase can be had; see `tools.keys`.
    """

    path: Path
    unlock: Callable[[Path], bytes] | None = field(default=None, compare=False, repr=False)

    @property
    def file(self) -> Path:
        """The database, where it is SQLite's."""
        return self.path / "ledger.db"

    @property
    def pointer(self) -> Path:
        """What names the database, where it is elsewhere."""
        return self.path / "database"

    @property
    def database(self) -> Address:
        """Where the database is.

        Raises:
            HomeError: the file that names it is damaged.
            StoreError: it can't be read, or what it names is no PostgreSQL database.
        """
        try:
            with self.pointer.open("rb") as named:
                data = named.read(_MOST)
        except FileNotFoundError:
            return self.file
        except NotADirectoryError:
            return self.file
        except OSError as error:
            # As a database says it that may not be looked at.
            raise StoreError(f"{self.pointer} can't be read ({error.strerror}): run as the ledger's owner") from error
        try:
            return parse_url(data.decode().removesuffix("\n"))
        except UnicodeDecodeError as error:
            raise HomeError(f"{self.pointer} is not UTF-8: it holds the database's URL alone") from error

    def point_to(self, address: PostgresAddress) -> None:
        """Say where the database is; the old saying stands until the new one does.

        Raises:
            OSError: it can't be written.
        """
        unfinished = self.pointer.with_name(f".database.{secrets.token_hex(4)}.new")
        try:
            write_new(unfinished, f"{address}\n".encode())
            unfinished.replace(self.pointer)
            sync(self.path)
        finally:
            unfinished.unlink(missing_ok=True)

    @property
    def key(self) -> Path:
        """The log's own key."""
        return self.path / "log.key"

    @property
    def mark(self) -> Path:
        """The high-water mark."""
        return self.path / "high-water"

    @property
    def settings(self) -> Path:
        """How the ledger is kept."""
        return self.path / "settings.toml"

    @property
    def spool(self) -> Path:
        """What enforcement points could not record at once."""
        return self.path / "spool"

    @property
    def policy(self) -> Path:
        """The auditor's policy file."""
        return self.path / "policy"

    @property
    def signers(self) -> Path:
        """The auditor's file of trusted signers."""
        return self.path / "signers"

    def create(self, build: Callable[["Home"], None]) -> None:
        """Make the directory: whole, or nothing is left of it.

        Args:
            build: fills a directory that has another name until it is done.

        Raises:
            HomeError: something stands there already, or it can't be made.
        """
        if self.path.exists() or self.path.is_symlink():
            raise HomeError(
                f"{self.path} is there already and is left as it is: use it (tally doctor tells how it is), "
                "or choose another place with --ledger"
            )
        draft = Home(self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}.new"), self.unlock)
        try:
            draft.path.mkdir(mode=0o700)
        except OSError as error:
            raise HomeError(
                f"{self.path} can't be made ({error.strerror}): choose a directory that you may write to, with --ledger"
            ) from error
        try:
            build(draft)
            sync(draft.path)
            # A rename never replaces a directory that holds something: who was first stays.
            draft.path.rename(self.path)
            sync(self.path.parent)
        except OSError as error:
            raise HomeError(f"{self.path} can't be made ({error.strerror}): nothing of it is left") from error
        finally:
            shutil.rmtree(draft.path, ignore_errors=True)


def write_new(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Write a file that must not be there yet, down to the disk.

    Raises:
        OSError: it can't be written, or is there already.
    """
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync(folder: Path) -> None:
    """Bring the names in a directory down to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
