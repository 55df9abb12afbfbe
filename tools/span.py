"""From where to where in a log: by number or by time.

Source: DESIGN section 4 (times).
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TypeAlias

import click

from ledger import instant
from ledger.errors import CanonError
from ledger.event import Registry
from ledger.instant import Instant
from ledger.log import Snapshot
from tools.errors import InputError
from tools.numbers import number

Bound: TypeAlias = int | Instant
"""An event's number, or a time."""


class BoundParam(click.ParamType[Bound]):
    """A number such as 1200, or a time such as 2026-11-30T12:00:00.000000Z."""

    name = "number or time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Bound:
        """Read one."""
        text = str(value)
        try:
            found = number(text)
        except InputError as error:
            self.fail(str(error), param, ctx)
        if found is not None:
            return found
        try:
            return instant.parse(text)
        except (CanonError, ValueError):
            self.fail(
                f"{text!a} is neither an event's number nor a time such as 2026-11-30T12:00:00.000000Z", param, ctx
            )


@dataclass(frozen=True, slots=True)
class Span:
    """The events from one bound to another, both included; None for no bound."""

    first: Bound | None = None
    last: Bound | None = None

    def within(self, look: Snapshot, registry: Registry) -> range:
        """Give the places in a log.

        Raises:
            InputError: a bound is a number that the log does not reach.
        """
        size = look.head.size
        for bound in (self.first, self.last):
            if isinstance(bound, int) and bound >= size:
                raise InputError(f"the log has {size} events, the first of which is 0; there is no event {bound}")

        def at(seq: int) -> Instant:
            return registry.parse(look.event_bytes(seq) or b"").at

        places = range(size)
        first = self.first or 0
        last = size - 1 if self.last is None else self.last
        start = first if isinstance(first, int) else bisect_left(places, first, key=at)
        stop = last + 1 if isinstance(last, int) else bisect_right(places, last, key=at)
        return range(start, stop)
