"""The pages of docs/events say of each event what the code does, and show one, byte for byte."""

import re
from pathlib import Path

import pytest

from grants.book import VIEWS
from grants.events import FORMER, TYPES
from ledger import events as ledger_events
from ledger.event import SignedBody
from tests.grants.conftest import named

PAGES = Path(__file__).parents[2] / "docs" / "events"
BODIES = (*ledger_events.TYPES, *TYPES)


@pytest.fixture(params=BODIES, ids=named)
def body_type(request):
    return request.param


@pytest.fixture
def page(body_type):
    return (PAGES / f"{named(body_type)}.md").read_text("utf-8")


def row(page, name):
    """Give what the first table of a page says under a name."""
    return re.search(rf"^\| {name} \| (.*) \|$", page, re.MULTILINE)[1]


def block(page, kind):
    return re.search(rf"^```{kind}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[1]


def keys_in(cell):
    """Give the keys that a cell shows, with a pattern in the place of each ``<...>``."""
    shown = re.findall(r"`([^`]*)`", cell)
    return [re.compile(re.sub(r"<[^>]*>", ".+", key)) for key in shown]


def test_the_example_is_an_event_byte_for_byte(whole_story, body_type, page):
    assert block(page, "json").encode() == whole_story.events[named(body_type)].data + b"\n"


def test_the_example_is_read_as_an_event(registry, body_type, page):
    assert isinstance(registry.parse(block(page, "json").rstrip("\n").encode()).body, body_type)


def test_the_statement_is_what_is_signed(whole_story, body_type, page):
    signed = issubclass(body_type, SignedBody)
    assert ("## Statement" in page) is signed
    if signed:
        assert block(page, "").encode() == whole_story.events[named(body_type)].body.statement()


def test_every_field_is_told(body_type, page):
    told = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert sorted(told) == sorted(body_type.model_fields)


def test_claims_and_tags_are_told(whole_story, body_type, page):
    events = [whole_story.office.event(seq) for seq in range(whole_story.office.log.head.size)]
    own = [event for event in events if named(type(event.body)) == named(body_type)]
    for name in ("claims", "tags"):
        told = keys_in(row(page, name))
        taken = {key for event in own for key in getattr(event, name)()}
        assert all(any(key.fullmatch(one) for key in told) for one in taken), name
        assert all(any(key.fullmatch(one) for one in taken) for key in told), name


def test_the_views_that_fold_it_are_told(whole_story, body_type, page):
    folding = [view.name for view in VIEWS if set(view.keys(whole_story.events[named(body_type)]))]
    assert re.findall(r"`([^`]*)`", row(page, "folded by")) == folding


@pytest.mark.parametrize("body_type", FORMER, ids=lambda body: f"{body.type} {body.schema_number}")
def test_the_page_of_a_former_schema_shows_an_event_that_is_still_read(registry, body_type):
    page = (PAGES / f"{body_type.type}.v{body_type.schema_number}.md").read_text("utf-8")
    event = registry.parse(block(page, "json").rstrip("\n").encode())
    assert type(event.body) is body_type
    assert block(page, "").encode() == event.body.statement()
    assert sorted(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == sorted(body_type.model_fields)
    present = (PAGES / f"{body_type.type}.md").read_text("utf-8")
    assert f"({body_type.type}.v{body_type.schema_number}.md)" in present


def test_the_signature_is_told(body_type, page):
    cell = row(page, "signed by")
    if issubclass(body_type, SignedBody):
        assert f"`{body_type.namespace()}`" in cell
    else:
        assert cell.startswith("nobody")
    assert row(page, "schema") == str(body_type.schema_number)
