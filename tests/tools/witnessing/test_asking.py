"""What the client makes of a witness's answers: believed only where it is verified, asked again only where it helps."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey

from ledger.cosignature import CosignatureSigner
from ledger.witness import SIZE_TYPE, AddCheckpoint, origin_hash
from tests.tools.witness.story import FORKED, HONEST, LOG
from tools.errors import RemoteError
from tools.witnessing import asking
from tools.witnessing.asking import InconsistentError, SizeConflictError, UnknownLogError, ask, fetch

WITNESS = CosignatureSigner("w.example", Ed25519PrivateKey.from_private_bytes(b"w" * 32))
OTHER = CosignatureSigner("w.example", MLDSA44PrivateKey.from_seed_bytes(b"w" * 32))
TEXT = HONEST.checkpoint(7).text()
LINE = WITNESS.cosign(TEXT, 5)
REQUEST = AddCheckpoint.parse(HONEST.request(3, 7))
PLAIN = "text/plain"


class Scripted:
    """A witness that gives the answers that it is told to, one after the other, and the last for ever."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, str, bytes]] = []
        self.asked: list[tuple[str, bytes]] = []
        scripted = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                scripted.asked.append((self.path, body))
                status, kind, data = scripted.answers[0]
                if len(scripted.answers) > 1:
                    scripted.answers.pop(0)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def do_GET(self) -> None:
                self.rfile = type("Empty", (), {"read": staticmethod(lambda _: b""), "close": lambda _: None})()
                self.headers["Content-Length"] = "0"
                self.do_POST()

            def log_message(self, *_words: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/prefix/"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def scripted() -> Iterator[Scripted]:
    scripted = Scripted()
    yield scripted
    scripted.close()


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    waited: list[float] = []
    monkeypatch.setattr(asking.time, "sleep", waited.append)
    return waited


@pytest.fixture
def outcome(scripted: Scripted) -> Callable[..., str]:
    def run(*answers: tuple[int, str, bytes]) -> str:
        scripted.answers = list(answers)
        return ask(scripted.url, WITNESS.verifier_key, REQUEST, TEXT)

    return run


def test_a_line_that_holds_is_given(outcome, scripted):
    assert outcome((200, PLAIN, LINE.encode())) == LINE
    assert scripted.asked == [("/prefix/add-checkpoint", HONEST.request(3, 7))]


def test_lines_of_other_keys_are_ignored(outcome):
    body = OTHER.cosign(TEXT, 5) + LINE
    assert outcome((200, PLAIN, body.encode())) == LINE


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"ok\n",
        LINE.encode()[:-1],
        OTHER.cosign(TEXT, 5).encode(),
        WITNESS.cosign(FORKED.checkpoint(7).text(), 5).encode(),
        b"x" * 70_000,
    ],
    ids=["nothing", "text", "cut off", "another key", "another checkpoint", "endless"],
)
def test_an_answer_without_a_line_that_holds_is_none(outcome, body):
    with pytest.raises(RemoteError):
        outcome((200, PLAIN, body))


def test_a_conflict_tells_the_size(outcome):
    with pytest.raises(SizeConflictError) as caught:
        outcome((409, f"{SIZE_TYPE}; charset=utf-8", b"50\n"))
    assert caught.value.size == 50


@pytest.mark.parametrize("body", [b"", b"50", b"050\n", b"-1\n"])
def test_a_conflict_without_a_size_is_no_answer(outcome, body):
    with pytest.raises(RemoteError, match="no size"):
        outcome((409, SIZE_TYPE, body))


@pytest.mark.parametrize("answer", [(422, PLAIN, b"no\n"), (409, PLAIN, b"root\n"), (409, SIZE_TYPE, b"3\n")])
def test_another_history_is_told_in_the_ways_of_every_version(outcome, answer):
    with pytest.raises(InconsistentError):
        outcome(answer)


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_witness_that_is_busy_is_asked_again(outcome, scripted, pauses, status):
    assert outcome((status, PLAIN, b"later\n"), (status, PLAIN, b"later\n"), (200, PLAIN, LINE.encode())) == LINE
    assert (len(scripted.asked), pauses) == (3, [0.5, 1.0])


def test_and_no_more_than_three_times(outcome, scripted):
    with pytest.raises(RemoteError, match="answers 503: later"):
        outcome((503, PLAIN, b"later\n"))
    assert len(scripted.asked) == 3


@pytest.mark.parametrize("status", [301, 400, 403, 404, 413])
def test_a_refusal_is_final(outcome, scripted, status):
    with pytest.raises(RemoteError, match=f"answers {status}"):
        outcome((status, PLAIN, b"no\n"))
    assert len(scripted.asked) == 1


def test_a_witness_that_is_not_there_is_asked_three_times(pauses):
    with pytest.raises(RemoteError, match="does not answer"):
        ask("http://127.0.0.1:9", WITNESS.verifier_key, REQUEST, TEXT)
    assert pauses == [0.5, 1.0]


def test_what_a_witness_holds_is_fetched_by_the_hash_of_the_origin(scripted):
    scripted.answers = [(200, PLAIN, HONEST.note(7))]
    assert fetch(scripted.url, LOG.name) == HONEST.note(7)
    assert scripted.asked == [(f"/prefix/{origin_hash(LOG.name)}/checkpoint", b"")]
    scripted.answers = [(404, PLAIN, b"nothing\n")]
    with pytest.raises(RemoteError, match="404"):
        fetch(scripted.url, LOG.name)


@pytest.mark.parametrize(("status", "told"), [(403, "key rotate"), (404, "log restored")])
def test_a_witness_that_lacks_the_key_is_told_from_one_that_fails(scripted, status, told):
    scripted.answers = [(status, PLAIN, b"unknown\n")]
    with pytest.raises(UnknownLogError, match=f"{status}: unknown.*{told}"):
        ask(scripted.url, WITNESS.verifier_key, REQUEST, TEXT)
