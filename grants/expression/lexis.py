r"""The characters and words of a condition, checked before any grammar looks at it.

Only these words exist: ASCII names, whole numbers without sign or leading zero, strings without escapes, the
comparison signs, brackets and commas, with spaces and line breaks between them. So a string means what it shows, a
look-alike name can't be normalised into a known one, and comments, prefixes, string joining, attribute access and
arithmetic end here. Python's own parser then sees nothing but this.

>>> one_line('environment == "prod"\n  and about_people')
'environment == "prod"   and about_people'
>>> one_line("environment.real")
Traceback (most recent call last):
grants.errors.ExpressionError: at character 11: "." is not part of the language

Source: DESIGN section 10; policy case B01.
"""

import re

from grants.errors import ExpressionError, IdentifierError
from grants.identifier import check_text, code_points

MAX_LENGTH = 4096
MAX_BRACKETS = 32

_WORD = re.compile(
    r"""(?P<space>[ \n]+)
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<number>0|[1-9][0-9]*)
      | (?P<string>"[^"'\\\n]*" | '[^"'\\\n]*')
      | (?P<sign>==|!=|<=|>=|<|>|,)
      | (?P<open>[(\[])
      | (?P<close>[)\]])""",
    re.ASCII | re.VERBOSE,
)
_SOLID = frozenset({"name", "number", "string"})


def one_line(text: str) -> str:
    """Check every word of a condition and give it on one line, each character in its place.

    Raises:
        ExpressionError: too long, nested too deeply, or with something in it that is no word of the language.
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"a condition has at most {MAX_LENGTH} characters, not {len(text)}")
    place = depth = 0
    before = ""
    while place < len(text):
        word = _WORD.match(text, place)
        if word is None:
            raise ExpressionError(f"at character {place}: {_refused(text[place:])}")
        kind = str(word.lastgroup)
        depth += (kind == "open") - (kind == "close")
        if depth > MAX_BRACKETS:
            raise ExpressionError(f"at character {place}: brackets nested more than {MAX_BRACKETS} deep")
        _check_neighbours(before, kind, place)
        _check_string(kind, word[0], place)
        before = kind if kind != "space" else before and f"{before} "
        place = word.end()
    return text.replace("\n", " ").strip(" ")


def _check_neighbours(before: str, kind: str, place: int) -> None:
    if kind in _SOLID and before in _SOLID:
        raise ExpressionError(f"at character {place}: put a space or a sign before this")
    if kind == "string" and before.strip() == "string":
        raise ExpressionError(f"at character {place}: two strings in a row, is a comma missing?")


def _check_string(kind: str, word: str, place: int) -> None:
    if kind != "string":
        return
    try:
        check_text(word)
    except IdentifierError as error:
        raise ExpressionError(f"at character {place}: {error}") from error


def _refused(rest: str) -> str:
    if rest[0] in "\"'":
        return "a string ends on its line with the quote that it began with, and holds no quote and no backslash"
    if rest[0] == "=":
        return 'equality is written "=="'
    return f'"{code_points(rest[0])}" is not part of the language'
