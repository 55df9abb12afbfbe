"""Proof files: what holds is accepted, nothing else is, and only our errors escape."""

import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from ledger import canon, digest, rfc6962
from ledger.checkpoint import Checkpoint, sign_checkpoint
from ledger.log import Snapshot
from ledger.memory import MemoryLog
from ledger.note import NoteSigner
from ledger.policy import Policy, PolicyLog
from tests.ledger.contract.sample import VIEWS, Clock, append, moved
from verify import proven
from verify.errors import InclusionError, NotAProofFileError
from verify.proof_file.check import CHECKS, check_proof_file
from verify.proof_file.form import ProofHead, read_head
from verify.proven import Roots

SIZE = 21
SIGNER = NoteSigner("example.com/log", Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
POLICY = Policy((PolicyLog(SIGNER.verifier_key),), (), ())


def make_log() -> tuple[MemoryLog, dict[int, bytes]]:
    """A log, and the signed checkpoint of each of its sizes."""
    log = MemoryLog(VIEWS, Clock())
    notes = {}
    for size in range(1, SIZE + 1):
        append(log, moved(amount=size))
        own = digest.root(size, log.head.blake3_peaks)
        twin = rfc6962.root(log.head.sha256_peaks)
        notes[size] = sign_checkpoint(Checkpoint(SIGNER.name, size, twin, own), SIGNER)
    return log, notes


LOG, NOTES = make_log()
EVENTS = [data for _, data in LOG.events()]
TRUSTED = proven.roots_of(POLICY.open(NOTES[SIZE]).checkpoint)


def event_file(look: Snapshot, roots: Roots = TRUSTED, link: Any = None, seq: int = 5) -> tuple[ProofHead, list[bytes]]:
    data, own, twin = proven.EventProver(roots).prove(look, seq)
    return ProofHead(NOTES[SIZE], roots, own, twin, link), [data]


def set_file(look: Snapshot, roots: Roots = TRUSTED, link: Any = None) -> tuple[ProofHead, list[bytes]]:
    events, own, twin = proven.prove_events(look, roots, [1, 5, 6])
    return ProofHead(NOTES[SIZE], roots, own, twin, link), events


def range_file(look: Snapshot, roots: Roots = TRUSTED, link: Any = None) -> tuple[ProofHead, list[bytes]]:
    own, twin = proven.prove_all(look, roots, 3, 6)
    return ProofHead(NOTES[SIZE], roots, own, twin, link), list(proven.all_events(look, 3, 6))


def growth_file(look: Snapshot, roots: Roots = TRUSTED, link: Any = None) -> tuple[ProofHead, list[bytes]]:
    old, found = proven.roots_before(look, 6, roots)
    return ProofHead(NOTES[SIZE], roots, found.own, found.twin, link, old), []


KINDS = pytest.mark.parametrize("make", [event_file, set_file, range_file, growth_file])
Make = Callable[..., tuple[ProofHead, list[bytes]]]


def spell(head: ProofHead, events: list[bytes]) -> bytes:
    return head.to_bytes() + b"".join(data + b"\n" for data in events)


def check(data: bytes, **more: bytes) -> dict[str, str]:
    lines = check_proof_file(io.BytesIO(data), POLICY, **more)
    assert [line.check for line in lines] == [name for name in CHECKS if name in {line.check for line in lines}]
    return {line.check: line.status for line in lines}


def holds(data: bytes, **more: bytes) -> bool:
    """Whether the file is accepted: any of our refusals will do."""
    try:
        return "FAIL" not in check(data, **more).values()
    except NotAProofFileError:
        return False


@KINDS
def test_what_was_proven_is_accepted(make: Make) -> None:
    found = check(spell(*make(LOG)))
    older = {"older checkpoint": "NOT-CHECKED"} if make is growth_file else {}
    assert (
        found
        == {**dict.fromkeys(("structure", "checkpoint", "roots", "events"), "PASS"), "witnesses": "NOT-CHECKED"} | older
    )


@KINDS
def test_a_past_size_is_linked_to_the_checkpoint(make: Make) -> None:
    for size in range(7, SIZE):
        past, link = proven.roots_before(LOG, size, TRUSTED)
        head, events = make(LOG, past, link)
        assert holds(spell(head, events))
        assert not holds(spell(replace(head, link=None), events))
        # The checkpoint of that very size takes it without the link.
        assert holds(spell(replace(head, link=None), events), checkpoint=NOTES[size])
        assert not holds(spell(head, events), checkpoint=NOTES[size - 1])


@KINDS
def test_reads_back_what_it_writes(make: Make) -> None:
    past, link = proven.roots_before(LOG, 11, TRUSTED)
    for head, events in (make(LOG), make(LOG, past, link)):
        file = io.BytesIO(spell(head, events))
        assert read_head(file) == head
        assert file.read() == b"".join(data + b"\n" for data in events)


@KINDS
def test_no_byte_can_be_changed_left_out_or_added(make: Make) -> None:
    data = spell(*make(LOG))
    for at in range(len(data)):
        assert not holds(data[:at] + bytes([data[at] ^ 1 << at % 7]) + data[at + 1 :]), at
    for at in range(0, len(data), 7):
        assert not holds(data[:at]), at
    assert not holds(data + b"\n")
    assert not holds(data + data)
    assert not holds(b"\n" + data)


@KINDS
def test_the_log_must_be_one_of_the_policy(make: Make) -> None:
    other = NoteSigner("example.com/other", Ed25519PrivateKey.from_private_bytes(bytes(32)))
    lines = check_proof_file(io.BytesIO(spell(*make(LOG))), Policy((PolicyLog(other.verifier_key),), (), ()))
    assert lines[-1].check == "checkpoint"
    assert lines[-1].status == "FAIL"


def test_the_older_checkpoint_of_growth_is_compared() -> None:
    data = spell(*growth_file(LOG))
    assert check(data, older=NOTES[6])["older checkpoint"] == "PASS"
    assert check(data, older=NOTES[7])["older checkpoint"] == "FAIL"
    assert check(data, older=b"no note")["older checkpoint"] == "FAIL"
    assert check(spell(*event_file(LOG)), older=NOTES[6])["older checkpoint"] == "FAIL"
    fork = sign_checkpoint(replace(POLICY.open(NOTES[6]).checkpoint, sha256_root=bytes(32)), SIGNER)
    assert check(data, older=fork)["older checkpoint"] == "FAIL"


def test_the_older_checkpoint_is_of_the_same_log() -> None:
    other = NoteSigner("example.com/other", Ed25519PrivateKey.from_private_bytes(bytes(32)))
    foreign = sign_checkpoint(replace(POLICY.open(NOTES[6]).checkpoint, origin=other.name), other)
    both = Policy((*POLICY.logs, PolicyLog(other.verifier_key)), (), ())
    lines = check_proof_file(io.BytesIO(spell(*growth_file(LOG))), both, older=foreign)
    assert "another log" in lines[-1].why
    assert lines[-1].status == "FAIL"


def test_proofs_of_two_different_things_are_refused() -> None:
    """Each tree's proof alone is honest; together they are of two events, two sets, two sizes."""
    head, events = event_file(LOG)
    other, _ = event_file(LOG, seq=6)
    assert not holds(spell(replace(head, twin=other.twin), events))
    assert not holds(spell(replace(head, own=other.own), events))
    span, shown = range_file(LOG)
    wider, _ = proven.prove_all(LOG, TRUSTED, 3, 7)
    assert not holds(spell(replace(span, own=wider), shown))
    growth, _ = growth_file(LOG)
    past, found = proven.roots_before(LOG, 7, TRUSTED)
    assert not holds(spell(replace(growth, own=found.own), []))
    assert growth.old is not None
    assert not holds(spell(replace(growth, own=found.own, old=Roots(6, past.blake3, growth.old.sha256)), []))


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "set"},
        {"kind": "proof"},
        {"kind": None},
        {"v": 2},
        {"v": True},
        {"format": "tallystick-bundle"},
        {"old": {"size": 3, "blake3": canon.to_base64url(bytes(32)), "sha256": canon.to_base64url(bytes(32))}},
        {"link": {"blake3": None}},
        {"link": {"blake3": {}, "sha256": {}}},
        {"roots": None},
        {"roots": {"size": 0, "blake3": canon.to_base64url(bytes(32)), "sha256": canon.to_base64url(bytes(32))}},
        {"roots": {"size": 21, "blake3": "AA", "sha256": canon.to_base64url(bytes(32))}},
        {"checkpoint": 7},
        {"more": 1},
    ],
)
def test_refuses_another_form(change: dict[str, Any]) -> None:
    value = canon.decode(event_file(LOG)[0].to_bytes()[:-1])
    assert isinstance(value, dict)
    with pytest.raises(NotAProofFileError):
        read_head(io.BytesIO(canon.encode({**value, **change}) + b"\n"))


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"{}\n", b"[]\n", b'{"format":"tallystick-proof"}\n', b"\xff\n", b"x" * 100]
)
def test_refuses_what_is_no_proof_file(data: bytes) -> None:
    with pytest.raises(NotAProofFileError):
        check(data)


@given(st.binary(max_size=200), st.integers(0, 3000), st.sampled_from([event_file, set_file, range_file, growth_file]))
def test_only_our_errors_escape(noise: bytes, at: int, make: Make) -> None:
    data = spell(*make(LOG))
    holds(data[:at] + noise + data[at:])
    holds(noise)


def test_nothing_is_proven_of_what_the_database_does_not_bear_out() -> None:
    """A node or an event that was changed: no proof comes out, of any kind, at any size."""
    for tree in (0, 1):
        for position in range(len(LOG._nodes)):
            log, _ = make_log()
            row = list(log._nodes[position])
            row[tree] = bytes(32)
            log._nodes[position] = (row[0], row[1])
            for make in (event_file, set_file, range_file, growth_file):
                try:
                    data = spell(*make(log))
                except InclusionError:
                    continue
                assert holds(data)
    log, _ = make_log()
    log._events[5] = log._events[4]
    for make in (event_file, set_file, range_file):
        with pytest.raises(InclusionError):
            make(log)


def test_past_roots_are_those_that_were_signed() -> None:
    for size in range(1, SIZE + 1):
        past, _ = proven.roots_before(LOG, size, TRUSTED)
        assert past == proven.roots_of(POLICY.open(NOTES[size]).checkpoint)
