"""What the grants layer needs of a log: rows of views, the bytes of events, and the openings kept for them.

A `ledger.log.Snapshot` is such a reader, and so is an offline bundle. A row alone is never believed: what gives
authority is read again from its event.

Source: DESIGN sections 6 and 11.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Protocol, TypeVar, cast

from pydantic import ValidationError

from ledger import canon
from ledger.disclosure import Opening
from ledger.errors import CorruptError, EventError
from ledger.event import Event, Frozen, Registry
from ledger.view import StateRow

Form = TypeVar("Form", bound=Frozen)

_SMALL: Final = 16_384
"""Of what has fewer bytes more is remembered."""


class StateReader(Protocol):
    """One consistent look at what stands."""

    def state(self, view: str, key: str) -> StateRow | None:
        """Give the current state of one key of a view, or None."""

    def event_bytes(self, seq: int) -> bytes | None:
        """Give the exact bytes of one event, or None if there is none."""

    def openings(self, seq: int) -> Sequence[Opening]:
        """Give the openings that are kept for an event."""


def read_state(reader: StateReader, view: str, key: str, form: type[Form]) -> Form | None:
    """Read one row into its form; None where there is no row.

    Raises:
        CorruptError: the row does not have the form.
    """
    row = reader.state(view, key)
    if row is None:
        return None
    try:
        return cast("Form", (_formed if len(row.data) < _SMALL else _large_formed)(row.data, form))
    except ValidationError as error:
        raise CorruptError(f"the state {view} {key!r} has another form than its view gives it") from error


def read_event(reader: StateReader, registry: Registry, seq: int) -> Event | None:
    """Read one event from its bytes; None where there is none.

    Raises:
        EventError: the bytes are no event, or are the event of another place.
    """
    data = reader.event_bytes(seq)
    if data is None:
        return None
    event = (_parsed if len(data) < _SMALL else _large_parsed)(registry, data)
    if event.seq != seq:
        raise EventError(f"event {event.seq} stands in the place of event {seq}")
    return event


# The same bytes are the same state and the same event, whoever asks: what is remembered is how they were read, never
# that they stand. Forms and events can't be changed.
def _form_of(data: bytes, form: type[Frozen]) -> Frozen:
    return form.model_validate(canon.decode_object(data))


def _event_of(registry: Registry, data: bytes) -> Event:
    return registry.parse(data)


_formed, _large_formed = lru_cache(maxsize=2048)(_form_of), lru_cache(maxsize=8)(_form_of)
_parsed, _large_parsed = lru_cache(maxsize=2048)(_event_of), lru_cache(maxsize=8)(_event_of)
