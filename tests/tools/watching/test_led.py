"""A watcher is led over a rotation and a restore by the log's links, and by nothing else."""

from dataclasses import replace

import pytest

from grants import allowed_signers
from ledger.checkpoint import Checkpoint, sign_checkpoint
from ledger.note import parse_note
from tests.tools.witness.story import HONEST
from tools.dev import golden_lives
from tools.errors import EvidenceError, NotFollowedError
from tools.watching.following import Follower
from verify.check.log import Anchor
from verify.continuation import continuation
from verify.equivocation import check_equivocation, parse_equivocation
from verify.links import follow_links, make_links, parse_links


class Living:
    """A log whose name or key changes, with links that may be tampered with."""

    def __init__(self, life, note):
        self.life, self.note, self.tamper = life, note, lambda data: data

    def newest(self):
        return self.note

    def continuation(self, old, new):
        log = self.life.stage.log
        return log.read(lambda look: continuation(look.nodes, look.head.size, old, new))

    def links(self, _size):
        return self.tamper(self.life.stage.log.read(lambda look: make_links(look, self.life.checkpoint())))


@pytest.fixture(scope="module", params=["rotated", "restored"])
def life(request):
    return getattr(golden_lives, request.param)()


@pytest.fixture
def living(life):
    (first,) = [note for size, note in life.stage.log.checkpoints() if size == life.turn]
    return Living(life, first)


@pytest.fixture
def follow(living, tmp_path):
    stage = living.life.stage
    pinned = allowed_signers.parse(stage.pins())
    return lambda signers=pinned: Follower(
        living, stage.policy(), tmp_path / "seen", tmp_path / "found", signers
    ).look()


def test_links_lead_from_what_was_seen_to_the_key_in_force(living, follow, tmp_path):
    life = living.life
    assert follow().seen == "first"
    living.note = life.checkpoint()
    look = follow()
    assert look.seen == ("grown" if life.signer.name == life.stage.origin else "restored")
    assert (look.before, look.checkpoint.origin) == (life.turn, life.signer.name)
    assert f"event {life.turn}" in look.followed
    assert ((tmp_path / "seen").read_bytes(), follow().seen, follow().followed) == (living.note, "same", None)


def test_first_look_by_the_old_policy_is_led_too(living, follow):
    living.note = living.life.checkpoint()
    look = follow()
    assert (look.seen, look.others, f"event {living.life.turn}" in look.followed) == ("first", (), True)


def test_nobody_is_led_who_has_pinned_no_human(living, follow, tmp_path):
    follow()
    seen = (tmp_path / "seen").read_bytes()
    living.note = living.life.checkpoint()
    with pytest.raises(NotFollowedError, match="--signers FILE"):
        follow(None)
    with pytest.raises(NotFollowedError, match="don't lead there"):
        follow(allowed_signers.parse(living.life.stage.pins("human:bo")))
    assert (tmp_path / "seen").read_bytes() == seen


def unlinked(data):
    return replace(parse_links(data), links=()).to_bytes()


def stranger(data):
    file = parse_links(data)
    (link,) = file.links
    return replace(file, links=(replace(link, checkpoint=HONEST.note(7)),)).to_bytes()


@pytest.mark.parametrize("tamper", [unlinked, stranger, lambda data: data[:-100], lambda _: b"nonsense\n"])
def test_links_that_do_not_hold_lead_nowhere(living, follow, tmp_path, tamper):
    follow()
    seen = (tmp_path / "seen").read_bytes()
    living.note, living.tamper = living.life.checkpoint(), tamper
    with pytest.raises(NotFollowedError, match="don't lead there"):
        follow()
    assert ((tmp_path / "seen").read_bytes(), (tmp_path / "found").exists()) == (seen, False)


def test_fork_under_a_key_that_links_led_to_is_proven(living, follow, tmp_path):
    follow()
    living.note = living.life.checkpoint()
    follow()
    now = Checkpoint.parse(parse_note(living.note)[0])
    living.note = sign_checkpoint(replace(now, sha256_root=b"\1" * 32), living.life.signer)
    with pytest.raises(EvidenceError, match=r"PROVEN.*--links"):
        follow()
    (file,) = (tmp_path / "found").glob("*.json")
    (links,) = (tmp_path / "found").glob("*.links")
    stage = living.life.stage
    led = follow_links(links.read_bytes(), Anchor(stage.policy(), allowed_signers.parse(stage.pins()), None))
    finding = check_equivocation(parse_equivocation(file.read_bytes()), led.policy())
    assert (finding.verdict, finding.kind) == ("PROVEN", "two-roots")


def test_what_was_seen_of_the_former_log_must_stand_in_the_new_one(follow, living, tmp_path):
    """The former key signed another history of those events, and that is what this watcher was shown."""
    life = living.life
    size = life.turn - 1
    living.note = sign_checkpoint(
        Checkpoint(life.stage.origin, size, HONEST.roots[7][1], b"\1" * 32), life.stage.log_signer
    )
    assert follow().seen == "first"
    living.note = life.checkpoint()
    with pytest.raises(EvidenceError):
        follow()
    assert Checkpoint.parse(parse_note((tmp_path / "seen").read_bytes())[0]).size == size


def test_way_back_to_the_former_log_is_none(living, follow, tmp_path):
    """A watcher that has seen the log go on is not led back to the name or the size that it had before."""
    former = living.note
    living.note = living.life.checkpoint()
    follow()
    seen = (tmp_path / "seen").read_bytes()
    living.note = former
    with pytest.raises((NotFollowedError, EvidenceError)):
        follow()
    assert (tmp_path / "seen").read_bytes() == seen
