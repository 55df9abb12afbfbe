"""What a log says of one of its older sizes: the roots that it has there, and the proofs from them to its newer roots.

    {"blake3":{"old_root":...,"proof":{...}},"sha256":{"old_root":...,"proof":{...}}}

It is asked for by whoever follows a log. The roots stand beside the proofs, for a proof alone does not always hold the
older root: where the log has another one than it signed, this is what shows it.

Source: DESIGN sections 6 and 9; docs/spec/equivocation.md.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Generic, Self, TypeVar

from ledger import canon, digest, mmr, rfc6962
from ledger.canon import Json
from ledger.checkpoint import Checkpoint
from ledger.errors import CanonError, ProofError
from ledger.log import Tree
from ledger.mmr import NodeReader
from ledger.proof import ConsistencyProof, TwinConsistency
from verify.errors import ContinuationFormError
from verify.expect import expect_hash
from verify.proven import Growth, Roots, check_growth, roots_of

MAX_BYTES: Final = 2**18

_KEYS: Final = ("blake3", "sha256")
_PREFIX_KEYS: Final = ("old_root", "proof")

P = TypeVar("P", ConsistencyProof, TwinConsistency)


@dataclass(frozen=True, slots=True)
class Prefix(Generic[P]):
    """One tree at the older size, and the proof from there."""

    old_root: bytes
    proof: P

    def to_json(self) -> dict[str, Json]:
        """Give it as a JSON value."""
        return {"old_root": canon.to_base64url(self.old_root), "proof": self.proof.to_json()}

    @classmethod
    def from_json(cls, value: Json, kind: type[P]) -> Self:
        """Read it from a JSON value.

        Args:
            value: the JSON value.
            kind: which tree's proof it holds.

        Raises:
            ContinuationFormError: not of this form.
        """
        if not isinstance(value, dict):
            raise ContinuationFormError("what is said of a tree is a JSON object")
        _check_keys(value, _PREFIX_KEYS)
        root = _root(value["old_root"])
        try:
            return cls(root, kind.from_json(value["proof"]))
        except ProofError as error:
            raise ContinuationFormError(str(error)) from error


@dataclass(frozen=True, slots=True)
class Continuation:
    """Both trees."""

    blake3: Prefix[ConsistencyProof]
    sha256: Prefix[TwinConsistency]

    def to_bytes(self) -> bytes:
        """Give canonical JSON and one newline."""
        value: dict[str, Json] = {"blake3": self.blake3.to_json(), "sha256": self.sha256.to_json()}
        return canon.encode(value) + b"\n"

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Read the bytes; nothing is checked but their form.

        Raises:
            ContinuationFormError: not of this form.
        """
        if len(data) > MAX_BYTES:
            raise ContinuationFormError(f"a continuation has at most {MAX_BYTES} bytes")
        if not data.endswith(b"\n"):
            raise ContinuationFormError("a continuation ends in a newline: this one was cut off")
        try:
            fields = canon.decode_object(data.removesuffix(b"\n"))
        except CanonError as error:
            raise ContinuationFormError(f"not a continuation: {error}") from error
        _check_keys(fields, _KEYS)
        return cls(
            Prefix.from_json(fields["blake3"], ConsistencyProof), Prefix.from_json(fields["sha256"], TwinConsistency)
        )

    def check(self, old: Checkpoint, new: Checkpoint) -> None:
        """Check, in both trees, that the newer checkpoint continues the older.

        Raises:
            InclusionError: it is not proven.
            CheckpointError: one of them has no BLAKE3 root.
        """
        said = Roots(old.size, self.blake3.old_root, self.sha256.old_root)
        check_growth(said, roots_of(new), Growth(self.blake3.proof, self.sha256.proof))
        # What the newer log has at the older size must be what was signed for it.
        signed = roots_of(old)
        expect_hash("SHA-256 root", signed.sha256, said.sha256)
        expect_hash("BLAKE3 root", signed.blake3, said.blake3)


def continuation(nodes_of: Callable[[Tree], NodeReader], size: int, old: int, new: int) -> Continuation:
    """Say what a log has at an older size, and how it went on from there.

    Args:
        nodes_of: gives the nodes of one tree.
        size: the log's.
        old: the older size, from 1 on.
        new: the newer size, at most the log's.

    Raises:
        ProofError: the log has no such sizes, or lacks a node.
    """
    if not 0 < old <= new <= size:
        raise ProofError(f"a log of size {size} shows nothing from size {old} to size {new}")
    own = mmr.prove_consistency(nodes_of("blake3"), old, new)
    nodes = nodes_of("sha256")
    twin_root = rfc6962.root(nodes.read(mmr.peak_positions(old)))
    return Continuation(
        Prefix(digest.root(old, own.old_peaks), own),
        Prefix(twin_root, rfc6962.prove_consistency(nodes, old, new)),
    )


def _root(text: Json) -> bytes:
    try:
        root = canon.from_base64url(text) if isinstance(text, str) else b""
    except CanonError as error:
        raise ContinuationFormError(f"a root is {error}") from error
    if len(root) != digest.SIZE:
        raise ContinuationFormError(f"a root is base64url of {digest.SIZE} bytes")
    return root


def _check_keys(fields: Mapping[str, Json], keys: tuple[str, ...]) -> None:
    if fields.keys() != set(keys):
        raise ContinuationFormError(f"exactly the fields {' and '.join(keys)} stand here")
