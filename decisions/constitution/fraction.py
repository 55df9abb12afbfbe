"""Fractions from 0 to 1 in units of 10^-15, written as decimal texts: no float ever stands between.

>>> parse_fraction("0.70")
700000000000000
>>> spell_fraction(18681995162131)
'0.018681995162131'
>>> parse_fraction("7e-1")
Traceback (most recent call last):
decisions.errors.ConstitutionError: not a fraction from "0" to "1" with at most 15 places, such as "0.70": 7e-1

Source: DESIGN section 4.
"""

import re

from decisions.errors import ConstitutionError
from grants.identifier import code_points

PLACES = 15
ONE = 10**15

_FORM = re.compile(r"([01])(?:\.([0-9]{1,15}))?", re.ASCII)
_SHOWN_PLACES = 2


def parse_fraction(text: str) -> int:
    """Read a fraction exactly.

    Raises:
        ConstitutionError: another spelling than digits with a point, more than 15 places, or more than one.
    """
    form = _FORM.fullmatch(text)
    if form:
        whole, places = form.groups(default="")
        units = int(whole) * ONE + int(places.ljust(PLACES, "0"))
        if units <= ONE:
            return units
    wanted = 'not a fraction from "0" to "1" with at most 15 places, such as "0.70"'
    raise ConstitutionError(f"{wanted}: {code_points(text)}")


def spell_fraction(units: int) -> str:
    """Write units of 10^-15 as a decimal text, with two places or as many as it takes."""
    whole, rest = divmod(units, ONE)
    return f"{whole}." + f"{rest:0{PLACES}}".rstrip("0").ljust(_SHOWN_PLACES, "0")
