"""The whole account of a decision as one JSON object.

Source: docs/guides/explain.md; the fields are a promise.
"""

from decisions.explanation.explained import ActionRead, AtomRead, RuleRead
from decisions.explanation.obstacle import spelt
from ledger.canon import Json
from tools.explaining import Account


def account_json(account: Account) -> dict[str, Json]:
    """Give an account."""
    event, body, found = account.event, account.body, account.found
    actions: list[Json] = [_action(action) for action in found.actions]
    problems: list[Json] = [{"code": code, "detail": detail, "part": part} for code, detail, part in account.problems]
    sources: list[Json] = [{"event": seq, "type": kind, "by": by, "at": at} for seq, kind, by, at in account.sources]
    return {
        "decision": event.seq,
        "at": event.at,
        "by": event.by,
        "via": event.via,
        "subject": list(body.subject),
        "mode": body.mode,
        "outcome": body.outcome,
        "reason": body.reason,
        "reasons": list(body.reasons),
        "constitution": {"name": found.constitution, "digest": found.digest},
        "actions": actions,
        "problems": problems,
        "trouble": found.trouble or None,
        "nearest": found.nearest.to_json() if found.nearest else None,
        **({"shadow": body.shadow.model_dump(mode="json")} if body.shadow else {}),
        "lacking": list(account.lacking),
        "differs": list(account.differs),
        "request": account.request,
        "consumed": list(account.consumed),
        "outcome_reported": account.outcome,
        "sources": sources,
    }


def _action(action: ActionRead) -> Json:
    descriptor = action.descriptor
    one = descriptor.action
    articles: list[Json] = [
        {"number": article.number, "title": article.title, "rules": [_rule(rule) for rule in rules]}
        for article, rules in action.rules
    ]
    return {
        "kind": one.kind,
        "verb": one.verb,
        "target": one.target,
        "registration": descriptor.registration,
        "version": descriptor.version,
        "outcome": action.outcome,
        "reasons": list(action.reasons),
        "articles": articles,
        "standing": list(action.standing),
        "consent": action.consent.grant,
        "authority": [one.model_dump(mode="json") for one in action.authority],
    }


def _rule(read: RuleRead) -> Json:
    return {
        "rule": read.rule.id,
        "effect": read.rule.effect,
        "says": read.rule.says,
        "truth": read.truth.value,
        "speaks": read.speaks,
        "claims": read.heard,
        "atoms": [_atom(atom) for atom in read.atoms],
    }


def _atom(atom: AtomRead) -> Json:
    return {
        "text": atom.text,
        "truth": atom.truth.value,
        "attribute": atom.name,
        "value": None if atom.name is None else spelt(atom.value),
        "among": [spelt(value) for value in atom.among],
        "source": atom.source,
        "stamp": atom.stamp,
        "of": list(atom.origins),
    }
