"""`tally receipt` and `tally-verify receipt`, end to end."""

import json
from dataclasses import replace

import click.testing
import pytest

from ledger.tlog_proof import TlogProof
from verify.cli import cli, run


def offline(*words):
    done = click.testing.CliRunner().invoke(cli, ["receipt", *map(str, words)], standalone_mode=False)
    return done.return_value, done.stdout


@pytest.fixture
def event(tally, ledger, tmp_path):
    """The exact bytes of event 1, in a file."""
    (tmp_path / "event").write_text(tally("log", "show", 1, "--bytes").stdout)
    return tmp_path / "event"


@pytest.mark.parametrize("form", ["tlog-proof", "cose"])
def test_a_receipt_verifies_with_the_policy_alone(tally, ledger, event, tmp_path, form):
    done = tally("receipt", 1, "--form", form, "-o", tmp_path / "r", "--json")
    assert (done.exit_code, done.object["event"], done.object["form"]) == (0, 1, form)
    code, said = offline(tmp_path / "r", "--event", event, "--policy", ledger / "policy")
    assert (code, "FAIL" in said) == (0, False)
    assert said.endswith("VERIFIED.\n")


def test_a_tlog_proof_brings_its_event_along(tally, ledger, tmp_path):
    tally("receipt", 1, "-o", tmp_path / "r")
    code, said = offline(tmp_path / "r", "--policy", ledger / "policy", "--json")
    told = json.loads(said)
    assert (code, told["verified"], told["checks"][1]["why"]) == (0, True, "event 1, 'constitution.adopted'")


def test_a_cose_receipt_asks_for_the_event(tally, ledger, tmp_path, capsys):
    tally("receipt", 1, "--form", "cose", "-o", tmp_path / "r")
    assert run(["receipt", str(tmp_path / "r"), "--policy", str(ledger / "policy")]) == 2
    said = capsys.readouterr().err
    assert "give its exact bytes with --event FILE (tally log show 1 --bytes" in said
    assert "Do not rely" not in said


def test_a_tlog_proof_without_its_event_asks_for_it(tally, ledger, event, tmp_path, capsys):
    tally("receipt", 1, "-o", tmp_path / "r")
    bare = replace(TlogProof.parse((tmp_path / "r").read_bytes()), extra=None)
    (tmp_path / "bare").write_bytes(bare.to_bytes())
    words = ["receipt", str(tmp_path / "bare"), "--policy", str(ledger / "policy"), "--json"]
    assert run(words) == 2
    told = json.loads(capsys.readouterr().out)
    assert (told["code"], told["verified"]) == ("usage", False)
    assert "tally log show 1 --bytes" in told["error"]
    assert run([*words, "--event", str(event)]) == 0


@pytest.mark.parametrize("form", ["tlog-proof", "cose"])
def test_another_event_another_log_and_changed_bytes_fail(tally, ledger, event, tmp_path, form):
    from ledger.note import NoteSigner
    from tools.keys import new_key

    tally("receipt", 1, "--form", form, "-o", tmp_path / "r")
    tally("receipt", 0, "--form", form, "-o", tmp_path / "r0")
    (tmp_path / "changed").write_bytes(event.read_bytes().replace(b'"seq":1', b'"seq":2'))
    foreign = NoteSigner("example.com/other", new_key(tmp_path / "k")).verifier_key
    (tmp_path / "policy").write_text(f"log {foreign.text()}\nquorum none\n")
    own = ledger / "policy"
    assert offline(tmp_path / "r0", "--event", event, "--policy", own)[0] == 3
    assert offline(tmp_path / "r", "--event", tmp_path / "changed", "--policy", own)[0] == 3
    assert offline(tmp_path / "r", "--event", event, "--policy", tmp_path / "policy")[0] == 3
    whole = (tmp_path / "r").read_bytes()
    for at in range(0, len(whole), 37):
        (tmp_path / "flipped").write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        code, said = offline(tmp_path / "flipped", "--event", event, "--policy", own)
        # The extra data of a tlog-proof is a copy of the event that was given: nobody relies on it here.
        assert code == 3 or b"extra " in whole[:at], said


def test_strict_asks_for_witnesses(tally, ledger, tmp_path):
    tally("receipt", 1, "-o", tmp_path / "r")
    assert offline(tmp_path / "r", "--policy", ledger / "policy", "--strict")[0] == 6


def test_there_is_no_receipt_of_an_event_that_is_not_there(tally, ledger, tmp_path):
    done = tally("receipt", 99, "-o", tmp_path / "r")
    assert done.exit_code == 1
    assert "there is no event 99" in done.error
    assert not (tmp_path / "r").exists()


def test_a_file_that_is_there_is_left_as_it_is(tally, ledger, tmp_path):
    (tmp_path / "r").write_text("mine")
    assert tally("receipt", 1, "-o", tmp_path / "r").exit_code == 1
    assert (tmp_path / "r").read_text() == "mine"


def test_the_receipt_goes_to_standard_output_where_asked(tally, ledger):
    assert tally("receipt", 1, "-o", "-").stdout.startswith("c2sp.org/tlog-proof@v1\nextra ")
