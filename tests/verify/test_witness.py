"""When a witness cosigns and when it does not: the published probes, every small tree, and every order of requests."""

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from ledger import mmr, rfc6962
from ledger.checkpoint import Checkpoint, sign_checkpoint
from ledger.cosignature import TreeHead
from ledger.digest import SHA256_TREE
from ledger.note import Note, NoteSigner, VerifierKey
from ledger.witness import AddCheckpoint
from verify.witness import NOTHING, Asked, Refusal, WitnessState, contradicts, judge, read_request

PUBLISHED = json.loads((Path(__file__).parents[1] / "vectors/published/rfc6962_proof_probes.json").read_bytes())
PROBES = PUBLISHED["probes"]["consistency"]
EMPTY = hashlib.sha256().digest()

LOG = NoteSigner("log.example/a", Ed25519PrivateKey.from_private_bytes(b"l" * 32))
EVE = NoteSigner("log.example/a", Ed25519PrivateKey.from_private_bytes(b"e" * 32))
KEYS = [LOG.verifier_key, NoteSigner("log.example/b", EVE.private_key).verifier_key]


class Tree:
    """A log of small entries, with its root at every size."""

    def __init__(self, entries: Sequence[bytes]) -> None:
        self.nodes: list[bytes] = []
        peaks: list[bytes] = []
        self.roots = [rfc6962.root(peaks)]
        for index, entry in enumerate(entries):
            new, peaks = mmr.append(SHA256_TREE, index, SHA256_TREE.leaf(index, entry), peaks)
            self.nodes += [value for _, value in new]
            self.roots.append(rfc6962.root(peaks))

    def read(self, positions: Sequence[int]) -> list[bytes]:
        return [self.nodes[position] for position in positions]

    def proof(self, old: int, new: int) -> tuple[bytes, ...]:
        return rfc6962.prove_consistency(self, old, new).path if old else ()

    def state(self, size: int) -> WitnessState:
        return WitnessState(size, self.roots[size])


HONEST = Tree([b"%d" % index for index in range(24)])
FORKED = Tree([b"%d" % index if index < 5 else b"x%d" % index for index in range(24)])


def asked(old: int, size: int, root: bytes, proof: Sequence[bytes]) -> Asked:
    return Asked(TreeHead("log.example/a", size, root), Note("", ()), old, tuple(proof))


def status(outcome: WitnessState | Refusal) -> int:
    return outcome.status if isinstance(outcome, Refusal) else 200


@pytest.mark.parametrize("case", PROBES, ids=lambda case: case["file"])
def test_the_published_probe_is_judged(case: dict[str, Any]) -> None:
    """A witness that stands at the probe's older head cosigns the newer exactly where the proof is to be accepted."""

    def read(text: str | None) -> bytes:
        return base64.b64decode(text or "")

    old, new = case["size1"], case["size2"]
    proof = [read(text) for text in case["proof"] or []]
    outcome = judge(asked(old, new, read(case["root2"]), proof), WitnessState(old, read(case["root1"])))
    assert isinstance(outcome, Refusal) == case["wantErr"] or old == 0, case
    if isinstance(outcome, Refusal):
        assert outcome.status == 422


def test_every_honest_step_is_cosigned() -> None:
    for old in range(24):
        for new in range(old, 25):
            step = asked(old, new, HONEST.roots[new], HONEST.proof(old, new))
            assert judge(step, HONEST.state(old)) == HONEST.state(new)


def test_another_size_than_the_last_is_a_conflict_that_tells_the_last() -> None:
    for last in range(12):
        for old in range(12):
            for new in range(old, 12):
                outcome = judge(asked(old, new, HONEST.roots[new], HONEST.proof(old, new)), HONEST.state(last))
                if old == last:
                    assert outcome == HONEST.state(new)
                else:
                    assert isinstance(outcome, Refusal)
                    assert (outcome.status, outcome.size) == (409, last)


def test_no_fork_is_cosigned_with_whatever_proof() -> None:
    """The proofs of either tree, for every pair of sizes, and none."""
    for last in range(6, 14):
        for new in range(last, 14):
            for tree in (HONEST, FORKED):
                for old in range(1, last + 1):
                    step = asked(last, new, FORKED.roots[new], tree.proof(old, new))
                    assert status(judge(step, HONEST.state(last))) == 422
            assert status(judge(asked(last, new, FORKED.roots[new], ()), HONEST.state(last))) == 422


def test_every_flipped_bit_of_a_proof_is_refused() -> None:
    proof = HONEST.proof(7, 23)
    for at, value in enumerate(proof):
        for bit in range(0, 256, 17):
            flipped = (int.from_bytes(value, "big") ^ 1 << bit).to_bytes(32, "big")
            step = asked(7, 23, HONEST.roots[23], [*proof[:at], flipped, *proof[at + 1 :]])
            assert status(judge(step, HONEST.state(7))) == 422
    for other in (proof[:-1], (*proof, bytes(32)), proof[::-1]):
        assert status(judge(asked(7, 23, HONEST.roots[23], other), HONEST.state(7))) == 422


@given(st.lists(st.tuples(st.sampled_from([HONEST, FORKED]), st.integers(0, 24), st.integers(0, 24)), max_size=30))
def test_whatever_is_asked_one_history_is_cosigned(steps: list[tuple[Tree, int, int]]) -> None:
    """Requests of two logs that share five events and a key, in any order: sizes never fall, one root for each size."""
    state, said = NOTHING, {0: EMPTY}
    for tree, old, new in steps:
        if old > new:
            continue
        outcome = judge(asked(old, new, tree.roots[new], tree.proof(old, new)), state)
        if isinstance(outcome, WitnessState):
            assert outcome.size >= state.size
            assert said.setdefault(outcome.size, outcome.root) == outcome.root
            state = outcome
    largest = state.size
    assert any(all(tree.roots[size] == root for size, root in said.items()) for tree in (HONEST, FORKED)), largest


def test_the_first_checkpoint_is_taken_as_it_is() -> None:
    assert judge(asked(0, 9, FORKED.roots[9], ()), NOTHING) == FORKED.state(9)
    assert status(judge(asked(0, 9, FORKED.roots[9], [bytes(32)]), NOTHING)) == 422


def test_the_empty_log_has_one_root() -> None:
    assert judge(asked(0, 0, EMPTY, ()), NOTHING) == NOTHING
    assert status(judge(asked(0, 0, bytes(32), ()), NOTHING)) == 422


def test_the_same_size_again_needs_no_proof_and_the_same_root() -> None:
    state = HONEST.state(9)
    assert judge(asked(9, 9, HONEST.roots[9], ()), state) == state
    assert status(judge(asked(9, 9, HONEST.roots[9], [bytes(32)]), state)) == 422
    other = asked(9, 9, FORKED.roots[9], ())
    assert status(judge(other, state)) == 422
    assert contradicts(other, state)
    assert contradicts(replace(other, old_size=3), state)
    assert not contradicts(asked(9, 9, HONEST.roots[9], ()), state)


def test_a_size_beyond_all_reason_is_inconsistent() -> None:
    assert status(judge(asked(9, 2**60, bytes(32), ()), HONEST.state(9))) == 422


# -- reading a request --


def request(
    old: int = 0, proof: tuple[bytes, ...] = (), note: bytes | None = None, *, signer: NoteSigner = LOG
) -> bytes:
    head = Checkpoint(signer.name, 8, HONEST.roots[8], bytes(32))
    return AddCheckpoint(old, proof, sign_checkpoint(head, signer) if note is None else note).to_bytes()


def refused(data: bytes, keys: Sequence[VerifierKey] = KEYS) -> int:
    outcome = read_request(data, keys)
    assert isinstance(outcome, Refusal)
    assert "\n" not in outcome.why
    return outcome.status


def test_a_request_of_a_known_log_is_read() -> None:
    found = read_request(request(3, (bytes(32),)), KEYS)
    assert isinstance(found, Asked)
    assert (found.head, found.old_size, found.proof) == (TreeHead(LOG.name, 8, HONEST.roots[8]), 3, (bytes(32),))
    assert [line.name for line in found.note.verified] == [LOG.name]


def test_a_checkpoint_of_any_log_is_read() -> None:
    """Extension lines are the log's own matter."""
    text = f"{LOG.name}\n8\n{base64.b64encode(HONEST.roots[8]).decode()}\nfree text\nand more\n"
    assert isinstance(read_request(request(note=LOG.sign(text)), KEYS), Asked)


def test_malformed_requests_are_bad() -> None:
    note = sign_checkpoint(Checkpoint(LOG.name, 8, HONEST.roots[8]), LOG)
    for data in (b"", b"old 9\n\n" + note, b"old 0\n\nno note", b"old x\n\n" + note, request(note=LOG.sign("o\n1\n"))):
        assert refused(data) == 400


def test_an_unknown_log_is_not_found() -> None:
    assert refused(request(), []) == 404
    assert refused(request(signer=NoteSigner("log.example/c", LOG.private_key))) == 404


def test_a_checkpoint_without_a_known_key_is_forbidden() -> None:
    assert refused(request(signer=EVE)) == 403
    good = sign_checkpoint(Checkpoint(LOG.name, 8, HONEST.roots[8]), LOG)
    bad = sign_checkpoint(Checkpoint(LOG.name, 9, HONEST.roots[9]), LOG)
    assert refused(request(note=good + bad.rpartition(b"\n\n")[2])) == 403


def test_lines_of_unknown_keys_are_ignored() -> None:
    head = Checkpoint(LOG.name, 8, HONEST.roots[8])
    note = sign_checkpoint(head, EVE) + sign_checkpoint(head, LOG).rpartition(b"\n\n")[2]
    assert isinstance(read_request(request(note=note), KEYS), Asked)


def test_either_key_of_one_log_will_do() -> None:
    """A log that has changed its key is known by both."""
    both = [LOG.verifier_key, EVE.verifier_key]
    for signer in (LOG, EVE):
        assert isinstance(read_request(request(signer=signer), both), Asked)


@given(st.binary() | st.binary().map(lambda tail: request() + tail))
def test_whatever_is_sent_is_answered(data: bytes) -> None:
    assert isinstance(read_request(data, KEYS), Asked | Refusal)
