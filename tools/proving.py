"""Handing out evidence: a bundle is made over a checkpoint that covers it, and verified before anybody gets it.

Source: DESIGN sections 8 and 9.
"""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from decisions.events import DecisionMade, OutcomeReported
from grants import allowed_signers
from grants.events import ConsentConsumed, ConsentRequested
from grants.reading import read_event
from ledger import disclosure
from ledger.cosignature import witness_id
from ledger.errors import NoteError
from ledger.log import Snapshot
from ledger.policy import NONE, Policy, parse_policy
from tools import checkpointing
from tools.checkpointing import Signed
from tools.erasing import closed
from tools.errors import EvidenceError, InputError
from tools.files import read_bytes
from tools.home import Home
from tools.ledger import OpenLedger
from tools.mark import check_continues, read_mark
from tools.witnessing.standing import cosigned_note
from verify.bundle.choice import Disclosure, FieldPattern
from verify.bundle.form import parse_bundle
from verify.bundle.maker import make_bundle
from verify.check import check_bundle
from verify.check.log import Anchor, check_witnesses
from verify.check.report import Report


@dataclass(frozen=True, slots=True)
class Proof:
    """A bundle that holds.

    Attributes:
        decision: the decision that it is about.
        data: the file's bytes.
        size: the number of events that its checkpoint commits to.
        report: what checking it gave.
    """

    decision: int
    data: bytes
    size: int
    report: Report


def prove(ledger: OpenLedger, seq: int, disclose: Disclosure) -> Proof:
    """Make the bundle of a decision, and check it against the ledger's own policy and signers.

    Args:
        ledger: the open ledger.
        seq: the decision, or an event that came of it.
        disclose: the fields to open, and those to hide.

    Raises:
        InputError: no such decision, or no such field to open or to hide.
        BundleError: it can't be bundled.
        EvidenceError: it does not hold, and is not handed out.
    """
    decision, last = ledger.log.read(lambda snapshot: _decision(snapshot, ledger, seq))
    signed = covering(ledger, last)
    data = ledger.log.read(
        lambda snapshot: make_bundle(snapshot, ledger.registry, ledger.views, decision, signed.note, disclose)
    )
    _check_choice(ledger, decision, data, disclose)
    report = check(ledger.home, data)
    if report.failed == ("witnesses",):
        raise not_witnessed(signed, report.line("witnesses").why)
    if not report.verified:
        raise EvidenceError(
            f"the bundle of decision {decision} does not hold ({', '.join(report.failed)}) and is not handed out: "
            "run tally audit"
        )
    return Proof(decision, data, signed.checkpoint.size, report)


def covering(ledger: OpenLedger, seq: int) -> Signed:
    """Give a checkpoint that covers an event, with every line that witnesses added; where none covers it, a new one.

    The newest is preferred, unless it lacks the policy's quorum and one before it has reached it.

    Raises:
        EvidenceError: the log does not continue what was signed before.
        HomeError: the key or the mark can't be used, where a new one is signed.
        InputError: the policy can't be read.
    """
    check_mark(ledger)
    newest = ledger.log.read(checkpointing.latest)
    if newest is None or newest.checkpoint.size <= seq:
        return checkpointing.make(ledger)
    policy = parse_policy(read_bytes(ledger.home.policy))
    return ledger.log.read(lambda look: _best_witnessed(look, policy, newest, seq))


def check_mark(ledger: OpenLedger) -> None:
    """Refuse to hand out anything of a log that contradicts its mark.

    A copy without a mark is read and proven from, and so is one that is behind it: what it holds was signed.

    Raises:
        EvidenceError: the log holds as many events as the mark, or more, and does not continue it.
        HomeError: the mark is damaged or unreadable.
    """
    if not ledger.home.mark.exists():
        return
    mark = read_mark(ledger.home)
    if mark.origin == ledger.origin:
        ledger.log.read(lambda look: check_continues(look, mark))


def witnessed_best(ledger: OpenLedger) -> Signed | None:
    """Give the newest checkpoint that has reached the policy's quorum, else the newest; None where none was signed.

    Raises:
        EvidenceError: the log contradicts its mark.
        InputError: the policy can't be read.
    """
    check_mark(ledger)
    newest = ledger.log.read(checkpointing.latest)
    if newest is None:
        return None
    policy = parse_policy(read_bytes(ledger.home.policy))
    return ledger.log.read(lambda look: _best_witnessed(look, policy, newest, 0))


def check_quorum(home: Home, signed: Signed) -> None:
    """Check that a checkpoint is witnessed as the ledger's own policy demands, where it demands that.

    Raises:
        InputError: it is not, or the policy can't be read.
    """
    policy = parse_policy(read_bytes(home.policy)) if home.policy.exists() else None
    if policy is None or policy.quorum == NONE:
        return
    try:
        line = check_witnesses(policy.open(signed.note), Anchor(policy, None, None))
    except NoteError as error:
        raise InputError(
            f"the ledger's own policy does not accept the checkpoint of {signed.checkpoint.size} events ({error}): "
            f"correct {home.policy}"
        ) from error
    if line.status == "FAIL":
        raise not_witnessed(signed, line.why)


def not_witnessed(signed: Signed, why: str) -> InputError:
    """Say what to do where a checkpoint lacks the quorum alone."""
    return InputError(
        f"the checkpoint of {signed.checkpoint.size} events is not witnessed as the policy demands ({why}): run tally "
        "witness submit, then ask again"
    )


def _best_witnessed(snapshot: Snapshot, policy: Policy, newest: Signed, seq: int) -> Signed:
    known = {snapshot.last_cosigned(witness_id(witness.key)) for witness in policy.witnesses}
    for size in sorted((size for size in known if size is not None and size > seq), reverse=True):
        found = snapshot.newest_checkpoint(size + 1)
        if found is None or policy.quorum == NONE:
            continue
        note = cosigned_note(snapshot, *found)
        try:
            witnessed = policy.open(note)
        except NoteError:  # of a key that the policy no longer names
            continue
        if witnessed.checkpoint.origin == newest.checkpoint.origin and policy.satisfied(witnessed.witnesses):
            return Signed(witnessed.checkpoint, note, witnessed.log)
    return replace(newest, note=cosigned_note(snapshot, newest.checkpoint.size, newest.note))


def check(home: Home, data: bytes) -> Report:
    """Check a bundle as an auditor does who has taken the ledger's policy and signers on trust.

    Raises:
        NotABundleError: the bytes are no bundle.
        InputError: the policy or the signers can't be read.
    """
    policy = parse_policy(read_bytes(home.policy))
    return check_bundle(data, policy, allowed_signers.parse(read_bytes(home.signers)))


def command_line(home: Home, file: Path) -> str:
    """Give the command with which an auditor checks a bundle."""
    words = ("tally-verify", "bundle", file, "--policy", home.policy, "--signers", home.signers)
    return shlex.join(map(str, words))


def _check_choice(ledger: OpenLedger, decision: int, data: bytes, disclose: Disclosure) -> None:
    """Insist that each field that was asked for is open, and each that was hidden is there: somebody relies on it."""
    bundle = parse_bundle(data)
    opened = {(one.seq, one.opening.path) for one in bundle.disclosures}
    declared = {
        (one.seq, path) for one in bundle.events for path, _ in disclosure.paths(ledger.registry.parse(one.data).body)
    }
    lacking = _unmet(disclose.opened, opened)
    wish = f"no field {', '.join(lacking)} that could be opened" if lacking else ""
    if not lacking:
        lacking = _unmet(disclose.hidden, declared)
        wish = f"no field {', '.join(lacking)} that could be hidden" if lacking else ""
    if wish:
        there = ledger.log.read(lambda look: [_told(look, seq, path, disclose) for seq, path in sorted(declared)])
        raise InputError(f"the bundle of decision {decision} has {wish}: there are {', '.join(there) or 'none'}")


def _unmet(patterns: Iterable[FieldPattern], fields: Iterable[tuple[int, str]]) -> list[str]:
    found = list(fields)
    return [str(one) for one in sorted(patterns, key=str) if not any(one.covers(seq, path) for seq, path in found)]


def _told(look: Snapshot, seq: int, path: str, disclose: Disclosure) -> str:
    """Name a field, and say why it can't be opened where it can't."""
    if all(opening.path != path for opening in look.openings(seq)):
        return f"{seq}:{path} ({closed(look, seq, path)})"
    return f"{seq}:{path} (hidden)" if disclose.hides(seq, path) else f"{seq}:{path}"


def _decision(snapshot: Snapshot, ledger: OpenLedger, seq: int) -> tuple[int, int]:
    """Find the decision that is meant, and the last event that belongs to it."""
    event = read_event(snapshot, ledger.registry, seq)
    if event is None:
        raise InputError(f"there is no event {seq}: tally log tail shows the last ones")
    match event.body:
        case DecisionMade():
            decision = seq
        case ConsentConsumed(decision=made) | ConsentRequested(decision=made) | OutcomeReported(decision=made):
            decision = made
        case _:
            raise InputError(f"event {seq} is {event.type}: a bundle proves a decision, or what came of one")
    return decision, max([decision, *snapshot.tagged(f"decision:{decision}")])
