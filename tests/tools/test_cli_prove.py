import json
import shlex

import click.testing
import pytest

from verify.cli import cli

ROW = ("--sql", "DELETE FROM users WHERE id = 42", "--database", "prod")


@pytest.fixture
def allowed(desk):
    """The number of a decision that a consent allowed."""
    held = desk.decide("r1", *ROW).object["request"]
    desk.sign("grant", "issue", held, "--for", "2h", "--reason", "ticket 9")
    return desk.decide("r2", *ROW).object["decision"]


def offline(line):
    """Run the command line that was printed, with the auditor's program."""
    program, *words = shlex.split(line)
    assert program == "tally-verify"
    return click.testing.CliRunner().invoke(cli, [*words, "--json"], standalone_mode=False)


def test_the_command_line_that_is_printed_verifies_the_bundle(desk, allowed, tmp_path):
    file = tmp_path / "case.bundle"
    done = desk.run("prove", allowed, "-o", file, "--disclose", "/args", "--json")
    assert (done.exit_code, done.object["verified"], done.object["decision"]) == (0, True, allowed)
    checked = offline(done.object["verify"])
    report = json.loads(checked.stdout)
    assert report["verified"] is True
    assert report["decision"] == allowed
    assert done.object["verify"] in done.stderr


def test_fields_stay_closed_unless_they_are_disclosed(desk, allowed, tmp_path):
    secret = ("DELETE FROM users", "ticket 9")
    closed, some, everything = (tmp_path / name for name in ("closed", "some", "everything"))
    desk.run("prove", allowed, "-o", closed)
    desk.run("prove", allowed, "-o", some, "--disclose", "/args")
    desk.run("prove", allowed, "-o", everything, "--disclose-all")
    told = [tuple(text in path.read_text() for text in secret) for path in (closed, some, everything)]
    assert told == [(False, False), (True, False), (True, True)]


def test_one_field_of_one_event_can_be_disclosed(desk, allowed, tmp_path):
    desk.run("prove", allowed, "-o", tmp_path / "one", "--disclose", f"{allowed}:/args")
    opened = json.loads((tmp_path / "one").read_text())["disclosures"]
    assert [(one["seq"], one["path"]) for one in opened] == [(allowed, "/args")]


def test_a_consumption_leads_to_its_decision(desk, allowed, tmp_path):
    done = desk.run("prove", allowed + 1, "-o", tmp_path / "b", "--json")
    assert done.object["decision"] == allowed


def test_a_checkpoint_is_signed_only_where_the_latest_does_not_cover_it(desk, allowed, tmp_path):
    first = desk.run("prove", allowed, "-o", tmp_path / "a", "--json").object["checkpoint_size"]
    desk.decide("r3", *ROW)
    assert desk.run("prove", allowed, "-o", tmp_path / "b", "--json").object["checkpoint_size"] == first
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_bundle_can_go_to_stdout(desk, allowed):
    done = desk.run("prove", allowed, "-o", "-")
    assert json.loads(done.stdout)["decision"] == allowed


def test_no_file_is_overwritten(desk, allowed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert desk.run("prove", allowed).exit_code == 0
    before = (tmp_path / f"decision-{allowed}.bundle").read_bytes()
    again = desk.run("prove", allowed, "--disclose-all")
    assert again.exit_code == 1
    assert "-o" in again.error
    assert (tmp_path / f"decision-{allowed}.bundle").read_bytes() == before


@pytest.mark.parametrize(("event", "about"), [(999_999, "no event"), (0, "ledger.opened"), (3, "resource")])
def test_what_is_no_decision_is_refused_in_one_line(desk, event, about, tmp_path):
    done = desk.run("prove", event, "-o", tmp_path / "b")
    assert done.exit_code == 1
    assert "a bundle proves a decision" in done.error or about in done.error
    assert not (tmp_path / "b").exists()


def test_a_pointer_is_a_pointer(desk, allowed):
    assert desk.run("prove", allowed, "--disclose", "args").exit_code == 2


def test_what_does_not_hold_is_not_handed_out(desk, allowed, tmp_path):
    (desk.ledger / "signers").write_text(
        "human:ada ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB26sjHeZaQCFW91lBuFxkaEDH+jLwPcjSONhXi1jQJD\n"
    )
    done = desk.run("prove", allowed, "-o", tmp_path / "b")
    assert done.exit_code == 3
    assert "first human" in done.error
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("path", ["/nope", "/arg", "0:/args", "999:/reason"])
def test_a_field_that_is_not_there_is_named_with_those_that_are(desk, allowed, tmp_path, path):
    done = desk.run("prove", allowed, "-o", tmp_path / "case", "--disclose", "/args", "--disclose", path)
    assert done.exit_code == 1
    assert f"no field {path} that could be opened" in done.error
    assert f"{allowed}:/args" in done.error
    assert not (tmp_path / "case").exists()
