"""What most tests start from: a clock that is set by hand, known keys, and an office in which people have registered.

A directory whose tests need more views or event types overrides the fixtures `views` and `event_types`.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import settings
from pydantic import Field

from decisions.appending import append_act
from grants import acts
from grants import events as grant_events
from grants.authority import _verify
from grants.book import VIEWS
from grants.events import ResourceCleared, ResourceReclassified, ResourceRegistered
from grants.issue import Prepared, append_checked
from grants.signer import FileSigner
from ledger import events as ledger_events
from ledger.event import Body, Draft, Event, Registry
from ledger.instant import Instant, from_microseconds, to_microseconds
from ledger.memory import MemoryLog
from ledger.note import NoteSigner
from ledger.view import View
from tests.postgres import RUN, Server, server

# A busy machine must not fail a property: what is slow is measured elsewhere.
settings.register_profile("tallystick", deadline=None)
settings.load_profile("tallystick")

START = to_microseconds("2026-11-30T12:00:00.000000Z")
ORIGIN = "tally.example/log"
SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE


class Noted(Body):
    """An event without meaning, to stand where a test needs some event."""

    type: ClassVar[str] = "test.noted"

    number: Annotated[int, Field(ge=0)]


@dataclass
class Clock:
    """A clock that goes when it is told to."""

    now: int = START

    def __call__(self) -> int:
        return self.now

    def go(self, microseconds: int) -> None:
        self.now += microseconds

    def after(self, microseconds: int) -> Instant:
        return from_microseconds(self.now + microseconds)


def signer_named(name: str) -> FileSigner:
    """Give the key of that name: the same one in every run."""
    return FileSigner(Ed25519PrivateKey.from_private_bytes(hashlib.sha256(name.encode()).digest()))


@dataclass
class Office:
    """A log, its clock, and the people who sign; whoever is not named signs with the key of their own name."""

    log: MemoryLog
    clock: Clock
    registry: Registry
    origin: str = ORIGIN
    signers: dict[str, FileSigner] = field(default_factory=dict)

    def signer(self, name: str) -> FileSigner:
        return self.signers.setdefault(name, signer_named(name))

    def log_key(self) -> str:
        return NoteSigner(self.origin, signer_named(self.origin).private_key).verifier_key.text()

    def open(self, human: str = "human:ada", *, uid: int | None = 1000, demonstration: bool = False) -> Event:
        return self.act(
            acts.open_ledger,
            signer=human,
            log_key=self.log_key(),
            origin=self.origin,
            human=human,
            human_key=self.signer(human).public_key,
            name="Ada L.",
            uid=uid,
            demonstration=demonstration,
        )

    def prepare(self, act: Callable[..., Prepared], *args: Any, **fields: Any) -> Prepared:
        return self.log.read(lambda snapshot: act(snapshot, *args, **fields))

    def sign(self, act: Callable[..., Prepared], *args: Any, signer: str | None = None, **fields: Any) -> Draft:
        prepared = self.prepare(act, *args, **fields)
        return prepared.sign(self.signer(signer or prepared.by))

    def act(self, act: Callable[..., Prepared], *args: Any, signer: str | None = None, **fields: Any) -> Event:
        """Prepare, sign and append one act."""
        return self.append_signed(self.sign(act, *args, signer=signer, **fields))

    def append_signed(self, draft: Draft) -> Event:
        """Append by the one door; labels go past it, so that a test may begin with whatever labels it needs."""
        if isinstance(draft.body, ResourceRegistered | ResourceReclassified | ResourceCleared):
            return self.log.transact(lambda tx: append_checked(tx, draft))
        return self.log.transact(lambda tx: append_act(tx, self.registry, draft))

    def append(self, body: Body, **envelope: Any) -> Event:
        """Append an act of the ledger's own."""
        draft = Draft(body, envelope.pop("by", "agent:ops-7"), envelope.pop("auth", "ledger"), **envelope)
        return self.log.transact(lambda tx: tx.append(draft))

    def note(self) -> Event:
        """Append an event without meaning."""
        return self.append(Noted(number=self.log.head.size))

    def event(self, seq: int) -> Event:
        data = self.log.event_bytes(seq)
        assert data is not None
        return self.registry.parse(data)

    def state(self, view: str, key: str) -> dict[str, Any] | None:
        row = self.log.state(view, key)
        return None if row is None else row.state


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server, for the whole run."""
    with server(RUN) as running:
        yield running


@pytest.fixture(autouse=True)
def forgotten_signatures() -> Iterator[None]:
    """Let no test profit from a signature that another one has verified."""
    _verify.cache_clear()
    yield
    _verify.cache_clear()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def views() -> Iterable[View]:
    return VIEWS


@pytest.fixture
def event_types() -> tuple[type[Body], ...]:
    return (*ledger_events.TYPES, *grant_events.TYPES, *grant_events.FORMER, Noted)


@pytest.fixture
def registry(event_types: tuple[type[Body], ...]) -> Registry:
    return Registry(*event_types)


@pytest.fixture
def new_office(views: Iterable[View], registry: Registry, clock: Clock) -> Callable[..., Office]:
    """Make further logs, all by one clock."""
    return lambda origin=ORIGIN: Office(MemoryLog(tuple(views), clock), clock, registry, origin)


@pytest.fixture
def empty(new_office: Callable[..., Office]) -> Office:
    """An office before anything happened."""
    return new_office()


@pytest.fixture
def populate() -> Callable[[Office], Office]:
    """Give the way to open an office and register everybody in it."""

    def populated(office: Office, *, demonstration: bool = False) -> Office:
        office.open(demonstration=demonstration)
        for principal, more in {
            "human:bo": {"keys": ["human:bo"]},
            "agent:ops-7": {"owner": "human:ada", "uid": 1001},
            "agent:a1": {"owner": "human:bo"},
            "service:desk": {
                "owner": "human:ada",
                "uid": 1002,
                "speaks_for": ["agent:ops-7"],
                "keys": ["service:desk"],
            },
            "registrar:stores": {"owner": "human:ada", "keys": ["registrar:stores"]},
            "sensor:mood": {"owner": "human:ada", "keys": ["sensor:mood"]},
        }.items():
            keys = [office.signer(name).public_key for name in more.pop("keys", [])]
            office.act(
                acts.register_principal, by="human:ada", principal=principal, name=f"the {principal}", keys=keys, **more
            )
        return office

    return populated


@pytest.fixture
def office(empty: Office, populate: Callable[[Office], Office]) -> Office:
    """An opened log with two humans, two agents, a service, a registrar and a sensor."""
    return populate(empty)
