"""`tally watch` where a log shows a checkpoint and no proof that can be read: it is asked again, not accused."""

import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.tools.watching.test_following import WHOLE
from tests.tools.witness.story import FORKED, HONEST, LOG
from verify.continuation import continuation

PORTAL = b"<!DOCTYPE html><title>Welcome to our network</title>\n"
PROOF = continuation(WHOLE[id(HONEST)].nodes, 40, 7, 9).to_bytes()


@pytest.fixture
def served():
    """A server that gives the answers of a dictionary, by path; the address is in it too."""
    answers = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            status, data = answers.get(self.path, (404, b"there is nothing here\n"))
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    answers["url"] = f"http://127.0.0.1:{server.server_address[1]}"
    yield answers
    server.shutdown()
    server.server_close()


@pytest.fixture
def watch(tally, tmp_path):
    """Looks once; gives the exit code, what is said, and how many equivocation files there are."""

    def look(source, policy):
        state, evidence = tmp_path / "seen", tmp_path / "evidence"
        done = tally("watch", source, "--policy", policy, "--state", state, "--evidence", evidence, "--once")
        return done.exit_code, done.stderr, len(list(evidence.glob("*"))) if evidence.exists() else 0

    return look


@pytest.mark.parametrize(
    "answer",
    [
        (404, b"not here\n"),
        (200, PORTAL),
        (200, b""),
        (200, b"{}\n"),
        (200, PROOF[:-2]),
        (200, b"\xff" * 9),
        (503, b""),
    ],
    ids=["404", "portal", "empty", "another object", "cut off", "not UTF-8", "503"],
)
def test_junk_in_the_place_of_a_proof_is_asked_for_again(watch, served, tmp_path, answer):
    policy = tmp_path / "policy"
    policy.write_text(f"log {LOG.verifier_key.text()}\nquorum none\n")
    served["/checkpoint"] = (200, HONEST.note(7))
    code, told, _ = watch(served["url"], policy)
    assert code == 0, told
    served["/checkpoint"] = (200, HONEST.note(9))
    served["/consistency/7/9"] = answer
    code, told, files = watch(served["url"], policy)
    assert (code, files, (tmp_path / "seen").read_bytes()) == (1, 0, HONEST.note(7)), told
    served["/consistency/7/9"] = (200, PROOF)
    assert watch(served["url"], policy)[::2] == (0, 0)
    served["/checkpoint"] = (200, FORKED.note(9))
    assert watch(served["url"], policy)[::2] == (3, 1)


@pytest.mark.parametrize("damage", ["cut off", "directory", "missing", "link"])
@pytest.mark.parametrize("kind", ["nodes", "checkpoints"])
def test_an_export_that_is_damaged_is_read_again_later(watch, tally, ledger, tmp_path, kind, damage):
    policy, export = tmp_path / "policy", tmp_path / "export"
    shutil.copy(ledger / "policy", policy)
    assert watch(ledger, policy)[0] == 0
    for name in ("bo", "cy"):
        assert tally("principal", "add", f"human:{name}", "--yes").exit_code == 0
    assert tally("checkpoint").exit_code == 0
    assert tally("export", export).exit_code == 0
    seen = (tmp_path / "seen").read_bytes()
    (file,) = (export / kind).iterdir()
    data = file.read_bytes()
    file.write_bytes(data[:33]) if damage == "cut off" else file.unlink()
    if damage == "directory":
        file.mkdir()
    if damage == "link":
        file.symlink_to(policy)
    code, told, files = watch(export, policy)
    assert (code, files, (tmp_path / "seen").read_bytes()) == (1, 0, seen), told
    if damage != "cut off":
        assert f"{kind}/{file.name} is" in told
    shutil.rmtree(export)
    assert tally("export", export).exit_code == 0
    assert watch(export, policy)[::2] == (0, 0)
