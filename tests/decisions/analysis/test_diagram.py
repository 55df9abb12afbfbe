"""Diagrams: one node for one function, and the functions that they stand for."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decisions.analysis import diagram
from decisions.analysis.diagram import FALSE, TRUE, UNKNOWN, Diagrams
from decisions.errors import AnalysisError
from grants.expression.truth import Truth, conjunction, disjunction, negation

WIDTHS = (2, 3, 2)
POINTS = list(product(*map(range, WIDTHS)))
TRUTHS = {FALSE: Truth.FALSE, UNKNOWN: Truth.UNKNOWN, TRUE: Truth.TRUE}
tables = st.lists(st.sampled_from([FALSE, UNKNOWN, TRUE]), min_size=len(POINTS), max_size=len(POINTS))


def drawn(diagrams, table):
    """Draw a function that is given as a table."""

    def below(level, prefix):
        if level == len(WIDTHS):
            return table[POINTS.index(prefix)]
        return diagrams.node(level, tuple(below(level + 1, (*prefix, value)) for value in range(WIDTHS[level])))

    return below(0, ())


def at(diagrams, node, point):
    while diagrams.level(node) < len(WIDTHS):
        node = diagrams.children(node)[point[diagrams.level(node)]]
    return node


@given(tables, tables)
def test_connectives_are_kleenes_in_every_point(left, right):
    diagrams = Diagrams(WIDTHS)
    one, other = drawn(diagrams, left), drawn(diagrams, right)
    both, either, turned = diagrams.conjunction(one, other), diagrams.disjunction(one, other), diagrams.negation(one)
    for index, point in enumerate(POINTS):
        truths = [TRUTHS[left[index]], TRUTHS[right[index]]]
        assert TRUTHS[at(diagrams, both, point)] is conjunction(truths)
        assert TRUTHS[at(diagrams, either, point)] is disjunction(truths)
        assert TRUTHS[at(diagrams, turned, point)] is negation(truths[0])


@given(tables, tables)
def test_equal_functions_are_one_node_and_different_ones_are_two(left, right):
    diagrams = Diagrams(WIDTHS)
    assert (drawn(diagrams, left) == drawn(diagrams, right)) == (left == right)


@given(st.lists(tables, max_size=5))
def test_many_are_joined_as_one_by_one(several):
    diagrams = Diagrams(WIDTHS)
    nodes = [drawn(diagrams, table) for table in several]
    all_, any_ = TRUE, FALSE
    for node in nodes:
        all_, any_ = diagrams.conjunction(all_, node), diagrams.disjunction(any_, node)
    assert (diagrams.all_of(nodes), diagrams.any_of(nodes)) == (all_, any_)


def test_beyond_its_bounds_there_is_an_error_and_no_answer(monkeypatch):
    monkeypatch.setattr(diagram, "MAX_NODES", 3)
    diagrams = Diagrams(WIDTHS)
    with pytest.raises(AnalysisError, match="too involved"):
        drawn(diagrams, list(range(len(POINTS))))


def test_as_many_variables_as_are_allowed_are_no_trouble_and_one_more_is_an_error():
    most = diagram.MAX_ASKED
    diagrams = Diagrams((2,) * most + (1,) * 500)
    odd = [diagrams.node(level, (FALSE, TRUE)) for level in range(0, most, 2)]
    even = [diagrams.node(level, (TRUE, FALSE)) for level in range(1, most, 2)]
    both = diagrams.conjunction(diagrams.all_of(odd), diagrams.any_of(even))
    settled = diagrams.joined((both, diagrams.negation(both)), lambda nodes: min(nodes) if max(nodes) < 64 else -1, {})
    assert settled == FALSE
    with pytest.raises(AnalysisError, match="attributes"):
        Diagrams((2,) * (most + 1))
