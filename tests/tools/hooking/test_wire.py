"""What is no hook's call is refused, whatever it is; what is said is read back as it was said."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.errors import UnreadableCallError
from tools.hooking import wire
from tools.hooking.wire import Call, Spoken

CALL = {
    "session_id": "s-1",
    "cwd": "/srv/app",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
    "tool_use_id": "toolu_1",
}


def test_a_call_is_its_operation_and_where_it_belongs():
    found = wire.read({**CALL, "transcript_path": "/t", "permission_mode": "bypassPermissions"})
    payload = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "cwd": "/srv/app"}
    assert found == Call("PreToolUse", "s-1", "toolu_1", payload)


@pytest.mark.parametrize("left", ["tool_use_id", "cwd"])
def test_what_a_host_may_leave_out(left):
    assert wire.read({name: value for name, value in CALL.items() if name != left})


@pytest.mark.parametrize("left", ["session_id", "hook_event_name", "tool_name", "tool_input"])
def test_what_a_host_must_say(left):
    with pytest.raises(UnreadableCallError):
        wire.read({name: value for name, value in CALL.items() if name != left})


WRONG = {
    "session_id": [None, 5, "", "a b", "a:b", "é", "x" * 101, ["s"], "a\n"],
    "tool_use_id": [5, "", "a b", "a:b", "x" * 101, {}, True, "t\x00"],
    "hook_event_name": [None, 5, "", "pretooluse", "Stop", "PermissionRequest", "UserPromptSubmit", ["PreToolUse"]],
    "tool_name": [None, 5, ["Bash"], {}],
    "tool_input": [None, "ls", ["ls"], 5, True],
    "cwd": [5, ["/"], {}, True],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_wrong_types_are_refused(name, value):
    with pytest.raises(UnreadableCallError):
        wire.read({**CALL, name: value})


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_whatever_comes_is_a_call_or_refused(value):
    with suppress(UnreadableCallError):
        assert isinstance(wire.read(value), Call)


@given(st.text(), st.text(), st.sampled_from([0, 2]))
def test_what_is_said_is_read_back(stdout, stderr, code):
    assert Spoken.of_bytes(Spoken(stdout, stderr, code).to_bytes()) == Spoken(stdout, stderr, code)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b'["","",0]',
        b'["","",1]\n',
        b'["","",false]\n',
        b'["","",0.0]\n',
        b'["",0]\n',
        b'["","","0"]\n',
        b'[null,"",0]\n',
        b'{"stdout":""}\n',
        b"\xff\n",
        b"[" * 5000 + b"\n",
    ],
)
def test_what_is_not_whole_was_not_said(data):
    assert Spoken.of_bytes(data) is None


def test_a_fault_says_no_in_both_ways():
    spoken = wire.fault("x" * 10_000)
    said = json.loads(spoken.stdout)["hookSpecificOutput"]
    assert (said["hookEventName"], said["permissionDecision"], spoken.code) == ("PreToolUse", "deny", 2)
    assert len(said["permissionDecisionReason"]) == wire.MOST_SAID
    assert spoken.stderr.startswith("tally: ")


@pytest.mark.parametrize("reason", ["", "a\nb", "\u202e", '"}}', "\ud800"])
def test_a_reason_is_one_line_of_json(reason):
    (line,) = wire.answer("deny", reason).stdout.splitlines()
    assert json.loads(line)["hookSpecificOutput"]["permissionDecisionReason"] == reason
