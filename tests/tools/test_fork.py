"""A log as long as its mark, or longer, that contradicts it: another history, which agrees with itself in every row."""

import shutil

import pytest

from ledger.checkpoint import Checkpoint
from ledger.errors import ReadOnlyError
from ledger.log import Head
from tests.tools.restoring import ROW, put_back
from tools import mark
from tools.home import Home
from tools.ledger import open_ledger


@pytest.fixture(params=[0, 1])
def forked(request, desk):
    """Run two copies of one desk, both with its key; the second's database then stands beside the first's mark."""
    kept = {name: desk.folder / f"kept-{name}" for name in ("ledger.db", "high-water")}
    for name, copy in kept.items():
        shutil.copy(desk.ledger / name, copy)
    assert desk.decide("first", *ROW).exit_code == 5
    assert desk.run("checkpoint").exit_code == 0
    signed = (desk.ledger / "high-water").read_bytes()
    put_back(desk, kept["ledger.db"])
    shutil.copy(kept["high-water"], desk.ledger / "high-water")
    for number in range(1 + request.param):
        assert desk.decide(f"second-{number}", *ROW).exit_code == 5
    assert desk.run("checkpoint").exit_code == 0
    (desk.ledger / "high-water").write_bytes(signed)
    assert (desk.size() > Checkpoint.parse(signed.decode()).size) == bool(request.param)
    return desk


def test_fork_decides_and_takes_nothing(forked):
    size = forked.size()
    again = forked.decide("r1", *ROW)
    assert (again.exit_code, again.object["outcome"], again.object["reason"]) == (1, "deny", "LEDGER_UNAVAILABLE")
    assert "does not continue the checkpoint" in again.object["trouble"]
    refused = forked.sign("principal", "suspend", "agent:ops-7", "--reason", "x")
    assert (refused.exit_code, "run tally audit" in refused.error) == (1, True)
    assert forked.run("checkpoint").exit_code == 3
    assert forked.size() == size


def test_audit_finds_a_fork(forked):
    done = forked.run("audit", "--json")
    assert (done.exit_code, [one["table"] for one in done.object["findings"]]) == (3, ["high-water"])
    assert "this is another history" in done.object["lines"][-1]["detail"]
    assert done.object["kinds"] == {"tampering": 1}


def test_audit_since_a_checkpoint_before_the_mark_finds_a_fork(forked):
    done = forked.run("audit", "--since", stored(forked)[0][0], "--json")
    assert (done.exit_code, [one["table"] for one in done.object["findings"]]) == (3, ["high-water"])


def stored(desk):
    opened = open_ledger(Home(desk.ledger))
    try:
        return opened.log.read(lambda look: list(look.checkpoints()))
    finally:
        opened.close()


def test_audit_since_after_the_mark_says_that_it_was_not_held_against_it(desk):
    old = (desk.ledger / "high-water").read_bytes()
    assert desk.decide("r1", *ROW).exit_code == 5
    assert desk.run("checkpoint").exit_code == 0
    (desk.ledger / "high-water").write_bytes(old)
    done = desk.run("audit", "--since", desk.size(), "--json")
    line = done.object["lines"][-1]
    assert (done.exit_code, line["dimension"], line["outcome"]) == (0, "high-water", "skipped")


def test_fork_is_not_restored(forked):
    size = forked.size()
    done = forked.sign("log", "restored")
    assert done.exit_code == 3
    assert "it is another history, which no restore makes right; put the database back that was signed" in done.error
    assert forked.size() == size


@pytest.mark.parametrize(
    "words",
    [
        ("receipt", "0", "-o", "{out}"),
        ("log", "links", "-o", "{out}"),
        ("log", "prove", "0", "-o", "{out}"),
        ("export", "{out}"),
    ],
)
def test_nothing_is_handed_out_of_a_fork(forked, words):
    out = forked.folder / "out"
    done = forked.run(*(word.format(out=out) for word in words))
    assert (done.exit_code, "does not continue the checkpoint" in done.error) == (3, True), done.stderr
    assert not out.exists()


def test_backup_from_before_the_fork_goes_on_as_another_log(forked):
    """Which is the way out that is told."""
    put_back(forked, forked.folder / "kept-ledger.db")
    assert forked.sign("log", "restored").exit_code == 0


def test_open_ledger_proves_once_for_each_mark_and_again_when_the_head_steps_back(desk, monkeypatch):
    """A decision does not pay for a proof; a database that was replaced under an open one is looked at again."""
    proofs = []
    proper = mark.check_continues
    monkeypatch.setattr(mark, "check_continues", lambda look, one: (proofs.append(one.size), proper(look, one)))
    opened = open_ledger(Home(desk.ledger))
    try:
        for _ in range(3):
            opened.log.check_writable()
        assert len(proofs) == 1
        assert desk.decide("r1", *ROW).exit_code == 5  # another process' proof, and another's checkpoint
        assert desk.run("checkpoint").exit_code == 0
        del proofs[:]
        opened.log.check_writable()
        opened.log.check_writable()
        assert proofs == [desk.size()]
        head = opened.log.read(lambda look: look.head)
        other = Head(head.size, head.blake3_peaks[::-1], head.sha256_peaks[::-1], head.at)
        with pytest.raises(ReadOnlyError, match="does not continue"):
            opened.log.read(lambda look: opened.log.guard(Shown(look, other)))
    finally:
        opened.close()


class Shown:
    """A look whose head is another."""

    def __init__(self, look, head):
        self._look, self.head = look, head

    def nodes(self, tree):
        return self._look.nodes(tree)
