"""How a log goes on: what may follow what, what counts before and after, and whose word it takes."""

import hashlib
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grants import acts, authority, life
from grants.book.states import GenesisState, KeyState, PrincipalState, Reign
from grants.errors import AuthorityError, IssueError
from grants.events import PrincipalConfirmed
from grants.principals import find_principal, log_state, recorded
from ledger.checkpoint import Checkpoint, sign_checkpoint
from ledger.errors import ClaimTakenError, ViewError
from ledger.note import NoteSigner
from tests.grants.conftest import restore, rotate

ROOT = hashlib.sha256(b"a root").digest()


@st.composite
def lives(draw):
    """Draw the names and keys of a log, and the places at which they changed."""
    places = sorted(draw(st.sets(st.integers(1, 40), max_size=6)))
    origins = ["o0"]
    for _ in places:
        origins.append(f"o{len(origins)}" if draw(st.booleans()) else origins[-1])
    former = tuple(
        Reign(origin=o, log_key=f"k{i}", until=p) for i, (o, p) in enumerate(zip(origins, places, strict=False))
    )
    state = GenesisState(
        origin=origins[-1], demonstration=False, human="h", human_key="f", log_key=f"k{len(places)}", former=former
    )
    return state, places, origins


@given(lives(), st.integers(0, 45))
def test_name_and_key_of_a_size_are_those_after_the_last_change_before_it(life_, size):
    state, places, origins = life_
    index = sum(place < size for place in places)
    assert state.at(size) == (origins[index], f"k{index}")
    assert state.origin_at(size) == origins[sum(place <= size for place in places)]


@given(lives(), st.integers(0, 45))
def test_last_restore_before_a_place_is_the_last_change_of_name(life_, size):
    state, places, origins = life_
    turns = [place for place, (one, other) in zip(places, pairwise(origins), strict=True) if one != other]
    assert state.restored() == max(turns, default=None)
    assert state.restored(size) == max((place for place in turns if place < size), default=None)
    assert state.incarnation == 1 + len(turns)


def test_state_of_a_log_that_never_changed_is_as_it_was(office):
    assert "former" not in office.state("ledger", "genesis")
    assert "confirmed" not in office.state("principal", "human:ada")


KNOWN = [
    # since, until, confirmed, restored, size: does it hold?
    (3, None, (), None, 4, True),
    (3, None, (), 10, 11, False),
    (3, None, (), 10, 10, False),
    (12, None, (), 10, 13, True),
    (3, None, (10,), 10, 11, True),
    (3, None, (15,), 10, 15, False),
    (3, None, (15,), 10, 16, True),
    (3, 17, (15,), 10, 17, True),
    (3, 17, (15,), 10, 18, False),
    (3, None, (15,), 20, 21, False),
    (3, None, (15, 25), 20, 26, True),
]


@pytest.mark.parametrize(("since", "until", "confirmed", "restored", "size", "holds"), KNOWN)
def test_key_and_principal_wait_for_a_confirmation_after_the_last_restore(
    since, until, confirmed, restored, size, holds
):
    key = KeyState.model_validate({"line": "l", "from": since, "until": until, "confirmed": confirmed})
    row = PrincipalState(
        kind="agent", owner="human:ada", uid=None, speaks_for=(), through=(), keys={}, registered=since,
        suspended=until, confirmed=confirmed,
    )  # fmt: skip
    assert key.holds_at(size, restored) is row.stands_at(size, restored) is holds


# -- the key changes --


def test_rotation_leaves_the_name_and_everything_else(office):
    before = log_state(office.log)
    event = rotate(office)
    after = log_state(office.log)
    assert (after.origin, after.restored()) == (before.origin, None)
    assert after.at(event.seq) == (before.origin, before.log_key)
    assert after.at(event.seq + 1) == (before.origin, event.body.new_key)
    assert authority.still_counts(office.log, office.event(1))
    assert office.act(acts.register_principal, by="human:ada", principal="human:cy", name="Cy").seq == event.seq + 1


@pytest.mark.parametrize("name", ["second", "tally.example/log"])
def test_key_is_the_logs_once(office, name):
    """Neither the key in force nor one before it comes back."""
    rotate(office, "second")
    with pytest.raises(IssueError, match="was the log's before"):
        rotate(office, name)


def test_key_of_another_name_is_refused(office):
    new = NoteSigner("tally.example/other", office.signer("second").private_key)
    with pytest.raises(IssueError, match="is named"):
        office.act(life.rotate_key, by="human:ada", new=new)


def test_rotation_that_was_held_back_is_refused(office):
    """Prepared when another key was in force."""
    new = NoteSigner(office.origin, office.signer("second").private_key)
    draft = office.sign(life.rotate_key, by="human:ada", new=new)
    rotate(office, "third")
    with pytest.raises(ViewError, match="the key in force is"):
        office.append_signed(draft)


def test_new_key_must_have_signed_for_itself(office):
    thief = NoteSigner(office.origin, office.signer("third").private_key)
    prepared = office.prepare(life.rotate_key, by="human:ada", new=thief)
    victim = NoteSigner(office.origin, office.signer("second").private_key)
    prepared.fields["new_key"] = victim.verifier_key.text()
    with pytest.raises(AuthorityError, match="keys of the log"):
        office.append_signed(prepared.sign(office.signer("human:ada")))


@pytest.mark.parametrize("by", ["registrar:stores", "sensor:mood", "service:desk"])
def test_only_a_human_changes_the_key_or_goes_on(office, by):
    with pytest.raises(AuthorityError, match="signed by a human"):
        rotate(office, by=by)


# -- the log goes on as another --


def note(office, size, name="tally.example/log", origin=None, root=ROOT):
    signer = NoteSigner(origin or office.origin, office.signer(name).private_key)
    return sign_checkpoint(Checkpoint(signer.name, size, root, root), signer)


def go_on(office, checkpoint, origin="tally.example/log-2", name="third log key"):
    new = NoteSigner(origin, office.signer(name).private_key)
    return office.act(life.restore, by="human:ada", new=new, checkpoint=checkpoint)


def test_copy_that_is_not_behind_does_not_go_on_as_another(office):
    size = office.log.head.size
    for signed_for in (1, size):
        with pytest.raises(IssueError, match="a copy is restored where"):
            go_on(office, note(office, signed_for))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"origin": "tally.example/other"}, "a copy is restored where"),
        ({"name": "a stranger"}, "keys of the log"),
    ],
)
def test_last_checkpoint_is_the_former_logs(office, more, said):
    with pytest.raises((IssueError, AuthorityError), match=said):
        go_on(office, note(office, office.log.head.size + 5, **more))


def test_name_does_not_come_back(office):
    with pytest.raises(IssueError, match="this log's name before"):
        go_on(office, note(office, office.log.head.size + 5), origin=office.origin)


def test_statement_of_one_copy_does_not_fit_another(office, new_office, populate):
    """It names the roots and the size of the copy that was looked at."""
    office.note()
    draft_for = office.sign(
        life.restore,
        by="human:ada",
        new=NoteSigner("tally.example/log-2", office.signer("third log key").private_key),
        checkpoint=note(office, office.log.head.size + 5),
    )
    office.note()
    with pytest.raises(ViewError, match="this one has"):
        office.append_signed(draft_for)


def test_restore_names_the_roots_of_the_copy(office):
    from ledger import canon, digest, rfc6962

    head = office.log.head
    body = restore(office, former="tally.example/log").body
    assert body.blake3_root == canon.to_base64url(digest.root(head.size, head.blake3_peaks))
    assert body.sha256_root == canon.to_base64url(rfc6962.root(head.sha256_peaks))


def test_what_was_rightly_signed_stays_rightly_signed(whole_story):
    office = whole_story.office
    for seq in range(office.log.head.size):
        authority.check_event(office.log, office.event(seq))


def test_nothing_that_was_signed_before_counts_after(whole_story):
    office, turn = whole_story.office, whole_story.events["ledger.restored"].seq
    counting = [seq for seq in range(turn) if authority.still_counts(office.log, office.event(seq))]
    assert counting == []


def test_whoever_signed_stands_by_that_key_alone(office):
    spare = office.signer("spare")
    office.act(acts.add_key, by="human:ada", principal="human:ada", key=spare.public_key)
    turn = restore(office, former="tally.example/log").seq
    row = find_principal(office.log, "human:ada")
    own = office.signer("human:ada").public_key.fingerprint
    assert [key for key, state in row.keys.items() if state.holds(turn)] == [own]
    with pytest.raises(AuthorityError, match="is no key of human:ada"):
        office.act(acts.suspend, by="human:ada", principal="agent:a1", reason="x", signer="spare")


@pytest.mark.parametrize("act", [acts.suspend, acts.register_principal])
def test_human_who_waits_signs_nothing(office, act):
    restore(office, former="tally.example/log")
    more = {"principal": "human:cy", "name": "Cy"} if act is acts.register_principal else {
        "principal": "agent:a1", "reason": "x",
    }  # fmt: skip
    with pytest.raises(AuthorityError, match="not confirmed since the log was restored"):
        office.act(act, by="human:bo", **more)
    office.act(life.confirm_principal, by="human:ada", principal="human:bo")
    office.act(act, by="human:bo", **more)


def test_nobody_confirms_themselves_from_outside(office):
    restore(office, former="tally.example/log")
    with pytest.raises(AuthorityError, match="not confirmed"):
        office.act(life.confirm_principal, by="human:bo", principal="human:bo")


def test_owner_who_waits_answers_for_nobody(office):
    restore(office, former="tally.example/log")
    with pytest.raises(AuthorityError, match="human:bo is not confirmed"):
        office.act(acts.register_principal, by="human:ada", principal="agent:new", name="n", owner="human:bo")


def test_agent_service_and_owner_must_all_stand(office):
    def asker():
        return office.log.read(lambda look: recorded(look, "agent:ops-7", ("agent:ops-7",), "os-uid", "service:desk"))

    assert asker().owned
    restore(office, former="tally.example/log")
    assert not asker().authenticated
    office.act(life.confirm_principal, by="human:ada", principal="agent:ops-7")
    assert not asker().authenticated
    office.act(life.confirm_principal, by="human:ada", principal="service:desk")
    assert asker().owned


def test_suspended_principal_is_not_confirmed(office):
    office.act(acts.suspend, by="human:ada", principal="agent:a1", reason="x")
    restore(office, former="tally.example/log")
    with pytest.raises(IssueError, match="was suspended"):
        office.act(life.confirm_principal, by="human:ada", principal="agent:a1")


def test_nothing_is_confirmed_where_nothing_was_restored(office):
    with pytest.raises(IssueError, match="never restored"):
        office.act(life.confirm_principal, by="human:ada", principal="agent:a1")


def test_confirmation_twice_is_refused_unless_a_key_waits(office):
    office.act(acts.add_key, by="human:ada", principal="human:bo", key=office.signer("spare").public_key)
    restore(office, former="tally.example/log")
    spare = frozenset({office.signer("spare").public_key.fingerprint})
    office.act(life.confirm_principal, by="human:ada", principal="human:bo", without=spare)
    event = office.act(life.confirm_principal, by="human:ada", principal="human:bo")
    assert isinstance(event.body, PrincipalConfirmed)
    assert set(event.body.keys) == spare
    with pytest.raises(IssueError, match="stands already"):
        office.act(life.confirm_principal, by="human:ada", principal="human:bo")


def test_confirmation_signed_before_the_restore_is_refused(office):
    """What was signed in the former log speaks to the former log."""
    restore(office, former="tally.example/log")
    draft = office.sign(life.confirm_principal, by="human:ada", principal="human:bo")
    office.origin = "tally.example/log-2"
    restore(office, "fourth log key", "tally.example/log-3", former="third log key")
    with pytest.raises((AuthorityError, ViewError, ClaimTakenError)):
        office.append_signed(draft)
