r"""OpenSSH signatures over a text, in a namespace: what ``ssh-keygen -Y sign`` writes and ``-Y verify`` checks.

The armour is exactly this, base64 wrapped after every 70 characters, a newline at the end of each line::

    -----BEGIN SSH SIGNATURE-----
    <base64 of the blob>
    -----END SSH SIGNATURE-----

The blob, and the bytes that are signed, in the SSH wire format::

    blob   = "SSHSIG", uint32 1, string public key, string namespace, string reserved, string hash, string signature
    signed = "SSHSIG", string namespace, string reserved, string hash, string H(message)

``reserved`` is empty, ``hash`` is sha512 or sha256. The signature is ``string algorithm, string 64 bytes``; a
hardware key adds ``byte flags, uint32 counter`` and signs ``SHA256(application) || flags || counter ||
SHA256(signed)``. We demand flag 0x01, that somebody touched it.

There is no clock here: whether the key was valid at the time is for `grants.allowed_signers` or the book of principals.

Source: OpenSSH PROTOCOL.sshsig, PROTOCOL.u2f; DESIGN section 11.
"""

import hashlib
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from grants import sshkey
from grants.errors import KeyFileError, SignatureError
from grants.sshkey import PublicKey
from grants.sshwire import Fields, string
from ledger.errors import NoteError
from ledger.note import SIGNATURE_SIZE, check_ed25519, from_base64, to_base64

MAX_SIZE = 16_384
USER_PRESENT = 0x01

_BEGIN = "-----BEGIN SSH SIGNATURE-----\n"
_END = "-----END SSH SIGNATURE-----\n"
_WIDTH = 70
_MAGIC = b"SSHSIG"
_VERSION = 1
_HASHES = ("sha512", "sha256")


@dataclass(frozen=True, slots=True)
class Signature:
    """A parsed signature. Nothing in it is verified: use `verify`.

    Attributes:
        public_key: the key that it says it is of.
        namespace: what it was made for.
        hash_name: how the message was hashed.
        raw: the 64 bytes of the Ed25519 signature.
        flags: of a hardware key; 0 otherwise.
        counter: how often a hardware key has signed, if it counts; 0 otherwise.
    """

    public_key: PublicKey
    namespace: str
    hash_name: str
    raw: bytes
    flags: int = 0
    counter: int = 0


def parse(armoured: str) -> Signature:
    """Take a signature apart, refusing every other spelling of it.

    Raises:
        SignatureError: not one signature, byte for byte as ssh-keygen writes it.
    """
    fields = Fields(_unarmour(armoured), SignatureError)
    if fields.take(len(_MAGIC)) != _MAGIC or fields.uint32() != _VERSION:
        raise SignatureError("not an SSH signature of version 1")
    public_key = _public_key(fields.string())
    namespace = fields.text()
    if not namespace:
        raise SignatureError("the signature has no namespace")
    if fields.string():
        raise SignatureError("the signature's reserved field is not empty")
    hash_name = fields.text()
    if hash_name not in _HASHES:
        raise SignatureError(f"the hash {hash_name[:40]!r} is not accepted; {' and '.join(_HASHES)} are")
    inner = Fields(fields.string(), SignatureError)
    fields.end()
    if inner.text() != public_key.algorithm:
        raise SignatureError("the signature's algorithm is not its key's")
    raw = inner.string()
    if len(raw) != SIGNATURE_SIZE:
        raise SignatureError(f"an Ed25519 signature has {SIGNATURE_SIZE} bytes, not {len(raw)}")
    flags, counter = (inner.byte(), inner.uint32()) if public_key.hardware else (0, 0)
    inner.end()
    return Signature(public_key, namespace, hash_name, raw, flags, counter)


def verify(armoured: str, message: bytes, namespace: str, key: PublicKey) -> None:
    """Verify that the key has signed the message in the namespace.

    Raises:
        SignatureError: malformed, of another key or namespace, untouched, or over another message.
    """
    signature = parse(armoured)
    if signature.namespace != namespace:
        raise SignatureError(f"the signature was made for {signature.namespace[:80]!r}, not for {namespace!r}")
    if signature.public_key != key:
        raise SignatureError(f"the signature is of {signature.public_key.fingerprint}, not of {key.fingerprint}")
    if key.hardware and not signature.flags & USER_PRESENT:
        raise SignatureError("nobody touched the hardware key when it signed")
    try:
        check_ed25519(key.key, signature.raw, _signed(signature, message))
    except NoteError as error:
        raise SignatureError(f"{key.fingerprint} has not signed this text") from error


def sign(private_key: Ed25519PrivateKey, message: bytes, namespace: str) -> str:
    """Sign the message, byte for byte as ``ssh-keygen -Y sign`` does with the same key.

    Raises:
        SignatureError: the namespace is empty or not printable ASCII.
    """
    if not namespace or not namespace.isascii() or not namespace.isprintable():
        raise SignatureError(f"a namespace is printable ASCII: {namespace[:80]!r}")
    key = PublicKey(sshkey.ED25519, private_key.public_key().public_bytes_raw())
    raw = private_key.sign(_message(namespace, _HASHES[0], message))
    inner = string(key.algorithm.encode()) + string(raw)
    head = _MAGIC + _VERSION.to_bytes(4, "big") + string(key.blob) + string(namespace.encode())
    return armour(head + string(b"") + string(_HASHES[0].encode()) + string(inner))


def armour(blob: bytes) -> str:
    """Spell the blob of a signature as text."""
    text = to_base64(blob)
    return _BEGIN + "".join(text[at : at + _WIDTH] + "\n" for at in range(0, len(text), _WIDTH)) + _END


def _unarmour(armoured: str) -> bytes:
    if len(armoured) > MAX_SIZE:
        raise SignatureError(f"a signature has at most {MAX_SIZE} characters")
    if not armoured.startswith(_BEGIN) or not armoured.endswith("\n" + _END):
        raise SignatureError("a signature begins and ends with its BEGIN and END lines, and nothing around them")
    body = armoured[len(_BEGIN) : -len(_END)]
    try:
        blob = from_base64(body.replace("\n", ""))
    except NoteError as error:
        raise SignatureError(f"the armour of the signature holds something else: {error}") from error
    if armour(blob) != armoured:
        raise SignatureError(f"the lines of the signature are not wrapped after {_WIDTH} characters")
    return blob


def _public_key(blob: bytes) -> PublicKey:
    try:
        return sshkey.from_blob(blob)
    except KeyFileError as error:
        raise SignatureError(f"the signature's key: {error}") from error


def _message(namespace: str, hash_name: str, message: bytes) -> bytes:
    digest = hashlib.new(hash_name, message).digest()
    return _MAGIC + string(namespace.encode()) + string(b"") + string(hash_name.encode()) + string(digest)


def _signed(signature: Signature, message: bytes) -> bytes:
    plain = _message(signature.namespace, signature.hash_name, message)
    if not signature.public_key.hardware:
        return plain
    seen = bytes([signature.flags]) + signature.counter.to_bytes(4, "big")
    application = hashlib.sha256(sshkey.APPLICATION.encode()).digest()
    return application + seen + hashlib.sha256(plain).digest()
