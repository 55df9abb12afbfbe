"""``tally outcome``: what became of an effect, by the word of the enforcement point that asked.

Source: DESIGN sections 7, 11 and 13; docs/guides/enforce.md.
"""

import os
from typing import cast

import click

from decisions.events import Effect, OutcomeReported
from decisions.outcome import Report, report_outcome
from decisions.pep.refuge import recover
from ledger.canon import Json
from tools.cli.command import group
from tools.cli.output import emit, table
from tools.cli.session import opened
from tools.deciding import decision_point
from tools.errors import InputError
from tools.numbers import Number
from tools.outcomes import open_decisions, outcome_of, spent_by
from tools.spool import FileSpool

_EXAMPLE = """\
tally outcome report 18 done
tally outcome report 18 unknown --note 'the worker was killed'"""


@group("outcome", example="tally outcome report 18 done")
def command() -> None:
    """Report what became of an effect, and list what nobody has told."""


@command.command("report", example=_EXAMPLE)
@click.argument("decision", type=Number())
@click.argument("outcome", type=click.Choice(["done", "failed", "unknown"]))
@click.option("--note", default="", metavar="TEXT", help="What is to be said beside it; it is disclosable.")
def report(decision: int, outcome: str, note: str) -> None:
    """Report what became of a decision's effect, as the system user that asked.

    It closes what the decision has spent. Nothing is given back: whoever wants to try a failed effect once more needs
    another consent. One decision has one outcome; the same one again changes nothing.
    """
    with opened() as ledger:
        told = Report(decision, cast("Effect", outcome), os.getuid(), note)
        found = ledger.log.transact(lambda tx: report_outcome(tx, ledger.registry, told))
    data: dict[str, Json] = {
        "event": found.event,
        "decision": found.decision,
        "outcome": found.outcome,
        "repeated": found.repeated,
    }
    before = " before" if found.repeated else ""
    emit(data, f"Decision {found.decision} was reported {found.outcome}{before} (event {found.event}).")


@command.command("show", example="tally outcome show 18")
@click.argument("decision", type=Number())
def show(decision: int) -> None:
    """Show what was reported of a decision."""
    with opened() as ledger:
        event, spent, openings = ledger.log.read(
            lambda look: (
                found := outcome_of(look, ledger.registry, decision),
                spent_by(look, ledger.registry, decision),
                () if found is None else look.openings(found.seq),
            )
        )
    if event is None or not isinstance(event.body, OutcomeReported):
        raise InputError(f"nothing was reported of decision {decision}: tally outcome list shows what is open")
    note = next((opening.value for opening in openings), None)
    data: dict[str, Json] = {
        "event": event.seq,
        "at": event.at,
        "decision": decision,
        "outcome": event.body.outcome,
        "by": event.by,
        "via": event.via,
        "spent": list(spent),
        "note": note,
    }
    text = f"Decision {decision}: {event.body.outcome}, reported by {event.via or event.by} in event {event.seq}."
    emit(data, text + (f"\nNote: {note}" if note is not None else ""))


@command.command("list", example="tally outcome list")
def list_open() -> None:
    """List the allowed decisions of which nobody has told what became of them.

    What an enforcement point does not report at all stands here too: tally doctor --pep tells which they are.
    """
    with opened() as ledger:
        found = ledger.log.read(lambda look: list(open_decisions(look, ledger.registry)))
    rows = [
        (
            one.event.seq,
            one.event.at,
            one.event.by,
            one.event.via or "",
            len(one.spent),
            ", ".join(action.target for action in one.body.actions),
        )
        for one in found
    ]
    header = ("decision", "since", "by", "via", "spent", "targets")
    emit([one.to_json() for one in found], table(header, rows) if rows else "Every allowed decision has an outcome.")


@command.command("recover", example="tally outcome recover")
def recover_kept() -> None:
    """Record what enforcement points of your user could not record when it happened.

    It is kept beside the ledger, in its directory spool: outcomes, and the fixed words of the class of reply that is
    always open, where they were said without a verdict. An enforcement point does the same when it is asked again.
    """
    with opened() as ledger:
        spool = FileSpool(ledger.home.spool)
        point = decision_point(ledger.log, ledger.registry, os.getuid())
        found = list(recover(point, os.getuid(), spool))
        left = spool.pending()
    data: dict[str, Json] = {"recorded": len(found), "left": len(left)}
    emit(data, f"Recorded: {len(found)}; left: {len(left)}.")
