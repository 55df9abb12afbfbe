"""``tally import``: the same log again, out of files alone, and none out of files that do not hold."""

import shutil

import pytest

from ledger.sql.place import open_log
from tests.tools.test_cli_copy import rows
from tests.verify.exported import BUNDLES, Exported
from tools.copying.importing import Trust, import_export
from tools.dev import golden_export
from tools.errors import EvidenceError
from tools.home import Home
from tools.ledger import time_of_day
from verify.views import EVENTS, VIEWS


@pytest.fixture
def exported(desk, tmp_path):
    """An export of a desk at which things were decided."""
    desk.decide("r-1", "--shell", "rm -rf build")
    done = desk.run("export", tmp_path / "export")
    assert done.exit_code == 0, done.stderr
    return tmp_path / "export"


def imported(desk, folder, place, *more):
    return desk.tally("--ledger", place, "import", folder, *more)


def test_imported_ledger_has_every_row_of_the_exported_one(desk, exported, tmp_path):
    done = imported(desk, exported, tmp_path / "again", "--json")
    assert done.exit_code == 0, done.stderr
    assert done.object["size"] == desk.size()
    assert rows(tmp_path / "again" / "ledger.db") == rows(desk.ledger / "ledger.db")
    assert {path.name for path in (tmp_path / "again").iterdir()} == {"ledger.db", "policy", "signers"}
    for name in ("policy", "signers"):
        assert (tmp_path / "again" / name).read_bytes() == (desk.ledger / name).read_bytes()
    assert "put log.key and the newest high-water" in done.stderr


def test_imported_ledger_reads_audits_and_proves_and_does_not_sign(desk, exported, tmp_path):
    place = ("--ledger", tmp_path / "again")
    imported(desk, exported, tmp_path / "again")
    assert desk.tally(*place, "audit").exit_code == 0
    assert desk.tally(*place, "log", "tail").exit_code == 0
    decision = desk.tally(*place, "log", "tail", "--json").objects[-1]["seq"]
    assert desk.tally(*place, "prove", decision, "-o", tmp_path / "b").exit_code == 0
    assert desk.tally(*place, "checkpoint").exit_code == 1
    assert desk.tally(*place, "decide", "--as", "agent:ops-7", "--shell", "ls").exit_code == 1


def test_imported_ledger_goes_on_once_it_has_key_and_mark(desk, exported, tmp_path):
    imported(desk, exported, tmp_path / "again")
    for name in ("log.key", "high-water"):
        shutil.copy(desk.ledger / name, tmp_path / "again" / name)
    place = ("--ledger", tmp_path / "again")
    assert desk.tally(*place, "decide", "--as", "agent:ops-7", "--shell", "ls").exit_code in {0, 4, 5}
    assert desk.tally(*place, "checkpoint").exit_code == 0


def test_export_of_an_import_is_the_same_export(desk, exported, tmp_path):
    imported(desk, exported, tmp_path / "again")
    done = desk.tally("--ledger", tmp_path / "again", "export", tmp_path / "second")
    assert done.exit_code == 0, done.stderr
    one, two = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in (exported, tmp_path / "second")
    )
    assert one == two


def test_openings_that_were_left_out_are_not_there(desk, exported, tmp_path):
    desk.run("export", tmp_path / "closed", "--without-openings")
    done = imported(desk, tmp_path / "closed", tmp_path / "again")
    assert done.exit_code == 0, done.stderr
    assert "without what opens their fields" in done.stdout
    ours, theirs = rows(tmp_path / "again" / "ledger.db"), rows(desk.ledger / "ledger.db")
    assert ours["disclosures"] == []
    assert ours | {"disclosures": []} == theirs | {"disclosures": []}


def test_published_export_is_imported_by_the_auditors_own_files(tally, tmp_path):
    trusted = ["--policy", BUNDLES / "witnessed.policy", "--signers", BUNDLES / "human.signers"]
    done = tally("--ledger", tmp_path / "again", "import", golden_export.FOLDER, *trusted, "--json")
    assert done.exit_code == 0, done.stderr
    assert (done.object["own_policy"], done.object["not_checked"]) == (False, [])
    assert "compare that file" not in done.stderr
    log = open_log(tmp_path / "again" / "ledger.db", VIEWS, time_of_day, registry=EVENTS)
    assert log.read(lambda look: [len(look.cosignatures(size)) for size in (11, 32, 36)]) == [0, 0, 1]
    log.close()


def test_export_checked_by_its_own_policy_alone_is_said_to_be(desk, exported, tmp_path):
    done = imported(desk, exported, tmp_path / "again")
    assert "It was checked by the policy that it brought itself" in done.stderr


@pytest.mark.parametrize("kind", ["events", "nodes", "checkpoints", "openings"])
def test_export_that_does_not_hold_makes_no_ledger(tally, tmp_path, kind):
    broken = Exported.copied(tmp_path / "export")
    data = bytearray(broken.path(kind, 1).read_bytes())
    data[len(data) // 2] ^= 1
    broken.path(kind, 1).write_bytes(data)
    broken.reindex()
    done = tally("--ledger", tmp_path / "again", "import", broken.folder)
    assert done.exit_code == 3
    assert "does not hold, and no ledger is made of it" in done.error
    assert list(tmp_path.glob("*again*")) == []


def test_export_of_another_log_than_the_policy_names_makes_no_ledger(desk, exported, tmp_path):
    done = imported(desk, exported, tmp_path / "again", "--policy", BUNDLES / "log.policy")
    assert done.exit_code == 3
    assert not (tmp_path / "again").exists()


def test_export_without_a_policy_needs_one(tally, tmp_path):
    bare = Exported.copied(tmp_path / "export")
    (bare.folder / "policy").unlink()
    (bare.folder / "signers").unlink()
    bare.reindex()
    done = tally("--ledger", tmp_path / "again", "import", bare.folder)
    assert done.exit_code == 1
    assert "brings no policy: name one with --policy" in done.error
    done = tally("--ledger", tmp_path / "again", "import", bare.folder, "--policy", BUNDLES / "witnessed.policy")
    assert done.exit_code == 0, done.stderr
    assert not (tmp_path / "again" / "policy").exists()


def test_ledger_that_stands_is_left_as_it_is(desk, exported):
    before = rows(desk.ledger / "ledger.db")
    done = imported(desk, exported, desk.ledger)
    assert done.exit_code == 1
    assert "is there already and is left as it is" in done.error
    assert rows(desk.ledger / "ledger.db") == before


def test_what_is_no_export_makes_no_ledger(desk, tmp_path):
    done = imported(desk, tmp_path / "nowhere", tmp_path / "again", "--policy", BUNDLES / "log.policy")
    assert (done.exit_code, "is no export of a log" in done.error) == (1, True)
    empty = tmp_path / "empty"
    empty.mkdir()
    for content in (None, b"hello", b"{}"):
        if content is not None:
            (empty / "index.json").write_bytes(content)
        done = imported(desk, empty, tmp_path / "again", "--policy", BUNDLES / "log.policy")
        assert (done.exit_code, "name the directory that tally export wrote" in done.error) == (1, True), content
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize("kind", ["events", "checkpoints"])
def test_export_that_changes_between_check_and_import_makes_no_ledger(tmp_path, kind):
    """Whoever can write the files while they are read gets no log out of it that was not checked."""
    broken = Exported.copied(tmp_path / "export")

    def progress(stage, done, total):
        if stage == "events" and done == total:
            broken.put(kind, 2, broken.lines(kind, 2)[:-1])

    with pytest.raises(EvidenceError, match="was changed while it was read"):
        import_export(broken.folder, Home(tmp_path / "again"), None, Trust(None, None), progress)
    assert list(tmp_path.glob("*again*")) == []


@pytest.mark.parametrize("holds", [True, False])
def test_import_into_postgresql_is_whole_or_not_at_all(tmp_path, postgres, holds):
    address, place = postgres.address(), Home(tmp_path / "again")
    broken = Exported.copied(tmp_path / "export")

    def progress(stage, done, total):
        if not holds and stage == "events" and done == total:
            broken.put("events", 2, broken.lines("events", 2)[:-1])

    if holds:
        import_export(broken.folder, place, address, Trust(None, None), progress)
        assert place.database == address
        log = open_log(address, VIEWS, time_of_day, registry=EVENTS)
        assert log.read(lambda look: look.head.size) == 36
        log.close()
    else:
        with pytest.raises(EvidenceError):
            import_export(broken.folder, place, address, Trust(None, None), progress)
        schemas = [name for (name,) in postgres.run("SELECT nspname FROM pg_namespace")]
        assert address.schema not in schemas


def test_imported_ledger_may_keep_its_log_in_postgresql(desk, exported, tmp_path, postgres):
    address = postgres.address()
    done = imported(desk, exported, tmp_path / "again", "--database", str(address), "--json")
    assert done.exit_code == 0, done.stderr
    assert done.object["database"] == str(address)
    assert desk.tally("--ledger", tmp_path / "again", "audit").exit_code == 0
    back = desk.run("copy", tmp_path / "again", tmp_path / "back.db")
    assert back.exit_code == 0, back.stderr
    assert rows(tmp_path / "back.db") == rows(desk.ledger / "ledger.db")
    assert imported(desk, exported, tmp_path / "second", "--database", str(address)).exit_code == 1
    assert not (tmp_path / "second").exists()
    assert desk.tally("--ledger", tmp_path / "again", "audit").exit_code == 0
