"""A ledger in a temporary directory, and `tally` as a function: no terminal, nothing of the machine's own keys."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click.testing
import pytest

from tools.cli.app import root


@dataclass(frozen=True)
class Ran:
    """What a run of `tally` did."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def objects(self) -> list[Any]:
        return [json.loads(line) for line in self.stdout.splitlines()]

    @property
    def object(self) -> Any:
        (one,) = self.objects
        return one

    @property
    def error(self) -> str:
        """The one line that says what went wrong; talk may stand before it."""
        *_, last = self.stderr.splitlines()
        assert last.startswith("tally: error: "), self.stderr
        assert "Traceback" not in self.stderr
        return last.removeprefix("tally: error: ")


Tally = Callable[..., Ran]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where the ledger of a test lies."""
    return tmp_path / "ledger"


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """The first human's key file."""
    return tmp_path / "key"


@pytest.fixture
def tally(place: Path, key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tally:
    """Give `tally`, with the ledger and the key in its environment."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("TALLY_DEBUG", raising=False)
    runner = click.testing.CliRunner()

    def run(*words: object, stdin: str | bytes | None = None, **environment: str | None) -> Ran:
        settings = {"TALLY_LEDGER": str(place), "TALLY_KEY": str(key), **environment}
        done = runner.invoke(root, [str(word) for word in words], input=stdin, env=settings)
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return Ran(done.exit_code, done.stdout, done.stderr)

    return run


@pytest.fixture
def fresh(tally: Tally, place: Path, key: Path) -> Path:
    """A ledger that was begun here and now, with `human:owner` as its first human."""
    done = tally("init", "--new-key", key, "--name", "Ada L.", "--yes")
    assert done.exit_code == 0, done.stderr
    return place


@pytest.fixture(scope="session")
def ledger_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `fresh` is, made once."""
    folder = tmp_path_factory.mktemp("template")
    words = ["--ledger", str(folder / "ledger"), "init", "--new-key", str(folder / "key"), "--name", "Ada L.", "--yes"]
    done = click.testing.CliRunner().invoke(root, words)
    assert done.exit_code == 0, done.stderr
    return folder


@pytest.fixture
def ledger(ledger_template: Path, place: Path, key: Path) -> Path:
    """A copy of a begun ledger; the directory that its third event protects is where it was begun."""
    shutil.copytree(ledger_template / "ledger", place)
    for name in ("key", "key.pub"):
        shutil.copy(ledger_template / name, key.with_name(name.replace("key", key.name)))
    return place


@pytest.fixture
def other_key(tmp_path: Path) -> Path:
    """A key that nobody has registered."""
    from grants.signer import generate

    generate(tmp_path / "other", "other")
    return tmp_path / "other"


@pytest.fixture(scope="session")
def desk_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demonstration's ledger before anything was asked: made once, copied for each test."""
    from tools.demo.stage import Stage

    folder = tmp_path_factory.mktemp("desk")
    stage = Stage(folder)
    stage.found()
    stage.populate()
    stage.close()
    return folder


@dataclass(frozen=True)
class Desk:
    """A ledger in which your system user is the gateway that speaks for two agents, and the keys of its people."""

    folder: Path
    tally: Tally

    @property
    def ledger(self) -> Path:
        return self.folder / "ledger"

    def key(self, name: str) -> Path:
        return self.folder / "keys" / name

    def run(self, *words: object, **more: Any) -> Ran:
        return self.tally(*words, TALLY_LEDGER=str(self.ledger), TALLY_KEY=str(self.key("human-ada")), **more)

    def sign(self, *words: object, **more: Any) -> Ran:
        return self.run(*words, "--by", "human:ada", "--yes", **more)

    def decide(self, request: str, *words: object, **more: Any) -> Ran:
        return self.run("decide", "--as", "agent:ops-7", "--request", request, *words, "--json", **more)

    def size(self) -> int:
        head = self.run("log", "head", "--json")
        return int(head.object["size"])


@pytest.fixture
def desk(desk_template: Path, tmp_path: Path, tally: Tally) -> Desk:
    """A copy of the desk for one test."""
    shutil.copytree(desk_template, tmp_path / "desk")
    return Desk(tmp_path / "desk", tally)


@pytest.fixture
def tally_program() -> list[str]:
    """The words that start `tally` in a process of its own."""
    import sys

    return [sys.executable, "-c", "from tools.cli import main; main()"]
