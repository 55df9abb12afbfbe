"""``tally resource``: what the things are that operations touch."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import click

from decisions.law import law_in_force
from grants import acts
from grants.book import resources
from grants.book.states import ResourceState
from grants.events import Attributes
from grants.identifier import code_points
from grants.issue import Prepared
from grants.reading import read_state
from grants.reference import Pattern, candidates
from ledger.canon import Json
from ledger.event import Event
from ledger.log import Snapshot
from tools.attributes import check_reference, checked, from_words
from tools.cli.command import group
from tools.cli.output import emit, fields, table
from tools.cli.params import Act, Signing, sign_act, sign_acts, signing_options
from tools.cli.session import opened
from tools.errors import InputError
from tools.resources_file import read_resources

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

Said = Callable[[Snapshot, str, Attributes], Prepared]


def attribute_options(function: Callable[..., int | None]) -> Callable[..., int | None]:
    """Add ``--set`` and ``--absent``."""
    absent = click.option("--absent", multiple=True, metavar="NAME", help="Known to have no such value; repeatable.")
    given = click.option("--set", "given", multiple=True, metavar="NAME=VALUE", help="Say an attribute; repeatable.")
    return given(absent(function))


@group("resource", example=_EXAMPLE)
def command() -> None:
    """Say what the things are that operations touch.

    A resource is named by its reference, such as file:///srv/app/main.py or db://prod/users/42; REFERENCE/** means it
    and everything below it. What nobody says is unknown, and unknown is not allowed. A human or a registrar signs.
    """


@command.command("add", example=_ADD)
@click.argument("reference")
@attribute_options
@signing_options
def add(reference: str, given: tuple[str, ...], absent: tuple[str, ...], *, signing: Signing) -> None:
    """Register a resource or a subtree with its attributes, at version 1."""

    def act(snapshot: Snapshot, by: str, attributes: Attributes) -> Prepared:
        return _registration(reference, attributes)(snapshot, by)

    _say(reference, words(given, absent), signing, act, "registered")


@command.command("reclassify", example=_RECLASSIFY)
@click.argument("reference")
@attribute_options
@signing_options
def reclassify(reference: str, given: tuple[str, ...], absent: tuple[str, ...], *, signing: Signing) -> None:
    """Replace all attributes of a resource.

    Its version goes up, and consents for the old one no longer fit.
    """

    def act(snapshot: Snapshot, by: str, attributes: Attributes) -> Prepared:
        return acts.reclassify(snapshot, by=by, resource=reference, attributes=attributes)

    _say(reference, words(given, absent), signing, act, "reclassified")


@command.command("advance", example="tally resource advance db://prod/users")
@click.argument("reference")
@click.option(
    "--to", "version", type=click.IntRange(min=2), metavar="N", help="The new version.  [default: the next one]"
)
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


@command.command("import", example="tally resource import resources.toml\ntally resource import inventory.jsonl --yes")
@click.argument("file", type=click.Path(path_type=Path))
@signing_options
def import_(file: Path, *, signing: Signing) -> None:
    """Register many resources at once: all of them, or none.

    FILE is .toml ([[resource]] tables), .csv (a header line) or JSON lines; - reads JSON lines from stdin. Each entry
    has "reference", one key for each attribute, and "absent" with the names of those that are known to be absent.
    Each registration is a signature and an event of its own, in one transaction.
    """
    entries = read_resources(file)
    with opened() as ledger:
        law = ledger.log.read(lambda snapshot: law_in_force(snapshot, ledger.registry))
        registrations = []
        for entry in entries:
            try:
                said = from_words(law.constitution, entry.words) | checked(law.constitution, entry.values)
                registrations.append(_registration(check_reference(entry.reference), said))
            except ValueError as error:
                raise InputError(f"{file}: {entry.place}: {error}") from error
        events = sign_acts(ledger, signing, registrations)
    emit(
        [{"resource": entry.reference, "event": event.seq} for entry, event in zip(entries, events, strict=True)],
        f"{entries[0].reference} registered (event {events[0].seq})"
        if len(events) == 1
        else f"{len(events)} resources registered (events {events[0].seq} to {events[-1].seq})",
    )


@command.command("list", example="tally resource list --under db://prod")
@click.option("--under", metavar="REFERENCE", help="Only what is registered at or below this.")
@click.option("--retired", is_flag=True, help="Those that were retired as well.")
def list_(under: str | None, retired: bool) -> None:
    """List what is registered."""
    root = Pattern.parse(under.removesuffix("/**") + "/**") if under else None
    with opened() as ledger:
        rows = ledger.log.read(
            lambda snapshot: [
                (row.key, ResourceState.model_validate(row.state)) for row in snapshot.states(resources.NAME)
            ]
        )
    rows = [
        (key, state)
        for key, state in rows
        if (retired or not state.retired) and (root is None or root.covers(Pattern.parse(key).reference))
    ]
    emit(
        [_data(key, state) for key, state in rows],
        table(
            ("RESOURCE", "VERSION", "STATUS", "ATTRIBUTES"),
            [(key, s.version, "retired" if s.retired else "", spelled(s.attributes)) for key, s in rows],
        ),
    )


@command.command("show", example="tally resource show file:///srv/app/main.py")
@click.argument("reference")
def show(reference: str) -> None:
    """Show what a decision about a resource would read.

    The nearest registration applies: of the resource itself, else of the smallest subtree around it. A name beyond
    ASCII is shown with its code points, so that look-alikes differ.
    """
    pattern = Pattern.parse(reference)
    looked = (reference,) if pattern.subtree else candidates(pattern.reference)
    with opened() as ledger:
        found = ledger.log.read(lambda snapshot: _nearest(snapshot, looked))
    pairs: list[tuple[str, object]] = [("reference", reference)]
    if not reference.isascii():
        pairs.append(("code points", code_points(reference)))
    if found is None:
        pairs.append(("applies", "no registration: everything about it is unknown"))
        emit({"reference": reference, "looked": list(looked), "registration": None}, fields(pairs))
        return
    key, state = found
    status = "retired: everything about it is unknown" if state.retired else None
    changed = f"event {state.changed}"
    pairs += [("applies", key), ("status", status), ("version", state.version), ("changed", changed)]
    if not state.retired:
        pairs += [(f"  {name}", _spell(value)) for name, value in state.attributes.items()]
    pairs.append(("looked at", ", ".join(looked[: looked.index(key) + 1])))
    emit({"reference": reference, "looked": list(looked), "registration": _data(key, state)}, fields(pairs))


def words(given: Sequence[str], absent: Sequence[str]) -> dict[str, str | None]:
    """Read ``--set`` and ``--absent``.

    Raises:
        InputError: not of the form name=value, or a name twice.
    """
    pairs: list[tuple[str, str | None]] = [(name, None) for name in absent]
    for word in given:
        name, equals, value = word.partition("=")
        if not equals:
            raise InputError(f'--set takes name=value, and not "{word}"')
        pairs.append((name, value))
    said = dict(pairs)
    if len(said) != len(pairs):
        raise InputError("an attribute stands twice: say each once, with --set or with --absent")
    return said


def spelled(attributes: Attributes) -> str:
    """Spell attributes on one line, as they would be written on the command line."""
    return " ".join(f"{name}={_spell(value)}" for name, value in attributes.items())


def _spell(value: str | bool | int | None) -> str:
    if value is None:
        return "(absent)"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _registration(reference: str, attributes: Attributes) -> Act:
    def prepare(snapshot: Snapshot, by: str) -> Prepared:
        state = read_state(snapshot, resources.NAME, reference, ResourceState)
        if state is not None:
            raise InputError(
                f"{reference} is registered already (event {state.registered}): "
                "change it with tally resource reclassify"
            )
        return acts.register_resource(snapshot, by=by, resource=reference, attributes=attributes)

    return prepare


def _say(reference: str, said: Mapping[str, str | None], signing: Signing, act: Said, what: str) -> None:
    check_reference(reference)
    with opened() as ledger:

        def prepare(snapshot: Snapshot, by: str) -> Prepared:
            law = law_in_force(snapshot, ledger.registry)
            return act(snapshot, by, from_words(law.constitution, said))

        _done(reference, sign_act(ledger, signing, prepare), what)


def _nearest(snapshot: Snapshot, looked: Sequence[str]) -> tuple[str, ResourceState] | None:
    """Find the registration that a decision would read; one that was retired hides what lies around it."""
    for key in looked:
        state = read_state(snapshot, resources.NAME, key, ResourceState)
        if state is not None:
            return key, state
    return None


def _done(reference: str, event: Event, what: str) -> None:
    emit({"resource": reference, "event": event.seq, "at": event.at}, f"{reference} {what} (event {event.seq})")


def _data(key: str, state: ResourceState) -> dict[str, Json]:
    return {"resource": key, **state.json_form()}
