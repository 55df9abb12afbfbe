"""What another constitution would have answered, and where nobody can tell. Policy case H07."""

import pytest

from tests.verify.test_replay import FIXTURE, ROW, forbid_deletion, replayed
from tools.dev.golden_bundle import CONSTITUTION

DOCUMENT = CONSTITUTION.read_text()
SAID = """[attributes.urgent]
about = "whether the payload calls it urgent"
source = "payload"
type = "flag"
kinds = ["file", "data"]

[attributes.environment]"""


def renamed(document):
    """Change the name: nothing that is decided, and another document."""
    line = next(line for line in document.splitlines() if line.startswith("name"))
    return document.replace(line, 'name = "another"', 1)


def with_more(document):
    """Give a constitution that has a name for something that a payload could have said."""
    assert document.count("[attributes.environment]") == 1
    return document.replace("[attributes.environment]", SAID)


def test_what_changes_is_explained_on_both_sides(stage):
    stage.do("delete", FIXTURE, "r-1")
    (line,) = replayed(stage, constitution=forbid_deletion(DOCUMENT))
    assert line.status == "changed"
    explained = line.to_json()["explained"]
    assert "VI.nothing-is-deleted" in {one["rule"] for one in explained["replayed"]}
    assert "VI.nothing-is-deleted" not in {one["rule"] for one in explained["recorded"]}


def test_what_stays_the_same_needs_no_explanation(stage):
    stage.do("delete", ROW, "r-1")
    (line,) = replayed(stage, constitution=renamed(DOCUMENT))
    assert (line.status, "explained" in line.to_json()) == ("same", False)


def test_an_erased_reading_is_never_taken_as_ok(stage):
    """Without the reading it would come out the same by chance: nobody can say so."""
    stage.observe("i-1", 50_000_000_000_000)
    stage.reply("accompany", "r-1")
    (line,) = replayed(stage, constitution=renamed(DOCUMENT), openings=lambda _: ())
    assert line.status == "not replayable"
    assert "is erased and counts as 0" in line.why


@pytest.mark.parametrize("target", [FIXTURE, ROW])
def test_what_the_payload_said_and_nobody_recorded_is_missing(stage, target):
    stage.do("delete", target, "r-1")
    document = with_more(DOCUMENT)
    (there,) = replayed(stage, constitution=document)
    assert there.status == "same"
    (gone,) = replayed(stage, constitution=document, openings=lambda _: ())
    assert gone.status == "not replayable"
    assert gone.why == "whether the payload spoke of urgent was not recorded, and it is not open any more"


def test_what_the_payload_said_is_heard_where_it_is_still_open(stage):
    """A rule on a name that nobody had then speaks on what was said then."""
    rule = """[[articles.rules]]
id = "VI.not-in-a-hurry"
says = "nothing urgent is deleted"
effect = "forbid"
kinds = ["file", "data"]
when = 'urgent'
stops = { kind = "file", verb = "delete", urgent = true }
passes = { kind = "file", verb = "delete", urgent = false }

[[articles]]
number = "VII"
"""
    document = with_more(DOCUMENT).replace('[[articles]]\nnumber = "VII"\n', rule)
    stage.ask("typed", {"verb": "delete", "target": FIXTURE, "attributes": {"urgent": True}}, request="r-1")
    stage.do("delete", FIXTURE, "r-2")
    assert [line.status for line in replayed(stage, constitution=document)] == ["changed", "same"]


def test_a_state_that_is_not_the_one_that_was_read_is_missing(stage):
    """The record names what it read, by digest: another log's states don't stand in for them."""
    stage.do("delete", ROW, "r-1")
    events = []
    for seq, data in stage.log.events():
        before, mark, after = data.partition(b'"state":"')
        changed = before + mark + (b"A" if after[:1] != b"A" else b"B") + after[1:]
        events.append((seq, changed if b'"decision.made"' in data else data))
    (line,) = replayed(stage, events, constitution=renamed(DOCUMENT))
    assert line.status == "not replayable"
    assert line.why.endswith("is not the one that was read")
