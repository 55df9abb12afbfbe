"""Amendments as they stand in a ledger: what is proposed, how the votes are, and what is lacking.

Source: docs/spec/amendments.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from decisions.amendment.acts import found, standing
from decisions.amendment.book import AMENDMENT, AmendmentState
from decisions.amendment.check import document_of
from decisions.amendment.counting import Count
from decisions.amendment.events import AmendmentProposed
from decisions.analysis import Difference, Rules, compare
from decisions.book import CURRENT
from decisions.constitution.loader import load_cached
from decisions.constitution.model import Amending
from decisions.errors import AnalysisError
from decisions.law import law_in_force
from grants.principals import last_restored
from grants.standing import StandingTerms, standing_terms
from ledger.canon import Json
from ledger.event import Registry
from ledger.instant import Instant
from ledger.log import Snapshot
from tools.rulebook.store import registered

Status: TypeAlias = Literal["open", "stale", "adopted", "rejected"]
_REASON: Final = "/reason"


@dataclass(frozen=True, slots=True)
class Amendment:
    """One amendment as it stands.

    Attributes:
        seq: the event that proposed it.
        status: whether it can be voted on: it is stale where another constitution is in force than it changes.
        reason: why it was proposed, or None where that was erased.
    """

    seq: int
    body: AmendmentProposed
    state: AmendmentState
    status: Status
    votes: Count
    asked: Amending
    reason: str | None

    @property
    def lacking(self) -> str | None:
        """What it takes before it can be adopted, beside whoever adopts it; None where nothing is lacking."""
        return self.votes.lacking(self.body.change, self.asked.quorum, self.asked.humans)

    @property
    def tally(self) -> str:
        """How the votes stand, in a few words."""
        return f"{len(self.votes.voices_for)} for, {len(self.votes.voices_against)} against"

    @property
    def life(self) -> str:
        """Whether it can still be voted on."""
        return f"{self.status} by event {self.state.ended}" if self.state.ended is not None else self.status

    def to_json(self) -> dict[str, Json]:
        """Give it as JSON."""
        return {
            "amendment": self.seq,
            "by": self.state.by,
            "name": self.body.name,
            "digest": self.body.digest,
            "base": self.body.base,
            "change": self.body.change,
            "overlay": self.body.overlay,
            "status": self.status,
            "ended": self.state.ended,
            "reason": self.reason,
            "votes": [one.json_form() for one in self.state.votes],
            "for": len(self.votes.voices_for),
            "against": len(self.votes.voices_against),
            "humans_for": len(self.votes.humans_for),
            "humans_against": len(self.votes.humans_against),
            "quorum": self.asked.quorum,
            "humans": self.asked.humans,
        }


def amendments(look: Snapshot, registry: Registry) -> Iterator[Amendment]:
    """Give every amendment, the oldest first."""
    for seq in sorted(int(row.key) for row in look.states(AMENDMENT)):
        yield amendment(look, registry, seq)


def amendment(look: Snapshot, registry: Registry, seq: int) -> Amendment:
    """Give one amendment.

    Raises:
        AmendmentError: there is none.
    """
    body, state = found(look, registry, seq)
    votes, asked = standing(look, registry, state)
    reason = next((str(one.value) for one in look.openings(seq) if one.path == _REASON), None)
    return Amendment(seq, body, state, _status(look, body, state), votes, asked, reason)


def difference_now(look: Snapshot, registry: Registry, base: int, document: str, at: Instant) -> Difference | None:
    """Compare a document with the one it changes, beside the grants and resources of the ledger.

    Returns:
        The difference, or None where the two are too involved for an exact answer.

    Raises:
        AmendmentError: there is no such constitution.
        ConstitutionError: the document is not accepted.
    """
    old, grants = load_cached(document_of(look, registry, base)), standing_terms(look, registry, at)
    try:
        return compare(Rules(old, grants), Rules(load_cached(document), grants), registered(look, inherit=old.inherit))
    except AnalysisError:
        return None


def opened_by(look: Snapshot, registry: Registry, terms: StandingTerms, at: Instant) -> Difference | None:
    """Tell what one more standing grant opens beside those that its subject has; the grants of others are none of it.

    Returns:
        The difference, or None where it is too involved for an exact answer.

    Raises:
        DecisionError: no constitution is in force.
    """
    law = law_in_force(look, registry).constitution
    held = tuple(one for one in standing_terms(look, registry, at) if one.subject == terms.subject)
    try:
        return compare(Rules(law, held), Rules(law, (*held, terms)), registered(look, inherit=law.inherit))
    except AnalysisError:
        return None


def _status(look: Snapshot, body: AmendmentProposed, state: AmendmentState) -> Status:
    if state.ended is not None:
        return "adopted" if state.adopted else "rejected"
    row, restored = look.state("constitution", CURRENT), last_restored(look)
    stands = row is not None and row.state["seq"] == body.base and (restored is None or row.seq > restored)
    return "open" if stands else "stale"
