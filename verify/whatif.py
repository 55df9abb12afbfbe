"""What another constitution needs of a recorded decision, and whether it is there.

The states are folded again from the whole log, and the record names each that was read with its digest. What the
payload claimed is recorded as far as the constitution of that time had a name for it; of the rest only the operation
itself can tell. Where something is missing, nothing is said of what would have happened.

Source: DESIGN sections 6 (reads), 8 and 10; policy case H07.
"""

from collections.abc import Mapping, Sequence

from decisions.constitution.model import Constitution
from decisions.events import DecisionMade
from grants.consent import ARGS
from grants.reading import StateReader
from ledger import canon
from ledger.canon import Json
from ledger.disclosure import Opening


def unheard(body: DecisionMade, then: Constitution | None, now: Constitution) -> tuple[str, ...]:
    """Name the attributes that the payload may have spoken of, and that nobody had a name for.

    Args:
        body: the decision.
        then: the constitution that it was made under, or None where there was none.
        now: the one that is asked about.
    """
    kinds = {one.kind for one in body.actions if one.kind in now.kinds}
    asked = {name for kind in kinds for name in now.attributes_for(kind)}
    known = {name for kind in kinds if then is not None and kind in then.kinds for name in then.attributes_for(kind)}
    return tuple(sorted(asked - known))


def claims_of(body: DecisionMade, openings: Sequence[Opening], names: Sequence[str]) -> Mapping[str, Json] | None:
    """Give what the payload claimed, that of these attributes too; None where that can't be known any more."""
    recorded: dict[str, Json] = dict(body.claimed)
    if not names:
        return recorded
    opened = next((opening.value for opening in openings if opening.path == ARGS), None)
    if not isinstance(opened, dict) or not isinstance(opened.get("payload"), dict):
        return None
    payload = opened["payload"]
    claimed = payload.get("attributes") if isinstance(payload, dict) else None
    more = {name: claimed[name] for name in names if name in claimed} if isinstance(claimed, dict) else {}
    return {**recorded, **more}


def unread(reader: StateReader, body: DecisionMade) -> str:
    """Name a state that the decision read and that is another now, or give an empty text."""
    for read in body.reads:
        row = reader.state(read.view, read.key)
        found = (None, None) if row is None else (row.seq, canon.to_base64url(row.digest))
        if found != (read.seq, read.state):
            return f"the state {read.view} {read.key} is not the one that was read"
    return ""
