"""The whole account of a decision as a tree: what was asked, what each rule made of it, and what would change it.

Source: DESIGN section 10; docs/guides/explain.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from decisions.constitution.model import Article
from decisions.explanation.change import Change
from decisions.explanation.explained import ActionRead, AtomRead, RuleRead
from decisions.explanation.nearest import Nearest
from decisions.explanation.obstacle import spelt
from decisions.shadow import NOT_ENFORCED
from grants.consent import ConsentMatch
from grants.identifier import code_points
from tools.cli.output import counted
from tools.explaining import Account
from tools.show.branch import Branch, Mark
from tools.show.change import change_text

_MARKS: Final[Mapping[str, Mark]] = {
    "true": "true",
    "false": "false",
    "unknown": "unknown",
    "allow": "allow",
    "hold": "hold",
    "deny": "deny",
}
_SETS: Final = 5
_ANNOTATED: Final = {
    "permit": ("permits", "would permit"),
    "forbid": ("forbids", "would forbid"),
    "require_consent": ("requires consent for", "would require consent for"),
}

Sources = Mapping[int, tuple[str, str, str]]


def account_tree(account: Account) -> Branch:
    """Draw up the tree."""
    event, body = account.event, account.body
    via = f" through {event.via}" if event.via else ""
    head = (
        f"{body.outcome.upper()}  {', '.join(body.reasons)}  (decision {event.seq}, {event.at}, "
        f"asked by {'/'.join(body.subject)}{via})"
    )
    return Branch(head, tuple(_below(account)), _MARKS[body.outcome])


def _below(account: Account) -> Iterator[Branch]:
    sources: Sources = {seq: (kind, by, at) for seq, kind, by, at in account.sources}
    found = account.found
    if found.constitution:
        yield Branch(f"Judged by the constitution {found.constitution!r}, digest {found.digest}")
    if found.trouble:
        yield Branch(f"An error denied it: {found.trouble}", mark="deny")
    if account.lacking:
        yield Branch("What can't be told any more", tuple(map(Branch, account.lacking)), "unknown")
    if account.differs:
        yield Branch(
            f"Without that it would come out otherwise: {found.outcome} {', '.join(found.reasons)}; what follows is "
            f"as it is known now, and what stands above is the record",
            mark="unknown",
        )
    for place, action in enumerate(found.actions, start=1):
        number = f"Action {place}: " if len(found.actions) > 1 else ""
        yield _action(number, action, sources)
    if account.problems:
        told = [Branch(": ".join(filter(None, (code, detail, part)))) for code, detail, part in account.problems]
        yield Branch("What could not be read, and is denied for it", tuple(told), "deny")
    yield from _followed(account)
    if account.body.shadow is not None:
        shadow = account.body.shadow
        rules = tuple(Branch(f"{one.truth}: {one.effect} [{one.rule}]") for one in shadow.rules)
        would = f"the candidate of event {shadow.started} would have said {shadow.outcome}, {', '.join(shadow.reasons)}"
        yield Branch(f"Shadow, {NOT_ENFORCED}: {would}", rules, "unknown")
    if found.nearest is not None and account.body.outcome != "allow":
        yield _nearest(found.nearest)


def _action(number: str, action: ActionRead, sources: Sources) -> Branch:
    descriptor = action.descriptor
    one = descriptor.action
    known = f"as {code_points(descriptor.registration)}" if descriptor.registration else "not registered"
    version = f", version {descriptor.version}" if descriptor.version is not None else ""
    head = f"{number}{one.kind} {one.verb} {code_points(one.target)} ({known}{version}): {action.outcome}"
    articles = [_article(article, rules, sources) for article, rules in action.rules]
    return Branch(head, (*articles, *_authority(action, sources)), _MARKS[action.outcome])


def _article(article: Article, rules: Sequence[RuleRead], sources: Sources) -> Branch:
    return Branch(f"Article {article.number}, {article.title}", tuple(_rule(rule, sources) for rule in rules), "head")


def _rule(read: RuleRead, sources: Sources) -> Branch:
    rule = read.rule
    effect = _ANNOTATED[rule.effect][0 if read.speaks else 1]
    doubt = " as far as is known" if read.speaks and read.truth.value == "unknown" else ""
    heard = ", by what the payload claims" if read.heard and read.speaks else ""
    silent = "" if read.speaks else ", and is silent"
    head = f"{read.truth.value}: {effect} {rule.says}{doubt}{heard} [{rule.id}]{silent}"
    return Branch(head, tuple(_atom(atom, sources) for atom in read.atoms), _MARKS[read.truth.value])


def _atom(atom: AtomRead, sources: Sources) -> Branch:
    text = f"{atom.truth.value}: {atom.text}"
    if atom.name is None:
        return Branch(text, mark=_MARKS[atom.truth.value])
    several = f", of {' and '.join(map(spelt, atom.among))}" if atom.among else ""
    origin = f", said of {' and '.join(map(code_points, atom.origins))}" if atom.origins else ""
    source = f" ({atom.source}{origin}{_stamp(atom.stamp, sources)})" if atom.source else " (from nobody)"
    return Branch(
        f"{text}   {atom.name} is {code_points(spelt(atom.value))}{several}{source}", (), _MARKS[atom.truth.value]
    )


def _stamp(seq: int | None, sources: Sources) -> str:
    if seq is None:
        return ""
    if seq not in sources:
        return f", event {seq}"
    kind, by, at = sources[seq]
    return f", event {seq}: {kind} by {by}, {at}"


def _authority(action: ActionRead, sources: Sources) -> Iterator[Branch]:
    told = [Branch(f"standing grant {grant} covers it", mark="true") for grant in action.standing]
    consent = action.consent
    if isinstance(consent, ConsentMatch):
        told.append(Branch(f"consent {consent.grant}, use {consent.use}{_stamp(consent.seq, sources)}", mark="true"))
    elif consent.reason != "CONSENT_REQUIRED" or not action.standing:
        nearest = f": the nearest is {consent.grant}{_stamp(consent.seq, sources)}" if consent.grant else ""
        told.append(Branch(f"no consent covers it ({consent.reason}){nearest}", mark="false"))
    rests = [one for one in action.authority if one.rule or one.grant]
    told += [Branch(f"it rests on the {_BASES[one.by]} {one.rule or one.grant}", mark="allow") for one in rests]
    yield Branch("Human authority, and what it rests on", tuple(told), "head")


_BASES: Final = {"permit": "rule", "standing": "standing grant", "consent": "consent"}


def _followed(account: Account) -> Iterator[Branch]:
    told = [Branch(f"event {seq}: a use of the consent was spent") for seq in account.consumed]
    if account.request is not None:
        told.append(Branch(f"event {account.request}: a human was asked for consent"))
    if account.outcome is not None:
        told.append(Branch(f"event {account.outcome}: it was reported what became of it"))
    if told:
        yield Branch("What came of it", tuple(told), "head")


def _nearest(found: Nearest) -> Branch:
    if not found.sets:
        why = "nothing that is known here would allow it" if found.exact else "no such changes were found within bounds"
        return Branch(f"What would have allowed it: {why}", mark="head")
    sets = [_set(number, changes) for number, changes in enumerate(found.sets[:_SETS], start=1)]
    if len(found.sets) > _SETS:
        sets.append(Branch(f"and {len(found.sets) - _SETS} more of the same size; --json gives them"))
    size = counted(len(found.sets[0]), "change")
    exact = f"the least is {size}" if found.exact else f"nothing of these {size} can be left out"
    return Branch(f"What would have allowed it ({exact})", tuple(sets), "head")


def _set(number: int, changes: Sequence[Change]) -> Branch:
    told = []
    for who, title in (("human", "needs a human"), ("facts", "needs facts")):
        own = tuple(Branch(change_text(change)) for change in changes if change.who == who)
        if own:
            told.append(Branch(title, own))
    return Branch(f"Either, {number}" if number == 1 else f"Or, {number}", tuple(told))
