"""Reading and judging, without recording, as the standing grants of a ledger grow in number.

The grants are those of others, a hundred each, and two of the asker's own, of which one lets the operation pass.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from time import perf_counter_ns

from decisions.appending import append_act
from decisions.law import law_in_force
from decisions.operation import Operation
from decisions.record import DecisionPoint
from grants import acts
from grants.issue import Prepared
from grants.signer import FileSigner
from grants.standing import StandingTerms
from ledger.log import Snapshot
from tools.dev.bench import deciding
from tools.dev.bench.sheet import SQLITE, Sheet
from tools.granting import Foreseen, foresee
from tools.ledger import OpenLedger

SIZES = (10, 10_000)
HUMAN, OWN = deciding.HUMAN, "agent:own"
LIVE: dict[str, str | bool | int | None] = {**deciding.FACTS, "environment": "prod", "asset": "business_record"}
SELECTOR = 'environment == "prod" and reversibility != "irreversible"'
TURNS, EACH, TOGETHER = 7, 200, 500


def row(size: int) -> str:
    """Name the row of decisions beside so many standing grants."""
    return f"standing grants, {size:,} in the ledger: an operation read and judged, median"


def measure(sheet: Sheet, place: Path) -> None:
    """Measure one ledger for each size, turn by turn."""
    ledgers = {}
    for size in SIZES:
        (place / str(size)).mkdir()
        ledgers[size] = _ledger(place / str(size), size)
    for _ in range(TURNS):
        for size, ledger in ledgers.items():
            sheet.add(row(size), "us", SQLITE, _turn(ledger))
    for ledger in ledgers.values():
        ledger.close()


def _turn(ledger: OpenLedger) -> float:
    point, at = DecisionPoint(ledger.log, ledger.registry), ledger.now()

    def work(snapshot: Snapshot) -> list[float]:
        taken = []
        for number in range(EACH):
            operation = Operation("typed", {"verb": "write", "target": f"file:///srv/live/own/{number}"})
            begun = perf_counter_ns()
            found, _ = foresee(snapshot, ledger.registry, point, Foreseen(operation, OWN, None), at)
            taken.append((perf_counter_ns() - begun) / 1000)
            if found.verdict.outcome != "allow" or found.verdict.authority[0].by != "standing":
                raise SystemExit(f"no grant lets the benchmark's operation pass: {found.verdict.reasons}")
        return sorted(taken)

    return ledger.log.read(work)[EACH // 2]


def _ledger(place: Path, size: int) -> OpenLedger:
    ledger, signer = deciding.made(place)

    def register(snapshot: Snapshot) -> Iterator[Prepared]:
        yield acts.register_resource(snapshot, by=HUMAN, resource="file:///srv/live/**", attributes=LIVE)
        yield acts.register_principal(snapshot, by=HUMAN, principal=OWN, owner=HUMAN, name="own")

    _append(ledger, signer, register)
    named = [(OWN, "own"), (OWN, "aside"), *((f"agent:other{at // 100}", f"other{at}") for at in range(size - 2))]
    for start in range(0, size, TOGETHER):
        _append(ledger, signer, lambda snapshot, start=start: _grants(  # type: ignore[misc]
            snapshot, ledger, named[start : start + TOGETHER]))  # fmt: skip
    return ledger


def _grants(snapshot: Snapshot, ledger: OpenLedger, named: Iterable[tuple[str, str]]) -> Iterator[Prepared]:
    vocabulary = law_in_force(snapshot, ledger.registry).vocabulary
    for subject, folder in named:
        terms = StandingTerms(subject, ("file",), ("write",), f"file:///srv/live/{folder}/**", SELECTOR)
        yield acts.ratify_grant(snapshot, vocabulary, by=HUMAN, terms=terms, reason="measuring")


def _append(ledger: OpenLedger, signer: FileSigner, prepare: Callable[[Snapshot], Iterable[Prepared]]) -> None:
    drafts = ledger.log.read(lambda snapshot: [one.sign(signer) for one in prepare(snapshot)])
    ledger.log.transact(lambda tx: [append_act(tx, ledger.registry, draft) for draft in drafts])
