"""The folds: what each event changes, and what contradicts what stands."""

from dataclasses import replace

import pytest

from grants import acts
from grants.book import VIEWS
from grants.book.consents import CONSENT
from grants.book.states import PrincipalState, Row
from grants.consent import Wanted, item_for
from grants.events import TYPES, ConsentConsumed, ConsentRequested, FieldsErased, PrincipalRegistered
from grants.reading import read_event, read_state
from grants.standing import StandingTerms
from ledger import events as ledger_events
from ledger.disclosure import Disclosable
from ledger.errors import ClaimTakenError, CorruptError, EventError, ViewError
from ledger.event import Signed
from ledger.view import StateRow, fold, states_digest

INDEXES = {"standing_by_subject", "standing_by_letter", "consent_by_target", "resource_spelling", "resource_below"}
ROW = "db://prod/users/42"
SIGNED = Signed(key="", armour="")
SD = Disclosable(sd="A" * 43)


def views_of(event):
    return {(view.name, key) for view in VIEWS for key in view.keys(event)}


def test_every_event_changes_some_row(whole_story):
    for body_type in (*ledger_events.TYPES, *TYPES):
        # An erasure takes away openings, of which states hold nothing.
        assert bool(views_of(whole_story.events[body_type.type])) is (body_type is not FieldsErased), body_type.type


def test_an_event_without_meaning_changes_nothing(office):
    assert views_of(office.note()) == set()


def test_the_states_are_the_fold_of_the_events(whole_story):
    log = whole_story.office.log
    events = [whole_story.office.event(seq) for seq in range(log.head.size)]
    kept = [row for view in VIEWS for row in log.states(view.name)]
    assert states_digest(kept) == states_digest(fold(VIEWS, events).values())


def test_a_fold_takes_no_event_of_another_view(story):
    for view in VIEWS:
        strangers = [event for event in story.events.values() if not set(view.keys(event))]
        assert strangers
        for event in strangers:
            with pytest.raises(ViewError):
                view.apply("x", None, event)
            for row in story.office.log.states(view.name):
                with pytest.raises(ViewError):
                    view.apply(row.key, row.state, event)


def test_what_began_does_not_begin_again(story):
    """A second registration, grant or genesis is refused by the fold too, not by its claim alone."""
    fresh = ("ledger.opened", "principal.registered", "resource.registered", "grant.ratified", "consent.granted")
    for name in fresh:
        event = story.events[name]
        refused = 0
        for view in VIEWS:
            for key in view.keys(event):
                if view.name in INDEXES:
                    continue  # indexes, which follow the view of the grant itself
                with pytest.raises(ViewError):
                    view.apply(key, story.office.state(view.name, key), event)
                refused += 1
        assert refused, name


def test_rows_are_these(story):
    office = story.office
    ada = office.signer("human:ada").public_key
    spare = office.signer("spare").public_key
    assert office.state("ledger", "genesis") == {
        "origin": office.origin,
        "demonstration": False,
        "human": "human:ada",
        "human_key": ada.fingerprint,
        "log_key": office.log_key(),
    }
    assert office.state("principal", "human:ada") == {
        "kind": "human",
        "owner": None,
        "uid": 1000,
        "speaks_for": [],
        "through": [],
        "keys": {
            ada.fingerprint: {"line": ada.line(), "from": 0, "until": None},
            spare.fingerprint: {"line": spare.line(), "from": 7, "until": 8},
        },
        "registered": 0,
        "suspended": None,
    }
    assert office.state("principal", "agent:a1")["suspended"] == 9
    assert office.state("uid", "1001") == {"principal": "agent:ops-7"}
    assert office.state("resource", "db://prod/users/**") == {
        "attributes": {
            "environment": "prod",
            "reversibility": "irreversible",
            "about_people": True,
            "asset": "business_record",
            "purpose": None,
        },
        "stamps": {"environment": 10, "reversibility": 10, "about_people": 10, "asset": 10, "purpose": 11},
        "version": 7,
        "registered": 10,
        "changed": story.events["resource.retired"].seq,
        "retired": True,
    }
    ratified, granted = story.events["grant.ratified"], story.events["consent.granted"]
    assert office.state("standing", ratified.body.grant) == {
        "seq": ratified.seq,
        "subject": "agent:ops-7",
        "expires": None,
        "revoked": ratified.seq + 1,
    }
    assert office.state("standing_by_subject", "agent:ops-7") == {"grants": []}
    assert office.state("consent", granted.body.grant) == {
        "seq": granted.seq,
        "uses": 1,
        "expires": granted.body.expires,
        "used": [1],
        "revoked": None,
    }
    asked, revoked = story.events["consent.requested"], story.events["consent.revoked"]
    assert office.state("consent_by_target", ROW) == {
        "live": [],
        "ended": [[granted.body.grant, granted.seq], [revoked.body.grant, revoked.seq - 1]],
    }
    assert office.state("request", str(asked.seq)) == {
        "decision": asked.seq - 1,
        "answer": granted.seq,
        "granted": True,
    }
    refused = story.events["consent.refused"].body.request
    assert office.state("request", str(refused))["granted"] is False
    assert office.state("request_by_target", ROW) == {"requests": [asked.seq, refused]}


# -- principals --


def registered(**change):
    fields = {
        "origin": "o", "log_size": 1, "signed": SIGNED, "principal": "agent:b", "kind": "agent", "name": SD, "keys": (),
        "owner": "human:ada", "uid": None, "speaks_for": (), "through": (),
    }  # fmt: skip
    return PrincipalRegistered(**{**fields, **change})


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"principal": "agent:B"}, "a name is"),
        ({"principal": "robot:b"}, "unknown kind"),
        ({"kind": "service"}, "is no service"),
        ({"owner": None}, "a human has no owner"),
        ({"owner": "agent:ops-7"}, "an owner is a human"),
        ({"owner": "ada"}, "a principal is"),
        ({"principal": "human:b", "kind": "human"}, "a human has no owner"),
        ({"speaks_for": ("agent:c",)}, "is no service"),
        ({"principal": "service:b", "kind": "service", "speaks_for": ("human:ada",)}, "is no agent"),
        ({"principal": "service:b", "kind": "service", "speaks_for": ("agent:c", "agent:c")}, "stands twice"),
        ({"keys": ("ssh-rsa AAAA",)}, "is not accepted"),
        ({"keys": ("ssh-ed25519 AAAA comment",)}, "cut off"),
    ],
)
def test_a_registration_in_another_spelling_is_refused(office, change, why):
    with pytest.raises(ViewError, match=why) as caught:
        office.append(registered(**change), by="human:ada", auth="signature")
    assert "\n" not in str(caught.value)


def test_keys_are_recorded_without_comment_and_once(office):
    line = office.signer("spare").public_key.line()
    with pytest.raises(ViewError, match="without its comment"):
        office.append(registered(keys=(line + " laptop",)))
    with pytest.raises(ViewError, match="a key stands twice"):
        office.append(registered(keys=(line, line)))


def test_a_key_that_was_ended_does_not_come_back(office):
    spare = office.signer("spare").public_key
    change = {"by": "human:ada", "principal": "human:bo"}
    office.act(acts.add_key, key=spare, **change)
    refuse_taken(office, acts.add_key, key=spare, **change)
    office.act(acts.revoke_key, fingerprint=spare.fingerprint, **change)
    refuse_taken(office, acts.add_key, key=spare, **change)
    refuse(office, "was ended by event", acts.revoke_key, fingerprint=spare.fingerprint, **change)
    refuse(office, "is no key of this principal", acts.revoke_key, fingerprint="SHA256:x", **change)


def test_a_key_is_of_one_principal_for_ever(office):
    """A statement does not name who signs it: with a shared key one could speak as the other."""
    ada = {"by": "human:ada"}
    shared = office.signer("human:ada").public_key
    refuse_taken(office, acts.add_key, principal="human:bo", key=shared, **ada)
    refuse_taken(office, acts.register_principal, principal="human:twin", name="one hand", keys=(shared,), **ada)
    spare = office.signer("spare").public_key
    office.act(acts.register_principal, principal="human:cy", name="Cy", keys=(spare,), **ada)
    refuse_taken(office, acts.add_key, principal="human:bo", key=spare, **ada)


def test_who_is_suspended_gets_no_key_and_is_not_suspended_again(office):
    office.act(acts.suspend, by="human:ada", principal="agent:a1", reason="r")
    refuse(office, "was suspended", acts.suspend, by="human:ada", principal="agent:a1", reason="r")
    key = office.signer("spare").public_key
    refuse(office, "was suspended", acts.add_key, by="human:ada", principal="agent:a1", key=key)


def test_who_is_unknown_can_not_be_changed(office):
    refuse(office, "no principal agent:x", acts.suspend, by="human:ada", principal="agent:x", reason="r")


def test_a_signer_has_seen_the_principal_that_they_change(office):
    first = office.sign(acts.suspend, by="human:ada", principal="human:bo", reason="r")
    office.act(acts.add_key, by="human:ada", principal="human:bo", key=office.signer("spare").public_key)
    with pytest.raises(ViewError, match="stale: the signer saw 7 events, human:bo is of event 7"):
        office.append_signed(first)


# -- resources --


@pytest.fixture
def resource(office):
    office.act(acts.register_resource, by="registrar:stores", resource="tool:search", attributes={"asset": "tool"})
    return {"by": "human:ada", "resource": "tool:search"}


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("tool:sea*", {}),
        ("search", {}),
        ("file:///srv/../etc", {}),
        ("db://prod/us\u200bers", {}),
        ("tool:x", {"asset": "a\u202eb"}),
        ("tool:x", {"a\x7f": True}),
    ],
)
def test_a_resource_in_another_spelling_is_refused(office, name, attributes):
    refuse(
        office, "can't be event", acts.register_resource, by="registrar:stores", resource=name, attributes=attributes
    )


def test_versions_only_grow(office, resource):
    office.act(acts.reclassify, attributes={}, **resource)
    assert office.state("resource", "tool:search")["version"] == 2
    office.act(acts.advance, version=9, **resource)
    for version in (9, 8, 1):
        refuse(office, "is at version 9 already", acts.advance, version=version, **resource)
    office.act(acts.reclassify, attributes={}, **resource)
    assert office.state("resource", "tool:search")["version"] == 10


def test_what_was_retired_does_not_change(office, resource):
    office.act(acts.retire, **resource)
    for act, more in ((acts.retire, {}), (acts.advance, {"version": 5}), (acts.reclassify, {"attributes": {}})):
        refuse(office, "was retired by event 8", act, **more, **resource)


def test_what_is_not_registered_does_not_change(office):
    refuse(office, "there is no resource tool:x", acts.retire, by="registrar:stores", resource="tool:x")


@pytest.mark.parametrize(
    ("act", "more"),
    [(acts.retire, {}), (acts.advance, {"version": 5}), (acts.reclassify, {"attributes": {"asset": "x"}})],
)
def test_a_signer_has_seen_the_resource_that_they_change(office, resource, act, more):
    draft = office.sign(act, **more, **resource)
    office.act(acts.reclassify, attributes={"asset": "y"}, **resource)
    with pytest.raises(ViewError, match="stale: the signer saw 8 events, tool:search is of event 8"):
        office.append_signed(draft)


def test_a_reclassification_has_one_spelling_too(office, resource):
    refuse(office, "can't be event", acts.reclassify, attributes={"asset": "a\u200b"}, **resource)


def test_a_resource_takes_no_event_about_something_else(office, resource):
    view = next(view for view in VIEWS if view.name == "resource")
    with pytest.raises(ViewError, match="not about a resource"):
        view.apply("tool:search", office.state("resource", "tool:search"), office.event(1))


# -- standing grants --


@pytest.mark.parametrize("change", [{"selector": " "}, {"grant": "AAAA"}], ids=str)
def test_a_standing_grant_that_breaks_its_form_is_refused(story, change):
    body = story.events["grant.ratified"].body.model_copy(update={"grant": "B" * 21 + "A", **change})
    with pytest.raises(ViewError):
        story.office.append(body)


def test_a_revocation_names_the_subject_of_its_grant(story, vocabulary):
    terms = StandingTerms("agent:ops-7", ("file",), ("read",), "file:///srv/**", "not production")
    office = story.office
    grant = office.act(acts.ratify_grant, vocabulary, by="human:ada", terms=terms, reason="r").body.grant
    body = story.events["grant.revoked"].body.model_copy(update={"grant": grant, "subject": "agent:a1", "log_size": 99})
    with pytest.raises(ViewError, match="is for agent:ops-7"):
        office.append(body)


# -- consents and requests --


@pytest.fixture
def granted(office, terms, wanted):
    return office.act(
        acts.grant_terms,
        by="human:ada",
        terms=terms,
        wanted=(wanted, replace(wanted, target="db://prod/users/43")),
        reason="r",
        expires=office.clock.after(3_600_000_000),
    )


def consumed(office, granted, **change):
    decision = office.note().seq
    fields = {"grant": granted.body.grant, "item": 0, "use": 1, "decision": decision, "target": ROW, **change}
    causes = fields.pop("causes", (decision, granted.seq))
    return office.append(ConsentConsumed(**fields), causes=causes)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"grant": "A" * 22}, "there is no consent"),
        ({"item": 2}, "has no item 2"),
        ({"use": 2}, "is number 1, not 2"),
        ({"item": 1, "target": "db://prod/users/44"}, "no live consent"),
        ({"decision": 1, "causes": (1, 7)}, "a decision made after it"),
        ({"causes": ()}, "caused by the consent"),
    ],
)
def test_a_consumption_that_contradicts_its_grant_is_refused(office, granted, change, why):
    with pytest.raises(ViewError, match=why):
        consumed(office, granted, **change)


def test_nothing_is_spent_beyond_its_uses(office, granted):
    consumed(office, granted)
    with pytest.raises(ViewError, match=r"item 0 of consent .* is used up"):
        consumed(office, granted, use=2)


def test_nothing_is_spent_after_revocation(office, granted, registry):
    revocation = {"by": "human:ada", "grant": granted.body.grant, "reason": "r"}
    office.act(acts.revoke_consent, registry, **revocation)
    with pytest.raises(ViewError, match="was revoked by event"):
        consumed(office, granted)
    refuse(office, "was revoked by event", acts.revoke_consent, registry, **revocation)


def test_what_is_used_up_can_not_be_taken_back(office, granted, registry):
    consumed(office, granted)
    consumed(office, granted, item=1, target="db://prod/users/43")
    refuse(office, "is used up", acts.revoke_consent, registry, by="human:ada", grant=granted.body.grant, reason="r")


def test_a_revocation_wins_over_a_use_that_it_has_not_seen(office, granted, registry):
    draft = office.sign(acts.revoke_consent, registry, by="human:bo", grant=granted.body.grant, reason="r")
    consumed(office, granted)
    office.append_signed(draft)
    assert office.state(CONSENT, granted.body.grant)["revoked"] is not None


def asked(office, terms, wanted, **change):
    decision = office.note().seq
    to = terms.bound(terms.openings())
    fields = {
        "decision": decision, "subject": terms.subject, "domain": "", "items": (item_for(to, wanted),), "args": to.args,
        "operands": to.operands, **change,
    }  # fmt: skip
    causes = fields.pop("causes", (decision,))
    return office.append(ConsentRequested(**fields), causes=causes)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"items": ()}, "at least one action"),
        ({"subject": ()}, "a chain of 1 to"),
        ({"subject": ("ops",)}, "a principal is"),
        ({"subject": ("agent:a", "B")}, "a name is"),
        ({"causes": ()}, "caused by the decision"),
        ({"decision": 99}, "caused by the decision"),
    ],
)
def test_a_request_that_breaks_its_form_is_refused(office, terms, wanted, change, why):
    with pytest.raises(ViewError, match=why):
        asked(office, terms, wanted, **change)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"target": "users/42"}, "a reference starts with its scheme"),
        ({"target": "db://prod/users/**"}, "is for patterns"),
        ({"binding": "AAAA"}, "a binding digest has 32 bytes"),
        ({"binding": "?"}, "not base64url"),
        ({"verb": "de\u200blete"}, "can't be seen"),
    ],
)
def test_an_item_that_breaks_its_form_is_refused(office, terms, wanted, change, why):
    item = item_for(terms.bound(terms.openings()), wanted).model_copy(update=change)
    with pytest.raises(ViewError, match=why):
        asked(office, terms, wanted, items=(item,))


def test_an_operand_that_breaks_its_form_is_refused(office, terms, wanted):
    operand = terms.bound(terms.openings()).operands[0].model_copy(update={"reference": "s.sh"})
    with pytest.raises(ViewError, match="a reference starts"):
        asked(office, terms, wanted, operands=(operand,))


def test_a_request_is_answered_by_who_has_seen_it(story, terms, wanted):
    office = story.office
    refused = story.events["consent.refused"].body
    event = asked(office, terms, wanted)
    stale = refused.model_copy(update={"request": event.seq, "log_size": event.seq})
    with pytest.raises(ViewError, match="stale"):
        office.append(stale)
    with pytest.raises(ViewError, match="there is no request 1"):
        office.append(refused.model_copy(update={"request": 1, "log_size": 99}))


def test_the_index_of_requests_keeps_the_last(office, terms, wanted):
    events = [asked(office, terms, wanted) for _ in range(17)]
    assert office.state("request_by_target", ROW) == {"requests": [event.seq for event in events[1:]]}


# -- reading --


class OneRow:
    def __init__(self, data, event=None):
        self.row, self.event = StateRow("principal", "agent:a", 3, data), event

    def state(self, view, key):
        return self.row

    def event_bytes(self, seq):
        return self.event

    def openings(self, seq):
        return ()


def test_a_row_of_another_form_is_corrupt():
    with pytest.raises(CorruptError, match="another form"):
        read_state(OneRow(b'{"kind":"agent"}'), "principal", "agent:a", PrincipalState)


def test_a_state_of_another_form_is_not_folded(office):
    suspension = office.sign(acts.suspend, by="human:ada", principal="agent:a1", reason="r")
    office.log._states["principal", "agent:a1"] = StateRow("principal", "agent:a1", 3, b"{}")
    with pytest.raises(CorruptError, match="another form"):
        office.append(suspension.body)


def test_an_event_in_anothers_place_is_refused(office):
    assert read_event(OneRow(b"{}"), office.registry, 4) is None
    with pytest.raises(EventError, match="event 2 stands in the place of event 4"):
        read_event(OneRow(b"{}", office.log.event_bytes(2)), office.registry, 4)


def test_every_form_is_written_as_it_is_read():
    for form in Row.__subclasses__():
        assert form.model_config["extra"] == "forbid", form


def refuse(office, why, act, *args, **fields):
    """Expect an act to be refused when it is prepared, and by the fold itself if it is signed all the same."""
    from grants import issue
    from grants.errors import IssueError

    before = office.log.head
    # Whoever prepares an act is told why; that it would have been which event helps only whoever reads the log.
    told = None if why == "can't be event" else why
    with pytest.raises(IssueError, match=told):
        office.prepare(act, *args, **fields)
    rehearse = issue.rehearsed
    issue.rehearsed = lambda snapshot, prepared: prepared
    try:
        draft = office.sign(act, *args, **fields)
    finally:
        issue.rehearsed = rehearse
    with pytest.raises(ViewError, match=why) as caught:
        office.append_signed(draft)
    assert "\n" not in str(caught.value)
    assert office.log.head == before


def refuse_taken(office, act, **fields):
    """Expect an act to be refused by a unique key: as it is prepared, and as it is appended all the same."""
    from unittest import mock

    from grants.errors import IssueError

    with pytest.raises(IssueError, match="already"):
        office.prepare(act, **fields)
    with mock.patch("grants.issue.rehearsed", lambda snapshot, prepared: prepared):
        draft = office.sign(act, **fields)
    with pytest.raises(ClaimTakenError):
        office.append_signed(draft)


def test_wanted_names_one_version():
    assert Wanted("data", "read", ROW, 1) != Wanted("data", "read", ROW, 2)
