"""Why, in one sentence: the first reason of a verdict in words.

Source: DESIGN section 10.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from decisions.answer import Answer
from decisions.events import Authority
from grants.identifier import code_points
from tools.cli.output import safe
from tools.show.explanation import Told

_PLAIN: Final[Mapping[str, str]] = {
    "POLICY_ERROR": "The rules could not be applied, and an error never allows anything",
    "ID_INVALID": "A name in the operation is not one that can be trusted",
    "TOO_COMPLEX": "The operation has more parts than are read",
    "UNPARSEABLE": "A part of the operation can't be read, so nobody knows what it would do",
    "TARGET_UNRESOLVED": "What the operation would touch can't be known before it runs",
    "CONSENT_EXPIRED": "A human's consent fits, and its time is over",
    "CONSENT_REVOKED": "A human's consent fits, and was taken back",
    "CONSENT_CONSUMED": "A human's consent fits, and is used up",
    "CONSENT_BINDING": "There is a consent for this target, and it was given for another operation",
    "CONSENT_VERSION": "There is a consent for this target, and it was given for another version of it",
    "CONSENT_SUBJECT": "There is a consent for this target, and it was given to somebody else",
    "NO_AUTHORITY": "No rule, standing grant or consent allows it",
}


def why(answer: Answer, spoken: Sequence[Told], titles: Mapping[str, str]) -> str:
    """Say in one sentence why the verdict is what it is."""
    if answer.reason == "LEDGER_UNAVAILABLE":
        return "The decision could not be recorded, and without a record nothing is allowed."
    if answer.reason == "ALLOWED":
        return f"{_basis(answer, spoken)}."
    if answer.reason == "UNCLASSIFIED":
        return _unclassified(answer)
    if answer.reason in _PLAIN:
        return f"{_PLAIN[answer.reason]}{_detail(answer)}."
    return f"{_ruled(answer.reason, spoken, titles)}."


def _basis(answer: Answer, spoken: Sequence[Told]) -> str:
    found = answer.body.authority if answer.body else ()
    told = list(dict.fromkeys(_authority(one, spoken) for one in found))
    text = "; ".join(told) or "It is allowed"
    return text[0].upper() + text[1:]


def _authority(one: Authority, spoken: Sequence[Told]) -> str:
    if one.by == "permit":
        says = next((told.says for told in spoken if told.rule == one.rule), "")
        return f"rule {one.rule} permits it: {says}"
    if one.by == "standing":
        return f"the standing grant {one.grant} covers it"
    return f"the consent {one.grant} covers it, and this use of it is now spent"


def _unclassified(answer: Answer) -> str:
    actions = answer.body.actions if answer.body else ()
    unknown = [action.target for action in actions if action.registration is None]
    if unknown:
        return f"Nobody has registered {_named(unknown)}, so nothing is known of it."
    retired = dict.fromkeys(str(action.registration) for action in actions if action.version is None)
    return f"{_named(list(retired))} was retired, so nothing is known of it any more."


def _named(names: Sequence[str]) -> str:
    found = [code_points(name) for name in names]
    return " and ".join(found[:2]) + (f" and {len(found) - 2} more" if len(found) > 2 else "")  # noqa: PLR2004  (two)


def _detail(answer: Answer) -> str:
    if answer.reason == "NO_AUTHORITY":
        return ""
    if answer.reason == "POLICY_ERROR" and answer.trouble:
        return f": {safe(answer.trouble)}"
    own = [problem.detail for problem in answer.problems if problem.code == answer.reason]
    return f": {safe(own[0])}" if own else ""


_CHOOSE: Final[Mapping[str, Callable[[Told], bool]]] = {
    "TRUST_FLOOR": lambda one: one.effect == "forbid" and one.article == "X",
    "FORBIDDEN": lambda one: one.effect == "forbid" and one.truth == "true" and one.article != "X",
    "ATTR_UNKNOWN": lambda one: one.effect == "forbid" and one.truth == "unknown",
    "CONSENT_REQUIRED": lambda one: one.effect == "require_consent",
}


def _ruled(reason: str, spoken: Sequence[Told], titles: Mapping[str, str]) -> str:
    choose = _CHOOSE[reason]
    one = next((told for told in spoken if choose(told)), None)
    if one is None:
        return f"The verdict's reason is {reason}"
    article = f"Article {one.article}" + (f", {titles[one.article]}," if one.article in titles else "")
    if reason == "CONSENT_REQUIRED":
        return f"{article} requires a human's consent for {one.says}, and nobody has given it"
    doubt = ", which can't be ruled out" if one.truth == "unknown" else ""
    return f"{article} forbids {one.says}{doubt}"
