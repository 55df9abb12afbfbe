"""View ``amendment``: what was proposed, who voted, and how it ended.

    amendment  key "<event that proposed it>"  {"by", "base", "digest", "change", "votes", "ended", "adopted"}

Source: DESIGN section 6; docs/spec/amendments.md.
"""

from collections.abc import Iterable
from typing import Annotated, Final

from decisions.amendment.events import (
    AmendmentAdopted,
    AmendmentProposed,
    AmendmentRejected,
    AmendmentVoted,
    Change,
    Vote,
)
from grants.book.checks import check_seen, contradiction, needed
from grants.book.states import Row, Seq
from ledger.event import Event, Many
from ledger.view import State

AMENDMENT: Final = "amendment"


class BallotState(Row):
    """One vote: its event, whose it is, and the human who answers for them."""

    seq: Seq
    by: str
    human: str
    vote: Vote


class AmendmentState(Row):
    """An amendment.

    Attributes:
        by: who proposed it.
        base: the event that adopted the constitution which it changes.
        votes: oldest first.
        ended: the event that adopted or rejected it, or null.
    """

    by: str
    base: Seq
    digest: str
    change: Change
    votes: Annotated[tuple[BallotState, ...], Many]
    ended: Seq | None
    adopted: bool


class AmendmentView:
    """Keeps the life of each amendment, by the event that proposed it."""

    name = AMENDMENT

    def keys(self, event: Event) -> Iterable[str]:
        """Give the amendment that the event is about."""
        match event.body:
            case AmendmentProposed():
                return (str(event.seq),)
            case AmendmentVoted() | AmendmentAdopted() | AmendmentRejected() as body:
                return (str(body.amendment),)
        return ()

    def apply(self, key: str, state: State | None, event: Event) -> State:
        """Propose, vote, or end.

        Raises:
            ViewError: there is no such amendment, it has ended, or the event says something else of it.
        """
        body = event.body
        if isinstance(body, AmendmentProposed):
            return AmendmentState(
                by=event.by,
                base=body.base,
                digest=body.digest,
                change=body.change,
                votes=(),
                ended=None,
                adopted=False,
            ).json_form()
        row = needed(AmendmentState, state, event, f"amendment {key}")
        if not isinstance(body, AmendmentVoted | AmendmentAdopted | AmendmentRejected):
            raise contradiction(event, "it is not about an amendment")
        if row.ended is not None:
            raise contradiction(event, f"amendment {key} was ended by event {row.ended}")
        check_seen(event, body.log_size, int(key), f"amendment {key}")
        if isinstance(body, AmendmentRejected):
            return row.model_copy(update={"ended": event.seq}).json_form()
        if (body.base, body.digest, body.change) != (row.base, row.digest, row.change):
            raise contradiction(event, f"amendment {key} is another one than was signed for")
        if isinstance(body, AmendmentVoted):
            ballot = BallotState(seq=event.seq, by=event.by, human=body.human, vote=body.vote)
            return row.model_copy(update={"votes": (*row.votes, ballot)}).json_form()
        if body.votes != tuple(one.seq for one in row.votes):
            raise contradiction(event, f"the votes on amendment {key} are others than were signed for: look again")
        return row.model_copy(update={"ended": event.seq, "adopted": True}).json_form()
