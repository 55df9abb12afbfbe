"""Cases that a constitution must decide as their file says.

    [given]                      # holds for every case that does not say otherwise
    authenticated = true
    owned = true

    [[cases]]
    name = "a fixture may be deleted"
    kind = "file"
    verb = "delete"
    given = { environment = "test", asset = "test_fixture", reversibility = "recoverable" }
    expect = "allow"

What neither names is unknown. A case may also have ``target``, ``absent`` (names that the store records as having
none), ``claims`` (what the payload says), ``consent``, ``standing`` and ``registered`` (true or false), ``reason``, and
``rules`` (ids that must have spoken).

Source: docs/guides/constitution.md.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, get_args

from decisions import pdp
from decisions.action import action
from decisions.constitution import Constitution
from decisions.constitution.table import Table, called, one_of, refusal, table
from decisions.constitution.table import mapping as mapping_of
from decisions.events import Outcome, Reason
from decisions.verdict import AttributeValue, Case, Descriptor, Verdict
from grants.consent import ConsentMatch, ConsentMiss
from grants.errors import ReferenceSyntaxError
from grants.expression import ABSENT, UNKNOWN, AttributeType
from grants.identifier import code_points
from grants.reference import parse
from ledger.disclosure import Disclosable

_CONSENT: Final = ConsentMatch("case", 0, 0, 1, Disclosable(sd="A" * 43))
_NONE: Final = ConsentMiss("CONSENT_REQUIRED")
_REQUIRED: Final = ("name", "kind", "verb", "expect")
_OPTIONAL: Final = ("target", "given", "absent", "claims", "consent", "standing", "registered", "reason", "rules")
_SOMEWHERE: Final = "tool:somewhere"


@dataclass(frozen=True, slots=True)
class Tried:
    """A case and how it went.

    Attributes:
        expected: the outcome that it wants.
        verdict: what the decision point says.
        amiss: how the two differ, or an empty text.
    """

    name: str
    expected: Outcome
    verdict: Verdict
    amiss: str


def try_cases(constitution: Constitution, text: str) -> Iterator[Tried]:
    """Decide every case of a file.

    Raises:
        ConstitutionError: the file can't be read, or speaks of what the constitution does not declare.
    """
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise refusal("the cases", f"not TOML: {error}") from error
    whole = table("the cases", document, ("cases",), ("given",))
    common = mapping_of("given", whole.values.get("given", {}))
    for name in common:
        one_of("given", name, constitution.attributes, "attribute")
    for place, row in enumerate(whole.rows("cases"), start=1):
        yield _tried(constitution, table(f"case {place}", row, _REQUIRED, _OPTIONAL), common)


def _tried(constitution: Constitution, row: Table, common: Mapping[str, object]) -> Tried:
    name = row.text("name")
    row = Table(f'case "{code_points(name)}"', row.values)
    expected: Outcome = row.one_of("expect", get_args(Outcome), "outcome")
    verdict = pdp.judge(constitution, _case(constitution, row, common), 0)
    return Tried(name, expected, verdict, _amiss(constitution, row, expected, verdict))


def _amiss(constitution: Constitution, row: Table, expected: Outcome, verdict: Verdict) -> str:
    found = []
    if verdict.outcome != expected:
        found.append(f"{expected} was expected, and it is {verdict.outcome} ({', '.join(verdict.reasons)})")
    if "reason" in row:
        reason: Reason = row.one_of("reason", get_args(Reason), "reason")
        if reason != verdict.reason:
            found.append(f"{reason} was expected, and it is {verdict.reason}")
    if "rules" in row:
        known = [rule.id for rule in constitution.rules]
        wanted = [one_of(row.at("rules"), name, known, "rule") for name in row.words("rules")]
        spoken = {one.rule.id for one in verdict.spoken}
        found += [f"{name} does not speak" for name in wanted if name not in spoken]
    return "; ".join(found)


def _case(constitution: Constitution, row: Table, common: Mapping[str, object]) -> Case:
    kind = row.one_of("kind", constitution.kinds, "kind")
    verb = row.one_of("verb", constitution.kinds[kind], "verb")
    target = _target(row)
    declared = constitution.attributes_for(kind)
    given = {name: value for name, value in common.items() if name in declared} | _values(
        row, "given", constitution, kind
    )
    for name in row.words("absent") if "absent" in row else ():
        storable = [one.name for one in declared.values() if one.source == "store"]
        given[one_of(row.at("absent"), name, storable, "attribute of the store")] = ABSENT
    known = {"kind": kind, "verb": verb, "target": target}
    attributes = {name: AttributeValue(value, "reducer") for name, value in known.items()}
    claims = _values(row, "claims", constitution, kind)
    for attribute in declared.values():
        value = given.get(attribute.name, UNKNOWN)
        if attribute.source == "payload":
            claims |= {attribute.name: value} if value is not UNKNOWN else {}
        else:
            attributes[attribute.name] = AttributeValue(value, attribute.source)
    registration = "case" if _flag(row, "registered", default=True) else None
    descriptor = Descriptor(action(kind, verb, target, {}, ""), attributes, claims, registration, 1, "", "")
    standing = ("case",) if _flag(row, "standing") and registration else ()
    consent = _CONSENT if _flag(row, "consent") and registration else _NONE
    return Case(descriptor, standing, consent)


def _values(row: Table, key: str, constitution: Constitution, kind: str) -> dict[str, object]:
    declared = constitution.attributes_for(kind)
    values = mapping_of(row.at(key), row.values.get(key, {}))
    for name, value in values.items():
        one_of(row.at(key), name, declared, f"attribute of {kind}")
        _check(row.at(f"{key}.{name}"), name, declared[name].type, value)
    return dict(values)


def _check(place: str, name: str, domain: AttributeType, value: object) -> None:
    if not domain.admits(value):
        shown = value if isinstance(value, str) else repr(value) if isinstance(value, int) else called(value)
        raise refusal(place, f'"{code_points(shown)}" is no value of {name}')


def _target(row: Table) -> str:
    if "target" not in row:
        return _SOMEWHERE
    try:
        return str(parse(row.text("target")))
    except ReferenceSyntaxError as error:
        raise refusal(row.at("target"), str(error)) from error


def _flag(row: Table, key: str, *, default: bool = False) -> bool:
    value = row.values.get(key, default)
    if not isinstance(value, bool):
        raise refusal(row.at(key), f"true or false is wanted, not {called(value)}")
    return value
