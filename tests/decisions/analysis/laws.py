"""Small constitutions, made without a document, and every cell of them judged by the decision point itself."""

from dataclasses import replace
from itertools import product
from types import MappingProxyType

from decisions import pdp, trust
from decisions.action import action
from decisions.analysis.axes import UNSAID
from decisions.analysis.level import Level
from decisions.analysis.space import ASKER, AT
from decisions.constitution import default
from decisions.constitution.fraction import ONE
from decisions.constitution.model import Article, Attribute, Constitution, Rule, TrustClass, types
from decisions.verdict import AttributeValue, Case, Descriptor
from grants.consent import ConsentMatch, ConsentMiss
from grants.errors import ExpressionError, ReferenceSyntaxError
from grants.expression import UNKNOWN, Choice, Flag, Interval, Name, Ref, Truth, compile_expression, evaluate
from grants.reference import Pattern, parse
from grants.standing import NEVER, StandingTerms
from ledger.disclosure import Disclosable

MATCH = ConsentMatch("g", 5, 0, 1, Disclosable(sd="A" * 43))
MISS = ConsentMiss("CONSENT_REQUIRED")

ATTRIBUTES = {
    "environment": (Choice(("dev", "test", "staging", "prod")), "store"),
    "reversibility": (Choice(("reversible", "irreversible")), "store"),
    "authenticated": (Flag(), "session"),
    "trust": (Choice(("ungated", "open", "met", "unmet", "closed")), "sensor"),
    "scope": (Choice(("one", "many")), "reducer"),
    "size": (Interval(0, 100), "reducer"),
    "label": (Name(), "store"),
    "place": (Ref(), "reducer"),
    "stated": (Choice(("good", "bad")), "payload"),
    "asked": (Flag(), "payload"),
}
KINDS = {"data": ("read", "delete", "speak")}
CLASSES = (TrustClass("talk", "ladder", ONE // 2, frozenset({"speak"}), None),)


def law(*rules, kinds=None, classes=CLASSES, attributes=None):
    """Make a constitution of (effect, condition) or (effect, condition, article) rows."""
    kinds = kinds or KINDS
    found = {
        name: Attribute(name, domain, source, frozenset(kinds), "")
        for name, (domain, source) in (ATTRIBUTES | (attributes or {})).items()
    }
    known = types(kinds, found.values())
    made = []
    for number, (effect, when, *more) in enumerate(rules):
        condition = compile_expression(when, known)
        claims = any(name in found and found[name].source == "payload" for name in condition.reads)
        article, verbs = (*more, None, None)[:2]
        spoken = frozenset(verbs) if verbs else None
        made.append(
            Rule(f"r{number}", article or "V", "", effect, frozenset(kinds), spoken, condition, claims, None, None)
        )
    terms = replace(default().trust, classes=tuple(classes))
    return Constitution(
        "small",
        repr((rules, kinds, sorted(found.items(), key=repr), classes)).encode(),
        MappingProxyType(dict(kinds)),
        MappingProxyType(found),
        MappingProxyType({}),
        (Article("V", "", "", tuple(made)),),
        terms,
    )


def slim(constitution, names):
    """Leave the attributes out that no condition reads: they only multiply the cells."""
    kept = {name: attribute for name, attribute in constitution.attributes.items() if name in names}
    return replace(constitution, attributes=MappingProxyType(kept))


def grant(selector, *, subject="agent:a", targets="db://prod/**", verbs=("delete",), expires=None):
    return StandingTerms(subject, ("data",), tuple(verbs), targets, selector, expires)


def cells(space, pair):
    """Give every cell of a kind and verb: a value for each axis."""
    axes = [space.axes[level] for level in space.levels_of(*pair)]
    for points in product(*(axis.points for axis in axes)):
        yield {axis.key: point.value for axis, point in zip(axes, points, strict=True)}


def judged(rules, pair, cell):
    """Give the level of a cell by asking the decision point, without and with a consent."""
    constitution = rules.constitution
    kind, verb = pair
    if not constitution.speaks_of(kind, verb):
        return Level.FORBIDDEN  # rules_for raises, and the evaluation turns that into a deny
    target = cell["target", "reducer"]
    attributes = {
        name: AttributeValue(value, "reducer")
        for name, value in zip(("kind", "verb", "target"), (*pair, target), strict=True)
    }
    claimed = {}
    for attribute in constitution.attributes_for(kind).values():
        key = (attribute.name, attribute.source)
        if key == ("trust", "sensor"):
            attributes["trust"] = AttributeValue(_gate(constitution, verb, cell), "sensor")
        elif attribute.source == "payload":
            if cell[key] is not UNSAID:
                claimed[attribute.name] = cell[key] if attribute.type.admits(cell[key]) else UNKNOWN
        else:
            attributes[attribute.name] = AttributeValue(cell[key], attribute.source)
    descriptor = Descriptor(action(kind, verb, target, {}, ""), attributes, claimed, "x", 1, "human:ada", "")
    standing = tuple(_standing(rules, descriptor, cell))
    without, with_consent = (
        pdp.judge(constitution, Case(descriptor, standing, consent), 0).outcome for consent in (MISS, MATCH)
    )
    (found,) = [level for level in Level if (level.outcome, level.with_consent) == (without, with_consent)]
    return found


def _gate(constitution, verb, cell):
    trust_class = constitution.trust_class(verb)
    earned = cell.get((f"c_eff for {verb}", "sensor"), 0)
    return trust.gate(trust_class, earned if cell.get(("authenticated", "session"), True) is True else 0)


def _standing(rules, descriptor, cell):
    """Find the standing grants as `grants.standing` does, from its description and without its code."""
    constitution, values = rules.constitution, descriptor.values()
    known = types(constitution.kinds, [a for a in constitution.attributes.values() if a.source != "payload"])
    declared = constitution.attributes_for(values["kind"])
    if "authenticated" in declared and values["authenticated"] is not True:
        return
    if NEVER.keys() <= declared.keys() and all(
        values[name] == worst or not declared[name].type.admits(values[name]) for name, worst in NEVER.items()
    ):
        return
    for number, terms in enumerate(rules.grants):
        live = terms.expires is None or (cell[AT] or "") < terms.expires
        named = terms.subject == cell[ASKER] and values["kind"] in terms.kinds and values["verb"] in terms.verbs
        if live and named and _selects(terms, values, known):
            yield str(number)


def _selects(terms, values, known):
    try:
        within = Pattern.parse(terms.targets).covers(parse(values["target"]))
        selector = compile_expression(terms.selector, known)
    except (ReferenceSyntaxError, ExpressionError):
        return False
    return within and evaluate(selector, values) is Truth.TRUE
