"""The events that a decision leaves: the decision itself, the consumptions it spends, the consent it asks for.

Source: DESIGN sections 7, 8 and 11.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from decisions import reducers
from decisions.action import Action
from decisions.constitution.model import Effect
from decisions.descriptor import Circumstances
from decisions.errors import DecisionError
from decisions.evaluation import Evaluation, Trace, wanted_of
from decisions.events import DecidedAction, DecisionMade, Fact, FiredRule, ShadowVerdict
from decisions.operation import Operation
from decisions.verdict import Descriptor, Spoken
from grants.book.states import GenesisState
from grants.consent import ARGS, ConsentMatch, Terms, Wanted, content_path, item_for
from grants.events import ConsentConsumed, ConsentRequested, Operand
from grants.expression import Truth
from grants.principals import Asker
from grants.reading import StateReader, read_state
from ledger.canon import Json
from ledger.disclosure import Opening, new_salt
from ledger.event import Draft, Event

DETAIL = "/detail"
Salts: TypeAlias = Mapping[str, bytes]
"""A salt for each disclosable path of an operation."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it is recorded.

    Attributes:
        id: the request id.
        kept: the openings of its operation, the arguments' first.
    """

    operation: Operation
    id: str
    kept: tuple[Opening, ...]


def terms(reader: StateReader, asker: Asker, operation: Operation) -> Callable[[str], Terms]:
    """Give what a consent to this operation is bound to, for each trust domain that its actions lie in."""
    genesis = read_state(reader, "ledger", "genesis", GenesisState)
    origin = genesis.origin if genesis else ""
    return lambda domain: Terms(origin, asker.chain, domain, operation.content, operation.operands)


def openings(operation: Operation, salts: Salts) -> tuple[Opening, ...]:
    """Commit to an operation and its operands, under earlier salts where there are any."""
    values: dict[str, Json] = {ARGS: operation.content}
    values |= {content_path(index): digest for index, (_, digest) in enumerate(operation.operands)}
    return tuple(Opening(path, salts.get(path) or new_salt(), value) for path, value in values.items())


def is_same(body: DecisionMade, operation: Operation, asker: Asker, kept: Sequence[Opening]) -> bool:
    """Tell whether a recorded decision was about just this operation by just this asker.

    Where a salt was erased it can't be told, and counts as another one.
    """
    salts = {opening.path: opening.salt for opening in kept}
    if not {ARGS, *(content_path(index) for index, _ in enumerate(operation.operands))} <= salts.keys():
        return False
    again = openings(operation, salts)
    return (body.form, body.args, body.operands, body.subject, body.session) == (
        operation.form,
        again[0].commitment(),
        _operands(operation, again),
        asker.chain,
        operation.domain,
    )


def lost(body: DecisionMade, kept: Sequence[Opening]) -> str | None:
    """Name the first part of a recorded operation whose opening is not there, or None: it can't be compared then."""
    there = {opening.path for opening in kept}
    wanted = (ARGS, *(content_path(index) for index in range(len(body.operands))))
    return next((path for path in wanted if path not in there), None)


def decision(
    evaluation: Evaluation,
    trace: Trace,
    circumstances: Circumstances,
    asked: Asked,
    shadow: ShadowVerdict | None = None,
) -> Draft:
    """Draft the decision; what a shadow would have answered stands in it and changes nothing of it."""
    verdict = evaluation.verdict
    detail = _detail(evaluation)
    body = DecisionMade(
        mode="enforce",
        form=asked.operation.form,
        args=asked.kept[0].commitment(),
        operands=_operands(asked.operation, asked.kept),
        claimed=_claimed(evaluation.descriptors),
        subject=circumstances.asker.chain,
        session=circumstances.domain,
        correlated=circumstances.correlated,
        reducers=reducers.VERSION,
        plugin=reducers.read_by(asked.operation.form),
        actions=decided_actions(evaluation),
        problems=tuple(problem.code for problem in evaluation.reduction.problems),
        detail=detail.commitment() if detail else None,
        outcome=verdict.outcome,
        reason=verdict.reason,
        reasons=verdict.reasons,
        articles=verdict.articles,
        rules=tuple(fired(spoken) for spoken in verdict.spoken),
        categories=verdict.categories,
        authority=verdict.authority,
        needs=verdict.needs,
        constitution=evaluation.constitution,
        reads=trace.reads(),
        shadow=shadow,
    )
    asker = circumstances.asker
    kept = (*asked.kept, detail) if detail else asked.kept
    return Draft(body, asker.actor, asker.auth, asker.via, asked.id, trace.causes(), kept)


def consumptions(evaluation: Evaluation, decided: Event) -> Iterator[Draft]:
    """Draft what an allowed decision spends: one use of each item, however many actions of the operation it covers."""
    spent = {(authority.grant, authority.item) for authority in evaluation.verdict.authority}
    for case in evaluation.cases:
        match = case.consent
        if isinstance(match, ConsentMatch) and (match.grant, match.item) in spent:
            spent.discard((match.grant, match.item))
            body = ConsentConsumed(
                grant=match.grant,
                item=match.item,
                use=match.use,
                decision=decided.seq,
                target=case.descriptor.action.target,
            )
            yield Draft(body, decided.by, "ledger", decided.via, None, (match.seq, decided.seq))


def wanting(evaluation: Evaluation) -> tuple[Wanted, ...]:
    """Give what a human must consent to before the operation can be allowed, each thing once."""
    indexes = {need.action for need in evaluation.verdict.needs if need.what == "consent"}
    found = [wanted_of(one) for index, one in enumerate(evaluation.descriptors) if index in indexes]
    return tuple(dict.fromkeys(wanted for wanted in found if wanted is not None))


def consent_request(decided: Event, body: DecisionMade, wanted: Sequence[Wanted], asked: Asked, to: Terms) -> Draft:
    """Draft the request that a human can answer."""
    bound = to.bound(asked.kept)
    if bound is None:
        raise DecisionError("the operation's own openings do not open it")
    request = ConsentRequested(
        decision=decided.seq,
        subject=body.subject,
        domain=to.domain,
        items=tuple(item_for(bound, one) for one in wanted),
        args=body.args,
        operands=body.operands,
    )
    return Draft(request, decided.by, "ledger", decided.via, decided.request, (decided.seq,), asked.kept)


def _operands(operation: Operation, kept: Sequence[Opening]) -> tuple[Operand, ...]:
    opened = {opening.path: opening for opening in kept}
    return tuple(
        Operand(reference=reference, content=opened[content_path(index)].commitment())
        for index, (reference, _) in enumerate(operation.operands)
    )


def _detail(evaluation: Evaluation) -> Opening | None:
    told: list[Json] = [[problem.code, problem.detail, problem.part] for problem in evaluation.reduction.problems]
    told += [["POLICY_ERROR", evaluation.trouble, ""]] if evaluation.trouble else []
    return Opening.fresh(DETAIL, told) if told else None


def decided_actions(evaluation: Evaluation) -> tuple[DecidedAction, ...]:
    """Give the actions as they were judged; of those that an error left undescribed, what was read of them."""
    known = {one.action: one for one in evaluation.descriptors}
    return tuple(_decided(one, known.get(one)) for one in evaluation.reduction.actions)


def _decided(action: Action, known: Descriptor | None) -> DecidedAction:
    return DecidedAction(
        kind=action.kind,
        verb=action.verb,
        target=action.target,
        facts=dict(action.facts),
        registration=known.registration if known else None,
        version=known.version if known else None,
        counterpart=known.counterpart if known else "",
        domain=known.domain if known else "",
    )


def _claimed(descriptors: Sequence[Descriptor]) -> dict[str, Fact]:
    """Give the claims that were heard; null stands for nonsense, which counts as unknown."""
    heard = {name: value for one in descriptors for name, value in one.claimed.items()}
    return {name: value if isinstance(value, str | bool | int) else None for name, value in sorted(heard.items())}


def fired(spoken: Spoken) -> FiredRule:
    """Give a rule that spoke, as it is recorded."""
    rule = spoken.rule
    return _fired(spoken.action, rule.article, rule.id, rule.effect, known=spoken.truth is Truth.TRUE)


@lru_cache(maxsize=1024)
def _fired(action: int, article: str, rule: str, effect: Effect, *, known: bool) -> FiredRule:
    return FiredRule(action=action, article=article, rule=rule, effect=effect, truth="true" if known else "unknown")
