"""The acts by which a shadow begins and ends, prepared to be signed.

Source: docs/spec/shadows.md.
"""

from decisions.amendment.overlay import overlaid
from decisions.constitution.loader import load
from decisions.errors import ShadowError
from decisions.law import law_in_force
from decisions.shadow.book import CURRENT, SHADOW, ShadowState
from decisions.shadow.events import ShadowStarted, ShadowStopped
from grants.issue import Prepared, prepare
from grants.reading import StateReader, read_state
from ledger import canon
from ledger.canon import Json
from ledger.event import Registry
from ledger.log import Snapshot


def start(snapshot: Snapshot, registry: Registry, *, by: str, document: str, overlay: bool = False) -> Prepared:
    """Prepare the beginning of a shadow.

    Args:
        snapshot: the log.
        registry: the event types.
        by: the human.
        document: the candidate; with ``overlay``, what is put over the constitution in force.
        overlay: whether it is an overlay.

    Raises:
        ShadowError: one runs already.
        ConstitutionError: the candidate is not accepted.
        DecisionError: no constitution is in force.
        AuthorityError: this principal may not do this.
    """
    law = law_in_force(snapshot, registry)
    text = overlaid(law.document, document) if overlay else document
    constitution = load(text)
    row = standing(snapshot)
    if row is not None and row.started is not None:
        raise ShadowError(f"the shadow of event {row.started} runs: end it with tally shadow stop first")
    fields: dict[str, Json] = {
        "base": law.adopted.seq,
        "name": constitution.name,
        "digest": canon.to_base64url(constitution.digest),
        "document": text,
    }
    return prepare(snapshot, ShadowStarted, fields, by=by, causes=(law.adopted.seq,))


def stop(snapshot: Snapshot, *, by: str) -> Prepared:
    """Prepare the end of the shadow that runs.

    Raises:
        ShadowError: none runs.
        AuthorityError: this principal may not do this.
    """
    row = standing(snapshot)
    if row is None or row.started is None:
        raise ShadowError("no shadow runs: begin one with tally shadow start FILE")
    return prepare(snapshot, ShadowStopped, {"started": row.started}, by=by, causes=(row.started,))


def standing(reader: StateReader) -> ShadowState | None:
    """Give what stands of the shadow, or None where there never was one."""
    return read_state(reader, SHADOW, CURRENT, ShadowState)
