"""What a caller is told: the recorded verdict, with what explains it.

Source: DESIGN section 10; the JSON fields are a promise to enforcement points.
"""

from dataclasses import dataclass

from decisions.action import Problem
from decisions.events import DecisionMade, Outcome, Reason
from decisions.objects import FileObject
from decisions.verdict import Descriptor, Several, Spoken
from grants.expression import Missing
from ledger.canon import Json
from ledger.event import Event


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one request.

    Attributes:
        outcome: allow, deny or hold. Only a fresh allow may be acted on.
        reason: the first reason that applies.
        decision: number of the recorded decision, or None where no record could be written.
        body: the recorded decision, or None likewise.
        repeated: the request was answered before; the effect must not run again.
        request: number of the `consent.requested` that a human can answer, or None.
        spoken: the rules that spoke, with the truth of each atom; empty on a repeat.
        problems: what could not be read, explained; empty on a repeat.
        descriptors: what was known of each action; empty on a repeat.
        resolved: (target, where its link led) of each file that is a link; empty on a repeat.
        objects: which object each file was that the operation leads to; empty on a repeat.
        trouble: why no record could be written, or an empty text.
    """

    outcome: Outcome
    reason: Reason
    decision: int | None
    body: DecisionMade | None
    repeated: bool = False
    request: int | None = None
    spoken: tuple[Spoken, ...] = ()
    problems: tuple[Problem, ...] = ()
    descriptors: tuple[Descriptor, ...] = ()
    resolved: tuple[tuple[str, str], ...] = ()
    objects: tuple[FileObject, ...] = ()
    trouble: str = ""

    def articles(self) -> tuple[str, ...]:
        """Give the articles that spoke."""
        return self.body.articles if self.body else ()

    def grant(self) -> str | None:
        """Give the first grant that an allow rests on, or None."""
        return next((a.grant for a in self.body.authority if a.grant), None) if self.body else None

    def _actions(self) -> list[Json]:
        recorded = [action.model_dump(mode="json") for action in self.body.actions] if self.body else []
        known = [_known(descriptor) for descriptor in self.descriptors] or [{} for _ in recorded]
        return [{**one, **more} for one, more in zip(recorded, known, strict=False)]

    def to_json(self) -> dict[str, Json]:
        """Give the answer as one JSON object."""
        body = self.body.json_form() if self.body else {}
        explanation: list[Json] = [
            {
                "action": spoken.action,
                "rule": spoken.rule.id,
                "article": spoken.rule.article,
                "effect": spoken.rule.effect,
                "says": spoken.rule.says,
                "truth": spoken.truth.value,
                "atoms": [[text, truth.value] for text, truth in spoken.atoms],
            }
            for spoken in self.spoken
        ]
        return {
            "outcome": self.outcome,
            "reason": self.reason,
            "reasons": body.get("reasons", [self.reason]),
            "decision": self.decision,
            "articles": body.get("articles", []),
            "rules": [rule.rule for rule in self.body.rules] if self.body else [],
            "categories": body.get("categories", []),
            "grant": self.grant(),
            "needs": body.get("needs", []),
            "repeated": self.repeated,
            "request": self.request,
            "actions": self._actions(),
            "problems": [{"code": p.code, "detail": p.detail, "part": p.part} for p in self.problems],
            "resolved": [list(pair) for pair in self.resolved],
            "objects": [one.to_json() for one in self.objects],
            "explanation": explanation,
            "trouble": self.trouble or None,
            # A candidate's answer, with enforced: false; the key is there only where a shadow runs.
            **({"shadow": body["shadow"]} if "shadow" in body else {}),
        }


def _known(descriptor: Descriptor) -> dict[str, Json]:
    """Give what an action was known by: each attribute with its source and the event that last set it."""
    attributes: dict[str, Json] = {
        name: {"value": _spelt(one.value), "source": one.source, "stamp": one.stamp, "of": list(one.origins)}
        for name, one in sorted(descriptor.attributes.items())
    }
    return {"part": descriptor.action.part, "attributes": attributes}


def _spelt(value: object) -> Json:
    if isinstance(value, Several):
        return [_spelt(one) for one in value.values]
    if isinstance(value, Missing):
        return {"missing": value.name.lower()}
    return value if isinstance(value, str | bool | int) else str(value)


def conflicting(trouble: str) -> Answer:
    """Answer a request whose id was used for another operation: deny, and nothing is recorded."""
    return Answer("deny", "ID_INVALID", None, None, trouble=trouble)


def unavailable(trouble: str) -> Answer:
    """Answer without a ledger: deny, and say that nothing was recorded."""
    return Answer("deny", "LEDGER_UNAVAILABLE", None, None, trouble=trouble)


def recorded(decision: Event, body: DecisionMade, *, repeated: bool, request: int | None) -> Answer:
    """Answer with what stands in the log."""
    return Answer(body.outcome, body.reason, decision.seq, body, repeated=repeated, request=request)
