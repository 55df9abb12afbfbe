"""A trace that reproduces the published figures of earned-trust gating, run through our own integers.

The trace was reconstructed from the published tables (shared/cases/trust-trace.md): a 64-bit congruential generator
with a seed found by search. The time-ratchet and the debounced gate are the published alternatives; they stand here
as yardsticks and nowhere in the product.
"""

import hashlib
from collections.abc import Iterator

import pytest

from decisions import trust
from decisions.constitution import ONE, default

TERMS = default().trust
RUNGS = tuple(each.name for each in TERMS.classes if each.gate == "ladder")
Tick = tuple[int, str]
Sets = list[frozenset[str]]

GOOD, BAD = ONE * 88 // 100, ONE * 5 // 100


def draws(seed: int) -> Iterator[int]:
    """Give the generator's draws in units of 2^-53."""
    while True:
        seed = (6364136223846793005 * seed + 1) % 2**64
        yield seed >> 11


def build_up() -> list[Tick]:
    source = draws(849130)
    # u < 0.8 in whole numbers
    return [(GOOD, "T" if 10 * next(source) < 8 * 2**53 else "R") for _ in range(240)]


REFERENCE = [*build_up(), *[(BAD, "X")] * 60, *[(GOOD, "R")] * 60]


def justified(trace: list[Tick]) -> Sets:
    """Give, tick by tick, the rungs that our gate opens: update first, then gate."""
    states: dict[str, trust.Trust] = {}
    result = []
    for seq, (c_inst, domain) in enumerate(trace):
        old = states.get(domain)
        state = {"n": old.n, "accumulator": old.accumulator, "c_ctx": old.c_ctx} if old else None
        observation = trust.Observation(
            seq, "s", "p", domain, True, trust.reading(c_inst), "2026-11-30T12:00:00.000000Z"
        )
        event = trust.update(state, observation, TERMS)
        states[domain] = trust.recompute(state, event)
        effective = trust.c_eff(c_inst, states[domain].c_ctx)
        result.append(trust.open_set(default(), effective) & frozenset(RUNGS))
    return result


def ratchet(sets: Sets) -> Sets:
    opened: frozenset[str] = frozenset()
    return [opened := opened | now for now in sets]


def debounced(sets: Sets, k: int) -> Sets:
    opened: frozenset[str] = frozenset()
    waiting = dict.fromkeys(RUNGS, 0)
    result = []
    for now in sets:
        for name in RUNGS:
            waiting[name] = 0 if name in now or name not in opened else waiting[name] + 1
        opened = frozenset(name for name in RUNGS if name in now or (name in opened and waiting[name] <= k))
        result.append(opened)
    return result


def exposure(sets: Sets, wanted: Sets) -> int:
    return sum(len(now - right) for now, right in zip(sets, wanted, strict=True))


def flaps(sets: Sets) -> list[int]:
    return [len(now ^ before) for before, now in zip([frozenset(), *sets], sets, strict=False)]


def figures(trace: list[Tick], sets: Sets) -> tuple[int, int, int]:
    changes = flaps(sets)
    switches = [tick for tick in range(1, len(trace)) if trace[tick][1] != trace[tick - 1][1]]
    return exposure(sets, justified(trace)), sum(changes), sum(changes[tick] for tick in switches)


def test_the_build_up_is_the_published_one() -> None:
    domains = "".join(domain for _, domain in build_up())
    assert (domains.count("T"), domains.count("R")) == (187, 53)
    digest = hashlib.sha256(domains.encode()).hexdigest()
    assert digest.startswith("a00fe757")
    assert digest.endswith("d605b1")


def test_our_gate_gives_the_argument_monotone_row() -> None:
    assert figures(REFERENCE, justified(REFERENCE)) == (0, 167, 160)


def test_the_rungs_open_first_at_the_published_ticks() -> None:
    sets = justified(REFERENCE)
    assert [next(tick for tick, now in enumerate(sets) if name in now) for name in RUNGS] == [7, 21, 34, 53, 85]


def test_the_register_changes_off_a_switch_at_the_published_ticks() -> None:
    changes = flaps(justified(REFERENCE))
    off = [t for t, n in enumerate(changes) if n and (t == 0 or REFERENCE[t][1] == REFERENCE[t - 1][1])]
    assert off == [7, 17, 21, 34, 53, 69, 310]


def test_the_alternatives_give_their_published_rows_beside_ours() -> None:
    sets = justified(REFERENCE)
    assert figures(REFERENCE, ratchet(sets)) == (404, 5, 1)
    rows = [figures(REFERENCE, debounced(sets, k)) for k in (0, 1, 3, 10)]
    assert rows == [(0, 167, 160), (81, 43, 18), (107, 19, 7), (144, 15, 5)]


@pytest.mark.parametrize("tail", [60, 120, 240, 480])
def test_a_longer_bad_night_exposes_nothing_under_our_gate(tail: int) -> None:
    """The ratchet is exposed by five classes for each tick of it, a debounced gate by a constant, ours by none."""
    trace = [*build_up(), *[(BAD, "X")] * tail]
    sets = justified(trace)
    assert exposure(sets, justified(trace)) == 0
    assert exposure(ratchet(sets), sets) == 94 + 5 * tail
    assert exposure(debounced(sets, 3), sets) == 107
    assert set(sets[240:]) == {frozenset()}


def test_a_reading_that_trembles_about_a_threshold_flaps_as_published() -> None:
    source = draws(174961348)
    cap = TERMS.cap
    c_insts = [ONE * 4 // 10 + (ONE // 10) * (2**53 - 2 * next(source)) // 2**53 for _ in range(1200)]
    sets = [trust.open_set(default(), trust.c_eff(c_inst, cap)) & frozenset(RUNGS) for c_inst in c_insts]
    table = {k: (sum(flaps(debounced(sets, k))[1:]), exposure(debounced(sets, k), sets)) for k in (0, 1, 3)}
    assert table == {0: (574, 0), 1: (286, 287), 3: (84, 505)}


def test_what_is_open_at_a_tick_depends_on_that_tick_alone() -> None:
    """The same past and the same present give the same set, wherever on the trace they stand."""
    sets = justified(REFERENCE)
    late = justified([*REFERENCE, (GOOD, "R")])[-1]
    assert late == sets[-1]
    night = justified([*REFERENCE, *[(BAD, "R")] * 3, (GOOD, "R")])
    assert night[-4:] == [frozenset(), frozenset(), frozenset(), sets[-1]]
