import pytest

from decisions.constitution import DEFAULT_TEXT
from tools.cli import replay as module

ROW = ("--sql", "DELETE FROM users WHERE id = 42", "--database", "prod")
FIXTURE = ("--shell", "rm tests/fixtures/a.json", "--cwd", "/srv/app")
STRICTER = """
[[articles.rules]]
id = "IX.delete"
says = "deleting anything in test or production"
effect = "forbid"
kinds = ["file", "data"]
verbs = ["delete"]
when = 'environment in ["test", "prod"]'
stops = { kind = "file", verb = "delete", environment = "test" }
passes = { kind = "file", verb = "delete", environment = "dev" }

"""


@pytest.fixture
def history(desk):
    numbers = [desk.decide("r1", *FIXTURE).object["decision"], desk.decide("r2", *ROW).object["decision"]]
    desk.decide("r3", "--tool-call", "-", stdin="{")
    return numbers


def stricter(tmp_path):
    """Write a constitution with one forbid more."""
    next_article = '[[articles]]\nnumber = "X"\n'
    assert next_article in DEFAULT_TEXT
    file = tmp_path / "stricter.toml"
    file.write_text(DEFAULT_TEXT.replace(next_article, STRICTER + next_article))
    return file


@pytest.mark.usefixtures("history")
def test_every_decision_comes_out_the_same(desk):
    done = desk.run("replay", "--json")
    assert done.exit_code == 0
    counts = {name: done.object[name] for name in ("decisions", "same", "changed", "not_replayable")}
    assert counts == {"decisions": 3, "same": 3, "changed": 0, "not_replayable": 0}
    assert "3 same, 0 changed, 0 not replayable" in desk.run("replay").stdout


def test_another_constitution_tells_what_would_have_happened(desk, history, tmp_path):
    done = desk.run("replay", "--constitution", stricter(tmp_path), "--json")
    assert done.exit_code == 0
    changed = {line["decision"]: line["replayed"]["outcome"] for line in done.object["lines"]}
    assert changed == dict.fromkeys(history, "deny")
    assert done.object["hypothetical"] is True
    assert str(history[0]) in desk.run("replay", "--constitution", stricter(tmp_path)).stdout


def test_only_what_came_since(desk, history):
    done = desk.run("replay", "--since", history[1], "--json")
    assert done.object["decisions"] == 2


@pytest.mark.usefixtures("history")
def test_a_changed_decision_is_evidence(desk, monkeypatch):
    def changed(*_args):
        line = module.ReplayLine(7, "changed", ("allow", "ALLOWED"), ("deny", "FORBIDDEN"), "differs in outcome")
        return iter([line])

    monkeypatch.setattr(module, "replay", changed)
    done = desk.run("replay")
    assert done.exit_code == 3
    assert "differs in outcome" in done.stdout


def test_a_broken_constitution_is_refused_in_one_line(desk, tmp_path):
    (tmp_path / "broken.toml").write_text("[constitution")
    done = desk.run("replay", "--constitution", tmp_path / "broken.toml")
    assert done.exit_code == 1
    assert "TOML" in done.error


def test_an_event_beyond_the_log_is_an_error(desk):
    assert "there is no event 9999" in desk.run("replay", "--since", 9999).error


def at_of(desk, event):
    return desk.run("log", "show", str(event), "--json").object["at"]


@pytest.mark.usefixtures("history")
def test_a_part_of_the_log_by_number_or_by_time(desk, history):
    def decided(*words):
        return desk.run("replay", *words, "--json").object["decisions"]

    first, second = history
    assert decided("--from", first, "--to", first) == 1
    assert decided("--to", second - 1) == 1
    assert decided("--from", at_of(desk, second)) == 2
    assert decided("--to", at_of(desk, first)) == 1
    assert decided("--from", "2026-01-01T00:00:00.000000Z", "--to", "2026-01-02T00:00:00.000000Z") == 0
    assert decided("--from", second, "--to", first) == 0


@pytest.mark.parametrize("bound", ["soon", "2026-11-30", "-1"])
def test_what_is_neither_number_nor_time_is_wrong_usage(desk, bound):
    done = desk.run("replay", "--from", bound)
    assert done.exit_code == 2
    assert "such as 2026-11-30T12:00:00.000000Z" in done.error


@pytest.mark.usefixtures("history")
def test_a_change_is_explained_on_both_sides(desk, history, tmp_path):
    words = ("replay", "--constitution", stricter(tmp_path), "--from", history[0], "--to", history[0])
    (line,) = desk.run(*words, "--json").object["lines"]
    assert "IX.delete" in {one["rule"] for one in line["explained"]["replayed"]}
    assert line["explained"]["recorded"] != line["explained"]["replayed"]
    page = desk.run(*words).stdout
    assert "would speak" in page
