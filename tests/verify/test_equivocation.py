"""The equivocation file: what proves that a log has told two histories, what merely claims it, what shows nothing."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from ledger import canon, digest, mmr, rfc6962
from ledger.checkpoint import Checkpoint, sign_checkpoint
from ledger.cosignature import CosignatureSigner
from ledger.errors import ProofError
from ledger.note import NoteSigner
from ledger.policy import Policy, PolicyLog, PolicyWitness
from verify.cli import run
from verify.continuation import Continuation, continuation
from verify.equivocation import Equivocation, check_equivocation, parse_equivocation
from verify.errors import ContinuationFormError, EquivocationFormError, InclusionError

LOG = NoteSigner("log.example/a", Ed25519PrivateKey.from_private_bytes(b"l" * 32))
OTHER = NoteSigner("log.example/b", Ed25519PrivateKey.from_private_bytes(b"o" * 32))
POLICY = Policy((PolicyLog(LOG.verifier_key), PolicyLog(OTHER.verifier_key)), (), ())
SIZE = 20


class Rows:
    def __init__(self) -> None:
        self.rows: list[bytes] = []

    def read(self, positions: Sequence[int]) -> list[bytes]:
        try:
            return [self.rows[position] for position in positions]
        except IndexError as error:
            raise ProofError("no such node") from error


class Story:
    """A log in memory, as far as its trees go: the part of a snapshot that continuations are made of."""

    def __init__(self, entries: Sequence[bytes]) -> None:
        self.trees = {"blake3": Rows(), "sha256": Rows()}
        self.heads = []
        own: list[bytes] = []
        twin: list[bytes] = []
        for index, entry in enumerate(entries):
            for name, hasher, peaks in (("blake3", digest.BLAKE3_TREE, own), ("sha256", digest.SHA256_TREE, twin)):
                new, now = mmr.append(hasher, index, hasher.leaf(index, entry), list(peaks))
                self.trees[name].rows += [value for _, value in new]
                peaks[:] = now
            self.heads.append((digest.root(index + 1, own), rfc6962.root(twin)))

    def nodes(self, tree: str) -> Rows:
        return self.trees[tree]

    def checkpoint(self, size: int, signer: NoteSigner = LOG) -> Checkpoint:
        own, twin = self.heads[size - 1]
        return Checkpoint(signer.name, size, twin, own)

    def note(self, size: int, signer: NoteSigner = LOG) -> bytes:
        return sign_checkpoint(self.checkpoint(size, signer), signer)

    def continuation(self, old: int, new: int) -> Continuation:
        return continuation(self.nodes, len(self.heads), old, new)


HONEST = Story([b"%d" % index for index in range(SIZE)])
FORKED = Story([b"%d" % index if index < 5 else b"x%d" % index for index in range(SIZE)])


def file(first: bytes, second: bytes, said: Continuation | None = None) -> Equivocation:
    return Equivocation(first, second, said.blake3 if said else None, said.sha256 if said else None)


def found(equivocation: Equivocation, policy: Policy = POLICY) -> tuple[str, str]:
    finding = check_equivocation(parse_equivocation(equivocation.to_bytes()), policy)
    return finding.verdict, finding.kind


# -- continuations --


def test_every_continuation_of_an_honest_log_holds() -> None:
    for old in range(1, SIZE + 1):
        for new in range(old, SIZE + 1):
            said = HONEST.continuation(old, new)
            said.check(HONEST.checkpoint(old), HONEST.checkpoint(new))
            assert Continuation.parse(said.to_bytes()) == said


def test_no_continuation_joins_two_histories() -> None:
    for old in range(6, SIZE):
        for new in range(old, SIZE + 1):
            for story in (HONEST, FORKED):
                for one, two in ((HONEST, FORKED), (FORKED, HONEST)):
                    with pytest.raises(InclusionError):
                        story.continuation(old, new).check(one.checkpoint(old), two.checkpoint(new))


def test_one_tree_alone_does_not_do() -> None:
    """A checkpoint whose BLAKE3 root is another log's does not continue, whatever the witnesses' tree says."""
    old, new = HONEST.checkpoint(8), HONEST.checkpoint(13)
    said = HONEST.continuation(8, 13)
    for bad in (replace(old, blake3_root=FORKED.heads[7][0]), replace(old, sha256_root=FORKED.heads[7][1])):
        with pytest.raises(InclusionError):
            said.check(bad, new)
        with pytest.raises(InclusionError):
            said.check(old, replace(new, blake3_root=bad.blake3_root))
    with pytest.raises(InclusionError, match="sizes"):
        replace(said, blake3=HONEST.continuation(8, 14).blake3).check(old, new)


@pytest.mark.parametrize(("old", "new"), [(0, 3), (4, 3), (3, SIZE + 1), (-1, 2)])
def test_a_log_shows_nothing_of_sizes_that_it_never_had(old: int, new: int) -> None:
    with pytest.raises(ProofError):
        HONEST.continuation(old, new)


def changed(change: Callable[[dict[str, Any]], object]) -> bytes:
    value = json.loads(HONEST.continuation(3, 8).to_bytes())
    change(value)
    return canon.encode(value) + b"\n"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}\n",
        b"[]\n",
        b"null\n",
        HONEST.continuation(3, 8).to_bytes() + b"\n",
        changed(lambda value: value.pop("blake3")),
        changed(lambda value: value.update(more=1)),
        changed(lambda value: value.update(blake3=None)),
        changed(lambda value: value["sha256"].update(old_root="AAAA")),
        changed(lambda value: value["sha256"].update(old_root=7)),
        changed(lambda value: value["sha256"].update(old_root="\u00e9")),
        changed(lambda value: value["sha256"].update(proof=[])),
        changed(lambda value: value["blake3"].pop("proof")),
        changed(lambda value: value["blake3"]["proof"].update(v=2)),
        b"x" * 2**19,
    ],
)
def test_another_form_of_a_continuation_is_refused(data: bytes) -> None:
    with pytest.raises(ContinuationFormError):
        Continuation.parse(data)


# -- what a file shows --


def test_two_roots_for_one_size_prove_it() -> None:
    assert found(file(HONEST.note(9), FORKED.note(9))) == ("PROVEN", "two-roots")


def test_two_roots_in_the_log_s_own_tree_alone_prove_it() -> None:
    """Witnesses would not see this one: they speak of the SHA-256 root."""
    other = replace(HONEST.checkpoint(9), blake3_root=FORKED.heads[8][0])
    finding = check_equivocation(file(HONEST.note(9), sign_checkpoint(other, LOG)), POLICY)
    assert (finding.verdict, finding.why) == ("PROVEN", "two BLAKE3 roots are signed for size 9")


def test_a_fork_is_proven_by_what_the_larger_log_has_at_the_smaller_size() -> None:
    for old in range(6, SIZE):
        for new in range(old + 1, SIZE + 1):
            said = FORKED.continuation(old, new)
            assert found(file(HONEST.note(old), FORKED.note(new), said)) == ("PROVEN", "fork")
            assert found(file(FORKED.note(new), HONEST.note(old), said)) == ("PROVEN", "fork")
            for part in (Continuation.blake3, Continuation.sha256):
                name = part.__name__
                half = Equivocation(HONEST.note(old), FORKED.note(new), **{name: getattr(said, name)})
                assert found(half) == ("PROVEN", "fork")


def test_an_honest_log_can_not_be_convicted() -> None:
    """Whatever proofs a slanderer adds to two checkpoints of one history, of either log and any sizes."""
    for old in range(4, 10):
        for new in range(old, 10):
            for story in (HONEST, FORKED):
                for low in range(4, 10):
                    for high in range(low, 10):
                        said = story.continuation(low, high)
                        equivocation = file(HONEST.note(old), HONEST.note(new), said)
                        assert check_equivocation(equivocation, POLICY).verdict != "PROVEN"


def test_a_rollback_is_the_writer_s_word() -> None:
    assert found(file(HONEST.note(9), HONEST.note(7))) == ("CLAIMED", "rollback")
    assert found(file(HONEST.note(9), HONEST.note(7), HONEST.continuation(7, 9))) == ("CLAIMED", "rollback")


def test_a_log_that_does_not_prove_is_claimed_to_have_changed() -> None:
    for said in (HONEST.continuation(6, 9), HONEST.continuation(7, 9), FORKED.continuation(7, 8)):
        equivocation = file(HONEST.note(7), FORKED.note(9), said)
        assert found(equivocation) == ("CLAIMED", "unproven")


def test_that_no_proof_was_given_shows_nothing() -> None:
    """A lost connection looks the same, and so does whoever leaves the proofs out of the file."""
    for second in (HONEST.note(9), FORKED.note(9)):
        assert found(file(HONEST.note(7), second)) == ("FAILED", "none")
    held = HONEST.continuation(7, 9)
    for half in ({"blake3": held.blake3}, {"sha256": held.sha256}):
        assert found(Equivocation(HONEST.note(7), HONEST.note(9), **half)) == ("FAILED", "none")


def test_checkpoints_that_agree_show_nothing() -> None:
    assert found(file(HONEST.note(7), HONEST.note(9), HONEST.continuation(7, 9))) == ("FAILED", "none")
    assert found(file(HONEST.note(7), HONEST.note(7))) == ("FAILED", "none")


def test_checkpoints_of_two_logs_show_nothing() -> None:
    assert found(file(HONEST.note(9), FORKED.note(9, OTHER))) == ("FAILED", "none")


def test_checkpoints_of_nobody_show_nothing() -> None:
    stranger = NoteSigner(LOG.name, Ed25519PrivateKey.from_private_bytes(b"s" * 32))
    assert found(file(HONEST.note(9), FORKED.note(9, stranger))) == ("FAILED", "none")


def test_a_spoilt_witness_line_does_not_spoil_the_evidence() -> None:
    witness = CosignatureSigner("w.example", Ed25519PrivateKey.from_private_bytes(b"w" * 32))
    policy = Policy(POLICY.logs, (PolicyWitness("w", witness.verifier_key),), ())
    spoilt = FORKED.note(9) + witness.cosign(HONEST.checkpoint(3).text(), 1).encode()
    assert found(file(HONEST.note(9), spoilt), policy) == ("PROVEN", "two-roots")


# -- the form --


GOOD = file(HONEST.note(7), FORKED.note(9), FORKED.continuation(7, 9))


def test_a_file_reads_back() -> None:
    for equivocation in (GOOD, file(HONEST.note(9), FORKED.note(9))):
        assert parse_equivocation(equivocation.to_bytes()) == equivocation


def respelled(change: Callable[[dict[str, Any]], object]) -> bytes:
    value = json.loads(GOOD.to_bytes())
    change(value)
    return canon.encode(value) + b"\n"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}\n",
        b"[]\n",
        GOOD.to_bytes()[:-1],
        GOOD.to_bytes() + b"\n",
        json.dumps(json.loads(GOOD.to_bytes())).encode() + b"\n",
        respelled(lambda value: value.update(v=2)),
        respelled(lambda value: value.update(v=True)),
        respelled(lambda value: value.update(format="tallystick-bundle")),
        respelled(lambda value: value.pop("sha256")),
        respelled(lambda value: value.update(more=None)),
        respelled(lambda value: value.update(first=None)),
        respelled(lambda value: value.update(second="x" * 2**18 + "x")),
        respelled(lambda value: value.update(blake3=[])),
        respelled(lambda value: value["sha256"].update(old_root="")),
        b" " * 2**21,
    ],
)
def test_another_form_is_refused(data: bytes) -> None:
    with pytest.raises(EquivocationFormError):
        parse_equivocation(data)


@given(
    st.binary()
    | st.recursive(st.none() | st.text(), lambda inner: st.dictionaries(st.text("abv"), inner)).map(canon.encode)
)
def test_only_form_errors_escape(data: bytes) -> None:
    with pytest.raises(EquivocationFormError):
        parse_equivocation(data)
    with pytest.raises(ContinuationFormError):
        Continuation.parse(data)


# -- the command --


@pytest.mark.parametrize(
    ("equivocation", "code", "said"),
    [
        (GOOD, 0, "PROVEN: whoever holds this log's key has signed two histories."),
        (file(HONEST.note(9), HONEST.note(7)), 6, "CLAIMED: both checkpoints are the log's"),
        (file(HONEST.note(9), HONEST.note(9)), 3, "FAILED: this file shows nothing"),
    ],
    ids=["proven", "claimed", "nothing"],
)
def test_the_command_tells_them_apart(
    tmp_path: Any, capsys: Any, equivocation: Equivocation, code: int, said: str
) -> None:
    (tmp_path / "e.json").write_bytes(equivocation.to_bytes())
    (tmp_path / "policy").write_text(POLICY.text())
    words = ["equivocation", str(tmp_path / "e.json"), "--policy", str(tmp_path / "policy")]
    assert run(words) == code
    assert said in capsys.readouterr().out
    assert run([*words, "--json"]) == code
    told = json.loads(capsys.readouterr().out)
    assert (told["verified"], told["origin"]) == (code == 0, LOG.name)


def test_what_is_no_such_file_could_not_be_checked(tmp_path: Any, capsys: Any) -> None:
    (tmp_path / "e.json").write_text("{}\n")
    (tmp_path / "policy").write_text(POLICY.text())
    assert run(["equivocation", str(tmp_path / "e.json"), "--policy", str(tmp_path / "policy")]) == 1
    assert "Traceback" not in capsys.readouterr().err
