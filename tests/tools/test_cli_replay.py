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
