"""``tally resource``: what the things are that operations touch.

Source: DESIGN section 10; docs/guides/resources.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import click

from decisions import relabelling
from decisions.constitution import Constitution
from decisions.law import law_in_force
from decisions.relabelling import Pending
from grants import acts
from grants.book import resources
from grants.book.states import ResourceState
from grants.issue import Prepared
from grants.reading import read_state
from ledger.event import Event, Registry
from ledger.instant import Instant
from ledger.log import Snapshot
from tools.attributes import check_reference, checked, from_words
from tools.cli import resource_look, resource_tools
from tools.cli.command import group
from tools.cli.output import emit
from tools.cli.params import Act, Signing, actor, sign_act, sign_acts, signing_options
from tools.cli.session import opened
from tools.errors import InputError
from tools.ledger import OpenLedger
from tools.numbers import Number
from tools.resources_file import Entry, read_resources
from tools.show.statement import relabels_text

_EXAMPLE: Final = """\
tally resource add 'file:///srv/app/**' --set environment=dev --set asset=source --set sensitivity=internal \
    --set reversibility=recoverable --set about_people=false --absent purpose
tally resource import resources.toml
tally resource show file:///srv/app/main.py"""

_ADD: Final = """\
tally resource add 'file:///srv/app/tests/**' --set environment=test --set asset=test_fixture \
    --set sensitivity=internal --set reversibility=recoverable --set about_people=false --absent purpose
tally resource add 'db://prod/users/**' --set environment=prod --set asset=business_record \
    --set sensitivity=restricted --set reversibility=irreversible --set about_people=true --set purpose=support"""

_RECLASSIFY: Final = """\
tally resource reclassify 'db://prod/users/**' --set environment=prod --set asset=business_record \
    --set sensitivity=confidential --set reversibility=irreversible --set about_people=true --set purpose=support"""

_CLEAR: Final = """\
tally resource clear file:///srv/app/old
tally resource clear file:///srv/app/old --dry-run"""


@dataclass(frozen=True, slots=True)
class Look:
    """The log as an act finds it, at a time."""

    snapshot: Snapshot
    registry: Registry
    at: Instant

    @property
    def constitution(self) -> Constitution:
        """The constitution in force."""
        return law_in_force(self.snapshot, self.registry).constitution


Acting: TypeAlias = Callable[[Look, str], Prepared]


def label_options(function: Callable[..., int | None]) -> Callable[..., int | None]:
    """Add ``--set``, ``--absent``, ``--within`` and ``--dry-run``."""
    absent = click.option("--absent", multiple=True, metavar="NAME", help="Known to have no such value; repeatable.")
    given = click.option(
        "--set",
        "given",
        multiple=True,
        metavar="NAME=VALUE",
        help="Say an attribute; twice if it has two values.",
    )
    within = click.option(
        "--within", multiple=True, metavar="REF", help="A further place that it lies in and inherits from; repeatable."
    )
    return given(absent(within(dry_run_option(function))))


def dry_run_option(function: Callable[..., int | None]) -> Callable[..., int | None]:
    """Add ``--dry-run``."""
    return click.option("--dry-run", is_flag=True, help="Only show what it would open; sign nothing.")(function)


@group("resource", example=_EXAMPLE)
def command() -> None:
    """Say what the things are that operations touch.

    A resource is named by its reference, such as file:///srv/app/main.py or db://prod/users/42; REFERENCE/** means it
    and everything below it. What nobody says is unknown, and unknown is not allowed. A human or a registrar signs.
    """


@command.command("add", example=_ADD)
@click.argument("reference")
@label_options
@signing_options
def add(
    reference: str,
    given: tuple[str, ...],
    absent: tuple[str, ...],
    within: tuple[str, ...],
    *,
    dry_run: bool,
    signing: Signing,
) -> None:
    """Register a resource or a subtree with its attributes, at version 1.

    What is left unset is inherited from the registered subtrees around it. Where one of them covers it already, this
    changes its labels, and what that opens is shown and signed: anything that opens needs a human.
    """
    said = words(given, absent)

    def act(look: Look, by: str) -> Prepared:
        attributes = from_words(look.constitution, said)
        _registered(look.snapshot, reference)
        return relabelling.register(
            look.snapshot,
            look.registry,
            by=by,
            resource=reference,
            attributes=attributes,
            within=within,
            at=look.at,
        )

    _change(reference, signing, act, "registered", dry_run=dry_run)


@command.command("reclassify", example=_RECLASSIFY)
@click.argument("reference")
@label_options
@signing_options
def reclassify(
    reference: str,
    given: tuple[str, ...],
    absent: tuple[str, ...],
    within: tuple[str, ...],
    *,
    dry_run: bool,
    signing: Signing,
) -> None:
    """Replace all attributes of a resource.

    Its version goes up, and consents for the old one no longer fit. What the change opens, and for how many resources,
    is shown before it is signed; anything that opens needs a human. It brings back what was retired and cleared.
    """
    said = words(given, absent)

    def act(look: Look, by: str) -> Prepared:
        return relabelling.reclassify(
            look.snapshot,
            look.registry,
            by=by,
            resource=reference,
            attributes=from_words(look.constitution, said),
            within=within,
            at=look.at,
        )

    _change(reference, signing, act, "reclassified", dry_run=dry_run)


@command.command("advance", example="tally resource advance db://prod/users")
@click.argument("reference")
@click.option("--to", "version", type=Number(2), metavar="N", help="The new version.  [default: the next one]")
@signing_options
def advance(reference: str, version: int | None, *, signing: Signing) -> None:
    """Record a new version of a resource: consents for the old one no longer fit."""

    def prepare(snapshot: Snapshot, by: str) -> Prepared:
        state = read_state(snapshot, resources.NAME, reference, ResourceState)
        return acts.advance(snapshot, by=by, resource=reference, version=version or (state.version if state else 0) + 1)

    check_reference(reference)
    with opened() as ledger:
        _done(reference, sign_act(ledger, signing, prepare), "has a new version")


@command.command("retire", example="tally resource retire db://prod/users")
@click.argument("reference")
@signing_options
def retire(reference: str, *, signing: Signing) -> None:
    """End a resource: its attributes are unknown from then on, and do not come back."""
    check_reference(reference)
    with opened() as ledger:
        event = sign_act(ledger, signing, lambda snapshot, by: acts.retire(snapshot, by=by, resource=reference))
    _done(reference, event, "retired")


@command.command("clear", example=_CLEAR)
@click.argument("reference")
@dry_run_option
@signing_options
def clear(reference: str, *, dry_run: bool, signing: Signing) -> None:
    """Say of a retired resource that it is of no more concern.

    From then on its name is what the registered subtrees around it are, and an operation on one of them is judged
    without it. What that opens is shown before it is signed; anything that opens needs a human.
    """

    def act(look: Look, by: str) -> Prepared:
        return relabelling.clear(look.snapshot, look.registry, by=by, resource=reference, at=look.at)

    _change(reference, signing, act, "cleared", dry_run=dry_run)


@command.command("import", example="tally resource import resources.toml\ntally resource import inventory.jsonl --yes")
@click.argument("file", type=click.Path(path_type=Path))
@signing_options
def import_(file: Path, *, signing: Signing) -> None:
    """Register many resources at once: all of them, or none.

    FILE is .toml ([[resource]] tables), .csv (a header line) or JSON lines; - reads JSON lines from stdin. Each entry
    has "reference", one key for each attribute, "absent" with the names of those that are known to be absent, and
    "within" with further places. Each registration is a signature and an event of its own, in one transaction.
    """
    entries = read_resources(file)
    with opened() as ledger:
        events = sign_acts(ledger, signing, _registrations(ledger, file, entries))
    emit(
        [{"resource": entry.reference, "event": event.seq} for entry, event in zip(entries, events, strict=True)],
        f"{entries[0].reference} registered (event {events[0].seq})"
        if len(events) == 1
        else f"{len(events)} resources registered (events {events[0].seq} to {events[-1].seq})",
    )


def _registrations(ledger: OpenLedger, file: Path, entries: Sequence[Entry]) -> list[Act]:
    law = ledger.log.read(lambda snapshot: law_in_force(snapshot, ledger.registry))
    at = ledger.now()
    # Each is judged after those before it: so it is when they are appended.
    pending: list[Pending] = []

    def registration(entry: Entry) -> Act:
        try:
            said = from_words(law.constitution, entry.words) | checked(law.constitution, entry.values)
            reference = check_reference(entry.reference)
            within = [check_reference(place) for place in entry.within]
        except ValueError as error:
            raise InputError(f"{file}: {entry.place}: {error}") from error

        def prepare(snapshot: Snapshot, by: str) -> Prepared:
            if not pending:
                pending.append(Pending(snapshot, at))
            _registered(snapshot, reference)
            return pending[0].take(
                relabelling.register(
                    snapshot,
                    ledger.registry,
                    by=by,
                    resource=reference,
                    attributes=said,
                    within=within,
                    at=at,
                    pending=pending[0],
                )
            )

        return prepare

    return [registration(entry) for entry in entries]


def words(given: Sequence[str], absent: Sequence[str]) -> dict[str, Sequence[str] | None]:
    """Read ``--set`` and ``--absent``; an attribute that is set twice has both values.

    Raises:
        InputError: not of the form name=value, or set and absent at once.
    """
    said: dict[str, Sequence[str] | None] = dict.fromkeys(absent)
    for word in given:
        name, equals, value = word.partition("=")
        if not equals:
            raise InputError(f'--set takes name=value, and not "{word}"')
        if name in absent:
            raise InputError(f"{name} stands twice: say it with --set or with --absent")
        said[name] = [*(said.get(name) or ()), value]
    if len(set(absent)) != len(absent):
        raise InputError("an attribute stands twice: say each once with --absent")
    return said


for _more in (resource_look.list_, resource_look.show, resource_tools.tools):
    command.add_command(_more)


def _registered(snapshot: Snapshot, reference: str) -> None:
    state = read_state(snapshot, resources.NAME, reference, ResourceState)
    if state is not None:
        raise InputError(
            f"{reference} is registered already (event {state.registered}): change it with tally resource reclassify"
        )


def _change(reference: str, signing: Signing, act: Acting, what: str, *, dry_run: bool) -> None:
    """Show what a change of labels opens, and where it is more than looked at, sign and append it."""
    check_reference(reference)
    with opened() as ledger:

        def prepare(snapshot: Snapshot, by: str) -> Prepared:
            return act(Look(snapshot, ledger.registry, ledger.now()), by)

        if dry_run:
            prepared = ledger.log.read(lambda snapshot: prepare(snapshot, actor(snapshot, signing.by)))
            told = relabels_text(prepared.fields["relabels"])
            emit({"resource": reference, "relabels": prepared.fields["relabels"]}, f"{reference}: {told}. Not signed.")
            return
        event = sign_act(ledger, signing, prepare)
    _done(reference, event, what)


def _done(reference: str, event: Event, what: str) -> None:
    data: dict[str, object] = {"resource": reference, "event": event.seq, "at": event.at}
    relabels = event.body.json_form().get("relabels")
    told = f": {relabels_text(relabels)}" if relabels is not None else ""
    emit({**data, "relabels": relabels}, f"{reference} {what} (event {event.seq}){told}")
