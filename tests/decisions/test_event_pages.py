"""The pages of the decisions' events say of each what the code does, and show one, byte for byte."""

import re
from itertools import count
from pathlib import Path

import pytest

from decisions import trust
from decisions.amendment import acts as amending
from decisions.amendment.events import AmendmentProposed, ConstitutionAmended
from decisions.constitution import DEFAULT_TEXT, default
from decisions.events import TYPES, TrustObserved
from decisions.outcome import Report
from decisions.shadow import acts as shadow
from grants.issue import prepare
from ledger import canon
from ledger.disclosure import Opening
from ledger.event import SignedBody
from verify.views import VIEWS

PAGES = Path(__file__).parents[2] / "docs" / "events"
ELIDED = '"document":"..."'


@pytest.fixture
def counted(monkeypatch):
    """Make salts and ids the same in every run."""
    numbers = count(1)
    monkeypatch.setattr("secrets.token_bytes", lambda size=32: next(numbers).to_bytes(size, "big"))


@pytest.fixture
def told(counted, court):
    """A decision that rests on everything that a decision can rest on, and the trust behind it; by type."""
    office = court.office
    taken = office.clock.after(0)
    reading = Opening.fresh("/c_inst", 880_000_000_000_000)
    fields = {
        "system": "agent:ops-7",
        "counterpart": "person:r7",
        "domain": "relational",
        "interaction": "chat-1",
        "qualifying": True,
        "taken": taken,
    }
    signed = office.log.read(lambda s: prepare(s, TrustObserved, fields, by="sensor:mood", openings=[reading]))
    observed = office.append_signed(signed.sign(office.signer("sensor:mood")))
    seen = trust.Observation(observed.seq, "agent:ops-7", "person:r7", "relational", True, 880_000_000_000_000, taken)
    updated = office.append(trust.update(None, seen, default().trust), by="sensor:mood", causes=(observed.seq,))
    court.consent(court.do("delete", "db://prod/users/42", id="req-1"))
    decided = court.do("delete", "db://prod/users/42", id="req-2").decision
    reported = court.point.report(Report(decided, "done", 1001, "1 row")).event
    events = [office.event(seq) for seq in range(office.log.head.size)]
    adopted = next(event for event in events if event.type == "constitution.adopted")
    found = (adopted, observed, updated, office.event(decided), office.event(reported), *amended(court))
    return {type(event.body): event for event in found}


def amended(court):
    """Change the rules, so that each event of it happens once."""
    stricter = DEFAULT_TEXT.replace('gate = "0.55"', 'gate = "0.56"')
    ada, bo = {"by": "human:ada"}, {"by": "human:bo"}
    proposed = court.change(amending.propose, document=stricter, reason="confidences need more trust", **ada)
    voted = court.change(amending.vote, amendment=proposed.seq, choice="for", **bo)
    adopted = court.change(amending.adopt, amendment=proposed.seq, **ada)
    undone = court.change(amending.propose, document=DEFAULT_TEXT, reason="it was too strict", **bo)
    rejected = court.change(amending.reject, amendment=undone.seq, reason="one month is too short", **ada)
    started = court.office.act(shadow.start, court.office.registry, document=DEFAULT_TEXT, **ada)
    stopped = court.office.act(shadow.stop, **ada)
    return proposed, voted, adopted, court.office.event(adopted.seq + 1), rejected, started, stopped


@pytest.fixture(params=TYPES, ids=lambda body: f"{body.type}-{body.schema_number}")
def body_type(request):
    return request.param


@pytest.fixture
def page(body_type):
    number = "" if body_type.schema_number == 1 else f".v{body_type.schema_number}"
    return (PAGES / f"{body_type.type}{number}.md").read_text("utf-8")


def row(page, name):
    return re.search(rf"^\| {name} \| (.*) \|$", page, re.MULTILINE)[1]


def shown(page):
    return re.search(r"^```json\n(.*?)\n```$", page, re.MULTILINE | re.DOTALL)[1]


def test_the_example_is_an_event_byte_for_byte(told, body_type, page):
    amends = body_type in (AmendmentProposed, ConstitutionAmended)
    document = DEFAULT_TEXT.replace('gate = "0.55"', 'gate = "0.56"') if amends else DEFAULT_TEXT
    whole = canon.encode({"document": document})[1:-1].decode()
    assert shown(page).replace(ELIDED, whole).encode() == told[body_type].data


def test_the_statement_is_what_is_signed(told, body_type, page):
    statement = re.search(r"^```\n(tallystick .*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert (statement is not None) == issubclass(body_type, SignedBody)
    if statement:
        assert statement[1].encode() == told[body_type].body.statement()
        assert f"`{body_type.namespace()}`" in row(page, "signed by")


def test_every_field_is_told(body_type, page):
    assert sorted(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == sorted(body_type.model_fields)


def test_claims_and_tags_are_told(told, body_type, page):
    event = told[body_type]
    for name, keys in (("claims", event.claims()), ("tags", event.tags())):
        patterns = [re.sub(r"<[^>]*>", ".+", key) for key in re.findall(r"`([^`]*)`", row(page, name))]
        assert all(any(re.fullmatch(pattern, key) for pattern in patterns) for key in keys), name
        assert all(any(re.fullmatch(pattern, key) for key in keys) for pattern in patterns), name


def test_the_views_that_fold_it_are_told(told, body_type, page):
    folding = [view.name for view in VIEWS if set(view.keys(told[body_type]))]
    assert re.findall(r"`([^`]*)`", row(page, "folded by")) == folding
