"""Of what class a change is: worked out from the two documents, and from nothing else.

The standing grants of a ledger are no part of it. What opens for no grant that could be ratified opens for none, so the
class holds whatever grants there are, and whoever has the two documents can work it out again.

Source: docs/spec/amendments.md; docs/spec/analysis.md; policy cases G01, G03, G05, G09.
"""

from functools import lru_cache
from typing import Final

from decisions.amendment.events import Change
from decisions.analysis import Difference, Level, Rules, compare
from decisions.constitution.loader import load_cached
from decisions.errors import AnalysisError

_HELD_NOW: Final = frozenset({(Level.UNAUTHORISED, Level.HELD)})


def difference(old: str, new: str) -> Difference:
    """Compare two documents, under whatever standing grants.

    Raises:
        AnalysisError: they are too involved for an exact answer.
        ConstitutionError: one of them is not accepted.
    """
    return compare(Rules(load_cached(old), any_grants=True), Rules(load_cached(new), any_grants=True))


@lru_cache(maxsize=64)
def change_of(old: str, new: str, *, overlay: bool = False) -> Change:
    """Give the class of a change; what is too involved for an exact answer is taken as mixed, and left to humans.

    An overlay may ask for a consent where nothing had authority: what was denied is held then, and runs no sooner than
    it did, for a consent was authority there before. In an overlay, and nowhere else, this counts as nothing opened.

    Args:
        old: the document in force.
        new: the document in its place.
        overlay: whether the new is known to add forbids and requirements to the old, and nothing else.

    Raises:
        ConstitutionError: a document is not accepted.
    """
    try:
        found = difference(old, new)
    except AnalysisError:
        return "mixed"
    opened = {move for move in found.moves if move[1] > move[0]}
    if overlay and opened and opened <= _HELD_NOW and not any(term.opens for term in found.terms):
        return "tightening"
    return found.kind
