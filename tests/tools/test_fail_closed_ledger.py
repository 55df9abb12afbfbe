"""A ledger on a disk, broken: what is asked is denied, recorded or not, and nothing that can be set opens it.

Section 6 of the issue; policy cases C09, F09, H03.
"""

import os
import re
import resource
import sqlite3
import subprocess
from pathlib import Path

import pytest

from decisions import pdp
from tools import settings

ROOT = Path(__file__).parents[2]
FIXTURE = ("--shell", "rm tests/fixtures/a.json", "--cwd", "/srv/app")


def ask(desk, request="x", **environment):
    return desk.run("decide", "--as", "agent:ops-7", "--request", request, *FIXTURE, "--json", **environment)


def database(desk):
    (file,) = (one for one in desk.ledger.iterdir() if one.read_bytes()[:6] == b"SQLite")
    return file


def missing(desk):
    database(desk).unlink()


def no_directory(desk):
    desk.ledger.rename(desk.folder / "elsewhere")


def truncated(desk):
    file = database(desk)
    file.write_bytes(file.read_bytes()[:5000])


def emptied(desk):
    database(desk).write_bytes(b"")


def garbage(desk):
    file = database(desk)
    file.write_bytes(b"\xa5" * len(file.read_bytes()))


def rewritten(statement):
    def fault(desk):
        with sqlite3.connect(database(desk)) as connection:
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
                connection.execute(f'DROP TRIGGER "{name}"')
            connection.execute(statement)
        connection.close()

    return fault


FAULTS = {
    "the database is gone": missing,
    "the directory is gone": no_directory,
    "the database is cut off": truncated,
    "the database is empty": emptied,
    "the database is garbage": garbage,
    "a table is gone": rewritten("DROP TABLE claims"),
    "the views are gone": rewritten("DELETE FROM states"),
    "the views are nonsense": rewritten("UPDATE states SET state = x'7b7d'"),
    "the views are no JSON": rewritten("UPDATE states SET state = x'ff'"),
    "the constitution is gone": rewritten("DELETE FROM states WHERE view = 'constitution'"),
    "the events are gone": rewritten("DELETE FROM events"),
    "an event is rewritten": rewritten("UPDATE events SET bytes = x'7b7d' WHERE type = 'constitution.adopted'"),
    "the head is gone": rewritten("DELETE FROM head"),
    "the head is of the future": rewritten("UPDATE head SET at = '2999-01-01T00:00:00.000000Z'"),
}


def column(desk, table, name):
    with sqlite3.connect(database(desk)) as connection:
        return name in {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}


@pytest.mark.parametrize("name", FAULTS)
def test_a_broken_ledger_denies(desk, name):
    assert ask(desk, "before").object["outcome"] == "allow"
    if "future" in name and not column(desk, "head", "at"):
        FAULTS[name] = rewritten("UPDATE head SET last_at = '2999-01-01T00:00:00.000000Z'")
    FAULTS[name](desk)
    done = ask(desk)
    assert done.object["outcome"] == "deny", done.stdout
    assert done.exit_code in {1, 4}
    assert (done.exit_code == 1) is (done.object["decision"] is None)
    assert "Traceback" not in done.stderr


ENVIRONMENT = ("TALLY_LEDGER", "TALLY_KEY", "TALLY_DEBUG", "TALLY_ASSURANCE")
OPENING = ("1", "0", "true", "allow", "open", "off", "none", "shadow", "ignore", "")


def test_every_variable_of_the_environment_is_listed_here():
    found = set()
    for package in ("tools", "decisions", "grants", "ledger", "verify", "migrations"):
        for file in (ROOT / package).rglob("*.py"):
            found |= set(re.findall(r"\bTALLY_[A-Z_]+\b", file.read_text("utf-8")))
    assert found <= set(ENVIRONMENT), "say for the new one what it can't open"


@pytest.fixture
def broken(monkeypatch):
    def fault(*_, **__):
        raise RuntimeError("matcher failed")

    monkeypatch.setattr(pdp, "weigh", fault)


GUESSES = (
    "TALLY_FAIL_OPEN", "TALLY_MODE", "TALLY_SHADOW", "TALLY_DISABLE", "TALLY_ALLOW", "TALLY_POLICY", "TALLY_TIMEOUT",
    "TALLY_SKIP", "TALLY_INSECURE", "TALLY_DEFAULT", "NO_TALLY", "CI", "DEBUG", "PYTHONOPTIMIZE", "TALLY_DEBUG",
)  # fmt: skip


@pytest.mark.usefixtures("broken")
def test_no_variable_of_the_environment_opens_what_is_broken(desk):
    """C09."""
    for place, name in enumerate(GUESSES):
        value = OPENING[place % len(OPENING)]
        done = ask(desk, f"r{place}", **{name: value})
        assert (done.object["outcome"], done.object["reason"]) == ("deny", "POLICY_ERROR"), name
    everything = dict.fromkeys(GUESSES, "1")
    assert ask(desk, "all", **everything).object["outcome"] == "deny"


@pytest.mark.parametrize("value", OPENING)
@pytest.mark.parametrize("name", ["TALLY_LEDGER", "TALLY_KEY"])
def test_where_the_ledger_lies_can_not_be_said_so_that_it_allows(desk, tmp_path, name, value):
    """Another place is another ledger, and none there is a deny."""
    environment = {"TALLY_LEDGER": str(tmp_path / "none" / value)} if name == "TALLY_LEDGER" else {name: value}
    words = ("decide", "--as", "agent:ops-7", "--request", "r", *FIXTURE, "--json")
    settled = {"TALLY_LEDGER": str(desk.ledger), **environment}
    done = desk.tally(*words, **settled)
    assert done.object["outcome"] == ("deny" if name == "TALLY_LEDGER" else "allow")


KEYS = (
    "fail_open", "failurePolicy", "failure_policy", "on_error", "default", "mode", "shadow", "timeout", "within",
    "enforce", "disabled", "allow", "ignore_errors",
)  # fmt: skip


def test_a_settings_file_knows_no_key_that_opens(desk):
    """C09: a key that is not known refuses the whole file, and none that is known is about verdicts."""
    from tools.errors import InputError

    for name in KEYS:
        for section in ("", "[checkpoint]\n", "[decide]\n"):
            with pytest.raises(InputError):
                settings.parse_settings(f'{section}{name} = "allow"\n'.encode())
    assert set(settings.Settings.__dataclass_fields__) == {"checkpoint"}


@pytest.mark.usefixtures("broken")
def test_settings_open_nothing_that_is_broken(desk):
    for place, name in enumerate(KEYS):
        (desk.ledger / "settings.toml").write_text(f'{name} = "allow"\n')
        assert ask(desk, f"r{place}").object["outcome"] == "deny"


@pytest.mark.parametrize("option", ["--fail-open", "--force", "--yes", "--no-record", "--dry-run", "--shadow"])
def test_the_command_has_no_option_that_opens(desk, option):
    done = desk.run("decide", "--as", "agent:ops-7", *FIXTURE, option)
    assert done.exit_code == 2


def in_process(tally_program, desk, request, **how):
    words = ["decide", "--as", "agent:ops-7", "--request", request, *FIXTURE, "--json"]
    environment = {**os.environ, "TALLY_LEDGER": str(desk.ledger), "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [*tally_program, *words], cwd=ROOT, env=environment, capture_output=True, text=True, check=False, **how
    )


def test_a_disk_that_is_full_denies(tally_program, desk):
    def full():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    done = in_process(tally_program, desk, "full", preexec_fn=full)
    assert (done.returncode, '"outcome":"deny"' in done.stdout) == (1, True), done.stderr
    assert '"LEDGER_UNAVAILABLE"' in done.stdout
    assert in_process(tally_program, desk, "after").returncode == 0


def test_a_disk_that_can_only_be_read_denies(desk, monkeypatch):
    """What SQLite says where a file system is mounted for reading alone."""
    real = sqlite3.connect

    def connect(place, *args, **more):
        return real(f"file:{place}?mode=ro", *args, **{**more, "uri": True})

    assert ask(desk, "before").object["outcome"] == "allow"
    monkeypatch.setattr(sqlite3, "connect", connect)
    monkeypatch.setattr(sqlite3.dbapi2, "connect", connect)
    done = ask(desk)
    assert (done.exit_code, done.object["outcome"], done.object["decision"]) == (1, "deny", None)
    assert done.object["reason"] == "LEDGER_UNAVAILABLE"
