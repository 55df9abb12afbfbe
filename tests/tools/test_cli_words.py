"""Numbers and paths on any command line: what can't be meant is a usage error, and no internal one."""

import click
import pytest

from tools.cli.app import root
from tools.dev.cli_docs import commands
from tools.errors import InputError
from tools.numbers import MAX_INTEGER, Number, number
from verify.cli import run as verify

COMMANDS = dict(commands(root, click.Context(root)))
PARAMS = {
    f"{words} {param.opts[0]}": (words, param)
    for words, command in COMMANDS.items()
    for param in command.params
    # Of a noun its verbs are asked; the hook has exit codes of its own.
    if not isinstance(command, click.Group) and not words.startswith("hook")
}
HUGE = [2**53, 2**63 - 1, 2**63, 2**64, int("9" * 400)]
# Each with what must stand before it.
ASKING = [
    ("log", "show"),
    ("log", "show", "--from"),
    ("log", "prove"),
    ("log", "prove", "--since"),
    ("log", "prove", "--size"),
    ("prove",),
    ("receipt",),
    ("explain",),
    ("request", "show"),
    ("outcome", "report"),
    ("stamp", "show"),
    ("export", "somewhere", "--at"),
    ("erase", "--basis", "gdpr-art-17-1-a", "--event"),
    ("replay", "--from"),
    ("audit", "--since"),
]


def test_no_command_takes_a_number_without_end():
    """Each is ours, which no database overflows on, or has an upper end of its own."""
    kinds = (click.types.IntParamType, click.types.FloatParamType)
    loose = [
        name
        for name, (_, one) in PARAMS.items()
        if isinstance(one.type, kinds) and getattr(one.type, "max", None) is None
    ]
    assert loose == []
    assert sum(isinstance(one.type, Number) for _, one in PARAMS.values()) > 20


@pytest.mark.parametrize("words", ASKING, ids=" ".join)
def test_a_number_that_no_log_reaches_is_no_internal_error(tally, ledger, words):
    for huge in (*HUGE, "9" * 5000):
        done = tally(*words, huge)
        assert done.exit_code in {1, 2}, done.stderr
        assert "internal error" not in done.error
        assert "too large" in done.error


def test_a_number_is_read_whole():
    assert [number(text) for text in ("0", "41", "007", str(MAX_INTEGER), "", "-1", "4.0", "\u0664", "x")] == [
        *(0, 41, 7, MAX_INTEGER),
        *[None] * 5,
    ]
    assert number("0" * 9000 + "8") == 8
    for huge in HUGE:
        with pytest.raises(InputError, match="too large"):
            number(str(huge))


def paths():
    """Every parameter that is a path, by its name."""
    return {name: found for name, found in PARAMS.items() if isinstance(found[1].type, click.Path)}


def words_for(command, param, value):
    """Words that reach the check: paths are looked at before anything else is asked for."""
    if isinstance(param, click.Option):
        return [*command.split(), param.opts[0], value]
    before = [one for one in COMMANDS[command].params if isinstance(one, click.Argument)]
    return [*command.split(), *("x" for _ in before[: before.index(param)]), value]


@pytest.mark.parametrize("name", paths())
def test_an_empty_path_is_a_usage_error(tally, name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    command, param = PARAMS[name]
    done = tally(*words_for(command, param, ""))
    assert (done.exit_code, "is empty: name a path" in done.error) == (2, True), done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("bundle", "", "--policy", "p"),
        ("bundle", "b", "--policy", ""),
        ("equivocation", "", "--policy", "p"),
        ("log", "", "--policy", "p"),
        ("proof", "", "--policy", "p"),
        ("receipt", "r", "--policy", "p", "--event", ""),
        ("show", ""),
        ("stamp", "s", "--checkpoint", "", "--policy", "p", "--roots", "r"),
    ],
    ids=" ".join,
)
def test_an_empty_path_is_the_auditor_s_usage_error_too(words, capsys):
    assert verify(list(words)) == 2
    assert "is empty: name a path" in capsys.readouterr().err


@pytest.mark.parametrize("value", [".", "/", "./"])
def test_a_directory_is_no_file(tally, ledger, value, monkeypatch, tmp_path):
    """Of which a name beside it would be made."""
    monkeypatch.chdir(tmp_path)
    for words in (("receipt", 0, "-o"), ("erase", "--key"), ("watch", "x", "--policy", "p", "--state")):
        done = tally(*words, value)
        assert (done.exit_code, "names no file" in done.error) == (2, True), done.stderr


@pytest.mark.parametrize("address", ["http://[::1", "https://[", "http://[::1]]/", "http://"])
def test_an_address_that_is_none_is_named(tally, ledger, tmp_path, address):
    words = ("--policy", ledger / "policy", "--state", tmp_path / "seen", "--once")
    done = tally("watch", address, *words)
    assert (done.exit_code, "internal error" in done.error) == (1, False)
