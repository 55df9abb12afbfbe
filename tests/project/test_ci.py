"""`.ci/run` installs what can be had, fails by what is checked and by nothing else, and says what was not run."""

import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / ".ci" / "run"
SKIPPED = "SKIPPED [2] tests/x.py:1: NOT-RUN: no second Python\nSKIPPED [1] tests/y.py:1: NOT-RUN: no second Python\n"


def program(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def ci(tmp_path):
    """Run the script on a machine where nothing can be installed, with a check that says and ends as it is told."""

    def run(said, code):
        (tmp_path / "said").write_text(said)
        check = f'cat "{tmp_path}/said"; echo "options:$PYTEST_ADDOPTS"; exit {code}'
        program(tmp_path / "bin" / "make", f'case "$1" in check) {check};; esac')
        program(tmp_path / "bin" / "apt-get", "exit 100")
        program(tmp_path / "venv" / "bin" / "python", "exit 1")
        place = {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "HOME": str(tmp_path), "VENV": str(tmp_path / "venv")}
        return subprocess.run(["bash", SCRIPT], env=place, capture_output=True, text=True, check=False)

    (tmp_path / "venv").mkdir()
    return run


@pytest.mark.parametrize("code", [0, 1, 2])
def test_what_is_checked_decides(ci, code):
    assert ci("2 passed\n", code).returncode == code


def test_what_was_not_run_is_listed_once_at_the_end(ci):
    done = ci(SKIPPED, 0)
    assert done.stdout.endswith("NOT-RUN:\n  no second Python\n")
    assert "options: -rs\n" in done.stdout
    assert "not to be had: the extra fuzz" in done.stderr


def test_nothing_left_out_is_said_too(ci):
    assert ci("2 passed\n", 0).stdout.endswith("NOT-RUN:\n  nothing: everything ran\n")
