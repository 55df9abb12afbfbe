"""The guides' commands, typed as they stand there, do what the guides say."""

import re
import shlex
import subprocess
from pathlib import Path

import click.testing
import pytest

from verify.cli import cli

GUIDES = Path(__file__).parents[2] / "docs" / "guides"


def blocks(name, language=""):
    return re.findall(rf"^```{language}\n(.*?)^```$", (GUIDES / name).read_text(), re.MULTILINE | re.DOTALL)


def typed(block):
    """Give each command of a block with the output that the guide shows below it."""
    lines = block.replace("\\\n", " ").splitlines()
    prompts = any(line.startswith("$ ") for line in lines)
    found = []
    for line in lines:
        if line.startswith("$ ") or (not prompts and line):
            found.append((line.removeprefix("$ ").partition("   #")[0], []))
        elif prompts:
            found[-1][1].append(line)
    return found


@pytest.fixture
def type_in(tally, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(line):
        program, *words = shlex.split(line)
        if program == "tally-verify":
            return click.testing.CliRunner().invoke(cli, words, standalone_mode=False)
        assert program == "tally"
        signs = words[0] == "init" or words[:2] in (["principal", "add"], ["resource", "add"], ["grant", "issue"])
        return tally(*words, *(["--yes"] if signs else []), TALLY_LEDGER=None, TALLY_KEY=str(tmp_path / "ada.key"))

    return run


def test_the_quickstart_goes_as_it_says(type_in):
    done = 0
    for block in blocks("quickstart.md"):
        for line, shown in typed(block):
            if line.startswith("export"):
                continue
            ran = type_in(line)
            assert ran.exit_code in {0, 4, 5}, f"{line}\n{ran.stdout}{ran.stderr}"
            without_ids = [re.sub(r"consent \S+ covers", "consent X covers", text) for text in ran.stdout.splitlines()]
            for text in shown:
                if text != "...":
                    assert re.sub(r"consent \S+ covers", "consent X covers", text) in without_ids, line
            done += 1
    assert done >= 18


@pytest.fixture
def hook(tmp_path, tally_program):
    """The hook of the guide, with a `tally` on its path."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "tally").write_text(f'#!/bin/sh\nexec {shlex.join(tally_program)} "$@"\n')
    (folder / "tally").chmod(0o755)
    (text,) = blocks("agents.md", "sh")
    # Nothing here is about speed: a busy machine must not fail the test.
    (tmp_path / "hook").write_text(text.replace("timeout 2 ", "timeout 60 "))
    return tmp_path


def call(hook, ledger, stdin, *, path=None):
    environment = {
        "PATH": f"{hook}/bin:/usr/bin:/bin" if path is None else path,
        "TALLY_LEDGER": str(ledger),
        "HOME": str(hook),
        "PYTHONPATH": str(GUIDES.parents[1]),
    }
    words = ["/bin/sh", str(hook / "hook")]
    done = subprocess.run(words, input=stdin, env=environment, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode


@pytest.mark.parametrize(
    ("stdin", "code"),
    [
        ('{"tool_name":"Bash","tool_input":{"command":"rm tests/fixtures/a"},"cwd":"/srv/app"}', 0),
        ('{"tool_name":"Bash","tool_input":{"command":"sudo rm tests/fixtures/a"},"cwd":"/srv/app"}', 2),
        ('{"tool_name":"Bash","tool_input":{"command":"rm x"},"cwd":"/home/ops"}', 2),
        ("{", 2),
        ("", 2),
    ],
)
def test_the_hook_lets_a_fresh_allow_through_and_nothing_else(hook, desk, stdin, code):
    """Policy case F01, as far as a hook of the guide goes."""
    assert call(hook, desk.ledger, stdin) == code


def test_the_hook_blocks_without_a_ledger_and_without_tally(hook, desk, tmp_path):
    allowed = '{"tool_name":"Bash","tool_input":{"command":"rm tests/fixtures/a"},"cwd":"/srv/app"}'
    assert call(hook, tmp_path / "none", allowed) == 2
    assert call(hook, desk.ledger, allowed, path="/usr/bin:/bin") == 2
