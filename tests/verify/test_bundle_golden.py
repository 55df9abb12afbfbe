"""The published bundles: the maker makes the same bytes, they verify, and nothing but files is needed for it."""

import json
import subprocess
import sys

import pytest

from grants import allowed_signers
from ledger.policy import parse_policy
from tools.dev import golden_bundle
from verify.check import check_bundle

NAMES = sorted(path.name for path in golden_bundle.FOLDER.glob("*.bundle"))

BLOCKED = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"sqlalchemy", "alembic", "rich", "tools", "migrations"} or name == "ledger.sql":
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
from verify.cli import run
code = run(sys.argv[1:])
assert not {"sqlalchemy", "alembic", "rich", "sqlite3"} & sys.modules.keys()
sys.exit(code)
"""


def test_maker_makes_the_published_bytes():
    made = golden_bundle.files()
    kept = {path.name: path.read_bytes() for path in golden_bundle.FOLDER.iterdir()}
    assert set(made) == set(kept) - {"README.md", "constitution.toml"}
    assert [name for name, data in made.items() if kept[name] != data] == []


def test_same_log_and_choice_make_the_same_bytes(case):
    note = case.stage.checkpoint()
    first, second = (case.stage.bundle(case.told["hold"], golden_bundle.NEEDED, note) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("name", NAMES)
def test_published_bundle_verifies(golden, name):
    witnessed = "witnessed" in name
    policy = parse_policy(golden("witnessed.policy" if witnessed else "log.policy"))
    report = check_bundle(golden(name), policy, allowed_signers.parse(golden("human.signers")))
    assert report.failed == ()
    assert ("witnesses" in report.unchecked) is not witnessed


def test_the_published_outcome_is_told(golden):
    report = check_bundle(golden("allow-by-consent-reported.bundle"), parse_policy(golden("log.policy")))
    (line,) = [one for one in report.lines if one.check == "consumption"]
    assert "; reported failed in event " in line.why


def test_bundle_is_checked_with_database_and_terminal_packages_absent(golden):
    """Run the command in a fresh interpreter in which the packages that it must not need can't be imported."""
    folder = golden_bundle.FOLDER
    arguments = ["bundle", str(folder / "allow-by-consent.bundle"), "--policy", str(folder / "log.policy"), "--json"]
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED, *arguments], capture_output=True, text=True, check=False, cwd=folder.parents[2]
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["verified"] is True
