"""What could not be recorded when it happened, kept until it can: words said without a verdict, outcomes.

Source: DESIGN section 12 (the always-open class is reported on recovery).
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol, Self, TypeAlias, cast

from decisions.errors import EnforcementError
from decisions.events import Effect
from decisions.operation import Operation, is_form
from ledger.canon import Json

What: TypeAlias = Literal["said", "outcome"]
MOST: Final = 1000
"""How much a spool in memory keeps; beyond it the oldest goes, which the log can't be told of any more."""


@dataclass(frozen=True, slots=True)
class Kept:
    """One thing that is to be recorded later.

    Attributes:
        id: its name in the spool; of words, the id of the request too.
        what: words that were said by the enforcement point itself, or the outcome of a decision.
        claimed: the subject that asked.
        operation: what was asked, where words were said.
        decision: the decision, where an outcome is to be reported.
        outcome: the outcome.
        note: what is to be said beside it.
        at: when it was kept, by the clock of who keeps it, or an empty text.
    """

    what: What
    id: str = field(default_factory=lambda: f"kept-{secrets.token_hex(16)}")
    claimed: str | None = None
    operation: Operation | None = None
    decision: int | None = None
    outcome: Effect = "done"
    note: str = ""
    at: str = ""

    def to_json(self) -> dict[str, Json]:
        """Give it as one JSON object."""
        asked: Json = None
        if self.operation is not None:
            asked = {**self.operation.content, "domain": self.operation.domain}
        return {
            "v": 1,
            "what": self.what,
            "id": self.id,
            "claimed": self.claimed,
            "operation": asked,
            "decision": self.decision,
            "outcome": self.outcome,
            "note": self.note,
            "at": self.at,
        }

    @classmethod
    def of_json(cls, value: Mapping[str, Json]) -> Self:
        """Read it.

        Raises:
            EnforcementError: it has another form.
        """
        texts = {name: value.get(name) for name in ("id", "note", "at")}
        what, outcome, decision = value.get("what"), value.get("outcome"), value.get("decision")
        claimed, asked = value.get("claimed"), _operation(value.get("operation"))
        well = value.get("v") == 1 and all(isinstance(text, str) for text in texts.values())
        well = well and (claimed is None or isinstance(claimed, str)) and outcome in {"done", "failed", "unknown"}
        if not (well and (asked is not None if what == "said" else what == "outcome" and type(decision) is int)):
            raise EnforcementError("what was kept has another form")
        return cls(
            cast("What", what),
            str(texts["id"]),
            cast("str | None", claimed),
            asked,
            decision if isinstance(decision, int) else None,
            cast("Effect", outcome),
            str(texts["note"]),
            str(texts["at"]),
        )


class Spool(Protocol):
    """Where things are kept."""

    def keep(self, kept: Kept) -> None:
        """Keep one thing; when this returns it is kept.

        Raises:
            OSError: it can't be kept.
        """

    def pending(self) -> Sequence[Kept]:
        """Give what is kept, oldest first."""

    def settle(self, kept: Kept) -> None:
        """Forget one thing: it is recorded."""


class MemorySpool:
    """Keeps things as long as the process lives."""

    def __init__(self) -> None:
        self._kept: dict[str, Kept] = {}

    def keep(self, kept: Kept) -> None:
        """Keep one thing."""
        self._kept[kept.id] = kept
        for old in list(self._kept)[:-MOST]:
            self._kept.pop(old, None)

    def pending(self) -> Sequence[Kept]:
        """Give what is kept, oldest first."""
        return list(self._kept.values())

    def settle(self, kept: Kept) -> None:
        """Forget one thing."""
        self._kept.pop(kept.id, None)


def _operation(value: Json) -> Operation | None:
    if not isinstance(value, dict):
        return None
    form, payload, domain = value.get("form"), value.get("payload"), value.get("domain")
    if not isinstance(form, str) or not is_form(form) or not isinstance(payload, dict) or not isinstance(domain, str):
        return None
    return Operation(str(form), payload, (), domain)
