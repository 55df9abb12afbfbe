"""What a bundle tells, in prose: who asked for what, what was answered, by which rule and on whose authority.

Nothing here is verified, and the first line says so. A field that is committed to is shown by its value, or as withheld
where no opening of it is there; an opening that does not fit its commitment opens nothing.

Source: DESIGN section 1 (the auditor reads why).
"""

from collections.abc import Iterator
from typing import Final

from decisions.events import Authority, DecidedAction, DecisionMade, OutcomeReported
from decisions.shadow import NOT_ENFORCED
from grants.errors import GrantError
from grants.events import (
    ConsentGranted,
    ConsentRefused,
    ConsentRequested,
    ConsentRevoked,
    GrantRatified,
    GrantRatifiedTogether,
    GrantRevoked,
)
from grants.principals import log_state
from ledger import canon
from ledger.canon import Json
from ledger.disclosure import paths
from ledger.errors import LedgerError
from ledger.event import Event
from verify.bundle.form import Bundle
from verify.check.evidence import Evidence
from verify.errors import BundleFormError
from verify.text import visible
from verify.views import EVENTS, VIEWS

UNVERIFIED: Final = "This is what the file says. None of it is verified here: use tally-verify bundle."
WITHHELD: Final = "(withheld)"
_ASKED: Final = (ConsentRequested, ConsentGranted, ConsentRefused, ConsentRevoked, GrantRatified, GrantRevoked)
_AUTH: Final = {
    "signature": "by a signature",
    "os-uid": "by the operating system's user",
    "token": "by a token",
    "claimed": "by nothing but the claim",
    "ledger": "by the ledger itself",
}


def tell(bundle: Bundle) -> Iterator[str]:
    """Tell a bundle, line by line, every text in it made visible.

    Raises:
        BundleFormError: it holds no decision that can be read.
    """
    evidence, event, body = _read(bundle)
    origin = _origin(evidence, event)
    yield UNVERIFIED
    yield ""
    yield f"Decision {event.seq} of the log {visible(origin)}, at {event.at}"
    yield from _asker(event, body)
    yield from _operation(evidence, event, body)
    for number, action in enumerate(body.actions, start=1):
        yield _field(f"action {number}", _action(action))
    yield from _verdict(body)
    for authority in body.authority:
        yield from _authority(evidence, authority)
    for followed in evidence.naming(event.seq):
        said = f": {followed.body.outcome}" if isinstance(followed.body, OutcomeReported) else ""
        yield _field("then", f"event {followed.seq}, {followed.type}{said}")
        yield from _fields(evidence, followed)
    for asked in _beside(evidence, event, body):
        yield _field("also", f"event {asked.seq}, {asked.type}")
        yield from _fields(evidence, asked)


def told(bundle: Bundle) -> dict[str, Json]:
    """Give the same as one JSON object.

    Raises:
        BundleFormError: it holds no decision that can be read.
    """
    evidence, event, body = _read(bundle)
    return {
        "code": "not-verified",
        "decision": event.seq,
        "at": event.at,
        "by": event.by,
        "auth": event.auth,
        "via": event.via,
        "request": event.request,
        "body": body.json_form(),
        "disclosed": {opening.path: opening.value for opening in evidence.openings(event.seq)},
        "fields": [
            {"event": one.seq, "type": one.type, **field}
            for one in (event, *_asked(evidence), *_outcomes(evidence, event))
            for field in _told_fields(evidence, one)
        ],
        "statements": [
            {"event": one.seq, "by": one.by, "text": grant.statement().decode()}
            for one, grant in _grants(evidence, _used(body))
        ],
        "followed": [{"event": one.seq, "type": one.type} for one in evidence.naming(event.seq)],
        "outcome": next((one.body.json_form()["outcome"] for one in _outcomes(evidence, event)), None),
    }


def _origin(evidence: Evidence, event: Event) -> str:
    """Give what the log was called when it decided."""
    try:
        state = log_state(evidence)
    except (GrantError, LedgerError):
        state = None
    return "?" if state is None else state.origin_at(event.seq)


def _read(bundle: Bundle) -> tuple[Evidence, Event, DecisionMade]:
    evidence = Evidence(bundle, EVENTS, VIEWS)
    if evidence.decision is None:
        raise BundleFormError(f"event {bundle.decision} is no decision that can be read")
    return evidence, *evidence.decision


def _asker(event: Event, body: DecisionMade) -> Iterator[str]:
    via = f", spoken for by {event.via}" if event.via else ""
    yield _field("asked by", f"{'/'.join(body.subject)}, established {_AUTH[event.auth]}{via}")
    if event.by != body.subject[0]:
        yield _field("recorded as", event.by)
    yield _field("request", event.request or "none")


def _operation(evidence: Evidence, event: Event, body: DecisionMade) -> Iterator[str]:
    yield _field("operation", body.form)
    yield from _fields(evidence, event)
    for problem in body.problems:
        yield _field("not readable", problem)


def _action(action: DecidedAction) -> str:
    facts = "".join(f", {name} {value}" for name, value in action.facts.items())
    known = f"; registered as {action.registration}, version {action.version}" if action.registration else ""
    return f"{action.verb} {action.target} ({action.kind}{facts}{known or '; not registered'})"


def _verdict(body: DecisionMade) -> Iterator[str]:
    yield _field("answer", f"{body.outcome.upper()}: {', '.join(body.reasons)}")
    yield _field("constitution", body.constitution or "none")
    for rule in body.rules:
        yield _field("rule", f"{rule.article} {rule.rule}: {rule.effect}, {rule.truth}, action {rule.action + 1}")
    if body.mode == "shadow":
        yield _field(NOT_ENFORCED, "the whole decision is a shadow")
    if body.shadow is not None:
        would = f"{body.shadow.outcome.upper()}: {', '.join(body.shadow.reasons)}"
        yield _field("shadow", f"{NOT_ENFORCED}: it would have been {would}, by {body.shadow.constitution}")
    for need in body.needs:
        whose = "a human" if need.who == "human" else "facts"
        yield _field("would need", f"{whose}: {need.what} on {need.about}, action {need.action + 1}")


def _authority(evidence: Evidence, authority: Authority) -> Iterator[str]:
    number = authority.action + 1
    if authority.grant is None:
        yield _field("authority", f"action {number}: the rule {authority.rule}")
        return
    yield _field("authority", f"action {number}: {authority.by} {authority.grant}")
    for event, grant in _grants(evidence, {authority.grant}):
        yield _field("signed by", f"{event.by}, {grant.signed.key}, in event {event.seq}, at {event.at}")
        for one in grant.cosigned if isinstance(grant, GrantRatifiedTogether) else ():
            yield _field("signed too by", f"{one.by}, {one.signed.key}")
        yield from (f"    | {visible(line)}" for line in grant.statement().decode().splitlines())
        yield from _fields(evidence, event)


def _grants(evidence: Evidence, ids: set[str]) -> Iterator[tuple[Event, ConsentGranted | GrantRatified]]:
    for event in evidence.events.values():
        if isinstance(event.body, ConsentGranted | GrantRatified) and event.body.grant in ids:
            yield event, event.body


def _used(body: DecisionMade) -> set[str]:
    return {authority.grant for authority in body.authority if authority.grant}


def _asked(evidence: Evidence) -> list[Event]:
    """Give what a human was asked and what she answered, used or not, in order."""
    return [event for event in evidence.events.values() if isinstance(event.body, _ASKED)]


def _outcomes(evidence: Evidence, event: Event) -> list[Event]:
    """Give what was reported of the effect."""
    return [one for one in evidence.naming(event.seq) if isinstance(one.body, OutcomeReported)]


def _beside(evidence: Evidence, event: Event, body: DecisionMade) -> list[Event]:
    """Give what of it was not told yet."""
    before = {one.seq for one, _ in _grants(evidence, _used(body))} | {one.seq for one in evidence.naming(event.seq)}
    return [one for one in _asked(evidence) if one.seq not in before]


def _fields(evidence: Evidence, event: Event) -> Iterator[str]:
    for told_field in _told_fields(evidence, event):
        value = canon.encode(told_field["value"]).decode() if told_field["open"] else WITHHELD
        yield _field(f"  {told_field['path']}", value)


def _told_fields(evidence: Evidence, event: Event) -> Iterator[dict[str, Json]]:
    """Give each field that the event commits to, with its value where it is open."""
    opened = {opening.path: opening.value for opening in evidence.openings(event.seq)}
    for path, _ in paths(event.body):
        known: dict[str, Json] = {"value": opened[path]} if path in opened else {}
        yield {"path": path, "open": path in opened, **known}


def _field(name: str, text: str) -> str:
    return f"  {visible(name):<14}{visible(text)}"
