"""Whether a condition can come true: exact, against plain enumeration, and honest when it stops."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grants.errors import ExpressionError
from grants.expression import (
    ABSENT,
    UNKNOWN,
    Choice,
    Flag,
    Interval,
    Name,
    Possibility,
    Ref,
    Truth,
    can_be,
    compile_expression,
    evaluate,
)
from grants.expression.domain import AttributeType

POSSIBLE, IMPOSSIBLE, UNDECIDED = Possibility.POSSIBLE, Possibility.IMPOSSIBLE, Possibility.UNDECIDED
ATTRIBUTES: dict[str, AttributeType] = {
    "environment": Choice(("dev", "test", "staging", "prod")),
    "reversibility": Choice(("reversible", "recoverable", "irreversible")),
    "a": Flag(),
    "count": Interval(0, 9),
    "domain": Name(),
    "target": Ref(),
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("True", POSSIBLE),
        ("False", IMPOSSIBLE),
        ("a", POSSIBLE),
        ("a and not a", IMPOSSIBLE),
        ('environment == "prod" and environment == "dev"', IMPOSSIBLE),
        ('environment != "prod" and environment != "dev"', POSSIBLE),
        ('environment not in ("dev", "test", "staging", "prod")', IMPOSSIBLE),
        ("3 < count < 4", IMPOSSIBLE),
        ("3 < count < 5", POSSIBLE),
        ("count < 0", IMPOSSIBLE),
        ("count > 9", IMPOSSIBLE),
        ("count <= 0", POSSIBLE),
        ("count >= 3 and count <= 3 and count != 3", IMPOSSIBLE),
        ('domain == "x" and domain == "y"', IMPOSSIBLE),
        ('domain != "other0" and domain != "other1"', POSSIBLE),
        ('domain not in ("x", "y")', POSSIBLE),
        ('under(target, "file:///srv") and not under(target, "file:///srv/app")', POSSIBLE),
        ('under(target, "file:///srv/app") and not under(target, "file:///srv")', IMPOSSIBLE),
        ('under(target, "file:///srv") and target != "file:///srv"', POSSIBLE),
        ('under(target, "program:git") and target != "program:git"', IMPOSSIBLE),
        ('under(target, "file:///srv") and under(target, "file:///etc")', IMPOSSIBLE),
        ('not under(target, "file:///")', POSSIBLE),
        ('target == "file:///srv/app" and under(target, "file:///srv")', POSSIBLE),
        ('not under(target, "tool:other0") and target != "file:///"', POSSIBLE),
        ("present(a)", POSSIBLE),
        ("not present(a)", POSSIBLE),
        ("present(a) and not present(a)", IMPOSSIBLE),
        ("not present(a) and a", IMPOSSIBLE),
    ],
)
def test_tells_whether_a_condition_can_come_true(text: str, expected: Possibility) -> None:
    """Policy case B17: a rule that can never come true is found when it is loaded."""
    assert can_be(compile_expression(text, ATTRIBUTES), ATTRIBUTES) is expected


def test_sees_through_categories() -> None:
    live = compile_expression('environment == "prod"', ATTRIBUTES)
    expression = compile_expression('live and environment == "dev"', ATTRIBUTES, {"live": live})
    assert can_be(expression, ATTRIBUTES) is IMPOSSIBLE


def test_tells_whether_a_condition_can_come_false_or_stay_open() -> None:
    tautology = compile_expression("a or not a", ATTRIBUTES)
    assert can_be(tautology, ATTRIBUTES, Truth.FALSE) is IMPOSSIBLE
    assert can_be(tautology, ATTRIBUTES, Truth.UNKNOWN) is IMPOSSIBLE
    assert can_be(tautology, ATTRIBUTES, Truth.UNKNOWN, {"a": UNKNOWN}) is POSSIBLE
    assert can_be(compile_expression("a", ATTRIBUTES), ATTRIBUTES, Truth.FALSE) is POSSIBLE


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("True", POSSIBLE),
        ('under(target, "file:///srv")', POSSIBLE),
        ('environment == "prod"', POSSIBLE),
        ('reversibility != "irreversible"', IMPOSSIBLE),
        ('environment in ("dev", "test")', IMPOSSIBLE),
        ('not (environment == "prod" and reversibility == "irreversible")', IMPOSSIBLE),
        ('environment == "dev" or a', POSSIBLE),
        ("not present(environment)", IMPOSSIBLE),
        ("not present(domain)", POSSIBLE),
    ],
)
def test_finds_selectors_that_reach_irreversible_resources_in_production(selector: str, expected: Possibility) -> None:
    """Policy case J05."""
    fixed = {"environment": "prod", "reversibility": "irreversible"}
    assert can_be(compile_expression(selector, ATTRIBUTES), ATTRIBUTES, fixed=fixed) is expected


def test_a_mistyped_fixed_value_proves_nothing() -> None:
    expression = compile_expression('environment == "prod"', ATTRIBUTES)
    for fixed in ({"environment": "production"}, {"enviroment": "prod"}, {"environment": True}):
        with pytest.raises(ExpressionError):
            can_be(expression, ATTRIBUTES, fixed=fixed)
    with pytest.raises(ExpressionError, match="unknown attribute environment"):
        can_be(expression, {"a": Flag()})


def test_an_absent_fixed_value_stays_absent() -> None:
    expression = compile_expression("present(a)", ATTRIBUTES)
    assert can_be(expression, ATTRIBUTES, fixed={"a": ABSENT}) is IMPOSSIBLE
    assert can_be(expression, ATTRIBUTES, Truth.FALSE, {"a": ABSENT}) is POSSIBLE


def test_says_when_it_stopped_before_the_end() -> None:
    """The parity of five flags is settled by the last of them, so no branch is cut before it."""
    flags: dict[str, AttributeType] = {f"f{number}": Flag() for number in range(5)}
    odd = compile_expression("f0", flags)
    for number in range(1, 5):
        odd = compile_expression(f"(odd and not f{number}) or (not odd and f{number})", flags, {"odd": odd})
    contradiction = compile_expression("odd and not odd", flags, {"odd": odd})
    assert can_be(contradiction, flags) is IMPOSSIBLE
    # 2^6 - 1 partial assignments are all there are.
    assert can_be(contradiction, flags, max_steps=63) is IMPOSSIBLE
    assert can_be(contradiction, flags, max_steps=62) is UNDECIDED


def test_many_attributes_need_not_take_many_steps() -> None:
    flags: dict[str, AttributeType] = {f"f{number}": Flag() for number in range(300)}
    every = compile_expression(" and ".join(flags), flags)
    assert can_be(every, flags) is POSSIBLE
    assert can_be(every, flags, max_steps=700) is POSSIBLE


def test_a_root_at_the_deepest_level_has_nothing_below() -> None:
    deepest = "file:///" + "/".join("a" * 64)
    expression = compile_expression(f'under(target, "{deepest}") and target != "{deepest}"', ATTRIBUTES)
    assert can_be(expression, ATTRIBUTES) is IMPOSSIBLE


ATOMS = [
    'environment == "prod"', 'environment in ("dev", "test")', 'environment != "staging"', "a",
    "count > 4", "count == 5", "count < 5",
    "count != 0", 'domain == "x"', 'domain == "y"', 'under(target, "db://p")', 'target == "db://p/t"',
    'under(target, "db://p/t/1")',
    "present(domain)", "present(a)",
]  # fmt: skip
texts = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: st.one_of(
        inner.map(lambda one: f"not ({one})"),
        st.tuples(inner, st.sampled_from(["and", "and", "or"]), inner).map(
            lambda found: f"({found[0]}) {found[1]} ({found[2]})"
        ),
    ),
    max_leaves=7,
)
EVERYTHING: dict[str, list[object]] = {
    "environment": ["dev", "test", "staging", "prod"],
    "a": [True, False, ABSENT],
    "count": list(range(10)),
    "domain": ["x", "y", "z", ABSENT],
    "target": ["db://p", "db://p/t", "db://p/t/1", "db://p/t/2", "db://p/t/1/c", "db://p/u", "db://q", "env:X"],
}


@settings(max_examples=60)
@given(texts, st.sampled_from(list(Truth)))
def test_agrees_with_trying_every_assignment(text: str, truth: Truth) -> None:
    expression = compile_expression(text, ATTRIBUTES)
    names = sorted(expression.reads)
    # Only where the condition asks of its presence is an attribute tried as absent.
    pools = [
        [value for value in EVERYTHING[name] if value is not ABSENT or f"present({name})" in text] for name in names
    ]
    found = any(
        evaluate(expression, dict(zip(names, values, strict=True))) is truth for values in itertools.product(*pools)
    )
    assert can_be(expression, ATTRIBUTES, truth) is (POSSIBLE if found else IMPOSSIBLE)
