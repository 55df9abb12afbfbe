"""The whole account of a verdict: each article, each rule, each part of its condition, with what it was asked of.

Source: DESIGN section 10; docs/guides/explain.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from decisions import pdp
from decisions.action import Problem
from decisions.constitution.model import Article, Constitution, Rule
from decisions.evaluation import Evaluation
from decisions.events import Authority, Outcome, Reason
from decisions.explanation.nearest import Nearest
from decisions.verdict import Case, Descriptor, Several, Source, Verdict
from grants.consent import ConsentMatch, ConsentMiss
from grants.expression import UNKNOWN, Expression, Truth, evaluate
from grants.expression.evaluate import ask
from grants.expression.tree import Atom, Category, walk


@dataclass(frozen=True, slots=True)
class AtomRead:
    """One part of a condition.

    Attributes:
        text: as it stands in the document, behind the categories that it stands in.
        name: the attribute that it asks, or None for a category, whose parts follow it.
        value: what was found there.
        among: all values that the resource has at once, where it has several.
        stamp: the event that last set it, where an event did.
        origins: the registrations that say it, where registrations do.
    """

    text: str
    truth: Truth
    name: str | None = None
    value: object = None
    source: Source | None = None
    stamp: int | None = None
    among: tuple[object, ...] = ()
    origins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleRead:
    """One rule, asked of one action.

    Attributes:
        truth: what its condition came to.
        speaks: whether it had a say: a permit where it is true, any other rule also where it is unknown.
        heard: whether the facts are those that the payload claims.
    """

    rule: Rule
    truth: Truth
    speaks: bool
    heard: bool
    atoms: tuple[AtomRead, ...]


@dataclass(frozen=True, slots=True)
class ActionRead:
    """One action, judged by itself.

    Attributes:
        rules: every rule for its kind and verb, by article, in the constitution's order.
        standing: the standing grants that cover it.
    """

    descriptor: Descriptor
    outcome: Outcome
    reasons: tuple[Reason, ...]
    rules: tuple[tuple[Article, tuple[RuleRead, ...]], ...]
    authority: tuple[Authority, ...]
    standing: tuple[str, ...]
    consent: ConsentMatch | ConsentMiss


@dataclass(frozen=True, slots=True)
class Explained:
    """The whole account.

    Attributes:
        constitution: its name; empty where none could be read.
        digest: its digest, base64url, or an empty text.
        actions: one for each action; none after an error.
        problems: what could not be read of the operation.
        trouble: the error that denied it, or an empty text.
        nearest: what would allow it, or None where that can't be told.
    """

    outcome: Outcome
    reasons: tuple[Reason, ...]
    constitution: str
    digest: str
    actions: tuple[ActionRead, ...]
    problems: tuple[Problem, ...]
    trouble: str
    nearest: Nearest | None


def explained(constitution: Constitution | None, evaluation: Evaluation, nearest: Nearest | None) -> Explained:
    """Account for an evaluation.

    Args:
        constitution: the one that it was made by, or None where none could be read.
        evaluation: what was judged, and what came of it.
        nearest: what would allow it, where that was looked for.
    """
    verdict = evaluation.verdict
    cases = evaluation.cases if constitution else ()
    actions = [_action(constitution, case) for case in cases if constitution]
    return Explained(
        verdict.outcome,
        verdict.reasons,
        constitution.name if constitution else "",
        evaluation.constitution,
        tuple(actions),
        evaluation.reduction.problems,
        evaluation.trouble,
        nearest,
    )


def _action(constitution: Constitution, case: Case) -> ActionRead:
    verdict = pdp.judge(constitution, case, 0)
    rules = tuple(
        (article, tuple(read)) for article in constitution.articles if (read := list(_rules(article, case, verdict)))
    )
    return ActionRead(
        case.descriptor, verdict.outcome, verdict.reasons, rules, verdict.authority, case.standing, case.consent
    )


def _rules(article: Article, case: Case, verdict: Verdict) -> Iterator[RuleRead]:
    descriptor = case.descriptor
    spoken = {one.rule.id for one in verdict.spoken}
    for rule in article.rules:
        if rule.speaks_on(descriptor.action.kind, descriptor.action.verb):
            yield _rule(rule, descriptor, speaks=rule.id in spoken)


def _rule(rule: Rule, descriptor: Descriptor, *, speaks: bool) -> RuleRead:
    """Ask a rule once more, where it has most to say: with the claims that make it speak, of the values that do."""
    found, truth = _asked(rule, descriptor, heard=rule.claims_payload)
    heard = rule.claims_payload
    if speaks and not _has_say(rule, truth):
        (found, truth), heard = _asked(rule, descriptor, heard=True), True
    values = found.values(with_claims=heard)
    atoms = tuple(_atoms(rule.when, descriptor, values, ""))
    return RuleRead(rule, truth, speaks, heard, atoms)


def _has_say(rule: Rule, truth: Truth) -> bool:
    return truth is Truth.TRUE or (truth is Truth.UNKNOWN and rule.effect != "permit")


def _asked(rule: Rule, descriptor: Descriptor, *, heard: bool) -> tuple[Descriptor, Truth]:
    """Choose the combination of values in which the rule is strictest: a permit the least true, any other the most."""
    each = [(one, evaluate(rule.when, one.values(with_claims=heard))) for one in descriptor.each()]
    strictness = [Truth.FALSE, Truth.UNKNOWN, Truth.TRUE]
    choose = min if rule.effect == "permit" else max
    return choose(each, key=lambda pair: strictness.index(pair[1]))


def _atoms(
    condition: Expression, descriptor: Descriptor, values: Mapping[str, object], within: str
) -> Iterator[AtomRead]:
    for node in walk(condition.root):
        if isinstance(node, Atom):
            yield _atom(node, descriptor, values, within)
        elif isinstance(node, Category):
            yield AtomRead(within + node.name, evaluate(node.expression, values))
            yield from _atoms(node.expression, descriptor, values, f"{within}{node.name}: ")


def _atom(atom: Atom, descriptor: Descriptor, values: Mapping[str, object], within: str) -> AtomRead:
    known, value = descriptor.attributes.get(atom.name), values.get(atom.name, UNKNOWN)
    text, truth = within + atom.text, ask(atom, values)
    among = known.value.values if known is not None and isinstance(known.value, Several) else ()
    if known is None or (value is not known.value and value not in among):
        return AtomRead(text, truth, atom.name, value, "payload" if atom.name in descriptor.claimed else None)
    return AtomRead(text, truth, atom.name, value, known.source, known.stamp, among, known.origins)


def stamps(found: Explained) -> Sequence[int]:
    """List the events that the facts, and the grants, of an account come from."""
    seqs: set[int] = set()
    for action in found.actions:
        seqs |= {one.stamp for one in action.descriptor.attributes.values() if one.stamp is not None}
        seqs |= {action.consent.seq} if action.consent.seq is not None else set()
    return sorted(seqs)
