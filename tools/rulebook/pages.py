"""What the analysis says, in lines for people and as JSON.

Source: docs/spec/analysis.md.
"""

from collections.abc import Iterator
from typing import Final

from decisions.analysis import Difference, Fact, Finding, Witness
from decisions.analysis.telling import Told
from decisions.constitution.model import Constitution, Example, Rule
from grants.expression import Choice, Flag, Interval, Missing, Name
from grants.expression.domain import AttributeType
from grants.expression.tree import Category, walk
from ledger import canon
from ledger.canon import Json
from tools.cli.output import counted, fields

SAID: Final = {
    "equivalent": "nothing that is decided changes",
    "tightening": "less may happen than before, and nothing more",
    "loosening": "more may happen than before, and nothing less",
    "mixed": "some of it may happen that could not before, and some of it no longer",
}


def summary(constitution: Constitution) -> dict[str, object]:
    """Say in a few words what a constitution is."""
    return {
        "name": constitution.name,
        "digest": canon.to_base64url(constitution.digest),
        "articles": len(constitution.articles),
        "rules": len(constitution.rules),
        "attributes": len(constitution.attributes),
        "categories": len(constitution.categories),
    }


def finding_json(finding: Finding) -> Json:
    """Give a finding as JSON."""
    return {"code": finding.code, "place": finding.place, "says": finding.says, "proof": finding.proof}


def difference_lines(difference: Difference) -> Iterator[str]:
    """Tell a difference."""
    yield f"{difference.kind}: {SAID[difference.kind]}"
    yield f"{difference.opened:,} of {difference.total:,} cells open, {difference.closed:,} close"
    for (before, after), number in difference.moves.items():
        yield f"    {number:,} from {before.says} to {after.says}"
    for change in difference.terms:
        sense = "opens and closes" if change.opens and change.closes else "opens" if change.opens else "closes"
        yield f"{change.name}: {change.before} to {change.after}: {sense}"
    for name in difference.grown:
        yield f"new: {name}"
    for what, witness, resources in (
        ("opens", difference.witness_opened, difference.resources_opened),
        ("closes", difference.witness_closed, difference.resources_closed),
    ):
        if witness is not None:
            yield ""
            yield f"The least that {what}:"
            yield from (f"    {line}" for line in _witness_lines(witness))
            if resources:
                yield f"{counted(len(resources), 'resource')} of today: {', '.join(resources)}"


def difference_json(difference: Difference) -> dict[str, Json]:
    """Give a difference as JSON."""
    return {
        "kind": difference.kind,
        "opened": difference.opened,
        "closed": difference.closed,
        "total": difference.total,
        "moves": [
            {"from": before.name.lower(), "to": after.name.lower(), "cells": number}
            for (before, after), number in difference.moves.items()
        ],
        "witness_opened": _witness_json(difference.witness_opened),
        "witness_closed": _witness_json(difference.witness_closed),
        "resources_opened": list(difference.resources_opened),
        "resources_closed": list(difference.resources_closed),
        "grown": list(difference.grown),
        "terms": [
            {
                "name": change.name,
                "before": change.before,
                "after": change.after,
                "opens": change.opens,
                "closes": change.closes,
            }
            for change in difference.terms
        ],
    }


def rule_lines(constitution: Constitution, rule: Rule, told: Told) -> Iterator[str]:
    """Tell one rule."""
    article = next(one for one in constitution.articles if one.number == rule.article)
    yield f"{rule.id}: {rule.effect}, in article {article.number}, {article.title}"
    yield f"    {rule.says}"
    yield ""
    pairs = [("speaks on", ", ".join(f"{kind} {verb}" for kind, verb in told.pairs)), ("when", rule.when.text)]
    pairs += [(f"  {name}", text) for name, text in _categories(rule)]
    yield fields(pairs)
    yield ""
    declared = constitution.attributes
    rows = [(name, declared[name]) for name in sorted(rule.when.reads) if name in declared]
    yield fields([(f"reads {name}", f"{one.source}: {_domain(one.type)}") for name, one in rows])
    yield ""
    yield f"fires in {told.fires:,} of {told.total:,} cells"
    yield f"its condition is true in {told.true:,}, unknown in {told.unknown:,}"
    yield f"decides alone in {told.decides:,} of them"
    if told.least:
        yield f"fires at the least on: {', '.join(f'{fact.name} {fact.says}' for fact in told.least)}"
    yield f"stops for example: {_example(rule.stops)}"
    yield f"lets pass for example: {_example(rule.passes)}"


def rule_json(rule: Rule, told: Told) -> dict[str, Json]:
    """Give one rule as JSON."""
    return {
        "rule": rule.id,
        "article": rule.article,
        "effect": rule.effect,
        "says": rule.says,
        "when": rule.when.text,
        "categories": dict[str, Json](_categories(rule)),
        "reads": list[Json](sorted(rule.when.reads)),
        "speaks_on": [f"{kind} {verb}" for kind, verb in told.pairs],
        "cells": told.total,
        "true": told.true,
        "unknown": told.unknown,
        "false": told.false,
        "fires": told.fires,
        "decides": told.decides,
        "least": [_fact_json(fact) for fact in told.least],
    }


def _categories(rule: Rule) -> list[tuple[str, str]]:
    """Give the categories that a condition names, and those that they name, with their conditions."""
    found: dict[str, str] = {}
    waiting = [rule.when]
    while waiting:
        for node in walk(waiting.pop(0).root):
            if isinstance(node, Category) and node.name not in found:
                found[node.name] = node.expression.text
                waiting.append(node.expression)
    return list(found.items())


def _domain(domain: AttributeType) -> str:
    match domain:
        case Choice(values=values):
            return ", ".join(values)
        case Flag():
            return "true or false"
        case Interval(low=low, high=high):
            return f"{low} to {high}"
        case Name():
            return "a name"
        case _:
            return "a reference"


def _example(example: Example) -> str:
    told = [f"{name} {_shown(value)}" for name, value in example.values.items() if name not in {"kind", "verb"}]
    return ", ".join([f"{example.kind} {example.verb}", *told])


def _shown(value: object) -> str:
    if isinstance(value, Missing):
        return str(value.value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _witness_lines(witness: Witness) -> Iterator[str]:
    yield f"{witness.kind} {witness.verb}, whatever the rest"
    yield from fields([(fact.name, fact.says) for fact in witness.facts]).splitlines()
    yield f"-> {witness.before.says} before, {witness.after.says} after"


def _witness_json(witness: Witness | None) -> Json:
    if witness is None:
        return None
    return {
        "kind": witness.kind,
        "verb": witness.verb,
        "facts": [_fact_json(fact) for fact in witness.facts],
        "before": witness.before.name.lower(),
        "after": witness.after.name.lower(),
    }


def _fact_json(fact: Fact) -> Json:
    return {"name": fact.name, "source": fact.source, "says": fact.says}
