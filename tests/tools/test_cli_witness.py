"""Two departments that watch each other, from the witness's key to the auditor's verdict; and what goes wrong."""

import json
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger.cosignature import CosignatureSigner, witness_id
from ledger.policy import parse_policy
from tests.tools.restoring import behind
from tests.tools.witness.story import HONEST, LOG
from tools import web
from tools.cli.witness_client import standing
from tools.home import Home
from tools.ledger import open_ledger
from verify.cli import run as verify


class Service:
    """A program of ours that serves HTTP, in a process of its own."""

    def __init__(self, words: list[str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from tools.cli import main; main()", *words, "--port", "0", "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read() if self.process.stderr else ""
        self.told = json.loads(line)
        self.url = self.told["url"]

    def stop(self) -> tuple[int, str]:
        self.process.send_signal(signal.SIGTERM)
        _, err = self.process.communicate(timeout=30)
        return self.process.returncode, err


@pytest.fixture
def serve() -> Iterator[Callable[..., Service]]:
    running: list[Service] = []

    def start(*words: object) -> Service:
        running.append(Service([str(word) for word in words]))
        return running[-1]

    yield start
    for service in running:
        if service.process.poll() is None:
            service.stop()


@pytest.fixture
def departments(tally, desk, tmp_path):
    """Two ledgers and two witnesses; each witness knows the other's log."""
    other = tmp_path / "other"
    done = tally("--ledger", other, "init", "--new-key", tmp_path / "other.key", "--name", "Bo", "--yes")
    assert done.exit_code == 0, done.stderr
    ledgers = {"here": desk.ledger, "there": other}
    for name, ledger in ledgers.items():
        place = tmp_path / f"witness-{name}"
        assert tally("witness", "init", place, "--name", f"witness.example/{name}").exit_code == 0
        for one in ledgers.values():
            vkey = (one / "policy").read_text().split()[1]
            assert tally("witness", "add-log", place, vkey).exit_code == 0
        assert (place / "witness.key").stat().st_mode & 0o777 == 0o600
        assert ledger.is_dir()
    return ledgers


def vkey_of(tally, place):
    shown, data = tally("witness", "show", place), tally("witness", "show", place, "--json")
    assert (shown.stdout.splitlines()[0], shown.stderr, data.stderr) == (data.object["vkey"], "", "")
    return data.object["vkey"]


def test_two_departments_cosign_each_other_and_an_auditor_counts_both(
    tally, desk, departments, serve, tmp_path, capsys
):
    services = {name: serve("witness", "serve", tmp_path / f"witness-{name}") for name in departments}
    for ledger in departments.values():
        for name, service in services.items():
            words = ("witness", "add", name, service.told["vkey"], "--url", service.url, "--quorum", "all")
            assert tally("--ledger", ledger, *words).exit_code == 0

    decided = desk.decide("r1", "--shell", "ls build")
    seq = decided.object["seq"] if "seq" in decided.object else decided.object["decision"]
    assert tally("--ledger", desk.ledger, "checkpoint").exit_code == 0
    early = desk.run("prove", seq, "-o", tmp_path / "early.bundle")
    assert (early.exit_code, "run tally witness submit" in early.error) == (1, True)

    for ledger in departments.values():
        before = tally("--ledger", ledger, "witness", "status", "--json").object
        assert before["state"] == "pending"
        done = tally("--ledger", ledger, "witness", "submit", "--json")
        assert (done.exit_code, done.object["state"]) == (0, "final"), done.stderr
        after = tally("--ledger", ledger, "witness", "status", "--json").object
        assert {one["state"] for one in after["witnesses"]} == {"cosigned"}

    proved = desk.run("prove", seq, "-o", tmp_path / "b.bundle", "--disclose-all", "--json")
    assert proved.exit_code == 0, proved.stderr
    assert "witnesses" not in proved.object["not_checked"]
    auditor = ["--policy", str(desk.ledger / "policy"), "--signers", str(desk.ledger / "signers")]
    assert verify(["bundle", str(tmp_path / "b.bundle"), *auditor, "--strict", "--json"]) == 0
    lines = {line["check"]: line for line in json.loads(capsys.readouterr().out)["checks"]}
    assert (lines["witnesses"]["status"], lines["witnesses"]["passed"]) == ("PASS", 2)

    stripped = json.loads((tmp_path / "b.bundle").read_bytes())
    *kept, _ = stripped["checkpoint"].splitlines(keepends=True)
    stripped["checkpoint"] = "".join(kept)
    from ledger import canon

    (tmp_path / "one.bundle").write_bytes(canon.encode(stripped) + b"\n")
    assert verify(["bundle", str(tmp_path / "one.bundle"), *auditor, "--strict"]) == 3

    shown = tally("--ledger", desk.ledger, "checkpoint", "show").stdout
    assert len(parse_policy((desk.ledger / "policy").read_bytes()).open(shown.encode()).witnesses) == 2

    # A newer checkpoint that nobody has witnessed yet does not take the quorum away from what was.
    assert desk.decide("r2", "--shell", "ls build").exit_code in {0, 4, 5}
    assert tally("--ledger", desk.ledger, "checkpoint").exit_code == 0
    again = desk.run("prove", seq, "-o", tmp_path / "again.bundle", "--json")
    assert again.exit_code == 0, again.stderr
    assert again.object["checkpoint_size"] == proved.object["checkpoint_size"]

    assert desk.run("audit").exit_code == 0
    for service in services.values():
        code, err = service.stop()
        assert (code, "Stopped." in err) == (0, True)


def test_a_log_that_was_put_back_is_found_out_by_its_witness(tally, ledger, serve, tmp_path, monkeypatch):
    """The mark is put back with the database: only somebody outside can remember."""
    place = tmp_path / "witness"
    tally("witness", "init", place, "--name", "witness.example/w")
    tally("witness", "add-log", place, (ledger / "policy").read_text().split()[1])
    service = serve("witness", "serve", place)
    tally("witness", "add", "w", service.told["vkey"], "--url", service.url)
    monkeypatch.chdir(tmp_path)
    assert tally("witness", "submit").exit_code == 0
    shutil.copytree(ledger, tmp_path / "backup")
    for name in ("bo", "cy"):
        assert tally("principal", "add", f"human:{name}", "--yes").exit_code == 0
    assert tally("checkpoint").exit_code == 0
    assert tally("witness", "submit").exit_code == 0
    shutil.copytree(ledger, tmp_path / "first")
    shutil.rmtree(ledger)
    shutil.copytree(tmp_path / "backup", ledger)

    behind = tally("witness", "submit", "--json")
    assert behind.exit_code == 3
    assert "signed nothing beyond" in behind.objects[0]["outcomes"][0]["why"]
    (claimed,) = tmp_path.glob("equivocation-*.json")
    policy = ["--policy", str(ledger / "policy")]
    assert verify(["equivocation", str(claimed), *policy]) == 6
    claimed.unlink()

    for name in ("dan", "eve", "fay"):
        assert tally("principal", "add", f"human:{name}", "--yes").exit_code == 0
    assert tally("checkpoint").exit_code == 0
    forked = tally("witness", "submit")
    assert (forked.exit_code, "PROVEN" in forked.error) == (3, True)
    unkept = tally("witness", "submit", "--evidence", place / "logs" / "below")
    assert (unkept.exit_code, "PROVEN" in unkept.error, "could not be kept" in unkept.error) == (3, True, True)
    (proven,) = tmp_path.glob("equivocation-*.json")
    assert verify(["equivocation", str(proven), *policy]) == 0


def test_a_new_key_is_given_to_the_witness_as_it_is_printed(tally, ledger, serve, tmp_path):
    place = tmp_path / "witness"
    tally("witness", "init", place, "--name", "witness.example/w")
    tally("witness", "add-log", place, (ledger / "policy").read_text().split()[1])
    service = serve("witness", "serve", place)
    tally("witness", "add", "w", service.told["vkey"], "--url", service.url)
    rotated = tally("key", "rotate", "--yes")
    assert rotated.exit_code == 0, rotated.stderr
    assert tally("witness", "submit").exit_code == 0
    assert tally("principal", "add", "human:bo", "--yes").exit_code == 0
    assert tally("checkpoint").exit_code == 0
    refused = tally("witness", "submit", "--json").objects[0]["outcomes"][0]
    (printed,) = [line for line in rotated.stderr.splitlines() if "add-log DIR" in line]
    command = printed[printed.index("tally witness") :]
    assert "403" in refused["why"]
    assert refused["why"].endswith(command)
    assert tally("witness", "add-log", place, command.split()[-1]).exit_code == 0
    assert tally("witness", "submit").exit_code == 0

    line = _cosignatures(tally)
    assert (line["outcome"], line["checked"]) == ("ok", 2)
    assert "2 verified under the keys of witness.example/w; the keys are those of the ledger's policy" in line["detail"]
    (ledger / "policy").write_text("nonsense\n")
    line = _cosignatures(tally)
    assert (line["outcome"], "the ledger's policy gives no keys" in line["detail"]) == ("skipped", True)


def test_a_restore_says_which_key_the_witnesses_need(desk):
    done = behind(desk).sign("log", "restored", "--origin", "example.com/second", "--json")
    assert done.exit_code == 0, done.stderr
    assert f"tally witness add-log DIR {done.object['log_key']}\n" in done.stderr


def test_a_cosignature_that_does_not_hold_is_found_by_the_audit(tally, ledger, tmp_path):
    """It has the name and the key id of a witness of the policy, and is of another checkpoint."""
    witness = CosignatureSigner("w.example", Ed25519PrivateKey.from_private_bytes(b"w" * 32))
    assert tally("witness", "add", "w", witness.verifier_key.text()).exit_code == 0
    opened = open_ledger(Home(ledger))
    try:
        size, _ = opened.log.read(lambda look: look.newest_checkpoint())
        line = witness.cosign(HONEST.checkpoint(7).text(), 5)
        opened.log.store_cosignature(size, witness_id(witness.verifier_key), line)
    finally:
        opened.close()
    done = tally("audit", "--json")
    assert (done.exit_code, done.object["findings"][0]["table"]) == (3, "cosignatures")


def _cosignatures(tally):
    done = tally("audit", "--json")
    assert done.exit_code == 0, done.stderr
    return next(line for line in done.object["lines"] if line["dimension"] == "cosignatures")


def test_a_request_that_is_being_sent_is_answered_before_the_witness_ends(tally, serve, tmp_path):
    place = tmp_path / "witness"
    tally("witness", "init", place, "--name", "witness.example/w")
    tally("witness", "add-log", place, LOG.verifier_key.text())
    service = serve("witness", "serve", place)
    host, _, port = service.url.removeprefix("http://").rpartition(":")
    body = HONEST.request(0, 7)
    head = f"POST /add-checkpoint HTTP/1.1\r\nHost: w\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(head + body[:20])
        time.sleep(0.5)
        service.process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        connection.sendall(body[20:])
        answer = connection.recv(65_536)
    assert answer.startswith(b"HTTP/1.1 200 ")
    _, err = service.process.communicate(timeout=30)
    assert (service.process.returncode, "Stopped." in err) == (0, True)
    assert tally("witness", "show", place, "--json").object["logs"][0]["size"] == 7


def test_a_witness_that_is_away_leaves_the_checkpoint_pending(tally, ledger, tmp_path, monkeypatch):
    from tools.witnessing import asking

    monkeypatch.setattr(asking, "PAUSES", ())
    place = tmp_path / "witness"
    tally("witness", "init", place, "--name", "witness.example/w")
    tally("witness", "add", "w", vkey_of(tally, place), "--url", "http://127.0.0.1:9")
    done = tally("witness", "submit", "--json")
    assert (done.exit_code, done.object["state"], done.object["outcomes"][0]["result"]) == (1, "pending", "failed")
    status = tally("witness", "status")
    assert (status.exit_code, "pending" in status.stderr, "never" in status.stdout) == (0, True, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("submit",), "run tally witness add"),
        (("submit", "nobody"), "has no witness"),
        (("add", "w", "nonsense"), "not a vkey"),
        (("serve", "nowhere"), "can't be read"),
        (("show", "nowhere"), "can't be read"),
        (("add-log", "nowhere", "nonsense"), "not a vkey"),
    ],
)
def test_what_can_not_be_done_is_said(tally, ledger, words, said):
    done = tally("witness", *words)
    assert (done.exit_code, said in done.error) == (1, True)


def test_a_log_is_no_witness_and_a_witness_no_log(tally, ledger, tmp_path):
    place = tmp_path / "witness"
    tally("witness", "init", place, "--name", "witness.example/w")
    log = (ledger / "policy").read_text().split()[1]
    assert "of a log" in tally("witness", "add", "w", log).error
    assert "of a witness" in tally("witness", "add-log", place, vkey_of(tally, place)).error
    assert "https://" in tally("witness", "add", "w", vkey_of(tally, place), "--url", "ftp://x").error
    assert tally("witness", "add", "w", vkey_of(tally, place)).exit_code == 0
    assert "has no URL" in tally("witness", "submit", "w").error
    assert tally("witness", "add", "w", vkey_of(tally, place)).exit_code == 1


def test_nothing_stands_without_a_checkpoint(tmp_path):
    from ledger.memory import MemoryLog
    from ledger.policy import Policy

    assert MemoryLog((), lambda: 1).read(lambda look: standing(look, Policy((), (), ()))) is None


# -- watching, from the outside --


def test_a_ledger_an_export_and_an_address_show_one_log(tally, ledger, serve, tmp_path):
    service = serve("--ledger", ledger, "checkpoint", "serve")
    policy = tmp_path / "policy"
    shutil.copy(ledger / "policy", policy)
    states = {name: tmp_path / f"{name}.seen" for name in ("ledger", "export", "address")}

    def look(name, source):
        done = tally("watch", source, "--policy", policy, "--state", states[name], "--once", "--json")
        assert done.exit_code == 0, done.stderr
        return done.object["seen"], done.object["before"], done.object["size"]

    assert tally("export", tmp_path / "export-1").exit_code == 0
    for name, source in (("ledger", ledger), ("export", tmp_path / "export-1"), ("address", service.url)):
        assert look(name, source) == ("first", None, 3)
    for name in ("bo", "cy", "di"):
        assert tally("principal", "add", f"human:{name}", "--yes").exit_code == 0
    assert tally("checkpoint").exit_code == 0
    assert tally("export", tmp_path / "export-2").exit_code == 0
    for name, source in (("ledger", ledger), ("export", tmp_path / "export-2"), ("address", service.url)):
        assert look(name, source) == ("grown", 3, 6)
        assert look(name, source) == ("same", 6, 6)
    assert service.stop()[0] == 0
    gone = tally("watch", service.url, "--policy", policy, "--state", states["address"], "--once")
    assert (gone.exit_code, "does not answer" in gone.error) == (1, True)


def test_an_address_leads_over_a_rotation_and_gives_out_no_other_event(tally, ledger, serve, tmp_path):
    for name in ("policy", "signers"):
        shutil.copy(ledger / name, tmp_path / name)
    service = serve("--ledger", ledger, "checkpoint", "serve")
    words = ("--policy", tmp_path / "policy", "--state", tmp_path / "seen", "--once", "--json")
    assert tally("watch", service.url, *words).object["seen"] == "first"
    assert tally("key", "rotate", "--yes").exit_code == 0
    assert tally("principal", "add", "human:bo", "--yes").exit_code == 0
    size = tally("checkpoint", "--json").object["size"]
    assert tally("watch", service.url, *words).exit_code == 1
    led = tally("watch", service.url, *words, "--signers", tmp_path / "signers")
    assert (led.exit_code, led.object["seen"], "replaced the log's key" in led.object["followed"]) == (0, "grown", True)
    events = json.loads((tmp_path / "seen.links").read_bytes())["events"]
    assert [json.loads(one["event"])["type"] for one in events] == ["ledger.opened", "ledger.key_rotated"]
    missing = web.get(f"{service.url}/links/{size + 1}", most=1000)
    assert (missing.status, b"was signed" in missing.body) == (404, True)
    for path in (f"links/{2**64}", f"links/{'9' * 5000}", f"consistency/{2**63}/{2**64}", "consistency/-1/x"):
        nothing = web.get(f"{service.url}/{path}", most=1000)
        assert (nothing.status, nothing.body.startswith((b"9", b"1", b"a size is"))) == (404, True), nothing
    assert service.stop()[0] == 0


def test_keep_has_each_checkpoint_cosigned(tally, ledger, serve, tally_program, tmp_path):
    place = tmp_path / "witness"
    tally("witness", "init", place, "--name", "witness.example/w")
    tally("witness", "add-log", place, (ledger / "policy").read_text().split()[1])
    service = serve("witness", "serve", place)
    assert tally("witness", "add", "w", service.told["vkey"], "--url", service.url).exit_code == 0
    words = [*tally_program, "--ledger", ledger, "checkpoint", "keep", "--seconds", "86400", "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        for line in process.stderr:
            if "is final" in line:
                break
        assert tally("principal", "add", "human:bo", "--yes").exit_code == 0
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    now = tally("witness", "status", "--json").object
    assert (process.returncode, now["state"], now["size"]) == (0, "final", 4)
    assert service.stop()[0] == 0


def test_a_standing_is_read_without_the_key(ledger):
    (ledger / "log.key").unlink()
    opened = open_ledger(Home(ledger))
    try:
        policy = parse_policy(Path(ledger / "policy").read_bytes())
        now = opened.log.read(lambda look: standing(look, policy))
    finally:
        opened.close()
    assert now is not None
    assert (now.state, now.witnesses) == ("quorum", ())
