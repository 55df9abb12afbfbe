"""Trust in whole numbers: the published figures, and a gate that has no memory."""

import math
from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decisions import trust
from decisions.constitution import ONE, default, parse_fraction, spell_fraction
from decisions.errors import ConstitutionError, TrustError
from decisions.trust import Observation
from ledger.instant import Instant, from_microseconds, later

TERMS = default().trust
LADDER = [each for each in TERMS.classes if each.gate == "ladder"]
RUNGS = [each.threshold for each in LADDER if each.threshold is not None]
COLD_START = {"refuge"}
AT = Instant("2026-11-30T12:00:00.000000Z")

units = st.integers(0, ONE)


def percent(number: int) -> int:
    return ONE * number // 100


def after(n: int, accumulator: int = 0) -> int:
    for _ in range(n):
        accumulator = trust.step(accumulator, TERMS.gain)
    return accumulator


def seen(c_inst: int = ONE, *, qualifying: bool = True, seq: int = 1, domain: str = "reading") -> Observation:
    return Observation(seq, "agent:library", "p-1", domain, qualifying, c_inst, AT)


# --- the arithmetic -------------------------------------------------------------------------------------------------


def test_gain_is_the_one_that_reaches_058_in_46_steps() -> None:
    assert round((1 - 0.42 ** (1 / 46)) * ONE) == pytest.approx(TERMS.gain, abs=1)


def test_46_qualifying_interactions_from_nothing_give_058() -> None:
    assert abs(after(46) - percent(58)) <= 1000


def test_the_floor_reaches_the_rungs_at_20_50_80_110_and_140() -> None:
    reached = [next(n for n in range(1000) if trust.floor(n, TERMS) >= rung) for rung in RUNGS]
    assert reached == [20, 50, 80, 110, 140]
    assert [trust.floor(n, TERMS) for n in reached] == RUNGS
    assert trust.floor(10**9, TERMS) == TERMS.cap


def test_the_accumulator_crosses_the_rungs_at_6_16_28_43_and_64() -> None:
    assert [next(n for n in range(1000) if after(n) >= rung) for rung in RUNGS] == [6, 16, 28, 43, 64]


def test_the_accumulator_rises_without_end_and_never_reaches_one() -> None:
    path = [after(n) for n in range(1500)]
    assert all(before <= now < ONE for before, now in pairwise(path))


@given(units)
def test_a_step_is_the_exact_fraction_rounded_down(accumulator: int) -> None:
    moved = trust.step(accumulator, TERMS.gain) - accumulator
    assert moved * ONE <= (ONE - accumulator) * TERMS.gain < (moved + 1) * ONE


@given(units, st.integers(0, 400))
def test_c_ctx_is_the_better_of_accumulator_and_floor_under_the_cap(accumulator: int, n: int) -> None:
    assert trust.c_ctx(accumulator, n, TERMS) == min(TERMS.cap, max(accumulator, TERMS.floor_step * n))


@given(units, units)
def test_c_eff_is_the_smaller_of_its_two_inputs(c_inst: int, ctx: int) -> None:
    assert trust.c_eff(c_inst, ctx) == min(c_inst, ctx)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        False,
        0.5,
        math.nan,
        math.inf,
        -1,
        ONE + 1,
        "NaN",
        "0.88",
        "Infinity",
        str(ONE),
        [],
        {},
        [ONE],
        -(10**40),
    ],
)
def test_a_reading_that_is_no_fraction_is_zero(value: object) -> None:
    assert trust.reading(value) == 0


@given(units)
def test_a_reading_in_range_is_itself(value: int) -> None:
    assert trust.reading(value) == value


@pytest.mark.parametrize(("age", "wanted"), [(0, ONE), (900 * 10**6, ONE), (900 * 10**6 + 1, 0), (-1, 0)])
def test_a_reading_speaks_while_it_is_fresh(age: int, wanted: int) -> None:
    assert trust.present_reading(ONE, AT, later(AT, age), TERMS) == wanted


@given(units)
def test_a_fraction_is_spelled_and_read_without_loss(value: int) -> None:
    assert parse_fraction(spell_fraction(value)) == value


@given(st.text(max_size=20))
def test_only_our_error_escapes_from_a_fraction(text: str) -> None:
    try:
        value = parse_fraction(text)
    except ConstitutionError:
        return
    assert 0 <= value <= ONE


# --- the gate -------------------------------------------------------------------------------------------------------


def test_the_bad_night_opens_exactly_the_cold_start_set() -> None:
    """I01: years of trust do not outweigh the present moment."""
    now = trust.c_eff(percent(5), trust.c_ctx(after(200), 200, TERMS))
    assert trust.c_ctx(after(200), 200, TERMS) == percent(70)
    assert trust.open_set(default(), now) == trust.open_set(default(), 0) == COLD_START
    opened = {
        verb for verb in default().kinds["conversation"] if trust.gate(default().trust_class(verb), now) == "open"
    }
    assert opened == {"referral", "grounding", "handoff"}
    met = {verb for verb in default().kinds["conversation"] if trust.gate(default().trust_class(verb), now) == "met"}
    assert met == set()


def test_an_hour_later_the_ladder_is_open_again() -> None:
    now = trust.c_eff(percent(88), percent(70))
    assert trust.open_set(default(), now) == COLD_START | {each.name for each in LADDER}


@pytest.mark.parametrize("rung", RUNGS)
def test_a_rung_opens_at_its_threshold_and_not_one_unit_before(rung: int) -> None:
    [each] = [each for each in LADDER if each.threshold == rung]
    assert (trust.gate(each, rung), trust.gate(each, rung - 1)) == ("met", "unmet")


def test_a_closed_class_is_closed_at_every_trust_and_an_ungated_verb_needs_none() -> None:
    assert {trust.gate(default().trust_class("romance"), value) for value in (0, TERMS.cap, ONE)} == {"closed"}
    assert trust.gate(default().trust_class("delete"), 0) == "ungated"


@given(units, units)
def test_the_open_set_grows_with_c_eff(one: int, other: int) -> None:
    low, high = sorted((one, other))
    assert trust.open_set(default(), low) <= trust.open_set(default(), high)


@given(st.lists(units, min_size=1, max_size=20), units)
def test_the_gate_has_no_memory(past: list[int], now: int) -> None:
    fresh = trust.open_set(default(), now)
    for value in past:
        trust.open_set(default(), value)
    assert trust.open_set(default(), now) == fresh


# --- updates --------------------------------------------------------------------------------------------------------


def test_nothing_has_been_earned_where_there_is_no_state() -> None:
    assert trust.Trust.of(None) == trust.Trust(0, 0, 0)


@pytest.mark.parametrize(
    "state", [{}, {"n": 1}, {"n": True, "accumulator": 0, "c_ctx": 0}, {"n": "1", "accumulator": 0, "c_ctx": 0}]
)
def test_a_state_without_its_numbers_is_refused(state: dict[str, object]) -> None:
    with pytest.raises(TrustError):
        trust.Trust.of(state)  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize(
    ("observation", "counted"),
    [
        (seen(ONE), True),
        (seen(percent(10)), True),
        (seen(percent(10) - 1), False),
        (seen(0), False),
        (seen(ONE, qualifying=False), False),
    ],
)
def test_an_interaction_counts_if_it_qualifies_and_its_reading_is_high_enough(
    observation: Observation, counted: bool
) -> None:
    event = trust.update(None, observation, TERMS)
    assert event.counted is counted
    assert event.n == (0, int(counted))
    assert event.accumulator == (0, TERMS.gain if counted else 0)
    assert event.c_ctx == (0, TERMS.gain if counted else 0)
    assert (event.gain, event.cap, event.floor_step) == (TERMS.gain, TERMS.cap, TERMS.floor_step)
    assert (event.system, event.counterpart, event.domain, event.observed) == ("agent:library", "p-1", "reading", 1)


def test_the_order_of_interactions_never_matters() -> None:
    """I05."""
    observations = [seen(ONE), seen(0), seen(percent(50)), seen(ONE, qualifying=False), seen(percent(10))]
    ends = set()
    for order in permutations(observations):
        state = None
        for observation in order:
            event = trust.update(state, observation, TERMS)
            state = {"n": event.n[1], "accumulator": event.accumulator[1], "c_ctx": event.c_ctx[1]}
        ends.add(tuple((state or {}).values()))
    assert ends == {(3, after(3), after(3))}


@given(st.lists(st.tuples(units, st.booleans()), max_size=30))
def test_recompute_agrees_with_every_update(interactions: list[tuple[int, bool]]) -> None:
    state = None
    for c_inst, qualifying in interactions:
        event = trust.update(state, seen(c_inst, qualifying=qualifying), TERMS)
        new = trust.recompute(state, event)
        assert (new.n, new.accumulator, new.c_ctx) == (event.n[1], event.accumulator[1], event.c_ctx[1])
        state = {"n": new.n, "accumulator": new.accumulator, "c_ctx": new.c_ctx}


@pytest.mark.parametrize(
    "parts", [("", "p", "d"), ("a", "", "d"), ("a", "p", ""), ("a", "p|q", "d"), ("a|b", "p", "d"), ("a", "p", "d|e")]
)
def test_a_key_that_could_be_another_is_refused(parts: tuple[str, str, str]) -> None:
    with pytest.raises(TrustError, match="can't stand in a trust key"):
        trust.key(*parts)


def test_a_key_names_system_counterpart_and_domain() -> None:
    """I03: another domain is another key, where nothing has been earned."""
    assert trust.key("agent:library", "p-1", "reading") == "agent:library|p-1|reading"


def test_times_are_instants() -> None:
    assert from_microseconds(0) < AT
