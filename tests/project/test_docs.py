"""The documentation says what is there: links lead somewhere, and nothing that exists is left untold."""

import re
from pathlib import Path

import pytest

from ledger.sql import schema
from tools.cli.app import root
from verify.views import EVENTS

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(#[^)\s]*)?\)")


def anchors(page):
    titles = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {"#" + re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page):
    for target, anchor in LINK.findall(page.read_text("utf-8")):
        led = (page.parent / target).resolve() if target else page
        assert led.exists(), target
        if anchor:
            assert anchor in anchors(led), f"{target}{anchor}"


def test_every_event_type_has_its_page():
    assert {re.sub(r"\.v\d+$", "", page.stem) for page in (ROOT / "docs" / "events").glob("*.md")} - {"README"} == {
        t.type for t in EVENTS
    }


def test_every_decision_record_is_listed():
    records = {page.name for page in (ROOT / "docs" / "adr").glob("0*.md")}
    assert records == set(re.findall(r"\((0[^)]*\.md)\)", (ROOT / "docs" / "adr" / "README.md").read_text("utf-8")))


def test_every_table_is_in_the_store_specification():
    text = (ROOT / "docs" / "spec" / "store.md").read_text("utf-8")
    assert [table for table in schema.metadata.tables if f"`{table}`" not in text and f"{table}(" not in text] == []


def test_every_command_is_in_the_guide():
    text = (ROOT / "docs" / "guides" / "cli.md").read_text("utf-8")
    assert [name for name in root.list_commands(None) if f"tally {name}" not in text] == []


@pytest.mark.parametrize("code", [0, 1, 2, 3, 4, 5, 6, 130])
def test_every_exit_code_is_told(code):
    text = (ROOT / "docs" / "guides" / "cli.md").read_text("utf-8")
    assert re.search(rf"^\| `{code}` \| ", text, re.MULTILINE)
