"""A bank of conditions says of each what `evaluate` says: of any conditions and any values, asked once or often."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grants.expression import Truth, bank, compile_expression, evaluate
from grants.expression.bank import MOST_TERMS, Bank, terms_of
from tests.grants.test_expression_evaluate import ATTRIBUTES, CATEGORIES, UNFIT, assignments, texts

T, F, U = Truth.TRUE, Truth.FALSE, Truth.UNKNOWN
LONG = " and ".join(f"(a or count == {number})" for number in range(4))


def asked(rows, size):
    """Give the truths that a bank gives, as a list."""
    sure, held = rows
    assert sure & held == 0
    assert (sure | held) >> size == 0
    return [T if sure >> at & 1 else U if held >> at & 1 else F for at in range(size)]


def compiled(text):
    return compile_expression(text, ATTRIBUTES, CATEGORIES)


@given(st.lists(texts, max_size=8), st.lists(assignments, min_size=1, max_size=4))
def test_says_what_evaluate_says_of_each(conditions, situations):
    expressions = [compiled(text) for text in conditions]
    whole = Bank(expressions)
    for values in [*situations, *situations]:
        assert asked(whole.ask(values), len(expressions)) == [evaluate(one, values) for one in expressions]


strange = st.sampled_from(UNFIT) | st.floats() | st.text() | st.integers() | st.booleans()


@given(
    st.lists(texts, min_size=1, max_size=6),
    st.lists(st.dictionaries(st.sampled_from(list(ATTRIBUTES)), strange), min_size=1, max_size=4),
)
def test_no_value_raises_an_error_or_counts_otherwise(conditions, situations):
    expressions = [compiled(text) for text in conditions]
    whole = Bank(expressions)
    for values in situations:
        assert asked(whole.ask(values), len(expressions)) == [evaluate(one, values) for one in expressions]


@pytest.mark.parametrize("order", [(True, 1), (1, True)])
def test_true_and_one_are_not_remembered_for_each_other(order):
    whole = Bank([compiled("a"), compiled("count == 1")])
    found = {type(value): asked(whole.ask({"a": value, "count": value}), 2) for value in order}
    assert found == {bool: [T, U], int: [U, T]}


def test_a_contradiction_stays_open_where_its_attribute_is_unknown():
    whole = Bank([compiled("a and not a"), compiled("a or not a")])
    assert asked(whole.ask({}), 2) == [U, U]
    assert asked(whole.ask({"a": True}), 2) == [F, T]


def test_a_condition_of_too_many_terms_is_evaluated_by_itself():
    long = compiled(LONG)
    assert terms_of(long.root) is None
    assert terms_of(long.root, wanted=False) is not None
    whole = Bank([long, compiled("a"), compiled(f"not ({LONG})")])
    for values in ({"a": True}, {"a": False, "count": 3}, {}, {"count": 3}):
        expected = [evaluate(one, values) for one in (long, compiled("a"), compiled(f"not ({LONG})"))]
        assert asked(whole.ask(values), 3) == expected


def test_has_as_many_terms_as_it_may():
    text = " or ".join(f"count == {number}" for number in range(MOST_TERMS))
    assert len(terms_of(compiled(text).root)) == MOST_TERMS
    assert terms_of(compiled(f"{text} or a").root) is None


def test_nothing_to_ask_gives_nothing():
    assert Bank([]).ask({"a": True}) == (0, 0)


def test_remembers_a_bounded_number_of_values(monkeypatch):
    monkeypatch.setattr(bank, "MOST_VALUES", 3)
    whole, one = Bank([compiled("count > 4")]), compiled("count > 4")
    for value in [*range(9), *range(9)]:
        assert asked(whole.ask({"count": value}), 1) == [evaluate(one, {"count": value})]
    assert all(len(known) <= 3 for _, _, known, _ in whole._columns)
