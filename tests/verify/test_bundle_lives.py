"""Bundles of a log whose name or key has changed: each link of the way back is broken alone, and the way ends there."""

from dataclasses import replace

import pytest

from grants import allowed_signers
from ledger import canon
from ledger.checkpoint import Checkpoint, sign_checkpoint
from ledger.errors import CanonError
from ledger.note import NoteSigner, parse_note
from ledger.policy import Policy, PolicyLog
from tools.dev import golden_bundle, golden_lives
from verify.bundle import parse_bundle
from verify.check import check_bundle
from verify.errors import BundleFormError


@pytest.fixture(scope="module", params=["rotated", "restored"])
def life(request):
    return getattr(golden_lives, request.param)()


@pytest.fixture(scope="module")
def rotated():
    return golden_lives.rotated()


@pytest.fixture(scope="module")
def restored():
    return golden_lives.restored()


def check(life, data=None, *, policy=None, pins=None, pinned=True):
    stage = life.stage
    signers = allowed_signers.parse(pins or stage.pins()) if pinned else None
    return check_bundle(life.bundle() if data is None else data, policy or stage.policy(), signers)


def failed(report):
    return report.line("checkpoint").why if "checkpoint" in report.failed else None


def relinked(life, **changes):
    """Give the bundle with something else in its link."""
    bundle = parse_bundle(life.bundle())
    (link,) = bundle.links
    return replace(bundle, links=(replace(link, **changes),)).to_bytes()


def without(life, *seqs):
    bundle = parse_bundle(life.bundle())
    return replace(bundle, events=tuple(event for event in bundle.events if event.seq not in seqs)).to_bytes()


def test_old_policy_leads_to_the_new_key(life):
    report = check(life)
    assert report.failed == ()
    assert f"event {life.turn}" in report.line("checkpoint").why


def test_restore_says_what_is_lost(restored):
    said = check(restored).line("checkpoint").why
    last = restored.turn + golden_lives.LOST - 1
    assert "the log tally.example/golden went on as tally.example/golden-2" in said
    assert f"events {restored.turn} to {last} of tally.example/golden, and any after them, are lost" in said


def test_new_policy_needs_nobody_pinned(life):
    policy = Policy((PolicyLog(life.signer.verifier_key),), (), ())
    report = check(life, policy=policy, pinned=False)
    assert report.failed == ()


def test_old_policy_leads_nowhere_without_a_pinned_human(life):
    assert "give --signers FILE" in failed(check(life, pinned=False))


def test_another_pinned_human_is_no_way(life):
    assert "human:ada signed it" in failed(check(life, pins=life.stage.pins("human:bo")))


def test_a_strange_policy_leads_nowhere(life):
    stranger = NoteSigner(life.stage.origin, golden_bundle.key("a stranger"))
    policy = Policy((PolicyLog(stranger.verifier_key),), (), ())
    assert "none of the policy's logs" in failed(check(life, policy=policy))


def test_without_its_link_the_way_ends(life):
    data = replace(parse_bundle(life.bundle()), links=()).to_bytes()
    assert "no checkpoint under the former key is linked" in failed(check(life, data))


def test_link_under_another_key_is_none(life):
    (link,) = parse_bundle(life.bundle()).links
    checkpoint = Checkpoint.parse(parse_note(link.checkpoint)[0])
    forged = sign_checkpoint(checkpoint, NoteSigner(checkpoint.origin, golden_bundle.key("a stranger")))
    assert "does not hold" in failed(check(life, relinked(life, checkpoint=forged)))


@pytest.mark.parametrize("field", ["sha256_root", "blake3_root"])
def test_link_to_another_history_is_none(life, field):
    """The former key signed it, and the log under the new one does not continue it."""
    (link,) = parse_bundle(life.bundle()).links
    other = replace(Checkpoint.parse(parse_note(link.checkpoint)[0]), **{field: b"\1" * 32})
    forged = sign_checkpoint(other, life.stage.log_signer)
    assert "does not hold" in failed(check(life, relinked(life, checkpoint=forged)))


def test_link_of_an_event_that_changes_no_key_is_refused(life):
    """Whatever the policy trusts: a bundle holds nothing that does not hold."""
    policy = Policy((PolicyLog(life.signer.verifier_key),), (), ())
    assert "changed no key" in failed(check(life, relinked(life, event=life.turn + 1), policy=policy))


def test_rotation_that_the_old_key_does_not_cover_is_no_way(rotated):
    """A checkpoint from before the event says nothing of it."""
    from ledger import mmr, rfc6962

    log, size = rotated.stage.log, rotated.turn
    ((_, note),) = [one for one in log.checkpoints() if one[0] == size]
    whole = log.head.size
    own = mmr.prove_consistency(log.nodes("blake3"), size, whole)
    twin = rfc6962.prove_consistency(log.nodes("sha256"), size, whole)
    said = failed(check(rotated, relinked(rotated, checkpoint=note, own=own, twin=twin)))
    assert "one that covers it is wanted" in said


def test_turn_that_is_left_out_is_missed(life):
    """The key in force would be another, and it has not signed."""
    report = check(life, without(life, life.turn), policy=Policy((PolicyLog(life.signer.verifier_key),), (), ()))
    assert "checkpoint" in report.failed


def test_former_key_alone_does_not_speak_any_more(life):
    bundle = parse_bundle(life.bundle())
    checkpoint = replace(Checkpoint.parse(parse_note(bundle.checkpoint)[0]), origin=life.stage.origin)
    forged = sign_checkpoint(checkpoint, life.stage.log_signer)
    assert "names the log" in failed(check(life, replace(bundle, checkpoint=forged).to_bytes()))


def test_checkpoint_of_both_keys_needs_no_link(rotated):
    stage = rotated.stage
    note = golden_lives.signed(stage, rotated.signer, stage.log_signer)
    bare = replace(parse_bundle(rotated.bundle(note)), links=()).to_bytes()
    for policy in (stage.policy(), Policy((PolicyLog(rotated.signer.verifier_key),), (), ())):
        assert check(rotated, bare, policy=policy).failed == ()


# -- the form --


def test_links_make_version_2_and_their_absence_version_1(life):
    value = canon.decode_object(life.bundle().removesuffix(b"\n"))
    assert (value["v"], len(value["links"])) == (2, 1)
    assert parse_bundle(life.bundle()).to_bytes() == life.bundle()


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value.update(links=[]),
        lambda value: value.pop("links"),
        lambda value: value.update(v=1),
        lambda value: value.update(v=True),
        lambda value: value.update(v=3),
        lambda value: value.update(links=value["links"] * 2),
        lambda value: value.update(links={}),
        lambda value: value["links"][0].update(more=1),
        lambda value: value["links"][0].pop("event"),
        lambda value: value["links"][0].update(event=-1),
        lambda value: value["links"][0].update(event=True),
        lambda value: value["links"][0].update(checkpoint=7),
        lambda value: value["links"][0].update(checkpoint="x" * 300_000),
        lambda value: value["links"][0].update(blake3=[]),
        lambda value: value["links"][0]["sha256"].update(v=2),
    ],
)
def test_form_of_links_is_strict(rotated, change):
    value = canon.decode_object(rotated.bundle().removesuffix(b"\n"))
    change(value)
    with pytest.raises((BundleFormError, CanonError)):
        parse_bundle(canon.encode(value) + b"\n")


def test_show_names_the_log_that_decided(restored):
    from verify.show import tell

    told = list(tell(parse_bundle(restored.bundle())))
    assert f"Decision {restored.decision} of the log {golden_lives.CONTINUED}" in told[2]
