"""The decision point answers.

Source: DESIGN sections 7 and 10; docs/events/.
"""

from collections.abc import Iterable
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field

from decisions.action import ProblemCode
from decisions.events.forms import Count
from grants.consent import Reason as ConsentReason
from grants.events import Names, Operand
from ledger.disclosure import Disclosable
from ledger.event import Body, Frozen, Many

Outcome: TypeAlias = Literal["allow", "deny", "hold"]
Reason: TypeAlias = Literal[
    "POLICY_ERROR",
    "ID_INVALID",
    "TOO_COMPLEX",
    "UNPARSEABLE",
    "TARGET_UNRESOLVED",
    "UNCLASSIFIED",
    "TRUST_FLOOR",
    "FORBIDDEN",
    "ATTR_UNKNOWN",
    ConsentReason,
    "NO_AUTHORITY",
    "LEDGER_UNAVAILABLE",
    "ALLOWED",
]
"""Why; the first that applies stands as ``reason``. ALLOWED is the reason of an allow."""

Fact: TypeAlias = str | bool | int | None


class DecidedAction(Frozen):
    """One action as the decision point read it.

    Attributes:
        facts: what the reducer read from the operation.
        registration: the registered resource or pattern whose properties applied, or null.
        version: that registration's version, or null.
        counterpart: the person or operator whose trust counts, or an empty text.
        domain: the trust domain, from the trusted side, or an empty text.
    """

    kind: str
    verb: str
    target: str
    facts: dict[str, Fact]
    registration: str | None
    version: int | None
    counterpart: str
    domain: str


class FiredRule(Frozen):
    """A rule that spoke on an action: ``truth`` is what its condition came to."""

    action: Count
    article: str
    rule: str
    effect: Literal["permit", "forbid", "require_consent"]
    truth: Literal["true", "unknown"]


class Authority(Frozen):
    """What an allowed action rests on: a rule that permits, a standing grant, or an item of a consent."""

    action: Count
    by: Literal["permit", "standing", "consent"]
    rule: str | None
    grant: str | None
    item: int | None


class Need(Frozen):
    """A nearest change that would allow an action.

    Attributes:
        who: whether it takes a human's act or a fact that somebody can supply.
        what: kind of the change, one word.
        about: what it concerns: an attribute, a rule, a target.
    """

    action: Count
    who: Literal["human", "facts"]
    what: Literal["consent", "standing_grant", "registration", "attribute", "trust", "rewrite", "amendment"]
    about: str


class Read(Frozen):
    """One state that the decision read: ``seq`` and ``state`` are null where there was none."""

    view: str
    key: str
    seq: int | None
    state: str | None


class ShadowVerdict(Frozen):
    """What a candidate constitution would have answered. It is not enforced.

    Attributes:
        started: the event that began the shadow.
        constitution: digest of the candidate.
        enforced: never.
        outcome: what it would have been; ``reason``, ``reasons`` and ``rules`` likewise.
    """

    started: Count
    constitution: str
    enforced: Literal[False]
    outcome: Outcome
    reason: Reason
    reasons: Annotated[tuple[Reason, ...], Many]
    rules: Annotated[tuple[FiredRule, ...], Many]


def _is_none(value: object) -> bool:
    return value is None


class DecisionMade(Body):
    """The decision point answered.

    Attributes:
        form: how the operation came in.
        args: commitment to the operation as received.
        claimed: payload attributes, believed only where they make the verdict stricter.
        subject: the chain from the principal that asked down to the part that acts.
        counterpart: the person or operator whose trust counted, or an empty text.
        domain: the trust domain, from the trusted side, or an empty text.
        reducers: number of the reducers that read the operation.
        problems: what could not be read of the operation.
        detail: commitment to the problems' explanation, or null.
        constitution: digest of the constitution that was applied.
        reads: every state that the verdict rests on.
        plugin: name and version of the plug-in that reads this form; left out where it is one of ours.
        shadow: what a candidate would have answered, which is NOT ENFORCED; left out where no shadow runs.
    """

    type: ClassVar[str] = "decision.made"
    folded: ClassVar[bool] = False

    mode: Literal["enforce", "shadow"]
    form: str
    args: Disclosable
    operands: Annotated[tuple[Operand, ...], Many]
    claimed: dict[str, Fact]
    subject: Names
    session: str
    correlated: bool
    reducers: Annotated[int, Field(ge=1)]
    actions: Annotated[tuple[DecidedAction, ...], Many]
    problems: Annotated[tuple[ProblemCode, ...], Many]
    detail: Disclosable | None
    outcome: Outcome
    reason: Reason
    reasons: Annotated[tuple[Reason, ...], Many]
    articles: Names
    rules: Annotated[tuple[FiredRule, ...], Many]
    categories: Names
    authority: Annotated[tuple[Authority, ...], Many]
    needs: Annotated[tuple[Need, ...], Many]
    constitution: str
    reads: Annotated[tuple[Read, ...], Many]
    plugin: Annotated[tuple[str, str] | None, Many, Field(exclude_if=_is_none)] = None
    shadow: Annotated[ShadowVerdict | None, Field(exclude_if=_is_none)] = None

    @property
    def flips(self) -> bool:
        """Whether a candidate would have answered otherwise."""
        return self.shadow is not None and self.shadow.outcome != self.outcome

    def claims(self, by: str, request: str | None) -> Iterable[str]:
        """Take the request id of the asker: it is answered once."""
        yield f"request:{by}:{request}"

    def tags(self) -> Iterable[str]:
        """Find it by outcome, targets, grants and domain."""
        yield "decision"
        yield f"outcome:{self.outcome}"
        yield from (f"resource:{action.target}" for action in self.actions)
        yield from (f"grant:{authority.grant}" for authority in self.authority if authority.grant)
        yield from (f"domain:{action.domain}" for action in self.actions if action.domain)
        if self.shadow is not None:
            yield f"shadowed:{self.shadow.started}"
            if self.flips:
                yield f"flipped:{self.shadow.started}"
