"""One path through everything, by the commands that people type: begin, register, ask, consent, prove, replay."""

import json
import os
import shlex

import click.testing
import pytest

from grants.signer import generate
from tools.cli.app import root
from verify.cli import cli

ROW = ("--sql", "DELETE FROM users WHERE id = 42", "--database", "prod")
FACTS = {
    "file:///srv/app/tests/**": (
        "environment=test",
        "asset=test_fixture",
        "reversibility=recoverable",
        "sensitivity=internal",
        "about_people=false",
    ),
    "db://prod/users/**": (
        "environment=prod",
        "asset=business_record",
        "reversibility=irreversible",
        "sensitivity=restricted",
        "about_people=true",
        "purpose=support",
    ),
    "person:reader-31": ("asset=person",),
}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run one of our programs, with nothing of this machine's keys."""
    environment = {
        "HOME": str(tmp_path),
        "TALLY_LEDGER": str(tmp_path / "ledger"),
        "TALLY_KEY": str(tmp_path / "ada"),
    }
    monkeypatch.chdir(tmp_path)
    programs = {"tally": root, "tally-verify": cli}

    def started(*words, code=0):
        program, *rest = (str(word) for word in words)
        options = {} if program == "tally" else {"standalone_mode": False}
        done = click.testing.CliRunner().invoke(programs[program], rest, env=environment, **options)
        assert (done.return_value if options else done.exit_code) == code, done.stdout + done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()] if "--json" in rest else done.stdout

    return started


@pytest.mark.parametrize("kept", ["sqlite", "postgresql"])
def test_from_an_empty_directory_to_a_verified_verdict(run, tmp_path, request, kept):
    signed = ("--by", "human:ada", "--yes")
    database = () if kept == "sqlite" else ("--database", request.getfixturevalue("postgres").address())
    first = ("--human", "human:ada", "--name", "Ada L.", "--new-key", tmp_path / "ada", "--no-uid", "--yes")
    run("tally", "init", *first, *database)
    for agent in ("agent:ops-7", "agent:companion"):
        run("tally", "principal", "add", agent, "--owner", "human:ada", *signed)
    speaks = ("--speaks-for", "agent:ops-7", "--speaks-for", "agent:companion")
    gateway = ("service:gateway", "--owner", "human:ada", "--uid", str(os.getuid()))
    run("tally", "principal", "add", *gateway, *speaks, *signed)
    for reference, facts in FACTS.items():
        run("tally", "resource", "add", reference, *(word for fact in facts for word in ("--set", fact)), *signed)

    def decide(request, *words, code):
        (answer,) = run("tally", "decide", "--as", "agent:ops-7", "--request", request, *words, "--json", code=code)
        return answer

    assert decide("r1", "--shell", "rm tests/a.json", "--cwd", "/srv/app", code=0)["rules"] == ["VI.disposable"]
    assert decide("r2", "--sql", "DELETE FROM users", "--database", "prod", code=4)["reason"] == "FORBIDDEN"
    held = decide("r3", *ROW, code=5)
    run("tally", "grant", "issue", held["request"], "--for", "2h", "--reason", "ticket 9", *signed)
    allowed = decide("r4", *ROW, code=0)
    assert decide("r5", *ROW, code=5)["reason"] == "CONSENT_CONSUMED"
    assert decide("r4", *ROW, code=0)["repeated"] is True

    generate(tmp_path / "sensor", "the desk's sensor")
    sensor = ("sensor:desk", "--owner", "human:ada", "--public-key", tmp_path / "sensor.pub")
    run("tally", "principal", "add", *sensor, *signed)
    between = ("--system", "agent:companion", "--counterpart", "person:reader-31", "--domain", "library")
    seen = ("--as", "sensor:desk", "--key", tmp_path / "sensor", *between, "--interaction", "i1", "--c-inst", "0.88")
    run("tally", "trust", "observe", *seen, "--qualifying")
    speak = ("--as", "agent:companion", "--person", "reader-31", "--session-domain", "library", "--json")
    run("tally", "decide", "--request", "c1", "--say", "referral", *speak, code=0)
    run("tally", "decide", "--request", "c2", "--say", "befriend", *speak, code=4)

    words = ("-o", tmp_path / "case.bundle", "--disclose", "/args", "--json")
    (proof,) = run("tally", "prove", allowed["decision"], *words)
    (report,) = run(*shlex.split(proof["verify"]), "--json")
    assert (report["verified"], report["decision"]) == (True, allowed["decision"])
    bundle = (tmp_path / "case.bundle").read_bytes()
    (tmp_path / "case.bundle").write_bytes(bundle.replace(b"db://prod/users/42", b"db://prod/users/43", 1))
    (report,) = run(*shlex.split(proof["verify"]), "--json", code=3)
    assert report["verified"] is False

    (replayed,) = run("tally", "replay", "--json")
    assert (replayed["same"], replayed["changed"]) == (replayed["decisions"], 0)
    (rebuilt,) = run("tally", "rebuild", "--json")
    assert rebuilt["same"] is True
    (audited,) = run("tally", "audit", "--json")
    assert audited["ok"] is True
    (checked,) = run("tally", "db", "check", "--json")
    assert checked["ok"] is True
