"""The corpus: everyday commands, each with the effects that its tool's documentation says it has.

A file is a family of tools: its title, its source, and rows of a command and what is expected of it.

    $ cp -r src backup
        read src +many; write backup +many
    $ rm -rf "$BUILD_DIR"
        opaque TARGET_UNRESOLVED
    $ date
        nothing

A command may go on in lines that begin with ``>``. An effect is a verb, a target and the facts that it must have at
least. A target without a scheme is a path, seen from ``/srv/app`` with the home directory ``/home/u``; of ``run`` it
is a program's name, of ``exec`` the file that is run. ``opaque`` is what nobody can tell from the text, with or
without the code that a refusal must have.

Source: issue 4 section 1; docs/guides/reducers.md.
"""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from decisions.action import Fact
from decisions.reducers.vocabulary import KIND_OF_SCHEME, MILDEST, ORDER, VERBS

FOLDER: Final = Path(__file__).parents[3] / "tests" / "decisions" / "reducers" / "corpus"
CWD: Final = "/srv/app"
HOME: Final = "/home/u"

CODES: Final = frozenset({"ID_INVALID", "TOO_COMPLEX", "UNPARSEABLE", "TARGET_UNRESOLVED"})


@dataclass(frozen=True, slots=True)
class Effect:
    """One effect that a command has by its documentation.

    Attributes:
        kind: the kind of action.
        verb: what is done.
        target: canonical reference text.
        facts: the facts that are named; each at least as strict must be found.
    """

    kind: str
    verb: str
    target: str
    facts: tuple[tuple[str, Fact], ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """A command and what is expected of it.

    Attributes:
        command: the shell text.
        effects: what it does; none where it is opaque, or where it does nothing but tell.
        opaque: whether nobody can tell from the text what it does.
        code: which code its refusal must have, or None for any.
    """

    command: str
    effects: tuple[Effect, ...]
    opaque: bool = False
    code: str | None = None


@dataclass(frozen=True, slots=True)
class Family:
    """The commands of one family of tools, and where they are from.

    Attributes:
        name: the file's name.
        title: what the commands have in common.
        source: where their effects are documented.
        rows: the commands.
        everyday: whether people use them so every day, or they are what is hard to get right.
    """

    name: str
    title: str
    source: str
    rows: tuple[Row, ...]
    everyday: bool


def families(folder: Path = FOLDER) -> tuple[Family, ...]:
    """Read the whole corpus.

    Raises:
        ValueError: a line that is none of the form.
    """
    everyday, hard = sorted(folder.glob("*.txt")), sorted(folder.glob("hard/*.txt"))
    return tuple(_family(path, everyday=path in everyday) for path in [*everyday, *hard])


def _family(path: Path, *, everyday: bool) -> Family:
    name = path.stem
    title, source, *lines = path.read_text("utf-8").splitlines()
    if not source.startswith("Source: "):
        raise ValueError(f"{name}: the second line names the source")
    return Family(name, title, source.removeprefix("Source: "), tuple(_rows(name, lines)), everyday)


def _rows(name: str, lines: list[str]) -> Iterator[Row]:
    command: list[str] = []
    for line in lines:
        if line.startswith("$ ") and not command:
            command = [line[2:]]
        elif line.startswith("> ") and command:
            command.append(line[2:])
        elif line.startswith("    ") and command:
            yield row("\n".join(command), line.strip())
            command = []
        elif line:
            raise ValueError(f"{name}: neither a command nor what is expected of one: {line}")
    if command:
        raise ValueError(f"{name}: nothing is expected of {command[0]}")


def row(command: str, expected: str) -> Row:
    """Read what is expected of a command.

    Raises:
        ValueError: it is none of the form.
    """
    word, _, rest = expected.partition(" ")
    if word == "opaque":
        if rest and rest not in CODES:
            raise ValueError(f"no code of a problem: {rest}")
        return Row(command, (), opaque=True, code=rest or None)
    if expected == "nothing":
        return Row(command, ())
    return Row(command, tuple(effect(text) for text in expected.split("; ")))


def effect(text: str) -> Effect:
    """Read one effect.

    Raises:
        ValueError: it is none of the form.
    """
    verb, name, *marks = text.split() if " " in text else (text, "")
    target = _target(verb, name)
    kind = "exec" if verb == "exec" else KIND_OF_SCHEME.get(target.partition(":")[0], "")
    verb = "run" if verb == "exec" else verb
    if verb not in VERBS.get(kind, ()):
        raise ValueError(f"no verb and target that go together: {text}")
    return Effect(kind, verb, target, tuple(_fact(kind, mark) for mark in marks))


def _target(verb: str, name: str) -> str:
    if "://" in name or name.startswith("env:") or not name:
        return name
    if verb == "run":
        return f"program:{name}"
    return "file://" + posixpath.normpath(posixpath.join(CWD, name))


def _fact(kind: str, mark: str) -> tuple[str, Fact]:
    word = mark.removeprefix("+")
    for name in MILDEST[kind]:
        if word == name:
            return name, True
        if word in ORDER[name]:
            return name, word
    raise ValueError(f"no fact of {kind}: {mark}")
