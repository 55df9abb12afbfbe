"""What a pinned tool does, as its registrar says: the verb that a call of it is judged by, beside that it runs.

A registration of ``tool:mcp:<server>:<tool>:<digest>`` carries the attribute ``effect``: one of the verbs of the kind
``infrastructure``, or several. A call is then also that action, on ``many`` things of the tool's, as nobody reads what
its arguments pick out. A registration that says no effect classifies nothing: the call can't be read.

Source: DESIGN section 10; policy case F05.
"""

from collections.abc import Iterator
from typing import Final

from decisions.action import Action, Problem, action
from decisions.reducers.mcp import PINNED
from decisions.reducers.vocabulary import MILDEST, VERBS
from grants.book.states import ResourceState
from grants.reading import StateReader, read_state
from grants.reference import candidates, parse

EFFECT: Final = "effect"
EFFECTS: Final = tuple(sorted(VERBS["infrastructure"]))


def is_pinned(one: Action) -> bool:
    """Tell whether an action is the call of a server's tool."""
    return one.kind == "exec" and one.target.startswith(PINNED)


def classified_as(reader: StateReader, one: Action) -> Iterator[Action | Problem]:
    """Give what a call does by its tool's registration; nothing where there is none, and nobody classifies the call."""
    # Both are read whatever the first says: what is read must not depend on the way it came to be asked.
    rows = [read_state(reader, "resource", key, ResourceState) for key in candidates(parse(one.target))]
    row = next((row for row in rows if row is not None and row.cleared is None), None)
    if row is None or not row.stands:
        return
    said = row.attributes.get(EFFECT)
    verbs = said if isinstance(said, tuple) else (said,)
    if not all(isinstance(verb, str) and verb in EFFECTS for verb in verbs):
        yield Problem("UNPARSEABLE", f"its registration says no {EFFECT}: what the tool does isn't known", one.part)
        return
    egress = dict(one.facts)["egress"]
    for verb in verbs:
        facts = {**MILDEST["infrastructure"], "scope": "many", "egress": egress}
        yield action("infrastructure", str(verb), one.target, facts, one.part)
