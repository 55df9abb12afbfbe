"""What a log says of one of its older sizes: the roots that it has there, and the proofs from them to its newer roots.

    {"blake3":{"old_root":...,"proof":{...}},"sha256":{"old_root":...,"proof":{...}}}

It is asked for by whoever follows a log. The roots stand beside the proofs, for a proof alone does not always hold the
older root: where the log has another one than it signed, this is what shows it.

Source: DESIGN sections 6 and 9; docs/spec/equivocation.md.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Self

from ledger import canon, digest, mmr, rfc6962
from ledger.canon import Json
from ledger.checkpoint import Checkpoint, require_blake3
from ledger.errors import CanonError, ProofError
from ledger.log import Tree
from ledger.mmr import NodeReader
from ledger.proof import ConsistencyProof, TwinConsistency
from verify.errors import ContinuationFormError, InclusionError, RootMismatchError
from verify.inclusion import check_consistency, check_twin_consistency

MAX_BYTES: Final = 2**18

_KEYS: Final = ("blake3", "sha256")
_PREFIX_KEYS: Final = ("old_root", "proof")


@dataclass(frozen=True, slots=True)
class OwnPrefix:
    """The log's own tree at the older size, and the proof from there."""

    old_root: bytes
    proof: ConsistencyProof

    def to_json(self) -> dict[str, Json]:
        """Give it as a JSON value."""
        return {"old_root": canon.to_base64url(self.old_root), "proof": self.proof.to_json()}

    @classmethod
    def from_json(cls, value: Json) -> Self:
        """Read it from a JSON value.

        Raises:
            ContinuationFormError: not of this form.
        """
        root, proof = _prefix(value)
        try:
            return cls(root, ConsistencyProof.from_json(proof))
        except ProofError as error:
            raise ContinuationFormError(str(error)) from error


@dataclass(frozen=True, slots=True)
class TwinPrefix:
    """The RFC 6962 tree at the older size, and the proof from there."""

    old_root: bytes
    proof: TwinConsistency

    def to_json(self) -> dict[str, Json]:
        """Give it as a JSON value."""
        return {"old_root": canon.to_base64url(self.old_root), "proof": self.proof.to_json()}

    @classmethod
    def from_json(cls, value: Json) -> Self:
        """Read it from a JSON value.

        Raises:
            ContinuationFormError: not of this form.
        """
        root, proof = _prefix(value)
        try:
            return cls(root, TwinConsistency.from_json(proof))
        except ProofError as error:
            raise ContinuationFormError(str(error)) from error


@dataclass(frozen=True, slots=True)
class Continuation:
    """Both trees."""

    blake3: OwnPrefix
    sha256: TwinPrefix

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
        return cls(OwnPrefix.from_json(fields["blake3"]), TwinPrefix.from_json(fields["sha256"]))

    def check(self, old: Checkpoint, new: Checkpoint) -> None:
        """Check, in both trees, that the newer checkpoint continues the older.

        Raises:
            InclusionError: it is not proven.
            CheckpointError: one of them has no BLAKE3 root.
        """
        sizes = {"old_size": old.size, "new_size": new.size}
        check_twin_consistency(self.sha256.old_root, new.sha256_root, self.sha256.proof, **sizes)
        check_sizes(self.blake3.proof, **sizes)
        check_consistency(self.blake3.old_root, require_blake3(new), self.blake3.proof)
        # What the newer log has at the older size must be what was signed for it.
        if self.sha256.old_root != old.sha256_root:
            raise RootMismatchError("SHA-256 root", old.sha256_root, self.sha256.old_root)
        if self.blake3.old_root != require_blake3(old):
            raise RootMismatchError("BLAKE3 root", require_blake3(old), self.blake3.old_root)


def check_sizes(proof: ConsistencyProof, *, old_size: int, new_size: int) -> None:
    """Check that a proof of the log's own tree is of the sizes that were signed.

    Raises:
        InclusionError: it is of others.
    """
    if (proof.old_size, proof.new_size) != (old_size, new_size):
        raise InclusionError(f"the proof is of sizes {proof.old_size} and {proof.new_size}")


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
        OwnPrefix(digest.root(old, own.old_peaks), own),
        TwinPrefix(twin_root, rfc6962.prove_consistency(nodes, old, new)),
    )


def _prefix(value: Json) -> tuple[bytes, Json]:
    if not isinstance(value, dict):
        raise ContinuationFormError("what is said of a tree is a JSON object")
    _check_keys(value, _PREFIX_KEYS)
    text = value["old_root"]
    try:
        root = canon.from_base64url(text) if isinstance(text, str) else b""
    except CanonError as error:
        raise ContinuationFormError(f"a root is {error}") from error
    if len(root) != digest.SIZE:
        raise ContinuationFormError(f"a root is base64url of {digest.SIZE} bytes")
    return root, value["proof"]


def _check_keys(fields: Mapping[str, Json], keys: tuple[str, ...]) -> None:
    if fields.keys() != set(keys):
        raise ContinuationFormError(f"exactly the fields {' and '.join(keys)} stand here")
