"""The host's settings: printed, and found again with what is wrong about them."""

import json
import shlex

import pytest

from tools.errors import InputError
from tools.hooking.settings import EVENTS, Wired, hooks_in, settings_of


def wired(**more):
    return Wired(**{"program": "/opt/tally/bin/tally", "ledger": "/var/lib/tally/ledger", "claimed": "agent:a", **more})


@pytest.fixture
def written(tmp_path):
    """Give the way to write settings, changed or not."""

    def write(change=None, **more):
        settings = settings_of(wired(**more))
        hook = settings["hooks"]["PreToolUse"][0]
        if change:
            change(settings, hook, hook["hooks"][0])
        file = tmp_path / "settings.json"
        file.write_text(json.dumps({"model": "x", **settings}))
        return file

    return write


def test_what_is_printed_has_no_fault(written):
    found = list(hooks_in(written()))
    assert [(one.event, one.matcher, one.faults) for one in found] == [(event, "*", ()) for event in EVENTS]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, "/opt/tally/bin/tally --ledger /var/lib/tally/ledger hook --as agent:a"),
        ({"claimed": None}, "/opt/tally/bin/tally --ledger /var/lib/tally/ledger hook"),
        ({"ledger": "/a b/l"}, "/opt/tally/bin/tally --ledger '/a b/l' hook --as agent:a"),
        ({"keeper": "tally"}, "sudo -n -u tally /opt/tally/bin/tally --ledger /var/lib/tally/ledger hook --as agent:a"),
        ({"claimed": None, "on_allow": "host", "on_hold": "defer", "deadline": 4.5},
         "/opt/tally/bin/tally --ledger /var/lib/tally/ledger hook --on-allow host --on-hold defer --deadline 4.5"),
    ],
)  # fmt: skip
def test_the_command_says_how_it_is_wired(more, words):
    assert shlex.join(wired(**more).words()) == words


@pytest.mark.parametrize("deadline", [0.1, 2, 30, 300])
def test_the_host_waits_longer_than_the_hook(deadline):
    for entries in settings_of(wired(deadline=deadline))["hooks"].values():
        assert entries[0]["hooks"][0]["timeout"] > deadline + 5


FAULTS = {
    "only some tools": (lambda _, entry, hook: entry.update(matcher="Bash|Write"), "Bash|Write alone"),
    "no block": (lambda _, entry, hook: hook.update(command=hook["command"].partition(" ||")[0]), "|| exit 2"),
    "swallowed": (lambda _, entry, hook: hook.update(command=hook["command"] + " || true"), "|| exit 2"),
    "beside the tool": (lambda _, entry, hook: hook.update({"async": True}), "blocks nothing"),
    "the host gives up first": (lambda _, entry, hook: hook.update(timeout=2), "gives up first"),
    "switched off": (lambda settings, entry, hook: settings.update(disableAllHooks=True), "no hook runs"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_lets_calls_through_is_named(written, name):
    change, words = FAULTS[name]
    (before,) = [one for one in hooks_in(written(change)) if one.event == "PreToolUse"]
    assert any(words in fault for fault in before.faults)


def test_a_host_that_waits_no_longer_than_a_longer_deadline(written):
    file = written(lambda _, entry, hook: hook.update(timeout=20), deadline=30)
    (before,) = [one for one in hooks_in(file) if one.event == "PreToolUse"]
    assert "gives up first" in before.faults[0]


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "[]",
        '{"hooks": []}',
        '{"hooks": {"PreToolUse": "tally hook"}}',
        '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "lint"}]}]}}',
        '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "tally decide"}]}]}}',
        '{"hooks": {"PreToolUse": [{"hooks": [{"command": 5}, {"command": "tally \' hook"}, 7]}, 5]}}',
    ],
)
def test_settings_without_the_hook_have_none(tmp_path, text):
    (tmp_path / "s.json").write_text(text)
    assert list(hooks_in(tmp_path / "s.json")) == []


@pytest.mark.parametrize("text", [None, "", "{", "\x00"])
def test_what_is_no_settings_file_is_said(tmp_path, text):
    if text is not None:
        (tmp_path / "s.json").write_text(text)
    with pytest.raises(InputError, match=r"s\.json"):
        list(hooks_in(tmp_path / "s.json"))


def test_install_prints_and_writes_nothing(desk, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    printed = desk.run("hook", "install", "--as", "agent:ops-7", "--sudo", "tally")
    assert (
        json.loads(printed.stdout)
        == desk.run("hook", "install", "--as", "agent:ops-7", "--sudo", "tally", "--json").object
    )
    command = json.loads(printed.stdout)["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    assert command.startswith("sudo -n -u tally ")
    assert f"--ledger {desk.ledger} hook --as agent:ops-7 || exit 2" in command
    assert sorted(tmp_path.rglob("*")) == before
