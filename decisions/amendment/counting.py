"""Counting who is for an amendment: one voice for each human who answers for somebody, and the humans' own signatures.

A human who votes speaks for itself and for all that it controls. Where it has not voted, its agents have one voice
between them: against, where any of them is against. What opens something takes humans' own signatures and nothing else.

Source: docs/spec/amendments.md; DESIGN sections 7 and 11.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from decisions.amendment.events import AmendmentAdopted, AmendmentVoted, Change, Vote
from decisions.errors import AmendmentError
from grants.authority import check_event
from grants.identifier import kind_of, parse_principal
from grants.principals import find_principal, log_state
from grants.reading import StateReader, read_event
from ledger.event import Event, Registry, SignedBody

OPENS: Final[frozenset[Change]] = frozenset({"loosening", "mixed"})
"""The changes that humans alone may make."""


@dataclass(frozen=True, slots=True)
class Ballot:
    """One signed vote.

    Attributes:
        by: who signed.
        human: the human who answers for them.
    """

    by: str
    human: str
    vote: Vote


@dataclass(frozen=True, slots=True)
class Count:
    """How the votes stand, each by the name of the human.

    Attributes:
        voices_for: the humans who are for it, or whose agents are.
        voices_against: the same against.
        humans_for: the humans who signed for it themselves.
        humans_against: the same against.
    """

    voices_for: frozenset[str]
    voices_against: frozenset[str]
    humans_for: frozenset[str]
    humans_against: frozenset[str]

    def lacking(self, change: Change, quorum: int, humans: int) -> str | None:
        """Say what is missing for the amendment to be adopted, or None."""
        signed, opposed = len(self.humans_for), len(self.humans_against)
        if signed >= humans and signed > opposed:
            return None
        wanted = f"{humans} signatures of humans, and more than are against: {signed} for, {opposed} against"
        if change in OPENS:
            return f"what opens something takes {wanted}"
        voices, against = len(self.voices_for), len(self.voices_against)
        if voices >= quorum and voices > against:
            return None
        return (
            f"it takes {quorum} controlling principals, and more than are against: {voices} for, {against} against; "
            f"or {wanted}"
        )


def count(ballots: Iterable[Ballot]) -> Count:
    """Count votes; a principal's later vote stands in the place of its earlier one."""
    own: dict[str, Vote] = {}
    others: dict[str, set[Vote]] = {}
    for ballot in {one.by: one for one in ballots}.values():
        if ballot.by == ballot.human:
            own[ballot.human] = ballot.vote
        else:
            others.setdefault(ballot.human, set()).add(ballot.vote)
    voices: dict[str, Vote] = {human: "against" if "against" in votes else "for" for human, votes in others.items()}
    voices |= own
    return Count(_with(voices, "for"), _with(voices, "against"), _with(own, "for"), _with(own, "against"))


def controlling(reader: StateReader, principal: str) -> str:
    """Name the human who answers for a principal.

    Raises:
        AmendmentError: nobody does.
    """
    row = find_principal(reader, principal)
    human = principal if row is not None and row.kind == "human" else row.owner if row is not None else None
    if human is None:
        raise AmendmentError(f"no human answers for {principal}: it has no say in what the rules are")
    return human


def check_human(reader: StateReader, by: str, human: str) -> None:
    """Check that a signed text names the human who answers for its signer.

    Raises:
        AmendmentError: it names another.
    """
    answering = controlling(reader, by)
    if answering != human:
        raise AmendmentError(f"{answering} answers for {by}, and the text names {human}")


def counted(reader: StateReader, registry: Registry, adopted: Event) -> Count:
    """Read and count the votes that an adoption rests on, its own among them.

    A vote counts if it was signed by right, and its signer and its key still stood when the amendment was adopted.

    Raises:
        AmendmentError: a vote is not there, is about something else, or names the wrong human.
        AuthorityError: a signer might not do this.
        SignatureError: a signature does not hold.
    """
    body = adopted.body
    if not isinstance(body, AmendmentAdopted):
        raise AmendmentError(f"event {adopted.seq} adopts no amendment")
    check_event(reader, adopted)
    check_human(reader, adopted.by, body.human)
    cast = list(_votes(reader, registry, adopted, body))
    return count([*cast, Ballot(adopted.by, body.human, "for")])


def check_counted(reader: StateReader, registry: Registry, adopted: Event) -> AmendmentAdopted:
    """Check that an adoption has the votes that it says are asked for.

    Raises:
        AmendmentError: it has not, or a vote is not what it says.
        AuthorityError: a signer might not do this.
        SignatureError: a signature does not hold.
    """
    found = counted(reader, registry, adopted)
    body = adopted.body
    if not isinstance(body, AmendmentAdopted):  # pragma: no cover
        raise AmendmentError(f"event {adopted.seq} adopts no amendment")
    if body.change in OPENS and not is_human(adopted.by):
        raise AmendmentError(f"{adopted.by} can't adopt what opens something: a human must")
    lacking = found.lacking(body.change, body.quorum, body.humans)
    if lacking is not None:
        raise AmendmentError(f"amendment {body.amendment} has not enough votes: {lacking}")
    return body


def is_human(principal: str) -> bool:
    """Tell by its id whether a principal is a human."""
    return kind_of(parse_principal(principal)) == "human"


def still_stands(reader: StateReader, event: Event, place: int) -> bool:
    """Tell whether the signer of an event, and the key, still stood at a later place."""
    signer, begun = find_principal(reader, event.by), log_state(reader)
    restored = begun.restored(place) if begun is not None else None
    if signer is None or not isinstance(event.body, SignedBody) or not signer.stands_at(place, restored):
        return False
    key = signer.keys.get(event.body.signed.key)
    return key is not None and key.holds_at(place, restored)


def _votes(reader: StateReader, registry: Registry, adopted: Event, body: AmendmentAdopted) -> Iterator[Ballot]:
    if not _ascending(body.votes):
        raise AmendmentError(f"event {adopted.seq} counts a vote twice")
    for seq in body.votes:
        event = read_event(reader, registry, seq) if seq < adopted.seq else None
        vote = event.body if event is not None else None
        if event is None or not isinstance(vote, AmendmentVoted):
            raise AmendmentError(f"event {seq} is no vote that event {adopted.seq} could count")
        if (vote.amendment, vote.base, vote.digest, vote.change) != (
            body.amendment,
            body.base,
            body.digest,
            body.change,
        ):
            raise AmendmentError(f"event {seq} votes on something else than event {adopted.seq} adopts")
        check_event(reader, event)
        check_human(reader, event.by, vote.human)
        if still_stands(reader, event, adopted.seq):
            yield Ballot(event.by, vote.human, vote.vote)


def _ascending(seqs: Sequence[int]) -> bool:
    return all(left < right for left, right in pairwise(seqs))


def _with(voices: dict[str, Vote], vote: Vote) -> frozenset[str]:
    return frozenset(human for human, one in voices.items() if one == vote)
