"""Handing out receipts: that one event stands in the log, in the forms that other software reads.

Source: C2SP tlog-proof; RFC 9942; docs/spec/receipts.md.
"""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from ledger import cose, tlog_proof
from ledger.errors import ProofError
from ledger.log import Snapshot
from ledger.policy import parse_policy
from ledger.proof import TwinInclusion
from ledger.tlog_proof import TlogProof
from tools.checkpointing import Signed
from tools.errors import EvidenceError, InputError
from tools.files import read_bytes
from tools.keys import signer_of
from tools.ledger import OpenLedger
from tools.proving import covering, not_witnessed
from verify.check.report import Line
from verify.errors import InclusionError
from verify.proven import EventProver, roots_of
from verify.receipt import check_receipt, subject_of

Form: TypeAlias = Literal["tlog-proof", "cose"]

SUFFIXES: Final[dict[Form, str]] = {"tlog-proof": tlog_proof.SUFFIX, "cose": cose.SUFFIX}


@dataclass(frozen=True, slots=True)
class Made:
    """A receipt that holds.

    Attributes:
        data: the file's bytes.
        event: the event's exact bytes.
        signed: the checkpoint whose root it leads to.
        lines: what checking it gave.
    """

    data: bytes
    event: bytes
    signed: Signed
    lines: tuple[Line, ...]


def make(ledger: OpenLedger, seq: int, form: Form) -> Made:
    """Make the receipt of an event, and check it against the ledger's own policy.

    Raises:
        InputError: there is no such event.
        EvidenceError: it does not hold, and is not handed out.
        LibraryMissingError: the form needs a library that is not installed.
    """
    signed = covering(ledger, seq)
    event, proof = ledger.log.read(lambda snapshot: _proof(snapshot, seq, signed))
    if form == "tlog-proof":
        data = TlogProof(seq, proof.path, signed.note, event).to_bytes()
    else:
        data = _cose(ledger, signed, proof)
    lines = check_receipt(data, event, parse_policy(read_bytes(ledger.home.policy)))
    bad = [line for line in lines if line.status == "FAIL"]
    if [line.check for line in bad] == ["witnesses"]:
        raise not_witnessed(signed, bad[0].why)
    if bad:
        raise EvidenceError(f"the receipt of event {seq} does not hold ({bad[0].why}): run tally audit")
    return Made(data, event, signed, lines)


def _cose(ledger: OpenLedger, signed: Signed, proof: TwinInclusion) -> bytes:
    # The root is that of a checkpoint that was signed: this adds no second root for its size.
    signer = signer_of(ledger.home, signed.key)
    return cose.sign(signer, subject_of(proof.index), proof, signed.checkpoint.sha256_root).to_bytes()


def _proof(snapshot: Snapshot, seq: int, signed: Signed) -> tuple[bytes, TwinInclusion]:
    if seq >= snapshot.head.size:
        raise InputError(f"there is no event {seq}: the log has {snapshot.head.size}, the first of which is 0")
    try:
        event, _, proof = EventProver(roots_of(signed.checkpoint)).prove(snapshot, seq)
    except (InclusionError, ProofError) as error:
        raise EvidenceError(f"the receipt of event {seq} does not hold ({error}): run tally audit") from error
    return event, proof
