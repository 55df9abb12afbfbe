"""The decision point: total, pure, one page.

Any forbid that is true or unknown denies. Else a requirement of consent, true or unknown, that no grant discharges
holds. Else a permit that is true, a standing grant or a consent allows. Else there is no authority, and it denies.
Each action is judged without the payload's claims and with them, and the stricter verdict stands; an operation gets
the strictest verdict of its actions. The order of rules never matters, and consent never overrides a forbid.

Source: DESIGN section 10.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain

from decisions import needs
from decisions.action import Problem
from decisions.constitution.model import Constitution, Rule
from decisions.events import Authority, Outcome, Reason
from decisions.verdict import Case, Spoken, Verdict, in_order
from grants.consent import ConsentMatch, ConsentMiss
from grants.expression import Truth, evaluate, explain

_STRICTNESS: Mapping[Outcome, int] = {"allow": 0, "hold": 1, "deny": 2}


def decide(constitution: Constitution, cases: Sequence[Case], problems: Sequence[Problem]) -> Verdict:
    """Judge an operation by its actions and by what could not be read of it."""
    verdicts = [judge(constitution, case, index) for index, case in enumerate(cases)]
    if problems or not cases:
        opaque = in_order(problem.code for problem in problems) or ("UNPARSEABLE",)
        verdicts.append(Verdict("deny", opaque, needs=(needs.rewrite(),)))
    return _strictest(verdicts)


def judge(constitution: Constitution, case: Case, index: int) -> Verdict:
    """Judge one action in each combination of the values that its attributes have, and take the strictest verdict."""
    each = [_judge(constitution, replace(case, descriptor=one), index) for one in case.descriptor.each()]
    return reduce(_both, each)


def _judge(constitution: Constitution, case: Case, index: int) -> Verdict:
    """Judge one action without and with the payload's claims, and take the stricter verdict."""
    descriptor = case.descriptor
    rules = constitution.rules_for(descriptor.action.kind, descriptor.action.verb)
    plain = weigh(constitution, case, index, [r for r in rules if not r.claims_payload], descriptor.values())
    if not descriptor.claimed:
        return plain
    # A rule on a payload attribute that the payload does not mention has nothing to speak on.
    heard = [r for r in rules if _payload_attributes(constitution, r) <= descriptor.claimed.keys()]
    claimed = weigh(constitution, case, index, heard, descriptor.values(with_claims=True))
    return _stricter(plain, claimed)


def weigh(
    constitution: Constitution, case: Case, index: int, rules: Iterable[Rule], values: Mapping[str, object]
) -> Verdict:
    """Apply the decision rule to one action under one set of values."""
    spoken = tuple(_speak(rules, index, values))
    forbids, required, permits = (
        [s for s in spoken if s.rule.effect == effect] for effect in ("forbid", "require_consent", "permit")
    )
    # A standing grant discharges Article I alone; a consent discharges every requirement.
    only_consent = [s for s in required if not (case.standing and s.rule.article == "I")]
    miss = case.consent if isinstance(case.consent, ConsentMiss) else None
    undischarged = only_consent if miss else []
    authority = _basis(case, index, permits, required, only_consent)

    reasons: list[Reason] = [_why_forbidden(s) for s in forbids]
    if not case.descriptor.classified:
        reasons.append("UNCLASSIFIED")
    outcome: Outcome = "deny" if reasons else "hold" if undischarged else "allow" if authority else "deny"
    if miss and (undischarged or not authority):
        reasons += [miss.reason] if undischarged or miss.reason != "CONSENT_REQUIRED" else []
    if not authority and not undischarged:
        reasons.append("NO_AUTHORITY")
    if outcome == "allow":
        reasons = ["ALLOWED"]
    return Verdict(
        outcome,
        in_order(reasons),
        spoken,
        _categories(constitution, case, values),
        authority if outcome == "allow" else (),
        needs.of(case, index, forbids, undischarged, has_authority=bool(authority)),
    )


def _payload_attributes(constitution: Constitution, rule: Rule) -> set[str]:
    declared = constitution.attributes
    return {name for name in rule.when.reads if name in declared and declared[name].source == "payload"}


def _speak(rules: Iterable[Rule], index: int, values: Mapping[str, object]) -> Iterator[Spoken]:
    for rule in rules:
        truth = evaluate(rule.when, values)
        if truth is Truth.TRUE or (truth is Truth.UNKNOWN and rule.effect != "permit"):
            yield Spoken(index, rule, truth, explain(rule.when, values))


def _why_forbidden(spoken: Spoken) -> Reason:
    if spoken.truth is Truth.UNKNOWN:
        return "ATTR_UNKNOWN"
    return "TRUST_FLOOR" if "trust" in spoken.rule.when.reads else "FORBIDDEN"


def _basis(
    case: Case, index: int, permits: Sequence[Spoken], required: Sequence[Spoken], only_consent: Sequence[Spoken]
) -> tuple[Authority, ...]:
    by_rule = [Authority(action=index, by="permit", rule=s.rule.id, grant=None, item=None) for s in permits[:1]]
    by_standing = [Authority(action=index, by="standing", rule=None, grant=g, item=None) for g in case.standing[:1]]
    match = case.consent if isinstance(case.consent, ConsentMatch) else None
    by_consent = [Authority(action=index, by="consent", rule=None, grant=match.grant, item=match.item)] if match else []
    if only_consent:
        return tuple(by_consent)
    if required:
        return tuple(by_standing)
    return tuple(chain(by_rule, by_standing, by_consent))[:1]


def _categories(constitution: Constitution, case: Case, values: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(
        name
        for name, predicate in constitution.categories.items()
        if predicate.reads <= case.descriptor.attributes.keys() and evaluate(predicate, values) is Truth.TRUE
    )


def _stricter(plain: Verdict, claimed: Verdict) -> Verdict:
    """Take the stricter verdict; where both deny or both hold, with everything that either says."""
    if plain.outcome != claimed.outcome:
        return max(plain, claimed, key=lambda verdict: _STRICTNESS[verdict.outcome])
    return plain if plain.outcome == "allow" else _joined(plain, claimed)


def _both(one: Verdict, other: Verdict) -> Verdict:
    """Take the stricter verdict of two combinations of values, with all that was said and is needed in either.

    An allow rests on whatever either rests on.
    """
    strict, mild = sorted((one, other), key=lambda verdict: -_STRICTNESS[verdict.outcome])
    whole = _joined(strict, mild)
    if strict.outcome != mild.outcome:
        return replace(whole, reasons=strict.reasons)
    return replace(
        whole,
        categories=tuple(dict.fromkeys([*one.categories, *other.categories])),
        authority=tuple(dict.fromkeys([*one.authority, *other.authority])),
    )


def _joined(one: Verdict, other: Verdict) -> Verdict:
    told = {spoken.rule.id for spoken in one.spoken}
    return replace(
        one,
        reasons=in_order([*one.reasons, *other.reasons]),
        spoken=(*one.spoken, *(spoken for spoken in other.spoken if spoken.rule.id not in told)),
        needs=tuple(dict.fromkeys([*one.needs, *other.needs])),
    )


def _strictest(verdicts: Sequence[Verdict]) -> Verdict:
    outcome = max((verdict.outcome for verdict in verdicts), key=_STRICTNESS.__getitem__)
    deciding = [verdict for verdict in verdicts if outcome == "allow" or verdict.outcome != "allow"]
    return Verdict(
        outcome,
        in_order(chain.from_iterable(verdict.reasons for verdict in deciding)),
        tuple(chain.from_iterable(verdict.spoken for verdict in verdicts)),
        tuple(sorted({name for verdict in verdicts for name in verdict.categories})),
        tuple(chain.from_iterable(verdict.authority for verdict in verdicts)) if outcome == "allow" else (),
        tuple(dict.fromkeys(chain.from_iterable(verdict.needs for verdict in verdicts))),
    )
