"""`tally resource tools`: what is listed is what a call is named by."""

import json

import pytest

DEFINITION = '{"name":"purge","inputSchema":{"n":{"maximum":0.50}},"annotations":{"readOnlyHint":true,"title":"x"}}'


def listed(tally, tmp_path, text, server="tracker"):
    (tmp_path / "tools.json").write_text(text)
    return tally("resource", "tools", str(tmp_path / "tools.json"), "--server", server, "--json")


@pytest.mark.parametrize(
    "text", [DEFINITION, f"[{DEFINITION}]", f'{{"tools":[{DEFINITION}]}}',
             f'{{"id":1,"result":{{"tools":[{DEFINITION}]}}}}']
)  # fmt: skip
def test_tools_are_listed_as_a_call_names_them(tally, tmp_path, text):
    done = listed(tally, tmp_path, text)
    call = {
        "server": "tracker", "method": "tools/call", "params": {"name": "purge"}, "definition": DEFINITION,
    }  # fmt: skip
    (tmp_path / "call.json").write_text(json.dumps({"form": "mcp", "payload": call}))
    reduced = tally("reduce", "--operation", str(tmp_path / "call.json"), "--json")
    assert done.object == {
        "tool": "purge", "reference": reduced.object["actions"][0]["target"], "hints": "readOnlyHint=true",
    }  # fmt: skip


def test_a_listed_tool_can_be_registered_with_its_effect(tally, ledger, tmp_path):
    pin = listed(tally, tmp_path, DEFINITION).object["reference"]
    assert tally("resource", "add", pin, "--set", "effect=delete", "--yes").exit_code == 0
    refused = tally("resource", "add", f"{pin}x", "--set", "effect=purge", "--yes")
    assert (refused.exit_code, "is no value of effect" in refused.stderr) == (1, True)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"tools":[]}', '[{"name":"a:b"}]', "[1]", '[{"title":"x"}]', '{"tools":7}']
)
def test_what_lists_no_tools_is_refused_in_one_line(tally, tmp_path, text):
    done = listed(tally, tmp_path, text)
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
