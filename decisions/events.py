"""The events of deciding: constitutions, decisions, trust.

Source: DESIGN sections 7, 10 and 12; docs/events/.
"""

from collections.abc import Iterable
from typing import Annotated, ClassVar, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from decisions.action import ProblemCode
from decisions.amendment import events as amendments
from decisions.amendment.events import ConstitutionAmended
from decisions.shadow import events as shadows
from grants.consent import Reason as ConsentReason
from grants.events import Names, Operand
from ledger import canon, digest
from ledger.disclosure import Disclosable
from ledger.event import Body, Frozen, Many, SignedBody
from ledger.instant import InstantField

Count: TypeAlias = Annotated[int, Field(ge=0)]
Units: TypeAlias = Annotated[int, Field(ge=0, le=10**15)]
"""A fraction in units of 10^-15."""

Outcome: TypeAlias = Literal["allow", "deny", "hold"]
Effect: TypeAlias = Literal["done", "failed", "unknown"]
"""What became of an effect, by the word of the enforcement point; unknown where it can't tell."""
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


class ConstitutionAdopted(SignedBody):
    """A human adopts a constitution; the whole document stands in the event, under its digest.

    Attributes:
        digest: ``document`` digest of the document's UTF-8 bytes, base64url.
        document: the TOML text, at most 1 MiB.
    """

    type: ClassVar[str] = "constitution.adopted"
    attachments: ClassVar[frozenset[str]] = frozenset({"document"})

    name: str
    digest: str
    document: Annotated[str, Field(max_length=2**20)]

    @model_validator(mode="after")
    def _digest_fits(self) -> Self:
        if canon.to_base64url(digest.document(self.document.encode())) != self.digest:
            raise ValueError("the document is not the one that was signed for")
        return self

    def tags(self) -> Iterable[str]:
        """Find all constitutions, and this one."""
        yield "constitution"
        yield f"constitution:{self.digest}"


Adoption: TypeAlias = ConstitutionAdopted | ConstitutionAmended
"""What puts a constitution in force: a human's signature where none is, and an amendment afterwards."""


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


class OutcomeReported(Body):
    """The enforcement point that asked says what became of the effect; a decision has one outcome at most.

    It closes what the decision has spent, and gives nothing back: a failed effect has used up its consent too.

    Attributes:
        decision: the decision.
        outcome: done, failed, or unknown. Done of a decision that did not allow says that it was done in spite of it.
        note: commitment to what the enforcement point says beside it, or null.
    """

    type: ClassVar[str] = "outcome.reported"

    decision: Count
    outcome: Effect
    note: Disclosable | None

    def claims(self, by: str, request: str | None) -> Iterable[str]:  # noqa: ARG002  (the protocol's form)
        """Take the outcome of the decision: there is no second one."""
        yield outcome_claim(self.decision)

    def tags(self) -> Iterable[str]:
        """Find all outcomes, those of a kind, and that of a decision."""
        yield "outcome"
        yield f"outcome:{self.outcome}"
        yield f"decision:{self.decision}"


def outcome_claim(decision: int) -> str:
    """Give the unique key of a decision's outcome."""
    return f"outcome:{decision}"


class _TrustKey(Frozen):
    system: str
    counterpart: str
    domain: str


class TrustObserved(SignedBody, _TrustKey):
    """A sensor reports an interaction and its reading of c_inst.

    Attributes:
        system: principal id of the agent or service that is trusted or not.
        counterpart: the person, or for tools the operator, by opaque id.
        interaction: the interaction's id; it counts once.
        qualifying: whether the sensor finds that the interaction earns trust.
        c_inst: commitment to the reading, in units of 10^-15, or to null where there is none.
        taken: when the reading was taken.
    """

    type: ClassVar[str] = "trust.observed"

    interaction: str
    qualifying: bool
    c_inst: Disclosable
    taken: InstantField

    def claims(self, by: str, request: str | None) -> Iterable[str]:
        """Take the interaction."""
        yield from super().claims(by, request)
        yield interaction_claim(self.system, self.counterpart, self.interaction)

    def tags(self) -> Iterable[str]:
        """Find it by system, counterpart and domain."""
        yield f"subject:{self.system}"
        yield f"counterpart:{self.counterpart}"
        yield f"domain:{self.domain}"


def interaction_claim(system: str, counterpart: str, interaction: str) -> str:
    """Give the unique key of an interaction; no part but the last may hold the separator."""
    return f"interaction:{system}|{counterpart}|{interaction}"


class TrustUpdated(Body, _TrustKey):
    """What an observation did to the accumulated trust; the fold recomputes it and must agree.

    Attributes:
        observed: the `trust.observed` that caused it.
        counted: whether the interaction moved the accumulator.
        n: qualifying interactions before and after.
        accumulator: before and after.
        c_ctx: before and after.
        gain: the accumulator's step, of what is missing to one.
        cap: the most that c_ctx can be.
        floor_step: the earned floor's step for each interaction.
    """

    type: ClassVar[str] = "trust.updated"

    observed: Count
    counted: bool
    n: Annotated[tuple[Count, Count], Many]
    accumulator: Annotated[tuple[Units, Units], Many]
    c_ctx: Annotated[tuple[Units, Units], Many]
    gain: Units
    cap: Units
    floor_step: Units
    taken: InstantField

    def tags(self) -> Iterable[str]:
        """Find it by system, counterpart, domain, and the exact trust that it moves."""
        yield f"subject:{self.system}"
        yield f"counterpart:{self.counterpart}"
        yield f"domain:{self.domain}"
        yield f"trust:{self.system}|{self.counterpart}|{self.domain}"


TYPES: tuple[type[Body], ...] = (
    ConstitutionAdopted,
    *amendments.TYPES,
    *shadows.TYPES,
    DecisionMade,
    OutcomeReported,
    TrustObserved,
    TrustUpdated,
)
