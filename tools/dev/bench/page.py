"""The page: docs/benchmarks.md, as Markdown."""

import os
import platform
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from tools.dev.bench.sheet import COLUMNS, Row, Sheet
from tools.dev.bench.thresholds import Threshold

HEAD = """# Benchmarks

`make bench` measures all of this in one run on one machine and writes this page. Machines differ and are noisy: the
ratios are what to look at, each the median over turns in which the two sides took turns. Rates are medians too.

"""

WHAT = """
## What is measured

- A small event has about 270 bytes. A full one takes a claim, is found by three tags and changes one state of a view.
- The raw floor writes the very rows of `events`, `nodes` and `head` that tallystick writes, ready-made, with the same
  fsync, into tables without triggers: through `sqlite3` (WAL, `synchronous=FULL`), and through psycopg (COPY for
  batches, INSERT for one event).
- "Log path alone" is hashing both trees and writing events, nodes and head; what the events' bytes cost is not in it.
  Single appends and full events go the whole way: draft, canonical bytes, claims, tags, views, trees, group commit.
- A proof from the database is read in one query together with its event, and verified from the event's bytes before it
  is handed out. Steady rates are taken once the upper part of the tree is known to the prover; first ones apart.
- What bounds a proof, in microseconds of processor time, taken apart on a like machine: at 10^4 events about 24, of
  which SQLite's query for the event and six siblings takes 7 and the way to it 3, hashing the event and the six nodes
  6, and the positions, the known siblings and the values that are handed out 8. From 10^6 events on, SQLite's cache of
  16 MiB holds the inner pages of both tables but not the outer ones: four to five pages are copied from the system for
  each proof, so that the query takes 16 to 27. At 10^7, 17 known siblings are gathered from memory that no processor
  cache holds, which takes 4 instead of 1. In all that makes 40 to 45 at 10^6 and 46 to 57 at 10^7, the more the longer
  other sizes had the processor's caches in between: twice as long as at 10^4. Mapping the file would save a third of
  the copies, as SQLite maps 2 GiB at most, and is not done: a sector that can't be read would end the process, where
  now it is an error.
- What bounds the first proofs: each reads all siblings up to the lowest node that is known; of 10^7 events about 12.
- What bounds a check, likewise: of 10^7 events 17 in all, of 10^4 events 12. BLAKE3 takes 0.36 from Python for each of
  the 13 to 23 nodes (reset, 0.04; update with 72 bytes, 0.2; digest, 0.1), the walk 0.2; the event, the root and the
  lengths take 4 in all. Each row of checks is of single checks, which share nothing.
- The audit checks a log of full events, without signatures: each of those takes an Ed25519 check besides, some 115
  microseconds.
- A peer's proof is as it hands it out: none of them verifies it first. Every kept proof is checked in the row below.
- A peer's batch row stands beside our log path alone, which comes nearest to what peers do.
- A verdict: every engine has the same rules, allow and deny over attributes of few words, and the same requests, each
  in its own words and ready in its own form; a peer answers yes or no, and ours has its reasons. What it rests on (the
  rules that spoke, the truth of each of their atoms, the nearest changes) is measured apart. cedarpy reuses its parsed
  policies, regorus is compiled for its machine and given JSON, which is the quicker of its two ways.
- Commands of every day are reduced each in a directory that no path was read in before.
- Decisions by many threads are each about another file, under one registration. A typed operation says what it does; a
  shell line is read first.
- Standing grants are those of others but for two. Of the asker's own each is read and its signature's signer looked up,
  whatever it is for: a decision grows by the number of the asker's own.
- What bounds a decision is Python, one thread at a time: some 1,300 calls of functions, of which the two dozen states
  that it reads take a quarter, the event with its commitments, claims, tags and rows a third, and the rules a
  thirtieth.

## What bounds an append

Measured apart from the run above, as the lower tenth of some thousand turns with the files in memory, so that no disk
is in it, on a machine that had other work too: read the parts against each other. Microseconds throughout.

- SQLite, one event: 140, of which the floor is 25. The statements, each with the call that makes it, are 59 of them:
  BEGIN and the head 13 (4 to look whether the file is still the one that was opened), moving the head 13, the event 7,
  the nodes 6, the tag that the floor has none of 5, COMMIT 14. The triggers are 10 to 16 of these. The draft takes 3,
  its canonical bytes 5, claims, tags and states 6, both trees 3 to 5, the group's queue 3. The rest, some 55, is what
  Python takes to pass all that from one function to the next; no single place stands out. The disk's own time is the
  same on both sides: the slower it is, the nearer the two. With a disk that syncs in some 130, it is 372 beside
  172: what Python does takes nearly twice as long with caches that went cold as it waited.
- PostgreSQL, one event: 730, of which the floor is 280. There are two round trips: one takes the lock and reads
  the head, one writes and commits. The triggers are some 200. The rest is the driver's pipeline, which wakes the server
  for each of its five statements, and Python as above.
- SQLite, batches, for each event: its rows 4 without the triggers and 6 with them; both trees 3, which the floor has
  ready-made, as it has the rows.
- PostgreSQL, batches: a row of `nodes` takes 4 by COPY, nearly all of it in the server, and as much for the floor; the
  triggers, which look once at each statement, cost nothing that could be measured.

## What bounds an audit

Microseconds of processor time for a full event, each the least of some turns over a range of 2,048 events, on a machine
whose cores were busy with other work too. A whole run beside such work takes half as much again.

- The trees: 5.7. Reading the event and its two nodes 2.4, nearly all of it SQLite's and the driver's; the hashes of
  a leaf and a node in both trees 2.5, as four calls of two libraries; picking, packing and comparing the rest.
- The contents: 11.7. Reading the event from its bytes 5.8, of which parsing and spelling it again 1.6, the envelope 1,
  the body's model 0.6 and making the event 1; its claims and tags 1.9, which are functions of its type; what they weigh
  1.5, mostly the hash of a claim, which no other event has. The rest is what Python takes to walk over it.
- The states: 3.4. Reading the state before 0.4, the view 0.5, spelling the state after it 0.8; the rest is Python's.
- Claims and tags as they stand, four rows: 4.2, of which SQLite's reading is 1.9 and the hash of the claim 0.8.
- Several cores: the states and the signatures are worked out in order, so by one process, for which the others do all
  the rest. It has to read each folded event again from its bytes, which takes it 9.6 where one process alone takes
  3.4: two cores do 32 instead of 25 in all, and more than four have nothing more to give where every event is folded.
- A rebuild grows both trees, reads and folds each event, and adds up claims and tags as the audit does.
"""

ORDER = (
    *("append one", "append 100 ", "append 1,000 ", "append in bulk"),
    *("inclusion proof from", "the same, the first", "inclusion proof checked"),
    *("open", "bytes", "peak", "audit", "rebuild"),
)
"""How the rows that begin so follow each other; any other comes last, and rows of one kind as they were measured."""

DECIDING = ("verdict", "shell", "operation", "cold start", "standing")
"""How the rows begin that stand in a table of their own."""


def write(sheet: Sheet, thresholds: list[Threshold], plot: str) -> str:
    """Write the page."""
    parts = [
        HEAD,
        _machine(),
        "\n\n## Figures\n\n",
        table(row for row in sheet.rows.values() if not row.what.startswith(DECIDING)),
        "\n## Deciding\n\n",
        table(row for row in sheet.rows.values() if row.what.startswith(DECIDING)),
        "\n## Thresholds\n\n",
        judged(thresholds),
    ]
    parts += [WHAT, "\n## Notes\n\n", *[f"- {note}\n" for note in sheet.notes]]
    parts += [f"\n## Growth\n\n![Rates as the log grows]({plot})\n"]
    return "".join(parts)


def table(rows: Iterable[Row]) -> str:
    """Lay the figures out, a column for each that has any."""
    found = sorted(rows, key=lambda row: next(at for at, one in enumerate((*ORDER, "")) if row.what.startswith(one)))
    columns = [column for column in COLUMNS if any(column in row.figures for row in found)]
    lines = [f"| what | {' | '.join(columns)} |", f"|---|{'---:|' * len(columns)}"]
    for row in found:
        cells = [_spell(row.median(column)) for column in columns]
        lines.append(f"| {row.what} ({row.unit}) | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def judged(thresholds: Iterable[Threshold]) -> str:
    """Say what holds."""
    lines = ["| what | asked | found | holds |", "|---|---|---:|---|"]
    for one in thresholds:
        verdict = "NOT-RUN" if one.holds is None else "yes" if one.holds else "**no**"
        lines.append(f"| {one.what} | {one.asked} | {one.found or ''} | {verdict} |")
    return "\n".join(lines) + "\n"


def _spell(figure: float | None) -> str:
    if figure is None:
        return ""
    return f"{figure:,.0f}" if figure >= 100 else f"{figure:,.1f}"


def _machine() -> str:
    return (
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {platform.system()} on "
        f"{platform.machine()}, {os.cpu_count()} cores."
    )


def save(sheet: Sheet, thresholds: list[Threshold], page: Path, drawing: str) -> None:
    """Write the page and the plot beside it."""
    plot = page.with_name("benchmarks.svg")
    plot.write_text(drawing, "utf-8")
    page.write_text(write(sheet, thresholds, plot.name), "utf-8")
