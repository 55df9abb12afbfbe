"""Agents' tool calls: known tools by their exact names and fields, every other opaque."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decisions.action import Reduction
from decisions.reducers import reduce_operation
from decisions.reducers.tool_call import _TOOLS

Notation = Callable[[Reduction], set[str]]


def call(name: Any, given_input: Any, **more: Any) -> Reduction:
    payload = {"tool_name": name, "tool_input": given_input, "cwd": "/srv/app", **more}
    return reduce_operation("tool_call", payload, home="/home/u")


ROWS: list[tuple[str, dict[str, Any], set[str]]] = [
    ("Read", {"file_path": "/srv/app/a.py"}, {"read /srv/app/a.py"}),
    ("Read", {"file_path": "a.py", "offset": 1, "limit": 9}, {"read /srv/app/a.py"}),
    ("Read", {"file_path": "../x"}, {"read /srv/x"}),
    ("Write", {"file_path": "/etc/x", "content": ""}, {"write /etc/x"}),
    ("Edit", {"file_path": "a", "old_string": "x", "new_string": "y"}, {"write /srv/app/a"}),
    ("Edit", {"file_path": "a", "old_string": "x", "new_string": "y", "replace_all": True}, {"write /srv/app/a"}),
    ("MultiEdit", {"file_path": "a", "edits": [{"old_string": "x", "new_string": "y"}]}, {"write /srv/app/a"}),
    ("NotebookEdit", {"notebook_path": "/a.ipynb", "new_source": "x", "cell_id": "1"}, {"write /a.ipynb"}),
    ("NotebookEdit", {"notebook_path": "/a.ipynb", "cell_id": "1", "edit_mode": "delete"}, {"write /a.ipynb"}),
    ("NotebookEdit", {"notebook_path": "/a.ipynb", "new_source": "x", "edit_mode": "run"}, {"!UNPARSEABLE"}),
    ("NotebookEdit", {"notebook_path": "/a.ipynb", "new_source": "x", "cell_type": "shell"}, {"!UNPARSEABLE"}),
    ("NotebookRead", {"notebook_path": "/a.ipynb"}, {"read /a.ipynb"}),
    ("Glob", {"pattern": "**/*.py"}, {"list /srv/app +many"}),
    ("Glob", {"pattern": "src/*.py", "path": "/r"}, {"list /r/src +many"}),
    ("Glob", {"pattern": "/etc/**"}, {"list /etc +many"}),
    ("Glob", {"pattern": "/*"}, {"list / +all"}),
    ("Glob", {"pattern": "../../*"}, {"list / +all"}),
    ("Glob", {"pattern": "*/../../x"}, {"!TARGET_UNRESOLVED"}),
    ("Glob", {"pattern": "{/etc,src}/*.py"}, {"list /etc +many", "list /srv/app/src +many"}),
    ("Glob", {"pattern": "{a,{b,/etc}}/*"}, {"list /etc +many", "list /srv/app/a +many", "list /srv/app/b +many"}),
    ("Glob", {"pattern": "{.,a}./x"}, {"list /srv/x +many", "list /srv/app/a./x +many"}),
    ("Glob", {"pattern": "**/*.{test.ts,spec.ts}"}, {"list /srv/app +many"}),
    ("Glob", {"pattern": "app/(group)/[id]/*.tsx"}, {"list /srv/app/app/(group) +many"}),
    ("Glob", {"pattern": "@(..)/x"}, {"!TARGET_UNRESOLVED"}),
    ("Glob", {"pattern": "[.][.]/x"}, {"!TARGET_UNRESOLVED"}),
    ("Glob", {"pattern": ".\\./x"}, {"!TARGET_UNRESOLVED"}),
    ("Glob", {"pattern": "!src/*"}, {"!TARGET_UNRESOLVED"}),
    ("Glob", {"pattern": "{a..z}/x"}, {"!TARGET_UNRESOLVED"}),
    ("Glob", {"pattern": "{a,b"}, {"!TARGET_UNRESOLVED"}),
    ("Glob", {"pattern": "{a,b}" * 8}, {"!TOO_COMPLEX"}),
    ("Grep", {"pattern": "x"}, {"read /srv/app +many"}),
    ("Grep", {"pattern": "x", "path": "/etc", "-i": True, "output_mode": "content"}, {"read /etc +many"}),
    ("LS", {"path": "/srv"}, {"list /srv"}),
    ("Bash", {"command": "rm -rf build", "description": "harmless"}, {"delete /srv/app/build +many"}),
    ("Bash", {"command": "rm x", "timeout": 5, "run_in_background": True}, {"delete /srv/app/x"}),
    ("Bash", {"command": "rm x", "dangerouslyDisableSandbox": False}, {"delete /srv/app/x"}),
    ("Bash", {"command": "rm x", "dangerouslyDisableSandbox": True}, {"!UNPARSEABLE"}),
    ("BashOutput", {"bash_id": "1"}, {"run tool:BashOutput"}),
    ("TodoWrite", {"todos": []}, {"run tool:TodoWrite"}),
    ("WebFetch", {"url": "https://Docs.Example.com/a?q", "prompt": "x"}, {"fetch https://docs.example.com/a"}),
    ("WebFetch", {"url": "http://example.com./"}, {"fetch http://example.com"}),
    ("WebFetch", {"url": "https://docs.example.com@evil.tld/"}, {"!ID_INVALID"}),
    ("WebFetch", {"url": "file:///etc/passwd"}, {"!ID_INVALID"}),
    ("WebFetch", {"url": "http://badexample.com/"}, {"fetch http://badexample.com"}),
    ("WebSearch", {"query": "x"}, {"fetch tool:WebSearch +egress"}),
    # B01, A19, A13: names are refused or kept as they are, never folded or guessed.
    ("Read", {"file_path": "/srv/pr\u043ed"}, {"read /srv/pr\u043ed"}),
    ("Read", {"file_path": "/srv/pr\u200bod"}, {"!ID_INVALID"}),
    ("Read", {"file_path": "\\??\\C:\\x"}, {"!ID_INVALID"}),
    ("Read", {"file_path": "C:\\x"}, {"!ID_INVALID"}),
    ("Read", {"file_path": "\\\\host\\s"}, {"!ID_INVALID"}),
    ("Read", {"file_path": "~/x"}, {"!ID_INVALID"}),
    ("Read", {"file_path": ""}, {"!ID_INVALID"}),
    ("Write", {"file_path": "/r/.GIT/config", "content": ""}, {"write /r/.GIT/config"}),
    # B07: anchored by what is there, not by a name that looks like it.
    ("Edit", {"file_path": "/etc/src/x", "old_string": "", "new_string": ""}, {"write /etc/src/x"}),
    # B05: the letters of a path are followed; a link is for the enforcement point to resolve.
    ("Write", {"file_path": "/srv/data/l/../../x", "content": ""}, {"write /srv/x"}),
]


@pytest.mark.parametrize(("name", "given_input", "effects"), ROWS, ids=[f"{row[0]}-{i}" for i, row in enumerate(ROWS)])
def test_tool_call_reduces_to_its_effects(
    name: str, given_input: dict[str, Any], effects: set[str], notation: Notation
) -> None:
    assert effects == notation(call(name, given_input))


@pytest.mark.parametrize(
    "name",
    ["mcp_fs_Read", "MCP__fs__Read", "read", "READ", "Read ", " Read", "", "Task", "KillShell", "Re\u0430d", "Skill",
     "SlashCommand", "ExitPlanMode", "bash", "Sql", "__class__", None, 1, ["Read"], {"a": 1}],
)  # fmt: skip
def test_unknown_tool_is_opaque(name: Any, notation: Notation) -> None:
    """Not by another case, not by another spelling: a tool that has no reducer is opaque (F05)."""
    assert {"!UNPARSEABLE"} == notation(call(name, {"file_path": "/x"}))


@pytest.mark.parametrize("name", sorted(_TOOLS))
def test_unknown_field_of_a_known_tool_is_opaque(name: str, notation: Notation) -> None:
    """A07's class: what nobody knows may do anything."""
    whole = next(
        (row[1] for row in ROWS if row[0] == name and not any(e[0] == "!" for e in row[2])), {"sql": "SELECT 1"}
    )
    assert "!UNPARSEABLE" not in notation(call(name, whole, database="prod"))
    assert {"!UNPARSEABLE"} == notation(call(name, {**whole, "readOnlyHint": True}, database="prod"))


@pytest.mark.parametrize("name", sorted(_TOOLS))
def test_field_of_another_type_is_opaque(name: str, notation: Notation) -> None:
    for key, kinds in _TOOLS[name].fields.items():
        for wrong in ({"a": 1}, 7, True, "x", ["x"]):
            if type(wrong) not in kinds:
                found = notation(call(name, {key: wrong}, database="prod"))
                assert {"!UNPARSEABLE"} == found, (key, wrong)


@pytest.mark.parametrize("name", sorted(_TOOLS))
def test_missing_fields_are_opaque_or_mean_the_directory(name: str, notation: Notation) -> None:
    allowed = {"!UNPARSEABLE"} if name not in {"BashOutput", "TodoWrite"} else {f"run tool:{name}"}
    assert allowed == notation(call(name, {}, database="prod"))
    assert {"!UNPARSEABLE"} == notation(call(name, None))
    assert {"!UNPARSEABLE"} == notation(call(name, "x"))


@pytest.mark.parametrize(
    "edits",
    [[], None, "x", [{}], ["x"], [{"old_string": "a"}], [{"old_string": 1, "new_string": "b"}],
     [{"old_string": "a", "new_string": "b", "extra": 1}],
     [{"old_string": "a", "new_string": "b", "replace_all": "yes"}]],
)  # fmt: skip
def test_edits_that_are_none_are_opaque(edits: Any, notation: Notation) -> None:
    assert {"!UNPARSEABLE"} == notation(call("MultiEdit", {"file_path": "a", "edits": edits}))


def test_fields_of_the_call_itself_are_not_read(notation: Notation) -> None:
    found = call(
        "Read", {"file_path": "/x"}, session_id="s", hook_event_name="PreToolUse", attributes={"asset": "scratch"}
    )
    assert {"read /x"} == notation(found)


def test_relative_path_without_a_directory_is_unresolved(notation: Notation) -> None:
    found = reduce_operation("tool_call", {"tool_name": "Read", "tool_input": {"file_path": "x"}}, home=None)
    assert {"!TARGET_UNRESOLVED"} == notation(found)


@pytest.mark.parametrize("cwd", [1, ["/srv"], "srv", "C:\\x", "~"])
def test_directory_that_is_none_refuses_a_relative_path(cwd: Any, notation: Notation) -> None:
    payload = {"tool_name": "Read", "tool_input": {"file_path": "x"}, "cwd": cwd}
    assert notation(reduce_operation("tool_call", payload, home=None)) <= {"!ID_INVALID", "!UNPARSEABLE"}


@pytest.mark.parametrize("tool", ["sql", "query"])
def test_sql_tool_takes_the_database_from_the_call(tool: str, notation: Notation) -> None:
    """J03: the store is what the enforcement point says; the agent's input can't name another one."""
    statement = {"sql": "DELETE FROM t"}
    assert {"delete t +all"} == notation(call(tool, statement, database="prod"))
    assert {"delete t +all"} == notation(call(tool, {**statement, "database": "prod"}, database="prod"))
    assert {"!TARGET_UNRESOLVED"} == notation(call(tool, {**statement, "database": "test"}, database="prod"))
    assert {"!TARGET_UNRESOLVED"} == notation(call(tool, {**statement, "database": "test"}))
    assert {"!TARGET_UNRESOLVED"} == notation(call(tool, statement))
    assert {"!TARGET_UNRESOLVED"} == notation(call(tool, {**statement, "dialect": "mysql"}, database="prod"))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.sampled_from(sorted(_TOOLS)),
    st.dictionaries(
        st.sampled_from(sorted({key for tool in _TOOLS.values() for key in tool.fields})), JSON, max_size=5
    ),
    JSON,
)
@settings(max_examples=200, deadline=None)
def test_any_input_gives_an_action_or_a_problem(name: str, given_input: dict[str, Any], cwd: Any) -> None:
    found = call(name, given_input, cwd=cwd)
    assert found.actions or found.problems
    assert not any("failed" in problem.detail for problem in found.problems)


@given(st.text(max_size=12), st.dictionaries(st.text(max_size=12), JSON, max_size=4))
@settings(max_examples=150, deadline=None)
def test_any_form_and_payload_gives_an_action_or_a_problem(form: str, payload: dict[str, Any]) -> None:
    for one in (form, "tool_call", "shell", "sql", "typed", "conversation", "unreadable"):
        found = reduce_operation(one, payload, home=None)
        assert found.actions or found.problems


def test_fault_in_a_reducer_is_a_problem(monkeypatch: pytest.MonkeyPatch, notation: Notation) -> None:
    """A reducer that fails denies; it doesn't take the decision point with it."""

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("decisions.reducers.shell.reduce_shell", fail)
    assert {"!UNPARSEABLE"} == notation(reduce_operation("shell", {"command": "ls"}, home=None))


@pytest.mark.parametrize("form", ["unreadable", "", "Shell", "TYPED", "tool-call"])
def test_unknown_form_is_opaque(form: str, notation: Notation) -> None:
    assert {"!UNPARSEABLE"} == notation(reduce_operation(form, {"command": "ls"}, home=None))


@pytest.mark.parametrize(
    ("form", "payload"),
    [
        ("shell", {"command": "ls", "cwd": "/", "user": "root"}),
        ("sql", {"sql": "SELECT 1", "database": "prod", "user": "x"}),
        ("conversation", {"class": "inform", "person": "p-1", "text": "x"}),
        ("typed", {"verb": "read", "target": "file:///x", "why": "x"}),
    ],
)
def test_unknown_field_of_a_form_is_opaque(form: str, payload: dict[str, Any], notation: Notation) -> None:
    assert {"!UNPARSEABLE"} == notation(reduce_operation(form, payload, home=None))
