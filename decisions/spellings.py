"""Other spellings of one name: where a store folds case, an action is judged under each registered spelling.

A registration with the attribute ``casefold`` says that its store takes ``.GIT`` and ``.git`` for one name. An action
on a target under it is then also an action on every registered resource whose name folds to the same: all must be
allowed. A grant for one spelling reaches no other.

Source: DESIGN section 10; policy case B03.
"""

from collections.abc import Iterator, Sequence

from decisions.action import Action, action
from grants.book.resources import SPELLING
from grants.book.states import ResourceState, SpellingsState
from grants.reading import StateReader, read_state
from grants.reference import Pattern, Reference, candidates, folded, parse

CASEFOLD = "casefold"


def with_spellings(reader: StateReader, actions: Sequence[Action]) -> tuple[Action, ...]:
    """Give the actions, and each again for every other registered spelling of its target."""
    added = [
        action(one.kind, one.verb, target, dict(one.facts), one.part)
        for one in actions
        for target in _other_spellings(reader, parse(one.target))
    ]
    known = {(one.kind, one.verb, one.target, one.facts) for one in actions}
    new = [one for one in added if (one.kind, one.verb, one.target, one.facts) not in known]
    return tuple(sorted({*actions, *new}))


def _other_spellings(reader: StateReader, target: Reference) -> Iterator[str]:
    if not _folds_case(reader, target):
        return
    for key in candidates(target):
        row = read_state(reader, SPELLING, folded(key), SpellingsState)
        for spelling in row.spellings if row else ():
            if spelling != key:
                root = Pattern.parse(spelling).reference
                rest = target.parts[len(root.parts) :]
                yield str(Reference(root.scheme, root.authority, (*root.parts, *rest)))


def _folds_case(reader: StateReader, target: Reference) -> bool:
    for key in candidates(target):
        row = read_state(reader, "resource", key, ResourceState)
        if row is not None:
            return row.attributes.get(CASEFOLD) is True
    return False
