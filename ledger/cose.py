"""The COSE receipt: a log's signature over its RFC 6962 root, with the proof that leads from one entry to it.

    18([ << {1: -8, 4: key id, 15: {1: origin, 2: subject}, 395: 1} >>,      protected: EdDSA, who, about what, RFC 9162
         {396: {-1: [ << [size, index, [hash, ...]] >> ]}},                  unprotected: one inclusion proof
         null,                                                               the payload is the root, detached
         signature ])

What is signed is ``["Signature1", protected, h'', root]``. The root is nowhere in the receipt: whoever checks it works
it out from the entry and the path. The key id is the one that signature lines of checkpoints carry, so that a policy's
log line finds the key.

There is one encoding (RFC 8949 section 4.2): bytes that are read and do not come out the same are refused.

Source: RFC 9942 (verifiable data structure 1); RFC 9052 section 4.4; RFC 9943 section 6 (issuer, subject).
"""

from dataclasses import dataclass
from typing import Any, Final

from ledger.errors import LibraryMissingError, NoteError, ProofError
from ledger.note import KEY_ID_SIZE, SIGNATURE_SIZE, NoteSigner, VerifierKey, check_ed25519
from ledger.proof import MAX_HASHES, TwinInclusion

SUFFIX: Final = ".cose"
MAX_SIZE: Final = 16_384

_SIGN1: Final = 18
_ALGORITHM, _KEY_ID, _CLAIMS, _STRUCTURE, _PROOFS = 1, 4, 15, 395, 396
_EDDSA, _RFC9162, _INCLUSION, _ISSUER, _SUBJECT = -8, 1, -1, 1, 2
_HASH_SIZE: Final = 32


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a receipt says; nothing of it is verified but its form.

    Attributes:
        issuer: the log's origin.
        subject: what the receipt is about, ``event/<seq>``.
        key_id: the four bytes that name the log's key.
        proof: the inclusion proof in the RFC 6962 tree.
        signature: Ed25519, 64 bytes.
    """

    issuer: str
    subject: str
    key_id: bytes
    proof: TwinInclusion
    signature: bytes

    def to_bytes(self) -> bytes:
        """Encode the receipt.

        Raises:
            LibraryMissingError: the CBOR library is not installed.
        """
        cbor = _cbor()
        p = self.proof
        proof = cbor.dumps([p.size, p.index, list(p.path)])
        unprotected = {_PROOFS: {_INCLUSION: [proof]}}
        parts = [protected(self.issuer, self.subject, self.key_id), unprotected, None, self.signature]
        encoded: bytes = cbor.dumps(cbor.CBORTag(_SIGN1, parts), canonical=True)
        return encoded

    @classmethod
    def parse(cls, data: bytes) -> "Receipt":
        """Read a receipt in its one encoding.

        Raises:
            ProofError: it is none.
            LibraryMissingError: the CBOR library is not installed.
        """
        if len(data) > MAX_SIZE:
            raise ProofError(f"a receipt has at most {MAX_SIZE} bytes")
        receipt = _read(_decode(data))
        if receipt.to_bytes() != data:
            raise ProofError("the receipt is not in its one encoding")
        return receipt

    def check(self, key: VerifierKey, root: bytes) -> None:
        """Check the signature over the root that the proof leads to.

        Raises:
            NoteError: it does not hold, or is of another key.
        """
        if (self.issuer, self.key_id) != (key.name, key.key_id):
            raise NoteError(f"the receipt is signed by another key than that of {key.name}")
        check_ed25519(key.public_key, self.signature, to_be_signed(self.issuer, self.subject, self.key_id, root))


def sign(signer: NoteSigner, subject: str, proof: TwinInclusion, root: bytes) -> Receipt:
    """Sign a root for one entry. Whoever calls has a checkpoint in which the log signed this very root already.

    Raises:
        LibraryMissingError: the CBOR library is not installed.
    """
    key_id = signer.verifier_key.key_id
    signature = signer.private_key.sign(to_be_signed(signer.name, subject, key_id, root))
    return Receipt(signer.name, subject, key_id, proof, signature)


def protected(issuer: str, subject: str, key_id: bytes) -> bytes:
    """Encode the header that the signature covers."""
    claims = {_ISSUER: issuer, _SUBJECT: subject}
    header = {_ALGORITHM: _EDDSA, _KEY_ID: key_id, _CLAIMS: claims, _STRUCTURE: _RFC9162}
    encoded: bytes = _cbor().dumps(header, canonical=True)
    return encoded


def to_be_signed(issuer: str, subject: str, key_id: bytes, root: bytes) -> bytes:
    """Encode the Sig_structure of RFC 9052 section 4.4, without external data."""
    encoded: bytes = _cbor().dumps(["Signature1", protected(issuer, subject, key_id), b"", root], canonical=True)
    return encoded


def _decode(data: bytes) -> Any:  # noqa: ANN401  (whatever stands in the file)
    cbor = _cbor()
    try:
        return cbor.loads(data)
    except Exception as error:  # the decoder raises several kinds, none of them ours
        raise ProofError(f"not CBOR: {type(error).__name__}") from error


def _read(outer: Any) -> Receipt:  # noqa: ANN401  (whatever stands in the file)
    try:
        header_bytes, unprotected, payload, signature = outer.value
        header = _decode(header_bytes)
        ((size, index, path),) = map(_decode, unprotected[_PROOFS][_INCLUSION])
        claims, key_id = header[_CLAIMS], header[_KEY_ID]
        issuer, subject, hashes = claims[_ISSUER], claims[_SUBJECT], tuple(path)
        kind = (outer.tag, payload, header[_ALGORITHM], header[_STRUCTURE])
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise ProofError("not a receipt: a COSE_Sign1 with one inclusion proof, an issuer and a subject") from error
    if (
        kind != (_SIGN1, None, _EDDSA, _RFC9162)
        or {type(issuer), type(subject)} != {str}
        or {type(size), type(index)} != {int}
        or min(size, index) < 0
        or len(hashes) > MAX_HASHES
        or not all(_is_bytes(one, _HASH_SIZE) for one in hashes)
        or not _is_bytes(key_id, KEY_ID_SIZE)
        or not _is_bytes(signature, SIGNATURE_SIZE)
    ):
        raise ProofError("not a receipt of this kind: EdDSA over an RFC 9162 SHA-256 root, which is detached")
    return Receipt(issuer, subject, key_id, TwinInclusion(size, index, hashes), signature)


def _is_bytes(value: object, size: int) -> bool:
    return type(value) is bytes and len(value) == size


def _cbor() -> Any:  # noqa: ANN401  (a module without types)
    try:
        import cbor2  # noqa: PLC0415  (an extra: receipts are all that needs it)
    except ImportError as error:
        raise LibraryMissingError("COSE receipts need cbor2: pip install 'tallystick[exports]'") from error
    return cbor2
