"""What someone probably meant: the nearest known spelling, for error messages only.

A suggestion is printed and never acted on: nothing is ever folded into a known name.

>>> suggestion("enviroment", ["asset", "environment"])
'; did you mean "environment"?'
>>> suggestion("colour", ["asset", "environment"])
'; known are "asset", "environment"'

Source: DESIGN section 10 (an unknown name refuses the whole document and names the nearest spelling).
"""

import difflib
from collections.abc import Iterable

_LONGEST = 128
_LISTED = 12


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Give the known name that is spelled most like the word, or None where none is close."""
    names = {name.casefold(): name for name in sorted(known)}
    close = difflib.get_close_matches(word[:_LONGEST].casefold(), names, n=1)
    return names[close[0]] if close else None


def suggestion(word: str, known: Iterable[str]) -> str:
    """End an error message: the nearest spelling, else what is known, else nothing."""
    names = sorted(known)
    close = nearest(word, names)
    if close is not None:
        return f'; did you mean "{close}"?'
    if 0 < len(names) <= _LISTED:
        return "; known are " + ", ".join(f'"{name}"' for name in names)
    return ""
