"""A watcher sees a log grow, and finds each way in which it can go back or fork."""

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger import digest, mmr
from ledger.checkpoint import Checkpoint, sign_checkpoint
from ledger.cosignature import CosignatureSigner
from ledger.errors import ProofError
from ledger.note import NoteSigner
from ledger.policy import Policy, PolicyLog, PolicyWitness
from tests.tools.witness.story import FORKED, HONEST, LOG, Story
from tools.errors import EvidenceError, HomeError, NotFollowedError, RemoteError
from tools.watching import following
from tools.watching.following import Follower
from verify.continuation import Continuation, Prefix, continuation
from verify.equivocation import check_equivocation, parse_equivocation
from verify.errors import ContinuationFormError

WITNESS = CosignatureSigner("w.example", Ed25519PrivateKey.from_private_bytes(b"w" * 32))
POLICY = Policy((PolicyLog(LOG.verifier_key),), (PolicyWitness("w", WITNESS.verifier_key),), (), "w")


class Whole:
    """A story with the nodes of both trees."""

    def __init__(self, story: Story, entries: list[bytes]) -> None:
        self.story = story
        self.own: list[bytes] = []
        peaks: list[bytes] = []
        for index, entry in enumerate(entries):
            new, peaks = mmr.append(digest.BLAKE3_TREE, index, digest.BLAKE3_TREE.leaf(index, entry), peaks)
            self.own += [value for _, value in new]

    def read(self, positions):
        return [self.own[position] for position in positions]

    def nodes(self, tree):
        return self if tree == "blake3" else self.story


WHOLE = {
    id(HONEST): Whole(HONEST, [b"%d" % index for index in range(40)]),
    id(FORKED): Whole(FORKED, [b"%d" % index if index < 5 else b"x%d" % index for index in range(40)]),
}


class Shown:
    """A log that shows what it is told to show."""

    def __init__(self) -> None:
        self.note = b""
        self.said: Callable[[int, int], Continuation] = self.honestly(HONEST)

    def show(self, story: Story, size: int, *, prove: Story | None = None) -> None:
        self.note = story.note(size)
        self.said = self.honestly(prove or story)

    def honestly(self, story: Story) -> Callable[[int, int], Continuation]:
        return lambda old, new: continuation(WHOLE[id(story)].nodes, 40, old, new)

    def newest(self) -> bytes:
        return self.note

    def continuation(self, old: int, new: int) -> Continuation:
        return self.said(old, new)


@pytest.fixture
def shown():
    return Shown()


@pytest.fixture
def follower(shown, tmp_path):
    (tmp_path / "evidence").mkdir()
    return Follower(shown, POLICY, tmp_path / "seen", tmp_path / "evidence")


def accused(follower, tmp_path):
    """Let the follower look; give what the file that it writes shows."""
    seen = (tmp_path / "seen").read_bytes()
    with pytest.raises(EvidenceError):
        follower.look()
    assert (tmp_path / "seen").read_bytes() == seen
    (file,) = (tmp_path / "evidence").glob("*.json")
    finding = check_equivocation(parse_equivocation(file.read_bytes()), POLICY)
    return finding.verdict, finding.kind


def test_a_log_that_grows_is_followed(follower, shown):
    looks = []
    for size in (1, 2, 2, 7, 8, 31, 40):
        shown.show(HONEST, size)
        looks.append(follower.look())
    assert [look.seen for look in looks] == ["first", "grown", "same", "grown", "grown", "grown", "grown"]
    assert [look.before for look in looks] == [None, 1, 2, 2, 7, 8, 31]


def test_what_was_seen_is_on_the_disk_for_the_next_watcher(follower, shown, tmp_path):
    shown.show(HONEST, 7)
    follower.look()
    assert (tmp_path / "seen").read_bytes() == HONEST.note(7)
    again = Follower(shown, POLICY, tmp_path / "seen", tmp_path / "evidence")
    shown.show(FORKED, 9)
    assert accused(again, tmp_path) == ("PROVEN", "fork")


def test_witnesses_are_told(follower, shown):
    shown.show(HONEST, 7)
    assert not follower.look().witnessed
    shown.note += WITNESS.cosign(HONEST.checkpoint(7).text(), 5).encode()
    look = follower.look()
    assert (look.seen, look.witnesses, look.witnessed) == ("same", ("w",), True)


def test_two_roots_for_one_size_are_proven(follower, shown, tmp_path):
    shown.show(HONEST, 9)
    follower.look()
    shown.show(FORKED, 9)
    assert accused(follower, tmp_path) == ("PROVEN", "two-roots")


@pytest.mark.parametrize("size", [6, 8, 9, 16, 31])
def test_a_fork_is_proven_by_the_log_s_own_proofs(follower, shown, tmp_path, size):
    shown.show(HONEST, size)
    follower.look()
    shown.show(FORKED, 33)
    assert accused(follower, tmp_path) == ("PROVEN", "fork")


def test_a_fork_in_the_log_s_own_tree_alone_is_found(follower, shown, tmp_path):
    """The SHA-256 tree, all that witnesses see, continues; the BLAKE3 tree does not."""
    shown.show(HONEST, 9)
    follower.look()
    honest, other = HONEST.checkpoint(33), FORKED.checkpoint(33)
    shown.note = sign_checkpoint(replace(honest, blake3_root=other.blake3_root), LOG)
    forked = shown.honestly(FORKED)
    shown.said = lambda old, new: replace(shown.honestly(HONEST)(old, new), blake3=forked(old, new).blake3)
    assert accused(follower, tmp_path) == ("PROVEN", "fork")


def test_a_step_back_is_claimed(follower, shown, tmp_path):
    shown.show(HONEST, 9)
    follower.look()
    shown.show(HONEST, 7)
    assert accused(follower, tmp_path) == ("CLAIMED", "rollback")


def raising(error):
    def said(_old, _new):
        raise error

    return said


@pytest.mark.parametrize(
    "said",
    [
        lambda old, new: continuation(WHOLE[id(HONEST)].nodes, 40, old, new),
        lambda old, new: replace(
            continuation(WHOLE[id(FORKED)].nodes, 40, old, new),
            blake3=Prefix(b"0" * 32, continuation(WHOLE[id(HONEST)].nodes, 40, old, new).blake3.proof),
            sha256=continuation(WHOLE[id(HONEST)].nodes, 40, old, new).sha256,
        ),
    ],
    ids=["of another log", "mixed"],
)
def test_a_log_that_does_not_prove_is_accused(follower, shown, tmp_path, said):
    shown.show(HONEST, 7)
    follower.look()
    shown.show(FORKED, 9)
    shown.said = said
    assert accused(follower, tmp_path) == ("CLAIMED", "unproven")


@pytest.mark.parametrize(
    "said",
    [
        raising(ProofError("there is nothing here")),
        raising(ContinuationFormError("not JSON")),
        lambda _old, _new: continuation(WHOLE[id(FORKED)].nodes, 40, 6, 9),
        lambda _old, _new: continuation(WHOLE[id(HONEST)].nodes, 40, 7, 8),
    ],
    ids=["nothing", "malformed", "of another older size", "of another newer size"],
)
def test_what_is_no_answer_is_no_evidence(follower, shown, tmp_path, said):
    """Whatever the log may hide by it: nothing is kept, nothing is believed, and the next look asks again."""
    shown.show(HONEST, 7)
    follower.look()
    for story in (HONEST, FORKED):
        shown.show(story, 9)
        shown.said = said
        with pytest.raises(RemoteError, match=r"size 9 continues size 7 .*contradicts nothing: look again"):
            follower.look()
        assert (tmp_path / "seen").read_bytes() == HONEST.note(7)
        assert list((tmp_path / "evidence").iterdir()) == []
    shown.show(FORKED, 9)
    assert accused(follower, tmp_path) == ("PROVEN", "fork")


def test_the_same_evidence_is_kept_once(follower, shown, tmp_path):
    shown.show(HONEST, 9)
    follower.look()
    shown.show(FORKED, 9)
    for _ in range(3):
        with pytest.raises(EvidenceError, match="PROVEN"):
            follower.look()
    assert len(list((tmp_path / "evidence").iterdir())) == 1


def test_a_log_that_can_not_be_asked_is_not_accused(follower, shown, tmp_path):
    shown.show(HONEST, 7)
    follower.look()
    shown.show(HONEST, 9)
    shown.said = raising(RemoteError("no answer"))
    with pytest.raises(RemoteError):
        follower.look()
    assert list((tmp_path / "evidence").iterdir()) == []
    shown.show(HONEST, 9)
    assert follower.look().before == 7


@pytest.mark.parametrize("note", [b"", b"<html>not found</html>\n", b"\xff" * 100])
def test_what_is_no_note_is_no_evidence(follower, shown, note):
    shown.note = note
    with pytest.raises(RemoteError, match="no checkpoint"):
        follower.look()


NEW = NoteSigner(LOG.name, Ed25519PrivateKey.from_private_bytes(b"s" * 32))


def test_a_checkpoint_that_does_not_hold_is_evidence(follower, shown, tmp_path):
    without = sign_checkpoint(Checkpoint(LOG.name, 7, HONEST.roots[7][1]), LOG)
    of_another_size = HONEST.note(7).replace(b"\n7\n", b"\n8\n")
    for note in (without, of_another_size):
        shown.note = note
        with pytest.raises(EvidenceError, match="does not hold"):
            follower.look()
    assert not (tmp_path / "seen").exists()


@pytest.mark.parametrize("size", [6, 7, 9])
def test_a_checkpoint_under_no_key_of_the_policy_contradicts_nothing(follower, shown, tmp_path, size):
    """Nor does it continue anything: what was seen last stays, whatever size it bears."""
    shown.show(HONEST, 7)
    follower.look()
    shown.note = sign_checkpoint(HONEST.checkpoint(size), NEW)
    with pytest.raises(NotFollowedError, match=r"contradicts nothing.* add the new key to the policy"):
        follower.look()
    assert (tmp_path / "seen").read_bytes() == HONEST.note(7)
    assert list((tmp_path / "evidence").iterdir()) == []


def test_a_policy_with_both_keys_follows_a_rotation(follower, shown, tmp_path):
    shown.show(HONEST, 7)
    follower.look()
    shown.show(HONEST, 9)
    shown.note = sign_checkpoint(HONEST.checkpoint(9), NEW)
    both, new = (Policy(tuple(PolicyLog(one.verifier_key) for one in keys), (), ()) for keys in ((NEW, LOG), (NEW,)))
    with pytest.raises(HomeError, match="the old key beside the new one"):
        Follower(shown, new, tmp_path / "seen", tmp_path / "evidence").look()
    look = Follower(shown, both, tmp_path / "seen", tmp_path / "evidence").look()
    assert (look.seen, look.before, look.others) == ("grown", 7, ())


def test_a_fork_under_the_new_key_is_still_a_fork(follower, shown, tmp_path):
    shown.show(HONEST, 7)
    follower.look()
    shown.show(FORKED, 9)
    shown.note = sign_checkpoint(FORKED.checkpoint(9), NEW)
    both = Policy((PolicyLog(NEW.verifier_key), PolicyLog(LOG.verifier_key)), (), ())
    with pytest.raises(EvidenceError, match="PROVEN"):
        Follower(shown, both, tmp_path / "seen", tmp_path / "evidence").look()


def test_another_origin_is_another_log(shown, tmp_path):
    other = NoteSigner("log.example/b", LOG.private_key)
    policy = Policy((PolicyLog(LOG.verifier_key), PolicyLog(other.verifier_key)), (), ())
    follower = Follower(shown, policy, tmp_path / "seen", tmp_path)
    shown.show(HONEST, 7)
    follower.look()
    shown.note = sign_checkpoint(replace(HONEST.checkpoint(9), origin=other.name), other)
    with pytest.raises(NotFollowedError, match="another --state"):
        follower.look()
    assert (tmp_path / "seen").read_bytes() == HONEST.note(7)
    look = Follower(shown, policy, tmp_path / "new", tmp_path).look()
    assert (look.seen, look.before, look.others) == ("first", None, (LOG.name,))


@pytest.mark.parametrize("content", [b"", b"nonsense", HONEST.note(7)[:-9]])
def test_a_damaged_state_is_not_passed_over(follower, shown, tmp_path, content):
    (tmp_path / "seen").write_bytes(content)
    shown.show(HONEST, 9)
    with pytest.raises(HomeError, match="seen last"):
        follower.look()
    assert (tmp_path / "seen").read_bytes() == content


def test_a_state_that_can_not_be_kept_is_our_error(shown, tmp_path):
    shown.show(HONEST, 9)
    with pytest.raises(HomeError, match="--state"):
        Follower(shown, POLICY, tmp_path / "none" / "seen", tmp_path).look()


def test_watchers_of_one_state_wait_for_each_other(follower, shown, tmp_path, monkeypatch):
    """What one has seen the other is held against: the larger size is never written over by the smaller."""
    shown.show(HONEST, 7)
    follower.look()
    inside, release = threading.Event(), threading.Event()
    keep = following.replace_file

    def slowly(*words):
        inside.set()
        release.wait(5)
        keep(*words)

    monkeypatch.setattr(following, "replace_file", slowly)
    shown.show(HONEST, 31)
    first = threading.Thread(target=follower.look)
    first.start()
    assert inside.wait(5)
    monkeypatch.setattr(following, "replace_file", keep)
    late = Shown()
    late.show(HONEST, 9)
    errors = []

    def second():
        try:
            Follower(late, POLICY, tmp_path / "seen", tmp_path / "evidence").look()
        except EvidenceError as error:
            errors.append(error)

    other = threading.Thread(target=second)
    other.start()
    release.set()
    first.join(5)
    other.join(5)
    assert len(errors) == 1
    assert (tmp_path / "seen").read_bytes() == HONEST.note(31)


@pytest.mark.parametrize("folder", ["file", "file/below"])
def test_evidence_that_can_not_be_kept_hides_no_fork(shown, tmp_path, folder):
    (tmp_path / "file").write_bytes(b"")
    follower = Follower(shown, POLICY, tmp_path / "seen", tmp_path / folder)
    shown.show(HONEST, 7)
    follower.look()
    shown.show(FORKED, 7)
    with pytest.raises(EvidenceError, match=r"PROVEN: .*could not be kept: .*another --evidence"):
        follower.look()
    assert (tmp_path / "seen").read_bytes() == HONEST.note(7)


def test_the_directory_for_evidence_is_made(shown, tmp_path):
    follower = Follower(shown, POLICY, tmp_path / "seen", tmp_path / "new" / "evidence")
    shown.show(HONEST, 7)
    follower.look()
    shown.show(FORKED, 7)
    with pytest.raises(EvidenceError, match="PROVEN"):
        follower.look()
    assert len(list((tmp_path / "new" / "evidence").glob("equivocation-*.json"))) == 1
