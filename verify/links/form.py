r"""The bytes of a file of links: canonical JSON and one newline.

    {"checkpoint":"<the signed note>",
     "events":[{"blake3":{...},"event":"{\"at\":...}","seq":0,"sha256":{...}}],
     "format":"tallystick-links",
     "links":[{"blake3":{...},"checkpoint":"<the signed note>","event":50,"sha256":{...}}],
     "v":1}

(broken into lines here). Events and links are those of a bundle, in the same forms, for the checkpoint in this file.

This module reads the form and nothing else: whether anything is proven is for `verify.links.check` to say.

Source: DESIGN section 9; docs/spec/links.md.
"""

from dataclasses import dataclass
from typing import Final

from ledger import canon
from ledger.canon import Json
from ledger.errors import CanonError, ProofError
from verify.bundle.parts import BundledEvent, Link, check_keys, read_events, read_links, read_note
from verify.errors import BundleFormError, NotALinksFileError

FORMAT: Final = "tallystick-links"
VERSION: Final = 1
SUFFIX: Final = ".links"
MAX_BYTES: Final = 16 * 1024 * 1024

_KEYS: Final = ("checkpoint", "events", "format", "links", "v")
_NONE: Final = "this is no file of links: tally log links makes one"


@dataclass(frozen=True, slots=True)
class LinksFile:
    """What leads from the former names and keys of a log to the one that signed a checkpoint.

    Attributes:
        checkpoint: the signed note.
        events: those that changed name or key, genesis, and what made their signers; sorted by seq.
        links: sorted by event.
    """

    checkpoint: bytes
    events: tuple[BundledEvent, ...]
    links: tuple[Link, ...]

    def to_bytes(self) -> bytes:
        """Give the one spelling of the file."""
        value: dict[str, Json] = {
            "format": FORMAT,
            "v": VERSION,
            "checkpoint": self.checkpoint.decode(),
            "events": [event.to_json() for event in self.events],
            "links": [link.to_json() for link in self.links],
        }
        return canon.encode(value) + b"\n"


def parse_links(data: bytes) -> LinksFile:
    """Read the bytes of a file of links.

    Raises:
        NotALinksFileError: something else, or a part of one.
    """
    if len(data) > MAX_BYTES:
        raise NotALinksFileError(f"a file of links has at most {MAX_BYTES} bytes")
    try:
        fields = canon.decode_object(data.removesuffix(b"\n"))
    except CanonError as error:
        raise NotALinksFileError(f"{_NONE}, or it was cut off ({error})") from error
    if fields.get("format") != FORMAT:
        raise NotALinksFileError(_NONE)
    if not data.endswith(b"\n"):
        raise NotALinksFileError("a file of links ends in a newline: this one was cut off")
    try:
        check_keys("a file of links", fields, _KEYS)
        if type(fields["v"]) is not int or fields["v"] != VERSION:
            raise NotALinksFileError(f"a file of links of another version than {VERSION}")
        return LinksFile(read_note(fields["checkpoint"]), read_events(fields["events"]), read_links(fields["links"]))
    except (BundleFormError, CanonError, ProofError, UnicodeEncodeError) as error:
        raise NotALinksFileError(f"the file of links breaks its form: {error}") from error
