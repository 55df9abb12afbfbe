"""What a decision makes of operations and readings that were erased: never more than it would have without them."""

import pytest

from decisions.errors import RequestConflictError
from grants import acts, erasing
from grants.errors import IssueError

ROW = "db://prod/users/42"


def erase(court, *fields):
    """Erase these fields, and whatever holds the same values."""
    office = court.office
    whole = {*fields, *office.log.read(lambda look: erasing.twins(look, fields))}

    def prepare(look):
        return erasing.erase(
            look, office.registry, by="human:ada", fields=whole, basis="court-order", at=office.clock.after(0)
        )

    drafts = [one.sign(office.signer("human:ada")) for one in office.log.read(prepare)]
    return office.log.transact(lambda tx: erasing.append_erasure(tx, office.registry, drafts))[0], whole


def commitment(court, seq):
    return court.office.event(seq).body.args.sd


def test_a_repeat_of_an_erased_operation_is_refused(court):
    """Whether it is the same operation can't be told: it is not answered as if it were, and it says which event."""
    first = court.do("delete", ROW, id="r-1")
    event, _ = erase(court, (first.decision, "/args"))
    size = court.office.log.head.size
    with pytest.raises(RequestConflictError, match=f"was erased by event {event.seq}.*give it a new id"):
        court.do("delete", ROW, id="r-1")
    assert court.office.log.head.size == size


def test_a_repeat_with_an_erased_operand_is_refused(court):
    """An operand's content is a part of the operation."""
    how = {"operands": (("file:///srv/app/s.sh", "A" * 43),), "id": "r-1"}
    first = court.do("delete", ROW, **how)
    event, _ = erase(court, (first.decision, "/operands/0/content"))
    with pytest.raises(RequestConflictError, match=f"was erased by event {event.seq}"):
        court.do("delete", ROW, **how)


def test_a_repeat_whose_explanation_was_erased_is_answered(court):
    """What explains the problems is no part of the operation."""
    first = court.ask("tool-call", {"tool_name": 1}, id="r-1")
    assert "/detail" in [opening.path for opening in court.office.log.openings(first.decision)]
    erase(court, (first.decision, "/detail"))
    again = court.ask("tool-call", {"tool_name": 1}, id="r-1")
    assert (again.repeated, again.outcome, again.decision) == (True, first.outcome, first.decision)


def test_an_erased_consent_is_none(court):
    """Nothing fits it any more: the operation is held, and its new commitment has a salt of its own."""
    first = court.do("delete", ROW)
    granted = court.consent(first, uses=9)
    assert court.do("delete", ROW).outcome == "allow"
    _, whole = erase(court, (granted.seq, "/args"))
    assert {path for _, path in whole} == {"/args"}
    assert len(whole) == 4  # the decision that held, the request, the consent, the decision that allowed
    later = court.do("delete", ROW)
    assert (later.outcome, later.body.reason) == ("hold", "CONSENT_BINDING")
    assert commitment(court, later.decision) != commitment(court, first.decision)
    assert "/args" not in {opening.path for opening in court.office.log.openings(granted.seq)}


def test_an_erased_request_is_asked_anew(court):
    """The same operation makes a new request, and the old one can't be consented to."""
    first = court.do("delete", ROW)
    erase(court, (first.decision, "/args"))
    second = court.do("delete", ROW)
    assert second.request not in {None, first.request}
    assert commitment(court, second.decision) != commitment(court, first.decision)
    with pytest.raises(IssueError, match="was erased"):
        court.consent(first)
    court.consent(second)
    assert court.do("delete", ROW).outcome == "allow"


def test_retries_share_one_commitment_and_are_erased_together(court):
    """However often the agent asked while it waited."""
    answers = [court.do("delete", ROW) for _ in range(5)]
    assert len({commitment(court, one.decision) for one in answers}) == 1
    _, whole = erase(court, (answers[0].decision, "/args"))
    assert {(one.decision, "/args") for one in answers} | {(answers[0].request, "/args")} == whole
    for seq, _ in whole:
        assert "/args" not in {opening.path for opening in court.office.log.openings(seq)}


def test_no_state_holds_what_was_opened(court):
    """Every disclosable value bears a mark; no state, claim, tag or event does."""
    mark = "MARKED-8c1f"
    office = court.office
    court.ask("typed", {"verb": "delete", "target": ROW, "note": mark}, id="r-1")
    office.act(acts.suspend, by="human:ada", principal="agent:a1", reason=mark)
    office.act(acts.register_principal, by="human:ada", principal="agent:z9", name=mark, owner="human:ada")
    opened = [str(one.value) for seq in range(office.log.head.size) for one in office.log.openings(seq)]
    assert sum(mark in value for value in opened) >= 3
    states = b"".join(row.data for row in office.log._states.values())
    keys = " ".join((*office.log._claims, *office.log._tags, *(key for _, key in office.log._states)))
    events = b"".join(data for _, data in office.log.events())
    assert mark.encode() not in states + events
    assert mark not in keys
