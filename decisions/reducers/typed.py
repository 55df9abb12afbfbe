"""The plain typed form, for an enforcement point that knows what it intercepts.

    {"actions": [{"verb": "delete", "target": "db://prod/users/42"}]}      or one action without the list

``kind`` may be left out where the target's scheme tells it. ``scope``, ``code_origin``, ``elevated`` and ``egress``
may be stated, and make the action stricter than what the target alone says, never milder.

Source: DESIGN section 10; policy case B01 (nothing is folded into a known name).
"""

from decisions.action import Fact
from decisions.reducers.effects import Effects, canonical
from decisions.reducers.errors import UnreadableError, too_complex
from decisions.reducers.paths import is_broad
from decisions.reducers.payload import Fields, check_keys, object_of, optional_text, text
from decisions.reducers.vocabulary import KIND_OF_SCHEME, MILDEST, ORDER, SCHEMES_OF_KIND, VERBS, stricter
from grants import reference
from ledger.canon import Json

_MOST = 50
_FACTS = ("scope", "code_origin", "elevated", "egress")


def reduce_typed(effects: Effects, payload: Fields, *, home: str | None) -> None:
    """Note the actions of a typed operation.

    Raises:
        UnreadableError: it is no list of actions, or too long a one.
    """
    listed: Json = [dict(payload)]
    if "actions" in payload:
        check_keys(payload, ["actions"], "a typed operation")
        listed = payload["actions"]
    if not isinstance(listed, list) or not listed:
        raise UnreadableError("actions must be a list with at least one action")
    if len(listed) > _MOST:
        raise too_complex(f"more than {_MOST} actions")
    for number, entry in enumerate(listed, 1):
        part = f"action {number}"
        try:
            _action(effects, object_of(entry, "an action"), home, part)
        except UnreadableError as error:
            effects.refuse(error, part)


def _action(effects: Effects, fields: Fields, home: str | None, part: str) -> None:
    check_keys(fields, ["kind", "verb", "target", *_FACTS], "an action")
    target = canonical(text(fields, "target"))
    scheme = target.partition(":")[0]
    kind = optional_text(fields, "kind") or KIND_OF_SCHEME[scheme]
    verb = text(fields, "verb")
    if verb not in VERBS.get(kind, ()):
        raise UnreadableError(f"not an action that is known: {kind[:40]!a} {verb[:40]!a}")
    if scheme not in SCHEMES_OF_KIND.get(kind, {scheme}):
        raise UnreadableError(f"{kind} does not act on a target of the scheme {scheme}")
    effects.act(kind, verb, target, part, **_stated(fields, kind, _derived(kind, verb, target, home)))


def _derived(kind: str, verb: str, target: str, home: str | None) -> dict[str, Fact]:
    """Say what the target alone tells of the facts."""
    facts = dict(MILDEST[kind])
    parts = reference.parse(target).parts
    if kind == "data":
        facts["scope"] = ("all", "many")[len(parts)] if len(parts) < 2 else "one"  # noqa: PLR2004  (store, table, row)
    elif kind == "file" and verb == "delete" and is_broad(target.removeprefix("file://"), home):
        facts["scope"] = "all"
    elif kind == "exec" and target.startswith("file:"):
        facts["code_origin"] = "file"
    elif kind == "infrastructure" and not parts:
        facts["scope"] = "all"
    elif kind == "network" and verb == "send":
        facts["egress"] = True
    return facts


def _stated(fields: Fields, kind: str, facts: dict[str, Fact]) -> dict[str, Fact]:
    """Make facts stricter where the payload states so."""
    for name in _FACTS:
        value = fields.get(name)
        if value is None:
            continue
        if name not in MILDEST[kind] or not isinstance(value, bool | str) or value not in ORDER[name]:
            raise UnreadableError(f"{name} can't be stated so of an action of the kind {kind}")
        facts[name] = stricter(name, facts[name], value)
    return facts
