"""`tally rebuild` where the views can't even say how the log began, on SQLite and on PostgreSQL."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pytest

from tools.home import Home
from tools.ledger import create_empty

ALL_DELETED = "DELETE FROM states"
GENESIS_DELETED = "DELETE FROM states WHERE view = 'ledger' AND key = 'genesis'"
OTHER_FORM = "UPDATE states SET state = {bytes} WHERE view = 'ledger' AND key = 'genesis'"


@dataclass(frozen=True)
class Kept:
    """A ledger, and a way to change its database past the log."""

    kind: str
    place: Any
    postgres: Any
    address: Any

    def past(self, statement: str, data: bytes = b"{}") -> None:
        if self.kind == "postgresql":
            statement = statement.replace("states", f"{self.address.schema}.states", 1)
            self.postgres.run(statement.format(bytes=f"decode('{data.hex()}', 'hex')"))
            return
        with closing(sqlite3.connect(self.place / "ledger.db")) as database, database:
            database.execute(statement.format(bytes=f"x'{data.hex()}'"))


@pytest.fixture(params=["sqlite", "postgresql"])
def kept(request, tally, place, key):
    if request.param == "sqlite":
        request.getfixturevalue("ledger")
        return Kept("sqlite", place, None, None)
    postgres = request.getfixturevalue("postgres")
    address = postgres.address()
    done = tally("init", "--ledger", address, "--new-key", key, "--name", "Ada L.", "--yes")
    assert done.exit_code == 0, done.stderr
    return Kept("postgresql", place, postgres, address)


@pytest.mark.parametrize(
    ("statement", "data", "told"),
    [
        (ALL_DELETED, b"", "missing"),
        (GENESIS_DELETED, b"", "missing"),
        (OTHER_FORM, b"{}", "damaged"),
        (OTHER_FORM, b"x", "damaged"),
    ],
)
def test_views_that_can_not_say_how_the_log_began_are_made_anew(tally, kept, statement, data, told):
    """What was said meanwhile names the way out; afterwards everything works again."""
    kept.past(statement, data)
    advice = f"holds a log of 3 events, and the views are {told}: run tally rebuild"
    refused = tally("principal", "list")
    assert (refused.exit_code, advice in refused.error) == (3, True)
    doctor = tally("doctor", "--json")
    found = {one["check"]: one for one in doctor.objects}
    assert (doctor.exit_code, found["ledger"]["status"], advice in found["ledger"]["detail"]) == (1, "problem", True)
    audited = tally("audit", "--json")
    assert (audited.exit_code, {one["table"] for one in audited.object["findings"]}) == (3, {"states"})

    done = tally("rebuild", "--json")
    assert (done.exit_code, done.object["same"], done.object["events"]) == (3, False, 3)

    assert tally("rebuild", "--json").object["same"] is True
    assert {one["status"] for one in tally("doctor", "--json").objects if one["check"] != "protection"} == {"ok"}
    assert tally("principal", "add", "human:bo", "--yes").exit_code == 0
    assert tally("audit", "--json").object["ok"] is True


def test_a_state_of_no_event_that_can_be_is_made_anew(tally, kept):
    kept.past("UPDATE states SET seq = -1 WHERE view = 'ledger'")
    done = tally("rebuild", "--json")
    assert (done.exit_code, done.object["before"]) == (3, None)
    assert tally("audit").exit_code == 0


@pytest.mark.parametrize("statement", ["UPDATE states SET state = '{}'", "UPDATE states SET seq = 'x'"])
def test_states_of_another_type_are_made_anew(tally, ledger, statement):
    """SQLite keeps a value of any type in any column."""
    with closing(sqlite3.connect(ledger / "ledger.db")) as database, database:
        database.execute(statement)
    refused = tally("principal", "list")
    assert (refused.exit_code, "the views are damaged: run tally rebuild" in refused.error) == (3, True)
    assert tally("rebuild").exit_code == 3
    assert tally("audit").exit_code == 0


def test_a_file_that_can_not_be_read_is_not_laid_on_the_views(tally, ledger):
    """The pages of the states are no pages any more: another advice helps there."""
    with closing(sqlite3.connect(ledger / "ledger.db")) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        ((page,),) = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'states'")
        ((size,),) = database.execute("PRAGMA page_size")
    with (ledger / "ledger.db").open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    for words in (("principal", "list"), ("rebuild",)):
        done = tally(*words)
        assert (done.exit_code, "restore a backup" in done.error, "run tally rebuild" in done.error) == (3, True, False)


def test_only_a_log_without_events_is_called_empty(tally, place):
    place.mkdir()
    create_empty(Home(place)).close()
    for words in (("log", "head"), ("rebuild",)):
        done = tally(*words)
        assert (done.exit_code, "holds an empty log that nobody opened" in done.error) == (1, True)
