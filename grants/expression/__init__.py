"""Conditions over declared attributes: one small language for grant selectors and constitutional rules.

`compile_expression` reads and checks a condition once, `evaluate` gives its truth for some values in three-valued
logic, `explain` the truth of each of its atoms, and `can_be` tells whether any values at all make it true.

>>> attributes = {"environment": Choice(("dev", "prod")), "about_people": Flag()}
>>> condition = compile_expression('environment == "prod" and not about_people', attributes)
>>> evaluate(condition, {"environment": "dev"})
<Truth.FALSE: 'false'>
>>> evaluate(condition, {"environment": "prod"})
<Truth.UNKNOWN: 'unknown'>

Source: DESIGN section 10; the grammar and the truth tables stand in docs/spec/expressions.md.
"""

from grants.expression.domain import ABSENT, UNKNOWN, AttributeType, Choice, Flag, Interval, Missing, Name, Ref
from grants.expression.evaluate import evaluate, explain
from grants.expression.satisfy import Possibility, can_be
from grants.expression.syntax import compile_expression
from grants.expression.tree import Expression
from grants.expression.truth import Truth

__all__ = [
    "ABSENT",
    "UNKNOWN",
    "AttributeType",
    "Choice",
    "Expression",
    "Flag",
    "Interval",
    "Missing",
    "Name",
    "Possibility",
    "Ref",
    "Truth",
    "can_be",
    "compile_expression",
    "evaluate",
    "explain",
]
