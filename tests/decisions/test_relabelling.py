"""Case G07: a relabel is judged like a change of rules, whichever way round it is done, and only a human loosens."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from decisions.appending import append_act
from decisions.errors import RelabellingError
from decisions.relabelling import check_relabelled, clear, reclassify, register
from grants import acts
from grants.errors import AuthorityError, IssueError, SignatureError
from grants.events import Relabelling
from grants.events.former import ResourceReclassified1, ResourceRegistered1
from grants.issue import prepare
from grants.standing import StandingTerms
from ledger.errors import AppendError
from tests.decisions.conftest import RESOURCES

USERS = "db://prod/users/**"
FIXTURE = {**RESOURCES[USERS], "environment": "test", "asset": "test_fixture", "reversibility": "recoverable"}
STRICTER = {**RESOURCES[USERS], "asset": "secret"}
LOOSER = ("loosening", "mixed")


@pytest.fixture
def change(court):
    """Sign and append a change of labels through the door that judges it."""

    def changed(act, resource, *, by="human:ada", signer=None, **fields):
        office = court.office
        draft = office.sign(
            act, office.registry, by=by, signer=signer, resource=resource, at=office.clock.after(0), **fields
        )
        return office.log.transact(lambda tx: append_act(tx, office.registry, draft))

    return changed


def told(court, act, resource, *, by="human:ada", **fields):
    """Give what a change would open, without signing it."""
    office = court.office
    made = office.prepare(act, office.registry, by=by, resource=resource, at=office.clock.after(0), **fields)
    return made.fields["relabels"]


def test_a_production_table_as_a_test_fixture_is_a_loosening_that_only_a_human_signs(court, change):
    size = court.office.log.head.size
    with pytest.raises(AuthorityError, match="signed by a human, not by registrar:stores"):
        change(reclassify, USERS, by="registrar:stores", attributes=FIXTURE)
    for by in ("agent:ops-7", "agent:a1", "service:desk"):
        with pytest.raises(AuthorityError, match="is signed by a human or a registrar"):
            change(reclassify, USERS, by=by, attributes=FIXTURE)
    assert court.office.log.head.size == size
    event = change(reclassify, USERS, attributes=FIXTURE)
    assert event.body.relabels.direction in LOOSER
    assert event.body.relabels.opened > 0
    assert event.body.relabels.resources == 1
    assert event.body.relabels.constitution is not None
    assert b'relabels: {"closed":' in event.body.statement()


def test_a_registrar_tightens_and_says_the_same_again(change):
    same = change(reclassify, USERS, by="registrar:stores", attributes=RESOURCES[USERS])
    assert (same.body.relabels.direction, same.body.relabels.opened, same.body.relabels.closed) == ("equivalent", 0, 0)
    tighter = change(reclassify, USERS, by="registrar:stores", attributes=STRICTER)
    assert tighter.body.relabels.direction == "tightening"
    assert tighter.body.relabels.closed > 0


@pytest.mark.parametrize(
    ("attributes", "direction"),
    [
        ({**RESOURCES[USERS], "environment": ("dev", "prod")}, "tightening"),
        ({name: value for name, value in RESOURCES[USERS].items() if name != "environment"}, "equivalent"),
        ({**RESOURCES[USERS], "purpose": None}, "tightening"),
        ({**RESOURCES[USERS], "about_people": False}, "loosening"),
        ({**RESOURCES[USERS], "sensitivity": "public"}, "equivalent"),
        ({**RESOURCES[USERS], "sensitivity": "restricted"}, "tightening"),
        ({**RESOURCES[USERS], "domain": "care"}, "mixed"),
        ({**RESOURCES[USERS], "casefold": True}, "tightening"),
    ],
)
def test_the_direction_follows_from_the_cells(court, attributes, direction):
    assert told(court, reclassify, USERS, attributes=attributes)["direction"] == direction


def test_losing_the_folding_of_names_opens(court, change):
    change(reclassify, USERS, attributes={**RESOURCES[USERS], "casefold": True})
    assert told(court, reclassify, USERS, attributes=RESOURCES[USERS])["direction"] == "loosening"


def test_a_narrower_entry_inside_a_registered_subtree_is_a_relabel_too(court, change):
    with pytest.raises(AuthorityError, match="signed by a human"):
        change(register, "db://prod/users/42", by="registrar:stores", attributes=FIXTURE)
    with pytest.raises(AuthorityError, match="signed by a human"):
        change(register, "db://prod/users/42/**", by="registrar:stores", attributes=FIXTURE)
    assert told(court, register, "db://prod/users/42", attributes=FIXTURE)["direction"] in LOOSER
    secret = change(register, "db://prod/users/42", by="registrar:stores", attributes={"asset": "secret"})
    assert secret.body.relabels.direction == "tightening"


def test_a_wider_entry_around_entries_with_gaps_is_a_relabel_of_those(court, change):
    change(register, "file:///opt/app/x", by="registrar:stores", attributes={"asset": "source", "environment": "dev"})
    rest = {"sensitivity": "internal", "reversibility": "reversible", "about_people": False, "purpose": None}
    assert told(court, register, "file:///opt/**", attributes=rest)["resources"] == 1
    with pytest.raises(AuthorityError, match="signed by a human"):
        change(register, "file:///opt/**", by="registrar:stores", attributes=rest)
    assert change(register, "file:///opt/**", attributes=rest).body.relabels.direction == "loosening"


def test_a_place_that_another_resource_lies_in_opens_that_resource(court, change):
    change(register, "db://place/**", attributes={"environment": "prod", "asset": "secret"})
    facts = {name: value for name, value in FIXTURE.items() if name != "environment"}
    change(register, "db://shared/**", attributes=facts, within=["db://place/**"])
    # A secret stays forbidden, whatever its environment; what lies there too does not.
    found = told(court, reclassify, "db://place/**", attributes={"environment": "test", "asset": "secret"})
    assert found["direction"] in LOOSER
    assert found["resources"] == 1


def test_dropping_a_place_is_a_relabel(court, change):
    change(register, "db://one/**", attributes={**FIXTURE})
    change(register, "db://two/**", attributes={**FIXTURE, "environment": "prod"})
    change(register, "db://shared/**", attributes={"asset": "test_fixture"}, within=["db://one/**", "db://two/**"])
    found = told(court, reclassify, "db://shared/**", attributes={"asset": "test_fixture"}, within=["db://one/**"])
    assert found["direction"] == "loosening"


def test_what_nobody_had_registered_is_a_registrars_to_classify(change):
    event = change(register, "db://new/**", by="registrar:stores", attributes=FIXTURE)
    assert event.body.relabels is None


def test_a_place_that_nobody_registered_is_refused(change):
    with pytest.raises(RelabellingError, match="nobody has registered db://nowhere"):
        change(register, "db://new/**", attributes=FIXTURE, within=["db://nowhere/**"])


def test_clearing_and_bringing_back_are_a_humans(court, change):
    office = court.office
    office.act(acts.retire, by="registrar:stores", resource="file:///srv/app/tests/fixtures/**")
    for act, more in ((clear, {}), (reclassify, {"attributes": FIXTURE})):
        with pytest.raises((AuthorityError, IssueError)):
            change(act, "file:///srv/app/tests/fixtures/**", by="registrar:stores", **more)
    assert change(clear, "file:///srv/app/tests/fixtures/**").body.relabels.direction == "loosening"
    assert told(court, reclassify, "file:///srv/app/tests/fixtures/**", attributes=FIXTURE)["direction"] in LOOSER


def test_standing_grants_take_part(court, change):
    """A label that no rule cares about opens what a grant selects by it."""
    assert told(court, reclassify, USERS, attributes={**RESOURCES[USERS], "purpose": "care"})["opened"] == 0
    ratified = ratify(court, 'purpose == "care" and reversibility != "irreversible"', ("read",))
    facts = {**RESOURCES[USERS], "reversibility": "recoverable", "sensitivity": "confidential"}
    change(reclassify, USERS, attributes=facts)
    found = told(court, reclassify, USERS, attributes={**facts, "purpose": "care"})
    assert found["direction"] == "loosening"
    court.office.act(acts.revoke_grant, by="human:ada", grant=ratified.body.grant, reason="no more")
    assert told(court, reclassify, USERS, attributes={**facts, "purpose": "care"})["direction"] == "equivalent"


def test_an_ended_grant_takes_no_part(court, change):
    facts = {**RESOURCES[USERS], "reversibility": "recoverable", "sensitivity": "confidential"}
    change(reclassify, USERS, attributes=facts)
    ratify(court, 'purpose == "care" and reversibility != "irreversible"', ("read",), by="human:bo")
    care = {**facts, "purpose": "care"}
    assert told(court, reclassify, USERS, attributes=care)["direction"] == "loosening"
    court.office.act(acts.suspend, by="human:ada", principal="human:bo", reason="left")
    assert told(court, reclassify, USERS, attributes=care)["direction"] == "equivalent"


def test_what_was_signed_must_still_be_so_when_it_is_appended(court, change):
    office = court.office
    facts = {**RESOURCES[USERS], "reversibility": "recoverable", "sensitivity": "confidential"}
    change(reclassify, USERS, attributes=facts)
    draft = office.sign(
        reclassify,
        office.registry,
        by="registrar:stores",
        resource=USERS,
        attributes={**facts, "purpose": "care"},
        at=office.clock.after(0),
    )
    ratify(court, 'purpose == "care" and reversibility != "irreversible"', ("read",))
    with pytest.raises(RelabellingError, match="look again, and sign again"):
        office.log.transact(lambda tx: append_act(tx, office.registry, draft))


def mislabelled(court, *, by, says, **fields):
    """Append a relabel that says of itself what it does not do, past the door that judges it."""
    said = Relabelling(direction=says, opened=0, closed=0, resources=0, constitution=None)
    return court.office.act(acts.reclassify, by=by, resource=USERS, relabels=said, **fields)


def audited(court, event):
    """Check an event as an audit does: by the states before it."""
    office = court.office
    replayed = type(office.log)(tuple(court_views()), office.clock)
    events = [office.event(seq) for seq in range(event.seq)]
    replayed.extend(events, {one.seq: office.log.openings(one.seq) for one in events})
    check_relabelled(replayed, office.registry, event)


def court_views():
    from verify.views import VIEWS

    return VIEWS


@pytest.mark.parametrize("says", ["tightening", "equivalent"])
def test_an_auditor_finds_a_loosening_that_was_signed_as_something_else(court, says):
    event = mislabelled(court, by="registrar:stores", says=says, attributes=FIXTURE)
    with pytest.raises(RelabellingError, match=f"it is signed as {says}, and by the rules of its time it is"):
        audited(court, event)


def test_an_auditor_finds_a_registration_that_keeps_silent(court):
    event = court.office.act(
        acts.register_resource, by="registrar:stores", resource="db://prod/users/42", attributes=FIXTURE
    )
    with pytest.raises(RelabellingError, match="signed as no change"):
        audited(court, event)


def test_an_auditor_agrees_with_what_was_judged(court, change):
    for attributes in (FIXTURE, STRICTER, RESOURCES[USERS]):
        audited(court, change(reclassify, USERS, attributes=attributes))
    audited(court, mislabelled(court, by="human:ada", says="unjudged", attributes=FIXTURE))


def test_nobody_signs_unjudged_but_a_human(court):
    with pytest.raises(AuthorityError, match="signed by a human"):
        mislabelled(court, by="registrar:stores", says="unjudged", attributes=STRICTER)


def test_schema_1_says_nothing_of_what_it_opens_and_is_not_appended_any_more(court):
    for body, resource in ((ResourceReclassified1, USERS), (ResourceRegistered1, "db://prod/users/7")):
        fields = {"resource": resource, "attributes": FIXTURE}
        with pytest.raises(AuthorityError, match="of schema 1 is read, and not appended"):
            court.office.act(prepare, body, fields, by="registrar:stores")


def test_a_suspended_registrar_and_an_ended_key_relabel_nothing(court, change):
    office = court.office
    spare = office.signer("spare").public_key
    office.act(acts.add_key, by="human:ada", principal="registrar:stores", key=spare)
    at = office.clock.after(0)
    by_spare = office.sign(
        reclassify,
        office.registry,
        by="registrar:stores",
        signer="spare",
        resource=USERS,
        attributes=STRICTER,
        at=at,
    )
    office.act(acts.revoke_key, by="human:ada", principal="registrar:stores", fingerprint=spare.fingerprint)
    with pytest.raises(AuthorityError, match="is no key of registrar:stores"):
        office.log.transact(lambda tx: append_act(tx, office.registry, by_spare))
    office.act(acts.suspend, by="human:ada", principal="registrar:stores", reason="left")
    with pytest.raises(AuthorityError, match="was suspended"):
        change(reclassify, USERS, by="registrar:stores", attributes=STRICTER)


def test_a_changed_difference_breaks_the_signature(court):
    office = court.office
    draft = office.sign(
        reclassify, office.registry, by="human:ada", resource=USERS, attributes=FIXTURE, at=office.clock.after(0)
    )
    forged = draft.body.model_copy(update={"relabels": draft.body.relabels.model_copy(update={"opened": 0})})
    with pytest.raises((SignatureError, RelabellingError)):
        office.log.transact(lambda tx: append_act(tx, office.registry, type(draft)(forged, draft.by, draft.auth)))
    office.append_signed(draft)
    with pytest.raises(AppendError):
        office.append_signed(draft)


def test_without_a_constitution_nothing_can_be_judged(office):
    office.act(acts.register_resource, by="human:ada", resource="file:///a/**", attributes={"asset": "source"})
    fields = {"resource": "file:///a/b", "attributes": {"asset": "config"}, "at": office.clock.after(0)}
    made = office.prepare(register, office.registry, by="human:ada", **fields)
    assert made.fields["relabels"]["direction"] == "unjudged"


LABELS = {
    "environment": ["dev", "test", "staging", "prod"],
    "asset": ["source", "test_fixture", "business_record", "secret", "audit_trail", "control_plane"],
    "sensitivity": ["public", "internal", "confidential", "restricted"],
    "reversibility": ["reversible", "recoverable", "irreversible"],
    "about_people": [True, False],
    "purpose": ["support", None],
}
ASKED = [
    ("read", "one"), ("read", "all"), ("insert", "one"), ("update", "one"), ("update", "many"), ("delete", "one"),
    ("delete", "all"), ("drop", "one"), ("authorize", "one"),
]  # fmt: skip
ORDER = {"allow": 2, "hold": 1, "deny": 0}


def labels():
    def one(values):
        several = [value for value in values if value is not None]
        both = st.lists(st.sampled_from(several), min_size=2, max_size=2, unique=True).map(tuple)
        return st.sampled_from(values) | both if len(several) > 1 else st.sampled_from(values)

    return st.fixed_dictionaries({}, optional={name: one(values) for name, values in LABELS.items()})


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(old=labels(), new=labels())
def test_what_is_answered_more_mildly_afterwards_was_said_to_open(new_office, populate, found, old, new):
    office = populate(new_office())
    court = found(office)
    office.act(acts.register_resource, by="human:ada", resource="db://x/**", attributes=old)
    before = [court.do(verb, "db://x/t/1", scope=scope).outcome for verb, scope in ASKED]
    said = told(court, reclassify, "db://x/**", attributes=new)
    office.act(acts.reclassify, by="human:ada", resource="db://x/**", attributes=new)
    after = [court.do(verb, "db://x/t/1", scope=scope).outcome for verb, scope in ASKED]
    if any(ORDER[now] > ORDER[then] for then, now in zip(before, after, strict=True)):
        assert said["opened"] > 0
        assert said["direction"] in LOOSER
    if any(ORDER[now] < ORDER[then] for then, now in zip(before, after, strict=True)):
        assert said["closed"] > 0


def ratify(court, selector, verbs, by="human:ada"):
    terms = StandingTerms("agent:ops-7", ("data",), verbs, "db://prod/**", selector)
    return court.office.act(acts.ratify_grant, court.law(), by=by, terms=terms, reason="for a test")
