"""A form loads the parser that it needs and no other: whoever decides once pays for the start."""

import json
import subprocess
import sys
from typing import Any

import pytest

SQL, SHELL = "sqlglot", "tree_sitter"
CODE = """
import json, sys
from decisions.reducers import reduce_operation
form, payload, parsers = json.loads(sys.argv[1])
assert reduce_operation(form, payload, home=None).actions
print(json.dumps([name for name in parsers if name in sys.modules]))
"""


def call(name: str, **given: Any) -> dict[str, Any]:
    return {"tool_name": name, "tool_input": given, "database": "prod", "cwd": "/srv"}


@pytest.mark.parametrize(
    ("form", "payload", "loaded"),
    [
        ("shell", {"command": "ls", "cwd": "/srv"}, [SHELL]),
        ("sql", {"sql": "SELECT 1", "database": "prod"}, [SQL]),
        ("typed", {"verb": "read", "target": "file:///x"}, []),
        ("conversation", {"class": "inform", "person": "p-1"}, []),
        ("tool_call", call("Read", file_path="/x"), []),
        ("tool_call", call("Bash", command="ls"), [SHELL]),
        ("tool_call", call("sql", sql="SELECT 1"), [SQL]),
    ],
    ids=["shell", "sql", "typed", "conversation", "tool", "tool-shell", "tool-sql"],
)
def test_form_loads_only_its_own_parser(form: str, payload: dict[str, Any], loaded: list[str]) -> None:
    given = json.dumps([form, payload, [SQL, SHELL]])
    done = subprocess.run([sys.executable, "-c", CODE, given], check=True, capture_output=True, text=True)
    assert json.loads(done.stdout) == loaded
