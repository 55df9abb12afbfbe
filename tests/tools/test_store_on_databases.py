"""The store of resources and evidence is the same on every database, and a relabel is judged there as in memory."""

from itertools import count

import pytest

from decisions.adoption import adopt
from decisions.appending import append_act
from decisions.constitution import DEFAULT_TEXT
from decisions.errors import RelabellingError
from decisions.operation import Operation
from decisions.record import DecisionPoint, Request
from decisions.relabelling import clear, reclassify, register
from grants import acts
from grants.errors import AuthorityError
from grants.evidence import Attested, record_evidence
from ledger.sql.place import create_log
from verify.replay import replay
from verify.views import EVENTS, VIEWS

PLAIN = {"environment": "prod", "asset": "business_record", "sensitivity": "internal", "reversibility": "recoverable"}
PLAIN |= {"about_people": False, "purpose": None}
DAY = 24 * 3600 * 1_000_000


@pytest.fixture
def views():
    return VIEWS


@pytest.fixture
def registry():
    return EVENTS


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def stored(request, new_office, populate, tmp_path, clock):
    """An office over each kind of log, with the default constitution."""
    office = new_office()
    if request.param == "sqlite":
        office.log = create_log(tmp_path / "ledger.db", VIEWS, clock, registry=EVENTS)
    if request.param == "postgresql":
        address = request.getfixturevalue("postgres").address()
        office.log = create_log(address, VIEWS, clock, registry=EVENTS)
    populate(office)
    office.act(adopt, by="human:ada", document=DEFAULT_TEXT)
    yield office
    if request.param != "memory":
        office.log.close()


def change(office, act, resource, by="human:ada", **fields):
    draft = office.sign(act, office.registry, by=by, resource=resource, at=office.clock.after(0), **fields)
    return office.log.transact(lambda tx: append_act(tx, office.registry, draft))


def tell(office):
    """Play a life of a store, and give what was decided in it."""
    change(office, register, "db://live/**", attributes=PLAIN)
    change(office, register, "db://test/**", attributes={**PLAIN, "environment": "test"})
    change(office, register, "db://shared/**", attributes={}, within=["db://live/**", "db://test/**"])
    change(office, register, "db://live/old", attributes={"asset": "secret"})
    attested = Attested("backup", "db://live/**", True, office.clock.after(0), office.clock.after(DAY), "counted")
    office.act(record_evidence, by="sensor:mood", attested=attested)
    point, asked = DecisionPoint(office.log, EVENTS), count()

    def ask(target, scope="one"):
        payload = {"verb": "delete", "target": target, "scope": scope}
        answer = point.decide(Request(Operation("typed", payload, (), ""), 1001, None, f"r-{next(asked)}"))
        return answer.outcome, answer.reason

    found = [ask("db://shared/t/1"), ask("db://live/old"), ask("db://live/t", "many"), ask("db://shared/t", "many")]
    office.act(acts.retire, by="registrar:stores", resource="db://live/old")
    found.append(ask("db://live/old"))
    change(office, clear, "db://live/old")
    found.append(ask("db://live/old"))
    with pytest.raises(AuthorityError):
        change(office, reclassify, "db://live/**", by="registrar:stores", attributes={**PLAIN, "environment": "dev"})
    change(office, reclassify, "db://live/**", by="registrar:stores", attributes={**PLAIN, "asset": "secret"})
    return [*found, ask("db://shared/t/1")]


def test_the_store_is_the_same_on_every_database(stored, new_office, populate):
    found = tell(stored)
    memory = populate(new_office())
    memory.act(adopt, by="human:ada", document=DEFAULT_TEXT)
    assert found == tell(memory)
    assert found == [
        ("deny", "NO_AUTHORITY"),
        ("deny", "FORBIDDEN"),
        ("hold", "CONSENT_REQUIRED"),
        ("deny", "ATTR_UNKNOWN"),
        ("deny", "UNCLASSIFIED"),
        ("hold", "CONSENT_REQUIRED"),
        ("deny", "FORBIDDEN"),
    ]
    for view in ("resource", "resource_within", "resource_below", "evidence"):
        kept, wanted = (list(one.log.read(lambda look, v=view: list(look.states(v)))) for one in (stored, memory))
        assert [(row.key, row.seq, row.data) for row in kept] == [(row.key, row.seq, row.data) for row in wanted], view
    lines = list(stored.log.read(lambda look: list(replay(look.events(), look.openings, EVENTS, VIEWS))))
    assert {line.status for line in lines} == {"same"}


def test_a_relabel_is_judged_again_in_the_transaction_that_appends_it(stored):
    change(stored, register, "db://live/**", attributes=PLAIN)
    draft = stored.sign(
        register,
        EVENTS,
        by="registrar:stores",
        resource="db://live/x/**",
        attributes={"asset": "secret"},
        at=stored.clock.after(0),
    )
    stored.act(acts.retire, by="registrar:stores", resource="db://live/**")
    with pytest.raises(RelabellingError, match="sign again"):
        stored.log.transact(lambda tx: append_act(tx, EVENTS, draft))
