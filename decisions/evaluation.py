"""From an operation's actions to a verdict, over states that come from a log, a replay or a bundle alike.

Whatever the states come from, they are read through a `Trace`, which notes each one: a decision records what it
read, and a later check can tell whether it reads the same.

Source: DESIGN sections 6 (reads) and 10.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import itemgetter

from decisions import pdp
from decisions.action import Reduction
from decisions.descriptor import Circumstances, describe, too_many
from decisions.events import Read
from decisions.expansion import expand
from decisions.law import Law, law_in_force
from decisions.verdict import Case, Descriptor, Verdict
from grants.consent import Asked, ConsentMiss, Wanted, find_consent
from grants.reading import StateReader
from grants.standing import Vocabulary, find_standing
from ledger import canon
from ledger.disclosure import Opening
from ledger.errors import CorruptError, StoreError
from ledger.event import Registry
from ledger.view import StateRow


class Trace:
    """A `StateReader` that notes what was read through it."""

    def __init__(self, below: StateReader) -> None:
        self._below = below
        self._states: dict[tuple[str, str], StateRow | None] = {}
        self.events: set[int] = set()

    def state(self, view: str, key: str) -> StateRow | None:
        """Give a state, and note it."""
        if (view, key) not in self._states:
            self._states[view, key] = self._below.state(view, key)
        return self._states[view, key]

    def event_bytes(self, seq: int) -> bytes | None:
        """Give an event's bytes, and note the event."""
        self.events.add(seq)
        return self._below.event_bytes(seq)

    def openings(self, seq: int) -> Sequence[Opening]:
        """Give an event's openings, and note the event."""
        self.events.add(seq)
        return self._below.openings(seq)

    def reads(self) -> tuple[Read, ...]:
        """Give every state that was read, sorted by view and key."""
        return tuple(
            _read(row) if row else Read(view=view, key=key, seq=None, state=None)
            for (view, key), row in sorted(self._states.items(), key=itemgetter(0))
        )

    def causes(self) -> tuple[int, ...]:
        """Give the events that the states and the authority rest on, oldest first."""
        return tuple(sorted(self.events | {row.seq for row in self._states.values() if row}))


# By the row itself, which its log keeps: the same states are read again and again.
@lru_cache(maxsize=1024)
def _read(row: StateRow) -> Read:
    return Read(view=row.view, key=row.key, seq=row.seq, state=canon.to_base64url(row.digest))


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A verdict, and what led to it.

    Attributes:
        constitution: digest of the constitution, base64url, or an empty text where none could be read.
        domain: the trust domains that the actions lie in, sorted, with commas between.
        trouble: what went wrong where the reason is POLICY_ERROR.
        reduction: the actions and problems, with all that the actions reach.
        descriptors: what was known of each action; fewer after an error.
        cases: the same with the human authority that was found; empty after an error.
    """

    verdict: Verdict
    reduction: Reduction
    descriptors: tuple[Descriptor, ...]
    cases: tuple[Case, ...]
    constitution: str
    domain: str
    trouble: str = ""


def evaluate(
    reader: StateReader,
    registry: Registry,
    reduction: Reduction,
    circumstances: Circumstances,
    terms: Callable[[str], Asked],
    law: Law | None = None,
) -> Evaluation:
    """Judge what an operation does.

    Args:
        reader: the states as of this decision.
        registry: the event types.
        reduction: the operation's actions and problems.
        circumstances: who asks, when, in which session.
        terms: gives what a consent must be bound to, for the trust domains that the operation lies in.
        law: a constitution to decide by, or None for the one in force.

    An error in anything that the operation, the states or the grants hold is a deny.

    Raises:
        StoreError: the states can't be read at all.
    """
    digest = ""
    descriptors: list[Descriptor] = []
    try:
        law = law or law_in_force(reader, registry)
        digest = law.digest
        reduction = expand(reader, reduction)
        descriptors = describe(law.constitution, reader, registry, reduction.actions, circumstances)
        complicated = too_many(descriptors)
        if complicated:
            reduction = Reduction(reduction.actions, tuple(sorted({*reduction.problems, *complicated})))
        domain = ",".join(sorted({one.domain for one in descriptors if one.domain}))
        asked = terms(domain)
        cases = _one_commitment(
            [_case(reader, registry, law.vocabulary, one, circumstances, asked) for one in descriptors]
        )
        verdict = pdp.decide(law.constitution, cases, reduction.problems)
    except Exception as error:
        if isinstance(error, StoreError) and not isinstance(error, CorruptError):
            raise  # without a store there is no record either: the caller answers LEDGER_UNAVAILABLE
        # Fail closed: whatever could not be worked out is a deny with a record.
        return replace(erred(reduction, error), descriptors=tuple(descriptors), constitution=digest)
    return Evaluation(verdict, reduction, tuple(descriptors), tuple(cases), digest, domain)


def erred(reduction: Reduction, error: Exception) -> Evaluation:
    """Give the evaluation of what could not be evaluated: a deny."""
    told = f"{type(error).__name__}: {error}".partition("\n")[0][:500]
    return Evaluation(Verdict("deny", ("POLICY_ERROR",)), reduction, (), (), "", "", told)


def _case(
    reader: StateReader,
    registry: Registry,
    vocabulary: Vocabulary,
    descriptor: Descriptor,
    circumstances: Circumstances,
    terms: Asked,
) -> Case:
    """Look for the human authority that covers one action."""
    asker, at = circumstances.asker, circumstances.at
    wanted = wanted_of(descriptor)
    if wanted is None:
        return Case(descriptor, (), ConsentMiss("CONSENT_REQUIRED"))
    # One that covers some combinations of values only does not cover the action.
    found = [find_standing(reader, registry, vocabulary, asker, one.values(), at) for one in descriptor.each()]
    grants = tuple(grant for grant in found[0] if all(grant in other for other in found[1:]))
    return Case(descriptor, grants, find_consent(reader, registry, asker, terms, wanted, at))


def wanted_of(descriptor: Descriptor) -> Wanted | None:
    """Give what a consent would have to cover; None where no registration gives a version."""
    action, version = descriptor.action, descriptor.version
    return None if version is None else Wanted(action.kind, action.verb, action.target, version)


def _one_commitment(cases: Sequence[Case]) -> list[Case]:
    """Hold all consents to one commitment to the arguments: the decision carries one, and is checked by it."""
    fitting = sorted((c.consent for c in cases if c.consent.fits), key=lambda found: isinstance(found, ConsentMiss))
    kept = fitting[0].args if fitting else None
    return [
        replace(case, consent=ConsentMiss("CONSENT_BINDING", case.consent.grant))
        if case.consent.fits and case.consent.args != kept
        else case
        for case in cases
    ]
