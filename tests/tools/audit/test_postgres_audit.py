"""The audit and the rebuild on a real PostgreSQL."""

import pytest

from ledger.sql.place import create_log
from ledger.sql.raw import open_raw
from ledger.sql.rebuild import rebuild
from tests.ledger.contract.sample import REGISTRY, START, VIEWS, append, everything, moved
from tools.audit import audit, keys, memo, ranged, walk


def unsigned(reader, event):
    """These events bear no signature."""


@pytest.fixture
def log(postgres, monkeypatch):
    for module in (keys, memo, ranged, walk):
        monkeypatch.setattr(module, "BUCKET", 8)
    address = postgres.address()
    log = create_log(address, VIEWS, lambda: START, registry=REGISTRY)
    append(log, *(moved("a", 1, once=str(n), labels=("x",), note="n" if n % 3 else None) for n in range(37)))
    log.close()
    return address


@pytest.fixture
def past(postgres, log):
    """Give a way to run statements past the log, as the owner could."""

    def run(*statements):
        for statement in statements:
            table = next(word for word in statement.split() if word in {"events", "nodes", "claims", "tags", "states"})
            postgres.run(f'ALTER TABLE "{log.schema}".{table} DISABLE TRIGGER ALL')
            postgres.run(f'SET search_path = "{log.schema}"; {statement}')
            if table != "states":
                for (name,) in postgres.run(
                    "SELECT tgname FROM pg_trigger WHERE tgrelid = %s::regclass AND NOT tgisinternal",
                    f'"{log.schema}".{table}',
                ):
                    postgres.run(f'ALTER TABLE "{log.schema}".{table} ENABLE ALWAYS TRIGGER {name}')

    return run


def first(report):
    return report.findings[0].table, report.findings[0].key


def test_undamaged_log_passes_with_any_number_of_processes(log):
    """Workers see what the first connection sees."""
    report = audit(log, REGISTRY, VIEWS, unsigned)
    assert (report.findings, report.size) == ((), 37)
    assert audit(log, REGISTRY, VIEWS, unsigned, jobs=2) == report


@pytest.mark.parametrize(
    ("statement", "where"),
    [
        ("UPDATE events SET bytes = 'x' WHERE seq = 9", ("events", "seq 9")),
        ("DELETE FROM events WHERE seq = 30", ("events", "seq 30")),
        ("UPDATE nodes SET blake3 = decode(repeat('00', 32), 'hex') WHERE pos = 12", ("nodes", "pos 12")),
        ("DELETE FROM tags WHERE seq = 20 AND tag = 'label:x'", ("tags", "label:x 20")),
        ("UPDATE claims SET seq = 3 WHERE key = 'once:11'", ("claims", "once:11")),
        ("DELETE FROM states WHERE key = 'all'", ("states", "actor all")),
    ],
)
def test_damage_is_found_and_named(log, past, statement, where):
    """As in SQLite, by one process and by several."""
    past(statement)
    report = audit(log, REGISTRY, VIEWS, unsigned)
    assert first(report) == where
    assert audit(log, REGISTRY, VIEWS, unsigned, jobs=2) == report


def test_rebuild_mends_states_claims_and_tags(log, past):
    """And the triggers stand as before."""
    with_log = create_open(log)
    before = everything(with_log)
    past(
        "DELETE FROM tags WHERE seq > 30",
        "INSERT INTO tags VALUES ('label:ghost', 4)",
        "UPDATE claims SET seq = 3 WHERE key = 'once:11'",
        "UPDATE states SET state = '{}' WHERE key = 'all'",
    )
    done = rebuild(with_log.engine, REGISTRY, VIEWS)
    assert (done.mended, done.same) == (("claims", "tags"), False)
    assert everything(with_log) == before
    assert rebuild(with_log.engine, REGISTRY, VIEWS).same
    with_log.close()
    report = audit(log, REGISTRY, VIEWS, unsigned)
    assert report.findings == ()


def test_shared_look_does_not_move(log):
    """What is appended meanwhile is seen by neither."""
    with open_raw(log) as one:
        (before,) = one.heads()
        shared = one.share()
        writing = create_open(log)
        append(writing, moved("b", 1))
        writing.close()
        with open_raw(log, shared) as other:
            assert list(other.heads()) == [before] == list(one.heads())


def create_open(address):
    from ledger.sql.place import open_log

    return open_log(address, VIEWS, lambda: START, registry=REGISTRY)
