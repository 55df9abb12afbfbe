"""The examples that every rule carries: what they may hold, and whether the rule keeps its word on them.

``stops`` is an action that the rule acts against: a forbid or a require_consent holds there, a permit does not.
``passes`` is one that it lets pass. What an example does not name is unknown, and a truth value that hangs on it
is neither: an example says enough to settle its rule.

Source: DESIGN section 10.
"""

from collections.abc import Mapping
from types import MappingProxyType

from decisions.constitution.model import Attribute, Constitution, Example, Rule, types
from decisions.constitution.table import Table, refusal, table
from grants.expression import ABSENT, Missing, Truth, evaluate, explain
from grants.expression.domain import AttributeType, Choice, Value
from grants.identifier import code_points
from grants.spelling import suggestion


def read_example(
    place: str,
    value: object,
    spoken: Mapping[str, tuple[str, ...]],
    attributes: Mapping[str, Attribute],
) -> Example:
    """Read one example.

    Args:
        place: where it stands.
        value: the table.
        spoken: the kinds that the rule speaks on, with the verbs of each.
        attributes: every declared attribute.
    """
    row = table(place, value, ("kind", "verb"), ("target", "absent", *attributes))
    kind = row.one_of("kind", spoken, "kind for this rule")
    declared = {name: attribute for name, attribute in attributes.items() if kind in attribute.kinds}
    for name in row.values:
        if name in attributes and name not in declared:
            raise refusal(place, f"{name} is not declared for {kind}")
    known = types({kind: spoken[kind]}, declared.values())
    verb = row.one_of("verb", spoken[kind], "verb for this rule")
    given: dict[str, Value | Missing] = {
        name: _value(row, name, known[name]) for name in row.values if name != "absent"
    }
    return Example(kind, verb, MappingProxyType(given | _absent(row, declared, given)))


def _value(row: Table, name: str, domain: AttributeType) -> Value:
    value = row.values[name]
    if domain.admits(value) and isinstance(value, str | bool | int):
        return value
    shown = code_points(value if isinstance(value, str) else repr(value))
    hint = suggestion(value, domain.values) if isinstance(domain, Choice) and isinstance(value, str) else ""
    raise refusal(row.at(name), f'"{shown}" is no value of {name}{hint}')


def _absent(row: Table, declared: Mapping[str, Attribute], given: Mapping[str, object]) -> dict[str, Value | Missing]:
    if "absent" not in row:
        return {}
    storable = [name for name, attribute in declared.items() if attribute.source == "store"]
    names = row.some_of("absent", storable, "attribute of the store")
    for name in sorted(names & given.keys()):
        raise refusal(row.at("absent"), f"{name} has a value here and can't be absent as well")
    return dict.fromkeys(sorted(names), ABSENT)


def check_examples(constitution: Constitution) -> None:
    """Evaluate every rule on its two examples.

    Raises:
        ConstitutionError: a rule that does not do on an example what it is there to show.
    """
    for rule in constitution.rules:
        acting = rule.effect != "permit"
        _check(rule, "stops", rule.stops, Truth.TRUE if acting else Truth.FALSE)
        _check(rule, "passes", rule.passes, Truth.FALSE if acting else Truth.TRUE)


def _check(rule: Rule, name: str, example: Example, wanted: Truth) -> None:
    truth = evaluate(rule.when, example.values)
    if truth is not wanted:
        atoms = "; ".join(f"{code_points(atom)} is {value.value}" for atom, value in explain(rule.when, example.values))
        raise refusal(
            f"rule {rule.id}.{name}",
            f"the condition is {truth.value} on this example, and must be {wanted.value}: {atoms}",
        )
