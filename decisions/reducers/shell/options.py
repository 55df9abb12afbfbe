"""Option tables: which options a known command has, and what each does with its value.

A table is written as a line of its options; what is not on the line is unknown, and an unknown option of a known
command makes it opaque: any option may write, run or send something (policy case A07). Abbreviations are unknown too.

    -rf           short flags, here two          --recursive       a long flag
    -n=           a short option with a value    --lines=          a long one
    -j=?          with a value directly behind   --color=?         with or without ``=value``
    -f=<          the value is a path, read      --output=>        the value is a path, written
    -c=!          the value, then no options any more

>>> table = options("-rf -o=> --lines=")
>>> parsed = parse([Word.of(text) for text in ("-fo", "x", "--lines=3", "--", "-y")], table)
>>> [(option.name, option.value and option.value.literal) for option in parsed.options]
[('-f', None), ('-o', 'x'), ('--lines', '3')]
>>> [word.literal for word in parsed.operands]
['-y']
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.shell.word import Word

Use: TypeAlias = Literal["flag", "value", "optional", "read", "write", "last"]

_USES: Mapping[str, Use] = {"=": "value", "=?": "optional", "=<": "read", "=>": "write", "=!": "last"}
_NUMBER = re.compile(r"[-+]\d+")


@dataclass(frozen=True, slots=True)
class OptionTable:
    """The options of one command.

    Attributes:
        uses: each option with what it does with a value.
        ends_at_operand: whether options stop at the first operand.
        numbers: whether ``-10`` is an option.
        globs: whether a word that starts with a glob may stand before ``--``. It may turn into an option, which no
            option of this command makes worse than its operands are.
    """

    uses: Mapping[str, Use]
    ends_at_operand: bool
    numbers: bool
    globs: bool


@dataclass(frozen=True, slots=True)
class Option:
    """An option as given."""

    name: str
    value: Word | None
    use: Use


@dataclass(frozen=True, slots=True)
class Parsed:
    """A command's words, told apart.

    Attributes:
        options: the options, in order.
        operands: all other words, in order.
        loose: those of the operands that may turn into options once the shell runs.
    """

    options: tuple[Option, ...]
    operands: tuple[Word, ...]
    loose: tuple[Word, ...] = ()

    def has(self, *names: str) -> bool:
        """Whether one of the options was given."""
        return any(option.name in names for option in self.options)

    @property
    def positional(self) -> tuple[Word, ...]:
        """The operands where their order counts: one that has globs may be several."""
        return tuple(word for operand in self.operands for word in [operand] * (1 + operand.has_glob))

    def value(self, *names: str) -> Word | None:
        """The value of the last of these options."""
        return next((option.value for option in reversed(self.options) if option.name in names), None)


def options(line: str, *, ends_at_operand: bool = False, numbers: bool = False, globs: bool = True) -> OptionTable:
    """Read an option table from its line."""
    uses: dict[str, Use] = {}
    for entry in line.split():
        name, equals, use = entry.partition("=")
        if equals or name.startswith("--"):
            uses[name] = _USES[equals + use] if equals else "flag"
        else:
            uses.update({f"-{letter}": "flag" for letter in name[1:]})
    return OptionTable(uses, ends_at_operand, numbers, globs)


def names(text: str) -> frozenset[str]:
    """Read a set of names from its line."""
    return frozenset(text.split())


def parse(words: Sequence[Word], table: OptionTable) -> Parsed:
    """Tell options and operands apart.

    Raises:
        UnreadableError: an option that the table does not have.
    """
    found: list[Option] = []
    operands: list[Word] = []
    loose: list[Word] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word.is_loose:
            loose.append(word)
            operands.append(word)
            continue
        if word.starts_with_glob and not table.globs:
            raise UnreadableError("file names that may turn into options: write ./* for *")
        text = word.prefix
        if word.literal == "--":
            operands += rest
            break
        if table.numbers and word.literal is not None and _NUMBER.fullmatch(word.literal):
            found.append(Option("-#", word, "flag"))
        elif text.startswith("--"):
            found.append(_long(word, table, rest))
        elif text.startswith("-") and word.literal != "-":
            found += _cluster(word, table, rest)
        else:
            operands.append(word)
            if table.ends_at_operand:
                operands += rest
                break
            continue
        if found[-1].use == "last":
            operands += rest
            break
    return Parsed(tuple(found), tuple(operands), tuple(loose))


def _long(word: Word, table: OptionTable, rest: list[Word]) -> Option:
    name, equals, _ = word.prefix.partition("=")
    use = table.uses.get(name)
    if use is None or (not equals and word.literal is None):
        raise UnreadableError(f"an option that isn't known: {name[:60]}")
    if equals:
        if use == "flag":
            raise UnreadableError(f"an option that takes no value: {name}")
        return Option(name, word.after(len(name) + 1), use)
    return Option(name, _next(name, rest) if use in {"value", "read", "write", "last"} else None, use)


def _cluster(word: Word, table: OptionTable, rest: list[Word]) -> list[Option]:
    found: list[Option] = []
    text = word.prefix
    for place in range(1, len(text)):
        name = "-" + text[place]
        use = table.uses.get(name)
        if use is None:
            raise UnreadableError(f"an option that isn't known: {name}")
        behind = word.after(place + 1)
        if use == "flag":
            found.append(Option(name, None, use))
            continue
        separate = None if use == "optional" or behind.literal != "" else _next(name, rest)
        value = separate if behind.literal == "" else behind
        return [*found, Option(name, value, use)]
    if word.literal is None:
        raise unresolved(f"options that only the shell knows behind {text[:2]}")
    return found


def _next(name: str, rest: list[Word]) -> Word:
    if not rest:
        raise UnreadableError(f"an option without its value: {name}")
    word = rest.pop(0)
    if any(piece.kind == "split" for piece in word.pieces):
        raise unresolved(f"a value that only the shell knows, of {name}")
    if word.has_glob:
        # Of several files the first is the value, and all others are operands.
        if word.prefix[:1] in {"", "-"}:
            raise UnreadableError(f"file names that may turn into options, behind {name}: quote it, or write ./* for *")
        rest.insert(0, word)
    return word
