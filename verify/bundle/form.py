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

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ledger import canon, digest
from ledger.canon import Json
from ledger.disclosure import Opening
from ledger.errors import CanonError, ProofError
from verify.bundle.parts import (
    BundledEvent,
    Link,
    a_list,
    a_seq,
    a_text,
    an_object,
    check_keys,
    read_events,
    read_links,
    read_note,
)
from verify.errors import BundleFormError, NotABundleError

FORMAT: Final = "tallystick-bundle"
VERSION: Final = 1
VERSION_WITH_LINKS: Final = 2
MAX_BYTES: Final = 64 * 1024 * 1024
MAX_DISCLOSURES: Final = 16_384

_KEYS: Final = ("checkpoint", "decision", "disclosures", "events", "format", "v")
_MARK: Final = f'"format":"{FORMAT}"'.encode()


@dataclass(frozen=True, slots=True)
class Disclosed:
    """The opening of one field of one event."""

    seq: int
    opening: Opening


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
            "events": [event.to_json() for event in self.events],
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
    check_keys("a bundle", fields, (*_KEYS, "links") if linked else _KEYS)
    note, events = read_note(fields["checkpoint"]), read_events(fields["events"])
    disclosures = tuple(_disclosed(item) for item in a_list("disclosures", fields["disclosures"], MAX_DISCLOSURES))
    if any((a.seq, a.opening.path) >= (b.seq, b.opening.path) for a, b in pairwise(disclosures)):
        raise BundleFormError("disclosures are sorted by seq and path, and each stands once")
    links = read_links(fields["links"]) if linked else ()
    if linked and not links:
        raise BundleFormError(f"a bundle without links is of version {VERSION}")
    return Bundle(a_seq(fields["decision"]), note, events, disclosures, links)


def _disclosed(value: Json) -> Disclosed:
    fields = an_object("a disclosure", value, ("path", "salt", "seq", "value"))
    salt = canon.from_base64url(a_text("a salt", fields["salt"]))
    if len(salt) != digest.SIZE:
        raise BundleFormError(f"a salt has {digest.SIZE} bytes")
    return Disclosed(a_seq(fields["seq"]), Opening(a_text("a path", fields["path"]), salt, fields["value"]))
