"""Standing grants: what may be ratified, and which of them cover an action.

A standing grant is a pattern: kinds, verbs, targets, and a condition over trusted attributes in the constitution's
own language. It never selects irreversible resources in production. That is held twice: it can't be ratified if any
facts at all make it do so, and when it is used it does not count where the facts at hand say so, or do not say.

Source: DESIGN sections 10 and 11; policy cases B17, C07, J05.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from grants.authority import check_event, humans_behind
from grants.book.standing import BY_LETTER, BY_SUBJECT, LETTERS, STANDING
from grants.book.states import StandingsState, StandingState
from grants.errors import AuthorityError, ExpressionError, ReferenceSyntaxError, SignatureError
from grants.events import GrantRatified
from grants.expression import (
    UNKNOWN,
    AttributeType,
    Expression,
    Missing,
    Possibility,
    Truth,
    can_be,
    compile_expression,
    evaluate,
)
from grants.principals import Asker
from grants.reading import StateReader, read_event, read_state
from grants.reference import Pattern, parse
from grants.spelling import suggestion
from ledger.errors import EventError
from ledger.event import Event, Registry
from ledger.instant import Instant

NEVER: Final[Mapping[str, str]] = {"environment": "prod", "reversibility": "irreversible"}
"""What no standing grant selects: all of these at once."""

_MOST_SELECTORS: Final = 1024
"""So many compiled selectors are remembered."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a constitution declares, as far as a selector may speak of it.

    Attributes:
        attributes: the type of every attribute, ``kind``, ``verb`` and ``target`` among them.
        categories: the named conditions.
        payload: the attributes that the asker itself supplies; no selector reads them.
        declared: for each kind of action the attributes that a condition may read there.
        verbs: for each kind of action its verbs.
        humans: how many humans must have signed a standing grant.
    """

    attributes: Mapping[str, AttributeType]
    categories: Mapping[str, Expression]
    payload: frozenset[str]
    declared: Mapping[str, frozenset[str]]
    verbs: Mapping[str, frozenset[str]]
    humans: int = 1
    _compiled: dict[str, Expression] = field(default_factory=dict, init=False, repr=False, compare=False)

    def selector(self, text: str) -> Expression:
        """Compile a selector; what was compiled is remembered.

        Raises:
            ExpressionError: not in the language, or it reads what the asker itself supplies.
        """
        found = self._compiled.get(text)
        if found is not None:
            return found
        compiled = compile_expression(text, self.attributes, self.categories)
        for name in sorted(compiled.reads & self.payload):
            raise ExpressionError(f"{name} is what the asker says of itself: a standing grant can't rest on it")
        if len(self._compiled) >= _MOST_SELECTORS:
            self._compiled.clear()
        self._compiled[text] = compiled
        return compiled


@dataclass(frozen=True, slots=True)
class StandingTerms:
    """What a standing grant covers.

    Attributes:
        subject: the principal that it is for; the parts that act for it are covered too.
        kinds: the kinds of action.
        verbs: the verbs.
        targets: a reference or a pattern.
        selector: a condition over trusted attributes.
        expires: when it ends by itself, or None.
        signed: how many humans' signatures of it count.
    """

    subject: str
    kinds: tuple[str, ...]
    verbs: tuple[str, ...]
    targets: str
    selector: str
    expires: Instant | None = None
    signed: int = 1


def check_selector(vocabulary: Vocabulary, terms: StandingTerms) -> None:
    """Check that a standing grant may be ratified under a constitution.

    Raises:
        ExpressionError: no condition, an unknown kind or verb, an attribute that is not declared for a kind, a
            condition that nothing meets, or one that can select irreversible resources in production.
    """
    kinds, verbs = terms.kinds, terms.verbs
    selector = vocabulary.selector(terms.selector)
    if selector.atoms == 0:
        raise ExpressionError("a standing grant needs at least one condition on an attribute")
    for kind in kinds:
        if kind not in vocabulary.verbs:
            raise ExpressionError(f"unknown kind of action {kind!a}{suggestion(kind, vocabulary.verbs)}")
        for name in sorted(selector.reads - vocabulary.declared[kind]):
            raise ExpressionError(f"{name} is not declared for actions of kind {kind}")
    known = frozenset[str]().union(*(vocabulary.verbs[kind] for kind in kinds))
    for verb in verbs:
        if verb not in known:
            raise ExpressionError(f"no kind of this grant has the verb {verb!a}{suggestion(verb, known)}")
    reached = [_check_pair(vocabulary, selector, kind, verb) for kind, verb in _pairs(vocabulary, kinds, verbs)]
    if not any(reached):
        raise ExpressionError("nothing meets this condition: the grant would never apply")


def find_standing(
    reader: StateReader,
    registry: Registry,
    vocabulary: Vocabulary,
    asker: Asker,
    values: Mapping[str, object],
    at: Instant,
) -> tuple[str, ...]:
    """Find the standing grants that cover an action.

    Args:
        reader: the ledger; every row that the answer rests on is read through it.
        registry: the event types.
        vocabulary: what the constitution in force declares.
        asker: who asks; one that is not authenticated has no standing grants.
        values: the trusted attributes of the action, with ``kind``, ``verb`` and ``target``.
        at: the time of the transaction.

    Returns:
        Grant ids, oldest first.
    """
    if not asker.authenticated or is_never(vocabulary, values):
        return ()
    bodies = live_standing(reader, registry, vocabulary, asker.by, at)
    return tuple(body.grant for body in bodies if covers(vocabulary, body, values))


def live_standing(
    reader: StateReader, registry: Registry, vocabulary: Vocabulary, subject: str, at: Instant
) -> Iterator[GrantRatified]:
    """Give the standing grants of a subject that count, oldest first, each read from its event and rightly signed.

    One that fewer humans have signed than the constitution asks for now does not count.
    """
    row = read_state(reader, BY_SUBJECT, subject, StandingsState)
    for grant, seq in row.grants if row else ():
        state = read_state(reader, STANDING, grant, StandingState)
        event = _event(reader, registry, seq)
        if event is None or state is None or state.revoked is not None:
            continue
        body = event.body
        if not isinstance(body, GrantRatified) or (body.grant, body.subject) != (grant, subject):
            continue
        if (body.expires is None or at < body.expires) and _signed(reader, event) >= vocabulary.humans:
            yield body


def standing_terms(reader: StateReader, registry: Registry, at: Instant) -> tuple[StandingTerms, ...]:
    """Give the terms of every standing grant that counts at a time, oldest first, with how many have signed it."""
    rows = (read_state(reader, BY_LETTER, letter, StandingsState) for letter in LETTERS)
    entries = sorted((seq, grant) for row in rows if row for grant, seq in row.grants)
    found = []
    for seq, grant in entries:
        event = _event(reader, registry, seq)
        body = event.body if event else None
        if event is None or not isinstance(body, GrantRatified) or body.grant != grant:
            continue
        signed = _signed(reader, event) if body.expires is None or at < body.expires else 0
        if signed:
            terms = (body.subject, body.kinds, body.verbs, body.targets, body.selector, body.expires)
            found.append(StandingTerms(*terms, signed))
    return tuple(found)


def _pairs(vocabulary: Vocabulary, kinds: tuple[str, ...], verbs: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for kind in kinds:
        yield from ((kind, verb) for verb in verbs if verb in vocabulary.verbs[kind])


def _check_pair(vocabulary: Vocabulary, selector: Expression, kind: str, verb: str) -> bool:
    """Refuse a selector that reaches what none may; tell whether it reaches anything."""
    attributes = vocabulary.attributes
    fixed: dict[str, str | bool | int | Missing] = {
        name: value for name, value in (("kind", kind), ("verb", verb)) if name in attributes
    }
    if vocabulary.declared[kind] >= NEVER.keys():
        worst = can_be(selector, attributes, fixed={**fixed, **NEVER})
        if worst is not Possibility.IMPOSSIBLE:
            doubt = "" if worst is Possibility.POSSIBLE else ", or it can't be shown that it does not"
            raise ExpressionError(
                f"it reaches irreversible resources in production ({kind} {verb}){doubt}: those need consent each "
                'time; add a condition such as reversibility != "irreversible"'
            )
    return can_be(selector, attributes, fixed=fixed) is not Possibility.IMPOSSIBLE


def is_never(vocabulary: Vocabulary, values: Mapping[str, object]) -> bool:
    """Tell whether the facts put the action, or do not keep it, among irreversible resources in production."""
    declared = vocabulary.declared.get(str(values.get("kind")), frozenset())
    return declared >= NEVER.keys() and all(
        not vocabulary.attributes[name].admits(value := values.get(name, UNKNOWN)) or value == worst
        for name, worst in NEVER.items()
    )


def _event(reader: StateReader, registry: Registry, seq: int) -> Event | None:
    try:
        return read_event(reader, registry, seq)
    except EventError:
        return None


def _signed(reader: StateReader, event: Event) -> int:
    """Count the humans whose signatures of a grant count now; none where one of them was not given by right."""
    try:
        check_event(reader, event)
    except (AuthorityError, SignatureError):
        return 0
    return humans_behind(reader, event)


def covers(vocabulary: Vocabulary, body: GrantRatified, values: Mapping[str, object]) -> bool:
    """Tell whether a standing grant covers an action of its subject, by the action's trusted attributes."""
    if values.get("kind") not in body.kinds or values.get("verb") not in body.verbs:
        return False
    try:
        within = Pattern.parse(body.targets).covers(parse(str(values.get("target"))))
        selector = vocabulary.selector(body.selector)
    except (ReferenceSyntaxError, ExpressionError):
        return False  # the constitution that it was ratified under spoke of something else
    return within and evaluate(selector, values) is Truth.TRUE
