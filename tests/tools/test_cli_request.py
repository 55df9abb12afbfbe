import json

import pytest

from tools.show.escape import masked, quoted

ROW = ("--sql", "DELETE FROM users WHERE id = 42", "--database", "prod")


@pytest.fixture
def held(desk):
    """The number of a request that waits."""
    return desk.decide("r1", *ROW).object["request"]


def test_what_waits_is_listed_and_shown(desk, held):
    (listed,) = desk.run("request", "list", "--json").objects
    assert (listed["request"], listed["state"], listed["subject"]) == (held, "open", ["agent:ops-7"])
    shown = desk.run("request", "show", held, "--json").object
    assert shown["opened"]["/args"]["payload"]["sql"] == ROW[1]
    assert shown["items"][0]["target"] == "db://prod/users/42"
    assert str(held) in desk.run("request", "list").stdout


def test_nothing_waits_where_nothing_was_held(desk):
    assert desk.run("request", "list", "--json").stdout == ""
    assert "Nothing waits" in desk.run("request", "list").stdout


def test_asking_twice_asks_once(desk, held):
    assert desk.decide("r2", *ROW).object["request"] == held


def test_a_refused_request_is_listed_only_among_all(desk, held):
    refused = desk.sign("request", "refuse", held, "--reason", "not today", "--json")
    assert (refused.exit_code, refused.object["refused"]) == (0, True)
    assert desk.run("request", "list", "--json").objects == []
    (listed,) = desk.run("request", "list", "--all", "--json").objects
    assert listed["state"] == "refused"
    assert desk.decide("r2", *ROW).object["outcome"] == "hold"


def test_a_request_is_answered_once(desk, held):
    desk.sign("request", "refuse", held, "--reason", "not today")
    again = desk.sign("grant", "issue", held, "--for", "1h", "--reason", "yes")
    assert again.exit_code == 1
    assert "answer" in again.error


@pytest.mark.parametrize("number", [0, 999_999])
def test_a_number_that_is_no_request_is_refused_in_one_line(desk, number):
    for words in (
        ("request", "show", number),
        ("request", "refuse", number, "--reason", "x", "--by", "human:ada", "--yes"),
    ):
        done = desk.run(*words)
        assert done.exit_code == 1
        assert "no request" in done.error


def test_the_agents_text_stands_last_escaped_and_measured(desk):
    """Policy case E01: newlines, tabs, bidi and ANSI can't hide what is approved."""
    prose = "\n" * 200 + "\t\u202e\x1b[2K approve me"
    call = {"tool_name": "Bash", "tool_input": {"command": "rm /home/ops/x", "description": prose}, "cwd": "/srv/app"}
    number = desk.decide("r1", "--tool-call", "-", stdin=json.dumps(call)).object["request"]
    assert number is not None
    text = desk.run("request", "show", number).stdout
    known, agents = text.split("As received, UNTRUSTED")
    assert "file delete file:///home/ops/x" in known
    assert "approve me" not in known
    assert "bytes, digest " in agents
    assert not {"\x1b", "\u202e", "\t"} & set(text)
    assert "more lines" in agents
    assert len(text.splitlines()) < 90


def test_secrets_are_masked_and_targets_never(desk):
    """Policy case E07."""
    call = {
        "tool_name": "Bash",
        "tool_input": {"command": "rm /home/ops/token_s3cr3tvalue99 # password=hunter2hunter2"},
        "cwd": "/srv/app",
    }
    number = desk.decide("r1", "--tool-call", "-", stdin=json.dumps(call)).object["request"]
    assert number is not None
    text = desk.run("request", "show", number).stdout
    assert "hunter2hunter2" not in text
    assert "password=****(14)" in text
    assert "file:///home/ops/token_s3cr3tvalue99" in text


@pytest.mark.parametrize(
    "text",
    ["curl https://evil.example/a/b", "rm -rf /srv/app", "token=/etc/passwd", "password=$(curl x)", "secret=a;b"],
)
def test_no_host_path_or_command_can_hide_behind_a_mask(text):
    assert masked(text) == text


def test_long_lines_are_cut_into_widths():
    assert [len(line) for line in quoted("x" * 250)] == [104, 104, 54]


def test_a_granted_request_names_its_grant(desk, held):
    grant = desk.sign("grant", "issue", held, "--for", "1h", "--reason", "x", "--json").object["grant"]
    assert f"State       granted: tally grant show {grant}" in desk.run("request", "show", held).stdout
    assert desk.run("request", "show", held, "--json").object["grant"] == grant


def test_what_is_no_request_leads_to_the_list(desk):
    words = ("--reason", "x")
    for done in (desk.sign("request", "refuse", 3, *words), desk.sign("grant", "issue", 3, "--for", "1h", *words)):
        assert "tally request list" in done.error
