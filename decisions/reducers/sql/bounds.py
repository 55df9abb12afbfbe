"""Whether a bound lies where no row is expected beyond, so that ``id > 0`` picks nothing out.

Only a number, a date, and now less or more an interval are read: any other bound may lie anywhere.

Source: DESIGN section 10 (scope); issue 2 (missing WHERE).
"""

import re

from sqlglot import exp

_NUMBER = re.compile(r"[0-9]+", re.ASCII)
_DATE = re.compile(r"([0-9]{4})-[0-9]{2}-[0-9]{2}(?:[ T][0-9:.]+)?(?:Z|[+-][0-9:]+)?", re.ASCII)
_LOWEST, _HIGHEST = 1, 2**31 - 1
_FIRST_YEAR, _LAST_YEAR = 1970, 2099
_LONGEST_YEARS = 10
_NOW = (exp.CurrentTimestamp, exp.CurrentDate, exp.CurrentDatetime)
_SPAN = re.compile(r"([0-9]{1,6}) ?(SECOND|MINUTE|HOUR|DAY|WEEK|MONTH|YEAR)S?", re.ASCII | re.IGNORECASE)
_PER_YEAR = {"SECOND": 31536000, "MINUTE": 525600, "HOUR": 8760, "DAY": 365, "WEEK": 52, "MONTH": 12, "YEAR": 1}


def is_extreme(bound: exp.Expr, *, above: bool) -> bool:
    """Whether what lies above a bound, or below it, may be every row.

    Args:
        bound: what a column is held against.
        above: whether rows above it are meant.
    """
    while isinstance(bound, exp.Paren | exp.Cast):
        bound = bound.this
    if isinstance(bound, exp.Neg):
        return above or not isinstance(bound.this, exp.Literal)
    if isinstance(bound, exp.Literal):
        return _is_extreme_literal(bound, above=above)
    if isinstance(bound, exp.Sub | exp.Add | exp.DateSub | exp.DateAdd | exp.TsOrDsAdd):
        back = isinstance(bound, exp.Sub | exp.DateSub)
        return not _is_now(bound.this) or (back is above and not _is_short(bound)) or (not back and not above)
    return not _is_now(bound)


def _is_now(bound: exp.Expr) -> bool:
    return isinstance(bound, _NOW) or (isinstance(bound, exp.Anonymous) and bound.name.lower() == "now")


def _is_extreme_literal(bound: exp.Literal, *, above: bool) -> bool:
    if not bound.is_string:
        return not _NUMBER.fullmatch(bound.name) or (
            int(bound.name) <= _LOWEST if above else int(bound.name) >= _HIGHEST
        )
    date = _DATE.fullmatch(bound.name)
    if date is None:
        return True
    return int(date[1]) <= _FIRST_YEAR if above else int(date[1]) >= _LAST_YEAR


def _is_short(sum_: exp.Expr) -> bool:
    span = sum_.args.get("expression")
    text = span.name if isinstance(span, exp.Interval) and isinstance(span.this, exp.Literal) else ""
    unit = span.args.get("unit") if isinstance(span, exp.Interval) else sum_.args.get("unit")
    match = _SPAN.fullmatch(f"{text} {unit.name}" if isinstance(unit, exp.Expr) and text.isdigit() else text)
    return match is not None and int(match[1]) <= _LONGEST_YEARS * _PER_YEAR[match[2].upper()]
