"""What may be erased, by whom and when, and what refuses it."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError

from grants import acts, erasing, holding
from grants.book import holds, retention
from grants.errors import AuthorityError, ErasureError, IssueError, SignatureError
from grants.events import BASES, ErasedField, FieldsErased, RetentionRule
from grants.issue import append_signed
from ledger.errors import ClaimTakenError, DisclosureError
from tests.grants.conftest import DAY, ROW, erase, request

ADA = {"by": "human:ada"}


@pytest.fixture
def granted(office, registry, terms, wanted):
    """A request and the consent that answers it: one commitment to the operation stands in both."""
    asked = request(office, terms, wanted)
    until = office.clock.after(DAY)
    return office.act(acts.grant_request, registry, request=asked.seq, reason="because", expires=until, **ADA)


def hold(office, *over):
    return office.act(holding.place_hold, over=over, reason="a claim was announced", **ADA)


def keep(office, *rules):
    made = [RetentionRule(type=t, path=p, at_least=least, at_most=most) for t, p, least, most in rules]
    return office.act(holding.set_retention, office.registry, rules=made, reason="agreed", **ADA)


def sign(office, *fields, basis="gdpr-art-17-1-a", by="human:ada"):
    """Sign an erasure without appending it."""
    (prepared,) = office.log.read(
        lambda look: erasing.erase(look, office.registry, by=by, fields=fields, basis=basis, at=office.clock.after(0))
    )
    return prepared.sign(office.signer(by))


def put(office, draft):
    return office.log.transact(lambda tx: erasing.append_erasure(tx, office.registry, [draft]))[0]


def open_paths(office, seq):
    return [opening.path for opening in office.log.openings(seq)]


def test_what_a_human_erases_is_gone(office, granted):
    """The opening is deleted, every other one stays, and the event that erased it is known."""
    event = erase(office, (granted.seq, "/reason"))
    assert "/reason" not in open_paths(office, granted.seq)
    assert "/args" in open_paths(office, granted.seq)
    assert office.log.claimed(f"erased:{granted.seq}:/reason") == event.seq
    assert list(office.log.tagged(f"erased:{granted.seq}")) == [event.seq] == list(office.log.tagged("erasure"))


@pytest.mark.parametrize("basis", BASES)
def test_every_basis_but_that_of_an_expired_term_needs_nothing_more(office, granted, basis):
    """The basis is the signer's to answer for; that a term is over is the log's to know."""
    if basis == "retention-expired":
        with pytest.raises(ErasureError, match=r"the time of /reason of event \d+ is not over: no rule limits"):
            erase(office, (granted.seq, "/reason"), basis=basis)
    else:
        assert erase(office, (granted.seq, "/reason"), basis=basis).body.basis == basis


def test_a_basis_that_is_not_on_the_list_is_refused(office, granted):
    """There is no room for a reason in anybody's own words."""
    with pytest.raises(IssueError, match="basis"):
        erase(office, (granted.seq, "/reason"), basis="because Bo Berg asked")


@pytest.mark.parametrize("by", ["registrar:stores", "sensor:mood", "service:desk"])
def test_only_a_human_erases(office, granted, by):
    """Whoever else has a key has no say in it."""
    with pytest.raises(AuthorityError, match=r"fields\.erased is signed by a human"):
        erase(office, (granted.seq, "/reason"), by=by)


def test_an_erasure_goes_no_other_way(office, granted):
    """The door for every other act, which knows nothing of holds, is closed to it."""
    draft = sign(office, (granted.seq, "/reason"))
    with pytest.raises(AuthorityError, match="append_erasure alone"):
        office.append_signed(draft)
    with pytest.raises(AuthorityError, match="is no erasure"):
        put(office, office.sign(holding.place_hold, over=["all"], reason="x", **ADA))


def test_a_forged_erasure_erases_nothing(office, granted):
    """Without the human's signature over just these fields nothing goes."""
    draft = sign(office, (granted.seq, "/reason"))
    other = draft.body.model_copy(update={"fields": (ErasedField(event=0, path="/name"),)})
    with pytest.raises(SignatureError):
        put(office, replace(draft, body=other))
    assert open_paths(office, 0) == ["/name"]


@pytest.mark.parametrize(
    ("field", "why"),
    [
        ((999, "/reason"), "no event 999"),
        ((0, "/human"), "no disclosable field /human"),
        ((0, "/nothing"), "no disclosable field /nothing"),
    ],
)
def test_what_is_not_disclosable_is_not_erased(office, field, why):
    """A name of nothing is refused before anybody signs."""
    with pytest.raises(ErasureError, match=why):
        erase(office, field)


def test_what_was_erased_is_not_erased_again(office, granted):
    """It says which event did it, before and after the signature."""
    late = sign(office, (granted.seq, "/reason"))
    event = erase(office, (granted.seq, "/reason"))
    with pytest.raises(IssueError, match=f"{granted.seq}:/reason was erased already, by event {event.seq}"):
        erase(office, (granted.seq, "/reason"))
    with pytest.raises((ClaimTakenError, DisclosureError)):
        put(office, late)


# -- one value in several events --


def test_one_value_is_erased_wherever_it_stands(office, granted):
    """A request and the consent that answers it hold one commitment: half an erasure is refused."""
    asked = granted.body.request
    with pytest.raises(ErasureError, match=f"stands open as /args of event {asked}"):
        erase(office, (granted.seq, "/args"))
    found = office.log.read(lambda look: erasing.twins(look, [(granted.seq, "/args")]))
    assert found == {(asked, "/args")}
    erase(office, (granted.seq, "/args"), (asked, "/args"))
    assert open_paths(office, asked) == ["/operands/0/content"]


def test_a_value_that_was_taken_up_meanwhile_refuses_the_erasure(office, granted, terms):
    """A retry between signature and append uses the salt again: the signed erasure would leave it open."""
    asked = granted.body.request
    draft = sign(office, (granted.seq, "/args"), (asked, "/args"))
    opened = tuple(office.log.openings(asked))
    body = office.event(asked).body
    decision = office.note().seq
    later = office.append(body.model_copy(update={"decision": decision}), causes=(decision,), openings=opened)
    with pytest.raises(ErasureError, match=f"/args of event {later.seq}: erase it there too"):
        put(office, draft)
    assert "/args" in open_paths(office, asked)


# -- holds --


@pytest.mark.parametrize("over", ["all", "event:{0}", "grant:{1}", f"resource:{ROW}", "resource:db://prod/users/**",
                                  "resource:db://prod/**", "actor:human:ada", "subject:agent:ops-7"])  # fmt: skip
def test_what_is_held_is_not_erased(office, granted, over):
    """A hold over everything, over the event, over a tag that it bears, over a subtree that it is about."""
    placed = hold(office, over.format(granted.seq, granted.body.grant))
    with pytest.raises(ErasureError, match=f"under the legal hold {placed.body.hold} .event {placed.seq}."):
        erase(office, (granted.seq, "/reason"))
    office.act(holding.release_hold, hold=placed.body.hold, reason="settled", **ADA)
    erase(office, (granted.seq, "/reason"))


@pytest.mark.parametrize("over", ["event:0", "resource:db://prod/user/**", "resource:db://prod/users/4/**", "grant:x"])
def test_a_hold_over_something_else_holds_nothing(office, granted, over):
    """Neither a neighbour nor a name that merely begins so."""
    hold(office, over)
    erase(office, (granted.seq, "/reason"))


def test_a_hold_that_was_placed_after_the_signature_wins(office, granted):
    """What counts is what stands when it is appended."""
    draft = sign(office, (granted.seq, "/reason"))
    hold(office, "all")
    with pytest.raises(ErasureError, match="under the legal hold"):
        put(office, draft)
    assert "/reason" in open_paths(office, granted.seq)


def test_every_hold_must_be_released(office, granted):
    """One of two still holds."""
    first, second = hold(office, "all"), hold(office, f"event:{granted.seq}", "all")
    assert office.log.read(lambda look: erasing.holds_over(look, granted)) == [
        (first.body.hold, first.seq),
        (second.body.hold, second.seq),
    ]
    office.act(holding.release_hold, hold=first.body.hold, reason="settled", **ADA)
    with pytest.raises(ErasureError, match=second.body.hold):
        erase(office, (granted.seq, "/reason"))


@pytest.mark.parametrize(
    "over", ["", "al", "event:", "event:x", "event:07", "event:-1", "grant:", ":x", "tag:a\u200bb"]
)
def test_a_hold_over_nothing_is_refused(office, over):
    """Whoever places it would rely on it."""
    with pytest.raises(IssueError):
        hold(office, over)


def test_a_hold_is_released_once(office):
    """And only one that stands."""
    placed = hold(office, "all")
    office.act(holding.release_hold, hold=placed.body.hold, reason="settled", **ADA)
    with pytest.raises(IssueError, match="was released by event"):
        office.act(holding.release_hold, hold=placed.body.hold, reason="settled", **ADA)
    with pytest.raises(IssueError, match="there is no hold"):
        office.act(holding.release_hold, hold="AAAAAAAAAAAAAAAAAAAAAA", reason="settled", **ADA)
    assert office.state(holds.OVER, "all") == {"holds": []}
    assert office.state(holds.HOLD, placed.body.hold)["released"] == placed.seq + 1


@pytest.mark.parametrize("by", ["registrar:stores", "sensor:mood"])
def test_only_a_human_places_and_releases(office, by):
    """Holds and retention are authority."""
    placed = hold(office, "all")
    for act, more in (
        (holding.place_hold, {"over": ["all"]}),
        (holding.release_hold, {"hold": placed.body.hold}),
    ):
        with pytest.raises(AuthorityError):
            office.act(act, reason="x", by=by, **more)


# -- retention --


def test_what_must_be_kept_is_not_erased_early(office, granted):
    """To the microsecond."""
    keep(office, ("consent.granted", "/reason", 30, None))
    office.clock.go(30 * DAY - 1)
    with pytest.raises(ErasureError, match="kept for 30 days at least, and is 29 days old"):
        erase(office, (granted.seq, "/reason"))
    office.clock.go(1)
    erase(office, (granted.seq, "/reason"))


def test_a_term_that_is_over_is_a_basis(office, granted):
    """And before it is over it is none."""
    keep(office, ("consent.granted", "*", None, 90))
    office.clock.go(90 * DAY - 1)
    with pytest.raises(ErasureError, match="is not over: it is kept for 90 days"):
        erase(office, (granted.seq, "/reason"), basis="retention-expired")
    office.clock.go(1)
    erase(office, (granted.seq, "/reason"), basis="retention-expired")


def test_rules_that_came_after_the_signature_count(office, granted):
    """As holds do."""
    draft = sign(office, (granted.seq, "/reason"))
    keep(office, ("*", "*", 1, None))
    with pytest.raises(ErasureError, match="at least"):
        put(office, draft)


@pytest.mark.parametrize(
    ("rules", "least", "most"),
    [
        ([], None, None),
        ([("*", "*", 10, 20)], 10, 20),
        ([("*", "*", 10, 20), ("a.b", "/x", 15, 30)], 15, 20),
        ([("a.b", "/x", 5, None), ("a.b", "/x/y", None, 7)], 5, 7),
        ([("a.c", "*", 10, 20), ("a.b", "/xy", 1, 2), ("a.b", "/x/y/z", 1, 2)], None, None),
    ],
)
def test_of_several_rules_the_strictest_counts(rules, least, most):
    """The longest of what must be kept, the shortest of what may be; a path covers what lies below it."""
    made = [RetentionRule(type=t, path=p, at_least=low, at_most=high) for t, p, low, high in rules]
    assert erasing.term(made, "a.b", "/x/y") == erasing.Term(least, most)


def test_what_must_be_kept_longer_is_not_due(office, granted):
    """A contradiction between rules is settled for keeping."""
    office.clock.go(20 * DAY)
    at = office.clock.after(0)
    assert erasing.is_due(granted, erasing.Term(None, 20), at)
    assert not erasing.is_due(granted, erasing.Term(21, 20), at)
    assert not erasing.is_due(granted, erasing.Term(None, 21), at)
    assert not erasing.is_due(granted, erasing.Term(1, None), at)


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        (("consent.grantet", "*", 1, None), 'did you mean "consent.granted"'),
        (("consent.granted", "/raeson", 1, None), "no field '/raeson'"),
        (("consent.granted", "reason", 1, None), "no field 'reason'"),
        (("*", "/nothing", 1, None), "no field '/nothing'"),
        (("*", "", 1, None), "no field ''"),
    ],
)
def test_a_rule_that_would_never_apply_is_refused(office, rule, why):
    """Whoever sets it would rely on it."""
    with pytest.raises(IssueError, match=why):
        keep(office, rule)


@pytest.mark.parametrize(("least", "most"), [(None, None), (2, 1), (-1, None), (None, 36_501), (True, None)])
def test_a_rule_that_makes_no_sense_is_refused(least, most):
    """Nothing said, a contradiction, no number of days."""
    with pytest.raises(ValidationError):
        RetentionRule(type="*", path="*", at_least=least, at_most=most)


def test_new_rules_take_the_place_of_the_old(office):
    """And whoever signs them must have seen the old ones."""
    keep(office, ("*", "*", 1, None))
    stale = office.sign(holding.set_retention, office.registry, rules=[], reason="none", **ADA)
    set_ = keep(office, ("*", "/reason", 2, None))
    state = office.state(retention.RETENTION, retention.RULES)
    assert state == {"seq": set_.seq, "rules": [{"type": "*", "path": "/reason", "at_least": 2, "at_most": None}]}
    with pytest.raises(Exception, match="stale"):
        office.log.transact(lambda tx: append_signed(tx, stale))
    keep(office)
    assert office.log.read(erasing.retention_rules) == ()


# -- the form of the event --


@pytest.mark.parametrize(
    "fields",
    [
        [],
        [(1, "/a"), (0, "/a")],
        [(0, "/a"), (0, "/a")],
        [(0, "a")],
        [(0, "")],
        [(0, "/")],
        [(0, "/a b")],
        [(0, "/Bo Berg asked for it")],
        [(0, "/a~0b")],
        [(0, "/" + "a" * 41)],
        [(-1, "/a")],
        [(n, "/a") for n in range(501)],
    ],
    ids=str,
)
def test_an_erasure_in_another_form_is_refused(office, granted, fields):
    """One spelling: in order, each once, so many at most, and no room for anybody's words."""
    body = sign(office, (granted.seq, "/reason")).body
    raw = {**body.json_form(), "fields": [{"event": seq, "path": path} for seq, path in fields]}
    with pytest.raises(ValidationError):
        FieldsErased.model_validate(raw)


# -- judged again --


def test_a_recorded_erasure_is_judged_again(office, granted):
    """As of its own place and time: a hold that came later changes nothing, one that stood then does."""
    event = erase(office, (granted.seq, "/reason"))
    office.log.read(lambda look: erasing.check_erased(look, office.registry, event))
    office.log.read(lambda look: erasing.check_erased(look, office.registry, granted))
    hold(office, "all")
    with pytest.raises(ErasureError):
        office.log.read(lambda look: erasing.check_erased(look, office.registry, event))


def test_every_basis_is_told_with_its_meaning():
    """The specification and the program give one list."""
    page = (Path(__file__).parents[2] / "docs" / "spec" / "erasure.md").read_text("utf-8")
    section = page.partition("## Legal bases")[2].partition("\n## ")[0]
    assert dict(re.findall(r"^\| `([a-z0-9-]+)` \| (.*) \|$", section, re.MULTILINE)) == {"basis": "meaning", **BASES}
