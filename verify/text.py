r"""Untrusted text for a terminal: what can't be seen, or would move what can, is written out.

>>> visible("rm \u202etxt.exe\x1b[2J caf\u00e9")
'rm \\u202etxt.exe\\u001b[2J caf\u00e9'

Source: DESIGN section 10 (no controls, bidi, zero-width).
"""

import unicodedata


def visible(text: str) -> str:
    """Give the text on one line, each control, format, private and line-breaking character escaped."""
    return "".join(character if _is_visible(character) else _escape(character) for character in text)


def _is_visible(character: str) -> bool:
    return character == " " or unicodedata.category(character)[0] not in "CZ"


def _escape(character: str) -> str:
    number = ord(character)
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"  # noqa: PLR2004  (what four digits hold)
