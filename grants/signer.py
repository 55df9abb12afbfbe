"""Who signs for a human: an OpenSSH key file, or ``ssh-keygen`` for agents and hardware keys.

Nothing here reads a clock or asks anybody: a passphrase comes from the callable that the caller hands in. (With
`SshKeygenSigner` it is ssh-keygen itself, or the agent, that may ask for a passphrase, a PIN or a touch.)

Source: OpenSSH PROTOCOL.sshsig; ssh-keygen(1); DESIGN section 11.
"""

import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_ssh_private_key,
)

from grants import sshkey, sshsig
from grants.errors import KeyFileError, SignatureError
from grants.sshkey import PublicKey

MAX_SIZE = 65_536
TIMEOUT = 120.0

_OTHERS = 0o077
_PRIVATE = b"-----BEGIN OPENSSH PRIVATE KEY-----"


class Signer(Protocol):
    """Who can sign a text that a person has read."""

    @property
    def public_key(self) -> PublicKey:
        """Give the key that will have signed."""

    def sign(self, message: bytes, namespace: str) -> str:
        """Give the armoured signature over the message in the namespace.

        Raises:
            KeyFileError: the key can't be used; the message says what to do.
        """


@dataclass(frozen=True, slots=True)
class FileSigner:
    """Signs with an Ed25519 key that was read from an OpenSSH key file."""

    private_key: Ed25519PrivateKey = field(repr=False)

    @classmethod
    def load(cls, path: Path, ask: Callable[[], bytes]) -> "FileSigner":
        """Read a private key file.

        Args:
            path: the file, readable by its owner alone.
            ask: gives the passphrase; called once, and only if the key has one.

        Raises:
            KeyFileError: no such key, open to others, of another algorithm, or not of this passphrase.
        """
        data = _read_private(path)
        key = _open_plain(path, data) or _open_sealed(path, data, ask())
        if not isinstance(key, Ed25519PrivateKey):
            raise _unusable(path)
        return cls(key)

    @property
    def public_key(self) -> PublicKey:
        """Give the public half."""
        return PublicKey(sshkey.ED25519, self.private_key.public_key().public_bytes_raw())

    def sign(self, message: bytes, namespace: str) -> str:
        """Sign the message in the namespace."""
        return sshsig.sign(self.private_key, message, namespace)


@dataclass(frozen=True, slots=True)
class SshKeygenSigner:
    """Signs by calling ``ssh-keygen -Y sign``: for keys in an agent, and hardware keys.

    Attributes:
        path: the key file; where the private half lives in an agent, the ``.pub`` file.
        public_key: what must have signed in the end.
        timeout: how many seconds a person may take to touch the key.
    """

    path: Path
    public_key: PublicKey
    timeout: float = TIMEOUT

    @classmethod
    def load(cls, path: Path) -> "SshKeygenSigner":
        """Read the public half from the path if it ends in ``.pub``, else from the ``.pub`` file beside it.

        Raises:
            KeyFileError: there is none, or it is of another algorithm.
        """
        return cls(path, read_public(path if path.suffix == ".pub" else path.with_name(path.name + ".pub")))

    def sign(self, message: bytes, namespace: str) -> str:
        """Sign the message in the namespace, and verify what came back.

        Raises:
            KeyFileError: ssh-keygen is missing, took too long or failed, or something else signed.
        """
        program = shutil.which("ssh-keygen")
        if program is None:
            raise KeyFileError("ssh-keygen is not installed: install OpenSSH (openssh-client), or use a key file")
        command = [program, "-Y", "sign", "-n", namespace, "-f", str(self.path)]
        try:
            # No shell; the message goes in on stdin and is no argument.
            done = subprocess.run(command, input=message, capture_output=True, timeout=self.timeout, check=False)  # noqa: S603  (see above)
        except subprocess.TimeoutExpired as error:
            raise KeyFileError(f"ssh-keygen did not sign within {self.timeout:g} seconds") from error
        except (OSError, ValueError) as error:
            raise KeyFileError(f"ssh-keygen can't be run: {error}") from error
        if done.returncode != 0:
            said = done.stderr.decode(errors="replace").strip().splitlines()
            raise KeyFileError(f"ssh-keygen did not sign: {said[-1] if said else 'it gave no reason'}")
        armoured = done.stdout.decode("ascii", errors="replace")
        try:
            sshsig.verify(armoured, message, namespace, self.public_key)
        except SignatureError as error:
            raise KeyFileError(f"ssh-keygen gave a signature that does not hold: {error}") from error
        return armoured


def generate(path: Path, comment: str) -> PublicKey:
    """Make a new Ed25519 key: the private half at the path, for its owner alone, the public one beside it.

    Raises:
        KeyFileError: a file is there already, or can't be written; nothing is left behind.
    """
    if not comment.isprintable():
        raise KeyFileError("the comment of a key is one printable line")
    private_key = Ed25519PrivateKey.generate()
    signer = FileSigner(private_key)
    beside = path.with_name(path.name + ".pub")
    _create(path, private_key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()), 0o600)
    try:
        _create(beside, f"{signer.public_key.line()} {comment}".rstrip().encode() + b"\n", 0o644)
    except KeyFileError:
        path.unlink()
        raise
    return signer.public_key


def read_public(path: Path) -> PublicKey:
    """Read a ``.pub`` file.

    Raises:
        KeyFileError: no such file, or not one public key of an accepted algorithm.
    """
    try:
        with path.open("rb") as file:
            return sshkey.parse_line(file.read(MAX_SIZE).decode())
    except OSError as error:
        raise KeyFileError(f"{path} can't be read: {error.strerror}") from error
    except (KeyFileError, UnicodeDecodeError) as error:
        reason = error if isinstance(error, KeyFileError) else "not UTF-8"
        raise KeyFileError(f"{path}: {reason}") from error


def _read_private(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_SIZE)
            if not data.startswith(_PRIVATE):
                raise _unusable(path)  # before the mode is complained of: it may be any file at all
            mode = os.fstat(file.fileno()).st_mode  # of what is open, so that nobody swaps the file in between
            if stat.S_IMODE(mode) & _OTHERS:
                raise KeyFileError(f"{path} is open to others than its owner: run chmod 600 {path}")
            return data
    except OSError as error:
        raise KeyFileError(f"{path} can't be read: {error.strerror}") from error


def _open_plain(path: Path, data: bytes) -> object | None:
    try:
        return load_ssh_private_key(data, None)
    except TypeError:  # cryptography's way to say that there is a passphrase
        return None
    except (ValueError, UnsupportedAlgorithm) as error:
        raise _unusable(path) from error


def _open_sealed(path: Path, data: bytes, passphrase: bytes) -> object:
    try:
        return load_ssh_private_key(data, passphrase)
    except UnsupportedAlgorithm as error:
        raise KeyFileError(
            f"{path} has a passphrase that can't be read here: install the Python package bcrypt, or sign through "
            "ssh-keygen"
        ) from error
    except (ValueError, TypeError) as error:
        raise KeyFileError(f"the passphrase does not open {path}") from error


def _unusable(path: Path) -> KeyFileError:
    return KeyFileError(
        f"{path} is no Ed25519 key file of OpenSSH; a hardware key signs through ssh-keygen, other keys are not "
        "accepted: make one with ssh-keygen -t ed25519"
    )


def _create(path: Path, data: bytes, mode: int) -> None:
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except FileExistsError as error:
        raise KeyFileError(f"{path} is there already; a key is never overwritten") from error
    except OSError as error:
        raise KeyFileError(f"{path} can't be written: {error.strerror}") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        path.unlink()
        raise KeyFileError(f"{path} can't be written: {error.strerror}") from error
