"""Comparing tables by sums: what stands and what should stand, in any order, and without keeping a row.

A row is a number and a text: an event and one of its tags or claims. It weighs the product of two numbers that nobody
can foretell who does not know the secret, one for the text and one for the event's place among `WIDTH` neighbours; the
weights of neighbours are added up modulo a prime. Two tables that differ in any row have sums that differ as a
polynomial of degree 2 in those numbers, not zero, has another value than zero: but for a chance of 2 in 2^120
(Schwartz, Zippel). Whoever chooses the rows must not know the secret, which is drawn for one comparison. Most texts
stand in many rows, and a product costs a fifth of what hashing each row would.

>>> one, other = Sums(Weights(bytes(32))), Sums(Weights(bytes(32)))
>>> one.add_rows([(3, "tag:a"), (5000, "tag:b"), (3, "tag:c")])
>>> other.add(5000, ("tag:b",)), other.add(3, ("tag:a", "tag:c"))
(None, None)
>>> one == other
True
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from ledger.digest import SIZE, be64, keyed_numbers

WIDTH: Final = 2048
"""So many events share a sum."""

PRIME: Final = 2**127 - 1
STRANGE: Final = 1
"""What a row weighs that is no row: the sum of a table that is right never has it in it."""

_KEPT: Final = 4096
"""So many texts' numbers are kept; most texts come again soon, or never."""


class Weights(dict[str, int]):
    """The number of each text, worked out as it is asked for, and of each place.

    Args:
        secret: 32 random bytes.
        width: how many places there are.

    Attributes:
        places: the numbers of the places.
    """

    def __init__(self, secret: bytes, width: int = WIDTH) -> None:
        if len(secret) != SIZE:
            raise ValueError("a secret has 32 bytes")
        super().__init__()
        self._number = keyed_numbers(secret, b"text")
        place = keyed_numbers(secret, b"place")
        self.places = [place(be64(at)) for at in range(width)]

    def __missing__(self, text: str) -> int:
        try:
            data = text.encode()
        except UnicodeEncodeError:
            # A text column gives lone surrogates for bytes that are no UTF-8: they equal no text of ours.
            data = text.encode("utf-8", "surrogateescape")
        number = self._number(data)
        if len(self) >= _KEPT:
            self.clear()
        self[text] = number
        return number


class Sums:
    """The sums of a table's rows, by groups of neighbouring events."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._sums: defaultdict[int, int] = defaultdict(int)

    def add(self, seq: int, texts: Iterable[str]) -> None:
        """Take in an event's rows, each once."""
        weights = self._weights
        group, at = divmod(seq, len(weights.places))
        place = weights.places[at]
        for text in texts:
            self._sums[group] += weights[text] * place

    def add_rows(self, rows: Sequence[tuple[object, ...]]) -> None:
        """Take in rows, (seq, text) each, whatever stands in them."""
        sums, weights = self._sums, self._weights
        places = weights.places
        width = len(places)
        for seq, text in rows:
            if type(seq) is int and type(text) is str:
                sums[seq // width] += weights[text] * places[seq % width]
            else:
                # Whatever it is, the database found it to lie between two numbers, or gave it no place at all.
                sums[_group(seq, width)] += STRANGE

    def totals(self) -> dict[int, int]:
        """Give the sums, reduced, of the groups that have any row."""
        return {group: total % PRIME for group, total in self._sums.items()}

    def __eq__(self, other: object) -> bool:
        """Tell whether both stand for one set of rows; the weights must come of one secret."""
        return isinstance(other, Sums) and _present(self.totals()) == _present(other.totals())

    __hash__ = None  # type: ignore[assignment]  # it changes


def _present(totals: dict[int, int]) -> dict[int, int]:
    return {group: total for group, total in totals.items() if total}


def _group(seq: object, width: int) -> int:
    try:
        return int(float(str(seq))) // width
    except (ValueError, OverflowError):
        return -1
