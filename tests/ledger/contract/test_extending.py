"""What every log does with events that have their bytes already."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from ledger.errors import AppendError, ClaimTakenError, DisclosureError, EventError, ViewError
from ledger.instant import from_microseconds
from ledger.memory import MemoryLog
from tests.ledger.contract.sample import REGISTRY, SECOND, START, VIEWS, append, closed, erased, everything, moved
from tests.ledger.contract.test_same_as_reference import histories


@pytest.fixture
def source():
    """A log with something in every table."""
    log = MemoryLog(VIEWS, lambda: START)
    append(log, moved("a", 3, once="k", labels=("x", "y"), note="first"), moved("b", 4))
    append(log, moved("a", -1, once="l", note="second", by="agent:two", causes=(0,)), closed("b"))
    return log


def events_of(log):
    return log.read(lambda look: [REGISTRY.parse(data) for _, data in look.events()])


def openings_of(log, events):
    return log.read(lambda look: {event.seq: look.openings(event.seq) for event in events})


def copy(source, log, *, step):
    events = events_of(source)
    for start in range(0, len(events), step):
        part = events[start : start + step]
        log.extend(part, openings_of(source, part))


@pytest.mark.parametrize("step", [1, 3, 10])
def test_extended_log_is_the_same_in_every_table(log, source, step):
    """However many at once, the copy has what the appends gave."""
    copy(source, log, step=step)
    assert everything(log) == everything(source)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(histories)
def test_any_history_can_be_copied(make_log, history):
    """Nothing of any history is lost on the way."""
    now = START
    source = MemoryLog(VIEWS, lambda: now)
    for step, drafts in history:
        now += step
        try:
            append(source, *drafts)
        except (AppendError, DisclosureError, EventError):
            now -= min(step, 0)
    log = make_log()
    copy(source, log, step=4)
    assert everything(log) == everything(source)


def test_gives_where_the_log_stands(log, source):
    """Nothing added is no change."""
    events = events_of(source)
    assert log.extend(events, {}) == source.head
    assert log.extend([], {}) == source.head


def test_the_clock_is_not_asked(log, clock, source):
    """These times were read long ago, and a log may be appended to afterwards."""
    clock.now = START - 10 * 365 * 86_400 * SECOND
    copy(source, log, step=10)
    clock.now = START + SECOND
    assert append(log, moved())[0].seq == 4


def test_refuses_what_does_not_follow(log, source):
    """Neither a gap, nor the same again, nor an earlier time, nor a later cause; and nothing stays of the rest."""
    events = events_of(source)
    early = replace(events[1], at=from_microseconds(START - 1))
    late = replace(events[1], causes=(1,))
    for wrong, why in (
        ([events[1]], "event 1 does not stand where event 0 belongs"),
        ([events[0], events[0]], "event 0 does not stand where event 1 belongs"),
        ([events[0], early], "before the one that it follows"),
        ([events[0], late], "earlier events alone"),
    ):
        with pytest.raises(EventError, match=why):
            log.extend(wrong, {})
    assert log.read(lambda look: look.head.size) == 0


def test_refuses_what_an_append_would_refuse(log, source):
    """Claims, views and openings are checked as if the events were new."""
    events = events_of(source)
    openings = openings_of(source, events)
    copy(source, log, step=10)
    before = everything(log)
    again = MemoryLog(VIEWS, lambda: START)
    append(again, *(moved() for _ in range(4)))
    taken = append(again, moved("c", once="k"))
    contradicting = replace(append(again, moved("b"))[0], seq=4)
    fine = replace(append(again, moved("c"))[0], seq=4)
    with pytest.raises(ClaimTakenError):
        log.extend(taken, {})
    with pytest.raises(ViewError):
        log.extend([contradicting], {})
    with pytest.raises(DisclosureError, match="disclosable field of this event"):
        log.extend([fine], {4: openings[0]})
    with pytest.raises(DisclosureError, match="openings for event 0, which is not among the events"):
        log.extend([fine], {0: openings[0]})
    assert everything(log) == before


def test_an_erasure_is_taken_over_with_or_without_what_it_erased(make_log):
    """A copy that had the opening loses it; one that never had it takes the event all the same."""
    source = MemoryLog(VIEWS, lambda: START)
    append(source, moved(note="secret"), moved(note="kept"))
    early = events_of(source), openings_of(source, events_of(source))
    append(source, erased((0, "/note")))
    events = events_of(source)
    caught_up, late = make_log(), make_log()
    caught_up.extend(*early)
    caught_up.extend(events[2:], {})
    late.extend(events, openings_of(source, events))
    assert everything(caught_up) == everything(late) == everything(source)


def test_a_transaction_reads_events_and_nodes_of_its_own_beside_those_that_stand(log):
    """They come as they would once it is committed."""
    append(log, moved(), moved())

    def look(tx):
        tx.append(moved())
        return tx.nodes("sha256").read_with([2, 0], [3, 1])

    found = log.transact(look)
    assert found == log.read(lambda snapshot: snapshot.nodes("sha256").read_with([2, 0], [3, 1]))
