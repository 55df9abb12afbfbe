"""Checking a bundle: every link from the verdict to the keys that the auditor trusts, each by itself.

Source: DESIGN sections 1, 8 and 9; docs/spec/bundle.md lists the links.
"""

from collections.abc import Callable

from decisions.errors import DecisionError
from grants.allowed_signers import AllowedSigners
from grants.errors import GrantError
from ledger.errors import LedgerError
from ledger.events import LedgerOpened
from ledger.instant import Instant
from ledger.policy import Policy
from verify.bundle.form import parse_bundle
from verify.check import decision, log, reduction, states
from verify.check.evidence import Evidence
from verify.check.report import CHECKS, LIMITS, Line, Report, failed, not_checked
from verify.errors import BundleFormError, VerifyError
from verify.views import EVENTS, VIEWS

_Check = Callable[[], Line]


def check_bundle(
    data: bytes, policy: Policy, signers: AllowedSigners | None = None, at: Instant | None = None
) -> Report:
    """Check an evidence bundle.

    Args:
        data: the file's bytes.
        policy: the log and witness keys that the auditor trusts, and the quorum that she demands.
        signers: the keys that she has pinned for the first human, or None.
        at: the moment at which a pinned key must be valid, or None for the time at which the log was opened.

    Raises:
        NotABundleError: the bytes are no bundle, or only a part of one.
    """
    try:
        bundle = parse_bundle(data)
    except BundleFormError as error:
        unread = (not_checked(check, "the bundle's structure can't be read") for check in CHECKS[1:])
        return Report(None, "unreadable", (failed("structure", str(error)), *unread))
    evidence = Evidence(bundle, EVENTS, VIEWS)
    anchor = log.Anchor(policy, signers, at)
    witnessed, refusal = log.open_note(evidence, anchor)
    checks: tuple[_Check, ...] = (
        lambda: states.check_structure(evidence),
        lambda: states.check_events(evidence),
        lambda: log.check_own_inclusion(evidence, witnessed),
        lambda: log.check_twin_inclusion(evidence, witnessed),
        lambda: log.check_checkpoint(evidence, witnessed, refusal),
        lambda: log.check_witnesses(witnessed, anchor),
        lambda: log.check_first_human(evidence, anchor),
        lambda: states.check_signatures(evidence),
        lambda: states.check_disclosures(evidence),
        lambda: states.check_states(evidence),
        lambda: states.check_absences(evidence),
        lambda: decision.check_constitution(evidence),
        lambda: decision.check_decision(evidence),
        lambda: reduction.check_reduction(evidence),
        lambda: decision.check_consumption(evidence),
    )
    lines = tuple(guarded(name, check) for name, check in zip(CHECKS, checks, strict=True))
    return Report(bundle.decision, _summary(evidence), lines)


def guarded(name: str, check: _Check) -> Line:
    """Let no bundle end a check with anything but a line: what can't be worked out does not hold."""
    try:
        return check()
    except (VerifyError, DecisionError, GrantError, LedgerError) as error:
        return failed(name, str(error).partition("\n")[0])
    except (LookupError, TypeError, ValueError, ArithmeticError, RecursionError) as error:
        return failed(name, f"it can't be worked out from this bundle ({type(error).__name__})")


def _summary(evidence: Evidence) -> str:
    if evidence.decision is None:
        return "no decision"
    body = evidence.decision[1]
    opened = evidence.events.get(0)
    shown = opened is not None and isinstance(opened.body, LedgerOpened) and opened.body.demonstration
    told = "NOT ENFORCED, a shadow: " if body.mode == "shadow" else ""
    binds = " (in a ledger opened for demonstration: it binds nobody)" if shown else ""
    return f"{told}{body.outcome}, {body.reason}{binds}"


__all__ = ["CHECKS", "LIMITS", "Line", "Report", "check_bundle", "guarded"]
