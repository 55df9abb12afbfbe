"""What holds for every command: help, `--json`, errors in one line, nothing that moves the cursor."""

import errno
import io
import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import CorruptError, StoreBusyError, StoreMissingError
from tools.cli import app, failure, output
from tools.cli.app import COMMANDS, root
from tools.cli.help import EXIT_CODES
from tools.cli.session import Session
from tools.dev import cli_docs
from tools.errors import DeclinedError, EvidenceError, InputError
from verify.cli import cli
from verify.errors import VerifyError

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-c", "from tools.cli import main; main()"]
EVERY = dict(cli_docs.commands(root, click.Context(root)))


def run(*words, **more):
    return subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=False, cwd=ROOT, **more)


@pytest.mark.parametrize("words", EVERY)
def test_every_command_has_an_example_and_takes_json(words):
    command = EVERY[words]
    page = cli_docs.help_of(command, words)
    assert command.help
    assert command.help.strip().partition("\n")[0].endswith((".", ":"))
    assert "--json" in page
    assert "Example" in page
    assert f"tally {words.split()[0]}" in command.example
    for line in command.example.splitlines():
        assert line.split()[0] in {"tally", "tally-verify", "ssh-keygen"}
    for parameter in command.params:
        assert not isinstance(parameter, click.Option) or parameter.hidden or parameter.help, parameter.name


@pytest.mark.parametrize("words", EVERY)
def test_every_example_names_options_that_exist(words):
    command = EVERY[words]
    others = [*EVERY.values(), *dict(cli_docs.commands(cli, click.Context(cli))).values()]
    parameters = [*root.params, *(parameter for other in others for parameter in other.params)]
    known = {option for parameter in parameters for option in (*parameter.opts, *parameter.secondary_opts)}
    for line in command.example.splitlines():
        for word in line.split():
            assert not word.startswith("--") or word.partition("=")[0] in known, line


def test_the_page_of_the_command_line_is_the_help():
    assert cli_docs.PAGE.read_text(encoding="utf-8") == cli_docs.page(), "run python -m tools.dev.cli_docs"


def test_every_exit_code_is_one_of_the_design():
    assert set(EXIT_CODES) == {0, 1, 2, 3, 4, 5, 6, 130}


def test_help_is_there_at_once_and_imports_nothing_heavy():
    code = (
        "import sys\nfrom tools.cli.app import root\n"
        "try: root.main(['--help'])\nexcept SystemExit: pass\n"
        "heavy = {'sqlalchemy', 'alembic', 'sqlglot', 'tree_sitter', 'pydantic', 'rich', 'cryptography'}\n"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    begun = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.splitlines()[-1] == "[]"
    assert time.monotonic() - begun < 3  # some 0.1 s on a machine that does nothing else
    for name in COMMANDS:
        assert f"\n  {name} " in done.stdout


@pytest.mark.parametrize("words", ["['--help']", "['decide', '--help']", "['--version']"])
def test_no_help_opens_the_way_to_a_database(words):
    code = (
        "import sys\nfrom tools.cli.app import root\n"
        f"try: root.main({words})\nexcept SystemExit: pass\n"
        "print([name for name in ('alembic', 'psycopg', 'sqlglot') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.splitlines()[-1] == "[]"


def test_deciding_on_sqlite_imports_nothing_that_it_does_not_need(fresh):
    words = ["--ledger", str(fresh), "decide", "--shell", "ls"]
    code = (
        "import sys\nfrom tools.cli.app import root\n"
        f"try: root.main({words})\nexcept SystemExit: pass\n"
        "names = ('alembic', 'psycopg', 'sqlglot', 'rich', 'starlette', 'sqlalchemy.dialects.postgresql')\n"
        "print([name for name in names if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stderr.splitlines()[-1] == "[]"
    assert "decision" in done.stdout


def test_without_a_command_the_help_is_talk():
    done = run()
    assert (done.returncode, done.stdout) == (2, "")
    assert "Begin and keep:" in done.stderr


def test_version_needs_no_ledger():
    done = run("--version")
    assert (done.returncode, done.stdout.startswith("tally ")) == (0, True)


@pytest.mark.parametrize("words", [["lgo"], ["log", "sohw"], ["log", "show", "--no-such"], ["log", "show", "x"]])
def test_usage_errors_are_one_line_and_two(tally, words):
    done = tally(*words)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert "--help)" in done.error


def test_names_the_nearest_command(tally):
    assert 'did you mean "log"?' in tally("lgo").error
    assert 'did you mean "show"?' in tally("log", "sohw").error


def test_json_errors_have_a_code_that_stays(tally):
    assert tally("log", "head", "--json").object["error"]["code"] == "STORE_MISSING"
    assert tally("--json", "log", "head").object["error"]["code"] == "STORE_MISSING"
    assert tally("lgo", "--json").object["error"]["code"] == "USAGE"


def test_options_of_tally_stand_before_and_behind(tally, ledger, tmp_path):
    for words in (("--ledger", ledger, "log", "head"), ("log", "head", "--ledger", ledger)):
        assert tally(*words, TALLY_LEDGER="/none").exit_code == 0
    assert tally("log", "head", TALLY_LEDGER="/none").exit_code == 1


def test_the_ledger_is_looked_for_in_the_present_directory_last(tally, ledger, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ledger.rename(tmp_path / ".tally")
    assert tally("log", "head", TALLY_LEDGER=None).exit_code == 0
    assert tally("log", "head", TALLY_LEDGER="").exit_code == 0


def test_help_pages(tally):
    assert tally("help").stdout.splitlines()[3] == "  3  checked and failed: evidence of tampering"
    assert tally("help", "environment", "--json").object["NO_COLOR"]


@pytest.mark.parametrize(
    ("error", "code", "name"),
    [
        (StoreMissingError("x"), 1, "STORE_MISSING"),
        (StoreBusyError("x"), 1, "STORE_BUSY"),
        (CorruptError("x"), 3, "CORRUPT"),
        (EvidenceError("x"), 3, "EVIDENCE"),
        (VerifyError("x"), 3, "VERIFY"),
        (InputError("x"), 1, "INPUT"),
        (DeclinedError("x"), 1, "DECLINED"),
        (OSError(errno.ENOSPC, "No space left on device", "/srv/x"), 1, "OS"),
        (RuntimeError("x\ny"), 1, "INTERNAL"),
    ],
)
def test_every_error_is_one_line_with_a_code(error, code, name, capsys):
    assert failure.report(error, as_json=True) == code
    printed = capsys.readouterr()
    assert json.loads(printed.out)["error"]["code"] == name
    (line,) = printed.err.splitlines()
    assert line.startswith("tally: error: ")


def test_a_full_disk_says_what_to_do(capsys):
    failure.report(OSError(errno.ENOSPC, "No space left on device", "/srv/x"), as_json=False)
    assert capsys.readouterr().err == (
        "tally: error: /srv/x: No space left on device: the disk is full: make room and run the command again\n"
    )


def test_an_internal_error_is_one_line_unless_it_is_to_be_debugged(tally, monkeypatch):
    monkeypatch.setattr(app.importlib, "import_module", lambda _name: 1 // 0)
    done = tally("log", "head")
    assert done.exit_code == 1
    assert done.error == "internal error, please report it: ZeroDivisionError: integer division or modulo by zero"
    assert "Traceback" in tally("log", "head", TALLY_DEBUG="1").stderr


def test_an_interrupt_is_130_and_quiet(tally, monkeypatch):
    def interrupt(_name):
        raise KeyboardInterrupt

    monkeypatch.setattr(app.importlib, "import_module", interrupt)
    done = tally("log", "head", "--json")
    assert (done.exit_code, done.stdout, done.stderr.strip()) == (130, "", "")


@given(st.text())
def test_safe_text_is_seen_whole(text):
    shown = output.safe(text)
    assert all(character.isprintable() for character in shown)
    assert output.safe(shown) == shown
    if text.isascii() and text.isprintable():
        assert shown == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb", "a\\x0ab"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\u202eb", "a\\u202eb"),
        ("a\u200bb", "a\\u200bb"),
        ("a\ufe0fb", "a\\ufe0fb"),
        ("a\u3164b", "a\\u3164b"),
        ("\U000e0001", "\\U000e0001"),
        ("\ud800", "\\ud800"),
        ("é 字", "é 字"),
    ],
)
def test_safe_escapes_what_can_not_be_seen(text, shown):
    assert output.safe(text) == shown


def test_tables_are_plain_where_they_are_piped():
    rows = output.table(("A", "LONGER"), [("x", None), ("\x1b", 12)])
    assert rows.plain() == "A     LONGER\nx     -\n\\x1b  12"


class _Terminal(io.StringIO):
    def isatty(self):
        return True


def _drawn(monkeypatch, session, **environment):
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm", "COLUMNS": "60", **environment}.items():
        monkeypatch.setenv(name, value)
    stream = _Terminal()
    monkeypatch.setattr(sys, "stdout", stream)
    with click.Context(root, obj=session):
        output.emit([], output.table(("NAME",), [("[red]x[/red]",)]))
    return stream.getvalue()


def test_tables_at_a_terminal_have_colours_unless_somebody_forbids_them(monkeypatch):
    coloured = _drawn(monkeypatch, Session())
    assert "\x1b[" in coloured
    assert "[red]x[/red]" in coloured
    assert "\x1b[3" not in _drawn(monkeypatch, Session(), NO_COLOR="1")
    assert "\x1b[3" not in _drawn(monkeypatch, Session(color=False))
    assert "\x1b[3" not in _drawn(monkeypatch, Session(), TERM="dumb")


def test_a_bar_appears_only_where_somebody_waits(monkeypatch, capsys):
    with output.progress("folding") as bar:
        bar(1, 2)
    assert capsys.readouterr().err == ""
    stream = _Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys, "stderr", stream)
    with output.progress("folding") as bar:
        bar(1, 2)
        assert stream.getvalue() == ""
        monkeypatch.setattr(output, "_PATIENCE", 0.0)
        bar(2, 2, "done")
    assert "done" in stream.getvalue()


def _at_a_terminal(words, answer, environment):
    """Run with a terminal as stdin and stderr, and stdout piped."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, *words], stdin=theirs, stderr=theirs, stdout=subprocess.PIPE, cwd=ROOT, env=environment
    ) as process:
        os.close(theirs)
        talk = b""
        answered = False
        while True:
            try:
                talk += os.read(ours, 1024)
            except OSError:
                break
            if b"]: " in talk and not answered:
                os.write(ours, answer)
                answered = True
        data, _ = process.communicate()
    os.close(ours)
    return process.returncode, data.decode(), talk.decode()


@pytest.mark.parametrize(("answer", "code"), [(b"y\n", 0), (b"n\n", 1), (b"\n", 1)])
def test_a_person_is_shown_the_statement_and_asked(tally, ledger, key, answer, code):
    environment = {**os.environ, "TALLY_LEDGER": str(ledger), "TALLY_KEY": str(key), "NO_COLOR": "1"}
    ended, data, talk = _at_a_terminal(("principal", "add", "human:bo", "--json"), answer, environment)
    assert ended == code
    assert talk.index('| principal: "human:bo"') < talk.index("Sign? [y/N]: ")
    assert tally("log", "head", "--json").object["size"] == (4 if code == 0 else 3)
    assert ('"event":3' in data) is (code == 0)


TIME = "2026-11-30T13:16:36.340509Z"
GRANT = "yPDhJ0bW5mJ4oQ3jV1nSbA"


@pytest.mark.parametrize("width", [30, 60, 80, 200])
def test_ids_are_never_broken_however_narrow_the_terminal(monkeypatch, width):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", str(width))
    stream = _Terminal()
    monkeypatch.setattr(sys, "stdout", stream)
    with click.Context(root, obj=Session(color=False)):
        output.emit([], output.table(("GRANT", "AT", "COVERS"), [(GRANT, TIME, "file:///srv/app " * 9)]))
    shown = stream.getvalue()
    assert GRANT in shown
    assert TIME.partition(".")[0] in shown
    assert (TIME in shown) is (width > 60)
    assert width == 30 or max(map(len, shown.splitlines())) <= width


def test_without_colours_there_is_no_escape_at_all(monkeypatch):
    for session, environment in ((Session(), {"NO_COLOR": "1"}), (Session(color=False), {})):
        assert "\x1b" not in _drawn(monkeypatch, session, **environment)


def test_without_colours_there_is_no_bar(monkeypatch):
    stream = _Terminal()
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(output, "_PATIENCE", 0.0)
    with output.progress("folding") as bar:
        bar(1, 2)
    assert stream.getvalue() == ""


@pytest.mark.parametrize(
    "words",
    [
        ("decide", "--verb", "read", "--target", "file:///a", "--target", "file:///b"),
        ("decide", "--as", "agent:ops-7", "--shell", "ls", "--as=agent:other"),
        ("--ledger", "a", "--ledger", "b", "log", "head"),
        ("log", "tail", "-n", "1", "-n", "2"),
    ],
)
def test_option_that_stands_twice_is_refused(tally, ledger, words):
    """The last one would win, and nobody would hear of the others."""
    done = tally(*words)
    assert (done.exit_code, "stands twice" in done.stderr) == (2, True)


def test_options_that_may_be_repeated_are(tally, ledger):
    said = ("--set", "environment=dev", "--set", "asset=source", "--json", "--json", "--yes")
    assert tally("resource", "add", "file:///srv/x", *said).exit_code == 0
