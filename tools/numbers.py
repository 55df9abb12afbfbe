"""Numbers as people type them: of events, of sizes, of whatever is counted in a log.

None is larger than what canonical JSON can hold (DESIGN section 4), so that every number that was taken can be asked
for in any database.
"""

from typing import Final

import click

from ledger.canon import MAX_INTEGER
from tools.errors import InputError

_DIGITS: Final = len(str(MAX_INTEGER))


def number(text: str) -> int | None:
    """Give the number that a text is, or None for a text that is no row of digits.

    Raises:
        InputError: it is larger than any number here.
    """
    if not (text.isascii() and text.isdigit()):
        return None
    # Measured before it is read: Python reads no row of some thousands of digits.
    digits = text.lstrip("0") or "0"
    if len(digits) > _DIGITS or int(digits) > MAX_INTEGER:
        raise InputError(f"{text[:_DIGITS]}... is too large: no number here is above {MAX_INTEGER}")
    return int(digits)


class Number(click.ParamType[int]):
    """A number on the command line.

    Args:
        least: the smallest that is taken; 0 for an event's number, 1 for a size.
    """

    name = "integer"

    def __init__(self, least: int = 0) -> None:
        self.least = least

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read it."""
        if isinstance(value, int):
            return value
        try:
            found = number(str(value))
        except InputError as error:
            self.fail(str(error), param, ctx)
        if found is None or found < self.least:
            self.fail(f"{str(value)[:40]!a} is no whole number of {self.least} or more", param, ctx)
        return found
