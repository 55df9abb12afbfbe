"""The decision rule and the conditions once more, as formulas for z3: written from the specification alone.

A condition is two formulas: when it is true, and when it is false; it is unknown where neither holds.
"""

import z3

from decisions.constitution.fraction import ONE
from grants.errors import ExpressionError, ReferenceSyntaxError
from grants.expression import Choice, Flag, Interval, compile_expression
from grants.expression.tree import Atom, Category, Joined, Not, OneOf, Order, Present
from grants.reference import Pattern
from ledger.instant import to_microseconds

KNOWN, UNKNOWN, ABSENT, UNSAID = range(4)
DENY, HOLD, ALLOW = range(3)

STEPS = 300_000_000
"""How much z3 may do for one answer, in its own unit: some hundred times what the hardest has needed."""


class World:
    """The facts about one action of a kind and verb: variables that all rule sets share."""

    def __init__(self, kind, verb):
        self.kind, self.verb = kind, verb
        self.target, self.asker, self.at = z3.String("target"), z3.Int("asker"), z3.Int("at")
        self._codes = {}
        self.earned = z3.Int("earned")
        self.bounds = [self.earned >= 0, self.earned <= ONE]
        self._facts = {}

    def code(self, text):
        """Give the number that stands for a text of which nothing but equality is asked: z3 is quicker with numbers."""
        return self._codes.setdefault(text, len(self._codes))

    def fact(self, attribute):
        """Give the state and the value of an attribute; both constitutions share it where the source is the same."""
        key = (attribute.name, attribute.source)
        if key not in self._facts:
            name = f"{attribute.name} by {attribute.source}"
            state = z3.Int(f"{name} state")
            states = {"store": (UNKNOWN, ABSENT), "payload": (UNKNOWN, UNSAID)}.get(attribute.source, (UNKNOWN,))
            self.bounds.append(z3.Or([state == one for one in (KNOWN, *states)]))
            self._facts[key] = (state, z3.Int(f"{name} text"), z3.Bool(f"{name} flag"), z3.Int(f"{name} number"))
        return self._facts[key]


class Formulas:
    """One rule set over a world."""

    def __init__(self, rules, world):
        self.law, self.world = rules.constitution, world
        self.grants = rules.grants
        self.known = self.law.speaks_of(world.kind, world.verb)
        self.declared = self.law.attributes_for(world.kind) if self.known else {}

    def outcomes(self):
        """Give the outcome without and with a consent."""
        if not self.known:
            return [z3.IntVal(DENY)] * 2
        found = []
        for consent in (False, True):
            plain = self._weigh(consent, with_claims=False)
            claimed = self._weigh(consent, with_claims=True)
            found.append(z3.If(plain < claimed, plain, claimed))
        return found

    def _weigh(self, consent, *, with_claims):
        standing = self._standing()
        forbids, requires, permits = [], [], []
        for rule in self.law.rules_for(self.world.kind, self.world.verb):
            payload = [
                self.declared[n] for n in rule.when.reads if n in self.declared and self.declared[n].source == "payload"
            ]
            if payload and not with_claims:
                continue
            true, false = self._tree(rule.when.root)
            heard = z3.And([self.world.fact(one)[0] != UNSAID for one in payload])
            fires = z3.And(heard, true if rule.effect == "permit" else z3.Not(false))
            if rule.effect == "forbid":
                forbids.append(fires)
            elif rule.effect == "permit":
                permits.append(fires)
            else:
                discharged = z3.BoolVal(consent)
                if rule.article == "I":
                    discharged = z3.Or(discharged, standing)
                requires.append(z3.And(fires, z3.Not(discharged)))
        authority = z3.Or(z3.BoolVal(consent), standing, *permits)
        return z3.If(z3.Or(forbids), DENY, z3.If(z3.Or(requires), HOLD, z3.If(authority, ALLOW, DENY)))

    def _standing(self):
        known = self._authenticated()
        never = z3.BoolVal(False)
        if {"environment", "reversibility"} <= self.declared.keys():
            worst = {"environment": "prod", "reversibility": "irreversible"}
            never = z3.And(
                [z3.Not(self._ask(Atom("", n, self.declared[n].type, OneOf((v,))))[1]) for n, v in worst.items()]
            )
        covered = [z3.And(known, z3.Not(never), one) for one in map(self._grant, self.grants)]
        return z3.Or(covered)

    def _grant(self, grant):
        if self.world.kind not in grant.kinds or self.world.verb not in grant.verbs:
            return z3.BoolVal(False)
        types = {name: one for name, one in self.law.types_for().items() if self._source(name) != "payload"}
        try:
            pattern = Pattern.parse(grant.targets)
            selector = compile_expression(grant.selector, types, self.law.categories)
        except (ExpressionError, ReferenceSyntaxError):
            return z3.BoolVal(False)
        root = str(pattern.reference)
        within = self._under(self.world.target, root) if pattern.subtree else self.world.target == root
        live = z3.BoolVal(True) if grant.expires is None else self.world.at < to_microseconds(grant.expires)
        return z3.And(self.world.asker == self.world.code(grant.subject), within, live, self._tree(selector.root)[0])

    def _source(self, name):
        return self.law.attributes[name].source if name in self.law.attributes else None

    def _authenticated(self):
        one = self.declared.get("authenticated")
        if one is None:
            return z3.BoolVal(True)
        state, _, flag, _ = self.world.fact(one)
        return z3.And(state == KNOWN, flag)

    def _tree(self, node):
        match node:
            case Atom():
                return self._ask(node)
            case Category(expression=expression):
                return self._tree(expression.root)
            case Not(inner=inner):
                true, false = self._tree(inner)
                return false, true
            case Joined(connective=connective, items=items):
                trues, falses = zip(*map(self._tree, items), strict=True)
                both, either = (z3.And, z3.Or) if connective == "and" else (z3.Or, z3.And)
                return both(trues), either(falses)
        return z3.BoolVal(node.value), z3.BoolVal(not node.value)

    def _ask(self, atom):
        if atom.name in {"kind", "verb"}:
            return self._compare(atom, z3.IntVal(self.world.code(getattr(self.world, atom.name))))
        if atom.name == "target":
            return self._compare(atom, self.world.target)
        if atom.name not in self.declared:
            return z3.BoolVal(False), z3.BoolVal(False)
        one = self.declared[atom.name]
        if atom.name == "trust" and one.source == "sensor":
            return self._compare(atom, self._gate())
        state, text, flag, number = self.world.fact(one)
        if isinstance(atom.test, Present):
            return state == KNOWN, state == ABSENT
        value = flag if isinstance(one.type, Flag) else number if isinstance(one.type, Interval) else text
        admitted = z3.And(state == KNOWN, self._admits(one.type, text, number))
        true, false = self._compare(atom, value)
        return z3.And(admitted, true), z3.And(admitted, false)

    def _admits(self, domain, text, number):
        if isinstance(domain, Choice):
            return z3.Or([text == self.world.code(value) for value in domain.values])
        if isinstance(domain, Interval):
            return z3.And(number >= domain.low, number <= domain.high)
        return z3.BoolVal(True)

    def _gate(self):
        found = self.law.trust_class(self.world.verb)
        if found is None:
            return z3.IntVal(self.world.code("ungated"))
        if found.threshold is None:
            return z3.IntVal(self.world.code(found.gate))
        earned = z3.If(self._authenticated(), self.world.earned, 0)
        return z3.If(earned >= found.threshold, self.world.code("met"), self.world.code("unmet"))

    def _compare(self, atom, value):
        match atom.test:
            case OneOf(constants=constants, negated=negated):
                among = z3.Or([value == self._constant(one, value) for one in constants])
                true = z3.Not(among) if negated else among
            case Order(sign=sign, bound=bound):
                true = {"<": value < bound, "<=": value <= bound, ">": value > bound, ">=": value >= bound}[sign]
            case _:
                true = self._under(value, str(atom.test.root))
        return true, z3.Not(true)

    def _constant(self, constant, value):
        if not isinstance(constant, str):
            return constant
        return z3.StringVal(constant) if z3.is_string(value) else self.world.code(constant)

    @staticmethod
    def _under(value, root):
        return z3.Or(value == root, z3.PrefixOf(z3.StringVal(root.removesuffix("/") + "/"), value))


def opened(world, old, new):
    """Give the formula of what is more permissive in the new."""
    pairs = zip(Formulas(old, world).outcomes(), Formulas(new, world).outcomes(), strict=True)
    return z3.Or([after > before for before, after in pairs])


def satisfiable(world, *formulas):
    """Ask whether some facts make them all true."""
    solver = z3.Solver()
    # A bound on its steps, not on its time: that needs no thread of z3's own, which no fork of another test would copy.
    solver.set("rlimit", STEPS)
    solver.add(*world.bounds, *formulas)
    answer = solver.check()
    assert answer != z3.unknown, solver.reason_unknown()
    return answer == z3.sat
