"""What a run of the audit that was interrupted had judged already: a small file, believed as far as it can be proven.

A record stands for one range of the log in which nothing was wrong. It is taken over where the same rows stand there:
the range is read and both trees are grown over it again, and the peaks that it comes to, and a digest of all that the
trees do not commit to (columns beside the bytes, openings), must be those of the record. What is spared is judging:
canonical form, schema, commitments, the sums of claims and tags. Signatures and states are never taken over.

    {"bucket":2048,"form":3,"secret":"...","sum":"...","types":"...","version":"..."}
    {"acts":"1","at":[...],"claims":[2048,"..."],...,"sum":"..."}

A file that others may read or write, that another version wrote, or whose lines are damaged, is as good as none.
"""

import fcntl
import hashlib
import os
import secrets
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Final

from ledger import canon
from ledger.canon import Json
from ledger.digest import SIZE
from ledger.errors import CanonError
from ledger.event import Event, Registry
from ledger.sql.ranges import Row
from ledger.view import View
from tools.audit.contents import Contents, Demand
from tools.audit.keys import BUCKET
from tools.audit.trees import Pair

FORM: Final = 3
_OTHERS: Final = 0o077
_MOST: Final = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Remembered:
    """What a range came to.

    Attributes:
        digest: of what the trees do not commit to (`beside`).
        acts: which of its events are signed or folded, as bits counted from its first.
        openings: how many openings it has.
    """

    start: int
    stop: int
    peaks: tuple[Pair, ...]
    digest: bytes
    first_at: str
    last_at: str
    lives: int
    claims: tuple[int, int]
    tags: tuple[int, int]
    acts: int
    openings: int

    def fits(self, peaks: Sequence[Pair], digest: bytes) -> bool:
        """Tell whether the same rows stand there."""
        return self.peaks == tuple(peaks) and self.digest == digest

    def contents(self, events: Sequence[Row]) -> Contents:
        """Give what the events of the range come to; of each act the bytes that stand are taken."""
        rows = [(self.start + n, row[3]) for n, row in enumerate(events) if self.acts >> n & 1]
        acts: list[tuple[int, Event | bytes]] = [(seq, data) for seq, data in rows if isinstance(data, bytes)]
        return Contents(
            first_at=self.first_at,
            last_at=self.last_at,
            lives=self.lives,
            claims=Demand(*self.claims),
            tags=Demand(*self.tags),
            acts=acts,
        )

    def line(self) -> bytes:
        """Spell the record, with a digest over itself."""
        record: dict[str, Json] = {
            "acts": f"{self.acts:x}",
            "at": [self.first_at, self.last_at],
            "claims": [self.claims[0], f"{self.claims[1]:x}"],
            "digest": self.digest.hex(),
            "lives": self.lives,
            "openings": self.openings,
            "peaks": [own.hex() + twin.hex() for own, twin in self.peaks],
            "range": [self.start, self.stop],
            "tags": [self.tags[0], f"{self.tags[1]:x}"],
        }
        return seal(record) + b"\n"

    @classmethod
    def parse(cls, line: bytes) -> "Remembered":
        """Read a record.

        Raises:
            CanonError: it is damaged.
        """
        record = canon.decode_object(line)
        if record.pop("sum", None) != _sum(record):
            raise CanonError("the record is damaged")
        try:
            return cls._read(record)
        except (KeyError, ValueError, TypeError) as error:
            raise CanonError("the record is damaged") from error

    @classmethod
    def _read(cls, record: dict[str, Json]) -> "Remembered":
        (start, stop), (first_at, last_at) = _pair(record["range"]), _pair(record["at"])
        claims, tags = _pair(record["claims"]), _pair(record["tags"])
        joined = [bytes.fromhex(str(peak)) for peak in _list(record["peaks"])]
        return cls(
            int(str(start)),
            int(str(stop)),
            tuple((peak[:SIZE], peak[SIZE:]) for peak in joined),
            bytes.fromhex(str(record["digest"])),
            str(first_at),
            str(last_at),
            int(str(record["lives"])),
            (int(str(claims[0])), int(str(claims[1]), 16)),
            (int(str(tags[0])), int(str(tags[1]), 16)),
            int(str(record["acts"]), 16),
            int(str(record["openings"])),
        )


class Memo:
    """The file of one run, held for as long as it goes.

    Attributes:
        secret: what the sums of this run, and of the one before it that is continued, are made under.
        known: what is remembered, by the first event of the range.
    """

    def __init__(self, path: Path | None, registry: Registry, views: Sequence[View], *, fresh: bool = False) -> None:
        self.secret = secrets.token_bytes(SIZE)
        self.known: dict[int, Remembered] = {}
        self._path = path
        self._kind = _kind(registry, views)
        self._file = None if path is None else _held(path)
        if self._file is not None and not (not fresh and self._load(self._file)):
            self._begin(self._file)

    @property
    def kept(self) -> bool:
        """Whether there is a file to write to."""
        return self._file is not None

    def keep(self, record: Remembered) -> None:
        """Remember a range."""
        if self._file is not None:
            try:
                self._file.write(record.line())
                self._file.flush()
            except OSError:
                # A disk that is full does not end an audit: it only can't be continued.
                self.close()

    def done(self) -> None:
        """Take the file away: there is nothing left to continue."""
        if self._file is not None and self._path is not None:
            self._path.unlink(missing_ok=True)
        self.close()

    def close(self) -> None:
        """Let go of the file; what it holds stays."""
        if self._file is not None:
            self._file.close()
        self._file = None

    def _load(self, file: IO[bytes]) -> bool:
        file.seek(0)
        header, *lines = file.read(_MOST).split(b"\n")
        try:
            told = canon.decode_object(header)
            if told.pop("sum", None) != _sum(told):
                return False
            self.secret = canon.from_base64url(str(told.pop("secret", "")))
            if told != self._kind or len(self.secret) != SIZE:
                return False
            records = map(Remembered.parse, filter(None, lines))
            self.known = {record.start: record for record in records}
        except CanonError:
            self.known = {}
            return False
        return True

    def _begin(self, file: IO[bytes]) -> None:
        self.secret = secrets.token_bytes(SIZE)
        try:
            file.truncate(0)
            header: dict[str, Json] = {**self._kind, "secret": canon.to_base64url(self.secret)}
            file.write(seal(header) + b"\n")
            file.flush()
        except OSError:
            self.close()


def beside(events: Iterable[Row], openings: Iterable[Row]) -> bytes:
    """Hash what stands in a range and is not committed to by the trees: the columns of the events, and the openings."""
    hasher = hashlib.sha256()
    for _, at, type_, _ in events:
        hasher.update(f"{at!r} {type_!r}\n".encode("utf-8", "surrogateescape"))
    for row in openings:
        hasher.update(repr(row).encode("utf-8", "surrogateescape"))
    return hasher.digest()


def seal(record: dict[str, Json]) -> bytes:
    """Spell a line of the file, without its newline, with a digest over itself."""
    return canon.encode({**record, "sum": _sum(record)})


def _held(path: Path) -> IO[bytes] | None:
    """Open the file for this run alone; None where it can't be had, or others may touch it."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    except OSError:
        return None
    file = os.fdopen(handle, "r+b")
    state = os.fstat(handle)
    try:
        if state.st_uid == os.geteuid() and stat.S_ISREG(state.st_mode) and not state.st_mode & _OTHERS:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file
    except OSError:
        # Another audit of the same ledger is at work.
        pass
    file.close()
    return None


def _kind(registry: Registry, views: Sequence[View]) -> dict[str, Json]:
    try:
        own = version("tallystick")
    except PackageNotFoundError:
        own = ""
    names = [*sorted(f"{body.type} {body.schema_number}" for body in registry), *(view.name for view in views)]
    types = hashlib.sha256("\n".join(names).encode()).hexdigest()
    return {"bucket": BUCKET, "form": FORM, "types": types, "version": own}


def _sum(record: dict[str, Json]) -> str:
    return hashlib.sha256(canon.encode(record)).hexdigest()[:SIZE]


def _pair(value: Json) -> tuple[Json, Json]:
    one, other = _list(value)
    return one, other


def _list(value: Json) -> list[Json]:
    if not isinstance(value, list):
        raise TypeError("not a list")
    return value
