"""A court: an office whose constitution is the default one, with a few resources, and a decision point over it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from decisions.adoption import adopt
from decisions.amendment import acts as amending
from decisions.constitution import DEFAULT_TEXT, default
from decisions.law import vocabulary_of
from decisions.operation import Operation
from decisions.record import DecisionPoint, Request
from grants import acts
from grants.evidence import Attested, record_evidence
from verify.views import EVENTS, VIEWS

DAY = 24 * 3600 * 1_000_000

RESOURCES: Mapping[str, Mapping[str, Any]] = {
    "db://prod/users/**": {
        "environment": "prod",
        "asset": "business_record",
        "sensitivity": "internal",
        "reversibility": "irreversible",
        "about_people": True,
        "purpose": "support",
    },
    "db://prod/stats/**": {
        "environment": "prod",
        "asset": "business_record",
        "sensitivity": "internal",
        "reversibility": "recoverable",
        "about_people": False,
        "purpose": None,
    },
    "file:///srv/app/**": {
        "environment": "dev",
        "asset": "source",
        "sensitivity": "internal",
        "reversibility": "reversible",
        "about_people": False,
        "purpose": None,
    },
    "file:///srv/app/tests/fixtures/**": {
        "environment": "test",
        "asset": "test_fixture",
        "sensitivity": "internal",
        "reversibility": "recoverable",
        "about_people": False,
        "purpose": None,
    },
    "file:///srv/app/.claude/**": {
        "environment": "dev",
        "asset": "control_plane",
        "sensitivity": "internal",
        "reversibility": "reversible",
        "about_people": False,
        "purpose": None,
    },
    "file:///srv/hr/**": {
        "environment": "prod",
        "asset": "business_record",
        "sensitivity": "confidential",
        "reversibility": "recoverable",
        "about_people": True,
        "purpose": "hiring",
    },
    "https://docs.example.com/**": {"asset": "endpoint", "provenance": "trusted", "exposure": "external"},
    "program:pytest": {"environment": "dev", "asset": "program", "provenance": "trusted"},
    "person:r7/relational": {"domain": "relational"},
    "person:r7/technical": {"domain": "technical"},
    "person:r7/unsaid": {},
}


@dataclass
class Court:
    """An office with a decision point."""

    office: Any
    point: DecisionPoint

    def ask(self, form: str, payload: Mapping[str, Any], **how: Any) -> Any:
        """Decide one operation as agent:ops-7 by its own uid, unless said otherwise."""
        request = how.pop("id", None)
        uid = how.pop("uid", 1001)
        claimed = how.pop("claimed", None)
        operation = Operation(form, dict(payload), how.pop("operands", ()), how.pop("domain", ""))
        assert not how
        return self.point.decide(Request(operation, uid, claimed, request))

    def do(self, verb: str, target: str, **how: Any) -> Any:
        """Decide a typed operation."""
        payload = {"verb": verb, "target": target}
        for name in ("kind", "scope", "attributes"):
            if name in how:
                payload[name] = how.pop(name)
        return self.ask("typed", payload, **how)

    def consent(self, answer: Any, *, minutes: int = 60, uses: int = 1, by: str = "human:ada") -> Any:
        """Let a human consent to what an answer asks for."""
        return self.office.act(
            acts.grant_request,
            self.office.registry,
            by=by,
            request=answer.request,
            expires=self.office.clock.after(minutes * 60_000_000),
            reason="looked at it",
            uses=uses,
        )

    def attest(self, kind: str, subject: str, *, by: str = "human:ada", holds: bool = True, **how: Any) -> Any:
        """Record evidence that is valid from now for a day, unless said otherwise."""
        start, days = how.pop("start", 0), how.pop("days", 1)
        begins, ends = (self.office.clock.after(day * DAY) for day in (start, start + days))
        told = Attested(kind, subject, holds, begins, ends, "it was looked at")
        return self.office.act(record_evidence, by=by, attested=told, **how)

    def law(self) -> Any:
        """Give the vocabulary of the constitution in force."""
        return vocabulary_of(default())

    def amended(self, effect: str, name: str, kinds: list[str], when: str, **stops: Any) -> Any:
        """Adopt the default constitution with one rule more in its sixth article."""
        facts = ", ".join(f"{key} = {json.dumps(value)}" for key, value in stops.items())
        passes = facts.replace('"prod"', '"dev"')
        rule = f"""
[[articles.rules]]
id = "{name}"
says = "something more"
effect = "{effect}"
kinds = {json.dumps(kinds)}
when = '{when}'
stops = {{ kind = "{kinds[0]}", {facts} }}
passes = {{ kind = "{kinds[0]}", {passes} }}

[[articles]]
number = "VII"
"""
        document = DEFAULT_TEXT.replace('[[articles]]\nnumber = "VII"\n', rule.lstrip("\n"))
        return self.amend(document)

    def amend(self, document: str, by: str = "human:ada", **how: Any) -> Any:
        """Propose a constitution and adopt it at once, as one human may where one is enough."""
        proposed = self.change(amending.propose, by=by, document=document, reason="it is better", **how)
        self.change(amending.adopt, by=by, amendment=proposed.seq)
        return self.office.event(self.office.log.head.size - 1)

    def change(self, act: Any, signer: str | None = None, **fields: Any) -> Any:
        """Prepare, sign and append one act of changing the rules."""
        draft = self.office.sign(act, self.office.registry, signer=signer, **fields)
        return self.office.log.transact(lambda tx: amending.append_amendment(tx, self.office.registry, draft))[0]

    def types(self) -> list[str]:
        """Give the types of all events."""
        return [self.office.registry.parse(data).type for _, data in self.office.log.events()]


@pytest.fixture
def views() -> Any:
    return VIEWS


@pytest.fixture
def registry() -> Any:
    return EVENTS


@pytest.fixture
def found() -> Callable[..., Court]:
    """Give the way to make a court of an office."""

    def founded(office: Any, document: str = DEFAULT_TEXT, **how: Any) -> Court:
        office.act(adopt, by="human:ada", document=document)
        for resource, attributes in RESOURCES.items():
            office.act(acts.register_resource, by="registrar:stores", resource=resource, attributes=attributes)
        return Court(office, DecisionPoint(office.log, office.registry, home="/home/ops", **how))

    return founded


@pytest.fixture
def court(office: Any, found: Callable[..., Court]) -> Court:
    return found(office)
