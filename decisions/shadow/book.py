"""View ``shadow``: which candidate judges beside the constitution in force.

    shadow  key "current"  {"started", "digest", "name", "changed"}

Source: DESIGN section 6; docs/spec/shadows.md.
"""

from collections.abc import Iterable
from typing import Final

from decisions.shadow.events import ShadowStarted, ShadowStopped
from grants.book.checks import check_seen, contradiction, held
from grants.book.states import Row, Seq
from ledger.event import Event
from ledger.view import State

SHADOW: Final = "shadow"
CURRENT: Final = "current"


class ShadowState(Row):
    """The shadow.

    Attributes:
        started: the event that began the one that runs, or null where none does.
        digest: of its document; of the last one where none runs.
        changed: the event that changed this last.
    """

    started: Seq | None
    digest: str
    name: str
    changed: Seq


class ShadowView:
    """Keeps which shadow runs: one at a time."""

    name = SHADOW

    def keys(self, event: Event) -> Iterable[str]:
        """Give the one key, where a shadow begins or ends."""
        return (CURRENT,) if isinstance(event.body, ShadowStarted | ShadowStopped) else ()

    def apply(self, key: str, state: State | None, event: Event) -> State:  # noqa: ARG002  (one key)
        """Begin, or end.

        Raises:
            ViewError: one runs already, none runs, or it is another one.
        """
        row = held(ShadowState, state)
        match event.body:
            case ShadowStarted() as body:
                if row is not None and row.started is not None:
                    raise contradiction(event, f"the shadow of event {row.started} runs: stop it first")
                if row is not None:
                    check_seen(event, body.log_size, row.changed, "the shadow")
                return ShadowState(started=event.seq, digest=body.digest, name=body.name, changed=event.seq).json_form()
            case ShadowStopped() as body:
                if row is None or row.started != body.started:
                    raise contradiction(event, f"event {body.started} began no shadow that runs")
                check_seen(event, body.log_size, row.changed, "the shadow")
                return row.model_copy(update={"started": None, "changed": event.seq}).json_form()
        raise contradiction(event, "it is not about a shadow")
