"""Making a bundle from a log: pure over a snapshot, and nothing is handed out whose proofs were not checked.

Source: DESIGN sections 6, 8 and 9; docs/spec/bundle.md.
"""

from collections.abc import Iterator, Sequence
from itertools import chain

from decisions.events import DecisionMade, TrustUpdated
from grants.principals import log_state
from ledger.checkpoint import Checkpoint
from ledger.disclosure import paths
from ledger.event import Registry
from ledger.log import Snapshot
from ledger.view import View
from verify.bundle.choice import NEEDED, Disclosure
from verify.bundle.form import MAX_BYTES, MAX_DISCLOSURES, Bundle, Disclosed
from verify.bundle.linking import links_to, parsed
from verify.bundle.parts import MAX_EVENTS, BundledEvent
from verify.bundle.selection import Selection, making, select
from verify.bundle.source import LogSource
from verify.errors import BundleError, InclusionError
from verify.proven import EventProver, roots_of

READING = "/c_inst"


def make_bundle(
    snapshot: Snapshot,
    registry: Registry,
    views: Sequence[View],
    seq: int,
    note: bytes,
    disclose: Disclosure = NEEDED,
) -> bytes:
    """Make the evidence bundle of one decision.

    Args:
        snapshot: the log.
        registry: the event types.
        views: the folds.
        seq: the decision.
        note: a signed checkpoint of the log, taken after the decision and what followed from it.
        disclose: the fields to open.

    Raises:
        BundleError: no such decision, a checkpoint that does not fit, or too much to bundle.
        StoreError: the log can't be read.
    """
    source = LogSource(snapshot, registry, views, seq)
    decision = source.event(seq)
    if decision is None or not isinstance(decision.body, DecisionMade):
        raise BundleError(f"event {seq} is no decision")
    checkpoint = parsed(note)
    selection = select(source, seq, checkpoint.size)
    if selection.missing:
        raise BundleError(f"the log has no event {min(selection.missing)}; run tally audit")
    if len(selection.events) > MAX_EVENTS:
        raise BundleError(f"the decision rests on {len(selection.events)} events; a bundle holds {MAX_EVENTS}")
    _check_covers(checkpoint, max(selection.events), snapshot.head.size)
    prover = EventProver(roots_of(checkpoint))
    bundle = Bundle(
        seq,
        note,
        tuple(_prove(snapshot, prover, event) for event in selection.events),
        tuple(_disclose(snapshot, selection, disclose, _needed(source, decision.body))),
        tuple(links_to(snapshot, log_state(snapshot), checkpoint)),
    )
    return _sized(bundle)


def _check_covers(checkpoint: Checkpoint, last: int, head: int) -> None:
    if not last < checkpoint.size <= head:
        raise BundleError(
            f"the checkpoint is of {checkpoint.size} events, the bundle needs event {last}, the log has {head}: "
            "sign a new checkpoint first"
        )


def _prove(snapshot: Snapshot, prover: EventProver, seq: int) -> BundledEvent:
    try:
        return BundledEvent(seq, *prover.prove(snapshot, seq))
    except InclusionError as error:
        raise BundleError(f"event {seq} is not what the checkpoint commits to: {error}; run tally audit") from error


def _needed(source: LogSource, body: DecisionMade) -> frozenset[tuple[int, str]]:
    """Name the fields without which nobody can decide again: the readings of trust that the decision used."""
    readings = [read for read in body.reads if read.view == "reading"]
    latest = [making(read.view, source.touching(read.view, read.key))[:1] for read in readings]
    return frozenset(
        (update.body.observed, READING) for update in chain(*latest) if isinstance(update.body, TrustUpdated)
    )


def _disclose(
    snapshot: Snapshot, selection: Selection, disclose: Disclosure, needed: frozenset[tuple[int, str]]
) -> Iterator[Disclosed]:
    declared = {(seq, path): one.sd for seq, event in selection.events.items() for path, one in paths(event.body)}
    # One commitment may stand in a request, its consent and the decision: to hide the value is to hide it in all.
    hidden = {sd for field, sd in declared.items() if disclose.hides(*field)}
    for seq in selection.events:
        for opening in snapshot.openings(seq):
            field = (seq, opening.path)
            if declared.get(field) not in hidden and disclose.opens(*field, needed=field in needed):
                yield Disclosed(seq, opening)


def _sized(bundle: Bundle) -> bytes:
    if len(bundle.disclosures) > MAX_DISCLOSURES:
        raise BundleError(f"{len(bundle.disclosures)} fields would be opened; a bundle opens {MAX_DISCLOSURES}")
    data = bundle.to_bytes()
    if len(data) > MAX_BYTES:
        raise BundleError(f"the bundle would have {len(data)} bytes; {MAX_BYTES} is the most")
    return data
