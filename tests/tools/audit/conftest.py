"""A ledger of some forty events with something in every table, and a way to change it past the log."""

import hashlib
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from decisions.adoption import adopt
from decisions.constitution.loader import DEFAULT_TEXT, load
from decisions.law import vocabulary_of
from decisions.observe import Seen, observe, prepare_observation
from grants import acts
from grants.authority import check_event
from grants.consent import Terms, Wanted, item_for
from grants.events import ConsentConsumed, ConsentRequested
from grants.standing import StandingTerms
from ledger import canon, digest, rfc6962
from ledger.checkpoint import Checkpoint, sign_checkpoint
from ledger.cosignature import cosigned_message, witness_id
from ledger.note import COSIGNATURE_V1, NoteSignature, NoteSigner, VerifierKey
from ledger.sql.place import create_log
from tests.stamping import OCTETS, SEQUENCE, SHA256, Authority, algorithm, integer, tlv
from tools.audit import AuditReport, audit, keys, memo, ranged, walk
from verify.views import EVENTS, VIEWS

ROW = "db://prod/users/42"
WITNESS_KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
WITNESS = VerifierKey("witness.example/w", WITNESS_KEY.public_key().public_bytes_raw(), COSIGNATURE_V1)


def prod(**more: Any) -> dict[str, Any]:
    return {"environment": "prod", "reversibility": "irreversible", "about_people": True, **more}


def tell(office: Any) -> None:
    """Let a day of an office happen: resources, grants, consents, trust."""
    ada, stores = {"by": "human:ada"}, {"by": "registrar:stores"}
    office.act(adopt, document=DEFAULT_TEXT, **ada)
    for name in ("users", "orders", "letters"):
        office.act(acts.register_resource, resource=f"db://prod/{name}/**", attributes=prod(), **stores)
        office.clock.go(1_000_000)
    office.act(acts.reclassify, resource="db://prod/users/**", attributes=prod(asset="business_record"), **ada)
    office.act(acts.advance, resource="db://prod/users/**", version=7, **stores)
    office.act(acts.retire, resource="db://prod/orders/**", **stores)
    covered = StandingTerms("agent:ops-7", ("file",), ("delete",), "file:///srv/app/tests/**", 'environment == "test"')
    vocabulary = vocabulary_of(load(DEFAULT_TEXT))
    for reason in ("fixtures are made anew", "in this folder too"):
        standing = office.act(acts.ratify_grant, vocabulary, terms=covered, reason=reason, **ada)
    office.act(acts.revoke_grant, grant=standing.body.grant, reason="no longer needed", **ada)
    for command in ("psql -f a.sql", "psql -f b.sql", "psql -f c.sql"):
        consented(office, command)
    for number in range(4):
        seen = Seen("agent:ops-7", "person:1", "technical", f"i-{number}", True, 10**14 * number, office.clock.after(0))
        draft = office.sign(prepare_observation, by="sensor:mood", seen=seen)
        office.log.transact(lambda tx, signed=draft: observe(tx, EVENTS, signed))
        office.clock.go(60_000_000)


def consented(office: Any, command: str) -> None:
    """Let an agent ask, a human consent, and the consent be spent."""
    payload = {"tool_name": "Bash", "tool_input": {"command": command}}
    script = ("file:///srv/app/s.sql", canon.to_base64url(digest.document(command.encode())))
    terms = Terms(office.origin, ("agent:ops-7",), "", {"form": "tool-call", "payload": payload}, (script,))
    opened = terms.openings()
    to = terms.bound(opened)
    assert to is not None
    body = ConsentRequested(
        decision=0,
        subject=terms.subject,
        domain="",
        items=(item_for(to, Wanted("data", "delete", ROW, 7)),),
        args=to.args,
        operands=to.operands,
    )
    asked = office.append(body, openings=opened, causes=(0,))
    until = office.clock.after(3_600_000_000)
    granted = office.act(
        acts.grant_request, EVENTS, request=asked.seq, reason="she asked for it", expires=until, by="human:ada"
    )
    # In the place of a decision, which is another room's: the fold asks only that something came after the consent.
    name = f"db://prod/{command.rsplit(maxsplit=1)[-1]}"
    decision = office.act(acts.register_resource, resource=name, attributes=prod(), by="registrar:stores").seq
    spent = ConsentConsumed(grant=granted.body.grant, item=0, use=1, decision=decision, target=ROW)
    office.append(spent, causes=(decision, granted.seq))


def seal(office: Any, sizes: tuple[int, ...]) -> dict[int, str]:
    """Sign checkpoints, and give what the witness says of each."""
    signer = NoteSigner(office.origin, office.signer(office.origin).private_key)
    lines = {}
    for size in sizes:
        events = office.log.read(lambda look, n=size: [data for _, data in look.events(0, n)])
        checkpoint = checkpoint_of(office.origin, events)
        office.log.store_checkpoint(size, sign_checkpoint(checkpoint, signer))
        time = 1_800_000_000 + size
        signature = WITNESS_KEY.sign(cosigned_message(time, checkpoint.text()))
        lines[size] = NoteSignature(WITNESS.name, WITNESS.key_id, time.to_bytes(8, "big") + signature).line()
    return lines


def token_for(note: bytes, at: datetime = datetime(2040, 1, 1, tzinfo=UTC)) -> bytes:
    """Have the text of a note stamped by an authority."""
    digest_ = hashlib.sha256(note[: note.index(b"\n\n") + 1]).digest()
    imprint = tlv(SEQUENCE, algorithm(SHA256), tlv(OCTETS, digest_))
    return Authority(at).answer(tlv(SEQUENCE, integer(1), imprint))


def checkpoint_of(origin: str, events: list[bytes]) -> Checkpoint:
    """Work out the checkpoint of these events by another way than the log's: from the left, all in memory."""
    size = len(events)
    peaks: list[tuple[int, bytes, bytes]] = []
    position = 0
    for seq, data in enumerate(events):
        peaks.append((1, digest.BLAKE3_TREE.leaf(seq, data), digest.SHA256_TREE.leaf(seq, data)))
        position += 1
        while len(peaks) > 1 and peaks[-1][0] == peaks[-2][0]:
            (_, own_right, twin_right), (count, own, twin) = peaks.pop(), peaks.pop()
            own = digest.BLAKE3_TREE.node(position, own, own_right)
            peaks.append((2 * count, own, digest.SHA256_TREE.node(position, twin, twin_right)))
            position += 1
    own_root = digest.root(size, [own for _, own, _ in peaks])
    return Checkpoint(origin, size, rfc6962.root([twin for _, _, twin in peaks]), own_root)


@dataclass
class Copy:
    """A copy of the ledger's file that may be changed, and audited."""

    template: Path
    path: Path

    def fresh(self) -> None:
        """Undo every change."""
        for name in (self.path, *(self.path.with_name(f"{self.path.name}{end}") for end in ("-wal", "-shm"))):
            name.unlink(missing_ok=True)
        shutil.copy(self.template, self.path)

    @contextmanager
    def raw(self) -> Iterator[sqlite3.Connection]:
        """Give the file without triggers and checks, and the triggers again afterwards."""
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("PRAGMA ignore_check_constraints = ON")
            connection.execute("BEGIN")
            triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
            for name, _ in triggers:
                connection.execute(f"DROP TRIGGER {name}")
            yield connection
            for _, text in triggers:
                connection.execute(text)
            connection.execute("COMMIT")

    def change(self, *statements: str) -> None:
        """Run statements on a fresh copy."""
        self.fresh()
        with self.raw() as connection:
            for statement in statements:
                connection.execute(statement)

    def past(self, *statements: str) -> None:
        """Run statements on a fresh copy, as anybody could who has the file."""
        self.fresh()
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            for statement in statements:
                connection.execute(statement)

    def columns(self, table: str) -> list[str]:
        """Name the columns of a table."""
        with closing(sqlite3.connect(self.template)) as connection:
            return [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]

    def rows(self, table: str) -> list[tuple[Any, ...]]:
        """Give the rows of a table of the undamaged ledger."""
        with closing(sqlite3.connect(self.template)) as connection:
            return connection.execute(f"SELECT * FROM {table}").fetchall()

    def audit(self, **more: Any) -> AuditReport:
        """Audit the copy."""
        options = {"witnesses": (WITNESS,), **more}
        return audit(self.path, EVENTS, VIEWS, check_event, **options)

    def first(self, *statements: str) -> str:
        """Change a fresh copy, and give where the first finding is."""
        self.change(*statements)
        finding = self.audit().findings[0]
        return f"{finding.table} {finding.key}".rstrip()


@pytest.fixture
def views() -> Any:
    return VIEWS


@pytest.fixture
def registry() -> Any:
    return EVENTS


_BUILT: list[bytes] = []
"""The ledger's file, made once: no test changes it."""


@pytest.fixture
def ledger(tmp_path: Path, empty: Any, populate: Callable[..., Any]) -> Copy:
    template = tmp_path / "template.db"
    if not _BUILT:
        build(template, empty, populate)
        _BUILT.append(template.read_bytes())
    template.write_bytes(_BUILT[0])
    copy = Copy(template, tmp_path / "copy.db")
    copy.fresh()
    return copy


def build(path: Path, office: Any, populate: Callable[..., Any]) -> None:
    """Make the ledger."""
    office.log = create_log(path, VIEWS, office.clock)
    populate(office)
    tell(office)
    size = office.log.read(lambda look: look.head.size)
    # The last size is odd, so that the last leaf has no parent: the head alone speaks for it.
    if not size % 2:
        office.act(acts.advance, by="registrar:stores", resource="db://prod/users/**", version=8)
        size += 1
    lines = seal(office, (1, 8, 21, size))
    office.log.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        rows = [(of, witness_id(WITNESS), line) for of, line in lines.items()]
        connection.executemany("INSERT INTO cosignatures VALUES (?, ?, ?)", rows)
        notes = dict(connection.execute("SELECT size, note FROM checkpoints"))
        stamps = [(of, "stamps.example", token_for(note)) for of, note in notes.items()]
        connection.executemany("INSERT INTO timestamps VALUES (?, ?, ?)", stamps)


@pytest.fixture
def bucket(monkeypatch):
    """Let a few events be a range, so that a small log has many."""

    def set_to(size):
        for module in (keys, memo, ranged, walk):
            monkeypatch.setattr(module, "BUCKET", size)

    return set_to
