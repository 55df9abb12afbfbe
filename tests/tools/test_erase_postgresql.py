"""Erasing on PostgreSQL: the same acts, and a table without the bytes."""

from pathlib import Path

import pytest

from grants import acts, erasing
from ledger.sql.place import create_log
from tools.erasing import carry_out, due, fields_of, finish, plan, underway, unfinished
from tools.home import Home
from tools.ledger import begun
from tools.subjects import events_of, selectors
from verify.views import EVENTS, VIEWS


@pytest.fixture
def address(postgres):
    return postgres.address()


@pytest.fixture
def office(empty, populate, address):
    """The office, with its log on the server."""
    empty.log.close()
    empty.registry = EVENTS
    empty.log = create_log(address, VIEWS, empty.clock, registry=EVENTS)
    yield populate(empty)
    empty.log.close()


def files_with(postgres, needle):
    postgres.run("CHECKPOINT")
    ((folder,),) = postgres.run("SHOW data_directory")
    return [one for one in (Path(folder) / "base").rglob("*") if one.is_file() and needle.encode() in _read(one)]


def _read(file):
    try:
        return file.read_bytes()
    except FileNotFoundError:  # another test's table, dropped meanwhile
        return b""


def test_a_subject_is_erased_to_the_last_byte(office, postgres, address, tmp_path):
    """Found by tag, planned, signed, deleted beside its event, and written out of the table's files."""
    secret = f"a-name-of-{address.schema}"
    office.act(acts.register_principal, by="human:ada", principal="agent:z9", name=secret, owner="human:ada")
    ledger = begun(Home(tmp_path), office.log, office.clock)
    assert files_with(postgres, secret)

    def planned(look):
        fields = fields_of(look, events_of(look, selectors("agent:z9")), ())
        return plan(look, EVENTS, fields, "gdpr-art-17-1-b", ledger.now())

    found = ledger.log.read(planned)
    assert [(item.path, item.value, item.refused) for item in found.erased] == [("/name", secret, None)]
    fields = [item.field for item in found.erased]

    def prepare(look):
        return erasing.erase(look, EVENTS, by="human:ada", fields=fields, basis="gdpr-art-17-1-b", at=ledger.now())

    drafts = [one.sign(office.signer("human:ada")) for one in ledger.log.read(prepare)]
    with underway(ledger.home):
        carry_out(ledger, drafts)
        assert unfinished(ledger.home)
        finish(ledger)
    assert not unfinished(ledger.home)
    assert files_with(postgres, secret) == []
    assert ledger.log.read(planned).erased == ()
    assert ledger.log.read(lambda look: list(due(look, EVENTS, ledger.now()))) == []
