"""What a constitution speaks of: the kinds of action with their verbs, the attributes, and the categories.

    [kinds]
    file = ["read", "write"]

    [attributes.environment]
    about = "where the resource lives"
    source = "store"
    type = "choice"
    values = ["dev", "prod"]
    kinds = ["file"]

    [categories]
    production = 'environment == "prod"'

Source: DESIGN section 10.
"""

import keyword
import re
from collections.abc import Iterator, Mapping
from typing import Final, get_args

from decisions.constitution.model import BUILT_IN, About, Attribute, Source, types
from decisions.constitution.table import WORD, Table, named, refusal, source, table, word
from grants.authority import ISSUERS
from grants.errors import ExpressionError
from grants.expression import (
    AttributeType,
    Choice,
    Expression,
    Flag,
    Interval,
    Name,
    Possibility,
    Ref,
    can_be,
    compile_expression,
)
from grants.expression.tree import Present, atoms_within
from ledger.canon import MAX_INTEGER

MAX_NESTED = 8

_RESERVED: Final = frozenset({*keyword.kwlist, *BUILT_IN, "present", "under", "absent"})
# A value must be writable in a condition, whose strings know no quotes and no escapes.
_VALUE: Final = re.compile(r"""[^"'\\]+""")
_TYPE_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "choice": ("values",),
    "flag": (),
    "interval": ("low", "high"),
    "name": (),
    "reference": (),
}
_EVIDENCE_KEYS: Final = ("evidence", "issuers", "of")


def read_kinds(value: object) -> dict[str, tuple[str, ...]]:
    """Read the kinds of action and their verbs."""
    found = named("kinds", value, "a kind of action")
    if not found:
        raise refusal("kinds", "at least one kind of action is wanted")
    kinds = {kind: Table("kinds", found).words(kind) for kind in found}
    for kind, verbs in kinds.items():
        for verb in verbs:
            word(f"kinds.{kind}", verb, WORD, "a verb")
    return kinds


def read_attributes(value: object, kinds: Mapping[str, tuple[str, ...]]) -> dict[str, Attribute]:
    """Read the attributes."""
    found = named("attributes", value, "an attribute", _RESERVED)
    return {name: _attribute(name, inner, kinds) for name, inner in found.items()}


def _attribute(name: str, value: object, kinds: Mapping[str, tuple[str, ...]]) -> Attribute:
    place = f"attributes.{name}"
    common = ("about", "source", "type", "kinds")
    every = {key for keys in _TYPE_KEYS.values() for key in keys}
    whole = table(place, value, common, {*every, *_EVIDENCE_KEYS})
    kind_of_type = whole.one_of("type", _TYPE_KEYS, "type")
    supplier: Source = whole.one_of("source", get_args(Source), "source")
    if supplier == "evidence":
        return _evidence(name, table(place, value, (*common, *_EVIDENCE_KEYS)), kinds)
    row = table(place, value, (*common, *_TYPE_KEYS[kind_of_type]))
    return Attribute(
        name=name,
        type=_type(kind_of_type, row),
        source=supplier,
        kinds=row.some_of("kinds", kinds, "kind"),
        about=row.text("about"),
    )


def _evidence(name: str, row: Table, kinds: Mapping[str, tuple[str, ...]]) -> Attribute:
    """Read an attribute that evidence supplies: it tells whether what the evidence stands for was found to hold."""
    if row.text("type") != "flag":
        raise refusal(row.at("type"), "evidence tells whether something holds: it is a flag")
    return Attribute(
        name=name,
        type=Flag(),
        source="evidence",
        kinds=row.some_of("kinds", kinds, "kind"),
        about=row.text("about"),
        evidence=row.word("evidence", WORD, "a kind of evidence"),
        issuers=row.some_of("issuers", ISSUERS, "kind of issuer"),
        evidence_of=row.one_of("of", get_args(About), "subject of evidence"),
    )


def _type(name: str, row: Table) -> AttributeType:
    match name:
        case "choice":
            values = row.words("values")
            return Choice(tuple(word(row.at("values"), value, _VALUE, "a value") for value in values))
        case "interval":
            low = row.whole("low", 0, MAX_INTEGER)
            return Interval(low, row.whole("high", low, MAX_INTEGER))
        case "name":
            return Name()
        case "reference":
            return Ref()
    return Flag()


def read_condition(
    place: str,
    value: object,
    known: Mapping[str, AttributeType],
    attributes: Mapping[str, Attribute],
    categories: Mapping[str, Expression],
) -> Expression:
    """Compile a condition, and refuse one that reads nothing or asks presence of what is never recorded as absent."""
    try:
        condition = compile_expression(source(place, value), known, categories)
    except ExpressionError as error:
        raise refusal(place, str(error)) from error
    if not condition.reads:
        raise refusal(place, "the condition reads no attribute, so it says the same of everything")
    for atom in atoms_within(condition):
        if isinstance(atom.test, Present) and (atom.name in BUILT_IN or attributes[atom.name].source != "store"):
            raise refusal(place, f"{atom.text}: only what the store supplies can be recorded as absent")
    return condition


def read_categories(
    value: object,
    kinds: Mapping[str, tuple[str, ...]],
    attributes: Mapping[str, Attribute],
) -> dict[str, Expression]:
    """Read the categories, each of which may use others, in any order, and none itself."""
    sources = named("categories", value, "a category", _RESERVED | attributes.keys())
    found = _Categories(sources, types(kinds, attributes.values()), attributes)
    categories = {name: found[name] for name in sources}
    for name, condition in categories.items():
        _check_category(f"categories.{name}", condition, kinds, attributes)
    return categories


class _Categories(Mapping[str, Expression]):
    """Compiles a category when another condition asks for it."""

    def __init__(
        self,
        sources: Mapping[str, object],
        known: Mapping[str, AttributeType],
        attributes: Mapping[str, Attribute],
    ) -> None:
        self._sources = sources
        self._known = known
        self._attributes = attributes
        self._done: dict[str, Expression] = {}
        self._doing: list[str] = []

    def __iter__(self) -> Iterator[str]:
        return iter(self._sources)

    def __len__(self) -> int:
        return len(self._sources)

    def __contains__(self, name: object) -> bool:
        return name in self._sources

    def __getitem__(self, name: str) -> Expression:
        if name not in self._done:
            place = f"categories.{name}"
            if name in self._doing:
                raise refusal(place, f"it is defined by itself, through {' and '.join(self._doing)}")
            if len(self._doing) == MAX_NESTED:
                raise refusal(place, f"categories stand within each other more than {MAX_NESTED} deep")
            self._doing.append(name)
            value = self._sources[name]
            self._done[name] = read_condition(place, value, self._known, self._attributes, self)
            self._doing.pop()
        return self._done[name]


def _check_category(
    place: str,
    condition: Expression,
    kinds: Mapping[str, tuple[str, ...]],
    attributes: Mapping[str, Attribute],
) -> None:
    read = [attributes[name] for name in sorted(condition.reads.difference(BUILT_IN))]
    for attribute in read:
        if attribute.source == "payload":
            raise refusal(place, f"it reads {attribute.name}, which the payload claims: only a rule may")
    shared = frozenset(kinds).intersection(*(attribute.kinds for attribute in read))
    if not shared:
        names = ", ".join(attribute.name for attribute in read)
        raise refusal(place, f"toothless: there is no kind of action for which all of {names} are declared")
    if can_be(condition, types(kinds, attributes.values())) is not Possibility.POSSIBLE:
        raise refusal(place, "toothless: the condition can never be true")
