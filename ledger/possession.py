r"""Proof that whoever names a new log key holds it: the key's own signature over its name and its forerunner's.

The text that is signed, each line ended by a newline::

    tallystick log key v1
    <vkey of the key that is replaced>
    <vkey of the key that signs this>

It can't be taken for a checkpoint, whose second line is a number.

>>> print(possession_text("a+0+B", "c+1+D"), end="")
tallystick log key v1
a+0+B
c+1+D

Source: DESIGN section 9; docs/spec/checkpoint.md.
"""

from ledger import canon
from ledger.errors import CanonError, NoteError
from ledger.note import ED25519, SIGNATURE_SIZE, NoteSigner, VerifierKey, check_ed25519

_TITLE = "tallystick log key v1"


def possession_text(old: str, new: str) -> str:
    """Give the text that a new key signs to show that somebody holds it."""
    return f"{_TITLE}\n{old}\n{new}\n"


def prove_possession(old: str, signer: NoteSigner) -> str:
    """Sign for a new key, with that key.

    Args:
        old: the vkey of the key that it replaces.
        signer: the new key.

    Returns:
        The Ed25519 signature, base64url.
    """
    text = possession_text(old, signer.verifier_key.text())
    return canon.to_base64url(signer.private_key.sign(text.encode()))


def check_possession(old: str, new: str, proof: str) -> None:
    """Check that the new key has signed for itself.

    Args:
        old: the vkey of the key that is replaced.
        new: the vkey of the new key.
        proof: the signature, base64url.

    Raises:
        NoteError: ``new`` is no log key, or the signature does not hold.
    """
    key = VerifierKey.parse(new)
    if key.algorithm != ED25519:
        raise NoteError(f"the key of {key.name} is no log's: its type is not 0x01")
    try:
        signature = canon.from_base64url(proof)
    except CanonError as error:
        raise NoteError(f"the proof of possession is {error}") from error
    if len(signature) != SIGNATURE_SIZE:
        raise NoteError(f"a proof of possession has {SIGNATURE_SIZE} bytes, not {len(signature)}")
    check_ed25519(key.public_key, signature, possession_text(old, new).encode())
