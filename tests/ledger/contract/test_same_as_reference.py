"""Any history gives the same bytes in every log as in `MemoryLog`."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.errors import AppendError, DisclosureError, EventError
from ledger.memory import MemoryLog
from tests.ledger.contract.sample import START, VIEWS, Clock, append, closed, erased, everything, moved

texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=4)
accounts = st.sampled_from(["a", "b", "é"]) | texts
drafts = st.builds(
    moved,
    accounts,
    st.integers(-1000, 1000),
    once=st.none() | st.sampled_from("xyz"),
    labels=st.lists(texts, max_size=2).map(tuple),
    note=st.none() | st.text(max_size=5),
    by=st.sampled_from(["agent:one", "agent:two"]),
    causes=st.sampled_from([(), (0,), (3,)]),
) | st.builds(closed, accounts)
# Places of notes that may be there, that may have gone, and that never were.
erasures = st.lists(st.integers(0, 12), min_size=1, max_size=3).map(lambda seqs: erased(*((n, "/note") for n in seqs)))
drafts |= erasures
histories = st.lists(st.tuples(st.integers(-3_000_000, 3_000_000), st.lists(drafts, max_size=5)), max_size=8)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(histories)
def test_any_history_is_kept_as_the_reference_keeps_it(make_log, clock, history):
    """Same drafts, same clock: same events, trees, claims, tags, states, openings, and the same refusals."""
    clock.now = START
    log, reference = make_log(), MemoryLog(VIEWS, Clock())
    reference._clock = clock
    for step, drafts in history:
        clock.now += step
        assert _outcome(log, drafts) == _outcome(reference, drafts)
    assert everything(log) == everything(reference)


def _outcome(log, drafts):
    try:
        return [event.data for event in append(log, *drafts)]
    except (AppendError, DisclosureError, EventError) as error:
        return type(error), str(error)
