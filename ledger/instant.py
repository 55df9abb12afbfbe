"""Times as the ledger writes them: UTC, microseconds, one spelling.

``Instant`` is the text itself. Its form has one length and ends in ``Z``, so text order is time order.

>>> from_microseconds(0)
'1970-01-01T00:00:00.000000Z'
>>> to_microseconds("2026-11-30T12:00:00.000001Z") - to_microseconds("2026-11-30T12:00:00.000000Z")
1

Source: DESIGN section 4.
"""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Annotated, NewType

from pydantic import AfterValidator

from ledger.errors import CanonError

Instant = NewType("Instant", str)

_FORM = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def from_microseconds(count: int) -> Instant:
    """Spell the instant that lies ``count`` microseconds after 1970-01-01 UTC."""
    seconds, rest = divmod(count, 1_000_000)
    return Instant(f"{_second(seconds)}.{rest:06d}Z")


@lru_cache(maxsize=64)  # many are spelled within one second
def _second(count: int) -> str:
    try:
        moment = _EPOCH + timedelta(seconds=count)
    except OverflowError as error:
        raise CanonError("the time lies outside the years 1 to 9999") from error
    return moment.isoformat().removesuffix("+00:00")


def to_microseconds(instant: str) -> int:
    """Count the microseconds from 1970-01-01 UTC to the instant.

    Raises:
        CanonError: not an instant in its one spelling.
    """
    return (_moment(instant) - _EPOCH) // _MICROSECOND


def parse(text: str) -> Instant:
    """Accept the text of an instant in its one spelling.

    Raises:
        CanonError: not an instant in its one spelling.
    """
    _moment(text)
    return Instant(text)


@lru_cache(maxsize=1024)  # as above
def is_instant(text: str) -> bool:
    """Tell whether a text is an instant in its one spelling."""
    try:
        _moment(text)
    except CanonError:
        return False
    return True


def later(instant: Instant, microseconds: int) -> Instant:
    """Give the instant that lies so many microseconds later."""
    return from_microseconds(to_microseconds(instant) + microseconds)


@lru_cache(maxsize=1024)  # what was written together has one time
def _moment(text: str) -> datetime:
    if not _FORM.fullmatch(text):
        raise CanonError(f"not a time of the form 2026-11-30T12:00:00.000000Z: {text[:40]!r}")
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise CanonError(f"no such time: {text}") from error


InstantField = Annotated[Instant, AfterValidator(parse)]
"""An `Instant` as a field of a pydantic model."""
