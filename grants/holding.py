"""Legal holds and retention rules, prepared to be signed: see `grants.issue`.

Source: DESIGN section 8; docs/adr/0010.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from grants.acts import new_grant_id
from grants.book.holds import HOLD
from grants.book.states import HoldState
from grants.errors import IssueError
from grants.events import HoldPlaced, HoldReleased, RetentionRule, RetentionSet
from grants.events.retention import ANY
from grants.issue import Prepared, prepare
from grants.reading import read_state
from grants.spelling import suggestion
from ledger.canon import Json
from ledger.disclosure import Opening
from ledger.event import Body, Registry
from ledger.log import Snapshot

_REASON: Final = "/reason"


def place_hold(snapshot: Snapshot, *, by: str, over: Iterable[str], reason: str, hold: str | None = None) -> Prepared:
    """Prepare a legal hold.

    Args:
        snapshot: the log.
        by: the human.
        over: what is held: ``all``, ``event:<place>``, a tag, or ``resource:<reference>/**``.
        reason: why.
        hold: its id; a new one unless given.
    """
    named: list[Json] = [*sorted(set(over))]
    fields: dict[str, Json] = {"hold": hold or new_grant_id(), "over": named}
    return prepare(snapshot, HoldPlaced, fields, by=by, openings=(Opening.fresh(_REASON, reason),))


def release_hold(snapshot: Snapshot, *, by: str, hold: str, reason: str) -> Prepared:
    """Prepare the release of a hold.

    Raises:
        IssueError: there is no such hold, or it was released.
    """
    row = read_state(snapshot, HOLD, hold, HoldState)
    if row is None:
        raise IssueError(f"there is no hold {hold}: tally hold list shows those that stand")
    fields: dict[str, Json] = {"hold": hold, "over": [*row.over]}
    opened = (Opening.fresh(_REASON, reason),)
    return prepare(snapshot, HoldReleased, fields, by=by, openings=opened, causes=(row.seq,))


def set_retention(
    snapshot: Snapshot, registry: Registry, *, by: str, rules: Iterable[RetentionRule], reason: str
) -> Prepared:
    """Prepare the retention rules that take the place of all earlier ones.

    Raises:
        IssueError: a rule is about a type of event, or a field, that there is none of; or two are about the same.
    """
    ordered = sorted(rules, key=lambda rule: (rule.type, rule.path))
    types: dict[str, type[Body]] = {body.type: body for body in registry}
    for rule in ordered:
        _check_rule(rule, types)
    fields: dict[str, Json] = {"rules": [rule.model_dump(mode="json") for rule in ordered]}
    return prepare(snapshot, RetentionSet, fields, by=by, openings=(Opening.fresh(_REASON, reason),))


def _check_rule(rule: RetentionRule, types: Mapping[str, type[Body]]) -> None:
    """Refuse a rule that would never apply: whoever set it would rely on it."""
    if rule.type != ANY and rule.type not in types:
        raise IssueError(f"there is no type of event {rule.type!a}{suggestion(rule.type, types)}")
    if rule.path == ANY:
        return
    first = rule.path.split("/")[1:2]
    bodies = types.values() if rule.type == ANY else (types[rule.type],)
    if not rule.path.startswith("/") or not any(name in body.model_fields for body in bodies for name in first):
        raise IssueError(f"{rule.type} has no field {rule.path!a}: name it as /args, or * for every field")
