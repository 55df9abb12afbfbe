"""The acts of changing the rules, prepared to be signed, and how they are appended.

Source: docs/spec/amendments.md; DESIGN sections 7 and 11.
"""

from collections.abc import Iterator

from decisions.amendment.book import AMENDMENT, AmendmentState
from decisions.amendment.check import amending_of, check_amendment
from decisions.amendment.classing import change_of
from decisions.amendment.counting import OPENS, Ballot, Count, controlling, count, is_human
from decisions.amendment.events import (
    AmendmentAdopted,
    AmendmentProposed,
    AmendmentRejected,
    AmendmentVoted,
    ConstitutionAmended,
    Vote,
)
from decisions.amendment.overlay import overlaid
from decisions.constitution.loader import load
from decisions.constitution.model import Amending
from decisions.errors import AmendmentError
from decisions.law import law_in_force
from grants.authority import still_counts
from grants.issue import Prepared, append_checked, prepare
from grants.reading import StateReader, read_event, read_state
from ledger import canon
from ledger.canon import Json
from ledger.disclosure import Opening
from ledger.event import Draft, Event, Registry, seal
from ledger.log import Snapshot, Transaction


def propose(
    snapshot: Snapshot, registry: Registry, *, by: str, document: str, reason: str, overlay: bool = False
) -> Prepared:
    """Prepare the proposal of another constitution.

    Args:
        snapshot: the log.
        registry: the event types.
        by: a human or an agent.
        document: the whole constitution; with ``overlay``, what is put over the one in force.
        reason: why.
        overlay: whether it is an overlay.

    Raises:
        AmendmentError: it is the one in force, or an overlay that can't be put over it.
        ConstitutionError: the document is not accepted.
        DecisionError: no constitution is in force that could be changed.
        AuthorityError: this principal may not do this.
    """
    law = law_in_force(snapshot, registry)
    text = overlaid(law.document, document) if overlay else document
    constitution = load(text)
    controlling(snapshot, by)
    if text == law.document:
        raise AmendmentError("this is the constitution in force: there is nothing to change")
    fields: dict[str, Json] = {
        "base": law.adopted.seq,
        "name": constitution.name,
        "digest": canon.to_base64url(constitution.digest),
        "document": text,
        "change": change_of(law.document, text, overlay=overlay),
        "overlay": overlay,
    }
    opened = (Opening.fresh("/reason", reason),)
    return prepare(snapshot, AmendmentProposed, fields, by=by, openings=opened, causes=(law.adopted.seq,))


def vote(snapshot: Snapshot, registry: Registry, *, by: str, amendment: int, choice: Vote) -> Prepared:
    """Prepare a vote.

    Raises:
        AmendmentError: there is no such amendment, it has ended or is stale, this principal has voted, or may not.
        AuthorityError: this principal may not do this.
    """
    body, row = _open(snapshot, registry, amendment)
    if body.change in OPENS and not is_human(by):
        raise AmendmentError(
            f"amendment {amendment} is {body.change}: what opens something is for humans to sign, not for {by}"
        )
    if any(one.by == by for one in row.votes):
        raise AmendmentError(f"{by} has voted on amendment {amendment} already")
    return prepare(
        snapshot, AmendmentVoted, {**_named(snapshot, by, amendment, body), "vote": choice}, by=by, causes=(amendment,)
    )


def adopt(snapshot: Snapshot, registry: Registry, *, by: str, amendment: int) -> Prepared:
    """Prepare the adoption of an amendment; whoever adopts it is for it.

    Raises:
        AmendmentError: there is no such amendment, it has ended or is stale, too few are for it, or this principal may
            not adopt it.
        AuthorityError: this principal may not do this.
    """
    body, row = _open(snapshot, registry, amendment)
    if body.change in OPENS and not is_human(by):
        raise AmendmentError(
            f"amendment {amendment} is {body.change}: what opens something is for humans to adopt, not for {by}"
        )
    asked = amending_of(snapshot, registry, body.base)
    now = Ballot(by, controlling(snapshot, by), "for")
    lacking = count([*_ballots(snapshot, registry, row), now]).lacking(body.change, asked.quorum, asked.humans)
    if lacking is not None:
        raise AmendmentError(f"amendment {amendment} has not enough votes: {lacking}")
    votes: list[Json] = [one.seq for one in row.votes]
    fields: dict[str, Json] = {
        **_named(snapshot, by, amendment, body),
        "votes": votes,
        "quorum": asked.quorum,
        "humans": asked.humans,
    }
    causes = (amendment, *(one.seq for one in row.votes))
    return prepare(snapshot, AmendmentAdopted, fields, by=by, causes=causes)


def reject(snapshot: Snapshot, registry: Registry, *, by: str, amendment: int, reason: str) -> Prepared:
    """Prepare the rejection of an amendment.

    Raises:
        AmendmentError: there is no such amendment, it has ended, or an agent rejects what another proposed.
        AuthorityError: this principal may not do this.
    """
    _, row = found(snapshot, registry, amendment)
    _check_open(amendment, row)
    if not is_human(by) and by != row.by:
        raise AmendmentError(f"{by} can take back what it proposed itself; a human rejects others")
    opened = (Opening.fresh("/reason", reason),)
    return prepare(snapshot, AmendmentRejected, {"amendment": amendment}, by=by, openings=opened, causes=(amendment,))


def append_amendment(tx: Transaction, registry: Registry, draft: Draft) -> tuple[Event, ...]:
    """Check an act of changing the rules as of now, and append it; a constitution follows its amendment at once.

    Raises:
        AmendmentError: it is stale, lacks votes, is not for its signer, or is of another class than it says.
        AuthorityError: the signer may not do this.
        SignatureError: the signature does not hold.
        AppendError: it contradicts what stands, or repeats what can be done once.
    """
    body = draft.body
    check_amendment(tx, registry, seal(draft, tx.head.size, tx.at))
    event = append_checked(tx, draft)
    if not isinstance(body, AmendmentAdopted):
        return (event,)
    proposal, _ = found(tx, registry, body.amendment)
    adopted = ConstitutionAmended(
        name=proposal.name, digest=proposal.digest, document=proposal.document, base=proposal.base, adopted=event.seq
    )
    return event, tx.append(Draft(adopted, event.by, "ledger", None, None, (event.seq,)))


def found(reader: StateReader, registry: Registry, amendment: int) -> tuple[AmendmentProposed, AmendmentState]:
    """Read a proposal, and what became of it.

    Raises:
        AmendmentError: there is no such amendment.
    """
    row = read_state(reader, AMENDMENT, str(amendment), AmendmentState)
    event = read_event(reader, registry, amendment) if row is not None else None
    if row is None or event is None or not isinstance(event.body, AmendmentProposed):
        raise AmendmentError(f"event {amendment} proposes no amendment: tally amendment list shows those that are open")
    return event.body, row


def standing(reader: StateReader, registry: Registry, row: AmendmentState) -> tuple[Count, Amending]:
    """Give how the votes on an amendment stand now, and what its constitution asks for."""
    return count(_ballots(reader, registry, row)), amending_of(reader, registry, row.base)


def _open(snapshot: Snapshot, registry: Registry, amendment: int) -> tuple[AmendmentProposed, AmendmentState]:
    body, row = found(snapshot, registry, amendment)
    _check_open(amendment, row)
    law = law_in_force(snapshot, registry)
    if law.adopted.seq != body.base:
        raise AmendmentError(
            f"amendment {amendment} is stale: it changes the constitution of event {body.base}, and that of event "
            f"{law.adopted.seq} is in force: propose it again"
        )
    return body, row


def _check_open(amendment: int, row: AmendmentState) -> None:
    if row.ended is not None:
        how = "adopted" if row.adopted else "rejected"
        raise AmendmentError(f"amendment {amendment} was {how} by event {row.ended}")


def _ballots(reader: StateReader, registry: Registry, row: AmendmentState) -> Iterator[Ballot]:
    """Give the votes of those who, and whose keys, still stand."""
    for one in row.votes:
        event = read_event(reader, registry, one.seq)
        if event is not None and still_counts(reader, event):
            yield Ballot(one.by, one.human, one.vote)


def _named(snapshot: Snapshot, by: str, amendment: int, body: AmendmentProposed) -> dict[str, Json]:
    """Give what every text on an amendment repeats of it."""
    return {
        "amendment": amendment,
        "base": body.base,
        "digest": body.digest,
        "change": body.change,
        "human": controlling(snapshot, by),
    }
