"""The views of the constitution in force and of trust: folds that compute again what an event says."""

import pytest

from decisions import trust
from decisions.book import CURRENT, VIEWS, ConstitutionView, ReadingView, TrustView
from decisions.constitution import DEFAULT_TEXT, ONE, default
from decisions.events import ConstitutionAdopted, TrustUpdated
from ledger import canon, view
from ledger.errors import ViewError
from ledger.event import Draft, Event, Signed, seal
from ledger.instant import Instant, later
from ledger.view import State

TERMS = default().trust
AT = Instant("2026-11-30T12:00:00.000000Z")
KEY = "agent:library|p-1|reading"


def adopted(name: str = "tallystick default", seq: int = 4, *, seen: int | None = None) -> Event:
    body = ConstitutionAdopted(
        name=name,
        digest=canon.to_base64url(default().digest),
        document=DEFAULT_TEXT,
        origin="example.org/log",
        log_size=seq if seen is None else seen,
        signed=Signed(key="SHA256:x", armour="x"),
    )
    return seal(Draft(body, "human:ann", "signature"), seq, AT)


def updated(state: State | None, seq: int, *, taken: Instant = AT, domain: str = "reading", **changes: object) -> Event:
    observation = trust.Observation(seq - 1, "agent:library", "p-1", domain, True, ONE, taken)
    body = trust.update(state, observation, TERMS)
    forged = TrustUpdated.model_validate({**body.model_dump(), **changes})
    return seal(Draft(forged, "ledger", "ledger"), seq, later(AT, seq * 10**6))


def fold(*events: Event) -> State:
    return view.fold(VIEWS, events)["trust", KEY].state


def chain(*taken: Instant) -> list[Event]:
    state, events = None, []
    for place, instant in enumerate(taken, start=1):
        event = updated(state, 2 * place, taken=instant)
        state = TrustView().apply(KEY, state, event)
        events.append(event)
    return events


def test_the_views_are_those_of_this_package() -> None:
    assert [each.name for each in VIEWS] == ["constitution", "amendment", "shadow", "trust", "reading", "outcome"]


def test_the_constitution_adopted_last_is_in_force() -> None:
    rows = view.fold(VIEWS, [adopted("first"), adopted("second", seq=9)])
    assert rows.keys() == {("constitution", CURRENT)}
    assert rows["constitution", CURRENT].state == {
        "digest": canon.to_base64url(default().digest),
        "name": "second",
        "seq": 9,
    }


def test_an_adoption_that_was_held_back_does_not_bring_back_what_was_replaced() -> None:
    """Signed when the log had four events, kept, and appended after another constitution was adopted."""
    with pytest.raises(ViewError, match="stale: the signer saw 4 events"):
        view.fold(VIEWS, [adopted("second", seq=6), adopted("first", seq=9, seen=4)])


def test_events_of_other_types_touch_no_key_and_are_refused_if_forced() -> None:
    update = updated(None, 2)
    assert list(ConstitutionView().keys(update)) == []
    assert list(TrustView().keys(adopted())) == []
    assert list(ReadingView().keys(adopted())) == []
    with pytest.raises(ViewError):
        ConstitutionView().apply(CURRENT, None, update)
    with pytest.raises(ViewError):
        TrustView().apply(KEY, None, adopted())
    with pytest.raises(ViewError):
        ReadingView().apply("agent:library|p-1", None, adopted())
    with pytest.raises(ViewError):
        TrustView().apply("agent:library|p-1|other", None, update)


def test_trust_is_folded_from_its_updates() -> None:
    events = chain(*[AT] * 46)
    state = fold(*events)
    assert state["n"] == 46
    assert isinstance(state["c_ctx"], int)
    assert abs(state["c_ctx"] - ONE * 58 // 100) <= 1000
    assert state == {
        "n": 46,
        "accumulator": state["accumulator"],
        "c_ctx": state["accumulator"],
        "observed": 91,
        "taken": AT,
    }


@pytest.mark.parametrize(
    "changes",
    [
        {"n": (1, 2)},
        {"n": (0, 2)},
        {"accumulator": (1, TERMS.gain)},
        {"accumulator": (0, TERMS.gain + 1)},
        {"c_ctx": (1, TERMS.gain)},
        {"c_ctx": (0, TERMS.cap)},
        {"counted": False},
        {"gain": TERMS.gain + 1},
        {"cap": 1},
        {"floor_step": ONE // 2},
        {"observed": 0},
        {"observed": 2},
        {"counterpart": "p|1"},
        {"system": ""},
    ],
)
def test_refuses_an_update_that_does_not_follow(changes: dict[str, object]) -> None:
    with pytest.raises(ViewError):
        fold(updated(None, 2, **changes))


def test_refuses_a_second_update_out_of_one_observation() -> None:
    first = updated(None, 2)
    state = TrustView().apply(KEY, None, first)
    with pytest.raises(ViewError, match="is said to cause it"):
        fold(first, updated(state, 3, observed=1))


def test_refuses_an_update_that_starts_from_another_state() -> None:
    with pytest.raises(ViewError, match="n goes from 1 to 2, not 0 to 1"):
        fold(updated(None, 2), updated(None, 4))


def test_terms_of_a_new_constitution_apply_from_the_next_update_on() -> None:
    """What was earned stays; a lower cap limits it from then on."""
    events = chain(*[AT] * 10)
    state = fold(*events)
    low = trust.TrustTerms(ONE // 10, TERMS.floor_step, TERMS.gain, ONE, TERMS.fresh_for, TERMS.classes)
    observation = trust.Observation(99, "agent:library", "p-1", "reading", True, 0, AT)
    body = trust.update(state, observation, low)
    after = fold(*events, seal(Draft(body, "ledger", "ledger"), 100, later(AT, 10**9)))
    assert (after["n"], after["accumulator"], after["c_ctx"]) == (10, state["accumulator"], ONE // 10)
    assert trust.Trust.of(state).under(low) == ONE // 10
    assert trust.Trust.of(state).under(TERMS) == state["c_ctx"]


def test_the_reading_taken_last_speaks_in_whatever_order_they_come() -> None:
    new, old = later(AT, 5), later(AT, -(10**9))
    state = fold(*chain(new, old))
    assert (state["n"], state["observed"], state["taken"]) == (2, 1, new)


def test_a_reading_of_the_future_is_pinned_to_the_moment_it_was_recorded() -> None:
    state = fold(*chain(Instant("9999-01-01T00:00:00.000000Z")))
    assert state["taken"] == later(AT, 2 * 10**6)
    state = fold(*chain(Instant("9999-01-01T00:00:00.000000Z"), later(AT, 3 * 10**6)))
    assert (state["observed"], state["taken"]) == (3, later(AT, 3 * 10**6))


def test_the_latest_reading_is_one_for_all_domains() -> None:
    """A bad night does not end with a change of subject; what was earned stays apart."""
    events = [
        updated(None, 2, domain="one", taken=later(AT, 1)),
        updated(None, 4, domain="two", taken=later(AT, 9)),
        updated(None, 6, domain="three", taken=later(AT, 5)),
    ]
    rows = view.fold(VIEWS, events)
    assert rows["reading", "agent:library|p-1"].state == {"observed": 3, "taken": later(AT, 9)}
    assert [rows["trust", f"agent:library|p-1|{domain}"].state["n"] for domain in ("one", "two", "three")] == [1, 1, 1]


def test_the_state_holds_no_reading() -> None:
    """A reading is disclosable; no state keeps it."""
    assert fold(*chain(AT)).keys() == {"n", "accumulator", "c_ctx", "observed", "taken"}
