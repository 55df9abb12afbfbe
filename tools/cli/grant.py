"""``tally grant``: give, show and take back grants.

A standing grant applies until it is revoked; a consent answers one operation and is used up.

Source: DESIGN section 11; docs/guides/approve.md.
"""

import os
from collections.abc import Sequence
from typing import Any

import click

from grants import acts
from grants.issue import Prepared
from ledger.disclosure import Opening
from ledger.event import Event
from ledger.instant import later
from ledger.log import Snapshot
from tools.cli import grant_ratify
from tools.cli.asking import Asked, Span, operation_of, operation_options
from tools.cli.command import group
from tools.cli.consenting import sign_consent
from tools.cli.output import emit, table
from tools.cli.params import Signing, sign_act, signing_options
from tools.cli.session import opened
from tools.deciding import decision_point
from tools.granting import Foreseen, Given, grant_foreseen, grants, history, is_consent
from tools.granting import request as find
from tools.ledger import OpenLedger
from tools.numbers import Number
from tools.show.asked import received_lines, request_text
from tools.show.standing import HEADER, history_lines

_ISSUE: str = """\
tally grant issue 12 --for 2h --reason 'she asked to be deleted'
tally grant issue --as agent:ops-7 --sql 'DELETE FROM users WHERE id = 42' --database prod --for 8h --reason tonight"""


@group("grant", example="tally grant issue 12 --for 2h --reason 'she asked to be deleted'")
def command() -> None:
    """Give, show and take back grants."""


@command.command("issue", example=_ISSUE)
@click.argument("request", type=Number(), required=False)
@click.option("--for", "span", type=Span(), required=True, help="How long it holds, such as 2h.")
@click.option("--uses", type=click.IntRange(1, 1000), default=1, show_default=True, help="How often it may be used.")
@click.option("--reason", required=True, help="Why.")
@click.option("--as", "subject", metavar="SUBJECT", help="Who will ask, for an operation that you foresee.")
@click.option("--through", metavar="SERVICE", help="The service that will speak for them.")
@operation_options
@signing_options
def issue(
    *,
    request: int | None,
    span: int,
    uses: int,
    reason: str,
    subject: str | None,
    through: str | None,
    signing: Signing,
    **options: Any,  # noqa: ANN401  (the fields of Asked)
) -> None:
    """Consent to what a REQUEST asks for, or to an operation that you foresee, with your signature."""
    asked = Asked(**options)
    if (request is None) is not asked.given:
        raise click.UsageError("give the number of a request, or say the operation that you foresee, and not both")
    if asked.given and subject is None:
        raise click.UsageError("say with --as who will ask for this operation")
    with opened() as ledger:
        given = Given(reason, later(ledger.now(), span), uses)
        event = (
            _answer(ledger, signing, request, given)
            if request is not None
            else _foresee(ledger, signing, Foreseen(operation_of(asked), subject or "", through), given)
        )
    grant_ratify.given(event, given.expires)


for _more in (grant_ratify.ratify, grant_ratify.sign):
    command.add_command(_more)


@command.command("list", example="tally grant list --all")
@click.option("--all", "everything", is_flag=True, help="Those that have ended too.")
def list_grants(*, everything: bool) -> None:
    """List the grants that are live."""
    with opened() as ledger:
        found = ledger.log.read(lambda s: grants(s, ledger.registry, ledger.now(), everything=everything))
    nothing = "There are no grants." if everything else "No grant is live; --all shows those that have ended."
    emit([one.to_json() for one in found], table(HEADER, [one.row() for one in found]) if found else nothing)


@command.command("show", example="tally grant show yPDhJ0bW5mJ4oQ3jV1nSbA")
@click.argument("grant")
def show(grant: str) -> None:
    """Show the whole life of one grant, from the log, whatever has become of it."""
    with opened() as ledger:
        found = ledger.log.read(lambda snapshot: history(snapshot, ledger.registry, grant))
    lines = [line for event, openings in found for line in history_lines(event, openings)]
    emit({"grant": grant, "events": [_told(*one) for one in found]}, "\n".join([f"Grant {grant}", *lines]))


@command.command("revoke", example="tally grant revoke yPDhJ0bW5mJ4oQ3jV1nSbA --reason 'the job was called off'")
@click.argument("grant")
@click.option("--reason", required=True, help="Why.")
@signing_options
def revoke(grant: str, reason: str, signing: Signing) -> None:
    """Take a grant back; the next decision sees it."""
    with opened() as ledger:

        def act(snapshot: Snapshot, actor: str) -> Prepared:
            if is_consent(snapshot, ledger.registry, grant):
                return acts.revoke_consent(snapshot, ledger.registry, by=actor, grant=grant, reason=reason)
            return acts.revoke_grant(snapshot, by=actor, grant=grant, reason=reason)

        event = sign_act(ledger, signing, act)
    emit({"event": event.seq, "grant": grant, "revoked": True}, f"Grant {grant} is revoked (event {event.seq}).")


def _answer(ledger: OpenLedger, signing: Signing, request: int, given: Given) -> Event:
    def asked(snapshot: Snapshot) -> str:
        found = find(snapshot, ledger.registry, request)
        return request_text(found.event, found.body, snapshot.openings(request))

    def act(snapshot: Snapshot, by: str) -> Prepared:
        find(snapshot, ledger.registry, request)
        return acts.grant_request(
            snapshot,
            ledger.registry,
            by=by,
            request=request,
            reason=given.reason,
            expires=given.expires,
            uses=given.uses,
        )

    return sign_consent(ledger, signing, act, asked=lambda: ledger.log.read(asked))


def _foresee(ledger: OpenLedger, signing: Signing, foreseen: Foreseen, given: Given) -> Event:
    point = decision_point(ledger.log, ledger.registry, os.getuid())

    def act(snapshot: Snapshot, by: str) -> Prepared:
        return grant_foreseen(snapshot, ledger.registry, point, foreseen, given, by=by, at=ledger.now())

    return sign_consent(
        ledger, signing, act, asked=lambda: "\n".join(received_lines(foreseen.operation.content, foreseen=True))
    )


def _told(event: Event, openings: Sequence[Opening]) -> dict[str, Any]:
    return {
        "event": event.seq,
        "at": event.at,
        "type": event.type,
        "by": event.by,
        "body": event.body.json_form(),
        "opened": {opening.path: opening.value for opening in openings},
    }
