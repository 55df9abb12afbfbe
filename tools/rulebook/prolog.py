"""A constitution as Prolog clauses, for readers of rules in that form.

The clauses are for reading. Prolog takes what it can't prove as false; the decision point takes it as unknown, and
then forbids.

>>> from decisions.constitution import default
>>> next(line for line in clauses(default()).splitlines() if line.startswith("category(secret"))
'category(secret, A) :- attr(A, asset, secret).'

Source: docs/spec/constitution.md.
"""

import re
from collections.abc import Iterator
from itertools import count
from typing import Final

from decisions.constitution.model import Constitution, Rule
from grants.expression import Expression
from grants.expression.domain import Value
from grants.expression.tree import Atom, Category, Joined, Node, Not, OneOf, Order, Present

_HEADS: Final = {"forbid": "forbids", "require_consent": "requires_consent", "permit": "permits"}
_SIGNS: Final = {"<": "<", "<=": "=<", ">": ">", ">=": ">="}
_BARE: Final = re.compile(r"[a-z][A-Za-z0-9_]*", re.ASCII)

_DECISION: Final = """\
% The decision, in this order. What is unknown counts for forbids and requires_consent as if it were so.
decide(A, deny)  :- forbids(_, A), !.
decide(A, hold)  :- requires_consent(R, A), \\+ discharged(R, A), !.
decide(A, allow) :- permits(_, A), !.
decide(A, allow) :- standing_grant(A), !.
decide(A, allow) :- consent(A), !.
decide(_, deny).
discharged(_, A) :- consent(A).
discharged(R, A) :- article(R, 'I'), standing_grant(A)."""


def clauses(constitution: Constitution) -> str:
    """Spell a constitution as clauses about an action ``A`` and its attributes ``attr(A, Name, Value)``."""
    return "\n".join(_lines(constitution))


def _lines(constitution: Constitution) -> Iterator[str]:
    yield f"% {constitution.name}"
    yield "% For reading: Prolog takes what it can't prove as false, the decision point takes it as unknown."
    yield ""
    for name, condition in constitution.categories.items():
        yield f"category({name}, A) :- {_Writer().condition(condition)}."
    for article in constitution.articles:
        yield ""
        yield f"% Article {article.number}, {article.title}: {article.says}"
        for rule in article.rules:
            yield f"article({_atom(rule.id)}, {_atom(rule.article)})."
            yield _clause(rule)
    yield ""
    yield _DECISION


def _clause(rule: Rule) -> str:
    goals = [f"kind(A, K), memberchk(K, {_list(sorted(rule.kinds))})"]
    if rule.verbs is not None:
        goals.append(f"verb(A, B), memberchk(B, {_list(sorted(rule.verbs))})")
    body = ",\n    ".join([*goals, _Writer().condition(rule.when)])
    return f"{_HEADS[rule.effect]}({_atom(rule.id)}, A) :-  % {rule.says}\n    {body}."


class _Writer:
    """Writes one condition, with a variable of its own for each value that is compared."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def condition(self, expression: Expression) -> str:
        return self._node(expression.root)

    def _node(self, node: Node) -> str:
        match node:
            case Atom():
                return self._ask(node)
            case Category(name=name):
                return f"category({name}, A)"
            case Not(inner=inner):
                return f"\\+ ({self._node(inner)})"
            case Joined(connective="and", items=items):
                return ", ".join(map(self._node, items))
            case Joined(items=items):
                return f"({' ; '.join(map(self._node, items))})"
            case _:
                return "true" if node.value else "fail"

    def _ask(self, atom: Atom) -> str:
        match atom.test:
            case Present():
                return f"attr(A, {atom.name}, _)"
            case OneOf(constants=(constant,), negated=False):
                return f"attr(A, {atom.name}, {_value(constant)})"
        value = f"V{next(self._numbers)}"
        read = f"attr(A, {atom.name}, {value})"
        match atom.test:
            case OneOf(constants=(constant,)):
                return f"{read}, {value} \\== {_value(constant)}"
            case OneOf(constants=constants, negated=negated):
                turned = "\\+ " if negated else ""
                return f"{read}, {turned}memberchk({value}, {_list(constants)})"
            case Order(sign=sign, bound=bound):
                return f"{read}, {value} {_SIGNS[sign]} {bound}"
            case _:
                return f"{read}, under({value}, {_atom(str(atom.test.root))})"


def _list(values: "list[str] | tuple[Value, ...]") -> str:
    return f"[{', '.join(_value(value) for value in values)}]"


def _value(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int) else _atom(value)


def _atom(text: str) -> str:
    return text if _BARE.fullmatch(text) else "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
