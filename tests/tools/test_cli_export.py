"""``tally export``: what it writes verifies, and what would not verify is not written."""

import shlex
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger.cosignature import CosignatureSigner, witness_id
from ledger.note import parse_note
from tools.copying import exporting
from tools.home import Home
from tools.ledger import open_ledger
from verify.cli import run as tally_verify


def verify(folder: Path, ledger: Path, *more: str) -> int:
    trusted = ["--policy", str(ledger / "policy"), "--signers", str(ledger / "signers")]
    return tally_verify(["log", str(folder), *trusted, *more])


def tampered(ledger, *statements):
    """Change rows as somebody does who owns the file."""
    connection = sqlite3.connect(ledger / "ledger.db")
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def test_export_of_a_played_ledger_verifies(desk, tmp_path, capsys):
    desk.decide("r-1", "--shell", "rm -rf build")
    done = desk.run("export", tmp_path / "out", "--json")
    assert done.exit_code == 0, done.stderr
    size = desk.size()
    told = done.object
    assert (told["size"], told["behind"]) == (size, 0)
    assert told["openings"] > 5
    assert verify(tmp_path / "out", desk.ledger) == 0
    out = capsys.readouterr().out
    assert f"Checked the export of {size} events" in out
    assert "not checked: witnesses." in out


def test_the_line_for_the_auditor_can_be_run(ledger, tally, tmp_path):
    done = tally("export", tmp_path / "out", "--json")
    words = shlex.split(done.object["verify"])
    assert words[0] == "tally-verify"
    assert tally_verify(words[1:]) == 0
    assert done.object["verify"] in done.stderr


def test_a_checkpoint_is_signed_where_the_newest_does_not_cover_the_log(ledger, tally, tmp_path):
    added = tally("principal", "add", "agent:a1", "--name", "x", "--owner", "human:owner", "--yes")
    assert added.exit_code == 0, added.stderr
    done = tally("export", tmp_path / "out", "--json")
    assert done.object["size"] == tally("log", "head", "--json").object["size"]
    assert done.object["checkpoints"] == 2


def test_export_ends_at_the_checkpoint_that_is_asked_for(ledger, tally, tmp_path):
    first = tally("log", "head", "--json").object["size"]
    tally("principal", "add", "agent:a1", "--name", "x", "--owner", "human:owner", "--yes")
    done = tally("export", tmp_path / "out", "--at", first, "--json")
    assert (done.object["size"], done.object["behind"]) == (first, 1)
    assert "One event after that checkpoint, not in it" in done.stderr
    assert verify(tmp_path / "out", ledger) == 0
    missing = tally("export", tmp_path / "other", "--at", first + 1)
    assert missing.exit_code == 1
    assert f"there is no checkpoint of {first + 1} events: the newest is of {first}" in missing.error
    assert not (tmp_path / "other").exists()


def test_without_the_key_the_export_ends_at_the_newest_checkpoint(ledger, tally, tmp_path):
    first = tally("log", "head", "--json").object["size"]
    tally("principal", "add", "agent:a1", "--name", "x", "--owner", "human:owner", "--yes")
    (ledger / "log.key").unlink()
    done = tally("export", tmp_path / "out", "--json")
    assert (done.object["size"], done.object["behind"]) == (first, 1)


def test_openings_are_left_out_when_asked(ledger, tally, tmp_path, capsys):
    done = tally("export", tmp_path / "out", "--without-openings", "--json")
    assert done.object["openings"] is None
    assert not any(b"Ada L." in path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert verify(tmp_path / "out", ledger) == 0
    assert verify(tmp_path / "out", ledger, "--strict") == 6
    assert "NOT-CHECKED  disclosures        the openings are left out of this export" in capsys.readouterr().out


def test_two_exports_of_one_checkpoint_are_the_same_bytes(ledger, tally, tmp_path):
    folders = tmp_path / "one", tmp_path / "two"
    for folder in folders:
        assert tally("export", folder).exit_code == 0
    one, two = ({p.relative_to(f): p.read_bytes() for p in f.rglob("*") if p.is_file()} for f in folders)
    assert one == two


def test_what_stands_there_already_is_left_as_it_is(ledger, tally, tmp_path):
    (tmp_path / "out").mkdir()
    done = tally("export", tmp_path / "out")
    assert done.exit_code == 1
    assert "is there already and is left as it is" in done.error
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE events SET bytes = replace(bytes, 'Ada', 'Eve') WHERE seq = 1", "event 1 does not fit"),
        (
            "UPDATE events SET bytes = CAST(bytes || x'0a' AS BLOB) WHERE seq = 2",
            "event 2 does not fit the stored trees",
        ),
        ("UPDATE nodes SET sha256 = zeroblob(32) WHERE pos = 1", "event 1 does not fit the stored trees"),
        ("DELETE FROM events WHERE seq = 1", "event 2 does not fit the stored trees"),
        ("DELETE FROM nodes WHERE pos = 3", "event 2 does not fit the stored trees"),
        ("UPDATE disclosures SET value = x'ff'", "can't be spelled"),
    ],
)
def test_what_does_not_lead_to_the_signed_roots_is_not_written(ledger, tally, tmp_path, statement, said):
    if "Ada" in statement:
        statement = (
            "UPDATE events SET bytes = CAST(replace(CAST(bytes AS TEXT), 'human', 'h0man') AS BLOB) WHERE seq = 1"
        )
    tampered(ledger, statement)
    done = tally("export", tmp_path / "out", "--at", 3)
    assert done.exit_code == 3
    assert said in done.error
    assert list(tmp_path.glob("*out*")) == []


def test_a_disk_that_fills_leaves_nothing(ledger, tally, tmp_path, monkeypatch):
    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(exporting.os, "fsync", full)
    done = tally("export", tmp_path / "out")
    assert done.exit_code == 1
    assert "can't be made (No space left on device): nothing of it is left" in done.error
    assert list(tmp_path.glob("*out*")) == []


def test_files_are_the_owners_alone(ledger, tally, tmp_path):
    """What opens fields is not for everybody on the machine."""
    assert tally("export", tmp_path / "out").exit_code == 0
    assert (tmp_path / "out").stat().st_mode & 0o077 == 0


@pytest.fixture
def cosign(ledger, tally):
    """Let one witness cosign the newest checkpoint; the policy demands it."""
    witness = CosignatureSigner("witness.example/w", Ed25519PrivateKey.generate())
    added = tally("witness", "add", "w", witness.verifier_key.text(), "--url", "http://127.0.0.1:9")
    assert added.exit_code == 0, added.stderr

    def done() -> int:
        with closing(open_ledger(Home(ledger))) as opened:
            size, note = opened.log.read(lambda look: look.newest_checkpoint())
            line = witness.cosign(parse_note(note)[0], 1_900_000_000)
            opened.log.store_cosignature(size, witness_id(witness.verifier_key), line)
        return size

    return done


def test_export_that_its_own_policy_would_refuse_is_not_written(ledger, tally, tmp_path, cosign):
    refused = tally("export", tmp_path / "out")
    assert refused.exit_code == 1
    assert "is not witnessed as the policy demands" in refused.error
    assert "run tally witness submit" in refused.error
    assert not (tmp_path / "out").exists()
    size = cosign()
    done = tally("export", tmp_path / "out", "--json")
    assert (done.exit_code, done.object["size"]) == (0, size), done.stderr
    assert tally_verify(shlex.split(done.object["verify"])[1:]) == 0


def test_export_is_of_the_whole_log_or_refused_where_witnesses_are_demanded(ledger, tally, tmp_path, cosign):
    size = cosign()
    tally("principal", "add", "agent:a1", "--name", "x", "--owner", "human:owner", "--yes")
    assert tally("export", tmp_path / "out").exit_code == 1
    asked = tally("export", tmp_path / "out", "--at", size, "--json")
    assert (asked.exit_code, asked.object["behind"]) == (0, 1)
    assert tally_verify(shlex.split(asked.object["verify"])[1:]) == 0


def test_without_the_key_the_export_ends_at_the_newest_witnessed_checkpoint(ledger, tally, tmp_path, cosign):
    size = cosign()
    tally("principal", "add", "agent:a1", "--name", "x", "--owner", "human:owner", "--yes")
    assert tally("checkpoint").exit_code == 0
    (ledger / "log.key").unlink()
    done = tally("export", tmp_path / "out", "--json")
    assert (done.object["size"], done.object["behind"]) == (size, 1)
    assert tally_verify(shlex.split(done.object["verify"])[1:]) == 0
