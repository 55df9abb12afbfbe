"""``tally evidence``: what somebody answers for about a resource or a principal.

Source: DESIGN section 7; docs/guides/resources.md.
"""

from typing import Final

import click

from decisions.law import law_in_force
from grants.book.evidence import check_subject
from grants.events import EvidenceRecorded
from grants.evidence import Attested, record_evidence
from grants.identifier import kind_of, parse_principal
from grants.issue import Prepared
from ledger import instant
from ledger.instant import later
from ledger.log import Snapshot
from tools.attesting import HEADER, check_kind, listed, subjects_of, told
from tools.cli.asking import Span
from tools.cli.command import group
from tools.cli.output import emit, table
from tools.cli.params import Signing, sign_act, signing_options
from tools.cli.session import opened

_EXAMPLE: Final = """\
tally evidence record --kind backup --about 'db://prod/**' --for 1d --report 'restored into a copy and counted'
tally evidence show db://prod/users"""

_RECORD: Final = """\
tally evidence record --kind backup --about 'db://prod/**' --for 1d --report 'restored into a copy and counted' \
    --by sensor:backup --key backup.key
tally evidence record --kind bias_report --about agent:screening-3 --for 365d --report 'report 2026-11, page 4'
tally evidence record --kind bias_report --about agent:screening-3 --for 365d --fails --report 'report 2027-02'"""


@group("evidence", example=_EXAMPLE)
def command() -> None:
    """Record what somebody answers for: backups, assessments, bias reports, audit trails.

    Rules read it, for as long as it is valid; what no valid evidence tells is unknown, and unknown is not allowed.
    Its issuer signs: a human, a registrar or a sensor, whichever the constitution believes.
    """


@command.command("record", example=_RECORD)
@click.option("--kind", required=True, metavar="KIND", help="What is attested, as the constitution names it.")
@click.option("--about", "subject", required=True, metavar="REF|PRINCIPAL", help="What it is about.")
@click.option("--for", "span", type=Span(), required=True, help="How long it is valid, such as 30d.")
@click.option("--from", "start", metavar="INSTANT", help="When it begins to be valid; else now.")
@click.option("--fails", is_flag=True, help="What it stands for was found not to hold.")
@click.option("--report", required=True, metavar="TEXT", help="What was found, or where that lies; can be erased.")
@signing_options
def record(
    *, kind: str, subject: str, span: int, start: str | None, fails: bool, report: str, signing: Signing
) -> None:
    """Record a piece of evidence; it replaces what the same issuer said of the same kind and subject."""
    check_subject(subject)
    with opened() as ledger:
        begins = ledger.now() if start is None else instant.parse(start)
        attested = Attested(kind, subject, not fails, begins, later(begins, span), report)

        def act(snapshot: Snapshot, by: str) -> Prepared:
            constitution = law_in_force(snapshot, ledger.registry).constitution
            check_kind(constitution, kind, subject, kind_of(parse_principal(by)))
            return record_evidence(snapshot, by=by, attested=attested)

        event = sign_act(ledger, signing, act)
    until = event.body.valid_until if isinstance(event.body, EvidenceRecorded) else ""
    emit(
        {"event": event.seq, "kind": kind, "subject": subject, "holds": not fails, "valid_until": until},
        f"{kind} of {subject} is on record until {until} (event {event.seq}).",
    )


@command.command("list", example="tally evidence list --all")
@click.option("--all", "everything", is_flag=True, help="What is not valid now too.")
def list_(*, everything: bool) -> None:
    """List the evidence that is valid now."""
    with opened() as ledger:
        found = ledger.log.read(lambda snapshot: listed(snapshot, ledger.registry, ledger.now()))
    shown = [one for one in found if everything or one.life == "valid"]
    nothing = "There is no evidence." if everything else "No evidence is valid; --all shows what was recorded."
    emit([one.to_json() for one in shown], table(HEADER, [one.row() for one in shown]) if shown else nothing)


@command.command("show", example="tally evidence show db://prod/users")
@click.argument("subject", metavar="REF|PRINCIPAL")
def show(subject: str) -> None:
    """Show what rules find of a resource or a principal now, and the evidence that it comes from."""
    check_subject(subject)
    with opened() as ledger:
        at = ledger.now()
        values, found = ledger.log.read(
            lambda snapshot: (
                told(snapshot, ledger.registry, law_in_force(snapshot, ledger.registry).constitution, subject, at),
                listed(snapshot, ledger.registry, at, subjects_of(subject)),
            )
        )
    emit(
        {
            "subject": subject,
            "attributes": {
                one.name: {"evidence": one.evidence, "value": value, "stamp": stamp} for one, value, stamp in values
            },
            "evidence": [one.to_json() for one in found],
        },
        table(
            ("attribute", "evidence", "value", "of event"),
            [(one.name, one.evidence, _spelt(value), "" if stamp is None else stamp) for one, value, stamp in values],
        ),
    )
    if found:
        emit([], table(HEADER, [one.row() for one in found]))


def _spelt(value: bool | None) -> str:
    return "unknown" if value is None else str(value).lower()
