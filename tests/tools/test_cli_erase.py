"""`tally erase`, `tally hold` and `tally retention`, as people and scripts meet them."""

import sqlite3
import threading
import time
from contextlib import closing

import pytest

from grants.errors import ErasureError
from ledger.errors import ReadOnlyError, StoreError
from tools.erasing import underway, unfinished
from tools.home import Home

DELETE = ("--sql", "DELETE FROM users WHERE id = 42", "--database", "prod")
BASIS = ("--basis", "gdpr-art-17-1-a")


@pytest.fixture
def held(desk):
    """A decision that was held, and the consent that answers it: (decision, request, consent)."""
    asked = desk.decide("r-1", *DELETE).object
    given = desk.sign("grant", "issue", asked["request"], "--for", "2h", "--reason", "she asked", "--json")
    return asked["decision"], asked["request"], given.object["event"]


def openings(desk, seq):
    with closing(sqlite3.connect(desk.ledger / "ledger.db")) as connection:
        return [path for (path,) in connection.execute("SELECT path FROM disclosures WHERE seq = ?", (seq,))]


def test_erases_a_value_wherever_it_stands(desk, held):
    """The decision is named; request and consent hold the same value, and are erased with it."""
    done = desk.sign("erase", "--event", held[0], "--path", "/args", *BASIS, "--json")
    assert done.exit_code == 0, done.stderr
    assert done.object["fields"] == [
        {"event": seq, "path": "/args", "type": kind}
        for seq, kind in zip(held, ("decision.made", "consent.requested", "consent.granted"), strict=True)
    ]
    assert (done.object["left"], done.object["scrubbed"]) == ([], True)
    assert ["/args" in openings(desk, seq) for seq in held] == [False, False, False]
    assert openings(desk, held[2]) == ["/reason"]
    assert not (desk.ledger / "erasing").exists()
    audit = desk.run("audit", "--json").object
    assert audit["ok"]
    assert [line["detail"] for line in audit["lines"] if line["dimension"] == "disclosures"] == ["3 erased"]


def test_says_what_it_does_and_what_is_still_open(desk, held):
    """A table, the statement with the basis in words, and what the same events still hold open."""
    done = desk.sign("erase", "--event", held[2], "--path", "/args", *BASIS)
    assert "DELETE FROM users" in done.stdout
    assert "Erased 3 fields" in done.stdout
    assert f"Still open in these events: {held[2]}:/reason" in done.stdout
    assert "no longer necessary for the purpose" in done.stderr
    assert "tallystick fields.erased v1" in done.stderr


def test_a_dry_run_erases_nothing(desk, held):
    """It shows the same fields, asks nobody, and needs no key."""
    before = desk.size()
    done = desk.run("erase", "--event", held[0], *BASIS, "--dry-run", "--key", "/nowhere", "--json")
    assert done.exit_code == 0, done.stderr
    assert {(one["event"], one["path"]) for one in done.object["fields"]} == {(seq, "/args") for seq in held}
    assert done.object["events"] == []
    assert desk.size() == before
    assert openings(desk, held[0]) == ["/args"]


def test_without_a_terminal_nobody_confirms(desk, held):
    """Nothing is erased by a script that did not say so."""
    done = desk.run("erase", "--event", held[0], *BASIS, "--by", "human:ada")
    assert done.exit_code == 1
    assert "--yes" in done.error
    assert openings(desk, held[0]) == ["/args"]


@pytest.mark.parametrize(("typed", "gone"), [("3", True), ("2", False), ("y", False), ("", False)])
def test_at_a_terminal_the_number_is_typed(desk, held, monkeypatch, typed, gone):
    """Whoever erases has counted."""
    monkeypatch.setattr("tools.cli.erase.interactive", lambda: True)
    done = desk.run("erase", "--event", held[0], "--path", "/args", *BASIS, "--by", "human:ada", stdin=f"{typed}\n")
    assert (done.exit_code == 0) is gone
    assert ("/args" not in openings(desk, held[0])) is gone
    if not gone:
        assert "nothing was erased" in done.error


def test_erases_all_about_a_subject(desk, held):
    """A principal: what it asked, what was granted to it, what was registered of it."""
    found = desk.run("erase", "--subject", "agent:ops-7", *BASIS, "--dry-run", "--json").object
    kinds = {one["type"] for one in found["fields"]}
    assert {"decision.made", "consent.requested", "consent.granted", "principal.registered"} <= kinds
    only = desk.run("erase", "--subject", "agent:ops-7", "--path", "/name", *BASIS, "--dry-run", "--json").object
    assert {one["path"] for one in only["fields"]} == {"/name"}


@pytest.mark.parametrize(
    "subject", ["resource:db://prod/users/42", "resource:db://prod/users/**", "resource:db://prod/**"]
)
def test_erases_all_about_a_resource(desk, held, subject):
    """By its tag, or by a subtree that it lies in."""
    found = desk.run("erase", "--subject", subject, *BASIS, "--dry-run", "--json").object
    assert {one["event"] for one in found["fields"]} >= set(held)


def test_erases_all_about_a_person(desk):
    """The readings of trust that were taken with them: the person is their counterpart."""
    seen = desk.run(
        *(
            "trust",
            "observe",
            "--as",
            "sensor:reading-room",
            "--key",
            desk.key("sensor-reading-room"),
            "--system",
            "agent:companion",
        ),
        *("--counterpart", "person:p-7", "--domain", "library", "--interaction", "i-1", "--c-inst", "0.5", "--json"),
    )
    assert seen.exit_code == 0, seen.stderr
    done = desk.sign("erase", "--subject", "person:p-7", "--basis", "gdpr-art-17-1-b", "--json")
    assert [(one["type"], one["path"]) for one in done.object["fields"]] == [("trust.observed", "/c_inst")]
    assert desk.run("audit").exit_code == 0


def test_nothing_to_erase_is_no_error(desk):
    """A subject of whom nothing is open."""
    done = desk.run("erase", "--subject", "person:nobody", *BASIS)
    assert (done.exit_code, done.stdout) == (0, "Nothing is open that could be erased.\n")


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ((), 2, "--event, --subject or --due"),
        (("--event", "1"), 2, "legal-bases"),
        (("--event", "1", "--basis", "because"), 2, "because"),
        (("--event", "1", *BASIS, "--path", "args"), 2, "pointer"),
        (("--event", "9999", *BASIS), 1, "no event 9999"),
        (("--event", "1", *BASIS), 1, "event 1 has no field that is open: constitution.adopted has no"),
        (("--event", "0", *BASIS, "--path", "/nam"), 1, "event 0 has no open field /nam: there is /name"),
        (("--subject", "somebody", *BASIS), 1, "names nobody"),
        (("--subject", "event:1", *BASIS), 1, "names nobody"),
    ],
)
def test_what_can_not_be_meant_is_refused(desk, words, code, told):
    """Each with what to do instead."""
    done = desk.sign("erase", *words)
    assert done.exit_code == code
    assert told in done.error


def test_what_was_erased_is_said_by_which_event(desk, held):
    """To who erases again, and to who looks."""
    event = desk.sign("erase", "--event", held[2], "--path", "/reason", *BASIS, "--json").object["events"][0]
    again = desk.sign("erase", "--event", held[2], "--path", "/reason", *BASIS)
    assert f"/reason (erased by event {event})" in again.error
    shown = desk.run("log", "show", held[2])
    assert f"/reason  (erased by event {event})" in shown.stdout
    assert desk.run("log", "show", held[2], "--json").object["closed"] == {"/reason": f"erased by event {event}"}


def test_an_event_of_which_all_is_erased_has_nothing_open(desk, held):
    """It is said by which event, whether a field is named or none."""
    event = desk.sign("erase", "--event", held[2], *BASIS, "--json").object["events"][0]
    again = desk.sign("erase", "--event", held[2], *BASIS)
    assert (again.exit_code, again.error.startswith(f"event {held[2]} has no field that is open: ")) == (1, True)
    assert f"(erased by event {event})" in again.error


def test_only_a_human_erases(desk, held):
    """A sensor's key is no human's."""
    sensor = ("--by", "sensor:reading-room", "--key", desk.key("sensor-reading-room"))
    done = desk.run("erase", "--event", held[0], *BASIS, *sensor, "--yes")
    assert done.exit_code == 1
    assert "signed by a human" in done.error
    assert openings(desk, held[0]) == ["/args"]
    assert not (desk.ledger / "erasing").exists()


# -- holds --


def test_a_hold_refuses_a_named_event_and_leaves_out_the_rest(desk, held):
    """The twins of what is held stay too; everything else of the subject goes."""
    placed = desk.sign("hold", "place", "--over", f"event:{held[2]}", "--reason", "a claim", "--json").object
    done = desk.sign("erase", "--event", held[0], "--path", "/args", *BASIS)
    assert done.exit_code == 1
    assert placed["hold"] in done.error
    done = desk.sign("erase", "--subject", "agent:ops-7", *BASIS, "--json")
    assert done.exit_code == 0, done.stderr
    left = {(one["event"], one["path"]): one["why"] for one in done.object["left"]}
    assert {(seq, "/args") for seq in held} <= set(left)
    assert f"the same value stands as /args of event {held[2]}" in left[held[0], "/args"]
    assert [openings(desk, seq) for seq in held] == [["/args"], ["/args"], ["/args", "/reason"]]
    desk.sign("hold", "release", placed["hold"], "--reason", "settled")
    assert desk.sign("erase", "--event", held[0], "--path", "/args", *BASIS).exit_code == 0


def test_of_several_named_events_each_must_be_erasable(desk, held):
    """One of them is held by its twin: nothing of the others is erased either."""
    other = desk.decide("r-9", "--sql", "DELETE FROM users WHERE id = 43", "--database", "prod").object["decision"]
    desk.sign("hold", "place", "--over", f"event:{held[2]}", "--reason", "a claim")
    done = desk.sign("erase", "--event", other, "--event", held[0], *BASIS)
    assert done.exit_code == 1
    assert f"the same value stands as /args of event {held[2]}" in done.error
    assert openings(desk, other) == ["/args"]


def test_what_is_not_what_was_committed_to_is_said_to_be_so(desk, held):
    """Somebody changed what is kept: who erases it sees that, and may."""
    with closing(sqlite3.connect(desk.ledger / "ledger.db")) as connection, connection:
        connection.execute("DROP TRIGGER disclosures_no_update")
        connection.execute("UPDATE disclosures SET value = ? WHERE seq = ? AND path = '/reason'", (b'"x"', held[2]))
    done = desk.sign("erase", "--event", held[2], "--path", "/reason", *BASIS)
    assert done.exit_code == 0, done.stderr
    assert "not what the event committed to" in done.stdout


def test_erasers_take_turns(desk):
    """A marker that one takes away is never the marker of another, who may still be killed."""
    home = Home(desk.ledger)
    order = []

    def work(name):
        with underway(home) as pending:
            order.append((name, pending, unfinished(home)))
            time.sleep(0.05)
            order.append((name, pending, unfinished(home)))

    threads = [threading.Thread(target=work, args=(name,)) for name in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one[0] for one in order[::2]] == [one[0] for one in order[1::2]]
    assert all(there for _, _, there in order)
    assert not unfinished(home)


@pytest.mark.parametrize(
    ("error", "left"), [(ErasureError("held"), False), (ReadOnlyError("behind"), False), (StoreError("disk"), True)]
)
def test_what_was_refused_leaves_no_marker_and_what_failed_does(desk, error, left):
    """A refusal deleted nothing; after any other error nobody knows."""
    home = Home(desk.ledger)
    with pytest.raises(type(error)), underway(home):
        raise error
    assert unfinished(home) is left
    # A refusal leaves what was left before.
    with pytest.raises(ErasureError), underway(home):
        raise ErasureError("held")
    assert unfinished(home) is left
    with underway(home) as pending:
        assert pending is left
    assert not unfinished(home)


def test_a_subject_that_is_held_as_a_whole_is_an_error(desk, held):
    """Nobody takes it for done."""
    desk.sign("hold", "place", "--over", "all", "--reason", "inquiry")
    done = desk.sign("erase", "--subject", "agent:ops-7", *BASIS)
    assert done.exit_code == 1
    assert "legal hold" in done.error


def test_holds_are_listed(desk):
    """With what they are over and why; the reason can be erased like any other."""
    assert desk.run("hold", "list").stdout == "No hold stands; --all shows those that were released.\n"
    placed = desk.sign("hold", "place", "--over", "human:bo", "--over", "event:1", "--reason", "x", "--json").object
    assert placed["over"] == [
        "actor:human:bo",
        "counterpart:human:bo",
        "event:1",
        "principal:human:bo",
        "subject:human:bo",
    ]
    (one,) = desk.run("hold", "list", "--json").objects
    assert (one["hold"], one["reason"], one["released"]) == (placed["hold"], "x", None)
    released = desk.sign("hold", "release", placed["hold"], "--reason", "y", "--json").object
    assert desk.run("hold", "list", "--json").objects == []
    desk.sign("erase", "--event", placed["event"], *BASIS)
    (one,) = desk.run("hold", "list", "--all", "--json").objects
    assert (one["released"], one["reason"]) == (released["event"], None)
    assert f"released by event {released['event']}" in desk.run("hold", "list", "--all").stdout


@pytest.mark.parametrize("over", ["event:x", "event:", "nothing", ":x", "event:-1"])
def test_a_hold_over_nothing_is_refused(desk, over):
    """Whoever places it would rely on it."""
    done = desk.sign("hold", "place", "--over", over, "--reason", "x")
    assert done.exit_code == 1


# -- retention --


def test_rules_are_set_and_shown(desk):
    """And taken away."""
    assert "No rules are in force" in desk.run("retention", "show").stdout
    rules = ("--rule", "decision.made:/args=30..180", "--rule", "*:*=..3650")
    done = desk.sign("retention", "set", *rules, "--reason", "agreed", "--json")
    assert done.exit_code == 0, done.stderr
    shown = desk.run("retention", "show", "--json").object
    assert shown["event"] == done.object["event"]
    assert shown["rules"] == [
        {"type": "*", "path": "*", "at_least": None, "at_most": 3650},
        {"type": "decision.made", "path": "/args", "at_least": 30, "at_most": 180},
    ]
    assert "decision.made" in desk.run("retention", "show").stdout
    desk.sign("retention", "set", "--none", "--reason", "ended")
    assert desk.run("retention", "show", "--json").object["rules"] == []


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), 2),
        (("--rule", "decision.made:/args"), 2),
        (("--rule", "decision.made:/args=.."), 2),
        (("--rule", "decision.made:/args=5..3"), 2),
        (("--rule", "decision.made:/args=..99999"), 2),
        (("--rule", "*:*=1..", "--none"), 2),
        (("--rule", "decision.mode:/args=1.."), 1),
        (("--rule", "decision.made:/arg=1.."), 1),
        (("--rule", "*:*=1..", "--rule", "*:*=2.."), 1),
    ],
)
def test_rules_that_say_nothing_are_refused(desk, words, code):
    """Before anybody signs."""
    done = desk.sign("retention", "set", *words, "--reason", "x")
    assert done.exit_code == code, done.stderr


def test_what_must_be_kept_is_left(desk, held):
    """An hour-old record under a rule of a day."""
    desk.sign("retention", "set", "--rule", "*:/args=1..", "--reason", "agreed")
    done = desk.sign("erase", "--event", held[0], "--path", "/args", *BASIS)
    assert done.exit_code == 1
    assert "kept for 1 days at least" in done.error


def test_what_is_due_is_erased(desk, held):
    """Everything older than its most, and nothing else; the basis is the rule."""
    desk.sign("retention", "set", "--rule", "consent.granted:/reason=..0", "--reason", "agreed")
    shown = desk.run("erase", "--due", "--dry-run", "--json").object
    assert [(one["type"], one["path"]) for one in shown["fields"]] == [("consent.granted", "/reason")]
    done = desk.sign("erase", "--due", "--json").object
    assert (done["basis"], len(done["fields"])) == ("retention-expired", 1)
    assert openings(desk, held[2]) == ["/args"]
    assert "Nothing is open" in desk.sign("erase", "--due").stdout


def test_without_rules_nothing_is_due(desk, held):
    """And the basis of an expired term is refused."""
    assert "Nothing is open" in desk.sign("erase", "--due").stdout
    done = desk.sign("erase", "--event", held[2], "--path", "/reason", "--basis", "retention-expired")
    assert "no rule limits how long it is kept" in done.error


# -- what is left to do --


def test_an_erasure_that_could_not_be_finished_is_finished_later(desk, held):
    """While somebody reads the old state the bytes can't go: it says so, doctor remembers, and --scrub does it."""
    reader = sqlite3.connect(desk.ledger / "ledger.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM disclosures").fetchall()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tools.erasing.scrub", _impatient)
        done = desk.sign("erase", "--event", held[0], "--path", "/args", *BASIS)
    assert done.exit_code == 1
    assert "tally erase --scrub" in done.error
    assert "/args" not in openings(desk, held[0])
    doctor = desk.run("doctor")
    assert "tally erase --scrub" in doctor.stdout
    reader.close()
    assert desk.run("erase", "--scrub", "--json").object == {"scrubbed": True, "pending": True}
    assert "none is unfinished" in desk.run("doctor").stdout
    assert desk.run("erase", "--scrub", "--json").object == {"scrubbed": True, "pending": False}


def _impatient(engine):
    from ledger.sql.scrub import scrub

    scrub(engine, patience=0.0)


def test_one_is_counted_as_one(desk, held):
    erased = desk.sign("erase", "--event", held[2], "--path", "/reason", *BASIS)
    assert "Erased 1 field (event" in erased.stdout, erased.stderr
    placed = desk.sign("hold", "place", "--over", f"event:{held[0]}", "--reason", "x")
    assert "It is over 1 event so far" in placed.stdout
    one = desk.sign("retention", "set", "--rule", "*:*=..3650", "--reason", "x")
    assert "1 retention rule is in force" in one.stdout
    two = desk.sign("retention", "set", "--rule", "*:*=..3650", "--rule", "decision.made:/args=30..", "--reason", "x")
    assert "2 retention rules are in force" in two.stdout
