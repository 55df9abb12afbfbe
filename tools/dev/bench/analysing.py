"""Analysing: what a change of 200 rules and 200 standing grants opens and closes, and which rules have no teeth."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from time import process_time

from decisions.analysis import Rules, StandingTerms, compare, findings
from decisions.constitution import Constitution, Rule, default
from decisions.constitution.model import Effect
from grants.expression import Choice, Flag, compile_expression
from tools.dev.bench.sheet import SQLITE, Sheet

RULES = GRANTS = 200
ONE_RULE = "difference: 200 rules and 200 standing grants, one rule changed"
GRANTS_CHANGED = "difference: 200 rules and 200 standing grants, every grant changed"
TWENTY = "difference: 200 rules and 200 standing grants, 20 rules changed"
LINT = "lint: 200 rules and 200 standing grants"
TURNS = 3

_KINDS = ("file", "data", "exec", "network", "message", "infrastructure")
_EFFECTS: tuple[Effect, ...] = ("forbid", "require_consent", "permit")


def measure(sheet: Sheet) -> None:
    """Measure in processor time: the analysis waits for nothing."""
    base, random = default(), Random(1)
    more = [_rule(base, random, number) for number in range(RULES - len(base.rules))]
    grants = tuple(_grant(base, random, number) for number in range(GRANTS))
    old = Rules(_with(base, more), grants)
    changed = [_rule(base, random, RULES + number) for number in range(20)]
    works: dict[str, Callable[[], object]] = {
        ONE_RULE: lambda: compare(old, Rules(_with(base, [*more[1:], changed[0]]), grants)),
        GRANTS_CHANGED: lambda: compare(
            old, Rules(old.constitution, tuple(replace(g, verbs=("write",)) for g in grants))
        ),
        TWENTY: lambda: compare(old, Rules(_with(base, [*more[20:], *changed]), grants)),
        LINT: lambda: findings(old),
    }
    for _ in range(TURNS):
        for what, work in works.items():
            begun = process_time()
            work()
            sheet.add(what, "ms", SQLITE, 1000 * (process_time() - begun))


def _with(base: Constitution, more: list[Rule]) -> Constitution:
    articles = tuple(
        replace(article, rules=(*article.rules, *more)) if article.number == "IX" else article
        for article in base.articles
    )
    return replace(base, articles=articles)


def _rule(base: Constitution, random: Random, number: int) -> Rule:
    """Make a rule of two to four comparisons over what is declared for some kind."""
    kind = random.choice(_KINDS)
    declared = [one.name for one in base.attributes_for(kind).values() if one.source not in {"payload", "sensor"}]
    named = random.sample(declared, random.randint(2, 4))
    condition = " and ".join(_asked(base, random, name) for name in named)
    verbs = base.kinds[kind]
    return replace(
        base.rules[0],
        id=f"bench.{number}",
        article="IX",
        effect=random.choice(_EFFECTS),
        kinds=frozenset({kind}),
        verbs=frozenset(random.sample(verbs, max(1, len(verbs) // 2))),
        when=compile_expression(condition, base.types_for(kind)),
    )


def _asked(base: Constitution, random: Random, name: str) -> str:
    domain = base.attributes[name].type
    if isinstance(domain, Flag):
        return random.choice(["", "not "]) + name
    values = domain.values if isinstance(domain, Choice) else ()
    some = ", ".join(f'"{value}"' for value in random.sample(values, random.randint(1, max(1, len(values) // 2))))
    return f"{name} in [{some}]"


def _grant(base: Constitution, random: Random, number: int) -> StandingTerms:
    asset = _asked(base, random, "asset")
    selector = f'environment in ["dev", "test"] and {asset}'
    return StandingTerms(
        f"agent:a{number % 50}", ("file",), ("write", "delete"), f"file:///srv/app{number}/**", selector
    )
