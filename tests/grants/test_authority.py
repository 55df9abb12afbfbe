from dataclasses import replace

import pytest

from grants import acts, authority
from grants.errors import AuthorityError, GrantError, SignatureError
from grants.events import TYPES, Relabelling
from grants.issue import append_checked
from ledger.disclosure import Disclosable
from ledger.errors import AppendError, ClaimTakenError
from ledger.event import Draft, SignedBody
from ledger.events import TYPES as LEDGER_TYPES
from tests.grants.conftest import named

SIGNED = [*LEDGER_TYPES, *(body for body in TYPES if issubclass(body, SignedBody))]
TIGHTER = Relabelling(direction="tightening", opened=0, closed=96, resources=0, constitution=None)
LATER = "2027-11-30T12:00:00.000000Z"


def other(value, name):  # noqa: PLR0911  (one for each type)
    """Give another value of the same type."""
    by_name = {"uid": 5, "owner": "human:bo", "request": 0, "expires": LATER, "kind": "sensor", "at_least": 3}
    match value:
        case _ if name in by_name:
            return by_name[name]
        case bool():
            return not value
        case int():
            return value + 1
        case str():
            return value + "x"
        case Disclosable():
            return Disclosable(sd="A" * 43)
        case dict():
            return {**value, "more": True}
        case Relabelling():
            return value.model_copy(update={"opened": value.opened + 1})
        case None | ():
            return {"relabels": TIGHTER, "within": ("file:///srv/**",)}[name]
    raise AssertionError(value)


def variants(body):
    """Give the body again and again, each time with one thing in it changed."""
    for name in type(body).model_fields:
        value = getattr(body, name)
        if name == "signed":
            continue
        if not isinstance(value, tuple):
            yield name, body.model_copy(update={name: other(value, name)})
            continue
        yield f"{name} doubled", body.model_copy(update={name: (*value, *value) or ("agent:ops-7",)})
        if value and isinstance(value[0], str):
            yield f"{name}/0", body.model_copy(update={name: (value[0] + "x", *value[1:])})
        elif value:
            for inner, changed in variants(value[0]):
                yield f"{name}/0/{inner}", body.model_copy(update={name: (changed, *value[1:])})


@pytest.mark.parametrize("body_type", SIGNED, ids=named)
def test_no_signed_field_can_be_changed(whole_story, body_type):
    event = whole_story.events[named(body_type)]
    authority.check_event(whole_story.office.log, event)
    changed = list(variants(event.body))
    assert {name.partition(" ")[0].partition("/")[0] for name, _ in changed} == set(body_type.model_fields) - {"signed"}
    assert [name for name, body in changed if stands(whole_story.office.log, replace(event, body=body))] == []


def stands(log, event):
    try:
        authority.check_event(log, event)
    except (SignatureError, AuthorityError):
        return False
    return True


def test_all_that_happened_was_by_right(whole_story):
    log = whole_story.office.log
    for seq in range(log.head.size):
        authority.check_event(log, whole_story.office.event(seq))


def test_an_event_is_not_another_persons(story):
    event = story.events["grant.ratified"]
    with pytest.raises(AuthorityError, match="is no key of human:bo"):
        authority.check_event(story.office.log, replace(event, by="human:bo"))


def test_a_signed_event_says_that_it_was_signed(story):
    event = story.events["grant.ratified"]
    with pytest.raises(AuthorityError, match="established by os-uid"):
        authority.check_event(story.office.log, replace(event, auth="os-uid"))


def test_a_signature_does_not_hold_in_another_namespace(story):
    registered = story.events["principal.registered"].body
    resource = story.events["resource.registered"].body
    body = resource.model_copy(update={"signed": registered.signed})
    with pytest.raises(GrantError):
        authority.check_signed(story.office.log, body, "human:ada", story.office.log.head.size)


def register(office, by, signer):
    """Register a human, by the key of ``signer``, around every check that comes before the append."""
    prepared = office.prepare(acts.register_principal, by="human:ada", principal="human:eve", name="e")
    prepared = replace(prepared, by=by, keys=frozenset({office.signer(signer).public_key.fingerprint}))
    return office.append_signed(prepared.sign(office.signer(signer)))


@pytest.mark.parametrize(
    ("by", "signer", "why"),
    [
        ("agent:ops-7", "human:ada", "signed by a human, not by agent:ops-7"),
        ("service:desk", "service:desk", "signed by a human, not by service:desk"),
        ("registrar:stores", "registrar:stores", "signed by a human, not by registrar:stores"),
        ("sensor:mood", "sensor:mood", "signed by a human, not by sensor:mood"),
        ("human:eve", "human:eve", "human:eve is not registered"),
        ("human:ada", "human:bo", "is no key of human:ada"),
        ("human:ada", "nobody", "is no key of human:ada"),
    ],
)
def test_only_a_humans_own_key_makes_authority(office, by, signer, why):
    before = office.log.head
    with pytest.raises(AuthorityError, match=why):
        register(office, by, signer)
    assert office.log.head == before


def test_a_suspended_human_signs_nothing(office):
    office.act(acts.suspend, by="human:ada", principal="human:bo", reason="left")
    with pytest.raises(AuthorityError, match="human:bo was suspended by event"):
        register(office, "human:bo", "human:bo")


def test_a_revoked_key_signs_nothing(office):
    office.act(acts.add_key, by="human:ada", principal="human:ada", key=office.signer("spare").public_key)
    old = office.signer("human:ada").public_key.fingerprint
    office.act(acts.revoke_key, by="human:ada", principal="human:ada", fingerprint=old)
    with pytest.raises(AuthorityError, match="or was not any more"):
        register(office, "human:ada", "human:ada")
    assert register(office, "human:ada", "spare").type == "principal.registered"


@pytest.mark.parametrize("by", ["registrar:stores", "human:bo"])
def test_registrars_and_humans_register_resources(office, by):
    event = office.act(acts.register_resource, by=by, resource="tool:search", attributes={})
    assert event.by == by


@pytest.mark.parametrize("by", ["sensor:mood", "service:desk", "agent:ops-7"])
def test_nobody_else_registers_resources(office, by):
    with pytest.raises(AuthorityError, match="by a human or a registrar"):
        office.act(acts.register_resource, by=by, resource="tool:search", attributes={})


@pytest.mark.parametrize(("by", "allowed"), [("sensor:mood", True), ("human:ada", False), ("registrar:stores", False)])
def test_observations_are_a_sensors(office, by, allowed):
    class Observed(SignedBody):
        type = "trust.observed"

    size = office.log.head.size
    if allowed:
        assert authority.check_signer(office.log, Observed, by, size).kind == "sensor"
    else:
        with pytest.raises(AuthorityError, match="by a sensor"):
            authority.check_signer(office.log, Observed, by, size)


def test_one_signature_makes_one_event(office):
    draft = office.sign(acts.register_resource, by="registrar:stores", resource="tool:search", attributes={})
    office.append_signed(draft)
    with pytest.raises(ClaimTakenError, match="statement:"):
        office.append_signed(draft)


def test_a_signature_for_another_log_is_refused(office, new_office, populate):
    twin = populate(new_office("tally.example/other"))
    draft = twin.sign(acts.register_resource, by="registrar:stores", resource="tool:search", attributes={})
    with pytest.raises(AuthorityError, match=r"signed for the log 'tally\.example/other'"):
        office.append_signed(draft)


def test_a_signature_for_a_longer_log_is_refused(office, new_office, populate):
    twin = populate(new_office())
    twin.note()
    draft = twin.sign(acts.register_resource, by="registrar:stores", resource="tool:search", attributes={})
    with pytest.raises(AuthorityError, match="signed for a log of 8 events, and this one has 7"):
        office.append_signed(draft)


def test_nothing_is_signed_into_a_log_that_has_not_begun(office, empty, new_office):
    draft = office.sign(acts.register_resource, by="registrar:stores", resource="tool:search", attributes={})
    with pytest.raises(AuthorityError, match="not registered"):
        new_office().append_signed(draft)


def test_what_is_not_signed_is_not_appended_as_an_act(story):
    event = story.events["consent.requested"]
    with pytest.raises(AuthorityError, match="not an act that somebody signed"):
        story.office.append_signed(Draft(event.body, "human:ada", "signature"))
    signed = story.events["grant.ratified"]
    with pytest.raises(AuthorityError, match="not an act that somebody signed"):
        story.office.append_signed(Draft(signed.body, "human:ada", "os-uid"))


def test_a_log_is_opened_by_the_human_it_names(office, empty):
    event = office.event(0)
    for by, size in [("human:bo", 0), ("human:ada", 1)]:
        with pytest.raises(AuthorityError):
            authority.check_signed(office.log, event.body, by, size)
    bad = event.body.model_copy(update={"human_key": "ssh-rsa AAAA"})
    with pytest.raises(AuthorityError, match="the first human's key"):
        authority.check_signed(office.log, bad, "human:ada", 0)


def test_genesis_can_not_be_repeated(office):
    genesis = office.event(0)
    with pytest.raises((AuthorityError, AppendError)):
        office.append_signed(Draft(genesis.body, "human:ada", "signature"))


def test_an_owner_is_a_registered_human(office):
    office.act(acts.suspend, by="human:ada", principal="human:bo", reason="left")
    for owner in ("human:bo", "human:nobody"):
        with pytest.raises(AuthorityError, match="is no registered human"):
            office.act(acts.register_principal, by="human:ada", principal="agent:b", name="b", owner=owner)


def test_right_is_judged_at_its_time_and_effect_now(story):
    office = story.office
    event = story.events["consent.granted"]
    assert authority.still_counts(office.log, event)
    office.act(acts.suspend, by="human:bo", principal="human:ada", reason="left")
    authority.check_event(office.log, event)
    assert not authority.still_counts(office.log, event)


def test_a_revoked_keys_acts_no_longer_count(story):
    office = story.office
    event = story.events["consent.granted"]
    fingerprint = office.signer("human:ada").public_key.fingerprint
    revoked = office.act(acts.revoke_key, by="human:ada", principal="human:ada", fingerprint=fingerprint)
    authority.check_event(office.log, event)
    authority.check_event(office.log, revoked)
    assert not authority.still_counts(office.log, event)


def test_what_nobody_signed_never_counts(story):
    office = story.office
    assert not authority.still_counts(office.log, story.events["consent.requested"])
    stranger = replace(story.events["consent.granted"], by="human:nobody")
    assert not authority.still_counts(office.log, stranger)
    authority.check_event(office.log, story.events["consent.requested"])


def test_a_remembered_signature_says_nothing_of_the_key(office):
    draft = office.sign(acts.register_resource, by="human:bo", resource="tool:search", attributes={})
    authority.check_signed(office.log, draft.body, "human:bo", office.log.head.size)
    office.act(acts.suspend, by="human:ada", principal="human:bo", reason="left")
    with pytest.raises(AuthorityError, match="suspended"):
        office.log.transact(lambda tx: append_checked(tx, draft))
