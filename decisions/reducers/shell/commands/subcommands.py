"""What tools with subcommands have in common: whose options may stand anywhere, and whose operands are names.

Source: the manuals of docker, kubectl, helm (whose options are pflag's) and terraform (Go's ``flag``).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.options import OptionTable, Parsed
from decisions.reducers.shell.word import Word

CURRENT = "current"
"""What stands in a reference for what a command takes from its surroundings."""


def name_of(word: Word, what: str) -> str:
    """Give a name that is written out.

    Raises:
        UnreadableError: only the shell knows it, or file names decide it.
    """
    if word.literal is None:
        raise unresolved(f"{what} that only the shell knows: {word.shown()[:60]}")
    if not word.literal:
        raise UnreadableError(f"{what} without a name", "ID_INVALID")
    return word.literal


def names_of(words: Iterable[Word], what: str) -> list[str]:
    """Give names that are written out.

    Raises:
        UnreadableError: only the shell knows one of them.
    """
    return [name_of(word, what) for word in words]


def below(target: str, path: str) -> str:
    """Spell what lies below a target, along a path whose slashes at either end, and doubled, count for nothing."""
    return "/".join([target, *(part for part in path.split("/") if part)])


def scope_for(count: int, *, every: bool = False) -> str:
    """Say how much several names cover."""
    return "all" if every else "one" if count == 1 else "many"


def value_of(parsed: Parsed, *options: str, default: str = CURRENT) -> str:
    """Give the value of an option, or what stands for its absence.

    Raises:
        UnreadableError: only the shell knows it, or it is given twice.
    """
    found = [option.value for option in parsed.options if option.name in options]
    if len(found) > 1:
        raise UnreadableError(f"more than one {options[-1]}")
    return default if not found or found[0] is None else name_of(found[0], options[-1])


def joined_table(*tables: OptionTable, ends_at_operand: bool = False) -> OptionTable:
    """Put option tables together: what a subcommand takes, and what its tool takes anywhere."""
    uses = {name: use for table in tables for name, use in table.uses.items()}
    return OptionTable(uses, ends_at_operand, numbers=False, globs=False)


def parsed_as_pflag(call: Call, table: OptionTable, words: Sequence[Word]) -> Parsed:
    """Tell options and operands apart as pflag does, for which ``-n=x`` is ``-n x``.

    Raises:
        UnreadableError: an option that isn't known, or that spelling of one.
    """
    parsed = call.parse(table, words)
    if parsed.loose:
        raise unresolved("a word that only the shell knows, and that may become an option")
    for option in parsed.options:
        if not option.name.startswith("--") and option.value is not None and option.value.prefix.startswith("="):
            raise UnreadableError(f"a value with a sign before it, of {option.name}: write {option.name} VALUE")
    return parsed


@dataclass(frozen=True, slots=True)
class Flags:
    """The words of a command whose options have one dash and a long name.

    Attributes:
        values: each option with its values, None for one that was given alone.
        operands: all other words.
    """

    values: Mapping[str, list[Word | None]]
    operands: tuple[Word, ...]

    def has(self, *names: str) -> bool:
        """Whether one of the options was given, and not switched off."""
        return any(word is None or word.literal != "false" for name in names for word in self.values.get(name, ()))


def flags(words: Sequence[Word], switches: frozenset[str], valued: frozenset[str]) -> Flags:
    """Tell options and operands apart as Go's ``flag`` does: options end at the first operand.

    Raises:
        UnreadableError: an option that isn't known, or that only the shell knows.
    """
    values: dict[str, list[Word | None]] = {}
    rest = list(words)
    while rest and rest[0].prefix.startswith("-") and rest[0].literal != "-":
        word = rest.pop(0)
        if word.literal == "--":
            break
        dashes = 2 if word.prefix.startswith("--") else 1
        name, equals, _ = word.prefix[dashes:].partition("=")
        value: Word | None = word.after(dashes + len(name) + 1) if equals else None
        if name in valued:
            value = value or _value(name, rest)
        elif name not in switches or (value is None and word.literal is None):
            raise UnreadableError(f"an option that isn't known: -{name[:40]}")
        elif value is not None and value.literal not in {"true", "false"}:
            raise UnreadableError(f"an option that is true or false: -{name}")
        if value is not None and (value.is_loose or value.has_glob):
            raise unresolved(f"a value that only the shell knows, of -{name}")
        values.setdefault(name, []).append(value)
    if any(word.is_loose or word.has_glob for word in rest) or any(word.prefix.startswith("-") for word in rest):
        raise unresolved("operands that may be options")
    return Flags(values, tuple(rest))


def _value(name: str, rest: list[Word]) -> Word:
    if not rest:
        raise UnreadableError(f"an option without its value: -{name}")
    return rest.pop(0)
