"""The one time of a transaction, by every log."""

import pytest

from ledger.errors import ClockError
from ledger.instant import from_microseconds
from ledger.log import MAX_BACKWARD, MAX_FORWARD
from tests.ledger.contract.sample import START, append, everything, moved


def test_events_of_one_transaction_have_one_time(log, clock):
    """The clock is read once."""

    def work(tx):
        first = tx.append(moved())
        clock.now += 5
        return first.at, tx.append(moved()).at, tx.at

    assert set(log.transact(work)) == {from_microseconds(START)}


def test_clock_that_stands_still_is_no_error(log, clock):
    """Two events may have one time."""
    assert [append(log, moved())[0].at for _ in range(2)] == [from_microseconds(START)] * 2


def test_clock_a_little_behind_takes_the_last_time(log, clock):
    """Two seconds behind, the last event's time is kept."""
    append(log, moved())
    clock.now -= MAX_BACKWARD
    assert append(log, moved())[0].at == from_microseconds(START)


def test_clock_far_behind_is_refused(log, clock):
    """More than two seconds behind refuses, before the work is run."""
    append(log, moved())
    before = everything(log)
    clock.now -= MAX_BACKWARD + 1
    with pytest.raises(ClockError, match="CLOCK_REGRESSION"):
        log.transact(lambda tx: pytest.fail("the work must not be run"))
    assert everything(log) == before


def test_clock_far_ahead_waits_for_an_operator(log, clock):
    """A jump beyond the bound refuses until somebody says that it is right."""
    append(log, moved())
    clock.now += MAX_FORWARD + 1
    with pytest.raises(ClockError, match="--confirm-clock"):
        append(log, moved())
    log.confirm_clock = True
    assert append(log, moved())[0].at == from_microseconds(clock.now)


def test_clock_ahead_within_the_bound_is_believed(log, clock):
    """A year without events is no jump."""
    append(log, moved())
    clock.now += MAX_FORWARD
    assert append(log, moved())[0].at == from_microseconds(clock.now)
