"""Three-valued truth: the tables, an independent evaluator, monotonicity, and values that don't fit."""

import ast
import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grants.expression import (
    ABSENT,
    UNKNOWN,
    Choice,
    Flag,
    Interval,
    Missing,
    Name,
    Ref,
    Truth,
    compile_expression,
    evaluate,
    explain,
)
from grants.expression.domain import AttributeType
from grants.expression.truth import conjunction, disjunction, negation

T, F, U = Truth.TRUE, Truth.FALSE, Truth.UNKNOWN
ATTRIBUTES: dict[str, AttributeType] = {
    "environment": Choice(("dev", "test", "prod")),
    "a": Flag(),
    "b": Flag(),
    "c": Flag(),
    "count": Interval(0, 9),
    "domain": Name(),
    "target": Ref(),
}
CATEGORIES = {
    "live": compile_expression('environment == "prod"', ATTRIBUTES),
    "busy": compile_expression("a and count > 4", ATTRIBUTES),
}
BACK: dict[Truth, object] = {T: True, F: False, U: UNKNOWN}


@pytest.mark.parametrize(
    ("left", "right", "both", "either"),
    [
        (T, T, T, T),
        (T, U, U, T),
        (T, F, F, T),
        (U, T, U, T),
        (U, U, U, U),
        (U, F, F, U),
        (F, T, F, T),
        (F, U, F, U),
        (F, F, F, F),
    ],
)
def test_the_tables_are_strong_kleene(left: Truth, right: Truth, both: Truth, either: Truth) -> None:
    values = {"a": BACK[left], "b": BACK[right]}
    assert conjunction([left, right]) is both
    assert disjunction([left, right]) is either
    assert evaluate(compile_expression("a and b", ATTRIBUTES), values) is both
    assert evaluate(compile_expression("a or b", ATTRIBUTES), values) is either


@pytest.mark.parametrize(("truth", "negated"), [(T, F), (U, U), (F, T)])
def test_negation_turns_what_is_known(truth: Truth, negated: Truth) -> None:
    assert negation(truth) is negated
    assert evaluate(compile_expression("not a", ATTRIBUTES), {"a": BACK[truth]}) is negated


def test_joining_three_is_joining_two_twice() -> None:
    for one, two, three in itertools.product((T, F, U), repeat=3):
        assert conjunction([one, two, three]) is conjunction([one, conjunction([two, three])])
        assert disjunction([one, two, three]) is disjunction([disjunction([one, two]), three])
        assert negation(conjunction([one, two])) is disjunction([negation(one), negation(two)])


def test_a_truth_is_no_bool() -> None:
    with pytest.raises(TypeError, match="compare it"):
        bool(U)


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ('environment == "prod"', {"environment": "prod"}, T),
        ('environment == "prod"', {"environment": "dev"}, F),
        ('environment != "prod"', {"environment": "dev"}, T),
        ('environment != "prod"', {}, U),
        ('environment != "prod"', {"environment": ABSENT}, U),
        ('environment in ("dev", "test")', {"environment": "test"}, T),
        ('environment not in ("dev", "test")', {"environment": "test"}, F),
        ("a", {"a": True}, T),
        ("a", {"a": False}, F),
        ("a != True", {"a": False}, T),
        ("a == False", {"a": False}, T),
        ("count == 0", {"count": 0}, T),
        ("3 < count <= 5", {"count": 3}, F),
        ("3 < count <= 5", {"count": 5}, T),
        ("5 >= count > 3", {"count": 4}, T),
        ("5 > count", {"count": 5}, F),
        ("count < 5", {"count": 4}, T),
        ("count >= 5", {"count": 5}, T),
        ('domain == "care"', {"domain": "care"}, T),
        ('target == "file:///a"', {"target": "file:///a"}, T),
        ('under(target, "file:///a")', {"target": "file:///a"}, T),
        ('under(target, "file:///a")', {"target": "file:///a/b"}, T),
        ('under(target, "file:///a")', {"target": "file:///ab"}, F),
        ('under(target, "file:///a")', {"target": "file:///a/"}, U),
        ('under(target, "file:///a")', {"target": UNKNOWN}, U),
        ("present(count)", {"count": 0}, T),
        ("present(a)", {"a": False}, T),
        ("present(count)", {"count": ABSENT}, F),
        ("present(count)", {"count": UNKNOWN}, U),
        ("present(count)", {"count": 10}, U),
        ("present(count)", {}, U),
        ("live", {"environment": "prod"}, T),
        ("not live or busy", {"environment": "prod", "a": False}, F),
        ("True or a", {}, T),
        ("False and a", {}, F),
    ],
)
def test_gives_the_truth(text: str, values: dict[str, object], expected: Truth) -> None:
    assert evaluate(compile_expression(text, ATTRIBUTES, CATEGORIES), values) is expected


class Sly(str):
    """A text that claims to be equal to everything."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True


UNFIT: list[object] = [
    math.nan, math.inf, -math.inf, 1.0, 0.5, None, b"prod", [], {}, ["prod"], object(), 2**80, -1, 10, "production",
    "PROD",
    "true", "", "a\0", "\ud800", "cafe\u0301", Sly("prod"), T, "a" * 5000, type,
]  # fmt: skip


@pytest.mark.parametrize("value", UNFIT, ids=lambda value: repr(value)[:20].encode("ascii", "replace").decode())
def test_a_value_outside_its_domain_is_unknown_and_never_an_error(value: object) -> None:
    """Policy case C05: neither NaN nor a text switches a rule off."""
    for text in (
        'environment == "prod"',
        "a",
        "not a",
        "count > 4",
        "count != 3",
        'target == "file:///a"',
        "present(a)",
    ):
        expression = compile_expression(text, ATTRIBUTES)
        assert evaluate(expression, dict.fromkeys(expression.reads, value)) is U
    domain = compile_expression('domain != "x"', ATTRIBUTES)
    fits = type(value) is str and value in {"production", "PROD", "true"}
    assert evaluate(domain, {"domain": value}) is (T if fits else U)


def test_a_bool_is_no_number_and_a_number_no_bool() -> None:
    assert evaluate(compile_expression("count == 1", ATTRIBUTES), {"count": True}) is U
    assert evaluate(compile_expression("a", ATTRIBUTES), {"a": 1}) is U
    assert evaluate(compile_expression("a == False", ATTRIBUTES), {"a": 0}) is U


def test_explains_each_atom_in_source_order_and_each_once() -> None:
    expression = compile_expression("busy and (live or not b) and b and True", ATTRIBUTES, CATEGORIES)
    assert explain(expression, {"environment": "prod", "count": 9, "b": False}) == (
        ("busy", U),
        ("busy: a", U),
        ("busy: count > 4", T),
        ("live", T),
        ('live: environment == "prod"', T),
        ("b", F),
        ("True", T),
    )


# An evaluator that shares nothing with the one under test: Python itself answers each atom whose values are known, and
# the connectives are least, greatest and complement over false = 0, unknown = 0.5, true = 1.
ATOMS = [
    'environment == "prod"', 'environment != "dev"', 'environment in ("dev", "test")', "a", "b", "c",
    "a == False", "count > 4",
    "2 < count", "count == 7", "present(domain)", "present(a)", 'domain == "care"', "live", "busy", "True", "False",
]  # fmt: skip
texts = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: st.one_of(
        inner.map(lambda one: f"not ({one})"),
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(
            lambda found: f"({found[0]}) {found[1]} ({found[2]})"
        ),
        st.tuples(inner, inner, inner).map(lambda found: f"({found[0]}) or ({found[1]}) or ({found[2]})"),
    ),
    max_leaves=8,
)
POOL: dict[str, list[object]] = {
    "environment": ["dev", "test", "prod"],
    "a": [True, False],
    "b": [True, False],
    "c": [True, False],
    "count": list(range(10)),
    "domain": ["care", "other"],
}
assignments = st.fixed_dictionaries({name: st.sampled_from([*pool, UNKNOWN, ABSENT]) for name, pool in POOL.items()})


def naive(node: ast.expr, values: dict[str, object]) -> float:
    """Give 0, 0.5 or 1."""
    if isinstance(node, ast.BoolOp):
        found = [naive(value, values) for value in node.values]
        return min(found) if isinstance(node.op, ast.And) else max(found)
    if isinstance(node, ast.UnaryOp):
        return 1 - naive(node.operand, values)
    if isinstance(node, ast.Call):
        value = values[ast.unparse(node.args[0])]
        return 0.5 if value is UNKNOWN else float(value is not ABSENT)
    text = ast.unparse(node)
    if text in CATEGORIES:
        return naive(ast.parse(CATEGORIES[text].text, mode="eval").body, values)
    names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    if any(isinstance(values[name], Missing) for name in names):
        return 0.5
    return float(eval(text, {}, values))  # the test's own atoms


@given(texts, assignments)
def test_agrees_with_a_naive_evaluator(text: str, values: dict[str, object]) -> None:
    expression = compile_expression(text, ATTRIBUTES, CATEGORIES)
    expected = {0.0: F, 0.5: U, 1.0: T}[naive(ast.parse(text, mode="eval").body, values)]
    assert evaluate(expression, values) is expected


@given(texts, assignments, st.data())
def test_learning_more_never_turns_what_was_settled(text: str, values: dict[str, object], data: st.DataObject) -> None:
    expression = compile_expression(text, ATTRIBUTES, CATEGORIES)
    before = evaluate(expression, values)
    learned = {
        name: data.draw(st.sampled_from([*POOL[name], ABSENT])) if value is UNKNOWN else value
        for name, value in values.items()
    }
    if before is not U:
        assert evaluate(expression, learned) is before


@given(
    texts,
    st.dictionaries(
        st.sampled_from(list(ATTRIBUTES)), st.sampled_from(UNFIT) | st.floats() | st.text() | st.integers()
    ),
)
def test_no_value_raises_an_error(text: str, values: dict[str, object]) -> None:
    expression = compile_expression(text, ATTRIBUTES, CATEGORIES)
    assert evaluate(expression, values) in Truth
    assert all(truth in Truth for _, truth in explain(expression, values))
