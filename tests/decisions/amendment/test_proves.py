"""A decision under an amended constitution proves itself back to the first one; what was not made by right is found."""

import pytest

from decisions.amendment import acts
from decisions.amendment.check import check_amendment
from decisions.amendment.events import ConstitutionAmended
from decisions.errors import AmendmentError
from grants.issue import append_checked
from ledger import digest, rfc6962
from ledger.checkpoint import Checkpoint, sign_checkpoint
from ledger.errors import ViewError
from ledger.event import Draft
from ledger.note import NoteSigner, VerifierKey
from ledger.policy import Policy, PolicyLog
from ledger.view import step
from tests.decisions.amendment.conftest import LOOSER, TIGHTER, asking
from verify.bundle import EVERYTHING, make_bundle
from verify.check import check_bundle
from verify.errors import ReplayError
from verify.replay import replay
from verify.views import EVENTS, VIEWS


def signed_note(office):
    """Sign a checkpoint of the log as it stands; with the policy that trusts its key."""
    head = office.log.head
    root = digest.root(head.size, head.blake3_peaks)
    key = NoteSigner(office.origin, office.signer(office.origin).private_key)
    note = sign_checkpoint(Checkpoint(office.origin, head.size, rfc6962.root(head.sha256_peaks), root), key)
    return note, Policy((PolicyLog(VerifierKey.parse(office.log_key())),), (), ())


def checked(office, seq):
    note, policy = signed_note(office)
    return check_bundle(office.log.read(lambda s: make_bundle(s, EVENTS, VIEWS, seq, note, EVERYTHING)), policy)


def forced(house, act, signer, changed, **fields):
    """Append a signed act as whoever holds the database can: nobody looks at more than the signature."""
    office = house.court.office
    prepared = office.prepare(act, office.registry, by=signer, **fields)
    prepared.fields.update(changed)
    draft = prepared.sign(office.signer(signer))
    return office.log.transact(lambda tx: append_checked(tx, draft))


def put_in_force(house, adopted, document, base):
    body = ConstitutionAmended(
        name="tallystick default",
        digest=adopted.body.digest,
        document=document,
        base=base,
        adopted=adopted.seq,
    )
    draft = Draft(body, adopted.by, "ledger", None, None, (adopted.seq,))
    return house.court.office.log.transact(lambda tx: tx.append(draft))


def decided(house):
    return house.court.do("read", "file:///srv/app/one", id="after").decision


def faults(office):
    found = {}
    for seq in range(office.log.head.size):
        event = office.event(seq)
        try:
            check_amendment(Before(office, seq), office.registry, event)
        except AmendmentError as error:
            found[event.type] = str(error)
    return found


class Before:
    """The log as it stood before an event."""

    def __init__(self, office, size):
        self.office, self.size, self.rows = office, size, {}
        for seq in range(size):
            event = office.event(seq)
            for view in VIEWS:
                for key in view.keys(event):
                    self.rows[view.name, key] = step(view, key, self.rows.get((view.name, key)), event)

    def state(self, view, key):
        return self.rows.get((view, key))

    def event_bytes(self, seq):
        return self.office.log.event_bytes(seq) if seq < self.size else None

    def openings(self, seq):
        return self.office.log.openings(seq)


def test_a_decision_proves_itself_back_to_the_first_constitution(house):
    office = house.court.office
    first = house.propose(TIGHTER)
    house.vote(first, "agent:bo-1")
    house.adopt(first, "agent:ada-1")
    second = house.propose(LOOSER, by="human:bo")
    house.adopt(second, "human:ada")
    seq = decided(house)
    report = checked(office, seq)
    assert report.failed == ()
    line = report.line("constitution").why
    assert f"by amendment {second}: loosening, worked out again; " in line
    assert line.endswith(f"by amendment {first}: tightening, worked out again")
    causes = {office.event(cause).type for cause in office.event(seq).causes}
    assert "amendment.adopted" in causes
    assert [one.status for one in replay(office.log.events(), office.log.openings, EVENTS, VIEWS)] == ["same"]


def test_a_vote_is_among_what_a_decision_rests_on(house):
    amendment = house.propose(TIGHTER)
    vote = house.vote(amendment, "agent:bo-1")
    house.adopt(amendment, "agent:ada-1")
    assert vote.seq in house.court.office.event(decided(house)).causes


@pytest.mark.parametrize("label", ["tightening", "equivalent"])
def test_a_mislabelled_amendment_is_found(house, label):
    """Everybody signed, everybody was told the wrong class, and the ledger let it pass."""
    office = house.court.office
    base = next(s for s in range(office.log.head.size) if office.event(s).type == "constitution.adopted")
    lie = {"change": label}
    proposed = forced(house, acts.propose, "agent:ada-1", lie, document=LOOSER, reason="a detail")
    house.vote(proposed.seq, "agent:bo-1")
    adopted = forced(house, acts.adopt, "agent:cy-1", {}, amendment=proposed.seq)
    put_in_force(house, adopted, LOOSER, base)
    seq = decided(house)
    report = checked(office, seq)
    assert report.failed == ("constitution",)
    assert f"it says that it is {label}, and it is loosening" in report.line("constitution").why
    with pytest.raises(ReplayError, match=f"it says that it is {label}, and it is loosening"):
        list(replay(office.log.events(), office.log.openings, EVENTS, VIEWS))
    assert set(faults(office)) == {"amendment.proposed", "constitution.adopted"}


def test_too_low_a_count_is_found(house):
    office = house.court.office
    house.adopt(house.propose(asking(2, 2)), "human:ada")
    base = office.log.head.size - 1
    proposed = house.propose(asking(2, 2, LOOSER))
    house.vote(proposed, "human:bo")
    ballots = {"votes": [], "humans": 1}
    with pytest.raises(ViewError, match="the votes on amendment"):
        forced(house, acts.adopt, "human:ada", ballots, amendment=proposed)
    adopted = forced(house, acts.adopt, "human:ada", {"humans": 1}, amendment=proposed)
    put_in_force(house, adopted, asking(2, 2, LOOSER), base)
    report = checked(office, decided(house))
    assert report.failed == ("constitution",)
    assert "counts to 2 and 1, and the constitution of event" in report.line("constitution").why


def test_a_constitution_that_nobody_voted_for_decides_nothing(house):
    """The row and the event are there, the amendment is not: every decision is a deny."""
    vote = house.vote(house.propose(TIGHTER), "agent:bo-1")
    put_in_force(house, vote, TIGHTER, vote.body.base)
    answer = house.court.do("read", "file:///srv/app/one", id="after")
    assert (answer.outcome, answer.reason) == ("deny", "POLICY_ERROR")
