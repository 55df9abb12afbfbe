"""Reads a parsed TOML table strictly: every key is known, every value has its type, every text can be seen.

An unknown key refuses the document, whatever it would mean: so no key that makes anything fail open can be written.

Source: DESIGN section 10; policy cases B15, C05, C09.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from decisions.errors import ConstitutionError
from grants.errors import IdentifierError
from grants.identifier import check_text, code_points
from grants.spelling import suggestion

K = TypeVar("K", bound=str)

MAX_TEXT = 1000

WORD = re.compile(r"[a-z][a-z0-9_]{0,63}", re.ASCII)
"""How kinds, verbs, attributes, categories and classes are named."""

_CALLED: Mapping[type, str] = {
    dict: "a table",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number with a point",
}


def refusal(place: str, why: str) -> ConstitutionError:
    """Make the error that refuses the document: one line, the place first."""
    return ConstitutionError(" ".join(f"{place}: {why}".split()))


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose keys are all known, and none of those that it must have is missing."""

    place: str
    values: Mapping[str, object]

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def at(self, key: str) -> str:
        """Name the place of a key."""
        return f"{self.place}.{key}"

    def text(self, key: str) -> str:
        """Read a text that people are shown."""
        return text(self.at(key), self.values[key])

    def word(self, key: str, form: re.Pattern[str], what: str) -> str:
        """Read a name of a certain form."""
        return word(self.at(key), self.values[key], form, what)

    def words(self, key: str) -> tuple[str, ...]:
        """Read a list of texts."""
        return words(self.at(key), self.values[key])

    def one_of(self, key: str, known: Collection[K], what: str) -> K:
        """Read one of a few known names."""
        return one_of(self.at(key), self.text(key), known, what)

    def some_of(self, key: str, known: Collection[str], what: str) -> frozenset[str]:
        """Read a list of known names."""
        return frozenset(one_of(self.at(key), name, known, what) for name in self.words(key))

    def whole(self, key: str, low: int, high: int) -> int:
        """Read a whole number within bounds."""
        value = self.values[key]
        if type(value) is not int:
            raise refusal(self.at(key), f"a whole number is wanted, not {called(value)}")
        if not low <= value <= high:
            raise refusal(self.at(key), f"{low} to {high} is wanted")
        return value

    def flag(self, key: str) -> bool:
        """Read true or false."""
        value = self.values[key]
        if type(value) is not bool:
            raise refusal(self.at(key), f"true or false is wanted, not {called(value)}")
        return value

    def rows(self, key: str) -> list[object]:
        """Read a list of tables; what each holds is for the caller to read."""
        value = self.values[key]
        if type(value) is not list or not value:
            raise refusal(self.at(key), f"one or more tables are wanted, not {called(value)}")
        return value


def table(place: str, value: object, required: Collection[str], optional: Collection[str] = ()) -> Table:
    """Read a table with these keys and no others.

    Raises:
        ConstitutionError: no table, an unknown key, or a missing one.
    """
    found = mapping(place, value)
    known = [*required, *optional]
    for key in found:
        if key not in known:
            raise refusal(place, f'unknown key "{code_points(key)}"{suggestion(key, known)}')
    for key in required:
        if key not in found:
            raise refusal(place, f'"{key}" is missing')
    return Table(place, found)


def named(place: str, value: object, what: str, taken: Iterable[str] = ()) -> dict[str, object]:
    """Read a table whose keys are names that the document gives."""
    found = mapping(place, value)
    for name in found:
        word(place, name, WORD, what)
        if name in taken:
            raise refusal(place, f'"{name}" has a meaning in the language and can\'t name {what}')
    return found


def mapping(place: str, value: object) -> dict[str, object]:
    """Read a table, whatever its keys."""
    if type(value) is not dict:
        raise refusal(place, f"a table is wanted, not {called(value)}")
    return value


def text(place: str, value: object) -> str:
    """Read a text that people are shown: not empty, not endless, nothing in it that can't be seen."""
    if type(value) is not str:
        raise refusal(place, f"a text is wanted, not {called(value)}")
    if not value.strip() or len(value) > MAX_TEXT:
        raise refusal(place, f"a text of 1 to {MAX_TEXT} characters is wanted")
    try:
        return check_text(value)
    except IdentifierError as error:
        raise refusal(place, str(error)) from error


def source(place: str, value: object) -> str:
    """Read the text of a condition; the language itself says what may stand in it."""
    if type(value) is not str:
        raise refusal(place, f"a condition is written as a text, not {called(value)}")
    return value


def word(place: str, value: object, form: re.Pattern[str], what: str) -> str:
    """Read a name of a certain form."""
    name = text(place, value)
    if not form.fullmatch(name):
        raise refusal(place, f'"{code_points(name)}" can\'t name {what}, which is written {form.pattern}')
    return name


def words(place: str, value: object) -> tuple[str, ...]:
    """Read a list of texts, not empty, each once."""
    if type(value) is not list or not value:
        raise refusal(place, f"a list of one or more texts is wanted, not {called(value)}")
    found = tuple(text(place, item) for item in value)
    for name in found:
        if found.count(name) > 1:
            raise refusal(place, f'"{code_points(name)}" stands twice')
    return found


def one_of(place: str, name: str, known: Collection[K], what: str) -> K:
    """Give the known name that this is."""
    for candidate in known:
        if name == candidate:
            return candidate
    raise refusal(place, f'unknown {what} "{code_points(name)}"{suggestion(name, known)}')


def called(value: object) -> str:
    """Say what a TOML value is."""
    if value == []:
        return "an empty list"
    return _CALLED.get(type(value), "a date or time")
