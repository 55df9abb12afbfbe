r"""The form of an export: a log as plain files in a directory, every name of which follows from the log's size.

    index.json                    what is here: sizes, roots, and each file's length and SHA-256
    README.txt                    what this is, for whoever finds it
    policy, signers               what the operator gives to auditors; nothing is checked by them
    events/00000000.jsonl         the exact bytes of one event a line
    nodes/00000000.bin            both trees: BLAKE3 and SHA-256 hash of each node, 64 bytes, by position
    openings/00000000.jsonl       openings of disclosable fields, one a line; left out where the index says so
    checkpoints/00000000.jsonl    signed notes with what witnesses and time stamping authorities added, one a line

Chunk k holds what belongs to events ``k * chunk`` to ``(k + 1) * chunk - 1``: their bytes, the nodes that stand once
they do, their openings, and the checkpoints of the sizes that are reached by them. Canonical bytes hold no newline, so
a line is an event. One log, at one checkpoint, gives one export, bit by bit.

This module reads the form and nothing else: whether anything is proven is for `verify.export.check` to say.

Source: DESIGN sections 4 to 9; docs/spec/export.md.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from ledger import canon
from ledger.canon import Json
from ledger.digest import SIZE
from ledger.errors import CanonError
from ledger.event import MAX_EVENT_BYTES
from verify.errors import ExportFormError, NotAnExportError

FORMAT: Final = "tallystick-export"
VERSION: Final = 1
INDEX: Final = "index.json"
CHUNK: Final = 65_536
"""Events a file, in every export that is made; smaller powers of two are read too."""

SMALLEST_CHUNK: Final = 16
NODE_SIZE: Final = 2 * SIZE
MAX_INDEX: Final = 64 * 1024 * 1024
MAX_LINE: Final = 16 * 1024 * 1024
"""How long a line of openings or checkpoints may be, in bytes, newline and all."""

README: Final = """\
This directory is a static copy of a tallystick log.

  index.json    what is here: sizes, roots, and the length and SHA-256 of each file
  events/       one event a line, the exact bytes that were hashed; line n is event n
  nodes/        both Merkle trees: for each node its BLAKE3 and its SHA-256 hash, 32 bytes each, by position
  openings/     what opens the commitments in the events, where it was kept and is not left out
  checkpoints/  what the log signed, and what witnesses and time stamping authorities added
  policy        the log's key as its operator gives it out; signers: the first human's

  tally-verify log . --policy YOUR-POLICY --signers YOUR-SIGNERS

checks all of it, with no database. Take the two files from somewhere else than this directory: whoever could change the
one could change the other. "tally import" makes a ledger of it again.
"""

KINDS: Final = {"events": "jsonl", "nodes": "bin", "openings": "jsonl", "checkpoints": "jsonl"}
"""The folders, and how the names in them end."""

OPTIONAL: Final = ("policy", "signers")

_KEYS: Final = {"chunk", "files", "format", "openings", "origin", "roots", "size", "v"}
_HEX: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class FileEntry:
    """What the index says of one file.

    Attributes:
        name: its path within the directory, parted by ``/``.
        size: its length in bytes.
        sha256: the SHA-256 of its bytes, in hex.
    """

    name: str
    size: int
    sha256: str

    def to_json(self) -> dict[str, Json]:
        """Give the entry as it stands in the index."""
        return {"bytes": self.size, "name": self.name, "sha256": self.sha256}


@dataclass(frozen=True, slots=True)
class Index:
    """What ``index.json`` says.

    Attributes:
        origin: the log's name.
        size: how many events, which is the size of the last checkpoint too.
        blake3_root: the root of the log's own tree at this size.
        sha256_root: the RFC 6962 root.
        openings: whether openings are there; False where the maker left all of them out.
        files: sorted by name.
        chunk: events a file.
    """

    origin: str
    size: int
    blake3_root: bytes
    sha256_root: bytes
    openings: bool
    files: tuple[FileEntry, ...]
    chunk: int = CHUNK

    @property
    def chunks(self) -> int:
        """How many files of each kind there are."""
        return -(-self.size // self.chunk)

    def to_bytes(self) -> bytes:
        """Give the one spelling of the index."""
        value: dict[str, Json] = {
            "format": FORMAT,
            "v": VERSION,
            "origin": self.origin,
            "size": self.size,
            "chunk": self.chunk,
            "roots": {
                "blake3": canon.to_base64url(self.blake3_root),
                "sha256": canon.to_base64url(self.sha256_root),
            },
            "openings": self.openings,
            "files": [one.to_json() for one in self.files],
        }
        return canon.encode(value) + b"\n"

    def expected_names(self) -> Iterator[str]:
        """Give the names that must stand in the index, but for `OPTIONAL`, in no order."""
        yield "README.txt"
        for kind in KINDS:
            if kind != "openings" or self.openings:
                for number in range(self.chunks):
                    yield file_name(kind, number)

    def bounds(self, chunk: int) -> tuple[int, int]:
        """Give the first event of a chunk, and the one after its last."""
        return chunk * self.chunk, min((chunk + 1) * self.chunk, self.size)


def file_name(kind: str, chunk: int) -> str:
    """Name a file by its kind and the number of its chunk."""
    return f"{kind}/{chunk:08d}.{KINDS[kind]}"


def most_bytes(name: str, index: Index) -> int:
    """Give the most bytes that a file may have."""
    kind = name.partition("/")[0]
    most = {
        "events": index.chunk * (MAX_EVENT_BYTES + 1),
        # A chunk's leaves and what is joined above them: twice its leaves, and a way up to the top.
        "nodes": (2 * index.chunk + 64) * NODE_SIZE,
        "openings": index.chunk * MAX_LINE,
        "checkpoints": index.chunk * MAX_LINE,
    }
    return most.get(kind, MAX_LINE)


def parse_index(data: bytes) -> Index:
    """Read the bytes of an index.

    Raises:
        NotAnExportError: something else than an index, or a part of one.
        ExportFormError: an index of another version, or one that breaks its form.
    """
    fields = _outer(data)
    try:
        return _read(fields)
    except CanonError as error:
        raise ExportFormError(f"in the index: {error}") from error


def _outer(data: bytes) -> Mapping[str, Json]:
    try:
        fields = canon.loads(data)
    except CanonError as error:
        raise NotAnExportError(f"{INDEX} is no index of an export, or a part of one: {error}") from error
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        raise NotAnExportError(f"{INDEX} is JSON, but no index of an export: tally export makes one")
    if type(fields.get("v")) is not int or fields["v"] != VERSION:
        raise ExportFormError(f"an export of another version than {VERSION}: a newer tally-verify may read it")
    if canon.encode(fields) + b"\n" != data:
        raise ExportFormError("the index is not canonical JSON and one newline")
    return fields


def _read(fields: Mapping[str, Json]) -> Index:
    if fields.keys() != _KEYS:
        raise ExportFormError(f"an index has exactly the fields {', '.join(sorted(_KEYS))}")
    roots = fields["roots"]
    if not isinstance(roots, dict) or roots.keys() != {"blake3", "sha256"}:
        raise ExportFormError("the roots are exactly blake3 and sha256")
    origin, openings, files = fields["origin"], fields["openings"], fields["files"]
    if not isinstance(origin, str) or not isinstance(openings, bool) or not isinstance(files, list):
        raise ExportFormError("the origin is a text, openings is true or false, files is a list")
    chunk = _number("chunk", fields["chunk"])
    if chunk.bit_count() != 1 or not SMALLEST_CHUNK <= chunk <= CHUNK:
        raise ExportFormError(f"chunk is a power of two from {SMALLEST_CHUNK} to {CHUNK}")
    size = _number("size", fields["size"])
    # Checked before anything is counted by it: no index within its bound can list the files of a larger log.
    if not 0 < size <= len(files) * chunk:
        raise ExportFormError("the index lists too few files for its size, or the log is empty")
    entries = tuple(map(_entry, files))
    index = Index(origin, size, _root(roots["blake3"]), _root(roots["sha256"]), openings, entries, chunk)
    _check_names(index)
    return index


def _check_names(index: Index) -> None:
    """Accept the names that follow from the size and no others: none of them is ever taken from the index."""
    listed = [one.name for one in index.files]
    expected = sorted([*index.expected_names(), *(name for name in OPTIONAL if name in listed)])
    if listed != expected:
        strange = sorted(set(listed) - set(expected))
        missing = sorted(set(expected) - set(listed))
        what = f"{missing[0]} is missing" if missing else f"{strange[0]!a} has no place" if strange else "its order"
        raise ExportFormError(f"the index does not list exactly the files of a log of {index.size} events: {what}")
    for one in index.files:
        if one.size > most_bytes(one.name, index):
            raise ExportFormError(f"{one.name} can't have {one.size} bytes")


def _entry(value: Json) -> FileEntry:
    match value:
        case {"bytes": size, "name": str(name), "sha256": str(sha256), **rest} if not rest and _HEX.fullmatch(sha256):
            return FileEntry(name, _number("a file's length", size), sha256)
    raise ExportFormError("a file has exactly its bytes, its name and its sha256 in hex")


def _number(what: str, value: Json) -> int:
    # A bool is an int to Python; it counts nothing.
    if type(value) is not int or value < 0:
        raise ExportFormError(f"{what} is a number from 0 on")
    return value


def _root(value: Json) -> bytes:
    data = canon.from_base64url(value) if isinstance(value, str) else b""
    if len(data) != SIZE:
        raise ExportFormError(f"a root is {SIZE} bytes in base64url")
    return data
