"""A vocabulary to write selectors in, and a short history in which every kind of signed event happens once."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import pytest

from grants import acts, erasing, holding, life
from grants.consent import ConsentMatch, Terms, Wanted, item_for
from grants.events import (
    ConsentConsumed,
    ConsentRequested,
    Cosigned,
    GrantRatifiedTogether,
    Relabelling,
    RetentionRule,
)
from grants.evidence import Attested, record_evidence
from grants.expression import Choice, Expression, Flag, Name, Ref, compile_expression
from grants.principals import Asker, recorded
from grants.standing import StandingTerms, Vocabulary
from grants.together import for_signer, joined
from ledger import canon, digest
from ledger.checkpoint import Checkpoint, sign_checkpoint
from ledger.event import Draft, Event
from ledger.note import NoteSigner

ROW = "db://prod/users/42"
SCRIPT = "file:///srv/app/s.sh"
TIGHTER = Relabelling(direction="tightening", opened=0, closed=96, resources=0, constitution=None)
DAY = 24 * 60 * 60 * 1_000_000
VALUES = {
    "kind": "file",
    "verb": "delete",
    "target": "file:///srv/app/tests/a.json",
    "asset": "test_fixture",
    "environment": "dev",
    "reversibility": "reversible",
}
"""What is known of an action that such a grant is asked about."""

STANDING = StandingTerms(
    "agent:ops-7", ("file",), ("delete",), "file:///srv/app/tests/**", 'asset == "test_fixture" and not production'
)

ATTRIBUTES = {
    "kind": Choice(("data", "file", "exec", "message")),
    "verb": Choice(("read", "delete", "run", "send")),
    "target": Ref(),
    "environment": Choice(("dev", "test", "prod")),
    "reversibility": Choice(("reversible", "irreversible")),
    "asset": Choice(("test_fixture", "business_record", "channel")),
    "about_people": Flag(),
    "stated_purpose": Name(),
}
EVERYWHERE = {"kind", "verb", "target", "asset"}
STORED = {*EVERYWHERE, "environment", "reversibility", "about_people"}
CATEGORIES: dict[str, Expression] = {"production": compile_expression('environment == "prod"', ATTRIBUTES)}


@pytest.fixture
def vocabulary() -> Vocabulary:
    return Vocabulary(
        attributes=ATTRIBUTES,
        categories=CATEGORIES,
        payload=frozenset({"stated_purpose"}),
        declared={
            "data": frozenset({*STORED, "stated_purpose"}),
            "file": frozenset(STORED),
            "exec": frozenset({*EVERYWHERE, "environment"}),
            "message": frozenset(EVERYWHERE),
        },
        verbs={
            "data": frozenset({"read", "delete"}),
            "file": frozenset({"read", "delete"}),
            "exec": frozenset({"run"}),
            "message": frozenset({"send"}),
        },
    )


@pytest.fixture
def asker(office) -> Asker:
    return asker_in(office)


@pytest.fixture
def terms(office) -> Terms:
    return Terms(
        office.origin,
        ("agent:ops-7",),
        "",
        {"form": "tool-call", "payload": {"tool_name": "Bash", "tool_input": {"command": "sh s.sh"}}},
        ((SCRIPT, canon.to_base64url(b"\1" * 32)),),
    )


@pytest.fixture
def wanted() -> Wanted:
    return Wanted("data", "delete", ROW, 7)


def asker_in(office, by="agent:ops-7", *parts) -> Asker:
    return office.log.read(lambda snapshot: recorded(snapshot, by, (by, *parts), "token", None))


def request(office, terms, *wanted) -> Event:
    """Append a decision that holds, and the request that follows from it."""
    decision = office.note().seq
    opened = terms.openings()
    to = terms.bound(opened)
    body = ConsentRequested(
        decision=decision,
        subject=terms.subject,
        domain=terms.domain,
        items=tuple(item_for(to, one) for one in wanted),
        args=to.args,
        operands=to.operands,
    )
    return office.append(body, causes=(decision,), openings=opened)


def consume(office, match, target) -> Event:
    """Append a decision that allows, and the consumption that goes with it."""
    decision = office.note().seq
    body = ConsentConsumed(grant=match.grant, item=match.item, use=match.use, decision=decision, target=target)
    return office.append(body, causes=(decision, match.seq))


def named(body_type) -> str:
    """Name a type as its page is named: the second schema of what one human signs, or several together, apart."""
    return f"{body_type.type}.v2" if body_type is GrantRatifiedTogether else body_type.type


@dataclass
class Story:
    """What happened, by type of event: the first of each."""

    office: Any
    events: dict[str, Event] = field(default_factory=dict)

    def tell(self, event: Event) -> Event:
        self.events.setdefault(named(type(event.body)), event)
        return event


@pytest.fixture
def counted_bytes(monkeypatch) -> Iterator[None]:
    """Make salts and grant ids the same in every run."""
    numbers = count(1)
    monkeypatch.setattr("secrets.token_bytes", lambda size: next(numbers).to_bytes(size, "big"))
    return


@pytest.fixture
def story(counted_bytes, new_office, populate, vocabulary, registry) -> Story:
    office = populate(new_office())
    told = Story(office)
    for seq in range(office.log.head.size):
        told.tell(office.event(seq))
    ada, stores = {"by": "human:ada"}, {"by": "registrar:stores"}
    spare = office.signer("spare").public_key
    told.tell(office.act(acts.add_key, principal="human:ada", key=spare, **ada))
    told.tell(office.act(acts.revoke_key, principal="human:ada", fingerprint=spare.fingerprint, **ada))
    told.tell(office.act(acts.suspend, principal="agent:a1", reason="it ran in a loop", **ada))
    facts = {"environment": "prod", "reversibility": "irreversible", "about_people": True, "asset": "business_record"}
    told.tell(office.act(acts.register_resource, resource="db://prod/users/**", attributes=facts, **stores))
    more = {**facts, "purpose": None}
    told.tell(office.act(acts.reclassify, resource="db://prod/users/**", attributes=more, relabels=TIGHTER, **stores))
    told.tell(office.act(acts.advance, resource="db://prod/users/**", version=7, **stores))
    office.clock.go(60_000_000)
    grant = told.tell(office.act(acts.ratify_grant, vocabulary, terms=STANDING, reason="fixtures are made anew", **ada))
    told.tell(office.act(acts.revoke_grant, grant=grant.body.grant, reason="no longer needed", **ada))
    payload = {"tool_name": "Bash", "tool_input": {"command": "psql -f s.sql"}, "cwd": "/srv/app"}
    script = ("file:///srv/app/s.sql", canon.to_base64url(digest.document(b"DELETE FROM users WHERE id = 42;")))
    terms = Terms(office.origin, ("agent:ops-7",), "", {"form": "tool-call", "payload": payload}, (script,))
    wanted = Wanted("data", "delete", ROW, 7)
    asked = told.tell(request(office, terms, wanted))
    until = {"expires": office.clock.after(DAY)}
    answer = {"request": asked.seq, "reason": "she asked to be deleted", **until}
    granted = told.tell(office.act(acts.grant_request, registry, **answer, **ada))
    match = acts_match(granted)
    told.tell(consume(office, match, ROW))
    again = request(office, terms, wanted)
    told.tell(office.act(acts.refuse, registry, request=again.seq, reason="once is enough", **ada))
    foreseen = office.act(acts.grant_terms, terms=terms, wanted=(wanted,), reason="tonight's job", **until, **ada)
    told.tell(
        office.act(acts.revoke_consent, registry, grant=foreseen.body.grant, reason="the job was called off", **ada)
    )
    told.tell(office.act(acts.retire, resource="db://prod/users/**", **stores))
    rules = [
        RetentionRule(type="*", path="*", at_least=None, at_most=3650),
        RetentionRule(type="consent.granted", path="/reason", at_least=1, at_most=400),
    ]
    told.tell(office.act(holding.set_retention, registry, rules=rules, reason="the works council agreed", **ada))
    over = [f"event:{foreseen.seq}", f"resource:{ROW}"]
    hold = told.tell(office.act(holding.place_hold, over=over, reason="a claim was announced", **ada))
    told.tell(office.act(holding.release_hold, hold=hold.body.hold, reason="it was settled", **ada))
    office.clock.go(2 * DAY)
    told.tell(erase(office, (granted.seq, "/reason"), (again.seq + 1, "/reason")))
    return told


@pytest.fixture
def whole_story(story, vocabulary) -> Story:
    """The same, and how the log goes on: under another key, and after a restore as another log."""
    office = story.office
    story.tell(rotate(office))
    story.tell(restore(office))
    story.tell(office.act(life.confirm_principal, by="human:ada", principal="service:desk"))
    now, until = office.clock.after(0), office.clock.after(30 * DAY)
    backup = Attested("backup", "db://prod/users/**", True, now, until, "restored into a copy and counted")
    story.tell(office.act(record_evidence, by="human:ada", attested=backup))
    story.tell(office.act(acts.clear, by="human:ada", resource="db://prod/users/**"))
    office.act(life.confirm_principal, by="human:ada", principal="human:bo")
    cy = [office.signer("human:cy").public_key]
    office.act(acts.register_principal, by="human:ada", principal="human:cy", name="Cy", keys=cy)
    story.tell(ratify_together(office, vocabulary, STANDING, "fixtures are made anew", "human:bo", "human:cy"))
    return story


def ratify_together(office, vocabulary, terms, reason, *humans) -> Event:
    """Let several humans sign one standing grant, and append it."""
    return office.append_signed(signed_together(office, vocabulary, terms, reason, *humans))


def signed_together(office, vocabulary, terms, reason, *humans, asked=None) -> Draft:
    """Let several humans sign one standing grant."""
    wanted = replace(vocabulary, humans=asked or len(humans))
    prepared = office.prepare(acts.ratify_grant, wanted, by=humans[0], terms=terms, reason=reason)
    texts = [office.log.read(lambda look, by=by: for_signer(look, prepared, by)) for by in humans]
    signatures = [Cosigned(by=one.by, signed=one.sign(office.signer(one.by)).body.signed) for one in texts]
    return joined(prepared, signatures)


def rotate(office, name="second log key", by="human:ada") -> Event:
    """Replace the log's key by the one of a name."""
    new = NoteSigner(office.origin, office.signer(name).private_key)
    return office.act(life.rotate_key, by=by, new=new)


def restore(office, name="third log key", origin="tally.example/log-2", former="second log key") -> Event:
    """Go on as another log, as if ten more events had been signed for and lost."""
    size, root = office.log.head.size, hashlib.sha256(b"what is lost").digest()
    signer = NoteSigner(office.origin, office.signer(former).private_key)
    note = sign_checkpoint(Checkpoint(office.origin, size + 10, root, root), signer)
    new = NoteSigner(origin, office.signer(name).private_key)
    return office.act(life.restore, by="human:ada", new=new, checkpoint=note)


def erase(office, *fields, basis="gdpr-art-17-1-a", by="human:ada") -> Event:
    """Sign and append an erasure."""
    (prepared,) = office.log.read(
        lambda look: erasing.erase(look, office.registry, by=by, fields=fields, basis=basis, at=office.clock.after(0))
    )
    draft = prepared.sign(office.signer(by))
    return office.log.transact(lambda tx: erasing.append_erasure(tx, office.registry, [draft]))[0]


def acts_match(granted):
    """Give the first use of a consent's first item."""
    return ConsentMatch(granted.body.grant, granted.seq, 0, 1, granted.body.args)


@pytest.fixture
def ask_for():
    return request


@pytest.fixture
def spend():
    return consume


@pytest.fixture(name="erase")
def erase_fixture():
    return erase
