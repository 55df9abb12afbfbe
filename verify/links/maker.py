"""Making a file of links from a log, or from an export of one: nothing is handed out whose proofs were not checked.

Source: DESIGN section 9; docs/spec/links.md.
"""

from ledger import mmr, rfc6962
from ledger.checkpoint import Checkpoint, require_blake3
from ledger.digest import SHA256_TREE
from ledger.event import Event
from ledger.log import Snapshot
from verify import inclusion
from verify.bundle.form import Bundle
from verify.bundle.linking import Kept, links_to, parsed
from verify.bundle.parts import MAX_EVENTS, BundledEvent
from verify.bundle.selection import Source, select_life
from verify.bundle.source import LogSource
from verify.check.evidence import Evidence
from verify.check.lineage import life_of_the_log
from verify.errors import BundleError, InclusionError
from verify.links.form import MAX_BYTES, LinksFile
from verify.views import EVENTS, VIEWS


def make_links(look: Snapshot, note: bytes) -> bytes:
    """Make the file that leads from the former names and keys of a log to the one of a checkpoint.

    Args:
        look: the log.
        note: a signed checkpoint of it.

    Raises:
        BundleError: the checkpoint does not fit, what is kept is not what it continues, or there is too much.
        StoreError: the log can't be read.
    """
    size = parsed(note).size
    if size > look.head.size:
        raise BundleError(f"the checkpoint is of {size} events, and the log has {look.head.size}")
    return assemble(LogSource(look, EVENTS, VIEWS, 0), look, note)


def assemble(source: Source, kept: Kept, note: bytes) -> bytes:
    """Make it of events, nodes and checkpoints, wherever they come from.

    Raises:
        BundleError: as above.
        LineageError: the events do not say how the log began.
    """
    checkpoint = parsed(note)
    selection = select_life(source, checkpoint.size)
    if selection.missing:
        raise BundleError(f"the log has no event {min(selection.missing)}; run tally audit")
    if len(selection.events) > MAX_EVENTS:
        raise BundleError(f"the links rest on {len(selection.events)} events; a file of links holds {MAX_EVENTS}")
    events = tuple(_prove(kept, event, checkpoint) for event in selection.events.values())
    state = life_of_the_log(Evidence(Bundle(0, note, events, ()), EVENTS, VIEWS))
    data = LinksFile(note, events, tuple(links_to(kept, state, checkpoint))).to_bytes()
    if len(data) > MAX_BYTES:
        raise BundleError(f"the file of links would have {len(data)} bytes; {MAX_BYTES} is the most")
    return data


def _prove(kept: Kept, event: Event, checkpoint: Checkpoint) -> BundledEvent:
    size, seq = checkpoint.size, event.seq
    own = mmr.prove_inclusion(kept.nodes("blake3"), seq, size)
    twin = rfc6962.prove_inclusion(kept.nodes("sha256"), seq, size)
    try:
        inclusion.check_inclusion(require_blake3(checkpoint), own, event.data)
        leaf = SHA256_TREE.leaf(seq, event.data)
        inclusion.check_twin_inclusion(checkpoint.sha256_root, twin, leaf, size=size)
    except InclusionError as error:
        raise BundleError(f"event {seq} is not what the checkpoint commits to: {error}; run tally audit") from error
    return BundledEvent(seq, event.data, own, twin)
