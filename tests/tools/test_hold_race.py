"""A hold that another process placed a moment before wins, whatever this one remembers."""

import pytest

from decisions.appending import append_act
from grants import erasing, holding
from grants.authority import check_event
from grants.errors import ErasureError
from grants.signer import FileSigner
from tools.demo.stage import Stage
from tools.erasing import carry_out
from tools.home import Home
from tools.ledger import open_ledger

ROUNDS = 20


@pytest.fixture
def stage(tmp_path):
    """A ledger with people, and the first human's key."""
    made = Stage(tmp_path)
    made.found()
    made.populate()
    yield made
    made.close()


def test_a_hold_of_another_process_is_seen_at_once(stage):
    """Each log object is what a process has: it keeps states, and may not believe them."""
    home = Home(stage.ledger.home.path)
    mine, other = open_ledger(home), open_ledger(home)
    signer: FileSigner = stage.signer("human:ada")
    try:
        for _ in range(ROUNDS):
            placed = _hold(other, signer)
            seq = placed.seq
            drafts = None
            released = _release(other, signer, placed.body.hold)
            # Prepared and signed while nothing is held.
            drafts = _signed(mine, signer, (seq, "/reason"))
            again = _hold(other, signer)
            with pytest.raises(ErasureError, match=again.body.hold):
                carry_out(mine, drafts)
            assert [one.path for one in mine.log.read(lambda look, n=seq: look.openings(n))] == ["/reason"]
            _release(other, signer, again.body.hold)
            assert released.seq < again.seq
        events = carry_out(mine, drafts)
        assert mine.log.read(lambda look: look.openings(seq)) == []
        other.log.read(lambda look: check_event(look, events[0]))
    finally:
        mine.close()
        other.close()


def _hold(ledger, signer):
    return _act(ledger, signer, lambda look: holding.place_hold(look, by="human:ada", over=["all"], reason="claim"))


def _release(ledger, signer, hold):
    return _act(ledger, signer, lambda look: holding.release_hold(look, by="human:ada", hold=hold, reason="settled"))


def _act(ledger, signer, prepare):
    draft = ledger.log.read(prepare).sign(signer)
    return ledger.log.transact(lambda tx: append_act(tx, ledger.registry, draft))


def _signed(ledger, signer, field):
    def prepare(look):
        return erasing.erase(
            look, ledger.registry, by="human:ada", fields=[field], basis="court-order", at=ledger.now()
        )

    return [one.sign(signer) for one in ledger.log.read(prepare)]
