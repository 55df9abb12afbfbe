"""``tally shadow``: let a candidate constitution judge beside the one in force, and enforce nothing.

Source: docs/spec/shadows.md; docs/guides/constitution.md.
"""

from pathlib import Path

import click

from decisions.amendment.overlay import is_overlay_text
from decisions.shadow import NOT_ENFORCED, acts
from decisions.shadow.events import ShadowStarted, ShadowStopped
from grants.issue import Prepared
from ledger.log import Snapshot
from tools.cli.command import group
from tools.cli.output import counted, emit, table
from tools.cli.params import Signing, sign_act, signing_options
from tools.cli.session import opened
from tools.files import read_text
from tools.numbers import Number
from tools.shadowing import ShadowReport, report

_EXAMPLE = """\
tally shadow start ours.toml
tally shadow report
tally amendment propose --shadow --reason 'a week without surprises'
tally shadow stop"""


@group("shadow", example=_EXAMPLE)
def command() -> None:
    """Let a candidate constitution judge beside the one in force, and enforce nothing.

    Each decision then says what the candidate would have answered. It is put in force by an amendment alone.
    """


@command.command("start", example="tally shadow start ours.toml")
@click.argument("file", type=click.Path(path_type=Path))
@signing_options
def start(file: Path, signing: Signing) -> None:
    """Let the constitution in FILE, or an overlay over the one in force, judge beside it from now on."""
    text = read_text(file)
    overlay = is_overlay_text(text)
    with opened() as ledger:

        def act(look: Snapshot, by: str) -> Prepared:
            return acts.start(look, ledger.registry, by=by, document=text, overlay=overlay)

        event = sign_act(ledger, signing, act)
    body = event.body
    name, digest = (body.name, body.digest) if isinstance(body, ShadowStarted) else ("", "")
    data = {"event": event.seq, "name": name, "digest": digest, "enforced": False}
    emit(data, f"{name} judges beside the constitution in force from now on (event {event.seq}): {NOT_ENFORCED}")


@command.command("stop", example="tally shadow stop")
@signing_options
def stop(signing: Signing) -> None:
    """End the shadow that runs; what it has said stays in the decisions."""
    with opened() as ledger:
        event = sign_act(ledger, signing, lambda look, by: acts.stop(look, by=by))
    body = event.body
    started = body.started if isinstance(body, ShadowStopped) else None
    emit({"event": event.seq, "shadow": started, "runs": False}, f"The shadow of event {started} is ended.")


@command.command("report", example="tally shadow report --examples 5")
@click.option("--shadow", "number", type=Number(), metavar="EVENT", help="Of an earlier one.")
@click.option("--examples", type=click.IntRange(0, 1000), default=3, show_default=True, help="So many of each turn.")
def report_(number: int | None, examples: int) -> None:
    """Count how often the candidate would have answered otherwise: that of the shadow that runs, or ran last."""
    with opened() as ledger:
        found = ledger.log.read(lambda look: report(look, ledger.registry, number, examples))
    emit(found.to_json(), _head(found))
    if found.examples:
        header = ("DECISION", "ASKED FOR", "EFFECTIVE", f"WOULD BE ({NOT_ENFORCED})", "BY RULES")
        rows = [
            (
                one.event.seq,
                one.targets,
                f"{one.body.outcome} {one.body.reason}",
                f"{one.shadow.outcome} {one.shadow.reason}",
                ", ".join(dict.fromkeys(rule.rule for rule in one.shadow.rules)),
            )
            for one in found.examples
        ]
        emit([], table(header, rows))


def _head(found: ShadowReport) -> str:
    life = "runs" if found.runs else "has ended"
    lines = [
        f"{NOT_ENFORCED}: {found.body.name}, the shadow of event {found.started.seq}, {life}.",
        f"{counted(found.decisions, 'decision')}, {found.decisions - found.flips} the same, {found.flips} otherwise.",
    ]
    return "\n".join([*lines, *(f"    {number} {turn}" for turn, number in found.turns.items())])
