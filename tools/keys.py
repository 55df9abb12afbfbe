"""The log's own keys: made for their owner alone, sealed by a passphrase if one is wanted, found by what they are.

    log.key             the key in force
    log.key.<key id>    a key that was in force before, or one that is about to be

A sealed key is an OpenSSH private key file (bcrypt, AES-256), an open one PKCS8: of PKCS8 the library offers no seal
but PBKDF2 of 2,048 rounds, which holds off nobody. `ssh-keygen -p` reads a sealed one too.

Source: DESIGN section 9.
"""

import os
import secrets
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
    load_ssh_private_key,
)

from ledger.note import NoteSigner, VerifierKey
from tools.errors import HomeError
from tools.home import Home, sync, write_new

Unlock: TypeAlias = Callable[[Path], bytes]
"""Gives the passphrase of a key file, from a person or a file."""

OTHERS: Final = 0o077
_MOST: Final = 65_536
_ROUNDS: Final = 32
_SSH: Final = b"-----BEGIN OPENSSH PRIVATE KEY-----"


def new_key(path: Path, passphrase: bytes | None = None) -> Ed25519PrivateKey:
    """Make a key file for its owner alone.

    Raises:
        OSError: it can't be written, or is there already.
    """
    key = Ed25519PrivateKey.generate()
    write_new(path, _spelled(key, passphrase), 0o600)
    return key


def read_key(path: Path, unlock: Unlock | None = None) -> Ed25519PrivateKey:
    """Read a key file.

    Raises:
        HomeError: there is none, others may read it, its passphrase is not at hand, or it is no Ed25519 key.
    """
    data = _content(path)
    passphrase = None
    if is_sealed(data):
        if unlock is None:
            raise HomeError(f"{path} has a passphrase: name a file that holds it with --passphrase-file")
        passphrase = unlock(path)
    try:
        key = load_ssh_private_key(data, passphrase) if data.startswith(_SSH) else load_pem_private_key(data, None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise HomeError(
            f"{path} can't be opened with this passphrase: try again, or restore the key from where it is kept safe"
            if passphrase is not None
            else f"{path} is no key that can be read: restore it from where it is kept safe"
        ) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise HomeError(f"{path} is no Ed25519 key: restore the one that the ledger was begun with")
    return key


def has_passphrase(path: Path) -> bool:
    """Tell whether a key file is sealed.

    Raises:
        HomeError: it can't be read, or others may read it.
    """
    return is_sealed(_content(path))


def is_sealed(data: bytes) -> bool:
    """Tell whether the bytes of a key file are sealed by a passphrase."""
    if not data.startswith(_SSH):
        return False
    try:
        load_ssh_private_key(data, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return True
    return False


def write_key(path: Path, key: Ed25519PrivateKey, passphrase: bytes | None) -> None:
    """Put a key into its file: the old content stands until the new one is on the disk.

    Raises:
        HomeError: it can't be written; the old content stands.
    """
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}.new")
    try:
        write_new(unfinished, _spelled(key, passphrase), 0o600)
        unfinished.replace(path)
        sync(path.parent)
    except OSError as error:
        raise HomeError(f"{path} can't be written ({error.strerror}): it is as it was") from error
    finally:
        unfinished.unlink(missing_ok=True)


def kept_beside(home: Home, key: VerifierKey) -> Path:
    """Give the file of a key that is not, or not yet, in force."""
    return home.key.with_name(f"{home.key.name}.{key.key_id.hex()}")


def in_place(home: Home, name: str) -> VerifierKey:
    """Give the key that lies in ``log.key``, whichever it is, under a log's name.

    Raises:
        HomeError: there is none, or it can't be read.
    """
    return NoteSigner(name, read_key(home.key, home.unlock)).verifier_key


def is_copied(home: Home, key: VerifierKey) -> bool:
    """Tell whether a key also lies under its own id.

    Raises:
        HomeError: what lies there is another key, or can't be read.
    """
    beside = kept_beside(home, key)
    if not beside.exists():
        return False
    if NoteSigner(key.name, read_key(beside, home.unlock)).verifier_key != key:
        raise HomeError(f"{beside} holds another key than its name says: keep it elsewhere, and try again")
    return True


def signer_of(home: Home, key: VerifierKey) -> NoteSigner:
    """Give who signs with one of the log's keys, wherever it lies in the directory.

    Raises:
        HomeError: the key is not there, or can't be read.
    """
    beside = kept_beside(home, key)
    for path in (beside, home.key):
        if path == home.key or path.exists():
            signer = NoteSigner(key.name, read_key(path, home.unlock))
            if signer.verifier_key == key:
                return signer
    raise HomeError(
        f"{home.key} is not the key that the log names ({key.key_id.hex()}), and {beside.name} is not there: restore "
        "the right one"
    )


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            data = file.read(_MOST)
    except OSError as error:
        raise HomeError(
            f"{path} can't be read ({error.strerror}): run this as the ledger's owner, or restore the key"
        ) from error
    if mode & OTHERS:
        raise HomeError(f"{path} is open to others than its owner: run chmod 600 {path}")
    return data


def _spelled(key: Ed25519PrivateKey, passphrase: bytes | None) -> bytes:
    if passphrase is None:
        return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    sealing: KeySerializationEncryption = (
        PrivateFormat.OpenSSH.encryption_builder().kdf_rounds(_ROUNDS).build(passphrase)
    )
    return key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, sealing)
