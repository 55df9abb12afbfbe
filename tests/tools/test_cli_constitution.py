"""`tally constitution`."""

import pytest

from decisions.constitution import DEFAULT_TEXT


def test_shows_the_one_in_force(tally, ledger):
    shown = tally("constitution", "show", "--json").object
    assert (shown["name"], shown["articles"], shown["event"]) == ("tallystick default", 11, 1)
    assert shown["document"] == DEFAULT_TEXT
    text = tally("constitution", "show").stdout
    assert "XI  Integrity" in text
    assert "    XI.control-plane  forbid: " in text


def test_text_is_the_document_itself(tally, ledger):
    assert tally("constitution", "show", "--text").stdout == DEFAULT_TEXT


def test_the_default_needs_no_ledger(tally):
    assert tally("constitution", "show", "--default", "--text").stdout == DEFAULT_TEXT
    assert tally("constitution", "show").exit_code == 1


def test_checks_without_a_ledger(tally, tmp_path):
    (tmp_path / "ours.toml").write_text(DEFAULT_TEXT)
    done = tally("constitution", "check", tmp_path / "ours.toml", "--json")
    assert done.exit_code == 0
    assert done.object["accepted"] is True


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('effect = "forbid"', 'effect = "fobid"', 'did you mean "forbid"?'),
        ('asset == "control_plane"', 'assset == "control_plane"', 'did you mean "asset"?'),
        ("[constitution]", "[constitution", "not TOML"),
    ],
)
def test_names_the_finding(tally, ledger, tmp_path, old, new, said):
    (tmp_path / "ours.toml").write_text(DEFAULT_TEXT.replace(old, new, 1))
    done = tally("constitution", "check", tmp_path / "ours.toml")
    assert done.exit_code == 1
    assert said in done.stdout
    machine = tally("constitution", "check", tmp_path / "ours.toml", "--json")
    assert (machine.exit_code, machine.object["accepted"]) == (1, False)
    adopted = tally("constitution", "adopt", tmp_path / "ours.toml", "--yes")
    assert adopted.exit_code == 1
    assert said in adopted.error
    assert tally("log", "head", "--json").object["size"] == 3


def test_adopts(tally, ledger, tmp_path):
    (tmp_path / "ours.toml").write_text(DEFAULT_TEXT.replace("tallystick default", "ours"))
    assert tally("constitution", "adopt", tmp_path / "ours.toml", "--yes").exit_code == 0
    assert tally("constitution", "show", "--json").object["name"] == "ours"


def test_attributes_are_checked_by_the_one_in_force(tally, ledger, tmp_path):
    wider = DEFAULT_TEXT.replace(
        'values = ["dev", "test", "staging", "prod"]', 'values = ["dev", "test", "staging", "prod", "moon"]'
    )
    (tmp_path / "ours.toml").write_text(wider)
    words = ("resource", "add", "db://moon/x", "--set", "environment=moon", "--yes")
    assert tally(*words).exit_code == 1
    assert tally("constitution", "adopt", tmp_path / "ours.toml", "--yes").exit_code == 0
    assert tally(*words).exit_code == 0


def test_what_is_no_text_is_one_line(tally, ledger, tmp_path):
    (tmp_path / "ours.toml").write_bytes(b"\xff\xfe")
    done = tally("constitution", "check", tmp_path / "ours.toml")
    assert done.exit_code == 1
    assert "not UTF-8" in done.error
