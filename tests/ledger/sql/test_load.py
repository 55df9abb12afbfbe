"""A log brought from one database to another: every row of every table, whatever the two are and wherever it stops."""

from collections.abc import Iterator

import pytest

from ledger.errors import CorruptError, StoreError
from ledger.log import Log
from ledger.sql import load as loading
from ledger.sql.dump import Seal, StoredOpening, dump
from ledger.sql.load import load, load_seals
from ledger.sql.place import create_log
from tests.ledger.contract.sample import (
    REGISTRY,
    SECOND,
    VIEWS,
    Clock,
    append,
    closed,
    erased,
    everything,
    moved,
)  # fmt: skip

KINDS = ("sqlite", "postgresql")


@pytest.fixture
def new_log(tmp_path, postgres) -> Iterator:
    """Make empty logs of either kind."""
    made: list[Log] = []
    clock = Clock()

    def make(kind: str):
        address = tmp_path / f"{len(made)}.db" if kind == "sqlite" else postgres.address()
        made.append(create_log(address, VIEWS, clock, registry=REGISTRY))
        made[-1].clock = clock
        return made[-1]

    yield make
    for log in made:
        log.close()


def fill(log):
    """Give a log something in every table: claims, tags, two states, openings, an erasure, checkpoints and more."""
    append(log, moved("a", 3, once="k", labels=("x", "y"), note="first"), moved("b", 4, note="é\u2028 second"))
    log.clock.now += SECOND
    append(log, moved("a", -1, once="l", note="third", by="agent:two", causes=(0,)), closed("b"))
    log.store_checkpoint(2, b"note two\n")
    log.store_checkpoint(4, b"note four\n")
    log.store_cosignature(2, "w2+00000000", "line of w2\n")
    log.store_cosignature(2, "w1+00000000", "line of w1\n")
    log.store_cosignature(4, "w1+00000000", "line\n")
    log.store_timestamp(4, "tsa", b"\x00\xff")
    append(log, erased((0, "/note")), *(moved("c", n, labels=("x",), note=f"n{n}") for n in range(12)))


def digests(log):
    return dump(log.engine, lambda look: look.digests(lambda done: None))


def bring(source, target, size=None):
    def work(look):
        load(target, REGISTRY, look, look.head.size if size is None else size, lambda done: None)
        load_seals(target.engine, look.seals(0, target.read(lambda own: own.head.size)))

    dump(source.engine, work)


@pytest.mark.parametrize(("first", "second"), [(a, b) for a in KINDS for b in KINDS])
def test_loaded_log_has_the_same_rows_in_every_table(new_log, first, second):
    source, target, back = new_log(first), new_log(second), new_log(first)
    fill(source)
    bring(source, target)
    bring(target, back)
    assert digests(source) == digests(target) == digests(back)
    assert everything(source) == everything(target) == everything(back)
    assert len(set(digests(source).values())) == len(digests(source))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("batch", [1, 3, 7])
def test_loading_goes_on_from_wherever_it_stopped(new_log, monkeypatch, kind, batch):
    """What was erased after a part was brought is gone from that part too."""
    monkeypatch.setattr(loading, "BATCH_EVENTS", batch)
    source, target = new_log("sqlite"), new_log(kind)
    fill(source)
    size = source.read(lambda look: look.head.size)
    for stop in range(1, size + 1, 4):
        bring(source, target, stop)
        assert target.read(lambda look: look.head.size) == stop
    bring(source, target)
    bring(source, target)
    assert digests(source) == digests(target)


def test_opening_that_came_before_its_erasure_goes_with_it(new_log):
    source, target = new_log("sqlite"), new_log("sqlite")
    append(source, moved(note="secret"), moved(note="kept"))
    bring(source, target)
    assert len(target.read(lambda look: look.openings(0))) == 1
    append(source, erased((0, "/note")))
    bring(source, target)
    assert target.read(lambda look: look.openings(0)) == []
    assert digests(source) == digests(target)


def test_a_batch_ends_at_its_bytes(new_log, monkeypatch):
    """However large the events are, no more of them are in memory at once."""
    monkeypatch.setattr(loading, "BATCH_BYTES", 4000)
    source, target = new_log("sqlite"), new_log("sqlite")
    append(source, *(moved(note="x" * 3000) for _ in range(6)))
    seen: list[int] = []
    dump(source.engine, lambda look: load(target, REGISTRY, look, 6, seen.append))
    assert seen == [2, 4, 6]


def test_what_was_added_to_a_checkpoint_later_comes_later(new_log):
    source, target = new_log("sqlite"), new_log("sqlite")
    fill(source)
    bring(source, target)
    source.store_cosignature(4, "w9+00000000", "late\n")
    source.store_timestamp(2, "tsa", b"late")
    bring(source, target)
    assert digests(source) == digests(target)


class Told:
    """A source that says what it is told to say."""

    def __init__(self, events, openings=()):
        self._events, self._openings = events, openings

    def events(self, start, stop):
        return iter([(seq, data) for seq, data in enumerate(self._events) if start <= seq < stop])

    def openings_between(self, start, stop):
        return iter(self._openings)

    def seals(self, after, upto):
        return iter(())


@pytest.fixture
def told(new_log):
    source = new_log("sqlite")
    append(source, moved(once="k", note="first"), moved("b", note="second"), closed("b"))
    return [data for _, data in source.read(lambda look: list(look.events()))]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda events: [b"{}", *events[1:]], "event 0 of what is read can't be"),
        (lambda events: [events[1], events[0], events[2]], "event 1 stands in the place of event 0"),
        (lambda events: [events[0].replace(b'"v":1', b'"v":1 ')], "event 0 of what is read can't be"),
        (lambda events: [*events, events[1].replace(b'"seq":1', b'"seq":3')], "b is closed"),
        (lambda events: [*events[:2], events[0].replace(b'"seq":0', b'"seq":2')], "once:k is already taken"),
    ],
)
def test_what_can_not_be_a_log_is_refused(new_log, told, change, why):
    events = change(told)
    with pytest.raises(CorruptError, match=why):
        load(new_log("sqlite"), REGISTRY, Told(events), len(events), lambda done: None)


@pytest.mark.parametrize(
    ("opening", "why"),
    [
        (StoredOpening(0, "/note", bytes(32), b'"other"'), "does not fit its commitment"),
        (StoredOpening(0, "/account", bytes(32), b'"a"'), "is not a disclosable field"),
        (StoredOpening(0, "/note", bytes(32), b'{ "a": 1}'), "can't be read"),
        (StoredOpening(0, "/note", b"", b'"first"'), "does not fit its commitment"),
    ],
)
def test_opening_that_does_not_fit_is_refused(new_log, told, opening, why):
    target = new_log("sqlite")
    with pytest.raises(CorruptError, match=why):
        load(target, REGISTRY, Told(told, [opening]), len(told), lambda done: None)
    assert target.read(lambda look: look.head.size) == 0


@pytest.mark.parametrize(
    "seal",
    [
        Seal(2, b"another\n", (), ()),
        Seal(2, b"note two\n", (("w1+00000000", "another\n"),), ()),
        Seal(4, b"note four\n", (), (("tsa", b"another"),)),
    ],
)
def test_seal_of_another_log_is_refused(new_log, seal):
    log = new_log("sqlite")
    fill(log)
    before = digests(log)
    with pytest.raises(CorruptError, match="another row stands in"):
        load_seals(log.engine, [seal])
    assert digests(log) == before


def test_digests_tell_any_change_of_any_table(new_log):
    """Each table has its own digest, and progress is told."""
    source, other = new_log("sqlite"), new_log("sqlite")
    fill(source)
    bring(source, other)
    other.store_timestamp(2, "tsa", b"x")
    assert {table for table, digest in digests(source).items() if digests(other)[table] != digest} == {"timestamps"}


def test_somebody_else_who_writes_meanwhile_is_named(new_log, monkeypatch):
    """It is no fault of what is read."""
    monkeypatch.setattr(loading, "BATCH_EVENTS", 1)
    source, target = new_log("sqlite"), new_log("sqlite")
    append(source, moved("a"), moved("b"))

    def meddle(done):
        append(target, moved("z"))

    with pytest.raises(StoreError, match="somebody else writes to the log that is filled"):
        dump(source.engine, lambda look: load(target, REGISTRY, look, 2, meddle))
