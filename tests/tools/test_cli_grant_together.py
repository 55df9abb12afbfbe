"""`tally grant ratify --to` and `tally grant sign`: several humans, one text, each at their own terminal."""

import json
from dataclasses import replace

import click.testing
import pytest

from decisions.constitution import DEFAULT_TEXT
from decisions.law import law_in_force
from grants import acts
from grants.issue import append_checked
from grants.signer import FileSigner, generate
from grants.standing import StandingTerms
from tools.home import Home
from tools.ledger import open_ledger
from verify.cli import cli

TARGET = "db://shop/orders/7"
WORK = ("--subject", "agent:ops-7", "--kind", "data", "--verb", "update", "--targets", "db://shop/orders/**")
GRANT = (*WORK, "--when", 'environment == "staging"', "--reason", "daily work")
FACTS = ("environment=staging", "sensitivity=internal", "asset=business_record", "reversibility=recoverable")


def asking(humans):
    return DEFAULT_TEXT.replace("[kinds]", f"[amending]\nquorum = 2\nhumans = {humans}\n\n[kinds]", 1)


@pytest.fixture
def crowd(desk):
    """The desk, with two more humans, orders in staging, and a constitution that asks for two."""
    for name in ("bo", "cy"):
        generate(desk.key(name), name)
        public = desk.key(name).with_suffix(".pub")
        done(desk.sign("principal", "add", f"human:{name}", "--name", name, "--public-key", public))
    words = [word for fact in FACTS for word in ("--set", fact)]
    done(
        desk.sign(
            "resource", "add", "db://shop/orders/**", *words, "--set", "about_people=false", "--absent", "purpose"
        )
    )
    amend(desk, 2)
    return desk


def amend(desk, humans, *voters):
    file = desk.folder / "asking.toml"
    file.write_text(asking(humans))
    number = done(desk.sign("amendment", "propose", file, "--reason", "more eyes", "--json")).object["event"]
    for voter in voters:
        done(by(desk, voter, "amendment", "vote", number))
    done(desk.sign("amendment", "adopt", number))


def by(desk, name, *words, **more):
    return desk.run(*words, "--by", f"human:{name}", "--key", desk.key(name), "--yes", **more)


def done(ran, code=0):
    assert ran.exit_code == code, ran.stderr
    return ran


def begun(desk, name="bo"):
    file = desk.folder / "orders.grant"
    return file, done(by(desk, name, "grant", "ratify", *GRANT, "--to", file, "--json")).object


def allowed(desk, request):
    return desk.decide(request, "--verb", "update", "--target", TARGET).object["outcome"] == "allow"


def test_the_last_signature_puts_it_in_force(crowd):
    size = crowd.size()
    file, first = begun(crowd)
    assert (first["signed"], first["missing"]) == (["human:bo"], 1)
    assert (crowd.size(), allowed(crowd, "r1"), file.stat().st_mode & 0o777) == (size, False, 0o600)
    second = done(by(crowd, "cy", "grant", "sign", file, "--json"))
    assert "signed so far by human:bo; 2 must" in second.stderr
    assert "daily work" in second.stderr
    assert "humans: 2" in second.stderr
    assert second.object["grant"] == first["grant"]
    assert allowed(crowd, "r2")
    (listed,) = crowd.run("grant", "list", "--json").objects
    assert listed["life"] == "live"
    told = crowd.run("grant", "show", first["grant"]).stdout
    assert "ratified by human:bo: daily work" in told
    assert "Signed too  human:cy, with SHA256:" in told
    assert crowd.run("audit").exit_code == 0


def test_three_sign_one_after_the_other(crowd):
    generate(crowd.key("di"), "di")
    done(crowd.sign("principal", "add", "human:di", "--name", "d", "--public-key", crowd.key("di").with_suffix(".pub")))
    amend(crowd, 3, "bo")
    file, _ = begun(crowd)
    waiting = done(by(crowd, "cy", "grant", "sign", file, "--json")).object
    assert (waiting["signed"], waiting["missing"]) == (["human:bo", "human:cy"], 1)
    done(by(crowd, "di", "grant", "sign", file))
    assert allowed(crowd, "r1")


@pytest.mark.parametrize(
    ("name", "why"),
    [("bo", "human:bo has signed it already"), ("human-ada", "human:ada controls agent:ops-7")],
)
def test_who_may_not_sign_too_is_told_before_anything_happens(crowd, name, why):
    file, _ = begun(crowd)
    before, size = file.read_bytes(), crowd.size()
    words = ("--by", f"human:{name.removeprefix('human-')}", "--key", crowd.key(name), "--yes")
    refused = crowd.run("grant", "sign", file, *words)
    assert (refused.exit_code, file.read_bytes(), crowd.size()) == (1, before, size)
    assert why in refused.error


def test_where_it_goes_is_said_before_anybody_signs(crowd):
    alone = by(crowd, "bo", "grant", "ratify", *GRANT)
    assert alone.exit_code == 1
    assert "asks for the signatures of 2 humans: say with --to" in alone.error
    file, _ = begun(crowd)
    again = by(crowd, "bo", "grant", "ratify", *GRANT, "--to", file)
    assert (again.exit_code, "is there already" in again.error) == (1, True)


def test_one_human_needs_no_file(desk, tmp_path):
    ran = desk.sign("grant", "ratify", *GRANT, "--to", tmp_path / "x")
    assert (ran.exit_code, "run it without --to" in ran.error) == (1, True)
    assert not (tmp_path / "x").exists()


def test_what_was_changed_on_its_way_is_refused(crowd):
    file, _ = begun(crowd)
    value = json.loads(file.read_text())

    def sign(**change):
        text = json.dumps({**value, **change}, sort_keys=True, separators=(",", ":"))
        file.write_text(text + "\n")
        return by(crowd, "cy", "grant", "sign", file)

    wider = sign(fields={**value["fields"], "targets": "db://shop/**"})
    assert (wider.exit_code, "has not signed this text" in wider.error) == (1, True)
    for change in (
        {"reason": {**value["reason"], "value": "harmless"}},
        {"signatures": []},
        {"v": 2},
        {"format": "tallystick-bundle"},
        {"fields": {**value["fields"], "humans": 1}},
        {"fields": {**value["fields"], "cosigned": []}},
        {"fields": []},
        {"more": 1},
    ):
        refused = sign(**change)
        assert (refused.exit_code, "this is no ratification" in refused.error) == (1, True), change
    assert not allowed(crowd, "r1")


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b"[]\n", b'{"a":1.5}'])
def test_what_is_no_such_file_is_said_to_be_none(crowd, content, tmp_path):
    (tmp_path / "x").write_bytes(content)
    ran = by(crowd, "cy", "grant", "sign", tmp_path / "x")
    assert (ran.exit_code, "this is no ratification" in ran.error) == (1, True)


def test_it_is_appended_once(crowd):
    file, _ = begun(crowd)
    done(by(crowd, "cy", "grant", "sign", file))
    again = by(crowd, "cy", "grant", "sign", file)
    assert (again.exit_code, "is on record already" in again.error) == (1, True)


def test_a_text_from_before_another_constitution_is_stale(crowd):
    file, _ = begun(crowd)
    amend(crowd, 3, "bo")
    late = by(crowd, "cy", "grant", "sign", file)
    assert (late.exit_code, "stale: the signers saw" in late.error) == (1, True)


def test_a_grant_that_more_must_have_signed_by_now_is_listed_as_short(desk):
    done(desk.sign("grant", "ratify", *GRANT))
    amend(desk, 2)
    assert desk.run("grant", "list", "--json").objects == []
    (listed,) = desk.run("grant", "list", "--all", "--json").objects
    assert listed["life"] == "short"


@pytest.fixture
def forged(crowd):
    """The same with a grant of one human, appended past the door that counts."""
    ledger = open_ledger(Home(crowd.ledger))
    terms = StandingTerms("agent:ops-7", ("data",), ("update",), "db://shop/orders/**", 'environment == "staging"')
    try:
        text = ledger.log.read(lambda look: law_in_force(look, ledger.registry)).vocabulary
        one = ledger.log.read(
            lambda look: acts.ratify_grant(look, replace(text, humans=1), by="human:bo", terms=terms, reason="x")
        )
        draft = one.sign(FileSigner.load(crowd.key("bo"), lambda: b""))
        ledger.log.transact(lambda tx: append_checked(tx, draft))
    finally:
        ledger.close()
    return crowd


def test_the_audit_and_the_decision_point_know_one_with_too_few(forged):
    assert not allowed(forged, "r1")
    audited = forged.run("audit")
    assert audited.exit_code == 3
    assert "asks for the signatures of 2 humans, and it has 1" in audited.stdout


def test_the_check_of_an_export_names_it(forged, tmp_path):
    done(forged.run("checkpoint"))
    done(forged.run("export", tmp_path / "out"))
    words = ["log", str(tmp_path / "out"), "--policy", str(forged.ledger / "policy"), "--signers"]
    ran = click.testing.CliRunner().invoke(cli, [*words, str(forged.ledger / "signers")], standalone_mode=False)
    assert ran.return_value == 3, ran.output
    assert "asks for the signatures of 2 humans, and it has 1" in ran.output
