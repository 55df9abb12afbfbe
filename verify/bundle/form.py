r"""The bytes of a bundle: canonical JSON and one newline.

    {"checkpoint":"<the signed note>",
     "decision":41,
     "disclosures":[{"path":"/c_inst","salt":"<base64url>","seq":30,"value":500000000000000}],
     "events":[{"blake3":{...},"event":"{\"at\":...}","seq":0,"sha256":{...}}],
     "format":"tallystick-bundle",
     "v":1}

(broken into lines here). Where the log's key was replaced, or the log went on after a restore, ``v`` is 2 and the
bundle holds ``links`` too, sorted by event; without links it is of version 1:

    "links":[{"blake3":{...},"checkpoint":"<the signed note>","event":50,"sha256":{...}}]

A link is a checkpoint under the key that was replaced by that event, with the proofs that the bundle's own checkpoint
continues it. An event stands as a text: its UTF-8 bytes are the bytes that were hashed. Beside it stand its
two inclusion proofs, both for the checkpoint's size. Events are sorted by seq, disclosures by seq and path; each stands
once. One log, one checkpoint and one choice of disclosures give one file, bit by bit.

This module reads the form and nothing else: whether anything is proven is for `verify.check` to say.

Source: DESIGN sections 6 and 8; docs/spec/bundle.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ledger import canon, digest
from ledger.canon import Json
from ledger.disclosure import Opening
from ledger.errors import CanonError, ProofError
from ledger.event import MAX_EVENT_BYTES
from ledger.note import MAX_SIZE as MAX_NOTE_BYTES
from ledger.proof import ConsistencyProof, InclusionProof, TwinConsistency, TwinInclusion
from verify.errors import BundleFormError, NotABundleError

FORMAT: Final = "tallystick-bundle"
VERSION: Final = 1
VERSION_WITH_LINKS: Final = 2
MAX_BYTES: Final = 64 * 1024 * 1024
MAX_EVENTS: Final = 16_384
MAX_DISCLOSURES: Final = 16_384
MAX_LINKS: Final = 1024

_KEYS: Final = ("checkpoint", "decision", "disclosures", "events", "format", "v")
_MARK: Final = f'"format":"{FORMAT}"'.encode()


@dataclass(frozen=True, slots=True)
class BundledEvent:
    """One event with its exact bytes and its proofs under the two roots of the checkpoint."""

    seq: int
    data: bytes
    own: InclusionProof
    twin: TwinInclusion


@dataclass(frozen=True, slots=True)
class Disclosed:
    """The opening of one field of one event."""

    seq: int
    opening: Opening


@dataclass(frozen=True, slots=True)
class Link:
    """What ties two keys of the log together.

    Attributes:
        event: the event that replaced the key.
        checkpoint: a note signed by the key that was replaced.
        own: the proof that the bundle's checkpoint continues it, in the log's own tree.
        twin: the same in the RFC 6962 tree.
    """

    event: int
    checkpoint: bytes
    own: ConsistencyProof
    twin: TwinConsistency

    def to_json(self) -> dict[str, Json]:
        """Give the link as a JSON value."""
        return {
            "event": self.event,
            "checkpoint": self.checkpoint.decode(),
            "blake3": self.own.to_json(),
            "sha256": self.twin.to_json(),
        }


@dataclass(frozen=True, slots=True)
class Bundle:
    """What a bundle holds.

    Attributes:
        decision: the event that it is about.
        checkpoint: the signed note.
        events: sorted by seq.
        disclosures: sorted by seq and path.
        links: sorted by event.
    """

    decision: int
    checkpoint: bytes
    events: tuple[BundledEvent, ...]
    disclosures: tuple[Disclosed, ...]
    links: tuple[Link, ...] = ()

    def to_bytes(self) -> bytes:
        """Give the one spelling of the bundle."""
        value: dict[str, Json] = {
            "format": FORMAT,
            "v": VERSION_WITH_LINKS if self.links else VERSION,
            "decision": self.decision,
            "checkpoint": self.checkpoint.decode(),
            "events": [
                {"seq": e.seq, "event": e.data.decode(), "blake3": e.own.to_json(), "sha256": e.twin.to_json()}
                for e in self.events
            ],
            "disclosures": [
                {
                    "seq": d.seq,
                    "path": d.opening.path,
                    "salt": canon.to_base64url(d.opening.salt),
                    "value": d.opening.value,
                }
                for d in self.disclosures
            ],
        }
        if self.links:
            value["links"] = [link.to_json() for link in self.links]
        return canon.encode(value) + b"\n"


def parse_bundle(data: bytes) -> Bundle:
    """Read the bytes of a bundle.

    Raises:
        NotABundleError: something else than a bundle, or a part of one.
        BundleFormError: a bundle of another version, or one that breaks its form.
    """
    if len(data) > MAX_BYTES:
        raise NotABundleError(f"a bundle has at most {MAX_BYTES} bytes, and this file has more")
    fields = _outer(data)
    try:
        return _read(fields)
    except (CanonError, ProofError, UnicodeEncodeError) as error:
        raise BundleFormError(str(error)) from error


def _outer(data: bytes) -> Mapping[str, Json]:
    try:
        fields = canon.decode_object(data.removesuffix(b"\n"))
    except CanonError as error:
        raise _unreadable(data, error) from error
    if fields.get("format") != FORMAT:
        raise NotABundleError("this is JSON, but no evidence bundle: tally prove makes one")
    if not data.endswith(b"\n"):
        raise BundleFormError("the bundle does not end in a newline")
    # The type first: true equals 1, and what stands there may be a list, which no set can be asked for.
    if type(fields.get("v")) is not int or fields["v"] not in {VERSION, VERSION_WITH_LINKS}:
        raise BundleFormError(
            f"a bundle of another version than {VERSION} or {VERSION_WITH_LINKS}: a newer tally-verify may read it"
        )
    return fields


def _unreadable(data: bytes, error: CanonError) -> BundleFormError | NotABundleError:
    """Tell a bundle in another spelling from a file that is no bundle, or no longer one."""
    try:
        value = canon.loads(data)
    except CanonError:
        if _MARK in data or data.startswith(b'{"checkpoint":"'):
            return NotABundleError("this is part of a bundle: it was cut off or damaged on its way; fetch it again")
        return NotABundleError("this is no evidence bundle: tally prove makes one")
    if isinstance(value, dict) and value.get("format") == FORMAT:
        return BundleFormError(f"the bundle is {error}")
    return NotABundleError("this is JSON, but no evidence bundle: tally prove makes one")


def _read(fields: Mapping[str, Json]) -> Bundle:
    linked = fields["v"] == VERSION_WITH_LINKS
    _check_keys("a bundle", fields, (*_KEYS, "links") if linked else _KEYS)
    note = _note(fields["checkpoint"])
    events = tuple(_event(item) for item in _list("events", fields["events"], MAX_EVENTS))
    disclosures = tuple(_disclosed(item) for item in _list("disclosures", fields["disclosures"], MAX_DISCLOSURES))
    if any(left.seq >= right.seq for left, right in pairwise(events)):
        raise BundleFormError("events are sorted by seq, and each stands once")
    if any((a.seq, a.opening.path) >= (b.seq, b.opening.path) for a, b in pairwise(disclosures)):
        raise BundleFormError("disclosures are sorted by seq and path, and each stands once")
    links = tuple(_link(item) for item in _list("links", fields["links"], MAX_LINKS)) if linked else ()
    if linked and not links:
        raise BundleFormError(f"a bundle without links is of version {VERSION}")
    if any(left.event >= right.event for left, right in pairwise(links)):
        raise BundleFormError("links are sorted by event, and each stands once")
    return Bundle(_seq(fields["decision"]), note, events, disclosures, links)


def _event(value: Json) -> BundledEvent:
    fields = _object("an event", value, ("blake3", "event", "seq", "sha256"))
    data = _text("an event", fields["event"]).encode()
    if len(data) > MAX_EVENT_BYTES:
        raise BundleFormError(f"an event has at most {MAX_EVENT_BYTES} bytes")
    return BundledEvent(
        _seq(fields["seq"]),
        data,
        InclusionProof.from_json(fields["blake3"]),
        TwinInclusion.from_json(fields["sha256"]),
    )


def _link(value: Json) -> Link:
    fields = _object("a link", value, ("blake3", "checkpoint", "event", "sha256"))
    return Link(
        _seq(fields["event"]),
        _note(fields["checkpoint"]),
        ConsistencyProof.from_json(fields["blake3"]),
        TwinConsistency.from_json(fields["sha256"]),
    )


def _note(value: Json) -> bytes:
    note = _text("the checkpoint", value).encode()
    if len(note) > MAX_NOTE_BYTES:
        raise BundleFormError(f"a checkpoint has at most {MAX_NOTE_BYTES} bytes")
    return note


def _disclosed(value: Json) -> Disclosed:
    fields = _object("a disclosure", value, ("path", "salt", "seq", "value"))
    salt = canon.from_base64url(_text("a salt", fields["salt"]))
    if len(salt) != digest.SIZE:
        raise BundleFormError(f"a salt has {digest.SIZE} bytes")
    return Disclosed(_seq(fields["seq"]), Opening(_text("a path", fields["path"]), salt, fields["value"]))


def _check_keys(what: str, fields: Mapping[str, Json], keys: Sequence[str]) -> None:
    if fields.keys() != set(keys):
        raise BundleFormError(f"{what} has exactly the fields {', '.join(keys)}")


def _object(what: str, value: Json, keys: Sequence[str]) -> Mapping[str, Json]:
    if not isinstance(value, dict):
        raise BundleFormError(f"{what} is a JSON object")
    _check_keys(what, value, keys)
    return value


def _list(what: str, value: Json, most: int) -> list[Json]:
    if not isinstance(value, list) or len(value) > most:
        raise BundleFormError(f"{what} stand in a list of at most {most}")
    return value


def _text(what: str, value: Json) -> str:
    if not isinstance(value, str):
        raise BundleFormError(f"{what} is a text")
    return value


def _seq(value: Json) -> int:
    # A bool is an int to Python; it names no event.
    if type(value) is not int or value < 0:
        raise BundleFormError("an event is named by a number from 0 on")
    return value
