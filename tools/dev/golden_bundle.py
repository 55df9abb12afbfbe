"""Write ``tests/vectors/bundles`` again: bundles of one short history, and the policy and signers to check them by.

    python -m tools.dev.golden_bundle

Keys, clock, salts and the constitution are the same in every run, so the bytes are too: another implementation can be
held to them. ``constitution.toml`` there is the default constitution as it was when the first bundles were made.
"""

import hashlib
import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from decisions.adoption import adopt
from decisions.answer import Answer
from decisions.appending import append_act
from decisions.constitution import load_cached
from decisions.law import vocabulary_of
from decisions.observe import Seen, observe, prepare_observation
from decisions.operation import Operation
from decisions.outcome import Report
from decisions.record import DecisionPoint, Request
from grants import acts
from grants.events.former import ResourceRegistered1
from grants.issue import Prepared, prepare
from grants.signer import FileSigner
from grants.standing import StandingTerms
from ledger import digest, rfc6962
from ledger.canon import Json
from ledger.checkpoint import Checkpoint, sign_checkpoint
from ledger.cosignature import cosigned_message
from ledger.digest import be64
from ledger.event import Event
from ledger.instant import from_microseconds, to_microseconds
from ledger.memory import MemoryLog
from ledger.note import COSIGNATURE_V1, NoteSignature, NoteSigner, VerifierKey
from ledger.policy import Policy, PolicyLog, PolicyWitness
from verify.bundle import NEEDED, Disclosure, FieldPattern, make_bundle
from verify.views import EVENTS, VIEWS

FOLDER = Path(__file__).parents[2] / "tests" / "vectors" / "bundles"
ORIGIN = "tally.example/golden"
CONSTITUTION = FOLDER / "constitution.toml"
WITNESS = "witness.example/w1"
START = to_microseconds("2026-11-30T12:00:00.000000Z")
SECOND = 1_000_000
ROW = "db://prod/users/42"
FIXTURE = "file:///srv/app/tests/fixtures/a.json"
FACTS: dict[str, dict[str, str | bool | int | None]] = {
    "db://prod/users/**": {
        "environment": "prod", "asset": "business_record", "sensitivity": "internal",
        "reversibility": "irreversible", "about_people": True, "purpose": "support",
    },
    "db://prod/stats/**": {
        "environment": "prod", "asset": "business_record", "sensitivity": "internal",
        "reversibility": "recoverable", "about_people": False, "purpose": None,
    },
    "file:///srv/app/tests/fixtures/**": {
        "environment": "test", "asset": "test_fixture", "sensitivity": "internal",
        "reversibility": "recoverable", "about_people": False, "purpose": None,
    },
    "person:r7/relational": {"domain": "relational"},
}  # fmt: skip


def key(name: str) -> Ed25519PrivateKey:
    """Give the key of that name: the same one in every run."""
    return Ed25519PrivateKey.from_private_bytes(hashlib.sha256(f"tallystick golden {name}".encode()).digest())


@contextmanager
def counted_randomness() -> Iterator[None]:
    """Make salts and ids the same in every run; nothing outside tests may do so."""
    numbers = itertools.count(1)

    def drawn(size: int) -> bytes:
        return hashlib.sha256(next(numbers).to_bytes(8, "big")).digest()[:size]

    with (
        mock.patch("secrets.token_bytes", drawn),
        mock.patch("secrets.token_urlsafe", lambda size: drawn(size).hex()),
    ):
        yield


@dataclass
class Stage:
    """A log in memory with the people around it."""

    origin: str = ORIGIN
    now: int = START
    log: MemoryLog = field(init=False)
    point: DecisionPoint = field(init=False)

    def __post_init__(self) -> None:
        self.log = MemoryLog(VIEWS, lambda: self.now)
        self.point = DecisionPoint(self.log, EVENTS)

    def signer(self, name: str) -> FileSigner:
        return FileSigner(key(name))

    @property
    def log_signer(self) -> NoteSigner:
        return NoteSigner(self.origin, key(self.origin))

    def act(self, act: Callable[..., Prepared], *args: object, **fields: object) -> Event:
        """Prepare, sign and append one act, a second after the last."""
        self.now += SECOND
        prepared = self.log.read(lambda snapshot: act(snapshot, *args, **fields))
        draft = prepared.sign(self.signer(prepared.by))
        return self.log.transact(lambda tx: append_act(tx, EVENTS, draft))

    def open(self, human: str = "human:ada") -> Event:
        return self.act(
            acts.open_ledger,
            log_key=self.log_signer.verifier_key.text(),
            origin=self.origin,
            human=human,
            human_key=self.signer(human).public_key,
            name="Ada L.",
            uid=1000,
        )

    def register(self, principal: str, *, keyed: bool = False, by: str = "human:ada", **more: object) -> Event:
        keys = [self.signer(principal).public_key] if keyed else []
        return self.act(acts.register_principal, by=by, principal=principal, name="somebody", keys=keys, **more)

    def settle(self) -> None:
        """Open the log, register everybody and everything, and adopt the default constitution."""
        self.open()
        self.register("human:bo", keyed=True)
        self.register("agent:ops-7", owner="human:ada", uid=1001)
        self.register("agent:reader", owner="human:ada")
        self.register("service:desk", owner="human:ada", uid=1002, speaks_for=["agent:reader"], keyed=True)
        self.register("registrar:stores", owner="human:ada", keyed=True)
        self.register("sensor:mood", owner="human:ada", keyed=True)
        self.act(adopt, by="human:ada", document=CONSTITUTION.read_text())
        for resource, attributes in FACTS.items():
            self.former(resource, attributes)

    def former(self, resource: str, attributes: Mapping[str, str | bool | int | None]) -> Event:
        """Register a resource by an event of schema 1, as these histories have it: no act makes one any more."""
        self.now += SECOND
        fields: dict[str, Json] = {"resource": resource, "attributes": dict(attributes)}
        by = "registrar:stores"
        prepared = self.log.read(lambda snapshot: prepare(snapshot, ResourceRegistered1, fields, by=by))
        draft = prepared.sign(self.signer(by))
        return self.log.transact(lambda tx: tx.append(draft))

    def ask(
        self,
        form: str,
        payload: dict[str, Any],
        *,
        uid: int | None = 1001,
        claimed: str | None = None,
        request: str | None = None,
    ) -> Answer:
        self.now += SECOND
        return self.point.decide(Request(Operation(form, payload), uid, claimed, request))

    def do(self, verb: str, target: str, request: str | None = None) -> Answer:
        return self.ask("typed", {"verb": verb, "target": target}, request=request)

    def consent(self, answer: Answer, *, uses: int = 1, by: str = "human:ada") -> Event:
        expires = from_microseconds(self.now + 3600 * SECOND)
        more = {"request": answer.request, "expires": expires, "reason": "looked at it", "uses": uses}
        return self.act(acts.grant_request, EVENTS, by=by, **more)

    def ratify(self) -> Event:
        selector = 'production and reversibility != "irreversible"'
        terms = StandingTerms("agent:ops-7", ("data",), ("update",), "db://prod/stats/**", selector)
        law = vocabulary_of(load_cached(CONSTITUTION.read_text()))
        return self.act(acts.ratify_grant, law, by="human:ada", terms=terms, reason="nightly job")

    def observe(self, interaction: str, c_inst: int | None, *, ago: int = 0, domain: str = "relational") -> None:
        self.now += SECOND
        taken = from_microseconds(self.now - ago * SECOND)
        seen = Seen("agent:reader", "person:r7", domain, interaction, qualifying=True, c_inst=c_inst, taken=taken)
        prepared = self.log.read(lambda snapshot: prepare_observation(snapshot, by="sensor:mood", seen=seen))
        draft = prepared.sign(self.signer("sensor:mood"))
        self.log.transact(lambda tx: observe(tx, EVENTS, draft))

    def reply(self, word: str, request: str) -> Answer:
        payload = {"class": word, "person": "r7", "domain": "relational"}
        return self.ask("conversation", payload, uid=1002, claimed="agent:reader", request=request)

    def checkpoint(self) -> bytes:
        head = self.log.head
        roots = rfc6962.root(head.sha256_peaks), digest.root(head.size, head.blake3_peaks)
        return sign_checkpoint(Checkpoint(self.origin, head.size, *roots), self.log_signer)

    def bundle(self, seq: int, disclose: Disclosure = NEEDED, note: bytes | None = None) -> bytes:
        note = note or self.checkpoint()
        return self.log.read(lambda snapshot: make_bundle(snapshot, EVENTS, VIEWS, seq, note, disclose))

    def policy(self, *, witnessed: bool = False) -> Policy:
        logs = (PolicyLog(self.log_signer.verifier_key),)
        if not witnessed:
            return Policy(logs, (), ())
        return Policy(logs, (PolicyWitness("w1", witness_key()),), (), "w1")

    def pins(self, human: str = "human:ada") -> bytes:
        return f'{human} namespaces="tallystick-*" {self.signer(human).public_key.line()}\n'.encode()


def witness_key() -> VerifierKey:
    return VerifierKey(WITNESS, key(WITNESS).public_key().public_bytes_raw(), COSIGNATURE_V1)


def cosign(note: bytes, time: int = START // SECOND + 3600) -> bytes:
    """Add the witness's line to a checkpoint."""
    text = note.decode().rpartition("\n\n")[0] + "\n"
    signature = be64(time) + key(WITNESS).sign(cosigned_message(time, text))
    return note + NoteSignature(WITNESS, witness_key().key_id, signature).line().encode()


def history(stage: Stage | None = None) -> tuple[Stage, dict[str, int]]:
    """Play the history; give its decisions by what they show."""
    stage = stage or Stage()
    stage.settle()
    told: dict[str, int] = {}

    def tell(name: str, answer: Answer) -> Answer:
        assert answer.decision is not None, answer.trouble
        told[name] = answer.decision
        return answer

    tell("allow-by-rule", stage.do("delete", FIXTURE, request="r-1"))
    held = tell("hold", stage.do("delete", ROW, request="r-2"))
    stage.consent(held)
    tell("allow-by-consent", stage.do("delete", ROW, request="r-3"))
    tell("hold-after-use", stage.do("delete", ROW, request="r-4"))
    stage.ratify()
    tell("allow-by-standing-grant", stage.do("update", "db://prod/stats/7", request="r-5"))
    for number in range(3):
        stage.observe(f"i-{number}", 880_000_000_000_000)
    stage.observe("i-late", 50_000_000_000_000, ago=30)
    tell("trust-floor", stage.reply("accompany", "r-10"))
    tell("always-open", stage.reply("referral", "r-11"))
    tell("deny-unregistered", stage.do("delete", "db://prod/secrets/1", request="r-6"))
    payload = {"verb": "delete", "target": FIXTURE}
    tell("unknown-asker", stage.ask("typed", payload, uid=None, claimed="agent:ops-7", request="r-9"))
    tell("unreadable", stage.ask("shell", {"command": 'eval "$x"'}, request="r-7"))
    stage.do("delete", FIXTURE, request="r-8")
    return stage, told


def files() -> dict[str, bytes]:
    """Make every file of the folder."""
    from tools.dev import golden_lives

    with counted_randomness():
        stage, told = history()
    opened = Disclosure(frozenset({FieldPattern("/args"), FieldPattern("/reason")}))
    note = stage.checkpoint()
    made = {f"{name}.bundle": stage.bundle(seq, note=note) for name, seq in told.items()}
    made["allow-by-consent-disclosed.bundle"] = stage.bundle(told["allow-by-consent"], opened, note)
    made["allow-by-consent-witnessed.bundle"] = stage.bundle(told["allow-by-consent"], NEEDED, cosign(note))
    with counted_randomness():
        stage.now += SECOND
        stage.point.report(Report(told["allow-by-consent"], "failed", 1001, "the disk was full"))
    opened = Disclosure(frozenset({FieldPattern("/note")}))
    made["allow-by-consent-reported.bundle"] = stage.bundle(told["allow-by-consent"], opened)
    made["log.policy"] = stage.policy().text().encode()
    made["witnessed.policy"] = stage.policy(witnessed=True).text().encode()
    made["human.signers"] = stage.pins()
    return made | golden_lives.files()


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    made = files()
    for stale in set(FOLDER.iterdir()) - {FOLDER / name for name in (*made, "README.md", CONSTITUTION.name)}:
        stale.unlink()
    for name, content in made.items():
        (FOLDER / name).write_bytes(content)
    print(f"{len(made)} files in tests/vectors/bundles")


if __name__ == "__main__":
    main()
