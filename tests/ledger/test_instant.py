"""Times have one spelling, whose text order is time order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import instant
from ledger.errors import CanonError

FIRST = instant.to_microseconds("0001-01-01T00:00:00.000000Z")
LAST = instant.to_microseconds("9999-12-31T23:59:59.999999Z")
moments = st.integers(FIRST, LAST)


@given(moments)
def test_every_microsecond_has_a_spelling_that_reads_back(moment):
    assert moment == instant.to_microseconds(instant.from_microseconds(moment))


@given(moments, moments)
def test_text_order_is_time_order(left, right):
    assert (left < right) == (instant.from_microseconds(left) < instant.from_microseconds(right))


@given(moments, st.integers(-(10**12), 10**12))
def test_later_adds_microseconds(moment, more):
    if FIRST <= moment + more <= LAST:
        assert instant.later(instant.from_microseconds(moment), more) == instant.from_microseconds(moment + more)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-11-30",
        "2026-11-30T12:00:00Z",
        "2026-11-30T12:00:00.000000",
        "2026-11-30T12:00:00.000000z",
        "2026-11-30t12:00:00.000000Z",
        "2026-11-30T12:00:00.000000+00:00",
        "2026-11-30T12:00:00.0000000Z",
        "2026-11-30T12:00:60.000000Z",
        "2026-11-30T24:00:00.000000Z",
        "2026-02-30T12:00:00.000000Z",
        "2026-11-30T12:00:00.000000Z\n",
        "\u0662026-11-30T12:00:00.000000Z",
        "0000-01-01T00:00:00.000000Z",
    ],
)
def test_other_spellings_and_times_that_do_not_exist_are_refused(text):
    with pytest.raises(CanonError):
        instant.parse(text)


@pytest.mark.parametrize("moment", [FIRST - 1, LAST + 1, 10**30])
def test_moments_outside_the_years_are_refused(moment):
    with pytest.raises(CanonError):
        instant.from_microseconds(moment)
