"""``tally hold``: forbid erasures, and allow them again.

Source: DESIGN section 8; docs/spec/erasure.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import click

from grants import holding
from grants.book.holds import ALL, EVENT, HOLD
from grants.book.states import HoldState
from grants.events import HoldPlaced
from grants.issue import Prepared
from grants.reading import read_event, read_state
from ledger.event import Registry
from ledger.log import Snapshot
from tools.cli.command import group
from tools.cli.output import counted, emit, table
from tools.cli.params import Signing, sign_act, signing_options
from tools.cli.session import opened
from tools.errors import InputError
from tools.numbers import number
from tools.subjects import events_of, selectors

_PLACE = """\
tally hold place --over person:p-7 --reason 'a claim was announced'
tally hold place --over event:41 --over 'resource:db://prod/users/**' --reason 'inquiry 12'
tally hold place --over all --reason 'the whole ledger is evidence'"""


@dataclass(frozen=True, slots=True)
class Told:
    """One hold as it is listed; ``reason`` is None where it was erased."""

    hold: str
    event: int
    at: str
    by: str
    state: HoldState
    reason: str | None

    @property
    def life(self) -> str:
        """Whether it still stands."""
        return "stands" if self.state.released is None else f"released by event {self.state.released}"


@group("hold", example="tally hold place --over person:p-7 --reason 'a claim was announced'")
def command() -> None:
    """Forbid erasures, and allow them again."""


@command.command("place", example=_PLACE)
@click.option(
    "--over",
    "named",
    required=True,
    multiple=True,
    metavar="NAME|TAG|event:SEQ|all",
    help="What is held: a principal, a person, a tag, one event, or all; repeatable.",
)
@click.option("--reason", required=True, help="Why.")
@signing_options
def place(*, named: tuple[str, ...], reason: str, signing: Signing) -> None:
    """Place a legal hold: nothing of what it is over is erased before it is released.

    It holds the events that are there, and those that come. A tag resource:REF/** holds everything below REF.
    """
    with opened() as ledger:
        over = sorted({one for name in named for one in _over(name)})
        event = sign_act(ledger, signing, lambda look, by: holding.place_hold(look, by=by, over=over, reason=reason))
        covered = ledger.log.read(lambda look: len(events_of(look, over)))
    body = event.body
    hold = body.hold if isinstance(body, HoldPlaced) else ""
    emit(
        {"event": event.seq, "hold": hold, "over": over, "events": covered},
        f"Hold {hold} stands (event {event.seq}). It is over {counted(covered, 'event')} so far: {', '.join(over)}",
    )


@command.command("release", example="tally hold release yPDhJ0bW5mJ4oQ3jV1nSbA --reason 'it was settled'")
@click.argument("hold")
@click.option("--reason", required=True, help="Why.")
@signing_options
def release(hold: str, reason: str, signing: Signing) -> None:
    """Release a hold; the next erasure sees it."""
    with opened() as ledger:

        def act(look: Snapshot, by: str) -> Prepared:
            return holding.release_hold(look, by=by, hold=hold, reason=reason)

        event = sign_act(ledger, signing, act)
    emit({"event": event.seq, "hold": hold, "released": True}, f"Hold {hold} is released (event {event.seq}).")


@command.command("list", example="tally hold list --all")
@click.option("--all", "everything", is_flag=True, help="Those that were released too.")
def list_holds(*, everything: bool) -> None:
    """List the holds that stand."""
    with opened() as ledger:
        found = ledger.log.read(lambda look: sorted(_holds(look, ledger.registry), key=lambda one: one.event))
    shown = [one for one in found if everything or one.state.released is None]
    header = ("HOLD", "EVENT", "AT", "BY", "LIFE", "OVER", "REASON")
    rows = [
        (one.hold, one.event, one.at, one.by, one.life, ", ".join(one.state.over), _reason(one.reason)) for one in shown
    ]
    nothing = "There are no holds." if everything else "No hold stands; --all shows those that were released."
    emit([_data(one) for one in shown], table(header, rows) if rows else nothing)


def _over(name: str) -> tuple[str, ...]:
    if name == ALL:
        return (name,)
    if name.startswith(EVENT):
        seq = number(name.removeprefix(EVENT))
        if seq is None:
            raise InputError(f"an event is named by its place, such as {EVENT}41, and not {name[:40]!a}")
        return (f"{EVENT}{seq}",)
    return selectors(name)


def _holds(look: Snapshot, registry: Registry) -> Iterator[Told]:
    for row in look.states(HOLD):
        state = read_state(look, HOLD, row.key, HoldState)
        event = read_event(look, registry, state.seq) if state else None
        if state is not None and event is not None:
            reason = next((str(one.value) for one in look.openings(state.seq) if one.path == "/reason"), None)
            yield Told(row.key, event.seq, event.at, event.by, state, reason)


def _reason(reason: str | None) -> str:
    return "(erased)" if reason is None else reason


def _data(one: Told) -> dict[str, object]:
    return {
        "hold": one.hold,
        "event": one.event,
        "at": one.at,
        "by": one.by,
        "over": list(one.state.over),
        "released": one.state.released,
        "reason": one.reason,
    }
