"""Every row of docs/spec/references.md is true."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from grants.errors import ReferenceSyntaxError
from grants.reference import MAX_DEPTH, MAX_LENGTH, SCHEMES, Pattern, file, parse, url

PAGE = (Path(__file__).parents[2] / "docs" / "spec" / "references.md").read_text("utf-8")


def rows(header: str) -> Iterator[list[str]]:
    """Give the cells of a table, code marks removed."""
    table = PAGE.split(f"{header}\n", 1)[1].split("\n\n", 1)[0]
    for line in table.splitlines()[1:]:
        yield [cell.strip(" ").strip("`") for cell in line.strip("| ").split(" | ")]


def test_every_scheme_has_its_row() -> None:
    named = {scheme for row in rows("| scheme | form | names |") for scheme in re.findall(r"[a-z][a-z0-9]+", row[0])}
    assert named == set(SCHEMES)


@pytest.mark.parametrize(("text", "said"), list(rows("| text | reference |")))
def test_form(text: str, said: str) -> None:
    if said == "yes":
        assert str(parse(text)) == text
        return
    with pytest.raises(ReferenceSyntaxError):
        parse(text)


@pytest.mark.parametrize(("maker", "received", "becomes"), list(rows("| maker | received | becomes |")))
def test_text_from_outside(maker: str, received: str, becomes: str) -> None:
    def make() -> str:
        return str(file(received, "/srv") if maker == "file" else url(received))

    if becomes == "refused":
        with pytest.raises(ReferenceSyntaxError):
            make()
        return
    assert make() == becomes


@pytest.mark.parametrize(("pattern", "reference", "covered"), list(rows("| pattern | reference | covered |")))
def test_patterns(pattern: str, reference: str, covered: str) -> None:
    if covered == "refused":
        with pytest.raises(ReferenceSyntaxError):
            parse(reference)
        return
    assert Pattern.parse(pattern).covers(parse(reference)) is (covered == "yes")


def test_the_caps_are_as_said() -> None:
    assert f"at most {MAX_DEPTH} parts" in PAGE
    assert f"at most {MAX_LENGTH} characters" in PAGE
