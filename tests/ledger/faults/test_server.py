"""The PostgreSQL server itself dies in the middle: what was acknowledged is there when it is up again."""

import secrets
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.assurance import WHOLE
from tests.ledger.contract.sample import append, everything, moved
from tests.ledger.faults.conftest import filled
from tests.ledger.faults.killing import open_at
from tests.postgres import server

ROOT = Path(__file__).parents[3]
FAILING = [sys.executable, "-W", "error", "-m", "tests.ledger.faults.failing"]


@pytest.mark.timeout(600)
def test_a_server_that_crashes_keeps_what_was_acknowledged(audited):
    """Killed while a client appends, at moments that lie apart; each time the client says so and the log goes on."""
    with server(f"crash-{secrets.token_hex(4)}") as own:
        address = filled(own.address())
        for round_ in range(12 if WHOLE else 2):
            log = open_at(address)
            before = everything(log)["head"].size
            log.close()
            client = subprocess.Popen(
                [*FAILING, str(address), str(round_)], cwd=ROOT, stdout=subprocess.PIPE, text=True
            )
            time.sleep(0.9 + 0.03 * round_)
            own.kill()
            told, _ = client.communicate(timeout=120)
            own.start()
            count, name, _line = told.split(" ", 2)
            log = open_at(address)
            found = everything(log)
            there = sum(key.startswith(f"once:failing:{round_}:") for key in found["claims"])
            assert int(count) <= there <= int(count) + 1
            assert name in {"StoreError", "StoreBusyError", "nothing"}, told
            assert found["head"].size == before + there
            append(log, moved("a", 1))
            log.close()
        audited(address)
