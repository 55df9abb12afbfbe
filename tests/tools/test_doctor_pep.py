"""`tally doctor --pep`: what is configured, what was seen, what ran unasked; and that it says what it can't tell."""

import json

import pytest

from decisions.pep import Kept
from tools.hooking.judge import Judge
from tools.hooking.settings import Wired, settings_of
from tools.hooking.wire import Call
from tools.spool import FileSpool

RM = {"command": "rm tests/fixtures/a.json"}


@pytest.fixture
def settings(desk, tmp_path):
    file = tmp_path / "managed.json"
    file.write_text(json.dumps(settings_of(Wired("/opt/tally/bin/tally", desk.ledger, "agent:ops-7"))))
    return file


@pytest.fixture
def hook(desk):
    """Give the way to call the hook in this process, over the desk's ledger."""
    import os

    from tools.deciding import decision_point
    from tools.home import Home
    from tools.hooking.wiring import known
    from tools.ledger import open_ledger
    from tools.spool import FileSpool

    def call(event, given, use="toolu_1"):
        ledger = open_ledger(Home(desk.ledger))
        who = (os.getuid(), "agent:ops-7")
        try:
            judge = Judge(
                decision_point(ledger.log, ledger.registry, os.getuid()),
                lambda request: ledger.log.read(lambda look: known(look, ledger.registry, who, request)),
                str,
                *who,
                FileSpool(desk.ledger / "spool"),
            )
            made = Call(event, "s-1", use, {"tool_name": "Bash", "tool_input": given, "cwd": "/srv/app"})
            return judge.before(made) if event == "PreToolUse" else judge.after(made)
        finally:
            ledger.close()

    return call


def looked(desk, *words):
    ran = desk.run("doctor", "--pep", *words, "--json")
    found = {}
    for one in ran.objects:
        found.setdefault(one["check"], []).append((one["status"], one["detail"]))
    return ran.exit_code, found


def test_what_is_configured_and_was_never_seen(desk, settings):
    code, found = looked(desk, "--settings", settings)
    assert code == 0
    assert [status for status, _ in found["hook"]] == ["ok", "ok", "ok"]
    assert found["service"] == [
        ("warning", "service:gateway is registered to speak for agents, and has never asked: is it in place?")
    ]
    assert "asks" not in found
    assert "leaves no trace" in found["not told"][0][1]


def test_settings_that_an_agent_may_write_are_named(desk, settings):
    _, found = looked(desk, "--settings", settings)
    ((status, detail),) = found["settings"]
    assert (status, f"tally resource add 'file://{settings}' --set asset=control_plane" in detail) == ("warning", True)
    desk.sign("resource", "add", f"file://{settings}", "--set", "asset=control_plane")
    assert "settings" not in looked(desk, "--settings", settings)[1]


def test_settings_that_let_calls_through_are_a_problem(desk, settings):
    value = json.loads(settings.read_text())
    value["hooks"]["PreToolUse"][0]["matcher"] = "Bash"
    settings.write_text(json.dumps(value))
    code, found = looked(desk, "--settings", settings)
    assert code == 1
    assert ("problem" in dict(found["hook"]), "Bash alone" in str(found["hook"])) == (True, True)


def test_a_hook_that_is_configured_twice_is_named(desk, settings, tmp_path):
    (tmp_path / "again.json").write_text(settings.read_text())
    _, found = looked(desk, "--settings", settings, "--settings", tmp_path / "again.json")
    assert any("asked 2 times about one call" in detail for _, detail in found["hook"])


def test_what_waits_to_be_recorded_is_named(desk, settings):
    FileSpool(desk.ledger / "spool").keep(Kept("outcome", decision=18))
    assert "run tally outcome recover" in looked(desk, "--settings", settings)[1]["kept"][0][1]


@pytest.mark.parametrize("text", [None, "{", "{}"])
def test_settings_that_ask_nobody(desk, tmp_path, text):
    file = tmp_path / "s.json"
    if text is not None:
        file.write_text(text)
    code, found = looked(desk, "--settings", file)
    assert (code, found["settings"][0][0]) == ((0, "warning") if text == "{}" else (1, "problem"))


def test_the_usual_settings_are_looked_for_where_none_are_named(desk, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, found = looked(desk)
    assert "name them with --settings FILE" in found["settings"][0][1]
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text(json.dumps(settings_of(Wired("tally", desk.ledger, None))))
    assert len(looked(desk)[1]["hook"]) == 3


def test_who_asks_and_reports_is_seen(desk, hook, settings):
    hook("PreToolUse", RM)
    hook("PostToolUse", RM)
    code, found = looked(desk, "--settings", settings)
    ((status, detail),) = found["asks"]
    assert (code, status) == (0, "ok")
    assert detail.startswith("service:gateway speaks for agents: 1 decisions, the last is")
    assert "service" not in found


def test_who_never_reports_is_named(desk, hook, settings):
    for number in range(3):
        hook("PreToolUse", RM, f"toolu_{number}")
    _, found = looked(desk, "--settings", settings)
    assert "it reports no outcome" in found["asks"][0][1]
    hook("PostToolUse", RM, "toolu_0")
    _, found = looked(desk, "--settings", settings)
    assert "2 of them without an outcome" in found["asks"][0][1]


def test_a_host_whose_calls_have_no_id_is_named(desk, hook, settings):
    hook("PreToolUse", RM, None)
    assert "1 asked without a tool_use_id" in looked(desk, "--settings", settings)[1]["asks"][0][1]


def test_what_ran_unasked_and_in_spite_of_an_answer_is_a_problem(desk, hook, settings):
    assert [status for name in ("unasked", "in spite") for status, _ in looked(desk)[1][name]] == ["ok", "ok"]
    hook("PostToolUse", {"command": "frobnicate"})
    code, found = looked(desk, "--settings", settings)
    assert (code, found["unasked"][0][0]) == (1, "problem")
    held = {"command": "rm /home/ops/x"}
    hook("PreToolUse", held, "toolu_2")
    hook("PostToolUse", held, "toolu_2")
    code, found = looked(desk, "--settings", settings)
    assert (code, found["in spite"][0][0]) == (1, "problem")


def test_an_asker_for_itself_and_a_suspended_service_are_seen(desk, hook, settings):
    desk.run("decide", "--as", "agent:nobody", "--shell", "ls", "--cwd", "/srv/app")
    hook("PreToolUse", RM)
    desk.sign("principal", "suspend", "service:gateway", "--reason", "replaced")
    names = [detail for _, detail in looked(desk, "--settings", settings)[1]["asks"]]
    assert any("it was suspended since" in detail for detail in names)
    assert any(detail.startswith("claimed:agent:nobody asks for itself: 1 decisions") for detail in names)


def test_settings_go_with_pep(desk, settings):
    assert desk.run("doctor", "--settings", settings).exit_code == 2
