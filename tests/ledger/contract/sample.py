"""Small event types and views that touch every table, and ways to look at the whole of a log."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any, ClassVar

from pydantic import Field

from ledger import digest, mmr, rfc6962
from ledger.disclosure import Disclosable, Opening
from ledger.errors import ViewError
from ledger.event import Body, Draft, Event, Frozen, Many, Registry
from ledger.log import Log, Snapshot
from ledger.view import State, states_digest

START = 1_800_000_000_000_000
SECOND = 1_000_000


class Moved(Body):
    """Something moved on an account."""

    type: ClassVar[str] = "test.moved"

    account: str
    amount: Annotated[int, Field(ge=-1000, le=1000)]
    once: str | None
    labels: Annotated[tuple[str, ...], Many]
    note: Disclosable | None

    def claims(self, by: str, request: str | None) -> Iterable[str]:
        if self.once is not None:
            yield f"once:{self.once}"

    def tags(self) -> Iterable[str]:
        yield f"account:{self.account}"
        yield from (f"label:{label}" for label in self.labels)


class Closed(Body):
    """An account takes no more."""

    type: ClassVar[str] = "test.closed"

    account: str


class ErasedField(Frozen):
    """One that is taken away."""

    event: int
    path: str


class Erased(Body):
    """Openings are taken away, in the form that databases look for."""

    type: ClassVar[str] = "fields.erased"

    fields: Annotated[tuple[ErasedField, ...], Many]

    def erases(self) -> Iterable[tuple[int, str]]:
        return ((field.event, field.path) for field in self.fields)


class Balances:
    """What each account holds."""

    name = "balance"

    def keys(self, event: Event) -> Iterable[str]:
        return (event.body.account,) if isinstance(event.body, Moved | Closed) else ()

    def apply(self, key: str, state: State | None, event: Event) -> State:
        before = state or {"sum": 0, "closed": False}
        if before["closed"]:
            raise ViewError(f"{key} is closed")
        if isinstance(event.body, Closed):
            return {**before, "closed": True}
        assert isinstance(event.body, Moved)
        assert isinstance(before["sum"], int)
        return {**before, "sum": before["sum"] + event.body.amount}


class Actors:
    """How often each actor acted, and all together."""

    name = "actor"

    def keys(self, event: Event) -> Iterable[str]:
        return (event.by, "all")

    def apply(self, key: str, state: State | None, event: Event) -> State:
        count = (state or {"count": 0})["count"]
        assert isinstance(count, int)
        return {"count": count + 1, "last": event.seq}


VIEWS = (Balances(), Actors())
REGISTRY = Registry(Moved, Closed, Erased)


class Clock:
    """A clock that is set by hand."""

    def __init__(self, now: int = START) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now


def moved(
    account: str = "a",
    amount: int = 1,
    *,
    once: str | None = None,
    labels: tuple[str, ...] = (),
    note: str | None = None,
    by: str = "agent:one",
    causes: tuple[int, ...] = (),
) -> Draft:
    opening = None if note is None else Opening.fresh("/note", note)
    body = Moved(
        account=account,
        amount=amount,
        once=once,
        labels=labels,
        note=opening.commitment() if opening else None,
    )
    return Draft(body, by, "claimed", causes=causes, openings=(opening,) if opening else ())


def closed(account: str = "a", *, by: str = "agent:one") -> Draft:
    return Draft(Closed(account=account), by, "claimed")


def erased(*fields: tuple[int, str], by: str = "agent:one") -> Draft:
    return Draft(Erased(fields=tuple(ErasedField(event=seq, path=path) for seq, path in fields)), by, "claimed")


def append(log: Log, *drafts: Draft) -> list[Event]:
    return log.transact(lambda tx: [tx.append(draft) for draft in drafts])


def everything(log: Log) -> dict[str, Any]:
    """Give all that a log shows of itself."""
    return log.read(whole)


def whole(snapshot: Snapshot) -> dict[str, Any]:
    events = [REGISTRY.parse(data) for _, data in snapshot.events()]
    tags = {tag for event in events for tag in event.tags()}
    states = [row for view in VIEWS for row in snapshot.states(view.name)]
    positions = range(mmr.size(snapshot.head.size))
    return {
        "head": snapshot.head,
        "events": [event.data for event in events],
        "claims": {key: snapshot.claimed(key) for event in events for key in event.claims()},
        "tags": {tag: list(snapshot.tagged(tag)) for tag in tags},
        "states": states,
        "digest": states_digest(states),
        "openings": {event.seq: list(snapshot.openings(event.seq)) for event in events},
        "blake3": snapshot.nodes("blake3").read(positions),
        "sha256": snapshot.nodes("sha256").read(positions),
        "root": digest.root(snapshot.head.size, snapshot.head.blake3_peaks),
        "twin": rfc6962.root(snapshot.head.sha256_peaks),
        "checkpoints": list(snapshot.checkpoints()),
        "newest": snapshot.newest_checkpoint(),
        "timestamps": {size: list(snapshot.timestamps(size)) for size, _ in snapshot.checkpoints()},
        "cosignatures": {size: list(snapshot.cosignatures(size)) for size, _ in snapshot.checkpoints()},
    }


MakeLog = Callable[[], Log]
