from pathlib import Path

import pytest

from decisions.operation import MAX_PAYLOAD_BYTES
from ledger import canon
from tools import operations


def test_each_form_says_what_it_was_given():
    assert operations.shell("ls", "/srv").content == {"form": "shell", "payload": {"command": "ls", "cwd": "/srv"}}
    assert operations.shell("ls", None).payload["cwd"] == str(Path.cwd())
    assert operations.sql("SELECT 1", "prod", None).payload == {"sql": "SELECT 1", "database": "prod"}
    assert operations.sql("SELECT 1", "prod", "postgres").payload["dialect"] == "postgres"
    assert operations.typed("run", "program:git", "exec").payload["kind"] == "exec"
    assert operations.conversation("advise", "p-7", "care").payload["domain"] == "care"


@pytest.mark.parametrize("text", ["\ud800", "x" * (MAX_PAYLOAD_BYTES + 1)])
def test_what_can_not_be_recorded_is_unreadable(text):
    assert operations.shell(text, "/srv").form == "unreadable"


def test_an_unreadable_operation_stays_what_it_is():
    one = operations.tool_call(b"{")
    assert operations.completed(one, domain="care", claims={"a": True}) == one


def test_claims_join_those_of_the_payload():
    one = operations.tool_call(b'{"tool_name":"Read","attributes":{"a":1,"b":2}}')
    assert operations.completed(one, claims={"b": 3}).claims == {"a": 1, "b": 3}


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("a=true", ("a", True)),
        ("a=false", ("a", False)),
        ("a=42", ("a", 42)),
        ("a=-1", ("a", "-1")),
        ("a=99999999999999999999", ("a", "99999999999999999999")),
        ("a=b=c", ("a", "b=c")),
        ("a=", ("a", "")),
    ],
)
def test_a_claim_is_a_flag_a_number_or_a_text(text, claim):
    assert operations.claim(text) == claim


@pytest.mark.parametrize("text", ["", "a", "=b", "\u00e4=b"])
def test_what_is_no_claim_is_refused(text):
    with pytest.raises(ValueError, match="name=value"):
        operations.claim(text)


def test_an_operand_is_named_by_where_it_lies_and_hashed(tmp_path):
    (tmp_path / "real").write_text("one")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert operations.pin(tmp_path / "link") == operations.pin(tmp_path / "real")
    before = operations.pin(tmp_path / "real")
    (tmp_path / "real").write_text("two")
    assert operations.pin(tmp_path / "real")[1] != before[1]
    assert before[0] == f"file://{tmp_path}/real"


def test_an_operand_that_is_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(operations, "MAX_OPERAND_BYTES", 3)
    (tmp_path / "a").write_text("1234")
    with pytest.raises(OSError, match="more than 3 bytes"):
        operations.pin(tmp_path / "a")


def test_a_link_and_a_link_above_are_followed(tmp_path):
    """Policy case B05."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert operations.follow_links(f"file://{tmp_path}/link/not-there") == f"file://{tmp_path}/real/not-there"
    assert operations.follow_links(f"file://{tmp_path}/real/not-there") is None
    assert operations.follow_links("db://prod/users/42") is None


def test_where_a_link_leads_to_no_name_the_directory_around_it_speaks(tmp_path):
    (tmp_path / "r\u202eal").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "r\u202eal")
    assert operations.follow_links(f"file://{tmp_path}/link/passwd") == f"file://{tmp_path}"


@pytest.mark.parametrize(
    "more", [{"domain": "\udcff"}, {"claims": {"stated_purpose": "\udcff"}}, {"claims": {"\u00e9": 1}}]
)
def test_what_can_not_be_recorded_beside_the_payload_makes_the_whole_unreadable(more):
    """The refusal is recorded: words of the command line are bytes of any kind."""
    made = operations.completed(operations.shell("ls", "/srv"), **more)
    assert made.form == "unreadable"
    canon.encode(made.content)


def test_a_user_that_the_system_does_not_know_has_no_home():
    assert operations.home_of(2**31 - 7) is None
    assert operations.home_of(2**70) is None
    assert operations.home_of(0) == "/root"
