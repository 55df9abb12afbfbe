"""The reader against bash itself: whatever bash runs was seen, word for word, or the script was refused.

Scripts are made at random from harmless pieces and run in an empty directory with no programs to find, so that every
command ends in the handler for unknown commands, which writes its words down.
"""

import random
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from decisions.reducers.effects import Effects
from decisions.reducers.shell import commands, reduce_shell
from decisions.reducers.shell.call import Within
from decisions.reducers.shell.commands import builtins
from decisions.reducers.shell.reader import ScriptReader
from decisions.reducers.shell.state import Ends, State, both
from decisions.reducers.shell.word import Word

BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="bash is not installed")

PIECES = (
    "a", "b", "\\c", '"d e"', "'f g'", '"$v"', "$v", "${v}", "\\ ", '""', "''", "=", "x=y", "#", "a#b", "{a,b}", "{",
    "}", "{}", ",", "-n", "--", "~", "*", "?", '"\\"q"', "'\\'", "$(zap s)", "`zap t`", '"$(zap u)"', "$", "\\$", '"$"',
    "!", "[a]", "]", "\\\n", "%", "^", "1", "-1", "\u00e9", '"\n"', "$'a\\tb'", "\\*", "<(zap p)", "@", "+", "/", ":",
    "\\\\", '"a\\b"', '"\\$v"', '"\\`"', '$"x"', "$PWD", "$RANDOM", "$w", "$((1+2))", "$((n))", '"$((n + 1))"',
    "${v%b}", "${v##*/}", '"${v#a}"', "${v:-z}", '"${v:+z}"', "${v^^}", '"${l[@]}"', "${l[1]}", '"${l[0]}"',
    "${#l[@]}", '"$1"', "$2", '"$@"', "$#", "${v%%/*}", "$n", "${#v}", '"${v,,}"', "${v/a/z}",
)  # fmt: skip
NAMES = (
    "zap",
    '"z"ap',
    "z\\ap",
    "'zap'",
    "zop",
    "\\zap",
    "$v",
    '"$v"',
    "{zap,q}",
    "zap\\\n",
    "if",
    "time",
    "!",
    "{",
    "[",
)
BEFORE = (
    "", "", "", "w=1 ", "w=$(zap e) ", 'w="a b" v=2 ', "v=a/b; ", "IFS=/; v=a/b; ", "readonly v=c\n", "v=q ", "PWD=z; ",
    "n=3; ", "n=$((n+1)); ", "l=(a 'b c' d); ", "l+=(e); ", "v=${v%b}; ", "((n=2)); ", "l=x; ", "v=a/b n=7; ",
    "unset v; ", "RANDOM=4; ", "v=~/x; ", "v=e; export v=f w=$v; ", "v=g; bash -c 'zap $v'; ",
)  # fmt: skip
BEHIND = (
    "", "", "", " >/dev/null", " 2>&1", ' <<<"$(zap h)"', " >/dev/null extra", ">/dev/null", " 2>/dev/null",
    " <<E1\nbody $(zap i)\nE1\n", " <<'E1'\nbody $(zap no)\nE1\n", " <<-E1\n\tb\n\tE1\n",
)  # fmt: skip
FRAMES = (
    "{0} && {1}", "{0} || {1}", "{0}; {1}", "{0}\n{1}", "{0} | {1}", "( {0} )", "{{ {0}; }}", "! {0}",
    "if {0}; then {1}; else {2}; fi", "for i in {w} b; do {0}; done", "case {w} in a) {0};; *) {1};; esac",
    "{0} # {w}\n{1}", "{0} #{w} \\\n{1}", "while {0}; do {1}; break; done", "[[ {w} == {w} ]] && {0}", "eval '{0}'",
)  # fmt: skip
# The same with little but what has a value, so that most scripts are read, and their values compared.
PLAIN_PIECES = (
    "a", "b", '"$v"', "${v}", "$v", "$w", "$n", "$((n+1))", "${v%b}", "${v##*/}", '"${v#a}"', "${v:-z}", "${v^^}", "/",
    '"${l[@]}"', "${l[1]}", '"${l[0]}"', "${#l[@]}", '"$1"', "$1", "$2", '"$@"', "${v%%/*}", '"${v,,}"',
)  # fmt: skip
PLAIN_NAMES = ("zap", "zop", "f", "g")
PLAIN_BEFORE = (
    "", "", "v=a/b; ", "v=q ", "v=ab; ", "n=3; ", "n=$((n+1)); ", "l=(a b c); ", "l+=(e); ", "v=${v%b}; ", "((n=2)); ",
    "l=x; ", "w=$v; ", "unset v; ", "unset l; ", "w=c; ", "return; ", "break; ", "break 2; ", "f; ", "g a; ", "shift; ",
    "eval 'v=e'; ", "local w=l; ", "[ a ] && v=k; ", "readonly w; ",
)  # fmt: skip
HANDLER = (
    'command_not_found_handle(){ local o; printf -v o "%s\\x1f" "$@"; printf "%s\\x1e" "$o" >>"$LOG/$BASHPID"; '
    "[ ${#} -lt 3 ]; }; "
    "export -f command_not_found_handle\n"
)
READ_ON = {"cd", "eval", "time", "true", "break", *builtins._OPAQUE, *builtins._RESERVED}


def word(source: random.Random) -> str:
    return "".join(source.choice(PIECES) for _ in range(source.randint(1, 3)))


def command(source: random.Random) -> str:
    words = "".join(source.choice((" ", "  ", "\t", " \\\n")) + word(source) for _ in range(source.randint(0, 3)))
    return source.choice(BEFORE) + source.choice(NAMES) + words + source.choice(BEHIND)


def script(source: random.Random, depth: int) -> str:
    if depth == 0 or source.random() < 0.3:
        return command(source)
    parts = [script(source, depth - 1) for _ in range(3)]
    return source.choice(FRAMES).format(*parts, w=word(source))


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[list[str | None]]:
    """The commands that the reader found, in place of their effects."""
    found: list[list[str | None]] = []
    known = ScriptReader._known

    def note(self: ScriptReader, name: str, words: Sequence[Word], state: State, within: Within) -> Ends:
        found.append([name, *(one.literal for one in words)])
        return known(self, name, words, state, within) if name in READ_ON else both(state)

    monkeypatch.setattr(ScriptReader, "_known", note)
    return found


def run(text: str, directory: Path) -> list[list[str]]:
    """Run a script; each process writes to a log of its own, so that no two writes mix."""
    logs = directory.parent / "logs"
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir()
    env = {"LOG": str(logs), "PATH": "/nonexistent", "HOME": "/home/u", "LC_ALL": "C.UTF-8"}
    subprocess.run(
        [str(BASH), "--norc", "-c", HANDLER + text],
        cwd=directory,
        env=env,
        capture_output=True,
        timeout=20,
        check=False,
    )
    entries = "".join(log.read_text() for log in logs.iterdir()).split("\x1e")
    return [entry.split("\x1f")[:-1] for entry in entries if entry]


def covers(found: list[str | None], ran: list[str]) -> bool:
    """Whether a command that was found is the one that ran; a word that only the shell knows fits any."""
    if None in found:
        return found[0] == ran[0]
    pairs = zip(found, ran, strict=False)
    return len(found) == len(ran) and all(one == other or str(one).startswith("/dev/fd/") for one, other in pairs)


@pytest.mark.parametrize("seed", range(6))
def test_everything_that_bash_runs_was_seen(seed: int, seen: list[list[str | None]], tmp_path: Path) -> None:
    source = random.Random(seed)
    directory = tmp_path / "empty"
    directory.mkdir()
    read = 0
    for _ in range(250):
        text = script(source, source.randint(0, 2))
        seen.clear()
        effects = Effects()
        reduce_shell(effects, text, cwd=str(directory), home="/home/u")
        if effects.problems:
            continue
        read += 1
        for ran in run(text, directory):
            assert any(covers(found, ran) for found in seen), (text, ran, seen)
    assert read > 20
    assert not list(directory.iterdir())


@pytest.mark.parametrize("seed", range(3))
def test_values_that_are_known_are_those_of_bash(
    seed: int, seen: list[list[str | None]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("PIECES", PLAIN_PIECES), ("NAMES", PLAIN_NAMES), ("BEFORE", PLAIN_BEFORE), ("BEHIND", ("",))):
        monkeypatch.setattr(f"{__name__}.{name}", value)
    test_everything_that_bash_runs_was_seen(seed, seen, tmp_path)


def test_every_builtin_of_bash_is_described() -> None:
    """No builtin is taken for a program of that name."""
    listed = subprocess.run(
        [str(BASH), "--norc", "-c", "compgen -b; compgen -k"], capture_output=True, text=True, check=True
    )
    missing = {name for name in listed.stdout.split() if commands.find(name) is None}
    assert not missing
