"""Submitting the newest checkpoint to every witness of the ledger's policy, and keeping the lines that hold.

A witness that holds another tree than the log is evidence, against whoever signed: what it holds is fetched, and where
both checkpoints are the log's they are kept as an equivocation file.

Source: DESIGN section 9; docs/spec/witness.md.
"""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from ledger.checkpoint import Checkpoint
from ledger.cosignature import witness_id
from ledger.errors import LedgerError, ProofError
from ledger.log import Snapshot
from ledger.note import parse_note
from ledger.policy import Policy, PolicyWitness, parse_policy
from ledger.witness import AddCheckpoint
from tools.errors import EvidenceError, InputError, RemoteError, ToolError
from tools.evidence import tell_evidence
from tools.files import read_bytes
from tools.ledger import OpenLedger
from tools.witnessing.asking import InconsistentError, SizeConflictError, UnknownLogError, ask, fetch
from tools.witnessing.standing import Standing, standing
from verify.continuation import continuation
from verify.equivocation import Equivocation, check_equivocation
from verify.errors import VerifyError
from verify.inclusion import check_twin_consistency

Result: TypeAlias = Literal["cosigned", "stood", "failed", "evidence"]

_ROUNDS: Final = 4
"""How often one witness may tell another size before it is given up."""
_AT_ONCE: Final = 8


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of asking one witness.

    Attributes:
        name: the policy's name of it.
        result: cosigned now; stood, cosigned before; failed; or evidence against whoever signed.
        size: the size that it was asked to cosign.
        why: one line where it failed or speaks against the log.
    """

    name: str
    result: Result
    size: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class Submission:
    """What came of asking them all, and how the newest checkpoint stands now."""

    outcomes: tuple[Outcome, ...]
    standing: Standing


def read_policy(ledger: OpenLedger) -> Policy:
    """Read the ledger's policy file.

    Raises:
        InputError: it can't be read.
        PolicyFileError: it breaks its form.
    """
    return parse_policy(read_bytes(ledger.home.policy))


def submit(ledger: OpenLedger, evidence: Path, names: Sequence[str] = ()) -> Submission:
    """Have the newest checkpoint cosigned.

    Args:
        ledger: the open ledger.
        evidence: the directory for equivocation files.
        names: the policy's names of those to ask; none asks every witness that has a URL.

    Raises:
        InputError: there is no checkpoint, or nobody to ask.
        EvidenceError: a witness speaks against the log, and asking another broke off.
        StoreError: the log can't be read or written.
        LibraryMissingError: what speaks HTTP is not installed.
    """
    policy = read_policy(ledger)
    chosen = _chosen(policy, names)
    if ledger.log.read(lambda look: look.newest_checkpoint()) is None:
        raise InputError("no checkpoint was signed yet: run tally checkpoint")
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        asked = [pool.submit(_submit_to, ledger, policy, witness, evidence) for witness in chosen]
    outcomes = _outcomes(asked)
    now = ledger.log.read(lambda look: standing(look, policy))
    if now is None:
        raise EvidenceError("the checkpoints that were there are gone: run tally audit")
    return Submission(outcomes, now)


def cosigned_before(snapshot: Snapshot, witness: PolicyWitness, origin: str) -> int:
    """Give the largest size that a witness has cosigned for this origin, or 0: a restored log begins anew with it."""
    size = snapshot.last_cosigned(witness_id(witness.key))
    found = None if size is None else snapshot.newest_checkpoint(size + 1)
    if found is None or Checkpoint.parse(parse_note(found[1])[0]).origin != origin:
        return 0
    return found[0]


def _chosen(policy: Policy, names: Sequence[str]) -> list[PolicyWitness]:
    known = {witness.name: witness for witness in policy.witnesses}
    for name in names:
        if name not in known:
            raise InputError(f"the policy has no witness {name!r}: {', '.join(known) or 'it has none at all'}")
        if known[name].url is None:
            raise InputError(f"the witness {name} has no URL in the policy: add it at the end of its line")
    chosen = [known[name] for name in names] or [witness for witness in policy.witnesses if witness.url]
    if not chosen:
        raise InputError("the policy has no witness with a URL: run tally witness add")
    return chosen


def _outcomes(asked: Sequence[Future[Outcome]]) -> tuple[Outcome, ...]:
    """Gather what came of all; that asking one broke off must not hide what another says against the log."""
    broken = next((error for one in asked if (error := one.exception()) is not None), None)
    outcomes = tuple(one.result() for one in asked if one.exception() is None)
    if broken is None:
        return outcomes
    against = next((one for one in outcomes if one.result == "evidence"), None)
    if against is None:
        raise broken
    raise EvidenceError(f"{against.name}: {against.why}; besides, asking another broke off: {broken}") from broken


def _submit_to(ledger: OpenLedger, policy: Policy, witness: PolicyWitness, evidence: Path) -> Outcome:
    try:
        return _rounds(ledger, witness)
    except InconsistentError as error:
        why = f"it does not take what this log signed for a continuation of what it cosigned: {error}"
        return _speaks_against(ledger, policy, witness, why, evidence)
    except UnknownLogError as error:
        why = f"{error}; tally witness add-log DIR {ledger.genesis.log_key}"
        return Outcome(witness.name, "failed", _newest(ledger)[0], why)
    except (RemoteError, InputError) as error:
        return Outcome(witness.name, "failed", _newest(ledger)[0], str(error))


def _rounds(ledger: OpenLedger, witness: PolicyWitness) -> Outcome:
    before = ledger.log.read(lambda look: cosigned_before(look, witness, ledger.origin))
    old, (size, note) = before, _newest(ledger)
    for _ in range(_ROUNDS):
        # Asked even where its line is kept: it remembers what a log that came back from a backup has forgotten.
        stood = _kept(ledger, witness, size)
        try:
            _ask(ledger, witness, old, size, note)
        except SizeConflictError as conflict:
            if conflict.size < before:
                raise RemoteError(
                    f"it cosigned size {before} and now tells {conflict.size}: a witness that forgets vouches for "
                    "nothing; ask whoever keeps it"
                ) from conflict
            if conflict.size > size:
                # Another process may have signed and submitted a newer one meanwhile.
                size, note = _newest(ledger)
            if conflict.size > size:
                raise InconsistentError(
                    f"size {conflict.size}, and this log signed nothing beyond {size}"
                ) from conflict
            old = conflict.size
        else:
            return Outcome(witness.name, "stood" if stood else "cosigned", size)
    raise RemoteError("it tells another size each time")


def _ask(ledger: OpenLedger, witness: PolicyWitness, old: int, size: int, note: bytes) -> None:
    text, _ = parse_note(note)
    proof = ledger.log.read(lambda look: _proof(look, old, Checkpoint.parse(text)))
    line = ask(witness.url or "", witness.key, AddCheckpoint(old, proof, note), text)
    ledger.log.store_cosignature(size, witness_id(witness.key), line)


def _proof(snapshot: Snapshot, old: int, new: Checkpoint) -> tuple[bytes, ...]:
    if old in {0, new.size}:
        return ()
    try:
        said = continuation(snapshot.nodes, snapshot.head.size, old, new.size).sha256
        check_twin_consistency(said.old_root, new.sha256_root, said.proof, old_size=old, new_size=new.size)
    except (ProofError, VerifyError) as error:
        raise EvidenceError(
            f"the log does not lead to its own checkpoint of {new.size} events: run tally audit"
        ) from error
    return said.proof.path


def _newest(ledger: OpenLedger) -> tuple[int, bytes]:
    newest = ledger.log.read(lambda look: look.newest_checkpoint())
    if newest is None:
        raise EvidenceError("the checkpoints that were there are gone: run tally audit")
    return newest


def _kept(ledger: OpenLedger, witness: PolicyWitness, size: int) -> bool:
    named = witness_id(witness.key)
    return ledger.log.read(lambda look: any(one == named for one, _ in look.cosignatures(size)))


def _speaks_against(ledger: OpenLedger, policy: Policy, witness: PolicyWitness, why: str, evidence: Path) -> Outcome:
    """Fetch what the witness holds and keep it beside what the log holds, if both are the log's."""
    size, note = _newest(ledger)
    try:
        theirs = fetch(witness.url or "", ledger.origin)
        equivocation = _between(ledger, policy, theirs, note)
        finding = check_equivocation(equivocation, policy)
        if finding.verdict == "FAILED":
            return Outcome(witness.name, "evidence", size, f"{why}; its own copy shows nothing: {finding.why}")
    except (ToolError, LedgerError) as error:
        return Outcome(witness.name, "evidence", size, f"{why}; its own copy could not be had: {error}")
    kept = tell_evidence(evidence, equivocation)
    return Outcome(witness.name, "evidence", size, f"{why}; {finding.verdict}: {finding.why}; {kept}")


def _between(ledger: OpenLedger, policy: Policy, theirs: bytes, ours: bytes) -> Equivocation:
    first = Policy(policy.logs, (), ()).open(theirs).checkpoint
    second = Checkpoint.parse(parse_note(ours)[0])
    if not 0 < first.size < second.size:
        return Equivocation(theirs, ours)
    said = ledger.log.read(lambda look: continuation(look.nodes, look.head.size, first.size, second.size))
    return Equivocation(theirs, ours, said.blake3, said.sha256)
