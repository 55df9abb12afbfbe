"""``tally erase``: delete what disclosable fields hold, for good.

Source: DESIGN section 8; docs/spec/erasure.md.
"""

from dataclasses import dataclass
from typing import Final, cast, get_args

import click

from grants.erasing import Field, erase
from grants.events import BASES, Basis
from grants.issue import Prepared
from ledger import canon
from ledger.errors import StoreError
from ledger.event import Draft
from ledger.log import Snapshot
from tools.cli.command import command as declare
from tools.cli.output import counted, emit, say, table
from tools.cli.params import Signing, actor, check_act, find_key, signed, signing_options
from tools.cli.session import interactive, opened
from tools.erasing import Item, Plan, carry_out, covered, due, fields_named, fields_of, finish, plan, underway
from tools.errors import DeclinedError, InputError, UnattendedError
from tools.ledger import OpenLedger
from tools.numbers import Number
from tools.show.statement import statement_text
from tools.subjects import events_of, selectors

_EXAMPLE: Final = """\
tally erase --event 41 --path /args --basis gdpr-art-17-1-a
tally erase --subject person:p-7 --basis gdpr-art-17-1-b --dry-run
tally erase --due"""

_SHOWN: Final = 120
_HEADER: Final = ("EVENT", "AT", "TYPE", "PATH", "VALUE")
_LEFT: Final = ("EVENT", "PATH", "LEFT BECAUSE")


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants to be erased.

    Attributes:
        seqs: events by their places.
        subjects: whom or what events are about.
        paths: the pointers that are meant; none means all.
        overdue: whether what the retention rules no longer allow is meant.
    """

    seqs: tuple[int, ...]
    subjects: tuple[str, ...]
    paths: tuple[str, ...]
    overdue: bool

    def fields(self, look: Snapshot, ledger: OpenLedger) -> set[Field]:
        """Give the open fields that are meant.

        Raises:
            InputError: an event or a field is named that is not there.
        """
        wanted = set(fields_named(look, ledger.registry, self.seqs, self.paths))
        for subject in self.subjects:
            wanted |= set(fields_of(look, events_of(look, selectors(subject)), self.paths))
        if self.overdue:
            wanted |= {field for field in due(look, ledger.registry, ledger.now()) if covered(field[1], self.paths)}
        return wanted


@declare("erase", example=_EXAMPLE)
@click.option("--event", "seqs", type=Number(), multiple=True, metavar="SEQ", help="Of this event.")
@click.option("--subject", "subjects", multiple=True, metavar="NAME|TAG", help="Of every event about them.")
@click.option("--due", "overdue", is_flag=True, help="Whatever is older than the retention rules allow.")
@click.option("--path", "paths", multiple=True, metavar="PATH", help="Only this field and what lies below it.")
@click.option("--basis", type=click.Choice(get_args(Basis)), metavar="BASIS", help="Why: see tally help legal-bases.")
@click.option("--dry-run", is_flag=True, help="Show what would be erased, and erase nothing.")
@click.option("--scrub", "scrub_only", is_flag=True, help="Finish an erasure whose bytes could not be removed.")
@signing_options
def command(
    *,
    seqs: tuple[int, ...],
    subjects: tuple[str, ...],
    overdue: bool,
    paths: tuple[str, ...],
    basis: str | None,
    dry_run: bool,
    scrub_only: bool,
    signing: Signing,
) -> None:
    """Erase what disclosable fields hold, for good, with your signature.

    The events keep their commitments, and every proof stays valid; nobody can open them any more. A subject is a
    principal (human:bo), a person (person:p-7), or a tag as tally log show lists them. What is under a legal hold, or
    must be kept longer, is left and told; of a named event it refuses the erasure. The same value in a request, its
    consent and its decisions is erased together.
    Afterwards the database is written anew, so that no byte of it is left. Backups, and bundles that were handed out,
    keep what they hold.
    """
    if scrub_only:
        _scrub()
        return
    if not (seqs or subjects or overdue):
        raise click.UsageError("say what to erase: --event, --subject or --due")
    if any(not path.startswith("/") for path in paths):
        raise click.UsageError("--path takes a pointer such as /args")
    if basis is None and (seqs or subjects):
        raise click.UsageError("say with --basis why it may be erased: tally help legal-bases lists the bases")
    ground = cast("Basis", basis or "retention-expired")
    wish = Wish(seqs, subjects, paths, overdue)
    with opened() as ledger:
        if not dry_run:
            ledger.log.check_writable()
        found = ledger.log.read(
            lambda look: plan(look, ledger.registry, wish.fields(look, ledger), ground, ledger.now())
        )
        # Whoever names an event relies on it; where nothing can be erased at all, nobody takes that for done.
        refused = [item for item in found.left if item.seq in seqs or not found.erased]
        if refused:
            raise InputError(refused[0].refused)
        _show(found)
        if dry_run or not found.erased:
            emit(
                {**_data(found, ground), "events": [], "scrubbed": False}, _nothing(found) if not found.erased else None
            )
            return
        drafts = _signed(ledger, signing, found, ground)
        with underway(ledger.home):
            erasures = [event.seq for event in carry_out(ledger, drafts)]
            told = f"Erased {counted(len(found.erased), 'field')} (event {', '.join(map(str, erasures))})."
            say(f"{told} The database is written anew...")
            try:
                finish(ledger)
            except StoreError:
                emit({**_data(found, ground), "events": erasures, "scrubbed": False})
                raise
        kept = ledger.log.read(lambda look: _still_open(look, found))
    emit(
        {**_data(found, ground), "events": erasures, "scrubbed": True},
        f"{told} No byte of them is left in the database.{kept}",
    )


def _signed(ledger: OpenLedger, signing: Signing, found: Plan, basis: Basis) -> list[Draft]:
    """Have the statements read and signed by one who types how many fields are to go."""
    key = find_key(signing.key)
    fields = [item.field for item in found.erased]

    def prepare(look: Snapshot) -> list[Prepared]:
        by = actor(look, signing.by)
        prepared = erase(look, ledger.registry, by=by, fields=fields, basis=basis, at=ledger.now())
        for one in prepared:
            check_act(look, one, key)
        return prepared

    prepared = ledger.log.read(prepare)
    say(f"This will be signed, and can't be undone. {basis}: {BASES[basis]}.")
    for one in prepared:
        say(statement_text(one))
    _ask(len(fields), yes=signing.yes)
    signer = key.open()
    return [signed(one, signer) for one in prepared]


def _ask(count: int, *, yes: bool) -> None:
    if yes:
        return
    if not interactive():
        raise UnattendedError("nobody is here to confirm this: run it at a terminal, or add --yes to sign as it stands")
    answer = click.prompt(f"Type the number of fields to erase them for good ({count})", default="", err=True)
    if str(answer).strip() != str(count):
        raise DeclinedError("not signed; nothing was erased")


def _scrub() -> None:
    with opened() as ledger, underway(ledger.home) as pending:
        finish(ledger)
    emit({"scrubbed": True, "pending": pending}, "The database was written anew: it holds no byte of what was erased.")


def _show(found: Plan) -> None:
    if found.erased:
        emit([], table(_HEADER, [_row(item) for item in found.erased]))
    if found.left:
        say(f"{len(found.left)} fields are left:")
        for item in found.left:
            say(f"  {item.path} of event {item.seq}: {item.refused}")


def _row(item: Item) -> tuple[object, ...]:
    value = canon.encode(item.value).decode()
    shown = value if len(value) <= _SHOWN else f"{value[:_SHOWN]}..."
    told = shown if item.fits else f"{shown} (not what the event committed to: run tally audit)"
    return item.seq, item.at, item.type, item.path, told


def _nothing(found: Plan) -> str:
    return "Nothing is open that could be erased." if not found.left else ""


def _still_open(look: Snapshot, found: Plan) -> str:
    rest = fields_of(look, sorted({item.seq for item in found.erased}), ())
    return f"\nStill open in these events: {', '.join(f'{seq}:{path}' for seq, path in rest)}" if rest else ""


def _data(found: Plan, basis: Basis) -> dict[str, object]:
    return {
        "basis": basis,
        "fields": [{"event": item.seq, "type": item.type, "path": item.path} for item in found.erased],
        "left": [{"event": item.seq, "path": item.path, "why": item.refused} for item in found.left],
    }
