"""``tally log``: the events as they stand."""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import click

from ledger import canon, disclosure
from ledger.canon import Json
from ledger.disclosure import Opening
from ledger.errors import CorruptError, DisclosureError
from ledger.event import Event, Registry, SignedBody
from ledger.log import Snapshot
from tools.cli import log_life, log_links, log_prove
from tools.cli.command import group
from tools.cli.output import emit, fields, safe, say, table
from tools.cli.session import opened, session
from tools.erasing import closed
from tools.errors import InputError
from tools.numbers import Number

_EXAMPLE: Final = """\
tally log tail
tally log show 7
tally log show --type decision.made --actor agent:ops-7"""

_VERIFY: Final = """\
tally log show 7
tally log show --tag outcome:deny
tally log show 2 --statement > statement; tally log show 2 --signature > statement.sig
ssh-keygen -Y verify -f signers -I human:owner -n tallystick-resource@v1 -s statement.sig < statement"""

_SHOWN_TAGS: Final = 3
_PAUSE: Final = 1.0
_STRIDE: Final = 500


@dataclass(frozen=True, slots=True)
class Filter:
    """Which events are wanted; what is None says nothing."""

    type: str | None
    actor: str | None
    tag: str | None

    def find(self, snapshot: Snapshot, registry: Registry, start: int, stop: int) -> Iterator[Event]:
        """Give the events from ``start`` up to ``stop`` that are wanted, oldest first."""
        tags = [tag for tag in (self.actor and f"actor:{self.actor}", self.tag) if tag]
        if tags:
            found = set(snapshot.tagged(tags[0])).intersection(*(snapshot.tagged(tag) for tag in tags[1:]))
            events = (read_event(snapshot, registry, seq) for seq in sorted(found) if start <= seq < stop)
        else:
            events = (registry.parse(data) for _, data in snapshot.events(start, stop))
        return (event for event in events if self.type in {None, event.type})

    def last(self, snapshot: Snapshot, registry: Registry, count: int) -> list[Event]:
        """Give the newest events that are wanted, oldest first; from the end, so that a long log costs no more."""
        found: list[Event] = []
        stop = snapshot.head.size
        while stop > 0 and len(found) < count:
            start = max(0, stop - _STRIDE)
            found[:0] = self.find(snapshot, registry, start, stop)
            stop = start
        return found[max(0, len(found) - count) :]


def filter_options(function: Callable[..., int | None]) -> Callable[..., int | None]:
    """Add ``--type``, ``--actor`` and ``--tag``."""
    for option in (
        click.option("--tag", metavar="TAG", help="Only events with this tag, such as resource:db://prod/users."),
        click.option("--actor", metavar="PRINCIPAL", help="Only acts of this principal."),
        click.option("--type", "type_", metavar="TYPE", help="Only events of this type, such as decision.made."),
    ):
        function = option(function)
    return function


@group("log", example=_EXAMPLE)
def command() -> None:
    """Read the events."""


for _more in (log_life.head, log_life.restored, log_links.command, log_prove.command):
    command.add_command(_more)


@command.command("show", example=_VERIFY)
@click.argument("seq", type=Number(), required=False)
@filter_options
@click.option("--from", "start", type=Number(), metavar="N", default=0, help="List from this event on.")
@click.option("--limit", type=Number(1), metavar="N", default=1000, show_default=True, help="List so many at most.")
@click.option("--bytes", "as_bytes", is_flag=True, help="Print the event's exact bytes.")
@click.option("--statement", is_flag=True, help="Print the exact text that was signed.")
@click.option("--signature", is_flag=True, help="Print the signature as ssh-keygen -Y verify reads it.")
def show(  # noqa: PLR0913, PLR0917  (one for each option)
    seq: int | None,
    type_: str | None,
    actor: str | None,
    tag: str | None,
    start: int,
    limit: int,
    as_bytes: bool,
    statement: bool,
    signature: bool,
) -> None:
    """Show one event, or list those that a filter finds.

    With --json an event's "text" is its exact bytes, "opened" what is kept of its disclosable fields, and "closed" why
    the others are not.
    """
    if seq is None:
        if as_bytes or statement or signature:
            raise click.UsageError("--bytes, --statement and --signature are about one event: give its number")
        _list(Filter(type_, actor, tag), start, limit)
        return
    with opened() as ledger:
        event, openings, gone = ledger.log.read(lambda look: _looked_at(look, ledger.registry, seq))
    if as_bytes:
        _exact(event.data)
    elif statement or signature:
        body = event.body
        if not isinstance(body, SignedBody):
            raise InputError(f"event {seq} is {event.type}, which nobody signs: the ledger itself appended it")
        _exact(body.statement() if statement else body.signed.armour.encode())
    else:
        opened_values = _opened(event, openings)
        data = {**summary(event), "text": event.data.decode(), "opened": opened_values, "closed": gone}
        emit(data, _page(event, opened_values, gone))


@command.command("tail", example="tally log tail -n 3\ntally log tail -f --type decision.made --json")
@filter_options
@click.option("-n", "--lines", type=Number(), metavar="N", default=10, show_default=True, help="So many events.")
@click.option("-f", "--follow", is_flag=True, help="Wait for more, until interrupted.")
def tail(type_: str | None, actor: str | None, tag: str | None, lines: int, follow: bool) -> None:
    """Show the newest events, and with -f those that come."""
    wanted = Filter(type_, actor, tag)
    with opened() as ledger:

        def newest(snapshot: Snapshot) -> tuple[list[Event], int]:
            return wanted.last(snapshot, ledger.registry, lines), snapshot.head.size

        def later(snapshot: Snapshot) -> tuple[list[Event], int]:
            return list(wanted.find(snapshot, ledger.registry, size, snapshot.head.size)), snapshot.head.size

        events, size = ledger.log.read(newest)
        _rows(events)
        while follow:
            sys.stdout.flush()
            time.sleep(_PAUSE)
            events, size = ledger.log.read(later)
            for event in events:
                emit(summary(event), "  ".join(map(safe, _row(event))))


def read_event(snapshot: Snapshot, registry: Registry, seq: int) -> Event:
    """Read one event that must be there.

    Raises:
        InputError: the log is shorter.
        CorruptError: it stands in the place of another.
    """
    data = snapshot.event_bytes(seq)
    if data is None:
        raise InputError(f"the log has {snapshot.head.size} events, the first of which is 0; there is no event {seq}")
    event = registry.parse(data)
    if event.seq != seq:
        raise CorruptError(f"event {event.seq} stands in the place of event {seq}: run tally audit")
    return event


def summary(event: Event) -> dict[str, Json]:
    """Give the envelope and the tags, for a list."""
    return {
        "seq": event.seq,
        "at": event.at,
        "type": event.type,
        "schema": event.body.schema_number,
        "by": event.by,
        "auth": event.auth,
        "via": event.via,
        "request": event.request,
        "causes": list(event.causes),
        "tags": list(event.tags()),
    }


def _list(wanted: Filter, start: int, limit: int) -> None:
    with opened() as ledger:

        def find(snapshot: Snapshot) -> list[Event]:
            found = wanted.find(snapshot, ledger.registry, start, snapshot.head.size)
            return [event for event, _ in zip(found, range(limit + 1), strict=False)]

        events = ledger.log.read(find)
    _rows(events[:limit])
    if len(events) > limit:
        say(f"There are more: add --from {events[limit].seq}.")


def _rows(events: list[Event]) -> None:
    emit([summary(event) for event in events], table(("SEQ", "AT", "TYPE", "BY", "ABOUT"), [_row(e) for e in events]))


def _row(event: Event) -> tuple[str, ...]:
    about = [tag for tag in event.tags() if not tag.startswith("actor:")]
    more = f" +{len(about) - _SHOWN_TAGS}" if len(about) > _SHOWN_TAGS else ""
    return str(event.seq), event.at, event.type, event.by, ", ".join(about[:_SHOWN_TAGS]) + more


def _opened(event: Event, openings: tuple[Opening, ...]) -> dict[str, Json]:
    """Check each opening against its commitment, and give what it opens.

    Raises:
        CorruptError: one does not fit.
    """
    for opening in openings:
        try:
            disclosure.check(event.body, opening)
        except DisclosureError as error:
            raise CorruptError(f"event {event.seq}: {error}: run tally audit") from error
    return {opening.path: opening.value for opening in openings}


def _looked_at(look: Snapshot, registry: Registry, seq: int) -> tuple[Event, tuple[Opening, ...], dict[str, str]]:
    """Read an event, what opens its fields, and why the others are closed."""
    event, openings = read_event(look, registry, seq), tuple(look.openings(seq))
    open_paths = {opening.path for opening in openings}
    gone = {path: closed(look, seq, path) for path, _ in disclosure.paths(event.body) if path not in open_paths}
    return event, openings, gone


def _page(event: Event, opened_values: dict[str, Json], gone: dict[str, str]) -> str:
    pairs: list[tuple[str, object]] = [
        ("event", event.seq),
        ("at", event.at),
        ("type", f"{event.type} (schema {event.body.schema_number})"),
        ("by", f"{event.by} (established by {event.auth})"),
        ("via", event.via),
        ("request", event.request),
        ("causes", ", ".join(map(str, event.causes)) or None),
        ("tags", ", ".join(event.tags())),
    ]
    if isinstance(event.body, SignedBody):
        pairs.append(("namespace", event.body.namespace()))
    body = [(f"  {name}", _spell(value)) for name, value in sorted(event.body.json_form().items())]
    paths = [path for path, _ in disclosure.paths(event.body)]
    shown = [
        (f"  {path}", _spell(opened_values[path]) if path in opened_values else f"({gone[path]})") for path in paths
    ]
    parts = [fields(pairs), "body", fields(body)]
    return "\n".join([*parts, "opened", fields(shown)] if shown else parts)


def _spell(value: Json) -> str:
    return canon.encode(value).decode()


def _exact(data: bytes) -> None:
    """Write bytes as they are, but to a terminal so that they can be seen."""
    if session().json:
        emit({"text": data.decode()})
    elif sys.stdout.isatty():
        click.echo(safe(data.decode(), keep="\n"), nl=not data.endswith(b"\n"))
    else:
        click.echo(data, nl=False)
