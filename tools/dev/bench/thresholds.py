"""What must be reached, and whether it was: worked out from the figures, never written by hand."""

import statistics
from dataclasses import dataclass

from tools.dev.bench import analysing, appending, auditing, deciding, growing, judging, policies, standing
from tools.dev.bench.sheet import POSTGRES, RAW_POSTGRES, RAW_SQLITE, SQLITE, Sheet, power

SLOWER, SHARE, BATCHED = 1.6, 0.5, 50_000
PROOFS, FLAT, CHECKS = 20_000, 1.5, 40_000
TREES, WHOLE, OPENING, MEMORY = 150_000, 40_000, 1000, 300
DIFFERENCE, VERDICT = 1000, 0.5
DECIDED, SHELL, COLD = 5000, 100, 700


@dataclass(frozen=True)
class Threshold:
    """One demand.

    Attributes:
        what: what is asked for.
        asked: the figure that it must reach.
        found: the figure that was measured, or None where nothing was.
        holds: whether it is reached; None where nothing was measured.
    """

    what: str
    asked: str
    found: str | None
    holds: bool | None


def judge(sheet: Sheet, sizes: list[int]) -> list[Threshold]:
    """Hold the figures against every demand."""
    return [
        _ratio(sheet, SQLITE, RAW_SQLITE),
        _ratio(sheet, POSTGRES, RAW_POSTGRES),
        *[_share(sheet, batch, SQLITE, RAW_SQLITE) for batch in appending.BATCHES],
        *[_share(sheet, batch, POSTGRES, RAW_POSTGRES) for batch in appending.BATCHES],
        _least(sheet, appending.log_path(1000), "append 1,000 a transaction, SQLite", BATCHED, "events/s"),
        *[_least(sheet, growing.proving(size), f"proofs, {power(size)} events", PROOFS, "a second") for size in sizes],
        _flat(sheet, sizes),
        *[_least(sheet, growing.checking(size), f"checks, {power(size)} events", CHECKS, "a second") for size in sizes],
        _most(sheet, analysing.ONE_RULE, analysing.ONE_RULE, DIFFERENCE, "ms"),
        _most(sheet, analysing.GRANTS_CHANGED, analysing.GRANTS_CHANGED, DIFFERENCE, "ms"),
        _least(sheet, auditing.TREES, auditing.TREES, TREES, "events/s"),
        _least(sheet, auditing.WHOLE, auditing.WHOLE, WHOLE, "events/s"),
        _most(sheet, growing.opening(sizes[-1]), f"opening, {power(sizes[-1])} events", OPENING, "ms"),
        _most(sheet, growing.MEMORY, f"peak memory, {power(sizes[-1])} events", MEMORY, "MiB"),
        _verdict(sheet, max(policies.SIZES)),
        _level(sheet, standing.SIZES[0], standing.SIZES[-1]),
        _least(sheet, deciding.TOGETHER, f"decided and recorded, {deciding.THREADS} threads", DECIDED, "a second"),
        _most(sheet, deciding.SLOWEST, deciding.SLOWEST, SHELL, "us"),
        _most(sheet, deciding.COLD, deciding.COLD, COLD, "ms"),
    ]


def _ratio(sheet: Sheet, column: str, raw: str) -> Threshold:
    found = sheet.row(appending.SINGLE).ratio(raw, column)
    return _made(
        f"single durable append, {column}, times the raw floor", f"at most {SLOWER}", found, "{:.2f}", most=SLOWER
    )


def _share(sheet: Sheet, batch: int, column: str, raw: str) -> Threshold:
    found = sheet.row(appending.log_path(batch)).ratio(column, raw)
    what = f"append {batch:,} a transaction, {column}, share of the raw floor's rate"
    return _made(what, f"at least {SHARE}", found, "{:.2f}", least=SHARE)


def _least(sheet: Sheet, row: str, what: str, least: float, unit: str) -> Threshold:
    return _made(what, f"at least {least:,} {unit}", sheet.row(row).median(SQLITE), f"{{:,.0f}} {unit}", least=least)


def _most(sheet: Sheet, row: str, what: str, most: float, unit: str) -> Threshold:
    return _made(what, f"at most {most:,} {unit}", sheet.row(row).median(SQLITE), f"{{:,.1f}} {unit}", most=most)


def _flat(sheet: Sheet, sizes: list[int]) -> Threshold:
    """Compare the sizes turn by turn: what disturbs a turn slows them all."""
    turns = list(zip(*(sheet.row(growing.proving(size)).figures.get(SQLITE, ()) for size in sizes), strict=False))
    found = statistics.median(max(turn) / min(turn) for turn in turns) if turns and len(sizes) > 1 else None
    what = f"proofs, quickest over slowest from {power(sizes[0])} to {power(sizes[-1])}"
    return _made(what, f"below {FLAT}", found, "{:.2f}", most=FLAT)


def _verdict(sheet: Sheet, size: int) -> Threshold:
    """Compare with the fastest peer, turn by turn."""
    row = sheet.row(judging.verdict(size))
    peers = [ratio for engine in judging.ENGINES if (ratio := row.ratio(SQLITE, engine)) is not None]
    what = f"verdict under {size} rules, times the fastest peer's"
    return _made(what, f"at most {VERDICT}", max(peers, default=None), "{:.2f}", most=VERDICT)


def _level(sheet: Sheet, few: int, many: int) -> Threshold:
    """Compare many standing grants with few, turn by turn."""
    columns = [sheet.row(standing.row(size)).figures.get(SQLITE, ()) for size in (many, few)]
    ratios = [one / other for one, other in zip(*columns, strict=False)]
    what = f"operation read and judged beside {many:,} standing grants, times beside {few}"
    return _made(what, f"below {FLAT}", statistics.median(ratios) if ratios else None, "{:.2f}", most=FLAT)


def _made(
    what: str, asked: str, found: float | None, form: str, *, least: float | None = None, most: float | None = None
) -> Threshold:
    if found is None:
        return Threshold(what, asked, None, None)
    holds = (least is None or found >= least) and (most is None or found <= most)
    return Threshold(what, asked, form.format(found), holds)
