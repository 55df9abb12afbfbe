"""Folding: states come from events alone, and their digest covers every part of every row."""

from dataclasses import replace

import pytest

from ledger import digest
from ledger.digest import be64
from ledger.view import StateRow, states_digest

ROWS = [StateRow("a", "k", 1, b"{}"), StateRow("a", "l", 2, b'{"x":1}'), StateRow("b", "k", 3, b"{}")]


def test_digest_is_over_framed_parts_in_order():
    parts = [p for r in ROWS for p in (r.view.encode(), r.key.encode(), be64(r.seq), r.data)]
    assert states_digest(ROWS) == digest.document(b"".join(be64(len(p)) + p for p in parts))


def test_digest_does_not_depend_on_the_order_of_rows():
    assert states_digest(reversed(ROWS)) == states_digest(ROWS)


@pytest.mark.parametrize("change", [{"view": "c"}, {"key": "m"}, {"seq": 9}, {"data": b'{"x":2}'}])
@pytest.mark.parametrize("index", range(3))
def test_digest_changes_with_every_part_of_every_row(index, change):
    changed = [replace(row, **change) if place == index else row for place, row in enumerate(ROWS)]
    assert states_digest(changed) != states_digest(ROWS)


def test_digest_tells_where_one_part_ends():
    left = [StateRow("ab", "c", 1, b"{}")]
    right = [StateRow("a", "bc", 1, b"{}")]
    assert states_digest(left) != states_digest(right)


def test_missing_row_changes_the_digest():
    assert len({states_digest(ROWS[:n]) for n in range(4)}) == 4
