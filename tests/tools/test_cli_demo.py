import json
import sqlite3
from importlib.resources import files

import pytest

from tools.cli.demo import command
from tools.demo import NAMES, scene
from tools.demo.page import Page
from tools.demo.story import CHAPTERS


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """The story, played once and kept."""
    from tools.demo.story import tell

    folder = tmp_path_factory.mktemp("story")
    return folder, list(tell(folder))


def test_every_step_comes_out_as_it_must(told):
    _, pages = told
    assert [page.title for page in pages] == [title for title, _ in CHAPTERS]
    wrong = [what for page in pages for what, holds in page.checks if not holds]
    assert wrong == []
    assert all(page.checks for page in pages)


def test_the_story_is_fit_for_a_terminal(told):
    text = "".join(page.text() for page in told[1])
    assert text.isascii()
    assert "CONSENT_CONSUMED" in text
    assert "TRUST_FLOOR" in text
    assert "tally-verify bundle" in text


def test_the_ledger_of_the_story_can_be_used_afterwards(told, tally):
    folder, _ = told
    ledger = str(folder / "ledger")
    words = ("--as", "agent:ops-7", "--shell", "rm tests/fixtures/x", "--cwd", "/srv/app", "--request", "after")
    assert tally("decide", *words, TALLY_LEDGER=ledger).exit_code == 0
    assert tally("audit", TALLY_LEDGER=ledger).exit_code == 0
    assert tally("replay", TALLY_LEDGER=ledger).exit_code == 0


def test_the_untouched_ledger_is_the_one_that_is_kept(told):
    folder, _ = told
    with sqlite3.connect(folder / "ledger" / "ledger.db") as kept, sqlite3.connect(folder / "tampered.db") as changed:
        read = "SELECT seq, bytes FROM events ORDER BY seq"
        differing = [
            seq
            for (seq, left), (_, right) in zip(kept.execute(read), changed.execute(read), strict=False)
            if left != right
        ]
    kept.close()
    changed.close()
    assert len(differing) <= 1


def test_the_command_tells_it_as_json_lines(tally):
    done = tally("demo", "--json")
    assert done.exit_code == 0
    assert [one["step"] for one in done.objects] == list(range(1, len(CHAPTERS) + 1))
    assert all(one["ok"] for one in done.objects)


def test_the_command_keeps_everything_where_it_is_told_to(tally, tmp_path):
    kept = tmp_path / "kept"
    done = tally("demo", "--keep", kept)
    assert done.exit_code == 0
    assert (kept / "ledger" / "ledger.db").is_file()
    assert f"tally --ledger {kept}/ledger log tail" in done.stderr
    again = tally("demo", "--keep", kept)
    assert again.exit_code == 1
    assert "is there already" in again.error


def test_a_step_that_comes_out_wrong_ends_the_story_with_exit_1(tally, monkeypatch):
    def wrong(_stage, page):
        page.expect("something that does not hold", False)

    monkeypatch.setattr("tools.demo.story.CHAPTERS", (("A wrong step", wrong), *CHAPTERS))
    done = tally("demo")
    assert done.exit_code == 1
    assert "WRONG  something that does not hold" in done.stdout
    assert "2. " not in done.stdout


def test_a_step_that_checks_nothing_does_not_hold():
    assert not Page(1, "empty").holds


@pytest.mark.parametrize("name", NAMES)
def test_every_shipped_operation_says_what_must_come_of_it(name):
    one = scene(name)
    assert one.outcome in {"allow", "deny", "hold"}
    assert one.rules


def test_every_shipped_file_is_part_of_the_story():
    shipped = {path.name.removesuffix(".json") for path in files("tools.demo").iterdir() if path.name.endswith(".json")}
    assert shipped == set(NAMES)
    forms = {json.loads(files("tools.demo").joinpath(f"{name}.json").read_bytes())["form"] for name in NAMES}
    assert forms == {"tool_call", "sql", "conversation"}


def test_the_command_has_an_example():
    assert command.example.startswith("tally demo")
