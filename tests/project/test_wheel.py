"""The wheel: what a user installs, in an environment and a directory that know nothing of this checkout."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUNDLES = ROOT / "tests" / "vectors" / "bundles"
PACKAGES = {"ledger", "decisions", "grants", "verify", "tools", "migrations"}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def run(*command, cwd, check=True):
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(cwd)}
    # Where packages come from is the machine's business; what is imported is not.
    environment |= {k: v for k, v in os.environ.items() if k.startswith(("PIP_", "SSL_", "http", "no_proxy"))}
    return subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environment, check=check, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    out = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT]
    run(*build, cwd=out)
    (found,) = out.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Install the wheel with its dependencies, as pinned, and give the directory with the programs."""
    place = tmp_path_factory.mktemp("fresh")
    venv.create(place / "env", with_pip=True)
    python = place / "env" / "bin" / "python"
    pins = ROOT / "constraints.txt"
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", pins, wheel, cwd=place)
    return python.parent


def test_wheel_holds_the_six_packages_and_nothing_of_the_maintainers(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    top = {name.partition("/")[0] for name in names if not name.startswith("tallystick-")}
    assert top == PACKAGES
    assert not [name for name in names if name.startswith("tools/dev/") or "test" in Path(name).parts]
    assert "decisions/constitution/default.toml" in names
    assert "migrations/versions/0001_first.py" in names
    assert any(name.startswith("tools/demo/") and name.endswith(".json") for name in names)


def test_fresh_install_verifies_a_golden_bundle_in_another_directory(installed, tmp_path):
    golden = BUNDLES / "allow-by-consent.bundle"
    (tmp_path / "b.bundle").write_bytes(golden.read_bytes())
    options = ["--policy", BUNDLES / "log.policy", "--signers", BUNDLES / "human.signers"]
    done = run(installed / "tally-verify", "bundle", "b.bundle", *options, cwd=tmp_path)
    assert "VERIFIED" in done.stdout


def test_fresh_install_finds_a_changed_byte(installed, tmp_path):
    data = bytearray((BUNDLES / "allow-by-consent.bundle").read_bytes())
    place = data.index(b"agent:ops-7")
    data[place + 6] ^= 1
    (tmp_path / "b.bundle").write_bytes(data)
    options = ["--policy", BUNDLES / "log.policy", "--signers", BUNDLES / "human.signers"]
    done = run(installed / "tally-verify", "bundle", "b.bundle", *options, cwd=tmp_path, check=False)
    assert done.returncode == 3


def test_fresh_install_begins_a_ledger_and_decides(installed, tmp_path):
    tally = installed / "tally"
    begin = ["init", "--demonstration", "--human", "human:h1", "--new-key", "key", "--yes"]
    run(tally, *begin, cwd=tmp_path)
    done = run(tally, "decide", "--as", "agent:nobody", "--shell", "rm -rf /", "--json", cwd=tmp_path, check=False)
    assert done.returncode == 4
    assert '"outcome":"deny"' in done.stdout
    assert run(tally, "audit", cwd=tmp_path).returncode == 0
    assert run(tally, "doctor", cwd=tmp_path).returncode == 0
