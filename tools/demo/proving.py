"""Chapters 9 to 12: nothing of it has to be believed.

Source: DESIGN sections 6 and 9; issue 2 section 7.
"""

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Final

from grants.authority import check_event
from ledger import canon
from ledger.sql.rebuild import rebuild
from tools.audit import audit
from tools.cli.replay import replayed
from tools.demo.page import Page
from tools.demo.stage import Stage
from tools.home import write_new
from tools.proving import check, command_line, prove
from tools.span import Span
from verify.bundle.choice import EVERYTHING
from verify.errors import VerifyError
from verify.views import EVENTS, VIEWS

_WIDTH: Final = 100
_ROW: Final = b"db://prod/users/4711"


def folded(stage: Stage, page: Page) -> None:
    """Rebuild the views."""
    ledger = stage.ledger
    page.tell("The states beside the log are worked out from its events. They are thrown away and folded again.")
    rebuilt = rebuild(ledger.log.engine, ledger.registry, ledger.views)
    digest = canon.to_base64url(rebuilt.after)
    page.show([f"{rebuilt.events} events, {rebuilt.states} states, digest {digest}"])
    page.expect("the rebuild reaches the same digest", rebuilt.before == rebuilt.after)
    page.facts.update(events=rebuilt.events, states_digest=digest)


def exported(stage: Stage, page: Page) -> None:
    """Export the allowed deletion, and check it as an auditor would."""
    page.tell("The allowed deletion goes to an auditor: a checkpoint is signed, and one file holds the decision, every")
    page.tell("event that the verdict rested on, and the proofs. Checking it takes two small files with the keys that")
    page.tell("she trusts, and no ledger, no network, no clock.")
    proof = prove(stage.ledger, stage.told["allowed"], EVERYTHING)
    file = bundle_file(stage)
    write_new(file, proof.data)
    report = check(stage.home, file.read_bytes())
    page.show([command_line(stage.home, file)])
    page.show(f"{line.status:<12} {line.check:<18} {line.why}" for line in report.lines)
    page.expect("the bundle verifies", report.verified and "decision" not in report.unchecked)
    page.facts.update(bundle_bytes=len(proof.data), decision=proof.decision)


def flipped(stage: Stage, page: Page) -> None:
    """Flip one byte, twice, and find it."""
    page.tell("Somebody would like it to have been another row: one byte of the bundle is changed, 4711 to 4712.")
    told = _refusal(stage, _changed(bundle_file(stage).read_bytes()))
    page.show(told)
    page.expect("the changed bundle is refused", bool(told))

    page.tell("The same in a copy of the database. Before and after, the audit recomputes everything in it:")
    copy = stage.folder / "tampered.db"
    _copy(stage.home.file, copy)
    before = audit(copy, EVENTS, VIEWS, check_event)
    page.expect(f"untouched, all {before.size} events agree with both trees, claims, tags and states", before.ok)
    copy.write_bytes(_changed(copy.read_bytes()))
    after = audit(copy, EVENTS, VIEWS, check_event)
    first = str(after.findings[0]) if after.findings else ""
    page.show([f"first bad row: {first}"])
    page.expect("the changed byte is found, and its row is named", not after.ok and bool(first))
    page.facts.update(bundle_refused=[*told], first_bad_row=first)


def replays(stage: Stage, page: Page) -> None:
    """Decide everything again."""
    page.tell("Every decision of this story is decided again from the states as they stood then.")
    lines = replayed(stage.ledger, None, Span())
    counts = Counter(line.status for line in lines)
    page.show([f"{len(lines)} decisions: {counts['same']} same, {counts['changed']} changed"])
    page.expect("all come out the same", bool(lines) and counts["same"] == len(lines))
    page.facts.update(decisions=len(lines), same=counts["same"])


def bundle_file(stage: Stage) -> Path:
    """Where the exported bundle lies."""
    return stage.folder / "deletion.bundle"


def _changed(data: bytes) -> bytes:
    """Change one byte: the last digit of the row, where it first stands."""
    place = data.index(_ROW) + len(_ROW) - 1
    return data[:place] + b"2" + data[place + 1 :]


def _refusal(stage: Stage, data: bytes) -> list[str]:
    """Say why a bundle is refused, or nothing where it is not."""
    try:
        report = check(stage.home, data)
    except VerifyError as error:
        return [str(error)]
    return [f"FAIL  {name:<18} {_short(report.line(name).why)}" for name in report.failed]


def _short(why: str) -> str:
    return why if len(why) <= _WIDTH else why[: _WIDTH - 3] + "..."


def _copy(database: Path, to: Path) -> None:
    """Copy a database that is in use, whole, into one file."""
    source = sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)
    with closing(source), closing(sqlite3.connect(to)) as target:
        source.backup(target)
