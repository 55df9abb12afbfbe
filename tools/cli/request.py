"""``tally request``: what waits for a human's consent.

Source: DESIGN section 11; docs/guides/approve.md.
"""

import click

from grants import acts
from grants.issue import Prepared
from ledger.canon import Json
from ledger.log import Snapshot
from tools.cli.command import group
from tools.cli.output import emit, table
from tools.cli.params import Signing, sign_act, signing_options
from tools.cli.session import opened
from tools.granting import Pending, request, requests
from tools.numbers import Number
from tools.show.asked import request_text


@group("request", example="tally request show 12")
def command() -> None:
    """See what waits for a human's consent, and refuse it; tally grant issue gives it."""


@command.command("list", example="tally request list")
@click.option("--all", "everything", is_flag=True, help="Those that were answered too.")
def list_requests(*, everything: bool) -> None:
    """List the requests that wait for an answer."""
    with opened() as ledger:
        found = ledger.log.read(lambda snapshot: requests(snapshot, ledger.registry, everything=everything))
    data = [_json(one) for one in found]
    rows = [
        (
            one.event.seq,
            one.state,
            one.event.at,
            "/".join(one.body.subject),
            ", ".join(f"{item.verb} {item.target} v{item.version}" for item in one.body.items),
        )
        for one in found
    ]
    emit(data, table(("request", "state", "since", "asks", "for"), rows) if rows else "Nothing waits for an answer.")


@command.command("show", example="tally request show 12")
@click.argument("number", type=Number())
def show(number: int) -> None:
    """Show one request: who asks, for what exactly, and the operation as it was received."""
    with opened() as ledger:
        found, openings = ledger.log.read(
            lambda snapshot: (request(snapshot, ledger.registry, number), snapshot.openings(number))
        )
    opened_values: dict[str, Json] = {opening.path: opening.value for opening in openings}
    text = request_text(found.event, found.body, openings)
    emit({**_json(found), "opened": opened_values}, f"{text}\nState       {_state(found)}")


@command.command("refuse", example="tally request refuse 12 --reason 'ask again on Monday'")
@click.argument("number", type=Number())
@click.option("--reason", required=True, help="Why.")
@signing_options
def refuse(number: int, reason: str, signing: Signing) -> None:
    """Refuse a request, with your signature."""
    with opened() as ledger:

        def act(snapshot: Snapshot, by: str) -> Prepared:
            request(snapshot, ledger.registry, number)
            return acts.refuse(snapshot, ledger.registry, by=by, request=number, reason=reason)

        event = sign_act(ledger, signing, act)
    emit({"event": event.seq, "request": number, "refused": True}, f"Request {number} is refused (event {event.seq}).")


def _state(one: Pending) -> str:
    return one.state if one.grant is None else f"{one.state}: tally grant show {one.grant}"


def _json(one: Pending) -> dict[str, Json]:
    return {
        "request": one.event.seq,
        "state": one.state,
        "grant": one.grant,
        "at": one.event.at,
        "by": one.event.by,
        "via": one.event.via,
        **one.body.json_form(),
    }
