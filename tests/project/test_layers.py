"""The layers hold, and the contracts that say so would notice if they did not."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("ledger", "decisions", "grants", "verify", "tools", "migrations")
LINT = Path(sys.executable).parent / "lint-imports"
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]

# One import for each contract that must not stand where it is put.
PLANTED = {
    "An upper layer may import a lower one, never the other way": ("grants/spelling.py", "import decisions.trust"),
    "Migrations know the schema and nothing else": ("migrations/env.py", "import ledger.log"),
    "No database, no network and no clock above the ledger and below the tools": ("decisions/pdp.py", "import time"),
    "The pure half of ledger knows no SQL": ("ledger/canon.py", "import sqlalchemy"),
    "Only ledger.digest hashes with BLAKE3": ("ledger/canon.py", "import blake3"),
    "The checker shares no code with the prover": ("verify/inclusion.py", "import ledger.mmr"),
}


def lint(place):
    return subprocess.run([LINT, "--no-cache"], cwd=place, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    place = tmp_path_factory.mktemp("tree")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, place / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", place)
    return place


def test_layers_hold():
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout


def test_every_contract_has_a_planted_violation():
    assert {contract["name"] for contract in CONTRACTS} == set(PLANTED)


@pytest.mark.parametrize("contract", PLANTED)
def test_contract_notices_what_it_forbids(copy, contract):
    where, what = PLANTED[contract]
    file = copy / where
    text = file.read_text("utf-8")
    file.write_text(f"{text}\n{what}\n", "utf-8")
    try:
        done = lint(copy)
    finally:
        file.write_text(text, "utf-8")
    assert done.returncode != 0
    assert f"{contract} BROKEN" in done.stdout


@pytest.mark.parametrize("name", ["The pure half of ledger knows no SQL", "Only ledger.digest hashes with BLAKE3"])
def test_lists_of_modules_are_complete(name):
    """A module that is added later must not be outside by being forgotten."""
    (contract,) = [contract for contract in CONTRACTS if contract["name"] == name]
    modules = {f"ledger.{file.stem}" for file in (ROOT / "ledger").glob("*.py") if file.stem != "__init__"}
    exempt = {"ledger.digest"} if "BLAKE3" in name else set()
    assert modules - exempt <= set(contract["source_modules"])
