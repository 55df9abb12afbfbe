r"""The bytes of a proof file: one line that proves, then one line for each event.

    {"blake3":{...},
     "checkpoint":"<the signed note>",
     "format":"tallystick-proof",
     "kind":"range",
     "link":null,
     "old":null,
     "roots":{"blake3":"<base64url>","sha256":"<base64url>","size":41},
     "sha256":{...},
     "v":1}
    {"at":"...", ...}
    {"at":"...", ...}

(the first line broken here). ``kind`` is ``inclusion``, ``set``, ``range`` or ``consistency``, and says what ``blake3``
and ``sha256`` are; they are held against ``roots``. Where those are not the checkpoint's, ``link`` has the two
consistency proofs from their size to the checkpoint's. ``old`` has the older roots of a consistency proof, which has no
events. An event's line is its exact bytes: canonical JSON has no newline. So a range of any length can be written and
read as a stream.

This module reads the form and nothing else: whether anything is proven is for ``verify.proof_file.check`` to say.

Source: DESIGN section 6; docs/spec/proof-file.md.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Final, TypeAlias

from ledger import canon
from ledger.canon import Json
from ledger.digest import SIZE
from ledger.errors import CanonError, LedgerError, ProofError
from ledger.event import MAX_EVENT_BYTES
from ledger.proof import ConsistencyProof, InclusionProof, RangeProof, SetProof, TwinConsistency, TwinInclusion
from verify.errors import InclusionError, NotAProofFileError
from verify.proven import Growth, Roots

FORMAT: Final = "tallystick-proof"
VERSION: Final = 1
MAX_FIRST_LINE: Final = 8 * 1024 * 1024

Own: TypeAlias = InclusionProof | SetProof | RangeProof | ConsistencyProof
Twin: TypeAlias = TwinInclusion | SetProof | RangeProof | TwinConsistency

_KINDS: Final[dict[str, tuple[type[Own], type[Twin]]]] = {
    "inclusion": (InclusionProof, TwinInclusion),
    "set": (SetProof, SetProof),
    "range": (RangeProof, RangeProof),
    "consistency": (ConsistencyProof, TwinConsistency),
}
_KEYS: Final = {"blake3", "checkpoint", "format", "kind", "link", "old", "roots", "sha256", "v"}


@dataclass(frozen=True, slots=True)
class ProofHead:
    """The first line.

    Attributes:
        checkpoint: the signed note's bytes.
        roots: what the proofs are held against.
        own: the proof in the log's own tree.
        twin: the same in the twin.
        link: that the checkpoint continues the roots; None where they are its own.
        old: the older roots, of a consistency proof alone.
    """

    checkpoint: bytes
    roots: Roots
    own: Own
    twin: Twin
    link: Growth | None = None
    old: Roots | None = None

    @property
    def kind(self) -> str:
        """What is proven."""
        return next(kind for kind, (own, _) in _KINDS.items() if isinstance(self.own, own))

    def seqs(self) -> Sequence[int]:
        """List the events that follow."""
        match self.own:
            case InclusionProof(index=index):
                return (index,)
            case SetProof(indexes=indexes):
                return indexes
            case RangeProof(first=first, last=last):
                return range(first, last + 1)
        return ()

    def to_bytes(self) -> bytes:
        """Spell the line, newline included."""
        link = self.link
        value: dict[str, Json] = {
            "format": FORMAT,
            "v": VERSION,
            "kind": self.kind,
            "checkpoint": self.checkpoint.decode(),
            "roots": _spell_roots(self.roots),
            "blake3": self.own.to_json(),
            "sha256": self.twin.to_json(),
            "link": None if link is None else {"blake3": link.own.to_json(), "sha256": link.twin.to_json()},
            "old": None if self.old is None else _spell_roots(self.old),
        }
        return canon.encode(value) + b"\n"


def read_head(file: BinaryIO) -> ProofHead:
    """Read the first line, and leave the file where the events begin.

    Raises:
        NotAProofFileError: it is no proof file, or breaks its form.
    """
    line = file.readline(MAX_FIRST_LINE + 1)
    try:
        value = canon.decode(line.removesuffix(b"\n"))
    except CanonError as error:
        raise NotAProofFileError(f"this is no proof file: its first line is no canonical JSON ({error})") from error
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise NotAProofFileError(f'this is no proof file: its first line has no "format":"{FORMAT}"')
    if not line.endswith(b"\n"):
        raise NotAProofFileError("the first line does not end: the file is only a part of one, or is too large")
    try:
        return _parse(value)
    except LedgerError as error:
        raise NotAProofFileError(f"the first line breaks the form of a proof file: {error}") from error


def read_events(file: BinaryIO, seqs: Sequence[int]) -> Iterator[bytes]:
    """Give the events that follow the first line, one by one, and see that each says its own number.

    Raises:
        NotAProofFileError: one is missing, or is none; or there are more.
        InclusionError: another event stands in its place.
    """
    for seq in seqs:
        line = file.readline(MAX_EVENT_BYTES + 2)
        if not line.endswith(b"\n"):
            raise NotAProofFileError(f"event {seq} is missing or does not end: the file is only a part of one")
        data = line[:-1]
        try:
            event = canon.decode(data)
        except CanonError as error:
            raise NotAProofFileError(f"the line of event {seq} is no event ({error})") from error
        if not isinstance(event, dict) or event.get("seq") != seq:
            raise InclusionError(f"the line of event {seq} holds another event")
        yield data
    if file.read(1):
        raise NotAProofFileError("more lines follow than the proof is of")


def _parse(value: dict[str, Json]) -> ProofHead:
    if value.keys() != _KEYS or type(value["v"]) is not int or value["v"] != VERSION:
        raise ProofError(f"it has exactly the fields {', '.join(sorted(_KEYS))}, and v is {VERSION}")
    kind, note = value["kind"], value["checkpoint"]
    if not isinstance(kind, str) or kind not in _KINDS:
        raise ProofError(f"the kind is one of {', '.join(_KINDS)}")
    if not isinstance(note, str):
        raise ProofError("the checkpoint is a text")
    own, twin = _KINDS[kind]
    link, old = value["link"], value["old"]
    if (old is None) == (kind == "consistency"):
        raise ProofError("a proof of consistency has old roots, and no other has any")
    return ProofHead(
        note.encode(),
        _parse_roots(value["roots"]),
        own.from_json(value["blake3"]),
        twin.from_json(value["sha256"]),
        None if link is None else _parse_link(link),
        None if old is None else _parse_roots(old),
    )


def _parse_link(value: Json) -> Growth:
    if not isinstance(value, dict) or value.keys() != {"blake3", "sha256"}:
        raise ProofError("a link has two proofs of consistency")
    return Growth(ConsistencyProof.from_json(value["blake3"]), TwinConsistency.from_json(value["sha256"]))


def _spell_roots(roots: Roots) -> dict[str, Json]:
    return {
        "size": roots.size,
        "blake3": canon.to_base64url(roots.blake3),
        "sha256": canon.to_base64url(roots.sha256),
    }


def _parse_roots(value: Json) -> Roots:
    if not isinstance(value, dict) or value.keys() != {"size", "blake3", "sha256"}:
        raise ProofError("roots are a size and the two roots")
    size = value["size"]
    if type(size) is not int or not 0 < size <= canon.MAX_INTEGER:
        raise ProofError("a size is an integer from 1 to 2^53 - 1")
    return Roots(size, _parse_hash(value["blake3"]), _parse_hash(value["sha256"]))


def _parse_hash(value: Json) -> bytes:
    if not isinstance(value, str) or len(found := canon.from_base64url(value)) != SIZE:
        raise ProofError(f"a root is base64url of {SIZE} bytes")
    return found
