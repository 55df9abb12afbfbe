"""What is known of resources, as people look at it: each attribute with its values, their origin, and since when.

Source: DESIGN section 10; docs/adr/0016.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grants.book.resources import NAME
from grants.book.states import ResourceState
from grants.events import Attributes, Label
from grants.expression import Missing
from grants.labels import Labels, Value, labels_of
from grants.reading import read_state
from grants.reference import around
from ledger.canon import Json
from ledger.log import Snapshot


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a resource or a subtree.

    Attributes:
        labels: what a decision reads.
        entry: the row of the entry that applies, or None where nobody has registered it.
        looked: the keys that were looked at, nearest first.
        passed: those among them that were cleared: they are as if they were not there.
    """

    labels: Labels
    entry: ResourceState | None
    looked: tuple[str, ...]
    passed: tuple[str, ...]


def known(snapshot: Snapshot, name: str, *, inherit: bool) -> Known:
    """Look at a resource as a decision does.

    Raises:
        ReferenceSyntaxError: another spelling of a reference.
    """
    looked = around(name)
    rows = {key: row for key in looked if (row := read_state(snapshot, NAME, key, ResourceState)) is not None}
    passed = tuple(key for key, row in rows.items() if row.cleared is not None)
    applies = next((key for key in rows if key not in passed), None)
    return Known(labels_of(snapshot, name, inherit=inherit), rows.get(applies or ""), looked, passed)


def label_data(labels: Labels) -> dict[str, Json]:
    """Give each attribute with its values, the event that gave it the latest, and the entries that it comes from."""
    return {
        name: {"values": [_data(value) for value in one.values], "stamp": one.stamp, "of": [*one.origins]}
        for name, one in labels.labels.items()
    }


def label_rows(labels: Labels) -> list[tuple[str, str, str, str]]:
    """Give the same as the cells of a table."""
    return [
        (name, " and ".join(map(spell_value, one.values)), f"event {one.stamp}", ", ".join(one.origins))
        for name, one in labels.labels.items()
    ]


def spelled(attributes: Attributes | Mapping[str, Label]) -> str:
    """Spell attributes on one line, as they would be written on the command line."""
    return " ".join(f"{name}={spell_label(label)}" for name, label in attributes.items())


def spell_label(label: Label) -> str:
    """Spell what a registrar says of one attribute."""
    if label is None:
        return "(absent)"
    values: Sequence[str | bool | int] = label if isinstance(label, tuple) else (label,)
    return "|".join(map(spell_value, values))


def spell_value(value: Value) -> str:
    """Spell one value."""
    if isinstance(value, Missing):
        return f"({value.name.lower()})"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _data(value: Value) -> Json:
    return {"missing": value.name.lower()} if isinstance(value, Missing) else value
