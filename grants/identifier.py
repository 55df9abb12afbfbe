r"""Names in one spelling: what may stand in an identifier, and how a doubtful one is shown.

A name is compared by its code points and by nothing else. So what a reader can't see or can't tell apart from
nothing is refused, and no name is ever folded into another: a look-alike stays a different, unknown name, and
`code_points` shows what it is made of.

>>> parse_principal("agent:ops-7")
'agent:ops-7'
>>> print(code_points("pr\u043ed-db"))
pr\u043ed-db (U+043E CYRILLIC SMALL LETTER O at 2)
>>> check_text("a\u200bb")
Traceback (most recent call last):
grants.errors.IdentifierError: it can't be seen and may not stand in a name: a\u200bb (U+200B ZERO WIDTH SPACE at 1)

A principal is ``<kind>:<name>``; the kinds are in `KINDS`, and a name is ``[a-z0-9]`` then up to 63 of
``[a-z0-9._-]``. Which code points are assigned, and what is NFC, is Unicode as the running Python knows it.

Source: DESIGN sections 8 and 11; policy cases B01, A19, E01.
"""

import re
import unicodedata
from typing import NewType

from grants.errors import IdentifierError
from grants.spelling import suggestion

PrincipalId = NewType("PrincipalId", str)

KINDS = ("human", "agent", "service", "registrar", "sensor", "witness")

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}", re.ASCII)
_SHOWN = 120
_LAST_SHORT = 0xFFFF
_LISTED = 8

# Controls, format characters (bidi controls and zero-width among them), surrogates, private use, unassigned,
# and every separator but the plain space.
_REFUSED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})

# Letters and marks of other categories that are drawn as nothing: fillers, joiners, variation selectors, blank Braille.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]",
)


def check_text(text: str) -> str:
    """Accept a text whose every character can be seen, in Unicode's composed form.

    Args:
        text: what is to stand in an identifier.

    Returns:
        The same text.

    Raises:
        IdentifierError: a control, a bidi control, a zero-width or otherwise invisible character, a surrogate, an
            unassigned or private code point, white space other than U+0020, or a text that is not NFC.
    """
    if text.isascii() and text.isprintable():
        return text
    for place, character in enumerate(text):
        if not _is_visible(character):
            start = max(0, place - 20)
            raise IdentifierError(
                f"it can't be seen and may not stand in a name: {_marked(text, start, [place])}",
            )
    if not unicodedata.is_normalized("NFC", text):
        raise IdentifierError(f"not in Unicode's composed form (NFC), write it so: {code_points(text)}")
    return text


def code_points(text: str) -> str:
    """Show a text in ASCII, each other character escaped, named and given its place, so that look-alikes differ."""
    return _marked(text, 0, [place for place, character in enumerate(text) if not _is_plain(character)])


def is_principal(text: str) -> bool:
    """Tell whether a text is meant as a principal id: it begins with a kind of principal."""
    kind, colon, _ = text.partition(":")
    return bool(colon) and kind in KINDS


def check_name(text: str) -> str:
    """Accept ``[a-z0-9]`` and then up to 63 of ``[a-z0-9._-]``.

    Raises:
        IdentifierError: any other spelling.
    """
    if not _NAME.fullmatch(text):
        raise IdentifierError(
            "a name is a lower-case letter or digit, then up to 63 of a-z 0-9 . _ -, "
            f"and not: {code_points(text) or '(empty)'}",
        )
    return text


def parse_principal(text: str) -> PrincipalId:
    """Accept the id of a principal, ``<kind>:<name>``.

    Raises:
        IdentifierError: an unknown kind, or a name in another spelling.
    """
    kind, colon, name = text.partition(":")
    if not colon:
        raise IdentifierError(f"a principal is <kind>:<name>, such as agent:ops-7, and not: {code_points(text)}")
    if kind not in KINDS:
        raise IdentifierError(f"unknown kind of principal {code_points(kind)}{suggestion(kind, KINDS)}")
    check_name(name)
    return PrincipalId(text)


def kind_of(principal: PrincipalId) -> str:
    """Give the kind of a principal: one of `KINDS`."""
    return principal.partition(":")[0]


def _is_plain(character: str) -> bool:
    return character.isascii() and character.isprintable()


def _is_visible(character: str) -> bool:
    category = unicodedata.category(character)
    if category in _REFUSED_CATEGORIES or (category == "Zs" and character != " "):
        return False
    return not _INVISIBLE.match(character)


def _marked(text: str, start: int, places: list[int]) -> str:
    """Escape a stretch of the text, and name the characters at the places."""
    shown = text[start : start + _SHOWN]
    escaped = "".join(character if _is_plain(character) else _escape(character) for character in shown)
    cut = "..." if start else ""
    rest = f"... ({len(text)} characters)" if start + _SHOWN < len(text) else ""
    named = [
        f"U+{ord(text[place]):04X} {unicodedata.name(text[place], 'without a name')} at {place}"
        for place in places[:_LISTED]
    ]
    if len(places) > _LISTED:
        named.append(f"and {len(places) - _LISTED} more")
    return cut + escaped + rest + (f" ({', '.join(named)})" if named else "")


def _escape(character: str) -> str:
    point = ord(character)
    return f"\\u{point:04x}" if point <= _LAST_SHORT else f"\\U{point:08x}"
