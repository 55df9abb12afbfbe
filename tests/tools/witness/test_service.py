"""The witness over HTTP: which answers it gives, and what it does not read."""

import asyncio

import httpx2
import pytest

from ledger.errors import StoreError
from ledger.witness import MAX_REQUEST, SIZE_TYPE, origin_hash
from tests.tools.witness.story import FORKED, HONEST, LOG
from tools import serving
from tools.witness.answering import Witness
from tools.witness.place import WitnessPlace
from tools.witness.service import application


@pytest.fixture
def said():
    return []


@pytest.fixture
def witness(tmp_path, said):
    place = WitnessPlace(tmp_path / "witness")
    place.create("w.example/1", "ed25519")
    place.add_log(LOG.verifier_key)
    witness = Witness(place, lambda: 1_800_000_000, said.append)
    yield witness
    witness.close()


@pytest.fixture
def ask(witness, said):
    app = application(witness, said.append)

    def run(method, path, **more):
        async def go():
            async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://w.example") as client:
                return await client.request(method, path, **more)

        return asyncio.run(go())

    return run


def test_each_answer_has_its_status_and_type(ask):
    first = ask("POST", "/add-checkpoint", content=HONEST.request(0, 7))
    assert (first.status_code, first.content[:4]) == (200, "— ".encode())
    conflict = ask("POST", "/add-checkpoint", content=HONEST.request(0, 8))
    assert (conflict.status_code, conflict.content, conflict.headers["content-type"]) == (409, b"7\n", SIZE_TYPE)
    assert ask("POST", "/add-checkpoint", content=FORKED.request(7, 9)).status_code == 422
    assert ask("POST", "/add-checkpoint", content=b"nonsense").status_code == 400
    shown = ask("GET", f"/{origin_hash(LOG.name)}/checkpoint")
    assert (shown.status_code, shown.content.startswith(HONEST.note(7))) == (200, True)


def test_other_ways_and_methods_lead_nowhere(ask):
    assert ask("GET", "/add-checkpoint").status_code == 405
    assert ask("GET", "/").status_code == 404
    assert ask("GET", "/a/b/checkpoint").status_code == 404
    assert ask("POST", f"/{origin_hash(LOG.name)}/checkpoint").status_code == 405


def test_no_more_is_read_than_a_request_may_have(ask):
    assert ask("POST", "/add-checkpoint", content=b"x" * MAX_REQUEST).status_code == 400
    assert ask("POST", "/add-checkpoint", content=b"x" * (MAX_REQUEST + 1)).status_code == 413


def test_a_request_that_never_ends_is_not_waited_for(ask, monkeypatch):
    monkeypatch.setattr(serving, "PATIENCE", 0.05)

    async def dripping():
        yield b"old "
        await asyncio.sleep(5)

    assert ask("POST", "/add-checkpoint", content=dripping()).status_code == 408


def test_what_is_wrong_here_is_told_to_the_operator_alone(ask, witness, said, monkeypatch):
    def broken(*_words):
        raise StoreError("/srv/witness/witness.db: the disk is full")

    monkeypatch.setattr(witness._store, "exchange", broken)
    answer = ask("POST", "/add-checkpoint", content=HONEST.request(0, 7))
    assert (answer.status_code, answer.content) == (500, b"the witness can't answer now\n")
    assert said == ["/srv/witness/witness.db: the disk is full"]
