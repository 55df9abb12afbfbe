"""`tally stamp` against a real authority on this machine, and `tally-verify stamp` offline."""

import json
import subprocess
from datetime import UTC, datetime

import click.testing
import pytest

from tests.stamping import Authority
from verify.cli import cli


@pytest.fixture
def authority():
    return Authority()


@pytest.fixture
def roots(authority, tmp_path):
    (tmp_path / "roots.pem").write_bytes(authority.roots)
    return tmp_path / "roots.pem"


def offline(*words):
    done = click.testing.CliRunner().invoke(cli, ["stamp", *map(str, words)], standalone_mode=False)
    return done.return_value, done.stdout


@pytest.fixture
def stamped(tally, ledger, authority, roots, tmp_path):
    """The newest checkpoint, stamped; its files are `note` and `token`."""
    tally("checkpoint")
    with authority.served() as url:
        done = tally("stamp", "make", url, "--roots", roots, "--json")
    assert done.exit_code == 0, done.stderr
    size = done.object["size"]
    (tmp_path / "note").write_text(tally("checkpoint", "show").stdout)
    assert tally("stamp", "show", size, "-o", tmp_path / "token").exit_code == 0
    return done.object


def test_a_stamp_is_kept_listed_and_verified_offline(tally, ledger, stamped, roots, tmp_path):
    assert [one["size"] for one in tally("stamp", "list", "--json").objects] == [stamped["size"]]
    words = ("--checkpoint", tmp_path / "note", "--policy", ledger / "policy", "--roots", roots)
    code, said = offline(tmp_path / "token", *words, "--json")
    told = json.loads(said)
    assert (code, told["verified"], told["at"]) == (0, True, stamped["at"])


def test_the_guide_of_the_specification_works_without_tallystick(ledger, stamped, roots, tmp_path):
    text = (tmp_path / "note").read_text().partition("\n\n")[0] + "\n"
    from verify.stamp import check_stamp, read_roots

    assert check_stamp((tmp_path / "token").read_bytes(), text, read_roots(roots.read_bytes())).at == stamped["at"]


def test_another_checkpoint_and_other_roots_fail(tally, ledger, stamped, roots, tmp_path):
    (tmp_path / "other.pem").write_bytes(Authority().roots)
    tally("principal", "add", "agent:a", "--name", "a", "--owner", "human:owner", "--yes")
    (tmp_path / "later").write_text(tally("checkpoint").stdout)
    policy = ("--policy", ledger / "policy")
    for note, pem in (("later", roots), ("note", tmp_path / "other.pem")):
        code, said = offline(tmp_path / "token", "--checkpoint", tmp_path / note, *policy, "--roots", pem)
        assert (code, "FAIL" in said) == (3, True)


def test_a_second_stamp_of_one_authority_is_refused_and_the_first_stands(tally, ledger, authority, roots, stamped):
    with authority.served() as url:
        tally("stamp", "make", url, "--roots", roots)
        done = tally("stamp", "make", url, "--roots", roots)
    assert done.exit_code == 1
    assert "the first one stands" in done.error


@pytest.mark.parametrize(("flaw", "code"), [({"status": 2}, 1), ({"forget_nonce": True}, 1)])
def test_what_the_authority_must_not_answer_is_not_kept(tally, ledger, tmp_path, flaw, code):
    authority = Authority(**flaw)
    (tmp_path / "roots.pem").write_bytes(authority.roots)
    tally("checkpoint")
    with authority.served() as url:
        done = tally("stamp", "make", url, "--roots", tmp_path / "roots.pem")
    assert (done.exit_code, bool(done.error)) == (code, True)
    assert tally("stamp", "list", "--json").objects == []


def test_a_stamp_older_than_what_it_stamps_is_not_kept(tally, ledger, tmp_path):
    authority = Authority(datetime(2026, 1, 1, tzinfo=UTC))
    (tmp_path / "early.pem").write_bytes(authority.roots)
    tally("checkpoint")
    with authority.served() as url:
        done = tally("stamp", "make", url, "--roots", tmp_path / "early.pem")
    assert (done.exit_code, "the log's clock or the authority's was wrong" in done.error) == (1, True)
    assert tally("stamp", "list", "--json").objects == []


def test_nobody_answers_and_no_address_are_told_in_one_line(tally, ledger, roots):
    tally("checkpoint")
    for url in ("http://127.0.0.1:9/stamp", "file:///etc/passwd", "nowhere", "http://[::1"):
        done = tally("stamp", "make", url, "--roots", roots)
        assert (done.exit_code, bool(done.error)) == (1, True)


def test_a_stamp_of_a_checkpoint_that_was_not_signed_is_refused(tally, ledger, roots):
    assert "no checkpoint of 99 events" in tally("stamp", "make", "http://x.test", "--roots", roots, "--size", 99).error


def test_openssl_agrees_where_it_is_installed(ledger, stamped, roots, tmp_path):
    from shutil import which

    text = (tmp_path / "note").read_text().partition("\n\n")[0] + "\n"
    (tmp_path / "text").write_text(text)
    program = which("openssl")
    if program is None:
        pytest.skip("NOT-RUN: openssl is not installed")
    words = ["ts", "-verify", "-in", tmp_path / "token", "-data", tmp_path / "text", "-CAfile", roots]
    assert subprocess.run([program, *words], capture_output=True, check=False).returncode == 0
