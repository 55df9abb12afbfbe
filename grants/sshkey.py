"""OpenSSH public keys: ``ssh-ed25519``, and ``sk-ssh-ed25519@openssh.com`` of a hardware key. No others.

A line is ``<algorithm> <base64 of the blob> [<comment>]``; the blob, in the SSH wire format::

    ssh-ed25519                    string algorithm, string key (32 bytes)
    sk-ssh-ed25519@openssh.com     string algorithm, string key (32 bytes), string application ("ssh:")

A private key file of OpenSSH holds the public key in clear before what may be sealed by a passphrase::

    "openssh-key-v1" NUL    string cipher, string kdf, string its options, uint32 1, string blob, ...

The fingerprint is ``SHA256:`` and the base64 of the blob's SHA-256 without padding.

>>> key = parse_line("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB26sjHeZaQCFW91lBuFxkaEDH+jLwPcjSONhXi1jQJD ada@example")
>>> key.fingerprint
'SHA256:ISLvNGojFoj/r/FdpkQArcM3rAIO45Eqxb61oJMW2U0'

Source: RFC 8709 section 4; OpenSSH PROTOCOL.u2f and PROTOCOL.key; DESIGN section 11.
"""

import hashlib
from dataclasses import dataclass

from grants import sshwire
from grants.errors import KeyFileError
from ledger.errors import NoteError
from ledger.note import ed25519_key, from_base64, to_base64

ED25519 = "ssh-ed25519"
SK_ED25519 = "sk-ssh-ed25519@openssh.com"
ALGORITHMS = (ED25519, SK_ED25519)
APPLICATION = "ssh:"

MAX_LINE = 4096

_BEGIN, _END = "-----BEGIN OPENSSH PRIVATE KEY-----", "-----END OPENSSH PRIVATE KEY-----"
_UNSEALED = "none"
_MAGIC = b"openssh-key-v1\0"


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A public key that may sign.

    Attributes:
        algorithm: one of `ALGORITHMS`.
        key: the 32 bytes of the Ed25519 key.

    Raises:
        KeyFileError: another algorithm, or no safe key.
    """

    algorithm: str
    key: bytes

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise KeyFileError(f"the algorithm {self.algorithm[:40]!r} is not accepted; {' and '.join(ALGORITHMS)} are")
        try:
            ed25519_key(self.key)
        except NoteError as error:
            raise KeyFileError(f"not a public key: {error}") from error

    @property
    def hardware(self) -> bool:
        """Tell whether the private half lives in a security key that wants to be touched."""
        return self.algorithm == SK_ED25519

    @property
    def blob(self) -> bytes:
        """Give the key in the wire format."""
        blob = sshwire.string(self.algorithm.encode()) + sshwire.string(self.key)
        return blob + sshwire.string(APPLICATION.encode()) if self.hardware else blob

    @property
    def fingerprint(self) -> str:
        """Give the fingerprint, as ``ssh-keygen -l`` prints it."""
        return "SHA256:" + to_base64(hashlib.sha256(self.blob).digest()).rstrip("=")

    def line(self) -> str:
        """Spell the key as a line without comment and newline: the one spelling that the ledger records."""
        return f"{self.algorithm} {to_base64(self.blob)}"


def parse_line(line: str) -> PublicKey:
    """Read a public key line, as in a ``.pub`` file: its comment is ignored, one final newline allowed.

    Raises:
        KeyFileError: not one public key of an accepted algorithm.
    """
    line = line.removesuffix("\n")
    if line.startswith("-----BEGIN") and "PRIVATE KEY" in line:
        raise KeyFileError("this is a private key; the public one stands in the file that ends in .pub")
    if len(line) > MAX_LINE or not line.isprintable():
        raise KeyFileError("a public key is one line: algorithm, base64, comment")
    algorithm, _, rest = line.partition(" ")
    if algorithm not in ALGORITHMS:
        raise KeyFileError(f"the algorithm {algorithm[:40]!r} is not accepted; {' and '.join(ALGORITHMS)} are")
    try:
        key = from_blob(from_base64(rest.partition(" ")[0]))
    except NoteError as error:
        raise KeyFileError(f"a public key is algorithm, base64, comment, parted by one space: {error}") from error
    if key.algorithm != algorithm:
        raise KeyFileError(f"the line says {algorithm}, its key says {key.algorithm}")
    return key


def public_half(text: str) -> tuple[PublicKey, bool]:
    """Read the public key that stands in a private key file, and whether a passphrase seals the private one.

    Raises:
        KeyFileError: not one key of OpenSSH of an accepted algorithm.
    """
    text = text.strip()
    if not text.startswith(_BEGIN) or not text.endswith(_END):
        raise KeyFileError("this is no private key file of OpenSSH")
    body = text.removeprefix(_BEGIN).removesuffix(_END)
    try:
        data = from_base64("".join(body.split()))
    except NoteError as error:
        raise KeyFileError(f"a private key file is base64 between two lines: {error}") from error
    fields = sshwire.Fields(data, KeyFileError)
    if fields.take(len(_MAGIC)) != _MAGIC:
        raise KeyFileError("this is no private key file of OpenSSH")
    cipher = fields.text()
    fields.string()  # how the passphrase becomes a key
    fields.string()  # and with what salt
    if fields.uint32() != 1:
        raise KeyFileError("a private key file holds one key")
    return from_blob(fields.string()), cipher != _UNSEALED


def from_blob(blob: bytes) -> PublicKey:
    """Read a key in the wire format.

    Raises:
        KeyFileError: another algorithm or application, or not one key.
    """
    fields = sshwire.Fields(blob, KeyFileError)
    key = PublicKey(fields.text(), fields.string())
    if key.hardware and fields.text() != APPLICATION:
        raise KeyFileError(f"a hardware key's application must be {APPLICATION!r}")
    fields.end()
    return key
