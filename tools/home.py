"""A ledger's directory: where it is found, what stands in it, and how a new one appears whole or not at all.

    ledger.db      the database (and, while it is open, its -wal and -shm files)
    log.key        the log's own Ed25519 key, PKCS8 PEM, for its owner alone
    high-water     the text of the checkpoint signed last; see `tools.checkpointing`
    policy         what an auditor trusts: the log's key, in C2SP tlog-policy form
    signers        the first human's key, in ``allowed_signers`` form

Source: DESIGN sections 9 and 13.
"""

import os
import secrets
import shutil
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from tools.errors import HomeError

DEFAULT: Final = Path(".tally")
_OTHERS: Final = 0o077
_MOST: Final = 65_536


@dataclass(frozen=True, slots=True)
class Home:
    """A ledger's directory; making one of these touches nothing."""

    path: Path

    @property
    def database(self) -> Path:
        """The database."""
        return self.path / "ledger.db"

    @property
    def key(self) -> Path:
        """The log's own key."""
        return self.path / "log.key"

    @property
    def mark(self) -> Path:
        """The high-water mark."""
        return self.path / "high-water"

    @property
    def policy(self) -> Path:
        """The auditor's policy file."""
        return self.path / "policy"

    @property
    def signers(self) -> Path:
        """The auditor's file of trusted signers."""
        return self.path / "signers"

    def load_key(self) -> Ed25519PrivateKey:
        """Read the log's own key.

        Raises:
            HomeError: there is none, others may read it, or it is no Ed25519 key.
        """
        try:
            with self.key.open("rb") as file:
                mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
                data = file.read(_MOST)
        except OSError as error:
            raise HomeError(
                f"{self.key} can't be read ({error.strerror}): run this as the ledger's owner, or restore the key"
            ) from error
        if mode & _OTHERS:
            raise HomeError(f"{self.key} is open to others than its owner: run chmod 600 {self.key}")
        try:
            key = load_pem_private_key(data, password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm) as error:
            raise HomeError(f"{self.key} is no key that can be read: restore it from where it is kept safe") from error
        if not isinstance(key, Ed25519PrivateKey):
            raise HomeError(f"{self.key} is no Ed25519 key: restore the one that the ledger was begun with")
        return key

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
        draft = Home(self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}.new"))
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


def new_key(path: Path) -> Ed25519PrivateKey:
    """Make a key file for its owner alone.

    Raises:
        OSError: it can't be written, or is there already.
    """
    key = Ed25519PrivateKey.generate()
    write_new(path, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()), 0o600)
    return key


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
