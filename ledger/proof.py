"""The proofs as values and as JSON.

    {"v":1,"size":n,"index":i,"path":[...],"peaks":[...]}                        inclusion
    {"v":1,"old_size":m,"new_size":n,"old_peaks":[...],"paths":[[...],...],"right_peaks":[...]}   consistency
    {"v":1,"size":n,"index":i,"path":[...]}                                      inclusion, RFC 6962 twin
    {"v":1,"old_size":m,"new_size":n,"path":[...]}                               consistency, RFC 6962 twin
    {"v":1,"size":n,"indexes":[...],"hashes":[...]}                              a set of leaves, either tree
    {"v":1,"size":n,"first":a,"last":b,"left":[...],"right":[...]}               all leaves from a to b, either tree

Sizes are leaf counts, hashes are base64url of 32 bytes. Reading is strict in form only: whether the lengths fit the
sizes, and whether anything is proven, is for ``verify.inclusion`` to say.

Source: DESIGN section 6; RFC 6962 sections 2.1.1 and 2.1.2.
"""

from dataclasses import dataclass
from typing import Self

from ledger import canon
from ledger.canon import Json
from ledger.digest import SIZE
from ledger.errors import CanonError, ProofError

VERSION = 1
MAX_HASHES = 64
"""No list of hashes along one way through the tree is longer: at most one for each bit of a size, plus one."""
MAX_SET = 1024
"""So many leaves a set may have; each brings at most the hashes of one way."""


@dataclass(frozen=True, slots=True)
class InclusionProof:
    """A leaf stands in the range.

    Attributes:
        size: the range's leaves.
        index: the leaf.
        path: the siblings, bottom-up, to the leaf's peak.
        peaks: the other peaks, left to right.
    """

    size: int
    index: int
    path: tuple[bytes, ...]
    peaks: tuple[bytes, ...]

    def to_json(self) -> dict[str, Json]:
        """Give the proof as a JSON value."""
        return {
            "v": VERSION,
            "size": self.size,
            "index": self.index,
            "path": _spell(self.path),
            "peaks": _spell(self.peaks),
        }

    @classmethod
    def from_json(cls, value: Json) -> Self:
        """Read the proof from a JSON value.

        Raises:
            ProofError: not of this form.
        """
        fields = _fields(value, "size", "index", "path", "peaks")
        return cls(_count(fields["size"]), _count(fields["index"]), _hashes(fields["path"]), _hashes(fields["peaks"]))


@dataclass(frozen=True, slots=True)
class ConsistencyProof:
    """A range continues an older one.

    Attributes:
        old_size: the older range's leaves.
        new_size: the newer range's leaves.
        old_peaks: all peaks of the older range, left to right.
        paths: for each old peak the siblings, bottom-up, to its new peak.
        right_peaks: the new peaks over new leaves alone, left to right.
    """

    old_size: int
    new_size: int
    old_peaks: tuple[bytes, ...]
    paths: tuple[tuple[bytes, ...], ...]
    right_peaks: tuple[bytes, ...]

    def to_json(self) -> dict[str, Json]:
        """Give the proof as a JSON value."""
        return {
            "v": VERSION,
            "old_size": self.old_size,
            "new_size": self.new_size,
            "old_peaks": _spell(self.old_peaks),
            "paths": [_spell(path) for path in self.paths],
            "right_peaks": _spell(self.right_peaks),
        }

    @classmethod
    def from_json(cls, value: Json) -> Self:
        """Read the proof from a JSON value.

        Raises:
            ProofError: not of this form.
        """
        fields = _fields(value, "old_size", "new_size", "old_peaks", "paths", "right_peaks")
        return cls(
            _count(fields["old_size"]),
            _count(fields["new_size"]),
            _hashes(fields["old_peaks"]),
            tuple(_hashes(path) for path in _list(fields["paths"])),
            _hashes(fields["right_peaks"]),
        )


@dataclass(frozen=True, slots=True)
class TwinInclusion:
    """A leaf stands in the RFC 6962 tree.

    Attributes:
        size: the tree's leaves.
        index: the leaf.
        path: the RFC's audit path.
    """

    size: int
    index: int
    path: tuple[bytes, ...]

    def to_json(self) -> dict[str, Json]:
        """Give the proof as a JSON value."""
        return {"v": VERSION, "size": self.size, "index": self.index, "path": _spell(self.path)}

    @classmethod
    def from_json(cls, value: Json) -> Self:
        """Read the proof from a JSON value.

        Raises:
            ProofError: not of this form.
        """
        fields = _fields(value, "size", "index", "path")
        return cls(_count(fields["size"]), _count(fields["index"]), _hashes(fields["path"]))


@dataclass(frozen=True, slots=True)
class TwinConsistency:
    """An RFC 6962 tree continues an older one.

    Attributes:
        old_size: the older tree's leaves.
        new_size: the newer tree's leaves.
        path: the RFC's consistency proof.
    """

    old_size: int
    new_size: int
    path: tuple[bytes, ...]

    def to_json(self) -> dict[str, Json]:
        """Give the proof as a JSON value."""
        return {"v": VERSION, "old_size": self.old_size, "new_size": self.new_size, "path": _spell(self.path)}

    @classmethod
    def from_json(cls, value: Json) -> Self:
        """Read the proof from a JSON value.

        Raises:
            ProofError: not of this form.
        """
        fields = _fields(value, "old_size", "new_size", "path")
        return cls(_count(fields["old_size"]), _count(fields["new_size"]), _hashes(fields["path"]))


@dataclass(frozen=True, slots=True)
class SetProof:
    """These leaves stand in the tree.

    Attributes:
        size: the tree's leaves.
        indexes: the leaves, ascending.
        hashes: the largest subtrees that hold none of them, left to right.
    """

    size: int
    indexes: tuple[int, ...]
    hashes: tuple[bytes, ...]

    def to_json(self) -> dict[str, Json]:
        """Give the proof as a JSON value."""
        return {"v": VERSION, "size": self.size, "indexes": list(self.indexes), "hashes": _spell(self.hashes)}

    @classmethod
    def from_json(cls, value: Json) -> Self:
        """Read the proof from a JSON value.

        Raises:
            ProofError: not of this form.
        """
        fields = _fields(value, "size", "indexes", "hashes")
        indexes = tuple(_count(item) for item in _list(fields["indexes"], MAX_SET))
        return cls(_count(fields["size"]), indexes, _hashes(fields["hashes"], MAX_HASHES * MAX_SET))


@dataclass(frozen=True, slots=True)
class RangeProof:
    """These are all leaves of the tree from one to another.

    Attributes:
        size: the tree's leaves.
        first: the first of them.
        last: the last of them; it is one of them.
        left: the largest subtrees before the first, left to right.
        right: the largest subtrees after the last, left to right.
    """

    size: int
    first: int
    last: int
    left: tuple[bytes, ...]
    right: tuple[bytes, ...]

    def to_json(self) -> dict[str, Json]:
        """Give the proof as a JSON value."""
        return {
            "v": VERSION,
            "size": self.size,
            "first": self.first,
            "last": self.last,
            "left": _spell(self.left),
            "right": _spell(self.right),
        }

    @classmethod
    def from_json(cls, value: Json) -> Self:
        """Read the proof from a JSON value.

        Raises:
            ProofError: not of this form.
        """
        fields = _fields(value, "size", "first", "last", "left", "right")
        size, first, last = (_count(fields[name]) for name in ("size", "first", "last"))
        return cls(size, first, last, _hashes(fields["left"]), _hashes(fields["right"], 2 * MAX_HASHES))


def _spell(hashes: tuple[bytes, ...]) -> list[Json]:
    return [canon.to_base64url(digest) for digest in hashes]


def _fields(value: Json, *names: str) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise ProofError("a proof is a JSON object")
    if value.keys() != {"v", *names}:
        raise ProofError(f"a proof of this kind has exactly the fields v, {', '.join(names)}")
    if type(value["v"]) is not int or value["v"] != VERSION:
        raise ProofError(f"a proof of another version than {VERSION}")
    return value


def _count(value: Json) -> int:
    # A bool is an int to Python; it is no size.
    if type(value) is not int or not 0 <= value <= canon.MAX_INTEGER:
        raise ProofError("a size or an index is an integer from 0 to 2^53 - 1")
    return value


def _list(value: Json, most: int = MAX_HASHES) -> list[Json]:
    if not isinstance(value, list) or len(value) > most:
        raise ProofError(f"what a proof lists stands in a list of at most {most}")
    return value


def _hashes(value: Json, most: int = MAX_HASHES) -> tuple[bytes, ...]:
    return tuple(_hash(item) for item in _list(value, most))


def _hash(value: Json) -> bytes:
    if not isinstance(value, str):
        raise ProofError("a hash is base64url text")
    try:
        digest = canon.from_base64url(value)
    except CanonError as error:
        raise ProofError(f"a hash is {error}") from error
    if len(digest) != SIZE:
        raise ProofError(f"a hash has {SIZE} bytes")
    return digest
