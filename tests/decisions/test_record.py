"""One transaction: what is recorded with a verdict, what is spent, what is asked, and what is repeated."""

import pytest

from decisions import record
from decisions.constitution import loader
from decisions.errors import RequestConflictError
from decisions.events import DecisionMade
from decisions.operation import receive
from decisions.record import Request
from grants import acts, sshsig
from grants.consent import Terms, Wanted
from grants.standing import StandingTerms
from ledger.errors import StoreBusyError

ROW = "db://prod/users/42"
FIXTURE = "file:///srv/app/tests/fixtures/a.json"
MINUTE = 60_000_000


def ratify(court, *, verbs=("update",), targets="db://prod/stats/**", selector="production", **more):
    selector = f'{selector} and reversibility != "irreversible"'
    vocabulary = court.law()
    terms = StandingTerms("agent:ops-7", ("data",), tuple(verbs), targets, selector, **more)
    return court.office.act(acts.ratify_grant, vocabulary, by="human:ada", terms=terms, reason="nightly job")


def test_test_fixture_is_deleted_without_a_human(court):
    answer = court.do("delete", FIXTURE)
    assert (answer.outcome, answer.articles()) == ("allow", ("VI",))
    assert "disposable" in answer.body.categories


def test_every_answer_has_its_own_record(court):
    before = court.types().count("decision.made")
    answers = [court.do("delete", FIXTURE), court.do("delete", ROW), court.do("drop", "db://prod/users", scope="all")]
    assert [a.outcome for a in answers] == ["allow", "hold", "deny"]
    assert len({a.decision for a in answers}) == 3
    assert court.types().count("decision.made") == before + 3


def test_consent_is_asked_for_granted_used_once_and_then_gone(court):
    held = court.do("delete", ROW)
    assert (held.outcome, held.reason) == ("hold", "CONSENT_REQUIRED")
    grant = court.consent(held).body.grant
    allowed = court.do("delete", ROW)
    assert (allowed.outcome, allowed.grant()) == ("allow", grant)
    assert court.types()[-2:] == ["decision.made", "consent.consumed"]
    again = court.do("delete", ROW)
    assert (again.outcome, again.reason) == ("hold", "CONSENT_CONSUMED")
    assert again.request != held.request


def test_consumption_follows_its_decision_and_names_its_causes(court):
    held = court.do("delete", ROW)
    granted = court.consent(held)
    allowed = court.do("delete", ROW)
    consumed = court.office.event(allowed.decision + 1)
    assert set(consumed.causes) == {granted.seq, allowed.decision}
    assert (consumed.body.item, consumed.body.use, consumed.body.decision) == (0, 1, allowed.decision)


def test_nothing_is_spent_by_an_operation_that_is_not_allowed_as_a_whole(court):
    court.consent(court.do("delete", ROW))
    both = court.ask(
        "typed", {"actions": [{"verb": "delete", "target": ROW}, {"verb": "delete", "target": "db://prod/nosuch/1"}]}
    )
    assert both.outcome == "deny"
    assert "consent.consumed" not in court.types()
    assert court.do("delete", ROW).outcome == "allow"


def test_holding_twice_asks_once(court):
    """Case D11: one approval satisfies the joined request."""
    first, second = court.do("delete", ROW), court.do("delete", ROW)
    assert first.request == second.request
    assert court.types().count("consent.requested") == 1
    court.consent(second)
    assert [court.do("delete", ROW).outcome for _ in range(2)] == ["allow", "hold"]


def test_pending_request_is_no_consent(court):
    """Case D23: a second before the human answers nothing is consumed."""
    court.do("delete", ROW)
    assert court.do("delete", ROW).reason == "CONSENT_REQUIRED"
    assert "consent.consumed" not in court.types()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"target": "db://prod/users/43"}, "CONSENT_REQUIRED"),
        ({"verb": "update"}, "CONSENT_REQUIRED"),
        ({"claimed": "agent:ops-7/sub2"}, "CONSENT_SUBJECT"),
        ({"note": "another argument"}, "CONSENT_BINDING"),
        ({"operands": (("file:///srv/app/s.sh", "A" * 43),)}, "CONSENT_BINDING"),
    ],
)
def test_consent_for_another_operation_does_not_fit(court, change, reason):
    """Cases D05, D07, D19."""
    court.consent(court.do("delete", ROW))
    payload = {"verb": change.pop("verb", "delete"), "target": change.pop("target", ROW)}
    if "note" in change:
        payload["attributes"] = {"note": change.pop("note")}
    answer = court.ask("typed", payload, **change)
    assert (answer.outcome, answer.reason) == ("hold", reason)


def test_consent_ends_with_the_version_of_its_resource(court):
    court.consent(court.do("delete", ROW))
    court.office.act(acts.advance, by="registrar:stores", resource="db://prod/users/**", version=2)
    assert court.do("delete", ROW).reason == "CONSENT_VERSION"


def test_consent_expires_without_leniency(court):
    """Case D09."""
    court.consent(court.do("delete", ROW), minutes=10)
    court.office.clock.go(10 * MINUTE - 1)
    before = court.do("delete", ROW)
    court.consent(court.do("delete", ROW), minutes=10)
    court.office.clock.go(10 * MINUTE)
    assert (before.outcome, court.do("delete", ROW).reason) == ("allow", "CONSENT_EXPIRED")


def test_revoked_consent_is_no_consent(court):
    grant = court.consent(court.do("delete", ROW)).body.grant
    court.office.act(acts.revoke_consent, court.office.registry, by="human:ada", grant=grant, reason="changed my mind")
    assert court.do("delete", ROW).reason == "CONSENT_REVOKED"


def test_consent_of_a_signer_who_was_suspended_is_no_consent(court):
    court.consent(court.do("delete", ROW), by="human:bo")
    court.office.act(acts.suspend, by="human:ada", principal="human:bo", reason="left")
    assert court.do("delete", ROW).reason == "CONSENT_REVOKED"


def test_consent_with_uses_is_used_so_often(court):
    court.consent(court.do("delete", ROW), uses=3)
    assert [court.do("delete", ROW).outcome for _ in range(4)] == ["allow"] * 3 + ["hold"]


def test_oldest_of_several_consents_is_spent_first(court):
    held = court.do("delete", ROW)
    first = court.consent(held).body.grant
    content = {"form": "typed", "payload": {"verb": "delete", "target": ROW}}
    terms = Terms(court.office.origin, ("agent:ops-7",), "", content)
    second = court.office.act(
        acts.grant_terms,
        by="human:ada",
        terms=terms,
        wanted=(Wanted("data", "delete", ROW, 1),),
        expires=court.office.clock.after(MINUTE),
        reason="and once more",
    ).body.grant
    assert [court.do("delete", ROW).grant() for _ in range(3)] == [first, second, None]


def test_standing_grant_allows_until_revoked(court):
    target = "db://prod/stats/7"
    assert court.do("update", target).outcome == "hold"
    grant = ratify(court).body.grant
    allowed = [court.do("update", target) for _ in range(2)]
    assert [(a.outcome, a.grant()) for a in allowed] == [("allow", grant)] * 2
    court.office.act(acts.revoke_grant, by="human:ada", grant=grant, reason="enough")
    assert court.do("update", target).outcome == "hold"


def test_what_was_checked_is_remembered_and_what_is_live_is_not(court, monkeypatch):
    """A decision reads no constitution and verifies no signature a second time; a grant's end is seen all the same."""
    target = "db://prod/stats/7"
    grant = ratify(court).body.grant
    assert court.do("update", target).outcome == "allow"
    again = []
    monkeypatch.setattr(loader, "load", lambda document: again.append("constitution"))
    monkeypatch.setattr(sshsig, "verify", lambda *arguments: again.append("signature"))
    assert [court.do("update", target).outcome for _ in range(3)] == ["allow"] * 3
    assert again == []
    monkeypatch.undo()
    court.office.act(acts.revoke_grant, by="human:ada", grant=grant, reason="enough")
    assert court.do("update", target).outcome == "hold"


def test_standing_grant_expires_without_leniency(court):
    ratify(court, expires=court.office.clock.after(MINUTE))
    court.office.clock.go(MINUTE - 1)
    assert court.do("update", "db://prod/stats/7").outcome == "allow"
    court.office.clock.go(1)
    assert court.do("update", "db://prod/stats/7").outcome == "hold"


def test_standing_grant_is_anchored_to_its_root(court):
    """Case B07."""
    ratify(court, targets="db://prod/stats/daily/**")
    assert court.do("update", "db://prod/stats/daily/1").outcome == "allow"
    assert court.do("update", "db://prod/stats/x/daily/1").outcome == "hold"
    assert court.do("update", "db://prod/stats/dailyish/1").outcome == "hold"


def test_standing_grants_add_up_in_any_order(court):
    """Case C07: the looser of two grants decides no more than either does."""
    court.attest("backup", "db://prod/stats/**")
    ratify(court, selector='production and scope == "one"')
    ratify(court)
    assert court.do("update", "db://prod/stats/7").outcome == "allow"
    assert court.do("update", "db://prod/stats/7", scope="many").outcome == "hold"


def test_repeated_request_gets_the_recorded_verdict(court):
    court.consent(court.do("delete", ROW))
    first = court.do("delete", ROW, id="r-1")
    again = court.do("delete", ROW, id="r-1")
    assert (first.repeated, again.repeated) == (False, True)
    assert first.body == again.body
    assert court.types().count("consent.consumed") == 1


def test_repeated_request_survives_a_change_of_everything_else(court):
    held = court.do("delete", ROW, id="r-1")
    court.consent(held)
    again = court.do("delete", ROW, id="r-1")
    assert (again.outcome, again.repeated, again.request) == ("hold", True, held.request)


@pytest.mark.parametrize(
    "other",
    [
        {"target": "db://prod/users/43"},
        {"claimed": "agent:ops-7/part"},
        {"operands": (("file:///srv/app/s.sh", "A" * 43),)},
        {"domain": "elsewhere"},
    ],
)
def test_request_id_is_not_given_to_another_operation(court, other):
    court.do("delete", ROW, id="r-1")
    size = court.office.log.head.size
    with pytest.raises(RequestConflictError, match="r-1"):
        court.do("delete", other.pop("target", ROW), id="r-1", **other)
    assert court.office.log.head.size == size


def test_claimant_can_not_take_the_request_ids_of_the_principal_it_claims_to_be(court):
    false = court.do("delete", FIXTURE, uid=None, claimed="agent:ops-7", id="r-1")
    true = court.do("delete", FIXTURE, id="r-1")
    assert (false.outcome, true.outcome, true.repeated) == ("deny", "allow", False)


@pytest.mark.parametrize("who", [{"uid": None}, {"uid": 4242}, {"uid": 4242, "claimed": "human:ada"}])
def test_nobody_known_is_denied_by_article_eight(court, who):
    answer = court.do("delete", FIXTURE, **who)
    assert answer.outcome == "deny"
    assert "VIII" in answer.articles()


def test_service_speaks_for_its_agents_and_for_no_other(court):
    mine = court.do("delete", FIXTURE, uid=1002, claimed="agent:ops-7", id="r-1")
    other = court.do("delete", FIXTURE, uid=1002, claimed="agent:a1", id="r-2")
    assert (mine.outcome, other.outcome) == ("allow", "deny")


def test_service_whose_owner_was_suspended_speaks_for_nobody(office, found):
    """A service stands as long as a human answers for it."""
    register = {"by": "human:ada", "name": "desk", "owner": "human:bo", "uid": 1003, "speaks_for": ["agent:ops-7"]}
    office.act(acts.register_principal, principal="service:other", keys=[office.signer("other").public_key], **register)
    court = found(office)
    how = {"uid": 1003, "claimed": "agent:ops-7"}
    assert court.do("delete", FIXTURE, id="r-1", **how).outcome == "allow"
    office.act(acts.suspend, by="human:ada", principal="human:bo", reason="left")
    assert court.do("delete", FIXTURE, id="r-2", **how).outcome == "deny"


def test_service_without_a_request_id_is_denied_by_article_seven(court):
    answer = court.do("delete", FIXTURE, uid=1002, claimed="agent:ops-7")
    assert (answer.outcome, "VII" in answer.articles()) == ("deny", True)


def test_demonstration_ledger_believes_claims_of_registered_principals(empty, populate, found):
    court = found(populate(empty, demonstration=True))
    assert court.do("delete", FIXTURE, uid=None, claimed="agent:ops-7").outcome == "allow"
    assert court.do("delete", FIXTURE, uid=None, claimed="agent:nobody").outcome == "deny"


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"null", b'{"a":NaN}', b'{"a":1,"a":2}', b"\xff\xfe", b'{"a":1.5}'])
def test_unreadable_operation_is_a_recorded_deny(court, text):
    """Cases C05 and H03."""
    answer = court.point.decide(Request(receive("tool_call", text), 1001, None))
    assert (answer.outcome, answer.reason) == ("deny", "UNPARSEABLE")
    assert answer.decision == court.office.log.head.size - 1


def test_oversized_operation_is_a_recorded_deny(court):
    answer = court.point.decide(Request(receive("typed", b" " * 300_000), 1001, None))
    assert (answer.outcome, answer.decision is not None) == ("deny", True)


def test_error_in_the_evaluation_is_a_deny_with_a_record(court, monkeypatch):
    """Case C15: whatever throws, the request is denied and the record says POLICY_ERROR."""

    def broken(*_args, **_more):
        raise ZeroDivisionError("matcher failed")

    monkeypatch.setattr("decisions.pdp.decide", broken)
    answer = court.do("delete", FIXTURE)
    assert (answer.outcome, answer.reason) == ("deny", "POLICY_ERROR")
    assert "matcher failed" in answer.trouble
    body = court.office.event(answer.decision).body
    assert (body.reason, body.actions[0].target) == ("POLICY_ERROR", FIXTURE)


def test_without_a_constitution_everything_is_denied_with_a_record(office):
    point = record.DecisionPoint(office.log, office.registry)
    answer = point.decide(Request(receive("typed", b'{"verb":"read","target":"file:///x"}'), 1001, None))
    assert (answer.outcome, answer.reason, answer.decision is not None) == ("deny", "POLICY_ERROR", True)


def test_without_a_ledger_the_answer_is_deny(court, monkeypatch):
    def locked(_work):
        raise StoreBusyError("another process holds the ledger")

    monkeypatch.setattr(court.office.log, "transact", locked)
    answer = court.do("delete", FIXTURE)
    assert (answer.outcome, answer.reason, answer.decision) == ("deny", "LEDGER_UNAVAILABLE", None)
    assert "another process" in answer.trouble


def test_clock_that_stepped_back_denies(court):
    """Case D09: time may not run back behind the last event."""
    court.office.clock.go(-3_000_000)
    answer = court.do("delete", FIXTURE)
    assert (answer.outcome, answer.reason) == ("deny", "LEDGER_UNAVAILABLE")
    assert "CLOCK_REGRESSION" in answer.trouble


def test_decision_records_every_state_that_it_read(court):
    answer = court.do("delete", ROW)
    read = {(one.view, one.key): one.seq for one in answer.body.reads}
    assert read["resource", ROW] is None
    assert read["resource", "db://prod/users/**"] is not None
    assert ("principal", "agent:ops-7") in read
    assert ("constitution", "current") in read
    assert ("consent_by_target", ROW) in read
    assert all(cause < answer.decision for cause in court.office.event(answer.decision).causes)


def test_revocation_is_seen_by_the_very_next_decision(court):
    """Case C11."""
    for _ in range(20):
        grant = ratify(court).body.grant
        assert court.do("update", "db://prod/stats/7").outcome == "allow"
        court.office.act(acts.revoke_grant, by="human:ada", grant=grant, reason="enough")
        assert court.do("update", "db://prod/stats/7").outcome == "hold"


def test_link_that_leads_elsewhere_is_judged_by_where_it_leads(office, found):
    """Case B05: both the name and what it resolves to must be allowed."""
    led = {"file:///srv/app/tests/fixtures/link": "file:///etc/passwd"}
    court = found(office, resolver=led.get)
    assert court.do("delete", "file:///srv/app/tests/fixtures/link").reason == "UNCLASSIFIED"
    assert court.do("delete", FIXTURE).outcome == "allow"


def test_lookalike_name_is_no_known_resource(court):
    """Case B01: a Cyrillic letter makes another name, and it is not folded into the known one."""
    answer = court.do("delete", "db://pr\u043ed/users/42")
    assert (answer.outcome, answer.reason) == ("deny", "UNCLASSIFIED")


def test_resource_is_classified_by_its_nearest_registration(court):
    near = court.do("write", "file:///srv/app/.claude/settings.json")
    assert (near.outcome, near.reason) == ("deny", "FORBIDDEN")
    assert "XI" in near.articles()
    assert near.body.actions[0].registration == "file:///srv/app/.claude/**"


def test_retired_resource_is_unclassified_even_inside_a_registered_subtree(court):
    court.office.act(acts.retire, by="registrar:stores", resource="file:///srv/app/tests/fixtures/**")
    assert court.do("delete", FIXTURE).reason == "UNCLASSIFIED"


def test_arguments_stand_in_the_log_as_commitments_only(court):
    secret = "hunter2-very-secret"
    answer = court.ask("shell", {"command": f"echo {secret} > /srv/app/x", "cwd": "/srv/app"})
    assert answer.decision is not None
    assert all(secret.encode() not in data for _, data in court.office.log.events())
    assert any(secret in str(opening.value) for opening in court.office.log.openings(answer.decision))


def test_freeze_outweighs_an_older_unused_consent(court):
    """Case J01: a code freeze is a forbid, and consent never overrides one."""
    court.consent(court.do("delete", ROW))
    frozen = court.amended("forbid", "VI.freeze", ["data"], "production", verb="delete", environment="prod")
    assert court.do("delete", ROW).reason == "FORBIDDEN"
    assert frozen


def test_recorded_body_is_what_the_answer_says(court):
    answer = court.do("delete", ROW)
    body = court.office.event(answer.decision).body
    assert isinstance(body, DecisionMade)
    assert answer.to_json()["reasons"] == list(body.reasons)
    assert answer.to_json()["rules"] == [rule.rule for rule in body.rules]


def test_name_that_differs_in_case_alone_is_judged_as_the_registered_one_where_the_store_folds_case(court):
    """Case B03: the deny side folds, the grant side does not widen."""
    plain = {"environment": "dev", "asset": "source", "sensitivity": "internal", "reversibility": "reversible"}
    plain |= {"about_people": False}
    register = {"by": "registrar:stores"}
    office = court.office
    office.act(acts.register_resource, resource="file:///r/**", attributes={**plain, "casefold": True}, **register)
    office.act(acts.register_resource, resource="file:///s/**", attributes=plain, **register)
    for root in ("file:///r", "file:///s"):
        guarded = {**plain, "asset": "control_plane"}
        office.act(acts.register_resource, resource=f"{root}/.git/**", attributes=guarded, **register)
    folds = court.do("write", "file:///r/.GIT/config")
    assert (folds.outcome, folds.reason) == ("deny", "FORBIDDEN")
    assert {a.target for a in folds.body.actions} == {"file:///r/.GIT/config", "file:///r/.git/config"}
    assert court.do("write", "file:///s/.GIT/config").outcome == "allow"
    assert court.do("write", "file:///r/README").outcome == "allow"


def test_what_a_store_does_with_case_holds_for_all_that_is_registered_in_it(court):
    """A registration in between that says nothing of it does not make the store tell cases apart."""
    plain = {"environment": "dev", "asset": "source", "sensitivity": "internal", "reversibility": "reversible"}
    plain |= {"about_people": False}
    register = {"by": "registrar:stores"}
    for resource, more in (
        ("file:///r/**", {"casefold": True}),
        ("file:///r/sub/**", {}),
        ("file:///r/sub/.git/**", {"asset": "control_plane"}),
        ("file:///r/linux/**", {"casefold": False}),
        ("file:///r/linux/.git/**", {"asset": "control_plane"}),
    ):
        court.office.act(acts.register_resource, resource=resource, attributes={**plain, **more}, **register)
    assert court.do("write", "file:///r/sub/.GIT/config").outcome == "deny"
    assert court.do("write", "file:///r/linux/.GIT/config").outcome == "allow"


def test_consent_for_one_spelling_reaches_no_other(court):
    row = {"environment": "prod", "asset": "business_record", "sensitivity": "internal", "about_people": False}
    row |= {"reversibility": "irreversible", "casefold": True}
    for name in ("db://p/t/a", "db://p/t/A"):
        court.office.act(acts.register_resource, by="registrar:stores", resource=name, attributes=row)
    held = court.do("delete", "db://p/t/A")
    assert [item.target for item in court.office.event(held.request).body.items] == ["db://p/t/A", "db://p/t/a"]
    court.consent(held)
    assert court.do("delete", "db://p/t/A").outcome == "allow"
    assert court.do("delete", "db://p/t/a").outcome == "hold"


def test_broad_target_does_not_step_around_a_narrow_prohibition(court):
    """Removing a directory removes what is registered inside it, and is judged by that too."""
    everything = court.ask("shell", {"command": "rm -rf /srv/app", "cwd": "/srv"})
    assert (everything.outcome, "XI" in everything.articles()) == ("deny", True)
    assert "file:///srv/app/.claude" in {action.target for action in everything.body.actions}
    below = court.ask("shell", {"command": "rm -rf /srv", "cwd": "/"})
    assert "file:///srv/hr" in {action.target for action in below.body.actions}
    assert court.ask("shell", {"command": "rm -rf /srv/app/tests/fixtures", "cwd": "/srv"}).outcome == "allow"


def test_listing_a_directory_does_not_touch_what_is_in_it(court):
    shallow = court.do("list", "file:///srv/app")
    assert (shallow.outcome, len(shallow.body.actions)) == ("allow", 1)
    deep = court.do("list", "file:///srv/app", scope="many")
    assert len(deep.body.actions) == 3


def test_reading_a_table_reads_the_rows_that_are_registered_by_themselves(court):
    secret = {"environment": "prod", "asset": "secret", "sensitivity": "restricted", "about_people": False}
    court.office.act(acts.register_resource, by="registrar:stores", resource="db://prod/stats/keys", attributes=secret)
    assert court.do("read", "db://prod/stats/1").outcome == "allow"
    whole = court.do("read", "db://prod/stats", scope="all")
    assert (whole.outcome, "V" in whole.articles()) == ("deny", True)


def test_more_names_below_a_target_than_are_looked_at_is_too_complex(court):
    plain = {"environment": "test", "asset": "scratch", "sensitivity": "internal", "reversibility": "reversible"}
    for number in range(260):
        court.office.act(
            acts.register_resource,
            by="registrar:stores",
            resource=f"file:///many/{number:03}",
            attributes={**plain, "about_people": False},
        )
    assert court.do("delete", "file:///many/007").outcome == "allow"
    whole = court.do("delete", "file:///many", scope="many")
    assert (whole.outcome, whole.reason, whole.body.problems) == ("deny", "TOO_COMPLEX", ("TOO_COMPLEX",))
    assert court.office.state("resource_below", "file:///many") == {"names": [], "more": True}


def test_same_action_from_two_parts_of_an_operation_is_judged_once(court):
    twice = court.ask("shell", {"command": "rm /srv/app/tests/fixtures/a; rm /srv/app/tests/fixtures/a", "cwd": "/"})
    assert len([a for a in twice.body.actions if a.verb == "delete"]) == 1


@pytest.mark.parametrize(
    "claims",
    [
        {"class": "harmless"},
        {"rule": "VI.disposable", "article": "VI", "permit": "yes"},
        {"asset": "harmless", "environment": "playground"},
        {"environment": "test", "asset": "test_fixture", "reversibility": "reversible", "about_people": False},
        {"trust": "open", "authenticated": True, "owned": True, "scope": "one"},
        {"environment": None, "asset": ["test_fixture"], "reversibility": {"a": 1}},
    ],
    ids=["unknown attribute", "unknown rule", "unknown values", "milder values", "session facts", "nonsense"],
)
def test_classification_that_the_asker_supplies_only_tightens(court, claims):
    """Case C13: what a model says of the thing it wants to touch opens nothing, whatever names it makes up."""
    strict = {"allow": 0, "hold": 1, "deny": 2}
    for verb, target in (("delete", ROW), ("delete", FIXTURE), ("update", "db://prod/stats/7"), ("read", "db://x/y")):
        plain = court.do(verb, target)
        told = court.do(verb, target, attributes=claims)
        assert strict[told.outcome] >= strict[plain.outcome], (verb, target)


def test_conversation_class_that_nobody_declared_is_opaque(court):
    """Case C13: a class that a classifier made up is no class."""
    for made_up in ("soothe", "Referral", "refer", "befriend ", "open"):
        answer = court.ask("conversation", {"class": made_up, "person": "r7"})
        assert (answer.outcome, answer.reason) == ("deny", "UNPARSEABLE"), made_up


def test_chain_of_commands_is_not_covered_by_a_grant_for_its_first(court):
    """Case A01: a grant to change into a directory covers no program that is run there, and the answer cites which."""
    law = court.law()
    terms = StandingTerms("agent:ops-7", ("file",), ("enter",), "file:///srv/**", 'environment == "dev"')
    court.office.act(acts.ratify_grant, law, by="human:ada", terms=terms, reason="may look around")
    plain = {"environment": "prod", "asset": "program", "provenance": "trusted"}
    court.office.act(acts.register_resource, by="registrar:stores", resource="program:python3", attributes=plain)
    court.attest("audit_trail", "program:python3")
    answer = court.ask("shell", {"command": "cd /srv/app && python3 deploy.py", "cwd": "/"})
    assert (answer.outcome, answer.reason) == ("deny", "NO_AUTHORITY")
    actions = answer.to_json()["actions"]
    (lacking,) = {need.action for need in answer.body.needs}
    assert (actions[lacking]["kind"], actions[lacking]["part"]) == ("exec", "segment 2: python3")


def test_answer_tells_of_each_attribute_where_it_comes_from(court):
    (action,) = court.do("delete", ROW).to_json()["actions"]
    stored, read, asked = (action["attributes"][name] for name in ("environment", "scope", "authenticated"))
    assert (stored["value"], stored["source"]) == ("prod", "store")
    assert court.office.event(stored["stamp"]).type == "resource.registered"
    assert (read["source"], read["stamp"], asked["value"], asked["source"]) == ("reducer", None, True, "session")


@pytest.mark.parametrize(
    "url",
    [
        "https://docs.example.com@evil.tld/",
        "https://docs.example.com.evil.tld/",
        "https://evildocs.example.com/",
        "http://docs.example.com/",
        "https://docs.example.com:8443/",
        "https://169.254.169.254/latest/meta-data",
        "https://0xa9fea9fe/",
        "https://[::ffff:169.254.169.254]/",
    ],
)
def test_address_is_judged_by_its_parsed_host(court, url):
    """Case B13: what looks like a known host and is none gets no verdict of that host."""
    answer = court.ask("tool_call", {"tool_name": "WebFetch", "tool_input": {"url": url, "prompt": "read"}, "cwd": "/"})
    assert answer.outcome == "deny"
    assert answer.reason in {"ID_INVALID", "UNCLASSIFIED", "UNPARSEABLE"}


def test_each_hop_of_a_redirection_is_a_decision_of_its_own(court):
    """Case B13: an allowed address says nothing of where it sends on to; a client that follows is opaque."""

    def fetch(url):
        return court.ask(
            "tool_call", {"tool_name": "WebFetch", "tool_input": {"url": url, "prompt": "read"}, "cwd": "/"}
        )

    assert fetch("https://DOCS.example.com./guide").outcome == "allow"
    assert fetch("http://169.254.169.254/latest/meta-data").outcome == "deny"
    followed = court.ask("shell", {"command": "curl -L https://docs.example.com/guide", "cwd": "/srv/app"})
    assert (followed.outcome, followed.reason) == ("deny", "TARGET_UNRESOLVED")


@pytest.mark.parametrize("rest", ["$(true)", "`true`", '"$(date)"', "x"])
def test_home_is_resolved_whatever_stands_beside_it(court, rest):
    """Case A09: a substitution on the same line switches no check of the removal off."""
    home = {"environment": "prod", "asset": "config", "sensitivity": "confidential", "reversibility": "irreversible"}
    court.office.act(
        acts.register_resource,
        by="registrar:stores",
        resource="file:///home/ops/**",
        attributes={**home, "about_people": False},
    )
    answer = court.ask("shell", {"command": f"rm -rf ~ {rest}", "cwd": "/srv/app"})
    assert answer.outcome == "deny"
    assert "FORBIDDEN" in answer.body.reasons
    assert "IX.all" in {rule.rule for rule in answer.body.rules}


@pytest.mark.parametrize("error", [ZeroDivisionError("fault"), MemoryError("fault"), ValueError("fault")])
@pytest.mark.parametrize("where", ["decisions.draft.consumptions", "grants.consent.find_open_request"])
def test_error_while_the_record_is_made_is_a_deny_with_a_record(court, monkeypatch, where, error):
    """Whatever fails between the verdict and the append, nothing of it stays but the refusal."""

    def broken(*_args, **_more):
        monkeypatch.undo()
        raise error

    court.consent(court.do("delete", ROW))
    monkeypatch.setattr(where, broken)
    answer = court.do("delete", ROW)
    assert (answer.outcome, answer.reason) == ("deny", "POLICY_ERROR")
    assert court.types()[-1] == "decision.made"
    assert "consent.consumed" not in court.types()
    assert court.do("delete", ROW).outcome == "allow"


def test_error_that_stays_is_a_deny_without_a_record(court, monkeypatch):
    def broken(*_args, **_more):
        raise ZeroDivisionError("fault")

    monkeypatch.setattr("decisions.draft.decision", broken)
    size = court.office.log.head.size
    answer = court.do("delete", FIXTURE)
    assert (answer.outcome, answer.reason, answer.decision) == ("deny", "LEDGER_UNAVAILABLE", None)
    assert court.office.log.head.size == size
