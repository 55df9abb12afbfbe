"""A reading of trust is believed as its sensor signed it, whatever stands in a row."""

from dataclasses import replace

import pytest

from decisions.adoption import adopt
from decisions.constitution import DEFAULT_TEXT, default
from decisions.earned import Parties, earned
from decisions.errors import TrustError
from decisions.events import TrustUpdated
from decisions.observe import Seen, check_update, observe, prepare_observation
from grants import acts
from ledger import canon
from ledger.event import Draft

GOOD, BAD = 880_000_000_000_000, 50_000_000_000_000
PARTIES = Parties("agent:ops-7", "person:p-7", "library")
READING = ("reading", PARTIES.reading_key)
TERMS = default().trust


@pytest.fixture
def views():
    from verify.views import VIEWS

    return VIEWS


@pytest.fixture
def registry():
    from verify.views import EVENTS

    return EVENTS


@pytest.fixture
def desk(office):
    """An office where a good evening was followed by a bad night."""
    office.act(adopt, by="human:ada", document=DEFAULT_TEXT)
    see(office, "evening", GOOD)
    office.clock.go(1_000_000)
    see(office, "night", BAD)
    return office


def see(office, interaction, c_inst, **more):
    seen = Seen("agent:ops-7", "person:p-7", "library", interaction, True, c_inst, office.clock.after(0))
    draft = office.sign(prepare_observation, by="sensor:mood", seen=replace(seen, **more))
    return office.log.transact(lambda tx: observe(tx, office.registry, draft))


def present(office):
    return earned(office.log, office.registry, TERMS, PARTIES, office.clock.after(0)).c_inst


def point(office, seq, **more):
    """Edit the row that says which reading is the latest."""
    row = office.log._states[READING]
    office.log._states[READING] = replace(row, data=canon.encode({**row.state, "observed": seq, **more}))


def latest(office):
    return office.log._states[READING].state["observed"]


def test_the_latest_reading_counts(desk):
    assert present(desk) == BAD


def test_an_opening_that_does_not_fit_its_commitment_opens_nothing(desk):
    (opening,) = desk.log._openings[latest(desk)]
    desk.log._openings[latest(desk)] = (replace(opening, value=GOOD),)
    with pytest.raises(TrustError, match="not what a sensor signed"):
        present(desk)


def test_a_row_that_calls_an_old_reading_new_does_not_make_it_so(desk):
    point(desk, latest(desk) - 2, taken=desk.clock.after(TERMS.fresh_for + 1))
    desk.clock.go(TERMS.fresh_for + 1)
    assert present(desk) == 0


@pytest.mark.parametrize("seq", [0, 10**6])
def test_a_row_that_leads_to_no_observation_is_an_error(desk, seq):
    point(desk, seq)
    with pytest.raises(TrustError, match="is no observation"):
        present(desk)


def test_a_row_that_leads_to_the_reading_of_others_is_an_error(desk):
    other = see(desk, "elsewhere", GOOD, counterpart="person:p-8")
    point(desk, other.event.seq)
    with pytest.raises(TrustError, match="is of agent:ops-7 and person:p-8"):
        present(desk)


def test_an_observation_that_no_sensor_signed_is_an_error(desk):
    seen = Seen("agent:ops-7", "person:p-7", "library", "forged", True, GOOD, desk.clock.after(0))
    prepared = desk.prepare(prepare_observation, by="sensor:mood", seen=seen)
    draft = replace(prepared.sign(desk.signer("sensor:mood")), by="human:ada")
    event = desk.log.transact(lambda tx: tx.append(draft))
    point(desk, event.seq)
    with pytest.raises(TrustError, match="not what a sensor signed"):
        present(desk)


def test_a_reading_of_a_sensor_that_was_ended_since_counts_as_nothing(desk):
    desk.act(acts.suspend, by="human:ada", principal="sensor:mood", reason="it was not ours")
    assert present(desk) == 0


def test_a_reading_that_was_erased_counts_as_nothing(desk):
    desk.log._openings.pop(latest(desk))
    assert present(desk) == 0


# -- what an update rests on --


def told(office, seq):
    check_update(office.log, office.registry, office.event(seq))


def forged(office):
    """Append an update that the ledger did not work out, behind whatever stands last."""
    row = office.log.state("trust", PARTIES.key)
    n, accumulator, c_ctx = (row.state[name] for name in ("n", "accumulator", "c_ctx"))
    body = TrustUpdated(
        system=PARTIES.system,
        counterpart=PARTIES.counterpart,
        domain=PARTIES.domain,
        observed=office.log.head.size - 1,
        counted=True,
        n=(n, n + 1),
        accumulator=(accumulator, 10**15),
        c_ctx=(c_ctx, TERMS.cap),
        gain=10**15,
        cap=TERMS.cap,
        floor_step=TERMS.floor_step,
        taken=office.clock.after(0),
    )
    return Draft(body, "sensor:mood", "ledger", causes=(office.log.head.size - 1,))


def test_trust_that_nobody_observed_is_found(desk):
    """The fold agrees with its numbers; only what stands before it tells that no sensor saw anything."""
    desk.log.transact(lambda tx: tx.append(forged(desk)))
    before = desk.log.head.size - 1
    with pytest.raises(TrustError, match="is no observation"):
        told(desk, before)


def test_trust_by_other_terms_than_those_in_force_is_found(desk, new_office, populate):
    office = populate(new_office())
    office.act(adopt, by="human:ada", document=DEFAULT_TEXT)
    seen = Seen("agent:ops-7", "person:p-7", "library", "i1", True, GOOD, office.clock.after(0))
    draft = office.sign(prepare_observation, by="sensor:mood", seen=seen)
    event = office.append_signed(draft)
    leap = TrustUpdated(
        system=PARTIES.system,
        counterpart=PARTIES.counterpart,
        domain=PARTIES.domain,
        observed=event.seq,
        counted=True,
        n=(0, 1),
        accumulator=(0, 10**15),
        c_ctx=(0, TERMS.cap),
        gain=10**15,
        cap=TERMS.cap,
        floor_step=TERMS.floor_step,
        taken=event.body.taken,
    )
    from ledger.event import seal

    sealed = seal(Draft(leap, "sensor:mood", "ledger", causes=(event.seq,)), event.seq + 1, event.at)
    with pytest.raises(TrustError, match="not what follows from observation"):
        check_update(office.log, office.registry, sealed)


@pytest.mark.parametrize("erased", [False, True])
def test_an_update_that_follows_passes_even_where_its_reading_was_erased(office, erased):
    office.act(adopt, by="human:ada", document=DEFAULT_TEXT)
    from ledger.event import seal

    before = office.log.head.size
    found = see(office, "i1", GOOD)
    if erased:
        office.log._openings.pop(found.event.seq)
    office.log._states.pop(("trust", PARTIES.key))  # as of its own place: nothing was earned before
    draft = Draft(found.update, "sensor:mood", "ledger", causes=(found.event.seq,))
    check_update(office.log, office.registry, seal(draft, before + 1, found.event.at))
