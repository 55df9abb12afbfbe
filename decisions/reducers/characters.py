"""Which characters code may hold: those that every reader of it takes alike.

A carriage return, a no-break space or an invisible character is white space to one parser and part of a name to the
next; text that holds one outside of what is allowed is refused before it is parsed.

Source: policy cases A15, A19, B01.
"""

import unicodedata

from decisions.reducers.errors import UnreadableError

_REFUSED = frozenset({"Cc", "Cs", "Zs", "Zl", "Zp"})


def check_characters(text: str, allowed: str) -> None:
    """Hold that a text has no control and no white space but the allowed.

    Raises:
        UnreadableError: it has.
    """
    if text.isascii() and text.translate(dict.fromkeys(map(ord, allowed))).isprintable():
        return
    for character in text:
        if character in allowed or character == " ":
            continue
        if character.isspace() or unicodedata.category(character) in _REFUSED:
            raise UnreadableError(f"it holds the character U+{ord(character):04X}, which parsers take differently")
