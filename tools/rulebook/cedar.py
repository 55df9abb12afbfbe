"""A constitution as Cedar policies, over a context that holds what is known of the action.

The policies answer "allow" where the decision point does, for contexts in which nothing is unknown or absent: Cedar
skips a forbid whose attribute is missing, and the decision point lets it fire. The context also holds ``consent`` and
``standing``, whether a consent that fits or a standing grant covers the action.

Source: docs/spec/constitution.md; the Cedar policy language reference.
"""

import json
from collections.abc import Iterator

from decisions.constitution.model import BUILT_IN, Constitution, Rule
from grants.expression import Expression
from grants.expression.domain import Value
from grants.expression.tree import Atom, Category, Joined, Node, Not, OneOf, Order, Present

_HEAD = "(principal, action, resource)"


def policies(constitution: Constitution) -> str:
    """Spell a constitution as Cedar policies."""
    return "\n\n".join(_policies(constitution))


def _policies(constitution: Constitution) -> Iterator[str]:
    yield f"// {constitution.name}"
    yield "// Only for contexts in which nothing is unknown or absent: see tally constitution show --help."
    yield f'@id("granted")\npermit{_HEAD} when {{ context.consent || context.standing }};'
    for rule in constitution.rules:
        yield f"@id({json.dumps(rule.id)})\n{_policy(rule, constitution)}"


def _policy(rule: Rule, constitution: Constitution) -> str:
    claims = [name for name in sorted(rule.when.reads.difference(BUILT_IN)) if _is_claim(name, constitution)]
    conditions = [
        _one_of("kind", tuple(sorted(rule.kinds)), negated=False),
        *([_one_of("verb", tuple(sorted(rule.verbs)), negated=False)] if rule.verbs is not None else []),
        *(f"context has {name}" for name in claims),
        _expression(rule.when),
    ]
    when = " &&\n  ".join(f"({condition})" for condition in conditions)
    effect = "permit" if rule.effect == "permit" else "forbid"
    unless = ""
    if rule.effect == "require_consent":
        discharged = "context.consent || context.standing" if rule.article == "I" else "context.consent"
        unless = f" unless {{ {discharged} }}"
    return f"{effect}{_HEAD} when {{\n  {when}\n}}{unless};"


def _is_claim(name: str, constitution: Constitution) -> bool:
    return constitution.attributes[name].source == "payload"


def _expression(expression: Expression) -> str:
    return _node(expression.root)


def _node(node: Node) -> str:
    match node:
        case Atom():
            return _ask(node)
        case Category(expression=expression):
            return f"({_expression(expression)})"
        case Not(inner=inner):
            return f"!({_node(inner)})"
        case Joined(connective=connective, items=items):
            sign = " && " if connective == "and" else " || "
            return sign.join(f"({_node(item)})" for item in items)
        case _:
            return str(node.value).lower()


def _ask(atom: Atom) -> str:
    match atom.test:
        case Present():
            return f"context has {atom.name}"
        case OneOf(constants=constants, negated=negated):
            return _one_of(atom.name, constants, negated=negated)
        case Order(sign=sign, bound=bound):
            return f"context.{atom.name} {sign} {bound}"
        case _:
            root = str(atom.test.root)
            below = json.dumps(root.removesuffix("/").replace("*", "\\*") + "/*", ensure_ascii=False)
            # Cedar's own escape for a star in a pattern: JSON has doubled its backslash.
            below = below.replace("\\\\*", "\\*")
            return f"context.{atom.name} == {_value(root)} || context.{atom.name} like {below}"


def _one_of(name: str, constants: "tuple[Value, ...]", *, negated: bool) -> str:
    if len(constants) == 1:
        return f"context.{name} {'!=' if negated else '=='} {_value(constants[0])}"
    values = ", ".join(map(_value, constants))
    return f"{'!' if negated else ''}[{values}].contains(context.{name})"


def _value(value: Value) -> str:
    return json.dumps(value, ensure_ascii=False)
