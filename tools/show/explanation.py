"""Which articles spoke on an operation, rule by rule, for a fresh answer and for one that is told again.

Source: DESIGN section 10.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from decisions.answer import Answer
from decisions.constitution.model import Constitution, Rule

EFFECTS = {"forbid": "forbids", "require_consent": "requires consent for", "permit": "permits"}


@dataclass(frozen=True, slots=True)
class Told:
    """One rule that spoke.

    Attributes:
        action: index of the action that it spoke on.
        rule: its id.
        article: number of its article.
        effect: permit, forbid or require_consent.
        says: what it speaks of.
        truth: true or unknown.
        atoms: the parts of its condition with the truth of each; empty where the answer is told again.
    """

    action: int
    rule: str
    article: str
    effect: str
    says: str
    truth: str
    atoms: tuple[tuple[str, str], ...]


def told(answer: Answer, constitution: Constitution | None) -> tuple[Told, ...]:
    """Give the rules that spoke; of a recorded answer, what the record and its constitution still say."""
    if answer.spoken:
        return tuple(
            Told(
                spoken.action,
                spoken.rule.id,
                spoken.rule.article,
                spoken.rule.effect,
                spoken.rule.says,
                spoken.truth.value,
                tuple((text, truth.value) for text, truth in spoken.atoms),
            )
            for spoken in answer.spoken
        )
    if answer.body is None:
        return ()
    rules: dict[str, Rule] = {rule.id: rule for rule in constitution.rules} if constitution else {}
    return tuple(
        Told(
            fired.action,
            fired.rule,
            fired.article,
            fired.effect,
            rules[fired.rule].says if fired.rule in rules else fired.rule,
            fired.truth,
            (),
        )
        for fired in answer.body.rules
    )


def article_lines(spoken: Sequence[Told], constitution: Constitution | None, *, several: bool) -> Iterator[str]:
    """Give what each article said, in the order of the constitution."""
    titles = {article.number: article.title for article in constitution.articles} if constitution else {}
    for number in titles or dict.fromkeys(one.article for one in spoken):
        own = [one for one in spoken if one.article == number]
        if own:
            yield f"  Article {number} {titles.get(number, '')}".rstrip()
        for one in own:
            where = f" (action {one.action + 1})" if several else ""
            doubt = ", as far as is known" if one.truth == "unknown" else ""
            yield f"    {EFFECTS[one.effect]} {one.says}{doubt} [{one.rule}]{where}"
            yield from (f"      {truth:<8}{text}" for text, truth in one.atoms)
