"""The events that are measured: small ones with nothing but a text, and full ones with a claim, tags and a view."""

import time
from collections.abc import Iterable, Sequence
from typing import ClassVar

from ledger.event import Body, Draft, Event, Registry, seal
from ledger.instant import Instant, from_microseconds
from ledger.view import State

AT = Instant("2026-11-30T12:00:00.000000Z")
ACCOUNTS = 1000


class Noted(Body):
    """Something of no consequence: about 270 bytes as an event."""

    type: ClassVar[str] = "bench.noted"

    text: str


class Booked(Body):
    """Something that takes a claim, is found by two tags beside its actor's, and changes one state."""

    type: ClassVar[str] = "bench.booked"

    number: int

    def claims(self, by: str, request: str | None) -> Iterable[str]:  # noqa: ARG002  (the number alone counts)
        return (f"booked:{self.number}",)

    def tags(self) -> Iterable[str]:
        return (f"account:{self.number % ACCOUNTS}", f"day:{self.number // 10_000}")


class Accounts:
    """Counts the bookings of each account."""

    name = "accounts"

    def keys(self, event: Event) -> Iterable[str]:
        return (str(event.body.number % ACCOUNTS),) if isinstance(event.body, Booked) else ()

    def apply(self, key: str, state: State | None, event: Event) -> State:  # noqa: ARG002  (a count is a count)
        count = (state or {"count": 0})["count"]
        return {"count": count + 1 if isinstance(count, int) else 1}


REGISTRY = Registry(Noted, Booked)
VIEWS = (Accounts(),)


def noted(number: int) -> Draft:
    """Draft a small event."""
    return Draft(Noted(text=f"{number:064d}"), "agent:bench", "ledger")


def booked(number: int) -> Draft:
    """Draft a full event."""
    return Draft(Booked(number=number), "agent:bench", "ledger")


def clock() -> int:
    """Read the time of day."""
    return time.time_ns() // 1000


def contents(start: int, count: int) -> list[bytes]:
    """Make the bytes of small events from a template: what is measured is what comes after this."""
    template = seal(noted(0), 10**9, from_microseconds(0)).data.decode()
    head, middle, tail = _cut(template)
    return [f"{head}{seq:064d}{middle}{seq}{tail}".encode() for seq in range(start, start + count)]


def events_of(start: int, entries: Sequence[bytes]) -> list[Event]:
    """Give small events for their bytes."""
    body = Noted(text="")
    return [
        Event(seq, AT, "agent:bench", "ledger", None, None, (), body, data) for seq, data in enumerate(entries, start)
    ]


def _cut(template: str) -> tuple[str, str, str]:
    placed = template.replace(str(from_microseconds(0)), AT)
    head, _, rest = placed.partition("0" * 64)
    middle, _, tail = rest.partition(str(10**9))
    return head, middle, tail


def check_template() -> None:
    """Insist that the template makes what an append makes."""
    for seq in (0, 7, 12_345):
        if contents(seq, 1)[0] != seal(noted(seq), seq, AT).data:
            raise AssertionError("the benchmark's events are not those that the log makes")
