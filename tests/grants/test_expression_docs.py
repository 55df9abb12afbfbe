"""Every row of docs/spec/expressions.md is true."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from grants.errors import ExpressionError
from grants.expression import Choice, Flag, Interval, Name, Ref, Truth, compile_expression, evaluate
from grants.expression.domain import AttributeType
from grants.expression.lexis import MAX_BRACKETS, MAX_LENGTH
from grants.expression.tree import MAX_ATOMS, MAX_DEPTH
from grants.expression.truth import conjunction, disjunction, negation

PAGE = (Path(__file__).parents[2] / "docs" / "spec" / "expressions.md").read_text("utf-8")
ATTRIBUTES: dict[str, AttributeType] = {
    "environment": Choice(("dev", "test", "staging", "prod")),
    "reversibility": Choice(("reversible", "recoverable", "irreversible")),
    "about_people": Flag(),
    "count": Interval(0, 100),
    "domain": Name(),
    "target": Ref(),
}
CATEGORIES = {"destructive": compile_expression('reversibility == "irreversible"', ATTRIBUTES)}


def rows(header: str) -> Iterator[list[str]]:
    """Give the cells of a table, code marks removed."""
    table = PAGE.split(f"{header}\n", 1)[1].split("\n\n", 1)[0]
    for line in table.strip().splitlines()[1:]:
        yield [cell.strip(" ").strip("`") for cell in line.strip("| ").split(" | ")]


@pytest.mark.parametrize(("name", "join"), [("and", conjunction), ("or", disjunction)])
def test_tables(name: str, join: type[Truth]) -> None:
    right = ["true", "unknown", "false"]
    for left, *cells in rows(f"| {name} | {' | '.join(right)} |"):
        assert cells == [join([Truth(left), Truth(other)]).value for other in right]


def test_negation() -> None:
    table = dict(rows("| not | |"))
    assert table == {truth.value: negation(truth).value for truth in Truth}


@pytest.mark.parametrize(("text", "values", "truth"), list(rows("| condition | values | truth |")))
def test_examples(text: str, values: str, truth: str) -> None:
    assert evaluate(compile_expression(text, ATTRIBUTES, CATEGORIES), json.loads(values)) is Truth(truth)


@pytest.mark.parametrize(("text", "because"), list(rows("| refused | because |")))
def test_refusals(text: str, because: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        compile_expression(text, ATTRIBUTES, CATEGORIES)
    assert because in str(caught.value)


def test_the_caps_are_as_said() -> None:
    said = " ".join(PAGE.split())
    assert (
        f"at most {MAX_LENGTH} characters, brackets go {MAX_BRACKETS} deep, "
        f"a tree with its categories {MAX_DEPTH} levels and {MAX_ATOMS} atoms" in said
    )
