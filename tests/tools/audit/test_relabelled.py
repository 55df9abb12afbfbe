"""An audit of a database, and the check of an export, find a relabel that says of itself what it does not do."""

import click.testing
import pytest

from grants import acts
from grants.events import Relabelling
from grants.issue import append_checked
from grants.signer import FileSigner
from tools.home import Home
from tools.ledger import open_ledger
from verify.cli import cli

LOOSER = {"environment": "dev", "asset": "scratch", "sensitivity": "public", "reversibility": "reversible"}
LOOSER |= {"about_people": False, "purpose": None}


@pytest.fixture
def mislabelled(desk):
    """A desk in whose log somebody relabelled past the door that judges it."""
    said = Relabelling(direction="tightening", opened=0, closed=9, resources=0, constitution=None)
    ledger = open_ledger(Home(desk.ledger))
    try:
        prepared = ledger.log.read(
            lambda look: acts.reclassify(
                look, by="human:ada", resource="db://prod/users/**", attributes=LOOSER, relabels=said
            )
        )
        draft = prepared.sign(FileSigner.load(desk.key("human-ada"), lambda: b""))
        ledger.log.transact(lambda tx: append_checked(tx, draft))
    finally:
        ledger.close()
    return desk


def test_the_audit_names_it(mislabelled):
    done = mislabelled.run("audit")
    assert done.exit_code == 3
    assert "it is signed as tightening, and by the rules of its time it is" in done.stdout


def test_the_check_of_an_export_names_it(mislabelled, tmp_path):
    assert mislabelled.run("checkpoint").exit_code == 0
    done = mislabelled.run("export", tmp_path / "out")
    assert done.exit_code == 0, done.stderr
    folder, policy = tmp_path / "out", mislabelled.ledger / "policy"
    words = ["log", str(folder), "--policy", str(policy), "--signers", str(mislabelled.ledger / "signers")]
    ran = click.testing.CliRunner().invoke(cli, words, standalone_mode=False)
    assert ran.return_value == 3, ran.output
    assert "by the rules of its time it is" in ran.output
