"""The operation reduced again: do the recorded actions follow from what was received?

Only the operation itself can tell. Where it is withheld or was erased, its actions are taken as recorded, and whoever
relies on the outcome is told so. Bundles and replay ask here alike.

Source: DESIGN sections 8 and 10.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from decisions.action import Action, Reduction
from decisions.events import DecisionMade
from decisions.reducers import VERSION, read_by, reduce_operation
from decisions.reducers.mcp import PINNED
from grants.consent import ARGS
from ledger.canon import Json
from ledger.disclosure import Opening
from verify.check.evidence import Evidence
from verify.check.report import Line, failed, not_checked, passed
from verify.redecision import reduction_of

CHECK: Final = "reduction"


def check_reduction(evidence: Evidence) -> Line:
    """Reduce the operation of a bundle's decision again, where it is disclosed, and compare what it does."""
    decided = evidence.decision
    if decided is None:
        return not_checked(CHECK, "there is no decision")
    event, body = decided
    return reduce_again(body, evidence.openings(event.seq))


def reduce_again(body: DecisionMade, openings: Sequence[Opening]) -> Line:
    """Reduce the operation of a decision again, and compare what it does.

    The decision point may have followed links on its machine: such an action stands beside the one that it was read as.

    Args:
        body: the decision.
        openings: what is open of it; they fit.
    """
    opened = next((opening for opening in openings if opening.path == ARGS), None)
    if opened is None:
        return not_checked(CHECK, "the operation is not disclosed, or was erased: the actions are taken as recorded")
    if body.reducers != VERSION:
        return not_checked(CHECK, f"read by reducers of number {body.reducers}; these are number {VERSION}")
    absent = lacking_plugin(body)
    if absent:
        return not_checked(CHECK, absent)
    match opened.value:
        case {"form": form, "payload": dict(payload), **rest} if form == body.form and not rest:
            return _reduced(body, payload)
    return failed(CHECK, "what is disclosed is no operation of the recorded form")


def lacking_plugin(body: DecisionMade) -> str:
    """Say which plug-in is not here, or could not read the operation then, so that it can't be reduced again."""
    here = read_by(body.form)
    if here != body.plugin:
        then, now = (f"{one[0]} {one[1]}" if one else "no plug-in" for one in (body.plugin, here))
        return f"the form {body.form} was read by {then}; what is here is {now}"
    if here is not None and body.problems and not body.actions:
        return f"the plug-in {here[0]} {here[1]} could not read the operation then"
    return ""


def _reduced(body: DecisionMade, payload: dict[str, Json]) -> Line:
    recorded = _effects(reduction_of(body).actions)
    homes = [reduce_operation(body.form, payload, home=home) for home in ("/home/one", "/home/two")]
    if homes[0] != homes[1]:
        # Which home it was is not recorded; what is the same in every home must be there all the same.
        same = _effects(homes[0].actions) & _effects(homes[1].actions)
        if same - recorded or _codes(homes[0]) - set(body.problems):
            return failed(CHECK, "the operation does something else than the decision recorded")
        return not_checked(CHECK, "the operation depends on a home directory, which is not recorded")
    reduced = reduce_operation(body.form, payload, home=None)
    found, codes = _effects(reduced.actions), _codes(reduced)
    if not recorded and set(body.problems) == {"TOO_COMPLEX"} != codes:
        return not_checked(
            CHECK, "reading the operation was given up for the time that it took; what it does is not told"
        )
    # What the decision point may add, each a deny: more is registered below a target than is looked at; a link can't be
    # followed; the request's id can't be kept; a tool's registration does not say what it does.
    added = set(body.problems) - codes <= {"TOO_COMPLEX", "TARGET_UNRESOLVED", "ID_INVALID", *_unsaid(found)}
    if found - recorded or codes - set(body.problems) or not added:
        return failed(CHECK, "the operation does something else than the decision recorded")
    more = recorded - found
    loose, tools = {_loose(one) for one in found}, {one[2] for one in found if one[0] == "exec"}
    if any(_loose(effect) not in loose and not _is_of_a_tool(effect, tools) for effect in more):
        return failed(CHECK, "the decision recorded an action that the operation does not hold")
    reached = f", and {len(more)} that they reach" if more else ""
    return passed(CHECK, f"reduced again, it does the same: actions {len(found)}{reached}", len(found))


def _codes(reduced: Reduction) -> set[str]:
    return {problem.code for problem in reduced.problems}


def _effects(actions: Iterable[Action]) -> set[tuple[object, ...]]:
    return {(one.kind, one.verb, one.target, one.facts) for one in actions}


def _loose(effect: tuple[object, ...]) -> tuple[object, ...]:
    """Leave out the target where an action reaches further: by a link, another spelling, or what lies below."""
    kind, verb, _, facts = effect
    return (kind, verb, facts)


def _is_of_a_tool(effect: tuple[object, ...], tools: set[object]) -> bool:
    """Tell whether an action is what a server's tool was registered to do, which only the store knows."""
    kind, _, target, _ = effect
    return kind == "infrastructure" and target in tools and str(target).startswith(PINNED)


def _unsaid(found: Iterable[tuple[object, ...]]) -> set[str]:
    return {"UNPARSEABLE"} if any(str(target).startswith(PINNED) for _, _, target, _ in found) else set()
