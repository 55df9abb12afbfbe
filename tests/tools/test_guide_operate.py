"""The commands of docs/guides/operate.md do what the guide says, in its order."""

import re
import shlex
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "operate.md"
LINES = re.findall(r"^\$ tally (.*)$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.fixture
def key(tmp_path):
    """Where the guide puts its key."""
    return tmp_path / "id_tally"


@pytest.fixture
def place(tmp_path):
    """Where the guide puts its ledger."""
    return tmp_path / ".tally"


def test_every_line_of_the_guide_runs(tally, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(LINES) > 15
    for line in LINES:
        done = tally(*shlex.split(line))
        assert done.exit_code == 0, f"{line}: {done.stderr}"


def test_the_guide_names_every_file_of_a_ledger(tally, ledger):
    text = GUIDE.read_text(encoding="utf-8")
    for path in ledger.iterdir():
        assert f"`{path.name}`" in text
