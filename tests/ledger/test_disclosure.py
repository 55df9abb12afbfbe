"""A commitment opens to one value at one place under one salt, and to nothing else."""

from typing import Annotated, Literal

import pytest
from pydantic import ValidationError

from ledger import disclosure
from ledger.disclosure import Disclosable, Opening
from ledger.errors import DisclosureError
from ledger.event import Frozen, Many


class Inner(Frozen):
    note: Disclosable


class Outer(Frozen):
    name: Disclosable
    open: str
    inner: Inner
    rows: Annotated[tuple[Inner, ...], Many]


def outer(name, note):
    inner = Inner(note=note.commitment())
    return Outer(name=name.commitment(), open="x", inner=inner, rows=(inner,))


NAME = Opening("/name", b"\1" * 32, "Ada")
NOTE = Opening("/inner/note", b"\2" * 32, {"deep": [1, None]})
BODY = outer(NAME, NOTE)


def test_paths_are_pointers_to_every_disclosable_field():
    assert [path for path, _ in disclosure.paths(BODY)] == ["/name", "/inner/note", "/rows/0/note"]


@pytest.mark.parametrize("opening", [NAME, NOTE])
def test_its_own_opening_fits(opening):
    disclosure.check(BODY, opening)


@pytest.mark.parametrize(
    "opening",
    [
        Opening("/name", b"\1" * 32, "Bo"),
        Opening("/name", b"\3" * 32, "Ada"),
        Opening("/name", b"\1" * 31, "Ada"),
        Opening("/name", b"", "Ada"),
        Opening("/open", b"\1" * 32, "x"),
        Opening("/nosuch", b"\1" * 32, "Ada"),
        Opening("name", b"\1" * 32, "Ada"),
        Opening("", b"\1" * 32, "Ada"),
        Opening("/rows/0/note", b"\2" * 32, {"deep": [1, None]}),
    ],
)
def test_any_other_opening_is_refused(opening):
    with pytest.raises(DisclosureError):
        disclosure.check(BODY, opening)


def test_salts_are_fresh():
    assert len({Opening.fresh("/name", "Ada").salt for _ in range(100)}) == 100


@pytest.mark.parametrize("sd", ["", "A", "A" * 42, "A" * 44, "A" * 42 + "B", "A" * 42 + "=", "\u00e9" * 43])
def test_commitment_is_exactly_one_digest(sd):
    with pytest.raises(ValidationError):
        Disclosable(sd=sd)


class Loose(Frozen):
    """Fields in which the declaration alone does not say what stands."""

    anything: object
    either: Disclosable | str | None
    words: dict[str, str]
    kind: Literal["a", "b"]


def test_a_field_of_a_loose_type_is_looked_into():
    body = Loose(anything=NAME.commitment(), either=NOTE.commitment(), words={}, kind="a")
    assert [path for path, _ in disclosure.paths(body)] == ["/anything", "/either"]


def test_every_disclosable_field_is_found_as_a_walk_over_everything_finds_it():
    def everything(value, prefix=""):
        if isinstance(value, Disclosable):
            yield prefix
        elif isinstance(value, Frozen):
            for name in type(value).model_fields:
                yield from everything(getattr(value, name), f"{prefix}/{name}")
        elif isinstance(value, tuple):
            for index, inner in enumerate(value):
                yield from everything(inner, f"{prefix}/{index}")

    for body in (BODY, BODY.inner, Loose(anything=BODY, either=None, words={}, kind="b")):
        assert [path for path, _ in disclosure.paths(body)] == list(everything(body))
