"""A proof of either tree is one query, however many hashes it needs, and of whatever size."""

import pytest

from ledger import mmr, multiproof, rfc6962
from ledger.sql.driver import Driver
from tests.ledger.contract.sample import append, moved
from tests.ledger.sql.both import BOTH

pytestmark = BOTH

SIZE = 300
PROOFS = {
    "inclusion": lambda look: mmr.prove_inclusion(look.nodes("blake3"), 17, SIZE),
    "inclusion at a past size": lambda look: mmr.prove_inclusion(look.nodes("blake3"), 17, 201),
    "inclusion in the twin": lambda look: rfc6962.prove_inclusion(look.nodes("sha256"), 17, 201),
    "consistency": lambda look: mmr.prove_consistency(look.nodes("blake3"), 101, 277),
    "consistency of the twin": lambda look: rfc6962.prove_consistency(look.nodes("sha256"), 101, 277),
    "set": lambda look: multiproof.prove_set(look.nodes("blake3"), range(0, 299, 6), SIZE),
    "set in the twin": lambda look: multiproof.prove_set(look.nodes("sha256"), range(0, 201, 4), 201),
    "range": lambda look: multiproof.prove_range(look.nodes("blake3"), 33, 180, SIZE),
    "range of the twin": lambda look: multiproof.prove_range(look.nodes("sha256"), 33, 180, 201),
}


@pytest.mark.parametrize("kind", PROOFS)
def test_a_proof_is_one_query(log, monkeypatch, kind):
    append(log, *(moved("a", 1) for _ in range(SIZE)))
    asked = []
    straight = Driver._checked

    def counted(driver, statement, *rest):
        asked.append(statement)
        return straight(driver, statement, *rest)

    def prove(look):
        assert look.head.size == SIZE
        monkeypatch.setattr(Driver, "_checked", counted)
        return PROOFS[kind](look)

    log.read(prove)
    monkeypatch.undo()
    assert len([one for one in asked if one.startswith("SELECT")]) == len(asked) == 1, asked
