"""The Log protocol: what every log is, whatever holds it.

A log is read through a `Snapshot` and written through a `Transaction`. A transaction is a function: it reads states,
decides, appends drafts; when it returns, all of it is durable, and when it raises, none of it happened.

Source: DESIGN section 6.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, TypeVar

from ledger.disclosure import Opening
from ledger.event import Draft, Event
from ledger.instant import Instant
from ledger.mmr import NodeReader
from ledger.view import StateRow

T = TypeVar("T")

Tree: TypeAlias = Literal["blake3", "sha256"]

Clock: TypeAlias = Callable[[], int]
"""Gives the microseconds since 1970-01-01 UTC; only ``tools`` passes a real one."""

MAX_BACKWARD = 2_000_000
"""How far, in microseconds, the clock may be behind the last event."""

MAX_FORWARD = 400 * 86_400_000_000
"""How far, in microseconds, the clock may be ahead of the last event before an operator must confirm it."""


@dataclass(frozen=True, slots=True)
class Head:
    """Where the log stands.

    Attributes:
        size: number of events.
        blake3_peaks: peaks of the log's own tree, left to right.
        sha256_peaks: peaks of the twin tree, left to right.
        at: time of the last event, or None in an empty log.
    """

    size: int
    blake3_peaks: tuple[bytes, ...]
    sha256_peaks: tuple[bytes, ...]
    at: Instant | None


EMPTY_HEAD = Head(0, (), (), None)


class TreeReader(NodeReader, Protocol):
    """Where the hashes of one tree are stored, beside the events that they were made from."""

    def read_with(self, seqs: Sequence[int], positions: Sequence[int]) -> tuple[list[bytes], list[bytes]]:
        """Give the exact bytes of these events and the hashes at these positions, in one query, as ordered.

        Raises:
            LedgerError: one of them is not stored.
        """


class Snapshot(Protocol):
    """One consistent look at a log."""

    @property
    def head(self) -> Head:
        """Where the log stands."""

    def event_bytes(self, seq: int) -> bytes | None:
        """Give the exact bytes of one event, or None if there is none."""

    def events(self, start: int = 0, stop: int | None = None) -> Iterator[tuple[int, bytes]]:
        """Give the events from ``start`` up to, without, ``stop``, in order."""

    def tagged(self, tag: str) -> Sequence[int]:
        """Give the events that carry a tag, oldest first."""

    def tags(self, prefix: str) -> Iterator[str]:
        """Give each tag that begins so, once, in the order of their bytes."""

    def claimed(self, key: str) -> int | None:
        """Give the event that holds a unique key, or None."""

    def state(self, view: str, key: str) -> StateRow | None:
        """Give the current state of one key of a view, or None."""

    def states(self, view: str) -> Iterator[StateRow]:
        """Give all current states of a view, sorted by key."""

    def openings(self, seq: int) -> Sequence[Opening]:
        """Give the openings that are kept for an event, sorted by path."""

    def salted(self, salts: Collection[bytes]) -> Iterator[tuple[int, str]]:
        """Give, in any order, event and path of each opening under one of these salts; it looks through all of them."""

    def nodes(self, tree: Tree) -> TreeReader:
        """Give access to the stored nodes of one tree."""

    def checkpoints(self, start: int = 0) -> Iterator[tuple[int, bytes]]:
        """Give the stored checkpoints of ``start`` events and more as (size, note), smallest first."""

    def newest_checkpoint(self, stop: int | None = None) -> tuple[int, bytes] | None:
        """Give the newest stored checkpoint, or the newest of fewer than ``stop`` events; None where there is none."""

    def cosignatures(self, size: int) -> Sequence[tuple[str, str]]:
        """Give what witnesses added to the checkpoint of this size as (witness, line), sorted by witness.

        A witness is named by key name and key id, ``<name>+<8 hex digits>``; the line is its signature line, newline
        and all.
        """

    def last_cosigned(self, witness: str) -> int | None:
        """Give the largest size that a witness has cosigned, or None."""

    def timestamps(self, size: int) -> Sequence[tuple[str, bytes]]:
        """Give the RFC 3161 tokens over the checkpoint of this size as (authority, token), sorted by authority."""


class Transaction(Snapshot, Protocol):
    """A snapshot that can be added to; it reads its own writes, and `head` moves with each append."""

    @property
    def at(self) -> Instant:
        """The one time of this transaction: every expiry in it is judged by this."""

    def append(self, draft: Draft) -> Event:
        """Add an event.

        Raises:
            EventError: the draft breaks a rule of events.
            DisclosureError: an opening of the draft does not fit, or it erases an opening that is not there.
            ClaimTakenError: a unique key is taken.
            ViewError: the event contradicts a state.
        """


class Log(Protocol):
    """An append-only log."""

    def read(self, work: Callable[[Snapshot], T]) -> T:
        """Run ``work`` on one consistent look at the log.

        Raises:
            StoreError: the database can't be read.
        """

    def transact(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` alone, and make what it appended durable before its result is given.

        ``work`` may be run more than once, as long as nothing of it was written: it must not use up what it is given.

        Raises:
            ClockError: the clock stepped back or jumped.
            AppendError: an append was refused.
            StoreError: the database can't be written.
        """

    def extend(self, events: Sequence[Event], openings: Mapping[int, Sequence[Opening]]) -> Head:
        """Add events that have their place, their time and their bytes already, as one transaction.

        What an `append` would add with them is added: both trees, claims, tags, states. The clock is not asked.

        Args:
            events: the next events, in order, as a `ledger.event.Registry` reads them.
            openings: what opens their disclosable fields, by sequence number.

        Returns:
            Where the log stands then.

        Raises:
            EventError: an event is not the next one, is older than the one before it, or has a later cause.
            DisclosureError: an opening does not fit, or opens an event that is not among these.
            AppendError: a claim is taken, or a view can't fold an event.
            StoreError: the database can't be written.
        """

    def store_checkpoint(self, size: int, note: bytes) -> None:
        """Keep a signed checkpoint of the log at ``size``.

        Raises:
            StoreError: another note of the same size stands already, or the database can't be written.
        """

    def store_cosignature(self, size: int, witness: str, line: str) -> None:
        """Keep what a witness added to the checkpoint of this size; of one witness the first line stands.

        Raises:
            StoreError: no checkpoint of this size is kept, or the database can't be written.
        """

    def store_timestamp(self, size: int, authority: str, token: bytes) -> None:
        """Keep an RFC 3161 token over the checkpoint of this size; of one authority the first token stands.

        Raises:
            StoreError: no checkpoint of this size is kept, or the database can't be written.
        """

    def close(self) -> None:
        """Let go of everything."""
