from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from grants import acts, principals
from grants.consent import REASONS, Committed, ConsentMatch, ConsentMiss, Terms, Wanted, find_consent, find_open_request
from grants.errors import AuthorityError, IssueError
from grants.events import ConsentConsumed
from ledger import canon
from ledger.errors import ClaimTakenError, ClockError, ViewError
from ledger.event import Draft
from ledger.instant import from_microseconds
from ledger.view import StateRow

SECOND = 1_000_000
HOUR = 3600 * SECOND
ROW = "db://prod/users/42"


def missed(reason, event):
    return ConsentMiss(reason, event.body.grant, event.seq, event.body.args)


def matched(event, item, use):
    return ConsentMatch(event.body.grant, event.seq, item, use, event.body.args)


class Patched:
    """A reader in which some rows, events or openings are others."""

    def __init__(self, log, *, states=(), events=(), openings=()):
        self._log, self._states, self._events, self._openings = log, dict(states), dict(events), dict(openings)

    def state(self, view, key):
        return self._states[view, key] if (view, key) in self._states else self._log.state(view, key)

    def event_bytes(self, seq):
        return self._events[seq] if seq in self._events else self._log.event_bytes(seq)

    def openings(self, seq):
        return self._openings[seq] if seq in self._openings else self._log.openings(seq)


@pytest.fixture
def grant(office, terms, wanted):
    """Consent to an operation that nobody has asked for yet, and give the event."""

    def given(terms=terms, wanted=(wanted,), *, lasts=HOUR, **more):
        return office.act(
            acts.grant_terms,
            by="human:ada",
            terms=terms,
            wanted=wanted,
            reason="because",
            expires=office.clock.after(lasts),
            **more,
        )

    return given


@pytest.fixture
def find(office, asker, terms, wanted):
    def found(terms=terms, wanted=wanted, *, asker=asker, at=None, reader=None):
        at = at or from_microseconds(office.clock.now)
        return find_consent(reader or office.log, office.registry, asker, terms, wanted, at)

    return found


def test_nobody_was_asked(find):
    assert find() == ConsentMiss("CONSENT_REQUIRED")


def test_a_consent_covers_its_operation(grant, find):
    event = grant()
    assert find() == matched(event, 0, 1)


def test_a_use_is_spent_for_ever(office, grant, find, spend):
    event = grant()
    spend(office, find(), ROW)
    assert find() == missed("CONSENT_CONSUMED", event)


def test_the_same_use_can_not_be_spent_twice(office, grant, find, spend):
    grant()
    match = find()
    spend(office, match, ROW)
    with pytest.raises(ClaimTakenError, match="consumed:"):
        spend(office, match, ROW)


def test_a_use_can_not_be_made_up(office, grant, find, spend):
    grant()
    with pytest.raises(ViewError, match="the next use of this item is number 1, not 2"):
        spend(office, replace(find(), use=2), ROW)


def test_uses_are_counted(office, grant, find, spend):
    event = grant(uses=2)
    for use in (1, 2):
        assert find() == matched(event, 0, use)
        spend(office, find(), ROW)
    assert find() == missed("CONSENT_CONSUMED", event)


@pytest.mark.parametrize(("reason", "fits"), [("CONSENT_CONSUMED", True), ("CONSENT_VERSION", False)])
def test_a_miss_says_whether_it_was_given_for_just_this(grant, find, reason, fits):
    event = grant()
    assert missed(reason, event).fits is fits
    assert find().fits


def test_recorded_commitments_are_compared_without_their_openings(office, grant, find, terms):
    event = grant()
    to = terms.bound(office.log.openings(event.seq))
    blind = Patched(office.log, openings={event.seq: []})
    assert find(Committed(terms.subject, to), reader=blind) == matched(event, 0, 1)
    other = Committed(terms.subject, replace(to, domain="care"))
    assert find(other, reader=blind) == missed("CONSENT_BINDING", event)


def test_of_many_who_race_for_a_use_one_has_it(office, asker, grant, terms, wanted):
    """Policy case D01, as far as one process goes: looking and spending are one transaction."""
    event = grant()

    def attempt(_):
        def look_and_spend(tx):
            found = find_consent(tx, office.registry, asker, terms, wanted, tx.at)
            if isinstance(found, ConsentMatch):
                decision = tx.append(Draft(event_without_meaning(office), "agent:ops-7", "ledger")).seq
                body = ConsentConsumed(grant=found.grant, item=found.item, use=found.use, decision=decision, target=ROW)
                tx.append(Draft(body, "agent:ops-7", "ledger", causes=(decision, found.seq)))
            return found

        return office.log.transact(look_and_spend)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(attempt, range(32)))
    assert sorted(map(repr, found)) == sorted(
        map(repr, [matched(event, 0, 1)] + [missed("CONSENT_CONSUMED", event)] * 31)
    )


def event_without_meaning(office):
    return next(body_type for body_type in office.registry if body_type.type == "test.noted")(number=0)


def test_the_oldest_consent_is_used_first(office, grant, find, spend):
    first, second = grant(), grant()
    assert find().grant == first.body.grant
    spend(office, find(), ROW)
    assert find().grant == second.body.grant


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"args": {"form": "tool-call", "payload": "another"}}, "CONSENT_BINDING"),
        ({"operands": (("file:///srv/app/s.sh", canon.to_base64url(b"\2" * 32)),)}, "CONSENT_BINDING"),
        ({"operands": (("file:///srv/app/t.sh", canon.to_base64url(b"\1" * 32)),)}, "CONSENT_BINDING"),
        ({"operands": ()}, "CONSENT_BINDING"),
        ({"domain": "care"}, "CONSENT_BINDING"),
        ({"origin": "tally.example/other"}, "CONSENT_BINDING"),
        ({"subject": ("agent:a1",)}, "CONSENT_SUBJECT"),
        ({"subject": ("agent:ops-7", "sub2")}, "CONSENT_SUBJECT"),
    ],
    ids=str,
)
def test_a_consent_covers_no_other_operation(office, grant, find, terms, change, reason):
    """Policy cases D05, D07 and D19, each thing changed alone."""
    event = grant()
    terms = replace(terms, **change)
    asker = office.log.read(lambda s: principals.recorded(s, terms.subject[0], terms.subject, "token", None))
    assert find(terms, asker=asker) == missed(reason, event)


def test_more_operands_than_were_consented_to_do_not_fit(grant, find, terms):
    grant()
    more = (*terms.operands, ("file:///srv/app/t.sh", canon.to_base64url(b"\1" * 32)))
    assert find(replace(terms, operands=more)).reason == "CONSENT_BINDING"


def test_a_consent_is_for_one_version(grant, find, wanted):
    grant()
    assert find(wanted=replace(wanted, version=8)).reason == "CONSENT_VERSION"


@pytest.mark.parametrize("change", [{"verb": "read"}, {"kind": "file"}, {"target": "db://prod/users/43"}], ids=str)
def test_a_consent_to_something_else_is_none(grant, find, wanted, change):
    grant()
    assert find(wanted=replace(wanted, **change)) == ConsentMiss("CONSENT_REQUIRED")


def test_a_claimant_uses_nobodys_consent(office, grant, find):
    grant()
    claimed = office.log.read(lambda s: principals.identify(s, uid=None, claimed="agent:ops-7"))
    assert find(asker=claimed).reason == "CONSENT_SUBJECT"


def test_a_suspended_agent_uses_no_consent(office, grant, find):
    grant()
    office.act(acts.suspend, by="human:ada", principal="agent:ops-7", reason="loops")
    asker = office.log.read(lambda s: principals.identify(s, uid=1001, claimed=None))
    assert find(asker=asker).reason == "CONSENT_SUBJECT"


def test_an_asker_that_is_not_the_subject_uses_no_consent(office, grant, find):
    grant()
    other = office.log.read(lambda s: principals.identify(s, uid=1001, claimed="agent:ops-7/sub2"))
    assert find(asker=other).reason == "CONSENT_SUBJECT"


@pytest.mark.parametrize(("after", "covers"), [(-1, True), (0, False), (1, False)])
def test_expiry_has_no_leniency(office, grant, find, after, covers):
    event = grant(lasts=HOUR)
    at = from_microseconds(office.clock.now + HOUR + after)
    found = find(at=at)
    assert isinstance(found, ConsentMatch) is covers
    assert covers or found == missed("CONSENT_EXPIRED", event)


def test_time_that_runs_back_revives_nothing(office, grant, find):
    grant(lasts=HOUR)
    office.clock.go(2 * HOUR)
    office.note()
    office.clock.go(-2 * HOUR)
    with pytest.raises(ClockError, match="CLOCK_REGRESSION"):
        office.log.transact(lambda tx: find(reader=tx, at=tx.at))


def test_an_expired_consent_can_not_be_spent(office, grant, find, spend):
    grant(lasts=HOUR)
    match = find()
    office.clock.go(HOUR)
    with pytest.raises(ViewError, match="expired at"):
        spend(office, match, ROW)


def test_a_revoked_consent_is_none(office, grant, find, registry):
    event = grant()
    office.act(acts.revoke_consent, registry, by="human:bo", grant=event.body.grant, reason="no")
    assert find() == missed("CONSENT_REVOKED", event)


@pytest.mark.parametrize("ended", ["key", "person"])
def test_a_consent_ends_with_its_signer(office, grant, find, ended):
    event = grant()
    fingerprint = office.signer("human:ada").public_key.fingerprint
    if ended == "key":
        office.act(acts.revoke_key, by="human:bo", principal="human:ada", fingerprint=fingerprint)
    else:
        office.act(acts.suspend, by="human:bo", principal="human:ada", reason="left")
    assert find() == missed("CONSENT_REVOKED", event)


def test_an_erased_opening_leaves_nothing_to_compare(office, grant, find):
    event = grant()
    kept = [opening for opening in office.log.openings(event.seq) if opening.path != "/args"]
    assert find(reader=Patched(office.log, openings={event.seq: kept})).reason == "CONSENT_BINDING"


def test_items_are_spent_one_by_one(office, grant, find, spend, terms):
    """Policy case D21: three items, item 2 twice, and a fourth that nobody consented to."""
    items = [Wanted("data", "delete", f"db://prod/users/{number}", 7) for number in range(1, 5)]
    event = grant(wanted=tuple(items[:3]))
    spend(office, find(wanted=items[1]), items[1].target)
    assert find(wanted=items[1]) == missed("CONSENT_CONSUMED", event)
    assert [find(wanted=items[n]).item for n in (0, 2)] == [0, 2]
    assert find(wanted=items[3]) == ConsentMiss("CONSENT_REQUIRED")


def test_a_fourth_item_on_a_target_of_the_bundle_is_not_covered(grant, find, wanted):
    grant(wanted=(wanted, replace(wanted, verb="read")))
    assert find(wanted=replace(wanted, version=9)).reason == "CONSENT_VERSION"


def test_two_items_on_one_target_end_together_in_the_index(office, grant, find, spend, wanted):
    reading = replace(wanted, verb="read")
    event = grant(wanted=(wanted, reading))
    spend(office, find(), ROW)
    assert find(wanted=reading) == matched(event, 1, 1)
    spend(office, find(wanted=reading), ROW)
    row = office.state("consent_by_target", ROW)
    assert (row["live"], row["ended"]) == ([], [[event.body.grant, event.seq]])


def test_the_first_reason_of_the_order_is_told(office, grant, find, terms, wanted):
    grant(replace(terms, subject=("agent:a1",)))
    assert find().reason == "CONSENT_SUBJECT"
    grant(wanted=(replace(wanted, version=6),))
    assert find().reason == "CONSENT_VERSION"
    other = grant(replace(terms, domain="care"))
    assert find() == missed("CONSENT_BINDING", other)
    expired = grant(lasts=SECOND)
    assert find(at=office.clock.after(SECOND)) == missed("CONSENT_EXPIRED", expired)


def test_reasons_stand_in_the_order_of_the_decision_rule():
    assert [*REASONS] == [
        "CONSENT_EXPIRED", "CONSENT_REVOKED", "CONSENT_CONSUMED", "CONSENT_BINDING", "CONSENT_VERSION",
        "CONSENT_SUBJECT", "CONSENT_REQUIRED",
    ]  # fmt: skip


# -- a row is no grant --


def row_of(office, view, key, **change):
    row = office.log.state(view, key)
    return {(view, key): StateRow(view, key, row.seq, canon.encode({**row.state, **change}))}


def test_a_row_without_its_event_is_no_grant(office, grant, find):
    event = grant()
    assert find(reader=Patched(office.log, events={event.seq: None})).reason == "CONSENT_REQUIRED"
    assert find(reader=Patched(office.log, events={event.seq: b"{}"})).reason == "CONSENT_REQUIRED"


def test_a_row_that_points_to_another_event_is_no_grant(office, grant, find):
    event = grant()
    other = row_of(office, "consent_by_target", ROW, live=[[event.body.grant, 1, event.body.expires, 1]])
    assert find(reader=Patched(office.log, states=other)).reason == "CONSENT_REQUIRED"
    moved = office.log.event_bytes(1)
    assert find(reader=Patched(office.log, events={event.seq: moved})).reason == "CONSENT_REQUIRED"


def test_an_event_that_was_changed_is_no_grant(office, grant, find, wanted):
    event = grant(lasts=SECOND)
    forged = event.data.replace(event.body.expires.encode(), b"2030-01-01T00:00:00.000000Z")
    assert find(reader=Patched(office.log, events={event.seq: forged})).reason == "CONSENT_REQUIRED"


def test_a_row_that_promises_more_than_was_signed_gives_no_more(office, grant, find, spend):
    event = grant(lasts=HOUR)
    grant_id = event.body.grant
    longer = row_of(office, "consent", grant_id, expires="2030-01-01T00:00:00.000000Z", uses=9)
    late = office.clock.after(HOUR)
    assert find(reader=Patched(office.log, states=longer), at=late).reason == "CONSENT_EXPIRED"
    spend(office, find(), ROW)
    more = row_of(office, "consent", grant_id, uses=9)
    assert find(reader=Patched(office.log, states=more)).reason == "CONSENT_CONSUMED"


@pytest.mark.parametrize("row", [None, {"used": [0, 0]}, {"seq": 1}], ids=str)
def test_a_grant_whose_own_row_does_not_fit_is_none(office, grant, find, row):
    grant_id = grant().body.grant
    states = {("consent", grant_id): None} if row is None else row_of(office, "consent", grant_id, **row)
    assert find(reader=Patched(office.log, states=states)).reason == "CONSENT_REQUIRED"


# -- requests --


def test_a_request_that_nobody_answered_is_no_consent(office, find, terms, wanted, ask_for):
    """Policy case D23."""
    ask_for(office, terms, wanted)
    assert find() == ConsentMiss("CONSENT_REQUIRED")


def test_asking_twice_joins_the_open_request(office, terms, wanted, ask_for, registry):
    """Policy case D11."""
    event = ask_for(office, terms, wanted)
    assert find_open_request(office.log, registry, terms, [wanted]) == (event.seq, event.body)


@pytest.mark.parametrize(
    "change",
    [{"args": "another"}, {"domain": "care"}, {"subject": ("agent:ops-7", "x")}, {"operands": ()}],
    ids=str,
)
def test_another_operation_joins_nothing(office, terms, wanted, ask_for, registry, change):
    ask_for(office, terms, wanted)
    assert find_open_request(office.log, registry, replace(terms, **change), [wanted]) is None


def test_other_items_join_nothing(office, terms, wanted, ask_for, registry):
    ask_for(office, terms, wanted)
    for items in ([], [wanted, wanted], [replace(wanted, version=8)], [replace(wanted, target="db://prod/users/1")]):
        assert find_open_request(office.log, registry, terms, items) is None


def test_an_answered_request_is_not_open(office, terms, wanted, ask_for, registry):
    event = ask_for(office, terms, wanted)
    office.act(acts.refuse, registry, by="human:ada", request=event.seq, reason="no")
    assert find_open_request(office.log, registry, terms, [wanted]) is None


def test_a_request_whose_arguments_were_erased_is_not_joined(office, terms, wanted, ask_for, registry):
    event = ask_for(office, terms, wanted)
    for patch in ({"openings": {event.seq: []}}, {"events": {event.seq: None}}):
        assert find_open_request(Patched(office.log, **patch), registry, terms, [wanted]) is None


def test_a_consent_answers_the_joined_request_once(office, find, terms, wanted, ask_for, spend, registry):
    event = ask_for(office, terms, wanted)
    answer = {"by": "human:ada", "request": event.seq, "reason": "yes", "expires": office.clock.after(HOUR)}
    granted = office.act(acts.grant_request, registry, **answer)
    assert find() == matched(granted, 0, 1)
    spend(office, find(), ROW)
    assert find().reason == "CONSENT_CONSUMED"
    with pytest.raises(IssueError, match="answered already"):
        office.act(acts.grant_request, registry, **answer)


def test_a_consent_of_an_answered_request_is_bound_to_what_was_asked(office, find, terms, wanted, ask_for, registry):
    event = ask_for(office, terms, wanted)
    granted = office.act(
        acts.grant_request, registry, by="human:ada", request=event.seq, reason="y", expires=office.clock.after(HOUR)
    )
    for part in ("args", "operands", "items", "subject", "domain"):
        assert getattr(granted.body, part) == getattr(event.body, part)
    assert find(replace(terms, args="another")).reason == "CONSENT_BINDING"


def test_what_was_erased_can_not_be_consented_to(office, terms, wanted, ask_for, registry):
    event = ask_for(office, terms, wanted)
    office.log._openings[event.seq] = office.log._openings[event.seq][1:]
    answer = {"by": "human:ada", "request": event.seq, "reason": "yes", "expires": office.clock.after(HOUR)}
    with pytest.raises(IssueError, match="was erased"):
        office.act(acts.grant_request, registry, **answer)


def test_what_is_kept_must_be_what_was_asked(office, terms, wanted, ask_for, registry):
    event = ask_for(office, terms, wanted)
    first, *rest = office.log._openings[event.seq]
    office.log._openings[event.seq] = (replace(first, value="harmless"), *rest)
    answer = {"by": "human:ada", "request": event.seq, "reason": "yes", "expires": office.clock.after(HOUR)}
    with pytest.raises(IssueError, match="not what was asked"):
        office.act(acts.grant_request, registry, **answer)


def test_nobody_consents_to_their_own_request(office, terms, wanted):
    own = replace(terms, subject=("human:ada",))
    act = {"terms": own, "wanted": (wanted,), "reason": "me", "expires": office.clock.after(HOUR)}
    with pytest.raises(AuthorityError, match="another human must"):
        office.act(acts.grant_terms, by="human:ada", **act)
    assert office.act(acts.grant_terms, by="human:bo", **act).by == "human:bo"


def test_an_expired_consent_is_still_told_in_full(office, grant, find, terms):
    """Policy case E09: what was consented to stays in the log."""
    event = grant(lasts=SECOND)
    office.clock.go(2 * SECOND)
    grant()
    assert office.state("consent_by_target", ROW)["ended"] == [[event.body.grant, event.seq]]
    assert office.event(event.seq) == event
    assert {opening.path: opening.value for opening in office.log.openings(event.seq)} == {
        "/args": terms.args,
        "/operands/0/content": terms.operands[0][1],
        "/reason": "because",
    }
    assert office.log.tagged(f"grant:{event.body.grant}") == (event.seq,)


def test_the_index_forgets_the_oldest_that_ended(office, grant, find, registry):
    events = [grant() for _ in range(9)]
    for event in events:
        office.act(acts.revoke_consent, registry, by="human:ada", grant=event.body.grant, reason="no")
    row = office.state("consent_by_target", ROW)
    assert row["ended"] == [[event.body.grant, event.seq] for event in events[1:]]
    assert find().grant == events[1].body.grant


def test_terms_commit_under_new_salts_each_time():
    terms = Terms("o", ("agent:a",), "", "args")
    assert terms.bound(terms.openings()) != terms.bound(terms.openings())
