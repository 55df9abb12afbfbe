"""Every class of a difference, and every witness, is what z3 finds: over formulas that were written apart."""

from random import Random

import pytest
import z3

from decisions.analysis import compare
from decisions.analysis.axes import UNSAID
from grants.expression import ABSENT, Missing
from tests.assurance import WHOLE
from tests.decisions.analysis import drawn
from tests.decisions.analysis.smt import ABSENT as NO_VALUE
from tests.decisions.analysis.smt import KNOWN, UNKNOWN, World, opened, satisfiable
from tests.decisions.analysis.smt import UNSAID as NOT_CLAIMED

SMALL = range(2000 if WHOLE else 20)
LARGE = range(120 if WHOLE else 1)


def class_of(old, new):
    """Ask z3 for the class, kind by kind and verb by verb."""
    opens = closes = False
    pairs = {(kind, verb) for one in (old, new) for kind, verbs in one.constitution.kinds.items() for verb in verbs}
    for pair in sorted(pairs):
        if not old.grants and not new.grants and same_rules(old.constitution, new.constitution, pair):
            continue  # z3 would have to be told the same formula twice
        world = World(*pair)
        more, less = opened(world, old, new), opened(world, new, old)
        opens = opens or satisfiable(world, more)
        closes = closes or satisfiable(world, less)
    if opens and closes:
        return "mixed"
    return "loosening" if opens else "tightening" if closes else "equivalent"


def same_rules(old, new, pair):
    return (
        old.speaks_of(*pair)
        and new.speaks_of(*pair)
        and old.trust == new.trust
        and old.rules_for(*pair) == new.rules_for(*pair)
    )


def said(world, witness, constitutions, skip=None):
    """Give a witness's facts as formulas: those that stand for one value."""
    for fact in witness.facts:
        if fact is skip:
            continue
        if fact.name in {"asker", "at", "target"} or fact.name.startswith("c_eff"):
            return None  # a piece, whose formula would be the analysis's own
    found = []
    for fact in witness.facts:
        if fact is skip:
            continue
        (attribute, *_) = [
            one.attributes[fact.name]
            for one in constitutions
            if fact.name in one.attributes and one.attributes[fact.name].source == fact.source
        ]
        state, text, flag, number = world.fact(attribute)
        if isinstance(fact.value, Missing) or fact.value is UNSAID:
            found.append(state == {ABSENT: NO_VALUE, UNSAID: NOT_CLAIMED}.get(fact.value, UNKNOWN))
        else:
            value = {str: text, bool: flag, int: number}[type(fact.value)]
            wanted = world.code(fact.value) if isinstance(fact.value, str) else fact.value
            found += [state == KNOWN, value == wanted]
    return found


def check(old, new):
    difference = compare(old, new)
    laws = (old.constitution, new.constitution)
    if not difference.terms:
        assert difference.kind == class_of(old, new)
    for witness, before, after in ((difference.witness_opened, old, new), (difference.witness_closed, new, old)):
        if witness is None:
            continue
        world = World(witness.kind, witness.verb)
        changed = opened(world, before, after)
        facts = said(world, witness, laws)
        if facts is not None:
            assert not satisfiable(world, *facts, z3.Not(changed)), str(witness)
            for fact in witness.facts:
                fewer = said(world, witness, laws, skip=fact)
                assert satisfiable(world, *fewer, z3.Not(changed)), (str(witness), fact)
    return difference.kind


@pytest.mark.parametrize("seed", SMALL)
def test_small_rule_sets_differ_as_z3_finds(seed):
    random = Random(seed)
    check(drawn.rules(random), drawn.rules(random))


@pytest.mark.parametrize("seed", SMALL[: len(SMALL) // 2])
def test_small_changes_of_a_rule_set_are_what_z3_finds(seed):
    """Cases G01, G03: one rule more, or one less."""
    random = Random(f"change {seed}")
    rules = drawn.rules(random)
    fewer = drawn.without_one(random, rules)
    check(rules, fewer)
    check(fewer, rules)


@pytest.mark.parametrize("seed", LARGE)
def test_changes_of_the_default_are_what_z3_finds(seed):
    check(*drawn.changed_default(Random(seed)))
