import pytest

from decisions import events as decision_events
from decisions import trust
from decisions.adoption import adopt
from decisions.book import VIEWS as OWN_VIEWS
from decisions.constitution import DEFAULT_TEXT, default
from decisions.errors import DecisionError, TrustError
from decisions.observe import Seen, observe, prepare_observation, recorded_interaction
from grants import acts
from grants.book import VIEWS
from grants.errors import AuthorityError, IdentifierError, SignatureError
from ledger import events as ledger_events
from ledger.event import Draft, Registry
from ledger.instant import to_microseconds

GOOD = 880_000_000_000_000


@pytest.fixture
def views():
    return (*VIEWS, *OWN_VIEWS)


@pytest.fixture
def registry():
    from grants import events as grant_events

    return Registry(*ledger_events.TYPES, *grant_events.TYPES, *decision_events.TYPES)


@pytest.fixture
def desk(office):
    """An office in which the default constitution is in force."""
    office.act(adopt, by="human:ada", document=DEFAULT_TEXT)
    return office


def seen(office, interaction="i1", **more):
    fields = {
        "system": "agent:ops-7",
        "counterpart": "person:p-7",
        "domain": "library",
        "interaction": interaction,
        "qualifying": True,
        "c_inst": GOOD,
        "taken": office.clock.after(0),
        **more,
    }
    return Seen(**fields)


def sign(office, one, by="sensor:mood"):
    return office.sign(prepare_observation, by=by, seen=one)


def record(office, one):
    draft = sign(office, one)
    return office.log.transact(lambda tx: observe(tx, office.registry, draft))


def state(office):
    return office.state("trust", "agent:ops-7|person:p-7|library")


def test_the_update_stands_directly_behind_the_observation(desk):
    found = record(desk, seen(desk))
    observed, update = desk.event(found.event.seq), desk.event(found.event.seq + 1)
    assert (observed.by, observed.auth) == ("sensor:mood", "signature")
    assert (update.auth, update.causes) == ("ledger", (observed.seq,))
    assert update.body == found.update
    assert update.body.observed == observed.seq
    assert not found.repeated


def test_the_terms_in_force_are_those_that_count(desk):
    update = record(desk, seen(desk)).update
    terms = default().trust
    assert (update.gain, update.cap, update.floor_step) == (terms.gain, terms.cap, terms.floor_step)
    assert state(desk)["accumulator"] == trust.step(0, terms.gain)


def test_the_reading_is_committed_to_and_never_stands_in_the_event(desk):
    event = record(desk, seen(desk)).event
    assert str(GOOD).encode() not in event.data
    assert [(o.path, o.value) for o in desk.log.openings(event.seq)] == [("/c_inst", GOOD)]


def test_46_interactions_reach_the_documented_trust(desk):
    for number in range(46):
        record(desk, seen(desk, f"i{number}"))
    assert abs(state(desk)["accumulator"] - 580_000_000_000_000) < 1000


@pytest.mark.parametrize(
    "more", [{"qualifying": False}, {"c_inst": None}, {"c_inst": 0}, {"c_inst": 99_999_999_999_999}]
)
def test_what_does_not_qualify_earns_nothing(desk, more):
    assert not record(desk, seen(desk, **more)).update.counted
    assert state(desk)["n"] == 0


def test_an_interaction_is_appended_once(desk):
    one = seen(desk)
    drafts = [sign(desk, one), sign(desk, one)]
    first, second = (desk.log.transact(lambda tx, d=draft: observe(tx, desk.registry, d)) for draft in drafts)
    assert (first.repeated, second.repeated) == (False, True)
    assert second.event.seq == first.event.seq
    assert second.update == first.update
    assert desk.log.head.size == first.event.seq + 2
    assert state(desk)["n"] == 1


def test_a_repeat_in_another_domain_is_refused(desk):
    other = sign(desk, seen(desk, domain="care"))
    record(desk, seen(desk))
    with pytest.raises(TrustError, match="another domain"):
        desk.log.transact(lambda tx: observe(tx, desk.registry, other))


def test_interactions_of_two_counterparts_do_not_meet(desk):
    record(desk, seen(desk))
    assert not record(desk, seen(desk, counterpart="person:p-8")).repeated


@pytest.mark.parametrize(("ahead", "allowed"), [(2_000_000, True), (2_000_001, False)])
def test_a_reading_may_be_two_seconds_ahead_and_no_more(desk, ahead, allowed):
    one = seen(desk, taken=desk.clock.after(ahead))
    if allowed:
        assert record(desk, one).update.counted
        # It can't outlive those that follow it: the state says when the event was.
        assert to_microseconds(desk.state("reading", "agent:ops-7|person:p-7")["taken"]) <= desk.clock.now
    else:
        with pytest.raises(TrustError, match="clock"):
            record(desk, one)
        assert state(desk) is None


def test_nobody_but_a_sensor_observes(desk):
    with pytest.raises(AuthorityError, match="signed by a sensor"):
        sign(desk, seen(desk), by="human:bo")


def test_a_changed_observation_does_not_hold(desk):
    draft = sign(desk, seen(desk))
    changed = Draft(draft.body.model_copy(update={"domain": "care"}), draft.by, "signature", openings=draft.openings)
    with pytest.raises(SignatureError):
        desk.log.transact(lambda tx: observe(tx, desk.registry, changed))
    assert state(desk) is None


def test_what_is_no_observation_is_refused(desk):
    draft = desk.sign(acts.register_resource, by="human:ada", resource="tool:search", attributes={})
    with pytest.raises(TrustError, match="no observation"):
        desk.log.transact(lambda tx: observe(tx, desk.registry, draft))


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"system": "agent:nobody"}, TrustError),
        ({"domain": ""}, TrustError),
        ({"domain": "a|b"}, TrustError),
        ({"interaction": ""}, TrustError),
        ({"counterpart": "person:p\u200b7"}, TrustError),
        ({"interaction": "i\n1"}, IdentifierError),
    ],
)
def test_names_that_can_not_be_observed(desk, more, error):
    with pytest.raises(error):
        sign(desk, seen(desk, **more))


def test_nothing_is_earned_by_who_was_suspended(desk):
    draft = sign(desk, seen(desk))
    desk.act(acts.suspend, by="human:ada", principal="agent:ops-7", reason="it ran in a loop")
    with pytest.raises(TrustError, match="suspended"):
        desk.log.transact(lambda tx: observe(tx, desk.registry, draft))


def test_without_a_constitution_nothing_is_earned(office):
    draft = sign(office, seen(office))
    with pytest.raises(DecisionError, match="no constitution"):
        office.log.transact(lambda tx: observe(tx, office.registry, draft))


def test_an_interaction_that_nobody_recorded_is_not_found(desk):
    found = recorded_interaction(
        desk.log,
        desk.registry,
        system="agent:ops-7",
        counterpart="person:p-7",
        domain="library",
        interaction="i1",
    )
    assert found is None
