"""What the README shows is what a newcomer sees: its commands are run, in its order, in an empty directory."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```console\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
BIN = Path(sys.executable).parent

# What differs from run to run: random ids, times, and where the ledger lies.
VARIABLE = re.compile(
    r"tally\.local/[0-9a-f]{16}|[A-Za-z0-9_-]{22}(?![\w-])|\d{4}-\d\d-\d\dT[\d:.]+Z|\S*/\.tally\b|(?<=  )\.tally\b"
)


def steps():
    """Give each command with the lines that the README shows for it."""
    for block in BLOCKS:
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output.splitlines()


def same(line):
    return VARIABLE.sub("<>", line.rstrip())


def fits(wanted, got):
    """Tell whether the lines are the ones shown; ``...`` stands for any number of lines."""
    if not wanted:
        return not got
    if wanted[0] == "...":
        return any(fits(wanted[1:], got[start:]) for start in range(len(got) + 1))
    return bool(got) and same(wanted[0]) == same(got[0]) and fits(wanted[1:], got[1:])


@pytest.mark.timeout(300)
def test_every_command_gives_the_output_shown(tmp_path):
    environment = {"PATH": f"{BIN}:/usr/bin:/bin", "HOME": str(tmp_path), "NO_COLOR": "1"}
    told = list(steps())
    assert len(told) > 10
    for command, wanted in told:
        words = shlex.split(command)
        if words[0] == "export":
            name, _, value = words[1].partition("=")
            environment[name] = value
            continue
        done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        got = done.stdout.rstrip("\n").splitlines()
        assert fits(wanted, got), f"$ {command}\n{done.stdout}\n{done.stderr}"
        assert done.returncode in {0, 4, 5}


def test_exit_codes_are_those_of_the_program():
    from tools.cli.help import EXIT_CODES

    told = README.partition("## Exit codes")[2].partition("##")[0]
    assert [int(code) for code in re.findall(r"(?:^|· |\n)(\d+) ", told)] == list(EXIT_CODES)
