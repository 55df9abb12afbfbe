"""The file of links: it leads from a former key of a log to a later one, and whatever in it is changed ends it."""

import io
from dataclasses import replace
from pathlib import Path

import pytest

from grants import allowed_signers
from ledger import canon, cose, mmr, rfc6962
from ledger.checkpoint import Checkpoint, sign_checkpoint
from ledger.errors import NoteError
from ledger.note import NoteSigner, parse_note
from ledger.policy import Policy, PolicyLog, parse_policy
from ledger.tlog_proof import TlogProof
from tools.dev import golden_bundle, golden_lives
from verify.bundle import parse_bundle, parts
from verify.check.log import Anchor
from verify.equivocation import Equivocation, check_equivocation
from verify.errors import LineageError, NotALinksFileError
from verify.links import follow_links, form, make_links, parse_links
from verify.proof_file.check import check_proof_file
from verify.proof_file.form import ProofHead
from verify.proven import EventProver, roots_before, roots_of
from verify.receipt import check_receipt, subject_of


@pytest.fixture(scope="module", params=["rotated", "restored"])
def life(request):
    return getattr(golden_lives, request.param)()


@pytest.fixture(scope="module")
def rotated():
    return golden_lives.rotated()


@pytest.fixture(scope="module")
def restored():
    return golden_lives.restored()


def made(life):
    return life.stage.log.read(lambda look: make_links(look, life.checkpoint()))


def anchored(life, *, policy=None, pins=None, pinned=True):
    signers = allowed_signers.parse(pins or life.stage.pins()) if pinned else None
    return Anchor(policy or life.stage.policy(), signers, None)


def follow(life, data=None, **how):
    return follow_links(made(life) if data is None else data, anchored(life, **how))


def refused(life, data=None, **how):
    with pytest.raises(LineageError) as caught:
        follow(life, data, **how)
    return str(caught.value)


def changed(life, **changes):
    return replace(parse_links(made(life)), **changes).to_bytes()


def relinked(life, **changes):
    (link,) = parse_links(made(life)).links
    return changed(life, links=(replace(link, **changes),))


def of_event(life, seq=3):
    """Prove an event under the newest checkpoint."""
    note = life.checkpoint()
    roots = roots_of(Checkpoint.parse(parse_note(note)[0]))
    return note, roots, *life.stage.log.read(lambda look: EventProver(roots).prove(look, seq))


def statuses(lines):
    return {line.check: line.status for line in lines}


# -- following --


def test_one_spelling_and_one_file_for_one_log(life):
    assert made(life) == made(life) == parse_links(made(life)).to_bytes()


def test_old_policy_leads_to_the_key_in_force(life):
    followed = follow(life)
    witnessed = followed.open(life.checkpoint())
    assert (witnessed.log, witnessed.checkpoint.size) == (life.signer.verifier_key, life.stage.log.head.size)
    assert f"event {life.turn}" in followed.line().why


def test_each_size_has_its_own_key(life):
    followed, old = follow(life), life.stage.log_signer.verifier_key
    assert [followed.key_at(size) for size in (1, life.turn)] == [old, old]
    assert followed.key_at(life.turn + 1) == followed.key_at(10**6) == life.signer.verifier_key


def test_former_key_does_not_speak_for_later_sizes(life):
    """A thief of the old key signs what the log would sign."""
    now = Checkpoint.parse(parse_note(life.checkpoint())[0])
    forged = sign_checkpoint(replace(now, origin=life.stage.origin), life.stage.log_signer)
    with pytest.raises(NoteError):
        follow(life).open(forged)


def test_new_key_does_not_speak_for_earlier_sizes(life):
    early = replace(Checkpoint.parse(parse_note(life.checkpoint())[0]), size=life.turn)
    with pytest.raises(NoteError):
        follow(life).open(sign_checkpoint(early, life.signer))


def test_checkpoint_of_that_size_with_other_roots_is_refused(life):
    other = replace(Checkpoint.parse(parse_note(life.checkpoint())[0]), sha256_root=b"\1" * 32)
    with pytest.raises(LineageError, match="two roots"):
        follow(life).open(sign_checkpoint(other, life.signer))


def test_later_checkpoint_under_the_same_key_is_followed(life):
    later = replace(Checkpoint.parse(parse_note(life.checkpoint())[0]), size=10**6)
    assert follow(life).open(sign_checkpoint(later, life.signer)).checkpoint.size == 10**6


def test_later_checkpoint_under_yet_another_key_asks_for_newer_links(life):
    third = NoteSigner(life.signer.name, golden_bundle.key("third log key"))
    later = replace(Checkpoint.parse(parse_note(life.checkpoint())[0]), size=10**6)
    with pytest.raises(LineageError, match="newer ones may lead on"):
        follow(life).open(sign_checkpoint(later, third))


def test_links_lead_to_their_own_checkpoint_where_both_keys_have_signed_it(rotated):
    note = golden_lives.signed(rotated.stage, rotated.signer, rotated.stage.log_signer)
    data = rotated.stage.log.read(lambda look: make_links(look, note))
    bare = replace(parse_links(data), links=()).to_bytes()
    assert follow(rotated, bare).open(note).log == rotated.signer.verifier_key


def test_nobody_needs_pinning_who_trusts_the_new_key(life):
    policy = Policy((PolicyLog(life.signer.verifier_key),), (), ())
    assert follow(life, policy=policy, pinned=False).open(life.checkpoint()).log == life.signer.verifier_key


def test_trust_never_goes_back_to_a_former_key(life):
    policy = Policy((PolicyLog(life.signer.verifier_key),), (), ())
    with pytest.raises(LineageError, match="none of the policy's logs"):
        follow(life, policy=policy).key_at(life.turn)
    assert follow(life, policy=policy).policy() == policy


# -- what was changed --


def test_without_a_pinned_human_they_lead_nowhere(life):
    assert "give --signers FILE" in refused(life, pinned=False)


def test_another_pinned_human_leads_nowhere(life):
    assert "human:ada signed it" in refused(life, pins=life.stage.pins("human:bo"))


def test_a_strange_policy_leads_nowhere(life):
    stranger = NoteSigner(life.stage.origin, golden_bundle.key("a stranger"))
    assert "none of the policy's logs" in refused(life, policy=Policy((PolicyLog(stranger.verifier_key),), (), ()))


def test_link_that_names_another_old_checkpoint_is_none(life):
    (link,) = parse_links(made(life)).links
    for field in ("sha256_root", "blake3_root"):
        other = replace(Checkpoint.parse(parse_note(link.checkpoint)[0]), **{field: b"\1" * 32})
        forged = sign_checkpoint(other, life.stage.log_signer)
        assert "does not hold" in refused(life, relinked(life, checkpoint=forged))


def test_link_that_names_a_checkpoint_on_the_other_side_of_the_event_is_none(rotated):
    log, size = rotated.stage.log, rotated.turn
    ((_, note),) = [one for one in log.checkpoints() if one[0] == size]
    own = mmr.prove_consistency(log.nodes("blake3"), size, log.head.size)
    twin = rfc6962.prove_consistency(log.nodes("sha256"), size, log.head.size)
    assert "one that covers it is wanted" in refused(rotated, relinked(rotated, checkpoint=note, own=own, twin=twin))


def test_link_signed_by_the_wrong_key_is_none(life):
    (link,) = parse_links(made(life)).links
    checkpoint = Checkpoint.parse(parse_note(link.checkpoint)[0])
    for signer in (NoteSigner(checkpoint.origin, golden_bundle.key("a stranger")), life.signer):
        forged = sign_checkpoint(replace(checkpoint, origin=signer.name), signer)
        assert "does not hold" in refused(life, relinked(life, checkpoint=forged))


def test_link_that_was_cut_out_is_missed(life):
    assert "no checkpoint under the former key is linked" in refused(life, changed(life, links=()))


def test_link_of_an_event_that_changes_no_key_is_refused(life):
    assert "changed no key" in refused(life, relinked(life, event=life.turn + 1))


def test_event_that_was_cut_out_is_missed(life):
    events = parse_links(made(life)).events
    for gone in events:
        rest = tuple(event for event in events if event != gone)
        assert refused(life, changed(life, events=rest))


def test_event_that_has_no_part_in_it_is_refused(life):
    extra = next(
        one for one in golden_bundle_events(life) if one.seq not in {e.seq for e in parse_links(made(life)).events}
    )
    events = tuple(sorted((*parse_links(made(life)).events, extra), key=lambda event: event.seq))
    assert "has no part in the links" in refused(life, changed(life, events=events))


def golden_bundle_events(life):
    return parse_bundle(life.bundle()).events


def test_event_with_another_byte_is_refused(life):
    events = parse_links(made(life)).events
    for index, event in enumerate(events):
        other = replace(event, data=event.data.replace(b'"at":"20', b'"at":"21', 1))
        assert refused(life, changed(life, events=(*events[:index], other, *events[index + 1 :])))


def test_checkpoint_under_another_key_is_refused(life):
    checkpoint = Checkpoint.parse(parse_note(life.checkpoint())[0])
    forged = sign_checkpoint(checkpoint, NoteSigner(checkpoint.origin, golden_bundle.key("a stranger")))
    assert refused(life, changed(life, checkpoint=forged))


def test_every_cut_is_no_file_of_links(rotated):
    data = made(rotated)
    for end in [*range(0, len(data) - 1, 97), len(data) - 1]:
        with pytest.raises(NotALinksFileError):
            parse_links(data[:end])


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value.update(v=2),
        lambda value: value.update(v=True),
        lambda value: value.update(format="tallystick-bundle"),
        lambda value: value.update(more=1),
        lambda value: value.pop("links"),
        lambda value: value.update(links={}),
        lambda value: value.update(links=value["links"] * 2),
        lambda value: value.update(events=value["events"][::-1]),
        lambda value: value.update(checkpoint=7),
        lambda value: value.update(checkpoint="x" * 300_000),
        lambda value: value["links"][0].update(event=True),
        lambda value: value["links"][0]["sha256"].update(v=2),
    ],
)
def test_the_form_is_strict(rotated, change):
    value = canon.decode_object(made(rotated).removesuffix(b"\n"))
    change(value)
    with pytest.raises(NotALinksFileError):
        parse_links(canon.encode(value) + b"\n")


# -- what is led --


def test_receipts_under_the_new_key_are_verified(life):
    note, roots, data, _, twin = of_event(life)
    proof = TlogProof(3, twin.path, note, data).to_bytes()
    receipt = cose.sign(life.signer, subject_of(3), twin, roots.sha256).to_bytes()
    for file in (proof, receipt):
        assert "FAIL" in statuses(check_receipt(file, data, life.stage.policy())).values()
        assert "FAIL" not in statuses(check_receipt(file, data, life.stage.policy(), follow(life))).values()


def test_receipts_by_the_former_key_over_what_came_after_it_are_refused(life):
    note, roots, data, _, twin = of_event(life)
    thief = life.stage.log_signer
    forged = replace(Checkpoint.parse(parse_note(note)[0]), origin=thief.name)
    proof = TlogProof(3, twin.path, sign_checkpoint(forged, thief), data).to_bytes()
    receipt = cose.sign(thief, subject_of(3), twin, roots.sha256).to_bytes()
    for file in (proof, receipt):
        assert "FAIL" not in statuses(check_receipt(file, data, life.stage.policy())).values()
        assert "FAIL" in statuses(check_receipt(file, data, life.stage.policy(), follow(life))).values()


def test_receipt_of_another_log_of_that_size_is_refused(life):
    _, _, data, _, twin = of_event(life)
    other = replace(twin, path=(b"\1" * 32, *twin.path[1:]))
    from ledger.digest import SHA256_TREE
    from verify.inclusion import twin_inclusion_root

    root = twin_inclusion_root(other, SHA256_TREE.leaf(3, data))
    receipt = cose.sign(life.signer, subject_of(3), other, root).to_bytes()
    lines = check_receipt(receipt, data, life.stage.policy(), follow(life))
    assert "two roots" in next(line.why for line in lines if line.status == "FAIL")


def test_proof_files_under_the_new_key_are_verified(life):
    note, roots, data, own, twin = of_event(life)
    file = ProofHead(note, roots, own, twin).to_bytes() + data + b"\n"
    assert "FAIL" in statuses(check_proof_file(io.BytesIO(file), life.stage.policy())).values()
    lines = check_proof_file(io.BytesIO(file), life.stage.policy(), followed=follow(life))
    assert "FAIL" not in statuses(lines).values()


def test_growth_is_proven_from_one_name_or_key_to_the_next(life):
    note = life.checkpoint()
    roots = roots_of(Checkpoint.parse(parse_note(note)[0]))
    size, older = life.stage.log.read(lambda look: look.newest_checkpoint(life.turn + 1))
    past, growth = life.stage.log.read(lambda look: roots_before(look, size, roots))
    file = ProofHead(note, roots, growth.own, growth.twin, old=past).to_bytes()
    lines = check_proof_file(io.BytesIO(file), life.stage.policy(), older=older, followed=follow(life))
    assert statuses(lines)["older checkpoint"] == "PASS"
    forged = sign_checkpoint(
        replace(Checkpoint.parse(parse_note(older)[0]), blake3_root=b"\1" * 32), life.stage.log_signer
    )
    lines = check_proof_file(io.BytesIO(file), life.stage.policy(), older=forged, followed=follow(life))
    assert statuses(lines)["older checkpoint"] == "FAIL"


def test_lost_part_of_the_former_log_is_no_older_checkpoint(restored):
    """What the former log signed after the restored copy is lost: nothing goes on from it."""
    note = restored.checkpoint()
    roots = roots_of(Checkpoint.parse(parse_note(note)[0]))
    size = restored.turn + 1
    past, growth = restored.stage.log.read(lambda look: roots_before(look, size, roots))
    file = ProofHead(note, roots, growth.own, growth.twin, old=past).to_bytes()
    older = sign_checkpoint(
        Checkpoint(restored.stage.origin, size, past.sha256, past.blake3), restored.stage.log_signer
    )
    lines = check_proof_file(io.BytesIO(file), restored.stage.policy(), older=older, followed=follow(restored))
    assert statuses(lines)["older checkpoint"] == "FAIL"


def test_fork_under_the_new_key_is_proven_to_whoever_follows(life):
    now = Checkpoint.parse(parse_note(life.checkpoint())[0])
    other = sign_checkpoint(replace(now, sha256_root=b"\1" * 32), life.signer)
    fork = Equivocation(life.checkpoint(), other)
    assert check_equivocation(fork, life.stage.policy()).verdict == "FAILED"
    assert check_equivocation(fork, follow(life).policy()).verdict == "PROVEN"


@pytest.mark.parametrize("name", ["after-rotation", "after-restore"])
def test_published_links_lead_to_the_checkpoint_of_the_published_bundle(golden, name):
    signers = allowed_signers.parse(golden("human.signers"))
    followed = follow_links(golden(f"{name}.links"), Anchor(parse_policy(golden("log.policy")), signers, None))
    bundle = parse_bundle(golden(f"{name}.bundle"))
    assert followed.open(bundle.checkpoint).checkpoint == followed.checkpoint
    assert parse_links(golden(f"{name}.links")).links == bundle.links


def test_the_page_names_every_field_and_bound():
    page = (Path(__file__).parents[2] / "docs" / "spec" / "links.md").read_text()
    for name in ("format", "checkpoint", "events", "links"):
        assert f"`{name}`" in page
    assert f"`{form.FORMAT}`, and {form.VERSION}" in page
    assert f"at most {form.MAX_BYTES:,} bytes" in page
    assert f"at most {parts.MAX_EVENTS:,} |" in page
    assert f"at most {parts.MAX_LINKS:,};" in page
