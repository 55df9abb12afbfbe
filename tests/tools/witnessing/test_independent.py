"""Our client against an independent witness, and its client against ours: the packages aics-witness and aics-tlog.

They need Python 3.12; where there is none this says NOT-RUN. They live in an environment of their own under build/.
"""

import contextlib
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.note import VerifierKey
from ledger.policy import parse_policy
from verify.cli import run as verify

ROOT = Path(__file__).parents[3]
PACKAGES = ("aics-witness==0.1.0", "aics-tlog==0.2.1")
PYENV = Path.home() / ".pyenv" / "versions"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def interpreter() -> str | None:
    """Find a Python that is new enough and really runs."""
    named = [shutil.which(f"python3.{minor}") for minor in (12, 13, 14)]
    kept = sorted(str(path) for path in PYENV.glob("3.1[2-9].*/bin/python"))
    for python in filter(None, [*named, *kept]):
        with contextlib.suppress(OSError):
            asked = [python, "-c", "import sys, ensurepip; sys.exit(sys.version_info < (3, 12))"]
            if subprocess.run(asked, capture_output=True, check=False).returncode == 0:
                return python
    return None


@pytest.fixture(scope="session")
def independent() -> Path:
    """Give the directory of the programs of an environment that has the packages; it is made once for all sessions."""
    python = interpreter()
    if python is None:
        pytest.skip("NOT-RUN: needs Python 3.12")
    place = ROOT / "build" / "independent-witness"
    place.mkdir(parents=True, exist_ok=True)
    done = place / "installed"
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists() or done.read_text() != " ".join(PACKAGES):
            shutil.rmtree(place / "env", ignore_errors=True)
            subprocess.run([python, "-m", "venv", str(place / "env")], check=True, capture_output=True)
            install = [str(place / "env" / "bin" / "python"), "-m", "pip", "install", "--quiet", *PACKAGES]
            subprocess.run([*install, "--disable-pip-version-check"], check=True, capture_output=True)
            done.write_text(" ".join(PACKAGES))
    return place / "env" / "bin"


@pytest.fixture
def running() -> Iterator[list[subprocess.Popen[str]]]:
    processes: list[subprocess.Popen[str]] = []
    yield processes
    for process in processes:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)


@pytest.fixture
def theirs(independent, tmp_path, running, ledger):
    """Their witness, serving for the ledger; gives its address and its vkey."""
    config, program = tmp_path / "theirs.json", str(independent / "aics-witness")
    log = (ledger / "policy").read_text().split()[1]

    def run(*words):
        made = subprocess.run([program, *words, "--config", str(config)], capture_output=True, text=True, check=True)
        return made.stdout.strip()

    vkey = run("init", "--name", "witness.example/theirs").splitlines()[-1]
    run("add-log", "--origin", log.partition("+")[0], "--vkey", log)
    settings = json.loads(config.read_text())
    for one in settings["logs"]:
        one["extension_lines"] = True
    config.write_text(json.dumps(settings))
    process = subprocess.Popen(
        [program, "serve", "--config", str(config), "--listen", "127.0.0.1:0"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    running.append(process)
    for line in process.stderr:
        if found := re.search(r"listening on (http://\S+)", line):
            return found[1], vkey
    pytest.fail("their witness did not begin")


def test_our_client_is_cosigned_by_their_witness(tally, ledger, theirs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    url, vkey = theirs
    assert VerifierKey.parse(vkey).text() == vkey
    assert tally("witness", "add", "theirs", vkey, "--url", url).exit_code == 0
    for name in (None, "bo", "cy", "di"):
        if name:
            assert tally("principal", "add", f"human:{name}", "--yes").exit_code == 0
            assert tally("checkpoint").exit_code == 0
        done = tally("witness", "submit", "--json")
        assert (done.exit_code, done.object["state"]) == (0, "final"), done.stdout
        if name == "bo":
            shutil.copytree(ledger, tmp_path / "backup")
    shown = tally("checkpoint", "show").stdout.encode()
    assert set(parse_policy((ledger / "policy").read_bytes()).open(shown).witnesses) == {"theirs"}

    shutil.rmtree(ledger)
    shutil.copytree(tmp_path / "backup", ledger)
    for name in ("eve", "fay", "gil"):
        assert tally("principal", "add", f"human:{name}", "--yes").exit_code == 0
    assert tally("checkpoint").exit_code == 0
    forked = tally("witness", "submit")
    assert (forked.exit_code, "PROVEN" in forked.error) == (3, True)
    (file,) = tmp_path.glob("equivocation-*.json")
    assert verify(["equivocation", str(file), "--policy", str(ledger / "policy")]) == 0


THEIR_CLIENT = """
import json, sys
from aics_tlog import Checkpoint, MerkleTree, parse_vkey, sign_checkpoint, verify_checkpoint, vkey_from_ed25519
from aics_witness import WitnessAhead, WitnessClient, WitnessRejected, merge_cosignatures
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

url, vkey, told = sys.argv[1:]
key = Ed25519PrivateKey.from_private_bytes(b"t" * 32)
name = "log.example/theirs"

def note(tree, size):
    return sign_checkpoint(Checkpoint(name, size, tree.root(size), ()), key, name).to_bytes()

honest = MerkleTree([b"%d" % n for n in range(40)])
forked = MerkleTree([b"%d" % n if n < 5 else b"x%d" % n for n in range(40)])
said = []
if told == "vkey":
    from aics_tlog import format_vkey
    print(format_vkey(vkey_from_ed25519(name, key.public_key())))
    sys.exit()
client = WitnessClient(url, vkey, max_attempts=2)
for size in (1, 2, 7, 8, 8, 33):
    line = client.submit(note(honest, size), honest.consistency_proof)
    merged = merge_cosignatures(note(honest, size), line)
    said.append([size, vkey.split("+")[0] in (merged if isinstance(merged, str) else merged.decode())])
fresh = WitnessClient(url, vkey, max_attempts=2)
fresh.submit(note(honest, 34), honest.consistency_proof)
for tree, size in ((forked, 36), (forked, 34), (honest, 20)):
    try:
        fresh.submit(note(tree, size), tree.consistency_proof)
        said.append([size, "cosigned"])
    except WitnessRejected as error:
        said.append([size, error.status])
    except WitnessAhead as error:
        said.append([size, "ahead"])
print(json.dumps(said))
"""


def test_their_client_is_cosigned_by_our_witness(tally, ledger, independent, running, tmp_path):
    """Checkpoints that their library makes and signs, proofs that it makes, lines that it verifies."""
    python = str(independent / "python")

    def their_client(*words: str) -> str:
        done = subprocess.run([python, "-c", THEIR_CLIENT, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    place = tmp_path / "witness"
    vkey = tally("witness", "init", place, "--name", "witness.example/ours", "--json").object["vkey"]
    assert tally("witness", "add-log", place, their_client("", "", "vkey").strip()).exit_code == 0
    words = ["witness", "serve", str(place), "--port", "0", "--json"]
    process = subprocess.Popen(
        [sys.executable, "-c", "from tools.cli import main; main()", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    running.append(process)
    url = json.loads(process.stdout.readline())["url"]
    said = json.loads(their_client(url, vkey, "submit"))
    assert said == [*([size, True] for size in (1, 2, 7, 8, 8, 33)), [36, 422], [34, 422], [20, "ahead"]]
    shown = tally("witness", "show", place, "--json").object["logs"]
    assert [(one["origin"], one["size"]) for one in shown] == [("log.example/theirs", 34)]
