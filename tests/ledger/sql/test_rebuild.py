"""The states can be worked out again from the events."""

import pytest

from ledger.errors import CorruptError, EventError
from ledger.event import Registry
from ledger.sql.rebuild import rebuild
from tests.ledger.contract.sample import REGISTRY, VIEWS, Moved, append, everything, moved


def test_rebuild_reaches_the_same_digest(filled):
    """On an undamaged log nothing changes."""
    before = everything(filled)
    told = []
    done = rebuild(filled.engine, REGISTRY, VIEWS, lambda *progress: told.append(progress))
    assert done.before == done.after == before["digest"]
    assert (done.events, done.states) == (4, len(before["states"]))
    assert told == [(1, 4), (4, 4)]
    assert everything(filled) == before


def test_rebuild_moves_the_generation(filled, raw):
    """Whoever keeps states in memory is told, each time."""
    for generation in (1, 2):
        rebuild(filled.engine, REGISTRY, VIEWS)
        assert raw("SELECT * FROM projections") == [(1, generation)]


def test_rebuild_without_a_generation_changes_nothing(filled, raw):
    """Nobody could be told of it."""
    raw("DROP TRIGGER projections_stay")
    raw("DELETE FROM projections")
    raw("UPDATE states SET seq = 0")
    before = raw("SELECT * FROM states")
    with pytest.raises(CorruptError, match="the generation of the states is missing"):
        rebuild(filled.engine, REGISTRY, VIEWS)
    assert raw("SELECT * FROM states") == before


def test_rebuild_of_an_empty_log(log):
    """No events, no states."""
    done = rebuild(log.engine, REGISTRY, VIEWS)
    assert (done.events, done.states) == (0, 0)
    assert done.before == done.after


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE states SET state = x'7b7d' WHERE key = 'a'",
        "UPDATE states SET seq = 0",
        "DELETE FROM states WHERE key = 'a'",
        "INSERT INTO states VALUES ('balance', 'ghost', 0, x'7b7d')",
    ],
)
def test_rebuild_mends_damaged_states(filled, raw, damage):
    """Whatever stands in the states, the events win, and the digests tell."""
    before = everything(filled)
    raw(damage)
    done = rebuild(filled.engine, REGISTRY, VIEWS)
    assert done.after == before["digest"] != done.before
    assert everything(filled) == before


def test_rebuild_mends_states_that_can_not_be_read(filled, raw):
    """A value of another type has no digest."""
    raw("UPDATE states SET state = 'text'")
    done = rebuild(filled.engine, REGISTRY, VIEWS)
    assert done.before is None
    assert done.after == everything(filled)["digest"]


def test_rebuild_that_fails_leaves_the_states(filled):
    """An event that can't be read stops it before anything is emptied."""
    before = everything(filled)
    with pytest.raises(EventError, match=r"unknown event type test\.closed"):
        rebuild(filled.engine, Registry(Moved), VIEWS)
    assert everything(filled) == before
    append(filled, moved("c"))
