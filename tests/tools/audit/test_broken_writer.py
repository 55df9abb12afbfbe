"""Events that the trees hold just as they are, and that should never have been written."""

from dataclasses import replace
from typing import ClassVar

import pytest

from ledger import canon
from ledger import transaction as writing
from ledger.checkpoint import Checkpoint, sign_checkpoint
from ledger.event import Body, Draft, Registry, Signed
from ledger.events import LedgerOpened
from ledger.instant import from_microseconds
from ledger.note import NoteSignature, NoteSigner
from ledger.sql import log as sql_log
from ledger.sql.place import create_log
from tests.ledger.contract.sample import REGISTRY, START, VIEWS, Closed, Moved, append, closed, moved
from tests.tools.audit.conftest import WITNESS_KEY, checkpoint_of
from tools.audit import audit


@pytest.fixture
def path(tmp_path):
    return tmp_path / "log.db"


@pytest.fixture
def log(path):
    log = create_log(path, VIEWS, lambda: START)
    append(log, moved("a", note="n"), moved("b", once="k"))
    yield log
    log.close()


def findings(path, registry=REGISTRY, views=VIEWS):
    return [str(finding) for finding in audit(path, registry, views, lambda reader, event: None).findings]


def test_sound_log_has_no_findings(log, path):
    """What the others break."""
    append(log, closed("a"))
    assert findings(path) == []


def test_event_of_an_unknown_type(log, path):
    """A reader that does not know a type says so, and does not guess."""
    append(log, closed("a"), moved("b"))
    assert findings(path, Registry(Moved)) == ["events seq 2: unknown event type test.closed schema 1"]


def test_time_that_steps_back(log, path, monkeypatch):
    """Times never fall."""
    monkeypatch.setattr(sql_log, "transaction_time", lambda *_, **__: from_microseconds(START - 1))
    append(log, moved())
    (found,) = findings(path)
    assert found.startswith("events seq 2: its time")


def test_cause_that_is_not_earlier(log, path, monkeypatch):
    """A cause is an earlier event, whatever was written."""
    honest = writing.seal

    def forged(draft, seq, at):
        event = honest(draft, seq, at)
        return replace(event, causes=(9,), data=canon.encode({**canon.decode_object(event.data), "causes": [9]}))

    monkeypatch.setattr(writing, "seal", forged)
    append(log, moved())
    assert findings(path) == ["events seq 2: it names a cause that is no earlier event"]


def test_event_in_the_place_of_another(log, path, monkeypatch):
    """An event says its own number."""
    honest = writing.seal

    def forged(draft, seq, at):
        event = honest(draft, seq, at)
        return replace(event, data=canon.encode({**canon.decode_object(event.data), "seq": 7}))

    monkeypatch.setattr(writing, "seal", forged)
    append(log, moved())
    assert findings(path)[0] == "events seq 2: the column seq holds 2, the event says 7"


def test_event_that_a_view_can_not_fold(log, path):
    """Views that refuse an event leave the states unknown from there on."""

    class Refusing:
        name = "balance"

        def keys(self, event):
            return ("k",)

        def apply(self, key, state, event):
            raise LookupError("no such thing")

    assert findings(path, views=(Refusing(),)) == ["events seq 0: the views can't fold it: no such thing"]


def test_event_whose_claims_can_not_be_worked_out(log, path):
    """A fault of an event type is a finding too."""

    class Fragile(Moved):
        def claims(self, by, request):
            raise LookupError("no such thing")

    assert findings(path, Registry(Fragile, Closed)) == [
        f"events seq {seq}: its claims can't be worked out: no such thing" for seq in (0, 1)
    ]


class Opened(LedgerOpened):
    """Genesis, unsigned."""

    type: ClassVar[str] = "ledger.opened"


def opened(path, log_key, origin="tally.example/log"):
    note = moved(note="n").body.note
    body = Opened(
        origin=origin,
        log_size=0,
        signed=Signed(key="", armour=""),
        profile=1,
        log_key=log_key,
        human="human:ada",
        human_key="",
        name=note,
        uid=None,
        demonstration=False,
    )
    log = create_log(path, (), lambda: START)
    append(log, Draft(body, "human:ada", "signature"))
    return log


TYPES: tuple[type[Body], ...] = (Opened, Moved)


@pytest.mark.parametrize(
    ("log_key", "message"),
    [
        ("no key", "its log key can't be read: not a vkey of the form name+keyid+base64: 'no key'"),
        (NoteSigner("other.example", WITNESS_KEY).verifier_key.text(), "its log key is of another origin"),
    ],
)
def test_genesis_with_a_key_that_can_not_sign(path, log_key, message):
    """The log's key stands in genesis, and is of its origin."""
    opened(path, log_key).close()
    assert findings(path, Registry(*TYPES), ()) == [f"events seq 0: {message}"]


def test_checkpoint_that_holds_more_than_the_logs_line(path):
    """What others sign is kept beside the checkpoint, never in it."""
    signer = NoteSigner("tally.example/log", WITNESS_KEY)
    log = opened(path, signer.verifier_key.text())
    events = log.read(lambda look: [data for _, data in look.events()])
    note = sign_checkpoint(checkpoint_of(signer.name, events), signer)
    log.store_checkpoint(1, note + NoteSignature("other.example", bytes(4), bytes(64)).line().encode())
    log.close()
    assert findings(path, Registry(*TYPES), ()) == [
        "checkpoints size 1: a line stands in the note that is not the log's"
    ]


@pytest.mark.parametrize("size", [0, 1])
def test_checkpoint_of_other_roots(path, size):
    """A log that signs what it does not hold is found out, at size 0 as well."""
    signer = NoteSigner("tally.example/log", WITNESS_KEY)
    log = opened(path, signer.verifier_key.text())
    log.store_checkpoint(size, sign_checkpoint(Checkpoint(signer.name, size, bytes(32), bytes(32)), signer))
    log.close()
    assert findings(path, Registry(*TYPES), ()) == [
        f"checkpoints size {size}: the events do not come to the roots that it commits to"
    ]
