"""The pages on the constitution and on trust say what the code does."""

import doctest
import re
import tomllib
from pathlib import Path

import pytest

from decisions.constitution import DEFAULT_TEXT, default, load
from decisions.constitution.rules import NUMBERS
from grants.expression import Truth, evaluate

PAGES = Path(__file__).parents[2] / "docs" / "spec"
CONSTITUTION = (PAGES / "constitution.md").read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("name", ["constitution.md", "trust.md"])
def test_every_example_gives_the_output_shown(name: str) -> None:
    sessions = blocks((PAGES / name).read_text(encoding="utf-8"), "python")
    assert sessions
    test = doctest.DocTestParser().get_doctest("\n".join(sessions), {}, name, name, 0)
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


def test_the_rule_shown_loads_and_acts() -> None:
    [rule] = [block for block in blocks(CONSTITUTION, "toml") if "[[articles.rules]]" in block]
    loaded = load(DEFAULT_TEXT.replace("\n[trust]\n", f"\n{rule}\n[trust]\n"))
    [found] = [rule for rule in loaded.rules if rule.id == "XI.no-drop-in-staging"]
    assert evaluate(found.when, found.stops.values) is Truth.TRUE


def test_the_declarations_shown_are_those_of_the_default() -> None:
    written = tomllib.loads(DEFAULT_TEXT)
    shown = [tomllib.loads(block) for block in blocks(CONSTITUTION, "toml")]
    attributes = {name: row for block in shown for name, row in block.get("attributes", {}).items()}
    assert {row["source"] for row in attributes.values()} == {"store", "evidence"}
    [categories] = [block["categories"] for block in shown if "categories" in block]
    assert {name: written["attributes"][name] for name in attributes} == attributes
    assert {name: written["categories"][name] for name in categories} == categories


def test_every_key_of_the_language_is_on_the_page() -> None:
    document = tomllib.loads(DEFAULT_TEXT)
    rule = {key for article in document["articles"] for rule in article["rules"] for key in rule}
    attribute = {key for row in document["attributes"].values() for key in row} | {"low", "high"}
    trust = document["trust"].keys() - {"classes"} | {key for row in document["trust"]["classes"] for key in row}
    for key in document["constitution"].keys() | document["articles"][0].keys() | rule | attribute | trust:
        assert f"`{key}`" in CONSTITUTION or f"`{key} = " in CONSTITUTION


def test_every_supplied_attribute_is_told_with_its_source() -> None:
    [told] = re.findall(r"The software supplies (.*?)\n\n", CONSTITUTION, re.DOTALL)
    supplied = [
        name for name, each in default().attributes.items() if each.source not in {"store", "evidence", "payload"}
    ]
    assert [name for name in supplied if f"`{name}`" not in told] == []
    assert set(re.findall(r"`(\w+)`", told)) == set(supplied) | {"session", "sensor", "derived", "reducer"}


def test_the_page_counts_the_articles() -> None:
    assert f"`{NUMBERS[0]}` to `{NUMBERS[-1]}`" in CONSTITUTION
