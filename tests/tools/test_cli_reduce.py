"""What an operation is taken apart into, for people and programs, without a ledger."""

import json

import pytest


def reduced(tally, *words, **more):
    return tally("reduce", *words, "--json", **more)


def effects(done):
    return {(one["verb"], one["target"]) for one in done.object["actions"]}


def test_a_shell_line_gives_its_actions_and_needs_no_ledger(tally, place):
    done = reduced(tally, "--shell", "cd build && rm -rf out", "--cwd", "/srv/app")
    assert (done.exit_code, done.object["form"], done.object["opaque"]) == (0, "shell", False)
    assert effects(done) == {("enter", "file:///srv/app/build"), ("delete", "file:///srv/app/build/out")}
    assert not place.exists()


def test_each_action_carries_its_facts_and_its_part(tally):
    (one,) = reduced(tally, "--shell", "rm -rf out", "--cwd", "/srv/app").object["actions"]
    assert one == {
        "kind": "file",
        "verb": "delete",
        "target": "file:///srv/app/out",
        "facts": {"elevated": False, "scope": "many"},
        "part": "segment 1: rm",
    }


def test_what_is_opaque_is_told_with_its_reason_beside_what_was_read(tally):
    done = reduced(tally, "--shell", "rm out; ls --frobnicate", "--cwd", "/srv/app")
    assert (done.exit_code, done.object["opaque"]) == (4, True)
    assert effects(done) == {("delete", "file:///srv/app/out")}
    (problem,) = done.object["problems"]
    assert (problem["code"], problem["part"]) == ("UNPARSEABLE", "segment 2: ls")
    assert "--frobnicate" in problem["detail"]


def test_people_read_an_action_a_line_and_what_is_opaque(tally):
    done = tally("reduce", "--shell", "rm -rf out; ls --frobnicate", "--cwd", "/srv/app")
    first, second, third = done.stdout.splitlines()
    assert first == "OPAQUE: 1 part can't be read, so the whole is denied; 1 action besides"
    assert second == "  file delete file:///srv/app/out, scope many  (segment 1: rm)"
    assert third.startswith("  opaque  UNPARSEABLE: ")
    assert tally("reduce", "--shell", "rm out", "--cwd", "/srv/app").stdout.splitlines() == [
        "1 action",
        "  file delete file:///srv/app/out  (segment 1: rm)",
    ]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--sql", "DELETE FROM users WHERE id = 42", "--database", "prod"), ("delete", "db://prod/users/42")),
        (("--verb", "delete", "--target", "db://prod/users/7"), ("delete", "db://prod/users/7")),
        (("--say", "inform", "--person", "p-1"), ("inform", "person:p-1")),
    ],
)
def test_every_form_of_deciding_is_taken(tally, words, expected):
    assert effects(reduced(tally, *words)) == {expected}


def test_a_tool_call_comes_from_stdin(tally):
    call = {"tool_name": "Bash", "tool_input": {"command": "rm x"}, "cwd": "/srv"}
    assert effects(reduced(tally, "--tool-call", "-", stdin=json.dumps(call))) == {("delete", "file:///srv/x")}


def test_an_operation_of_any_form_comes_as_json(tally, tmp_path):
    file = tmp_path / "operation.json"
    file.write_text(json.dumps({"form": "shell", "payload": {"command": "rm x", "cwd": "/srv"}}))
    assert effects(reduced(tally, "--operation", file)) == {("delete", "file:///srv/x")}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"form":"shell"}',
        '{"form":"telepathy","payload":{}}',
        '{"form":"shell","payload":[]}',
        '{"form":1,"payload":{}}',
        '{"form":"shell","payload":{"command":"ls","cwd":"/"},"more":1}',
    ],
)
def test_json_that_is_no_operation_is_opaque(tally, text):
    done = reduced(tally, "--operation", "-", stdin=text)
    assert (done.exit_code, done.object["form"], len(done.object["problems"])) == (4, "unreadable", 1)


def test_a_script_comes_from_a_file_and_runs_where_it_is_said_to(tally, tmp_path):
    script = tmp_path / "deploy.sh"
    script.write_text("set -e\nmkdir out\nfor name in a b; do\n  cp $name.txt out\ndone\n")
    found = effects(reduced(tally, "--file", script, "--cwd", "/srv"))
    assert {("write", "file:///srv/out"), ("read", "file:///srv/a.txt"), ("write", "file:///srv/out/b.txt")} <= found


def test_a_script_that_is_no_text_is_opaque_and_one_that_is_missing_is_an_error(tally, tmp_path):
    script = tmp_path / "latin.sh"
    script.write_bytes(b"rm caf\xe9")
    done = reduced(tally, "--file", script)
    assert (done.exit_code, done.object["form"]) == (4, "unreadable")
    missing = tally("reduce", "--file", tmp_path / "missing.sh")
    assert (missing.exit_code, "missing.sh" in missing.error) == (1, True)


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--file", "x.sh", "--shell", "ls"),
        ("--file", "x.sh", "--database", "prod"),
        ("--shell", "ls", "--sql", "SELECT 1"),
        ("--sql", "SELECT 1"),
    ],
)
def test_anything_but_one_form_is_a_wrong_command_line(tally, words):
    assert tally("reduce", *words).exit_code == 2


def test_secrets_and_control_characters_of_an_operation_are_not_printed(tally):
    done = tally("reduce", "--shell", "printf x > '\x1b[2J'")
    assert "\x1b" not in done.stdout
    done = tally("reduce", "--shell", "frob --token=abcdefgh1234 | sh -c 'x password=abcdefgh1234 | while'")
    assert "abcdefgh1234" not in done.stdout
