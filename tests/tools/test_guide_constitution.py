"""The commands of docs/guides/constitution.md do what the guide says, on the documents that it describes."""

import re
import shlex
from pathlib import Path

import pytest

from decisions.constitution import DEFAULT_TEXT

TEXT = (Path(__file__).parents[2] / "docs" / "guides" / "constitution.md").read_text("utf-8")
RULE, CASES = re.findall(r"^```toml\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
SHOWN = [
    block.removeprefix("$ ").split("\n", 1)
    for block in re.findall(r"^```\n(\$ .*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
]
NEXT = '[[articles]]\nnumber = "X"\n'


def masked(text):
    """Leave numbers out: how many cells there are is for the analysis to say, and changes with the default."""
    return [re.sub(r"\d[\d,]*", "N", line).strip() for line in text.splitlines() if line.strip() not in {"", "..."}]


@pytest.fixture
def documents(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    all_at_once = RULE.replace("when = 'environ", 'when = \'scope == "all" and environ').replace(', "define"]', "]")
    all_at_once = all_at_once.replace('environment = "staging", rev', 'scope = "all", environment = "staging", rev')
    rules = {
        "ours": RULE,
        "typo": RULE.replace('environment == "staging"', 'environment == "stagign"'),
        "idle": RULE.replace('"staging" and', '"staging" and environment != "prod" and'),
        "shadow": all_at_once,
    }
    for name, rule in rules.items():
        Path(f"{name}.toml").write_text(DEFAULT_TEXT.replace(NEXT, f"{rule}\n{NEXT}"))
    Path("default.toml").write_text(DEFAULT_TEXT)
    Path("cases.toml").write_text(CASES)


def test_every_command_shows_what_the_guide_shows(tally, documents):
    assert len(SHOWN) == 7
    for line, shown in SHOWN:
        done = tally(*shlex.split(line)[1:])
        printed = masked(done.stdout)
        for wanted in masked(shown):
            assert wanted in printed, f"{line}: {wanted}\n{done.stdout}{done.stderr}"
        assert (done.exit_code == 0) == ("typo" not in line and "idle" not in line and "shadow" not in line)


def test_the_text_that_it_begins_with_is_the_one_that_ships(tally):
    assert "tally constitution show --default --text > ours.toml" in TEXT
    assert tally("constitution", "show", "--default", "--text").stdout == DEFAULT_TEXT


def test_the_last_step_puts_it_in_force(tally, ledger, documents):
    assert "tally amendment adopt 3\n" in TEXT
    assert tally("amendment", "propose", "ours.toml", "--reason", "no drops in staging", "--yes").exit_code == 0
    assert tally("amendment", "show", "3").exit_code == 0
    assert tally("amendment", "adopt", "3", "--yes").exit_code == 0
    assert tally("constitution", "diff", "default.toml", "--json").object["kind"] == "loosening"
