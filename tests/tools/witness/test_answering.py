"""What a witness answers, what it keeps, and that no two threads or processes make it say two things."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ledger.errors import StoreError, StoreMissingError
from ledger.note import VerifierKey
from ledger.policy import Policy, PolicyLog, PolicyWitness
from ledger.witness import SIZE_TYPE, origin_hash
from tests.tools.witness.story import FORKED, HONEST, LOG
from tools.errors import HomeError, InputError
from tools.witness import answering
from tools.witness.answering import Witness
from tools.witness.place import WitnessPlace
from verify.equivocation import check_equivocation, parse_equivocation

ROOT = Path(__file__).parents[3]


@pytest.fixture(params=["ed25519", "ml-dsa-44"])
def place(request, tmp_path):
    place = WitnessPlace(tmp_path / "witness")
    place.create("w.example/1", request.param)
    place.add_log(LOG.verifier_key)
    return place


@pytest.fixture
def clock():
    return [1_800_000_000]


@pytest.fixture
def said():
    return []


@pytest.fixture
def witness(place, clock, said):
    witness = Witness(place, lambda: clock[0], said.append)
    yield witness
    witness.close()


def policy(witness):
    key = witness.signer.verifier_key
    return Policy((PolicyLog(LOG.verifier_key),), (PolicyWitness("w", key),), (), "w")


def test_a_log_that_grows_is_cosigned_at_each_step(witness, clock):
    old = 0
    for size in (1, 2, 7, 8, 8, 31):
        clock[0] += 10
        answer = witness.add_checkpoint(HONEST.request(old, size))
        assert answer.status == 200
        opened = policy(witness).open(HONEST.note(size) + answer.body)
        assert opened.witnesses == {"w": clock[0]}
        old = size


def test_a_conflict_tells_the_size_and_only_the_size(witness):
    witness.add_checkpoint(HONEST.request(0, 7))
    for old, new in ((0, 9), (3, 9), (8, 9)):
        answer = witness.add_checkpoint(HONEST.request(old, new))
        assert (answer.status, answer.kind, answer.body) == (409, SIZE_TYPE, b"7\n")


def test_a_fork_is_refused_and_leaves_the_memory_as_it_was(witness):
    witness.add_checkpoint(HONEST.request(0, 7))
    before = witness.cosigned()
    assert witness.add_checkpoint(FORKED.request(7, 9)).status == 422
    assert witness.add_checkpoint(FORKED.request(0, 9)).status == 409
    assert witness.cosigned() == before
    assert witness.add_checkpoint(HONEST.request(7, 9)).status == 200


def test_two_roots_for_one_size_are_kept_as_evidence(witness, place, said):
    witness.add_checkpoint(HONEST.request(0, 9))
    assert witness.add_checkpoint(FORKED.request(9, 9)).status == 422
    assert witness.add_checkpoint(FORKED.request(0, 9)).status == 409
    (file,) = place.evidence.glob("*.json")
    finding = check_equivocation(parse_equivocation(file.read_bytes()), policy(witness))
    assert (finding.verdict, finding.kind) == ("PROVEN", "two-roots")
    assert any(str(file) in line for line in said)


def test_evidence_does_not_fill_the_disk(witness, place, monkeypatch):
    monkeypatch.setattr(answering, "MOST_EVIDENCE", 0)
    witness.add_checkpoint(HONEST.request(0, 9))
    assert witness.add_checkpoint(FORKED.request(9, 9)).status == 422
    assert list(place.evidence.iterdir()) == []


def test_evidence_that_can_not_be_kept_does_not_change_the_answer(witness, place, said):
    witness.add_checkpoint(HONEST.request(0, 9))
    place.evidence.rmdir()
    assert witness.add_checkpoint(FORKED.request(9, 9)).status == 422
    assert "not kept" in said[-1]


def test_what_was_cosigned_last_is_shown(witness):
    assert witness.checkpoint(origin_hash(LOG.name)).status == 404
    witness.add_checkpoint(HONEST.request(0, 7))
    witness.add_checkpoint(HONEST.request(7, 8))
    answer = witness.checkpoint(origin_hash(LOG.name))
    opened = policy(witness).open(answer.body)
    assert (opened.checkpoint, set(opened.witnesses)) == (HONEST.checkpoint(8), {"w"})
    assert witness.checkpoint(origin_hash("another")).status == 404
    assert witness.checkpoint("not a hash").status == 404


def test_time_never_goes_back(witness, clock):
    first = witness.add_checkpoint(HONEST.request(0, 7))
    clock[0] -= 5000
    second = witness.add_checkpoint(HONEST.request(7, 8))
    times = [
        policy(witness).open(HONEST.note(size) + answer.body).witnesses["w"]
        for size, answer in ((7, first), (8, second))
    ]
    assert times == [1_800_000_000, 1_800_000_000]


def test_a_log_is_known_as_soon_as_it_is_added(tmp_path, clock, said):
    place = WitnessPlace(tmp_path / "witness")
    place.create("w.example/1", "ed25519")
    witness = Witness(place, lambda: clock[0], said.append)
    assert witness.add_checkpoint(HONEST.request(0, 7)).status == 404
    place.add_log(LOG.verifier_key)
    assert witness.add_checkpoint(HONEST.request(0, 7)).status == 200
    place.logs.unlink()
    with pytest.raises(InputError):
        witness.add_checkpoint(HONEST.request(7, 8))
    witness.close()


def test_it_remembers_when_it_is_opened_again(witness, place, clock, said):
    witness.add_checkpoint(HONEST.request(0, 7))
    again = Witness(place, lambda: clock[0], said.append)
    assert again.add_checkpoint(FORKED.request(7, 7)).status == 422
    assert again.add_checkpoint(HONEST.request(7, 9)).status == 200
    assert witness.add_checkpoint(HONEST.request(7, 8)).body == b"9\n"
    again.close()


def test_many_threads_make_it_say_one_thing(witness):
    """Two histories race from size 3 on, each asks for every size: of each size one root is cosigned, and they fit."""
    witness.add_checkpoint(HONEST.request(0, 3))
    cosigned = []

    def race(story):
        last = 3
        for _ in range(200):
            answer = witness.add_checkpoint(story.request(last, min(last + 1, 40)))
            if answer.status == 200:
                cosigned.append((last + 1, story))
                last += 1
            elif answer.status == 409:
                last = int(answer.body)
            if last >= 40:
                return

    threads = [threading.Thread(target=race, args=(story,)) for story in (HONEST, FORKED, HONEST, FORKED)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    beyond = {story for size, story in cosigned if size > 5}
    assert len(beyond) == 1
    assert witness.cosigned()[0].root == beyond.pop().roots[witness.cosigned()[0].size][1]


RACER = """
import json, sys
from pathlib import Path
from tests.tools.witness.story import FORKED, HONEST
from tools.witness.answering import Witness
from tools.witness.place import WitnessPlace
story = {"honest": HONEST, "forked": FORKED}[sys.argv[2]]
witness = Witness(WitnessPlace(Path(sys.argv[1])), lambda: 1_800_000_000, print)
sys.stdin.readline()
said = []
for size in range(6, 40):
    answer = witness.add_checkpoint(story.request(5, size))
    said.append([size, answer.status])
print(json.dumps(said))
"""


def test_many_processes_make_it_say_one_thing(tmp_path):
    """Each asks from size 5, which all share: exactly one of all requests is cosigned."""
    place = WitnessPlace(tmp_path / "witness")
    place.create("w.example/1", "ed25519")
    place.add_log(LOG.verifier_key)
    witness = Witness(place, lambda: 1_800_000_000, print)
    witness.add_checkpoint(HONEST.request(0, 5))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, str(place.path), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for name in ("honest", "forked", "honest", "forked")
    ]
    answers = [
        answer for racer in racers for answer in json.loads(racer.communicate("go\n", timeout=60)[0].splitlines()[-1])
    ]
    assert sum(status == 200 for _, status in answers) == 1
    assert witness.cosigned()[0].size > 5
    witness.close()


# -- the directory --


def test_the_key_is_for_its_owner_alone(place):
    assert place.key.stat().st_mode & 0o777 == 0o600
    place.key.chmod(0o640)
    with pytest.raises(HomeError, match="chmod 600"):
        place.load()


def test_a_witness_without_its_memory_does_not_begin_another(place):
    place.database.unlink()
    with pytest.raises(StoreMissingError, match="second history"):
        place.load()


def test_key_and_memory_belong_together(place, tmp_path):
    other = WitnessPlace(tmp_path / "other")
    other.create("w.example/2", "ed25519")
    place.key.write_bytes(other.key.read_bytes())
    with pytest.raises(HomeError, match="is not the key of"):
        place.load()


@pytest.mark.parametrize(
    "content", [b"", b"nonsense", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"]
)
def test_a_damaged_key_is_our_error(place, content):
    place.key.write_bytes(content)
    with pytest.raises(HomeError, match="no key that can be read"):
        place.load()
    place.key.unlink()
    with pytest.raises(HomeError, match="can't be read"):
        place.load()


def test_a_damaged_memory_is_our_error(place):
    place.database.write_bytes(b"x" * 10_000)
    with pytest.raises(StoreError):
        place.load()


def test_is_begun_once(place):
    key = VerifierKey.parse(place.load()[1].vkey)
    with pytest.raises(HomeError, match="already"):
        place.create("w.example/1", "ed25519")
    assert place.load()[0].verifier_key == key


def test_a_name_that_no_line_can_carry_makes_nothing(tmp_path):
    with pytest.raises(InputError, match="no name for a witness"):
        WitnessPlace(tmp_path / "witness").create("a name", "ed25519")
    assert list(tmp_path.iterdir()) == []
