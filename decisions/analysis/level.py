"""How much an action may do, in one row: what the decision point answers without a consent, and with one.

    0  FORBIDDEN     deny, and no consent changes it
    1  UNAUTHORISED  deny for want of authority; with a consent, allow
    2  HELD          hold; with a consent, allow
    3  ALLOWED       allow

There are no other pairs of answers: a consent that fits discharges every requirement and is authority, and lifts no
forbid. So "stricter" is one order, and the stricter of two verdicts is the lesser level, with a consent and without.

Source: DESIGN section 10; decisions.pdp.
"""

from enum import IntEnum
from typing import Final

from decisions.analysis.diagram import FALSE, LEAVES, TRUE, Nodes
from decisions.events import Outcome


class Level(IntEnum):
    """What an action may do."""

    FORBIDDEN = 0
    UNAUTHORISED = 1
    HELD = 2
    ALLOWED = 3

    @property
    def outcome(self) -> Outcome:
        """What the decision point answers where there is no consent."""
        return _WITHOUT[self]

    @property
    def with_consent(self) -> Outcome:
        """What it answers where there is a consent that fits."""
        return "deny" if self is Level.FORBIDDEN else "allow"

    @property
    def says(self) -> str:
        """What a person reads."""
        return _SAYS[self]


_WITHOUT: Final[tuple[Outcome, ...]] = ("deny", "deny", "hold", "allow")
_SAYS: Final = ("forbidden", "denied for want of authority", "held for consent", "allowed")
COUNT: Final = len(Level)

# A base tells two levels: where no standing grant covers the action, and where one does.


def base(without: Level, covered: Level) -> int:
    """Give the leaf for the level without and with a standing grant."""
    return COUNT * without + covered


FORBIDDEN: Final = base(Level.FORBIDDEN, Level.FORBIDDEN)
NEEDS_CONSENT: Final = base(Level.HELD, Level.HELD)
NEEDS_A_GRANT: Final = base(Level.HELD, Level.ALLOWED)
PERMITTED: Final = base(Level.ALLOWED, Level.ALLOWED)
NOTHING: Final = base(Level.UNAUTHORISED, Level.ALLOWED)
_WHATEVER_GRANTED: Final = frozenset({FORBIDDEN, NEEDS_CONSENT, PERMITTED})


def weighed(nodes: Nodes) -> int:
    """Apply the decision rule to (forbids, requirements of consent, those of Article I, permits)."""
    forbids, required, first_article, permits = nodes
    if forbids == TRUE:
        return FORBIDDEN
    if forbids != FALSE:
        return -1
    for node, then in ((required, NEEDS_CONSENT), (first_article, NEEDS_A_GRANT), (permits, PERMITTED)):
        if node == TRUE:
            return then
        if node != FALSE:
            return -1
    return NOTHING


def stricter(nodes: Nodes) -> int:
    """Take the stricter of two bases, as without and with the payload's claims."""
    left, right = nodes
    if left in {right, FORBIDDEN}:
        return left
    if right == FORBIDDEN:
        return right
    if left >= LEAVES or right >= LEAVES:
        return -1
    return base(Level(min(left // COUNT, right // COUNT)), Level(min(left % COUNT, right % COUNT)))


def leveled(nodes: Nodes) -> int:
    """Give the level of (base, whether a standing grant covers the action)."""
    below, covered = nodes
    if below in _WHATEVER_GRANTED:
        return below // COUNT
    if below >= LEAVES or covered >= LEAVES:
        return -1
    return below % COUNT if covered == TRUE else below // COUNT


def moved(nodes: Nodes) -> int:
    """Give the move from the old to the new of (old base, old grants, new base, new grants): `SAME` or `move`."""
    if nodes[:2] == nodes[2:] or nodes[0] == nodes[2] == FORBIDDEN:
        return SAME
    before, after = leveled(nodes[:2]), leveled(nodes[2:])
    if before < 0 or after < 0:
        return -1
    return SAME if before == after else move(Level(before), Level(after))


SAME: Final = LEAVES - 1


def move(before: Level, after: Level) -> int:
    """Give the leaf for a move from one level to another."""
    return COUNT * before + after


MOVES: Final = {move(before, after): (before, after) for before in Level for after in Level if before is not after}
OPENED: Final = frozenset(leaf for leaf, (before, after) in MOVES.items() if after > before)
CLOSED: Final = frozenset(MOVES) - OPENED
