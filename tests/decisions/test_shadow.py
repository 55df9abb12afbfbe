"""A shadow judges beside the constitution in force and enforces nothing. Policy case H05."""

import pytest

from decisions.amendment.events import ConstitutionAmended
from decisions.constitution import DEFAULT_TEXT
from decisions.errors import ConstitutionError, ShadowError
from decisions.shadow import acts
from grants.errors import AuthorityError
from ledger.errors import ViewError
from ledger.event import Draft
from tests.decisions.amendment.test_proves import checked
from verify.replay import replay
from verify.views import EVENTS, VIEWS

STRICT = DEFAULT_TEXT.replace(
    "when = 'production and reversibility != \"reversible\"'", "when = 'present(environment)'"
)
STRICT = STRICT.replace('environment = "test", reversibility = "recoverable" }', 'absent = ["environment"] }', 1)
OPEN = DEFAULT_TEXT.replace('effect = "forbid"', 'effect = "require_consent"')
TARGET = "file:///srv/app/one"


def start(court, document=STRICT, **how):
    return court.office.act(acts.start, court.office.registry, by="human:ada", document=document, **how)


def body_of(court, answer):
    return court.office.event(answer.decision).body


@pytest.fixture
def strict(court):
    """A candidate under which every write waits for a human."""
    start(court)
    return court


def test_the_record_holds_both_answers(strict):
    answer = strict.do("write", TARGET)
    body = body_of(strict, answer)
    assert (answer.outcome, body.mode, body.outcome) == ("allow", "enforce", "allow")
    assert (body.shadow.outcome, body.shadow.reason, body.shadow.enforced) == ("hold", "CONSENT_REQUIRED", False)
    assert [one.rule for one in body.shadow.rules if one.effect == "require_consent"] == ["I.production-change"]
    assert body.flips
    assert answer.to_json()["shadow"]["enforced"] is False


def test_nothing_else_of_the_decision_is_another(court):
    """The same request with and without a shadow: the same record but for the shadow's answer and its tags."""
    plain = body_of(court, court.do("delete", "db://prod/users/42", id="one"))
    start(court)
    shadowed = body_of(court, court.do("delete", "db://prod/users/42", id="two"))
    fields = set(type(plain).model_fields) - {"shadow", "args"}
    assert {name: getattr(plain, name) for name in fields} == {name: getattr(shadowed, name) for name in fields}


def test_a_shadow_asks_nobody_and_spends_nothing(strict):
    """It would have held: no human is asked. And where it would have allowed, nothing is allowed."""
    size = strict.office.log.head.size
    strict.do("write", TARGET)
    assert strict.office.log.head.size == size + 1


def test_a_candidate_that_would_allow_opens_nothing(court):
    closed = court.do("write", "file:///srv/app/.claude/x")
    start(court, OPEN)
    answer = court.do("write", "file:///srv/app/.claude/x")
    assert (answer.outcome, answer.reason) == (closed.outcome, closed.reason) == ("deny", "FORBIDDEN")
    assert body_of(court, answer).shadow.outcome != "deny"


def test_a_candidate_without_authority_for_a_consent_spends_none(court):
    """The candidate would allow by the same consent: it is spent once, by the decision that is enforced."""
    held = court.do("delete", "db://prod/users/42", id="ask")
    court.consent(held)
    start(court, STRICT)
    court.do("delete", "db://prod/users/42", id="go")
    assert court.types().count("consent.consumed") == 1


@pytest.mark.parametrize("error", [ValueError("broken"), RecursionError(), KeyError("x")])
def test_a_fault_in_the_shadow_touches_nothing(strict, monkeypatch, error):
    def broken(*_: object) -> None:
        raise error

    monkeypatch.setattr("decisions.shadow.judging._law", broken)
    answer = strict.do("write", TARGET)
    assert answer.outcome == "allow"
    assert (body_of(strict, answer).shadow.outcome, body_of(strict, answer).shadow.reason) == ("deny", "POLICY_ERROR")


def test_a_shadow_that_can_not_be_read_decides_nothing(court, monkeypatch):
    def broken(_: object) -> None:
        raise ValueError

    monkeypatch.setattr("decisions.shadow.judging.standing", broken)
    answer = court.do("write", TARGET)
    assert (answer.outcome, body_of(court, answer).shadow) == ("allow", None)


def test_a_shadow_ends(strict):
    strict.office.act(acts.stop, by="human:ada")
    assert body_of(strict, strict.do("write", TARGET)).shadow is None
    with pytest.raises(ShadowError, match="no shadow runs"):
        strict.office.act(acts.stop, by="human:ada")
    start(strict)
    assert body_of(strict, strict.do("write", TARGET)).shadow is not None


def test_one_runs_at_a_time(strict):
    with pytest.raises(ShadowError, match="end it with tally shadow stop first"):
        start(strict)


def test_two_that_were_signed_at_once_do_not_both_begin(court):
    office = court.office
    drafts = [office.sign(acts.start, office.registry, by="human:ada", document=text) for text in (STRICT, OPEN)]
    office.append_signed(drafts[0])
    with pytest.raises(ViewError, match="stop it first"):
        office.append_signed(drafts[1])


@pytest.mark.parametrize("by", ["agent:ops-7", "registrar:stores", "service:desk"])
def test_a_human_begins_it(court, by):
    with pytest.raises(AuthorityError):
        court.office.act(acts.start, court.office.registry, by=by, document=STRICT)


def test_a_candidate_that_is_not_accepted_does_not_begin(court):
    with pytest.raises(ConstitutionError):
        start(court, "x = 1")


def test_a_bundle_says_that_the_shadow_is_not_enforced(strict):
    answer = strict.do("write", TARGET)
    report = checked(strict.office, answer.decision)
    assert report.failed == ()
    assert report.summary == "allow, ALLOWED"
    assert "a shadow would have said hold: NOT ENFORCED, and not checked" in report.line("decision").why


def test_a_decision_that_is_a_shadow_is_never_told_as_enforced(court, monkeypatch):
    """No version writes one; a record that says so is told as what it is."""
    answer = court.do("write", TARGET)
    event = court.office.event(answer.decision)
    body = event.body.model_copy(update={"mode": "shadow"})
    forged = court.office.log.transact(
        lambda tx: tx.append(Draft(body, event.by, event.auth, event.via, "again", event.causes))
    )
    report = checked(court.office, forged.seq)
    assert report.summary.startswith("NOT ENFORCED")
    assert "NOT ENFORCED: the whole decision is a shadow" in report.line("decision").why


def test_decisions_beside_a_shadow_replay(strict):
    strict.do("write", TARGET)
    strict.do("delete", "db://prod/users/42")
    strict.amend(STRICT)
    strict.do("write", TARGET)
    log = strict.office.log
    assert {line.status for line in replay(log.events(), log.openings, EVENTS, VIEWS)} == {"same"}
    assert isinstance(strict.office.event(log.head.size - 3).body, ConstitutionAmended)


def test_an_operation_that_can_not_be_read_has_both_answers(strict):
    body = body_of(strict, strict.ask("shell", {"command": "if then", "cwd": "/"}))
    assert (body.outcome, body.shadow.outcome, body.shadow.reason) == ("deny", "deny", "UNPARSEABLE")
    assert not body.flips
