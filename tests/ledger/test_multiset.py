"""Sums of rows: equal for equal sets in any order, and for no other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.multiset import PRIME, Sums, Weights

SECRET = bytes(range(32))
WEIGHTS = Weights(SECRET, 8)

rows = st.sets(st.tuples(st.integers(0, 40), st.text("ab\udcff", max_size=3)), max_size=30)


def summed(members, weights=WEIGHTS):
    sums = Sums(weights)
    sums.add_rows(list(members))
    return sums


@given(rows, rows, st.randoms())
def test_sums_tell_sets_apart_and_orders_not(one, other, random):
    """However the rows come."""
    shuffled = sorted(one)
    random.shuffle(shuffled)
    assert summed(one) == summed(shuffled)
    assert (summed(one) == summed(other)) is (one == other)


@given(rows)
def test_an_event_at_a_time_is_a_row_at_a_time(members):
    """What is demanded comes by event, what stands by row."""
    sums = Sums(WEIGHTS)
    for number in range(41):
        sums.add(number, [text for seq, text in members if seq == number])
    assert sums == summed(members)


def test_rows_that_cancel_as_integers_do_not():
    """Texts and places may be chosen so that sums and products of them are equal; their numbers are not."""
    assert summed([(0, "a"), (1, "b")]) != summed([(0, "b"), (1, "a")])
    assert summed([(0, "a")] * 2) != summed([(0, "a")])
    assert summed([(0, "a"), (8, "b")]) != summed([(0, "b"), (8, "a")])


@pytest.mark.parametrize("row", [(None, "a"), (1.5, "a"), (b"x", "a"), ("x", "a"), (3, None), (3, b"a"), (1e400, "a")])
def test_a_row_that_is_none_counts(row):
    """Whatever stands in it."""
    assert summed([(3, "a"), row]) != summed([(3, "a")])


def test_another_secret_gives_other_sums_of_one_size():
    """They lie below the prime, by group."""
    others = Weights(bytes(32), 8)
    one, other = summed([(3, "a"), (20, "b")]).totals(), summed([(3, "a"), (20, "b")], others).totals()
    assert one.keys() == other.keys() == {0, 2}
    assert not set(one.values()) & set(other.values())
    assert all(0 < total < PRIME for total in (*one.values(), *other.values()))
    with pytest.raises(ValueError, match="32 bytes"):
        Weights(b"short")


def test_many_texts_are_not_kept():
    """Their numbers stay the same."""
    weights = Weights(SECRET, 8)
    numbers = [weights[f"t{n}"] for n in range(10_000)]
    assert len(weights) < 5000
    assert [weights[f"t{n}"] for n in range(10_000)] == numbers
