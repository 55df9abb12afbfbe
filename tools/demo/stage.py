"""The stage: a ledger on disk with its people, their keys, and a clock that is moved by hand.

Source: issue 2 section 7.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from decisions.answer import Answer
from decisions.appending import append_act
from decisions.constitution import DEFAULT_TEXT, Constitution, default
from decisions.record import DecisionPoint, Request
from decisions.relabelling import register
from grants import acts
from grants.events import Attributes
from grants.issue import Prepared
from grants.signer import FileSigner, generate
from grants.sshkey import PublicKey
from ledger.event import Event
from ledger.instant import Instant, from_microseconds
from tools.attributes import checked
from tools.demo import Scene
from tools.founding import Act, Founded, Founding, found
from tools.home import Home
from tools.ledger import OpenLedger, open_ledger, time_of_day

ADA: Final = "human:ada"
OPS: Final = "agent:ops-7"
COMPANION: Final = "agent:companion"
GATEWAY: Final = "service:gateway"
SENSOR: Final = "sensor:reading-room"
READER: Final = "person:reader-31"
DOMAIN: Final = "library"
ORIGIN: Final = "demo.tally.example/night-shift"

SECOND: Final = 1_000_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
_LEAD: Final = 6 * 24 * HOUR
"""The story lasts some days; it ends before the present, so that the ledger can be used afterwards."""

RESOURCES: Final[dict[str, dict[str, object]]] = {
    "file:///srv/app/**": {
        "environment": "dev",
        "asset": "source",
        "sensitivity": "internal",
        "reversibility": "recoverable",
        "about_people": False,
    },
    "file:///srv/app/tests/fixtures/**": {
        "environment": "test",
        "asset": "test_fixture",
        "sensitivity": "internal",
        "reversibility": "recoverable",
        "about_people": False,
    },
    "file:///srv/app/.claude/**": {
        "environment": "dev",
        "asset": "control_plane",
        "sensitivity": "internal",
        "reversibility": "recoverable",
        "about_people": False,
    },
    "file:///home/ops/**": {
        "environment": "prod",
        "asset": "config",
        "sensitivity": "confidential",
        "reversibility": "irreversible",
        "about_people": False,
    },
    "db://prod/users/**": {
        "environment": "prod",
        "asset": "business_record",
        "sensitivity": "restricted",
        "reversibility": "irreversible",
        "about_people": True,
        "purpose": "support",
    },
    READER: {"asset": "person"},
}


@dataclass(slots=True)
class StoryClock:
    """A clock that goes when it is told to."""

    now: int = field(default_factory=lambda: time_of_day() - _LEAD)

    def __call__(self) -> int:
        """Give the microseconds since 1970-01-01 UTC."""
        return self.now

    def go(self, microseconds: int) -> None:
        """Let time pass."""
        self.now += microseconds


@dataclass(slots=True)
class Stage:
    """Where the story happens.

    Attributes:
        folder: everything is in here: ``ledger/``, ``keys/``, and what is exported.
        told: numbers that a later chapter comes back to.
    """

    folder: Path
    clock: StoryClock = field(default_factory=StoryClock)
    told: dict[str, int] = field(default_factory=dict)
    _ledger: OpenLedger | None = None

    @property
    def home(self) -> Home:
        """The ledger's directory."""
        return Home(self.folder / "ledger")

    @property
    def ledger(self) -> OpenLedger:
        """The open ledger."""
        if self._ledger is None:
            self._ledger = open_ledger(self.home, clock=self.clock)
        return self._ledger

    @property
    def constitution(self) -> Constitution:
        """The constitution that was adopted."""
        return default()

    def key(self, principal: str) -> Path:
        """Where a principal's key lies."""
        return self.folder / "keys" / principal.replace(":", "-")

    def new_key(self, principal: str) -> FileSigner:
        """Make a principal's key."""
        path = self.key(principal)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        generate(path, principal)
        return self.signer(principal)

    def signer(self, principal: str) -> FileSigner:
        """Give who signs with a principal's key."""
        return FileSigner.load(self.key(principal), lambda: b"")

    def found(self) -> Founded:
        """Begin the ledger."""
        signer = self.new_key(ADA)
        founding = Founding(
            origin=ORIGIN,
            human=ADA,
            key=signer.public_key,
            name="Ada, who is on call",
            uid=None,
            document=DEFAULT_TEXT,
        )
        return found(self.home, founding, lambda prepared: prepared.sign(signer), clock=self.clock)

    def act(self, act: Act, *, signer: str = ADA) -> Event:
        """Prepare, sign and append one act."""
        return self.append(self.prepare(act), signer=signer)

    def prepare(self, act: Act) -> Prepared:
        """Prepare one act."""
        return self.ledger.log.read(act)

    def append(self, prepared: Prepared, *, signer: str = ADA) -> Event:
        """Sign and append what was prepared."""
        draft = prepared.sign(self.signer(signer))
        return self.ledger.log.transact(lambda tx: append_act(tx, self.ledger.registry, draft))

    def populate(self) -> None:
        """Register everybody and everything: the user who runs this is the gateway that speaks for the agents."""
        for principal in (OPS, COMPANION):
            self.act(_registered(principal, principal.partition(":")[2]))
        self.act(_registered(GATEWAY, "the gateway", uid=os.getuid(), speaks_for=(OPS, COMPANION)))
        self.act(_registered(SENSOR, "the reading room's sensor", keys=(self.new_key(SENSOR).public_key,)))
        for resource, attributes in RESOURCES.items():
            self.act(self._resource(resource, checked(self.constitution, attributes)))

    def _resource(self, resource: str, attributes: Attributes) -> Act:
        registry, at = self.ledger.registry, self.after(0)
        return lambda look: register(look, registry, by=ADA, resource=resource, attributes=attributes, at=at)

    def decide(self, scene: Scene, request: str) -> Answer:
        """Decide an operation as the gateway asks it."""
        self.clock.go(SECOND)
        point = DecisionPoint(self.ledger.log, self.ledger.registry, home="/home/ops")
        return point.decide(Request(scene.operation, os.getuid(), scene.subject, request))

    def after(self, microseconds: int) -> Instant:
        """Give the instant that lies so much later than now."""
        return from_microseconds(self.clock.now + microseconds)

    def close(self) -> None:
        """Let go of the database."""
        if self._ledger is not None:
            self._ledger.close()
            self._ledger = None


def _registered(
    principal: str,
    name: str,
    *,
    keys: Sequence[PublicKey] = (),
    uid: int | None = None,
    speaks_for: Sequence[str] = (),
) -> Act:
    return lambda snapshot: acts.register_principal(
        snapshot, by=ADA, principal=principal, name=name, keys=keys, owner=ADA, uid=uid, speaks_for=speaks_for
    )
