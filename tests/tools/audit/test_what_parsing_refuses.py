"""Reading an event leaves the check of canonical values to its schema, where that is strict enough: here is that."""

import pickle
from contextlib import suppress

import orjson
import pytest

from ledger import canon
from ledger.errors import CanonError, EventError
from ledger.event import Event
from verify.views import EVENTS, VIEWS

STRANGE = (1.5, 1e300, 2.0, 2**53, -(2**53), {"\u00e9": 1}, [[[1.0]]], {"a": {"b": [0.5]}})


def changed(value, strange):
    """Give the value with each part of it, one at a time, put in another's place, and each object with one key more."""
    yield strange
    if isinstance(value, dict):
        yield {**value, "\u00e9": 1}
        for key, inner in value.items():
            yield from ({**value, key: other} for other in changed(inner, strange))
    elif isinstance(value, list):
        yield [*value, strange]
        for index, inner in enumerate(value):
            yield from ([*value[:index], other, *value[index + 1 :]] for other in changed(inner, strange))


@pytest.mark.parametrize("strange", STRANGE, ids=repr)
def test_nothing_is_read_that_has_no_canonical_form(ledger, strange):
    """Whatever stands where, at any depth of any event: what parses is canonical."""
    seen = set()
    for _, _, type_, data in ledger.rows("events"):
        if type_ in seen:
            continue
        seen.add(type_)
        for value in changed(orjson.loads(data), strange):
            spelled = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
            try:
                canon.decode(spelled)
            except CanonError:
                with pytest.raises(EventError):
                    EVENTS.parse(spelled)
            else:
                with suppress(EventError):
                    assert EVENTS.parse(spelled).data == spelled
    assert len(seen) > 10


def test_registry_goes_to_another_process_and_reads_the_same(ledger):
    """Used or unused: what it has worked out stays behind."""
    rows = ledger.rows("events")
    before = [EVENTS.parse(data) for *_, data in rows]
    copied = pickle.loads(pickle.dumps(EVENTS))
    assert [copied.parse(data) for *_, data in rows] == before


def test_types_that_are_not_folded_are_in_no_view(desk):
    """A view over such a type would miss its events."""
    desk.decide("r-1", "--shell", "rm x")
    from tools.home import Home
    from tools.ledger import open_ledger

    opened = open_ledger(Home(desk.ledger))
    try:
        events = opened.log.read(lambda look: [EVENTS.parse(data) for _, data in look.events()])
    finally:
        opened.close()
    passed_over: list[Event] = [event for event in events if not event.body.folded]
    assert passed_over
    assert all(not list(view.keys(event)) for event in passed_over for view in VIEWS)
