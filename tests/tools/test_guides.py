"""The guides' commands, typed as they stand there, do what the guides say."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import click.testing
import pytest

from tools.hooking.settings import Wired
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
    """The hook of the guide, with a `sudo` on its path that asks the test's ledger."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "sudo").write_text(
        f'#!/bin/sh\ntest "$1 $2 $3 $4" = "-n -u tally /usr/local/bin/tally" || exit 1\nshift 4\n'
        f'test "$1 $2" = "--ledger /var/lib/tally/ledger" || exit 1\nshift 2\nexec {shlex.join(tally_program)} "$@"\n'
    )
    (folder / "sudo").chmod(0o755)
    # Nothing here is about speed: a busy machine must not fail the test.
    (tmp_path / "hook").write_text(hook_text().replace("timeout 5 ", "timeout 60 "))
    return tmp_path


def hook_text():
    (text,) = blocks("agents.md", "sh")
    return text


def call(hook, ledger, stdin, *, path=None):
    environment = {
        "PATH": f"{hook}/bin:/usr/bin:/bin" if path is None else path,
        "TALLY_LEDGER": str(ledger),
        "HOME": str(hook),
        "PYTHONPATH": str(GUIDES.parents[1]),
    }
    words = ["/bin/sh", str(hook / "hook")]
    return subprocess.run(words, input=stdin, env=environment, capture_output=True, text=True, timeout=120, check=False)


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
    done = call(hook, desk.ledger, stdin)
    assert done.returncode == code
    assert ("Asked by    agent:ops-7" in done.stderr) is (code == 2)


ALLOWED = '{"tool_name":"Bash","tool_input":{"command":"rm tests/fixtures/a"},"cwd":"/srv/app"}'


def test_the_hook_blocks_without_a_ledger_and_without_sudo_and_says_why(hook, desk, tmp_path):
    lost = call(hook, tmp_path / "none", ALLOWED)
    assert (lost.returncode, "no ledger here" in lost.stderr) == (2, True)
    (hook / "bin" / "sudo").write_text("#!/bin/sh\necho 'sudo: a password is required' >&2\nexit 1\n")
    refused = call(hook, desk.ledger, ALLOWED)
    assert (refused.returncode, "a password is required" in refused.stderr) == (2, True)


def test_the_hook_blocks_and_names_the_request_when_the_time_is_up(hook, desk):
    (hook / "hook").write_text(hook_text().replace("timeout 5 ", "timeout 0.01 "))
    late = call(hook, desk.ledger, ALLOWED)
    assert late.returncode == 2
    assert re.search(r"no answer within 5 seconds to request hook-[0-9a-f-]{36}$", late.stderr.strip())


def asked_by_hand():
    command = hook_text().replace("\\\n", " ").split("sudo -n -u tally ")[1].split(")\n")[0]
    return shlex.split(command.replace('"$request"', "hook-9c283999-579e-40d2-b3ee-61e573339e01"))


def asked_by_the_hook():
    wired = Wired("/usr/local/bin/tally", Path("/var/lib/tally/ledger"), "agent:ops-7", keeper="tally")
    return wired.words()[4:]


@pytest.mark.parametrize(("line", "words"), [(0, asked_by_the_hook), (1, asked_by_hand)])
def test_a_line_of_sudoers_lets_the_hook_ask_and_nothing_else(line, words):
    (block,) = blocks("agents.md", "sudoers")
    program, pattern = block.splitlines()[line].split("NOPASSWD: ")[1].strip().split(" ", 1)
    assert words()[0] == program
    asked = " ".join(words()[1:])
    assert re.search(pattern, asked)
    other = [asked + " --as agent:other", asked.replace("ops-7", "ops-8"), re.sub("decide|hook ", "grant ", asked), ""]
    assert not any(re.search(pattern, one) for one in other)


def test_the_layout_of_the_guide_makes_a_gateway_that_speaks_for_each_agent(type_in):
    """The commands without sudo, in a directory of the test: the users are the machine's to make."""
    commands = [
        line
        for block in blocks("agents.md")
        for line, _ in typed(block)
        if "/ledger init" in line or " principal add " in line
    ]
    layout = [line for line in commands if line.startswith("sudo ")]
    assert len(layout) == 4
    for line in layout:
        plain = line.removeprefix("sudo ").removeprefix("-E ").replace("--ledger /var/lib/tally/ledger ", "")
        plain = plain.replace("--key ~/.ssh/id_ed25519", "--new-key ada.key").replace("--uid tally", "--uid 4207")
        done = type_in(plain + (" --yes" if "principal add" not in plain else ""))
        assert done.exit_code == 0, f"{line}\n{done.stderr}"
    listed = {row["principal"]: row for row in type_in("tally principal list --json").objects}
    assert listed["service:gateway"]["speaks_for"] == ["agent:ops-7"]
    assert listed["agent:ops-8"]["through"] == ["service:gateway"]


def guided(type_in, section, name):
    """Type the commands of one section, after those of the quickstart's beginning."""
    assert type_in("tally init --new-key ada.key --demonstration").exit_code == 0
    text = (GUIDES / name).read_text().partition(section)[2].partition("\n## ")[0]
    (block,) = [one for one in re.findall(r"^```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL) if "tally" in one][-1:]
    return [(line, type_in(line)) for line, _ in typed(block) if line.startswith("tally ")]


def test_trust_is_observed_as_the_guide_says(type_in, tmp_path):
    from grants.signer import generate

    generate(tmp_path / "sensor.key", "")
    *steps, (_, asked) = guided(type_in, "## Trust", "agents.md")
    for line, done in steps:
        assert done.exit_code == 0, f"{line}\n{done.stderr}"
    assert asked.stdout.startswith("DENY  TRUST_FLOOR")


def test_a_pinned_script_runs_once_as_the_guide_says(type_in, tmp_path, monkeypatch):
    script = tmp_path / "run.sh"
    script.write_text("echo hello\n")
    inner = type_in

    def moved(line):
        return inner(line.replace("/srv/jobs", str(tmp_path)))

    assert moved("tally init --new-key ada.key --demonstration").exit_code == 0
    assert moved("tally principal add agent:ops-7 --owner human:owner").exit_code == 0
    (block,) = [one for one in blocks("approve.md") if "program:sh" in one]
    *steps, (asking, _) = typed(block)
    for line, _ in steps:
        assert moved(line).exit_code == 0, line
    assert moved(asking).stdout.startswith("ALLOW  ALLOWED")
    assert "CONSENT_CONSUMED" in moved(asking).stdout


def test_the_program_of_the_incident_guide_runs(type_in, tmp_path, capsys):
    assert type_in("tally init --new-key ada.key").exit_code == 0
    assert type_in("tally decide --shell ls").exit_code == 4
    (text,) = blocks("incident.md", "python")
    space = {}
    exec(text, space)
    assert [line.status for line in space["lines"]] == ["same"]


def test_the_guard_of_the_guide_runs_as_it_stands_there(desk, tmp_path, capsys):
    from decisions.pep import GovernanceDenied
    from tools.deciding import decision_point
    from tools.home import Home
    from tools.ledger import open_ledger

    (text,) = blocks("enforce.md", "python")
    guide = {}
    exec(text, guide)
    ledger = open_ledger(Home(desk.ledger))
    try:
        point = guide["enforcement_point"](decision_point(ledger.log, ledger.registry, os.getuid()))
        with pytest.raises(FileNotFoundError):
            guide["guarded"](point)("/srv/app/tests/fixtures/no-such-file")
        with pytest.raises(GovernanceDenied):
            guide["guarded"](point)("/etc/passwd")
        guide["block"](point, "/etc/passwd")
    finally:
        ledger.close()
    assert capsys.readouterr().out.startswith("deny UNCLASSIFIED")
    assert [one["decision"] for one in desk.run("outcome", "list", "--json").objects] == []
