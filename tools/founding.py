"""How a ledger begins: genesis, the constitution, and its own directory put out of the agents' reach.

All of it is built in a directory of another name and appears in one rename; a schema in PostgreSQL is dropped again if
it does not come to that. The first human signs three statements;
the log's own key is made here and signs the first checkpoint.

Source: DESIGN sections 7 and 9.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from decisions import relabelling
from decisions.adoption import adopt
from decisions.appending import append_act
from decisions.constitution import load
from grants import acts, reference
from grants.issue import Prepared
from grants.sshkey import PublicKey
from ledger.event import Draft
from ledger.instant import from_microseconds
from ledger.log import Clock, Log, Snapshot
from ledger.note import NoteSigner, VerifierKey
from ledger.policy import Policy, PolicyLog
from ledger.sql.address import PostgresAddress
from ledger.sql.place import discard_log
from tools import checkpointing
from tools.attributes import control_plane
from tools.home import Home, write_new
from tools.keys import new_key
from tools.ledger import begun, create_empty, time_of_day
from verify.views import EVENTS

Act: TypeAlias = Callable[[Snapshot], Prepared]

Sign: TypeAlias = Callable[[Prepared], Draft]
"""Shows a statement to the human and has it signed."""


@dataclass(frozen=True, slots=True)
class Founding:
    """What a new ledger is to be.

    Attributes:
        origin: its name, for ever.
        human: principal id of the first human.
        key: that human's key.
        name: that human's display name.
        uid: the operating system user that is this human, or None.
        document: the constitution.
        demonstration: whether claimed identities are believed; such a ledger binds nobody.
        passphrase: what seals the log's key, or None for a key that its file alone protects.
        database: the PostgreSQL schema that is to be made for it, or None for a SQLite file in the directory.
    """

    origin: str
    human: str
    key: PublicKey
    name: str
    uid: int | None
    document: str
    demonstration: bool = False
    passphrase: bytes | None = field(default=None, repr=False)
    database: PostgresAddress | None = None


@dataclass(frozen=True, slots=True)
class Founded:
    """What came of it.

    Attributes:
        log_key: the log's C2SP verifier key.
        size: how many events stand.
        protected: the patterns that were registered as control plane.
    """

    log_key: str
    size: int
    protected: tuple[str, ...]


def found(home: Home, founding: Founding, sign: Sign, *, clock: Clock = time_of_day) -> Founded:
    """Begin a ledger.

    Raises:
        HomeError: something stands there already, or it can't be made.
        ConstitutionError: the constitution is not accepted.
        GrantError: what is said of the human, or the signature, does not hold.
    """
    done: list[Founded] = []
    made: list[PostgresAddress] = []
    try:
        home.create(lambda draft: done.append(_build(draft, home.path, founding, sign, clock, made)))
    except BaseException:
        for schema in made:
            discard_log(schema)
        raise
    return done[0]


def new_origin() -> str:
    """Draw an origin that says nothing about the machine."""
    return f"tally.local/{secrets.token_hex(8)}"


def _build(
    draft: Home, place: Path, founding: Founding, sign: Sign, clock: Clock, made: list[PostgresAddress]
) -> Founded:
    log_key = NoteSigner(founding.origin, new_key(draft.key, founding.passphrase)).verifier_key
    if founding.database is not None:
        draft.point_to(founding.database)
    log = create_empty(draft, clock)
    if founding.database is not None:
        made.append(founding.database)
    try:
        patterns = _first_events(log, place, founding, log_key, sign, clock)
        ledger = begun(draft, log, clock)
        checkpoint = checkpointing.make_first(ledger).checkpoint
    finally:
        log.close()
    write_new(draft.policy, Policy((PolicyLog(log_key),), (), ()).text().encode())
    write_new(draft.signers, f'{founding.human} namespaces="tallystick-*" {founding.key.line()}\n'.encode())
    return Founded(log_key.text(), checkpoint.size, patterns)


def _first_events(
    log: Log, place: Path, founding: Founding, log_key: VerifierKey, sign: Sign, clock: Clock
) -> tuple[str, ...]:
    f = founding

    def genesis(snapshot: Snapshot) -> Prepared:
        return acts.open_ledger(
            snapshot,
            log_key=log_key.text(),
            origin=f.origin,
            human=f.human,
            human_key=f.key,
            name=f.name,
            uid=f.uid,
            demonstration=f.demonstration,
        )

    def protection(pattern: str) -> Act:
        return lambda snapshot: relabelling.register(
            snapshot, EVENTS, by=f.human, resource=pattern, attributes=attributes, at=from_microseconds(clock())
        )

    attributes = control_plane(load(f.document))
    patterns = _own_places(place) if attributes else ()
    for act in (genesis, lambda snapshot: adopt(snapshot, by=f.human, document=f.document), *map(protection, patterns)):
        _append(log, act, sign)
    return patterns


def _append(log: Log, act: Act, sign: Sign) -> None:
    draft = sign(log.read(act))
    log.transact(lambda tx: append_act(tx, EVENTS, draft))


def _own_places(place: Path) -> tuple[str, ...]:
    """Give the patterns of a directory: as it is written, and where its links lead."""
    roots = dict.fromkeys((reference.file(str(place)), reference.file(str(place.parent.resolve() / place.name))))
    return tuple(str(reference.Pattern(root, subtree=True)) for root in roots)
