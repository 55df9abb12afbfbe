"""Each checkpoint is submitted beside whoever signs: a witness that objects ends the signing, and silence does not."""

import threading
import time

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger.cosignature import CosignatureSigner
from tools.errors import EvidenceError, RemoteError
from tools.home import Home
from tools.ledger import open_ledger
from tools.witnessing import keeping
from tools.witnessing.keeping import Submitter

COSIGNER = CosignatureSigner("w.example", Ed25519PrivateKey.from_private_bytes(b"w" * 32)).verifier_key


@pytest.fixture
def submitter(ledger):
    """What has each checkpoint of a ledger cosigned, with what it said."""
    opened, said = open_ledger(Home(ledger)), []
    policy = (ledger / "policy").read_text() + f"witness w {COSIGNER.text()} http://127.0.0.1:9/\n"
    (ledger / "policy").write_text(policy)
    yield Submitter(opened, ledger.parent / "found", said.append, threading.Event()), said
    opened.close()


def test_witness_that_is_away_is_told_once_and_ends_nothing(submitter, monkeypatch):
    asks = []

    def away(*_):
        asks.append(1)
        raise RemoteError("nobody there")

    monkeypatch.setattr(keeping, "AGAIN", 0.01)
    monkeypatch.setattr(keeping, "submit", away)
    one, said = submitter
    with one:
        while len(asks) < 3:
            time.sleep(0.01)
    assert (len(said), one.contradicted, one.stop.is_set()) == (1, False, False)
    assert "could not be asked: nobody there" in said[0]


def test_witness_that_holds_another_history_ends_it(submitter, monkeypatch):
    def against(*_):
        raise EvidenceError("w: another history")

    monkeypatch.setattr(keeping, "submit", against)
    one, _ = submitter
    with pytest.raises(EvidenceError, match="another history"), one:
        assert one.stop.wait(10)
    assert one.contradicted
