"""The decision point: total, pure, one page.

Any forbid that is true or unknown denies. Else a requirement of consent, true or unknown, that no grant discharges
holds. Else a permit that is true, a standing grant or a consent allows. Else there is no authority, and it denies.
Each action is judged without the payload's claims and with them, and the stricter verdict stands; an operation gets
the strictest verdict of its actions. The order of rules never matters, and consent never overrides a forbid.

Source: DESIGN section 10.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain

from decisions import needs
from decisions.account import Weighed, every, joined
from decisions.action import Problem
from decisions.constitution.model import Constitution
from decisions.constitution.panel import Panel
from decisions.events import Outcome, Reason
from decisions.verdict import Account, Case, Verdict, in_order
from grants.consent import ConsentMiss

_STRICTNESS: Mapping[Outcome, int] = {"allow": 0, "hold": 1, "deny": 2}


def decide(constitution: Constitution, cases: Sequence[Case], problems: Sequence[Problem]) -> Verdict:
    """Judge an operation by its actions and by what could not be read of it."""
    verdicts = [judge(constitution, case, index) for index, case in enumerate(cases)]
    if problems or not cases:
        opaque = in_order(problem.code for problem in problems) or ("UNPARSEABLE",)
        verdicts.append(Verdict("deny", opaque, lambda: Account(needs=(needs.rewrite(),))))
    return _strictest(verdicts)


def judge(constitution: Constitution, case: Case, index: int) -> Verdict:
    """Judge one action in each combination of the values that its attributes have, and take the strictest verdict."""
    each = case.descriptor.each()
    if len(each) == 1:
        return _judge(constitution, case, index)
    return reduce(_both, [_judge(constitution, replace(case, descriptor=one), index) for one in each])


def _judge(constitution: Constitution, case: Case, index: int) -> Verdict:
    """Judge one action without and with the payload's claims, and take the stricter verdict."""
    descriptor = case.descriptor
    panel = constitution.panel(descriptor.action.kind, descriptor.action.verb)
    plain = weigh(panel, case, index, descriptor.values(), panel.plain)
    if not descriptor.claimed:
        return plain
    # A rule on a payload attribute that the payload does not mention has nothing to speak on.
    heard = panel.heard(descriptor.claimed.keys())
    return _stricter(plain, weigh(panel, case, index, descriptor.values(with_claims=True), heard))


def weigh(panel: Panel, case: Case, index: int, values: Mapping[str, object], heard: int) -> Verdict:
    """Apply the decision rule to one action under one set of values; ``heard`` are the rules that are asked."""
    true, unknown = panel.ask(values)
    # A permit speaks if it is true, every other rule if it is not false.
    speaking = heard & (true | unknown & ~panel.permits)
    forbidding, required, permitting = speaking & panel.forbids, speaking & panel.requires, speaking & panel.permits
    # A standing grant discharges Article I alone; a consent discharges every requirement.
    only_consent = required & ~panel.standing if case.standing else required
    miss = case.consent if isinstance(case.consent, ConsentMiss) else None
    undischarged = only_consent if miss else 0
    lets_pass = bool(case.standing) or (not required and bool(permitting or not miss))
    authority = not miss if only_consent else lets_pass

    reasons = _why_forbidden(panel, forbidding, unknown) if forbidding else []
    if not case.descriptor.classified:
        reasons.append("UNCLASSIFIED")
    outcome: Outcome = "deny" if reasons else "hold" if undischarged else "allow" if authority else "deny"
    if miss and (undischarged or not authority):
        reasons += [miss.reason] if undischarged or miss.reason != "CONSENT_REQUIRED" else []
    if not authority and not undischarged:
        reasons.append("NO_AUTHORITY")
    told = ("ALLOWED",) if outcome == "allow" else in_order(reasons)
    weighed = Weighed(panel, case, index, values, true, speaking, undischarged, outcome, authority)
    return Verdict(outcome, told, weighed.account)


def _why_forbidden(panel: Panel, forbidding: int, unknown: int) -> list[Reason]:
    known = forbidding & ~unknown
    found: list[tuple[int, Reason]] = [
        (forbidding & unknown, "ATTR_UNKNOWN"),
        (known & panel.trusting, "TRUST_FLOOR"),
        (known & ~panel.trusting, "FORBIDDEN"),
    ]
    return [reason for row, reason in found if row]


def _stricter(plain: Verdict, claimed: Verdict) -> Verdict:
    """Take the stricter verdict; where both deny or both hold, with everything that either says."""
    if plain.outcome != claimed.outcome:
        return max(plain, claimed, key=lambda verdict: _STRICTNESS[verdict.outcome])
    if plain.outcome == "allow":
        return plain
    reasons = in_order([*plain.reasons, *claimed.reasons])
    return Verdict(plain.outcome, reasons, lambda: joined(plain.account, claimed.account))


def _both(one: Verdict, other: Verdict) -> Verdict:
    """Take the stricter verdict of two combinations of values, with all that was said and is needed in either.

    An allow rests on whatever either rests on.
    """
    if one.outcome == other.outcome:
        reasons = in_order([*one.reasons, *other.reasons])
        return Verdict(one.outcome, reasons, lambda: joined(one.account, other.account, united=True))
    strict, mild = sorted((one, other), key=lambda verdict: -_STRICTNESS[verdict.outcome])
    return Verdict(strict.outcome, strict.reasons, lambda: joined(strict.account, mild.account))


def _strictest(verdicts: Sequence[Verdict]) -> Verdict:
    if len(verdicts) == 1:
        return verdicts[0]
    outcome = max((verdict.outcome for verdict in verdicts), key=_STRICTNESS.__getitem__)
    deciding = [verdict for verdict in verdicts if outcome == "allow" or verdict.outcome != "allow"]
    reasons = in_order(chain.from_iterable(verdict.reasons for verdict in deciding))
    return Verdict(outcome, reasons, lambda: every([one.account for one in verdicts], allowed=outcome == "allow"))
