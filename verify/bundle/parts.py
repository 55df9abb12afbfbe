"""What bundles and files of links are made of: events with their proofs, and links from one key of the log to another.

Source: DESIGN sections 6 and 9; docs/spec/bundle.md, docs/spec/links.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ledger.canon import Json
from ledger.event import MAX_EVENT_BYTES
from ledger.note import MAX_SIZE as MAX_NOTE_BYTES
from ledger.proof import ConsistencyProof, InclusionProof, TwinConsistency, TwinInclusion
from verify.errors import BundleFormError

MAX_EVENTS: Final = 16_384
MAX_LINKS: Final = 1024


@dataclass(frozen=True, slots=True)
class BundledEvent:
    """One event with its exact bytes and its proofs under the two roots of the checkpoint."""

    seq: int
    data: bytes
    own: InclusionProof
    twin: TwinInclusion

    def to_json(self) -> dict[str, Json]:
        """Give it as a JSON value."""
        return {
            "seq": self.seq,
            "event": self.data.decode(),
            "blake3": self.own.to_json(),
            "sha256": self.twin.to_json(),
        }


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


def read_events(value: Json) -> tuple[BundledEvent, ...]:
    """Read the events.

    Raises:
        BundleFormError: not of this form, or out of order.
        ProofError: a proof is not of its form.
    """
    events = tuple(_event(item) for item in a_list("events", value, MAX_EVENTS))
    if any(left.seq >= right.seq for left, right in pairwise(events)):
        raise BundleFormError("events are sorted by seq, and each stands once")
    return events


def read_links(value: Json) -> tuple[Link, ...]:
    """Read the links.

    Raises:
        BundleFormError: not of this form, or out of order.
        ProofError: a proof is not of its form.
    """
    links = tuple(_link(item) for item in a_list("links", value, MAX_LINKS))
    if any(left.event >= right.event for left, right in pairwise(links)):
        raise BundleFormError("links are sorted by event, and each stands once")
    return links


def read_note(value: Json) -> bytes:
    """Read a signed note.

    Raises:
        BundleFormError: no text, or too long.
    """
    note = a_text("the checkpoint", value).encode()
    if len(note) > MAX_NOTE_BYTES:
        raise BundleFormError(f"a checkpoint has at most {MAX_NOTE_BYTES} bytes")
    return note


def _event(value: Json) -> BundledEvent:
    fields = an_object("an event", value, ("blake3", "event", "seq", "sha256"))
    data = a_text("an event", fields["event"]).encode()
    if len(data) > MAX_EVENT_BYTES:
        raise BundleFormError(f"an event has at most {MAX_EVENT_BYTES} bytes")
    return BundledEvent(
        a_seq(fields["seq"]),
        data,
        InclusionProof.from_json(fields["blake3"]),
        TwinInclusion.from_json(fields["sha256"]),
    )


def _link(value: Json) -> Link:
    fields = an_object("a link", value, ("blake3", "checkpoint", "event", "sha256"))
    return Link(
        a_seq(fields["event"]),
        read_note(fields["checkpoint"]),
        ConsistencyProof.from_json(fields["blake3"]),
        TwinConsistency.from_json(fields["sha256"]),
    )


def check_keys(what: str, fields: Mapping[str, Json], keys: Sequence[str]) -> None:
    """Check that an object has exactly these fields.

    Raises:
        BundleFormError: it is none.
    """
    if fields.keys() != set(keys):
        raise BundleFormError(f"{what} has exactly the fields {', '.join(keys)}")


def an_object(what: str, value: Json, keys: Sequence[str]) -> Mapping[str, Json]:
    """Read an object of exactly these fields.

    Raises:
        BundleFormError: it is none.
    """
    if not isinstance(value, dict):
        raise BundleFormError(f"{what} is a JSON object")
    check_keys(what, value, keys)
    return value


def a_list(what: str, value: Json, most: int) -> list[Json]:
    """Read a list.

    Raises:
        BundleFormError: it is none.
    """
    if not isinstance(value, list) or len(value) > most:
        raise BundleFormError(f"{what} stand in a list of at most {most}")
    return value


def a_text(what: str, value: Json) -> str:
    """Read a text.

    Raises:
        BundleFormError: it is none.
    """
    if not isinstance(value, str):
        raise BundleFormError(f"{what} is a text")
    return value


def a_seq(value: Json) -> int:
    """Read an event's place.

    Raises:
        BundleFormError: it is none.
    """
    # A bool is an int to Python; it names no event.
    if type(value) is not int or value < 0:
        raise BundleFormError("an event is named by a number from 0 on")
    return value
