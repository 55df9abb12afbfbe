"""What an action reaches beside its target, as far as the store knows: other spellings, and what lies below.

A registration with the attribute ``casefold`` says that its store takes ``.GIT`` and ``.git`` for one name. An action
under it is then also an action on every registered resource whose name folds to the same.

A call of a server's tool is also what the tool's registration says that it does.

An action on a directory or a table reaches what is in it. Whatever is registered below is judged too, by its own
properties: a broad target does not step around a narrow prohibition.

All that is found must be allowed. A grant for one name reaches no other.

Source: DESIGN section 10; policy cases B03 and J01.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from decisions.action import Action, Problem, Reduction, action
from decisions.pins import classified_as, is_pinned
from grants.book.resources import BELOW, SPELLING
from grants.book.states import BelowState, ResourceState, SpellingsState
from grants.reading import StateReader, read_state
from grants.reference import Pattern, Reference, candidates, folded, parse

CASEFOLD: Final = "casefold"

MOST_BELOW: Final = 256
"""How many names below one target are looked at; beyond it the operation is too complex."""

MOST_ACTIONS: Final = 1024
"""How many actions an operation may come to, with all that it reaches."""

_CONTAINERS: Final = frozenset({"file", "data", "infrastructure"})
_SHALLOW: Final = frozenset({"list", "enter"})


def expand(reader: StateReader, reduction: Reduction) -> Reduction:
    """Give the reduction with everything that its actions reach, each action once.

    It is a fixpoint: expanding again adds nothing and reads nothing else, so that a replay of the expanded actions
    reads what the decision read.
    """
    actions = _once(reduction.actions)
    problems = set(reduction.problems)
    while True:
        reached: list[Action] = []
        for one in actions:
            reached += _spelt_otherwise(reader, one)
            for found in classified_as(reader, one) if is_pinned(one) else ():
                problems.update([found] if isinstance(found, Problem) else [])
                reached.extend([found] if isinstance(found, Action) else [])
            below = _registered_below(reader, one) if _reaches_below(one) else []
            if below is None:
                problems.add(Problem("TOO_COMPLEX", f"more than {MOST_BELOW} registered names lie below", one.target))
            reached += [_at(one, target) for target in below or ()]
        more = _once([*actions, *reached])
        if len(more) == len(actions):
            return Reduction(actions, tuple(sorted(problems)))
        if len(more) > MOST_ACTIONS:
            problems.add(Problem("TOO_COMPLEX", f"it reaches more than {MOST_ACTIONS} registered things", ""))
            return Reduction(_once(reduction.actions), tuple(sorted(problems)))
        actions = more


def _at(one: Action, target: str) -> Action:
    return action(one.kind, one.verb, target, dict(one.facts), one.part)


def _once(actions: Iterable[Action]) -> tuple[Action, ...]:
    """Keep one of the actions that differ in nothing but the part of the operation that they came from."""
    found = {(one.kind, one.verb, one.target, one.facts): one for one in sorted(actions, reverse=True)}
    return tuple(sorted(found.values()))


def _spelt_otherwise(reader: StateReader, one: Action) -> Iterator[Action]:
    target = parse(one.target)
    if folds_case(reader, target):
        yield from (_at(one, spelling) for spelling in _spellings(reader, target))


def folds_case(reader: StateReader, target: Reference) -> bool:
    """Ask the nearest registration that says anything of it: what a store does holds for all that lies in it."""
    for key in candidates(target):
        row = read_state(reader, "resource", key, ResourceState)
        if row is not None and CASEFOLD in row.attributes:
            return row.attributes[CASEFOLD] is True
    return False


def _spellings(reader: StateReader, target: Reference) -> Iterator[str]:
    for key in candidates(target):
        row = read_state(reader, SPELLING, folded(key), SpellingsState)
        for spelling in row.spellings if row else ():
            if spelling != key:
                root = Pattern.parse(spelling).reference
                rest = target.parts[len(root.parts) :]
                yield str(Reference(root.scheme, root.authority, (*root.parts, *rest)))


def _reaches_below(one: Action) -> bool:
    """Tell whether the action touches what is in its target, and not its target's name alone."""
    narrow = one.verb in _SHALLOW or one.kind not in _CONTAINERS
    return not (narrow and dict(one.facts).get("scope") == "one")


def _registered_below(reader: StateReader, one: Action) -> list[str] | None:
    """Give what is registered below the target; None where that is more than is looked at."""
    found: list[str] = []
    waiting = [parse(one.target)]
    seen = 0
    while waiting:
        place = waiting.pop()
        row = read_state(reader, BELOW, str(place), BelowState)
        if row is None:
            continue
        seen += len(row.names)
        if row.more or seen > MOST_BELOW:
            return None
        for name in row.names:
            child = Reference(place.scheme, place.authority, (*place.parts, name))
            waiting.append(child)
            # Both are read whatever the first says: what is read must not depend on the way it came to be asked.
            rows = [reader.state("resource", key) for key in (str(child), str(Pattern(child, subtree=True)))]
            if any(row is not None and row.state.get("cleared") is None for row in rows):
                found.append(str(child))
    return found
