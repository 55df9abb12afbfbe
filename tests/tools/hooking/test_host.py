"""The command as a host runs it: a process, its streams, signals, and whatever can happen to it. Policy case F01."""

import json
import os
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tools.hooking.settings import EVENTS, Wired, settings_of

ROOT = Path(__file__).parents[3]
PATIENT = ("--deadline", "60")
RM = {"command": "rm tests/fixtures/a.json"}


@pytest.fixture
def program(tally_program, tmp_path):
    """`tally` as a file that can be named in a host's settings."""
    file = tmp_path / "bin" / "tally"
    file.parent.mkdir()
    file.write_text(f'#!/bin/sh\ncd {shlex.quote(str(ROOT))} && exec {shlex.join(tally_program)} "$@"\n')
    file.chmod(0o755)
    return file


@pytest.fixture
def hook(desk, program):
    """Start the hook as a host does."""

    def start(*options, ledger=desk.ledger, **more):
        words = [str(program), "--ledger", str(ledger), "hook", "--as", "agent:ops-7", *options]
        streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
        return subprocess.Popen(words, **streams)

    return start


def call(event="PreToolUse", tool="Bash", given=None, **more):
    value = {
        "session_id": "s-1",
        "cwd": "/srv/app",
        "hook_event_name": event,
        "tool_name": tool,
        "tool_input": given or RM,
        "tool_use_id": "toolu_1",
        **more,
    }
    return json.dumps(value).encode()


def ended(process, data=b""):
    """Hand something in, and give what the host learns: the exit code, the permission, and the talk."""
    stdout, stderr = process.communicate(data, timeout=120)
    said = json.loads(stdout)["hookSpecificOutput"] if stdout else {}
    assert said.get("hookEventName", "PreToolUse") == "PreToolUse"
    assert "Traceback" not in stderr.decode()
    return process.returncode, said.get("permissionDecision"), stderr.decode()


def blocks(told):
    """Whether a host holds the tool back: exit code 2 whatever else, or 0 with a deny on stdout."""
    code, permission, _ = told
    return code == 2 or (code == 0 and permission == "deny")


def events(desk, kind):
    seqs = [one["seq"] for one in desk.run("log", "show", "--type", kind, "--json").objects]
    return [json.loads(desk.run("log", "show", seq, "--bytes").stdout) for seq in seqs]


def until(found, seconds=60):
    """Wait for what another process does after the hook has ended."""
    for _ in range(seconds * 20):
        if value := found():
            return value
        time.sleep(0.05)
    raise AssertionError("it did not come")


def test_a_tool_call_is_allowed_run_and_closed(desk, hook):
    assert ended(hook(*PATIENT), call()) == (0, "allow", "")
    assert len(desk.run("outcome", "list", "--json").objects) == 1
    assert ended(hook(*PATIENT), call("PostToolUse", tool_response={"stdout": ""})) == (0, None, "")
    assert desk.run("outcome", "list", "--json").objects == []
    (told,) = events(desk, "outcome.reported")
    assert (told["by"], told["via"]) == ("agent:ops-7", "service:gateway")


# F01: whatever happens to it, the tool is held back.


def test_garbage_is_denied_on_record(desk, hook):
    assert blocks(ended(hook(*PATIENT), b"{"))
    assert blocks(ended(hook(*PATIENT), b""))
    assert blocks(ended(hook(*PATIENT), call(tool_use_id=5)))
    assert blocks(ended(hook(*PATIENT), call(given={"command": "x" * 2**21})))
    reasons = [one["body"]["reason"] for one in events(desk, "decision.made")]
    assert reasons == ["UNPARSEABLE"] * 4


def test_a_stream_that_is_closed(desk, program):
    line = shlex.join([str(program), "--ledger", str(desk.ledger), "hook", *PATIENT])
    for closed in ("<&-", ">&- </dev/null", "2>&- </dev/null", "<&- >&- 2>&-"):
        done = subprocess.run(["sh", "-c", f"{line} {closed}"], capture_output=True, check=False, timeout=120)
        assert done.returncode == 2, closed


def test_a_host_that_does_not_listen_any_more_and_the_allow_is_taken_back(desk, hook):
    read, write = os.pipe()
    os.close(read)
    process = hook(*PATIENT, stdout=write)
    os.close(write)
    _, stderr = process.communicate(call(), timeout=120)
    assert process.returncode == 2
    assert b"nothing is allowed" in stderr
    (told,) = until(lambda: events(desk, "outcome.reported"))
    assert told["body"]["outcome"] == "failed"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_ended_while_it_waits(hook, number):
    process = hook(*PATIENT)
    until(lambda: children(process.pid))
    process.send_signal(number)
    told = ended(process)
    assert blocks(told)
    assert f"signal {number:d}" in told[2]


def test_the_process_that_decides_is_killed(hook):
    process = hook(*PATIENT)
    for child in until(lambda: children(process.pid)):
        os.kill(child, signal.SIGKILL)
    told = ended(process)
    assert (blocks(told), "has died" in told[2]) == (True, True)


def test_input_that_never_ends_is_denied_in_time(hook):
    process = hook("--deadline", "0.5")
    process.stdin.write(call())
    process.stdin.flush()
    assert process.wait(60) == 2
    assert b"no answer within 0.5 s" in process.stderr.read()
    process.stdin.close()
    process.stdout.close()
    process.stderr.close()


def test_a_ledger_that_another_process_holds_denies_in_time_and_the_late_allow_is_taken_back(desk, hook):
    holder = sqlite3.connect(desk.ledger / "ledger.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    told = ended(hook("--deadline", "1.5"), call())
    assert blocks(told)
    assert "no answer within 1.5 s" in told[2]
    holder.execute("ROLLBACK")
    holder.close()
    # Whether it had come as far as the ledger hangs on the machine; what it began there, it ends.
    until(lambda: not any("hook" in line for line in command_lines()))
    allowed = [one["seq"] for one in events(desk, "decision.made") if one["body"]["outcome"] == "allow"]
    assert [one["body"]["decision"] for one in events(desk, "outcome.reported")] == allowed
    assert all(one["body"]["outcome"] == "failed" for one in events(desk, "outcome.reported"))


@pytest.mark.parametrize("where", ["nowhere", "a file", "not a database"])
def test_without_a_ledger(hook, tmp_path, where):
    place = tmp_path / "other"
    if where == "a file":
        place.write_text("x")
    elif where == "not a database":
        place.mkdir()
        (place / "ledger.db").write_bytes(b"garbage" * 1000)
    assert blocks(ended(hook(*PATIENT, ledger=place), call()))


@pytest.mark.parametrize("module", ["sqlalchemy", "pydantic", "decisions", "click"])
def test_a_program_that_is_broken(desk, tmp_path, module):
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / f"{module}.py").write_text("raise ImportError('broken')\n")
    code = f"import sys; sys.path.insert(0, {str(broken)!r}); from tools.cli import main; main()"
    words = [sys.executable, "-c", code, "--ledger", str(desk.ledger), "hook", *PATIENT]
    line = f"{shlex.join(words)} || exit 2"
    done = subprocess.run(["sh", "-c", line], input=call(), capture_output=True, check=False, timeout=120, cwd=ROOT)
    assert done.returncode == 2
    if module != "click":  # without it there is nothing of ours that could say so
        assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"


@pytest.mark.parametrize("words", [["--no-such"], ["--deadline", "0"], ["--on-hold", "ask"], ["--on-allow", "always"]])
def test_wrong_usage_blocks(hook, words):
    assert ended(hook(*words), call())[0] == 2


def test_after_the_tool_a_ledger_that_is_gone_is_told(hook, tmp_path):
    code, _, talk = ended(hook(*PATIENT, ledger=tmp_path / "none"), call("PostToolUse"))
    assert (code, bool(talk)) == (2, True)


# What the host is told to run.


def test_the_settings_that_are_printed_make_the_host_ask(desk, program):
    wired = Wired(str(program), desk.ledger, "agent:ops-7", deadline=60)
    hooks = settings_of(wired)["hooks"]
    assert set(hooks) == set(EVENTS)
    (entry,) = hooks["PreToolUse"]
    (command,) = entry["hooks"]
    assert command["timeout"] > 60
    done = subprocess.run(["sh", "-c", command["command"]], input=call(), capture_output=True, check=False, timeout=120)
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "allow"
    program.unlink()
    gone = subprocess.run(["sh", "-c", command["command"]], input=call(), capture_output=True, check=False, timeout=120)
    assert gone.returncode == 2


def test_killed_outright_the_shell_still_blocks(program, desk):
    (entry,) = settings_of(Wired(str(program), desk.ledger, None, deadline=60))["hooks"]["PreToolUse"]
    process = subprocess.Popen(
        ["sh", "-c", entry["hooks"][0]["command"]],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    (asking,) = until(lambda: children(process.pid))
    until(lambda: children(asking))
    os.kill(asking, signal.SIGKILL)
    assert ended(process)[0] == 2


def children(pid):
    """Give the processes that a process has started."""
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def command_lines():
    """Give the command lines of the processes that were started with this test's name in them."""
    own = os.environ["PYTEST_CURRENT_TEST"].partition(" ")[0]
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                if own in (place / "environ").read_text(errors="replace") and int(place.name) != os.getpid():
                    found.append((place / "cmdline").read_text().replace("\0", " "))
            except OSError:
                continue
    return found
