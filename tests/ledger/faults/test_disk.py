"""The disk lies, fills up, fails or loses the end of a file: the log says so, and what it acknowledged stands."""

import contextlib
import errno
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ledger.errors import LedgerError
from tests.assurance import WHOLE
from tests.ledger.contract.sample import append, everything, moved
from tests.ledger.faults.killing import open_at

ROOT = Path(__file__).parents[3]
FAILING = [sys.executable, "-W", "error", "-m", "tests.ledger.faults.failing"]


def failing(path, **more):
    """Append until it fails; give how many were acknowledged, the error's name and its line."""
    done = subprocess.run([*FAILING, str(path)], cwd=ROOT, capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, done.stderr
    count, name, line = done.stdout.strip().split(" ", 2)
    assert "\n" not in line
    return int(count), name, line


def stands(path, acknowledged):
    """Check that just what was acknowledged is there, or one more whose answer was lost; give the size."""
    log = open_at(path)
    found = everything(log)
    log.close()
    there = sum(key.startswith("once:failing:") for key in found["claims"])
    assert acknowledged <= there <= acknowledged + 1
    return found["head"].size


@pytest.fixture(scope="session")
def shim(tmp_path_factory):
    """A library that makes calls to the disk fail, made with the C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("NOT-RUN: a C compiler makes the library that lets fsync fail, and there is none")
    made = tmp_path_factory.mktemp("shim") / "shim.so"
    source = Path(__file__).with_name("shim.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(made), str(source), "-ldl"], check=True)
    return made


@pytest.mark.parametrize("call", ["fsync", "write"])
@pytest.mark.parametrize("code", ["EIO", "ENOSPC"])
def test_a_disk_that_fails_is_said_to_fail_and_nothing_acknowledged_is_lost(path, shim, audited, call, code):
    """From the first call on, and from each later one: an error of fsync is never taken for a commit."""
    failed = 0
    for after in range(0, 40 if WHOLE else 12, 1 if WHOLE else 3):
        copy = path.with_name(f"{call}-{after}.db")
        shutil.copy(path, copy)
        number = str(getattr(errno, code))
        told = failing(
            copy,
            env={
                **os.environ,
                "LD_PRELOAD": str(shim),
                "SHIM_CALL": call,
                "SHIM_AFTER": str(after),
                "SHIM_ERROR": number,
            },
        )
        failed += told[1] == "StoreError"
        assert told[1] in {"StoreError", "nothing"}, told
        assert told[1] == "nothing" or "the disk is full or broken" in told[2] or "the disk is full" in told[2]
        stands(copy, told[0])
        audited(copy)
    assert failed > 1


@pytest.mark.parametrize("room", [0, 1, 3, 8, 20])
def test_a_file_that_may_not_grow_is_a_full_disk(path, audited, room):
    """The limit of the operating system, so many pages above what is there."""

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        most = path.stat().st_size + room * 4096
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    count, name, line = failing(path, preexec_fn=limit)
    assert (name, "the disk is full" in line) == ("StoreError", True), line
    stands(path, count)
    audited(path)


@pytest.mark.parametrize("number", range(40 if WHOLE else 8))
def test_a_torn_tail_leaves_a_whole_prefix(path, audited, number):
    """The machine lost power and the disk had lied: the end of the write-ahead log is gone, or is another block's."""
    log = open_at(path)
    reader = open_at(path)  # keeps the write-ahead log from being folded into the file
    reader.read(lambda look: look.head)
    for step in range(12):
        append(log, moved("a", 1, once=f"failing:{step}", note="n" * 500))
    tail = path.with_name(path.name + "-wal").read_bytes()
    torn = path.with_name("torn.db")
    shutil.copy(path, torn)
    log.close()
    reader.close()
    chance = random.Random(number)
    at = chance.randrange(len(tail))
    end = (
        b""
        if number % 2
        else bytes(chance.randrange(256) for _ in range(min(4096, len(tail) - at))) + tail[at + 4096 :]
    )
    torn.with_name("torn.db-wal").write_bytes(tail[:at] + end)
    log = open_at(torn)
    found = everything(log)
    log.close()
    there = sorted(int(key.rpartition(":")[2]) for key in found["claims"] if key.startswith("once:failing:"))
    assert there == list(range(len(there)))
    assert found["head"].size == 4 + len(there)
    audited(torn)


def test_a_page_that_is_damaged_is_found_or_was_not_in_use(path, audit_of):
    """A page of zeros or of noise anywhere: an error of ours or a finding, never a verdict that all is well."""
    whole = path.read_bytes()
    pages = range(0, len(whole), 4096)
    chance = random.Random(1)
    for page in pages if WHOLE else list(pages)[:: max(1, len(pages) // 8)]:
        for filling in (bytes(4096), chance.randbytes(4096)):
            damaged = path.with_name("damaged.db")
            damaged.write_bytes(whole[:page] + filling + whole[page + 4096 :])
            for left in ("-wal", "-shm"):
                damaged.with_name(damaged.name + left).unlink(missing_ok=True)
            noticed = whole[page : page + 4096] == filling
            with contextlib.suppress(LedgerError):
                noticed = noticed or not audit_of(damaged).ok
                assert noticed, f"page {page // 4096} went unnoticed"


@pytest.mark.parametrize("folder", [False, True])
def test_a_read_only_place_is_said_to_be_read_only(path, folder):
    """Opened by somebody who may not write: it can be read, or the message says what to change."""
    if os.geteuid() == 0:
        command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        if shutil.which("setpriv") is None:
            pytest.skip("NOT-RUN: root may write everywhere, and setpriv is not there to become somebody else")
    else:
        command = []
    place = path.parent
    for above in (place, *place.parents[:4]):
        if str(above).startswith("/tmp/"):
            above.chmod(0o755)
    path.chmod(0o444)
    if folder:
        place.chmod(0o555)
    done = subprocess.run([*command, *FAILING, str(path)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("0 Store"), done.stdout
    assert "check its owner and mode" in done.stdout or "can't be" in done.stdout
    place.chmod(0o755)
