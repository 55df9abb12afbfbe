"""``tally principal``: who may ask and who may sign."""

import pwd
from pathlib import Path
from typing import Final

import click

from grants import acts, life
from grants.book.principals import PRINCIPAL, UID
from grants.book.states import PrincipalState, UidState
from grants.errors import KeyFileError
from grants.identifier import kind_of, parse_principal
from grants.issue import Prepared
from grants.principals import find_principal, last_restored
from grants.reading import read_state
from grants.signer import read_public
from grants.sshkey import PublicKey, parse_line
from ledger.canon import Json
from ledger.event import Event
from ledger.log import Snapshot
from tools.cli.command import group
from tools.cli.output import emit, fields, table
from tools.cli.params import Signing, sign_act, signing_options
from tools.cli.session import opened
from tools.errors import InputError
from tools.numbers import number

_SIGNING: Final = frozenset({"registrar", "sensor", "witness"})

_EXAMPLE: Final = """\
tally principal add agent:ops-7 --name 'night shift' --owner human:owner --uid ops
tally principal list"""

_ADD: Final = """\
tally principal add agent:ops-7 --name 'night shift' --owner human:owner --uid ops
tally principal add service:desk --owner human:owner --uid desk --speaks-for agent:ops-7
tally principal add sensor:mood --owner human:owner --public-key mood.pub"""


@group("principal", example=_EXAMPLE)
def command() -> None:
    """Register who may ask and who may sign.

    A principal is <kind>:<name>; kinds are human, agent, service, registrar, sensor and witness. The id goes into
    every record and is never erased: let it name a function, not a person. The display name is kept apart from it.
    """


@command.command("add", example=_ADD)
@click.argument("principal")
@click.option("--name", help="Display name; the log holds a commitment to it alone.  [default: the id's name]")
@click.option("--owner", metavar="HUMAN", help="The human who answers for it; every kind but human needs one.")
@click.option("--uid", metavar="USER", help="The system user, by name or number, that is this principal.")
@click.option(
    "--public-key",
    "files",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE",
    help="Its .pub file; may be repeated.",
)
@click.option(
    "--speaks-for", multiple=True, metavar="AGENT", help="For a service: an agent it speaks for; may be repeated."
)
@click.option(
    "--through", multiple=True, metavar="SERVICE", help="For an agent: a service that speaks for it; may be repeated."
)
@signing_options
def add(
    principal: str,
    name: str | None,
    owner: str | None,
    uid: str | None,
    files: tuple[Path, ...],
    speaks_for: tuple[str, ...],
    through: tuple[str, ...],
    *,
    signing: Signing,
) -> None:
    """Register a principal; a human signs.

    An agent or service that runs as a system user of its own is recognised by it (--uid), and that user is this
    principal for ever. A service speaks for agents: name them (--speaks-for), or name it when an agent comes later
    (--through). Registrars, sensors and witnesses sign what they say, and need a key (--public-key), and so does a
    human who is to sign.
    """
    if kind_of(parse_principal(principal)) != "human" and owner is None:
        raise InputError(f"somebody answers for {principal}: name the human with --owner")
    if kind_of(parse_principal(principal)) in _SIGNING and not files:
        raise InputError(f"{principal} is to sign what it says: name its key with --public-key FILE.pub")
    keys = [public_key(file) for file in files]
    number = None if uid is None else user(uid)

    def prepare(snapshot: Snapshot, by: str) -> Prepared:
        _check_free(snapshot, principal, number)
        return acts.register_principal(
            snapshot,
            by=by,
            principal=principal,
            name=name or principal.partition(":")[2],
            keys=keys,
            owner=owner,
            uid=number,
            speaks_for=speaks_for,
            through=through,
        )

    with opened() as ledger:
        _done(principal, sign_act(ledger, signing, prepare), "registered")


@command.command("key-add", example="tally principal key-add human:owner ~/.ssh/token.pub")
@click.argument("principal")
@click.argument("file", type=click.Path(path_type=Path))
@signing_options
def key_add(principal: str, file: Path, *, signing: Signing) -> None:
    """Add a further key (a .pub file) to a principal."""
    key = public_key(file)
    with opened() as ledger:
        event = sign_act(
            ledger, signing, lambda snapshot, by: acts.add_key(snapshot, by=by, principal=principal, key=key)
        )
    _done(principal, event, f"key {key.fingerprint} added")


@command.command(
    "key-revoke", example="tally principal key-revoke human:owner SHA256:ISLvNGojFoj/r/FdpkQArcM3rAIO45Eqxb61oJMW2U0"
)
@click.argument("principal")
@click.argument("fingerprint")
@signing_options
def key_revoke(principal: str, fingerprint: str, *, signing: Signing) -> None:
    """End a key: it signs nothing more, and grants that it signed no longer count."""

    def prepare(snapshot: Snapshot, by: str) -> Prepared:
        return acts.revoke_key(snapshot, by=by, principal=principal, fingerprint=fingerprint)

    with opened() as ledger:
        _done(principal, sign_act(ledger, signing, prepare), f"key {fingerprint} ended")


@command.command("confirm", example="tally principal confirm agent:ops-7")
@click.argument("principal")
@click.option("--without", multiple=True, metavar="FINGERPRINT", help="A key that is not to stand; may be repeated.")
@signing_options
def confirm(principal: str, without: tuple[str, ...], *, signing: Signing) -> None:
    """Say that a principal stands, after the log was restored.

    What was lost may have suspended it, or ended one of its keys: until a human says so it asks and signs nothing. The
    statement names the keys that stand.
    """

    def prepare(snapshot: Snapshot, by: str) -> Prepared:
        return life.confirm_principal(snapshot, by=by, principal=principal, without=frozenset(without))

    with opened() as ledger:
        _done(principal, sign_act(ledger, signing, prepare), "stands")


@command.command("suspend", example="tally principal suspend agent:ops-7 --reason 'it ran in a loop'")
@click.argument("principal")
@click.option("--reason", required=True, help="Why; the log holds a commitment to it alone.")
@signing_options
def suspend(principal: str, reason: str, *, signing: Signing) -> None:
    """End a principal: it may ask and sign no more, and does not come back."""

    def prepare(snapshot: Snapshot, by: str) -> Prepared:
        return acts.suspend(snapshot, by=by, principal=principal, reason=reason)

    with opened() as ledger:
        _done(principal, sign_act(ledger, signing, prepare), "suspended")


@command.command("list", example="tally principal list --json")
@click.option("--kind", metavar="KIND", help="Only principals of this kind.")
def list_(kind: str | None) -> None:
    """List every principal."""
    with opened() as ledger:
        rows = ledger.log.read(
            lambda snapshot: [(row.key, PrincipalState.model_validate(row.state)) for row in snapshot.states(PRINCIPAL)]
        )
        restored = ledger.genesis.restored()
    rows = [(key, state) for key, state in rows if kind in {None, state.kind}]
    emit(
        [_data(key, state) for key, state in rows],
        table(
            ("PRINCIPAL", "OWNER", "UID", "KEYS", "SPEAKS FOR", "STATUS"),
            [
                (key, s.owner, s.uid, _live(s, restored), ", ".join(s.speaks_for), _status(s, restored))
                for key, s in rows
            ],
        ),
    )


@command.command("show", example="tally principal show agent:ops-7")
@click.argument("principal")
def show(principal: str) -> None:
    """Show one principal, with its keys and its display name where that was not erased."""
    parse_principal(principal)
    with opened() as ledger:
        state, name, restored = ledger.log.read(
            lambda snapshot: (find_principal(snapshot, principal), _name(snapshot, principal), last_restored(snapshot))
        )
    if state is None:
        raise InputError(f"{principal} is not registered: tally principal list shows who is")
    pairs: list[tuple[str, object]] = [
        ("principal", principal),
        ("name", name),
        ("owner", state.owner),
        ("uid", state.uid),
        ("speaks for", ", ".join(state.speaks_for) or None),
        ("through", ", ".join(state.through) or None),
        ("registered", f"event {state.registered}"),
        ("status", _status(state, restored)),
    ]
    for fingerprint, key in state.keys.items():
        ended = f", ended by event {key.until}" if key.until is not None else ""
        if not ended and not key.holds(restored):
            ended = ", not confirmed since the log was restored"
        pairs.append(("key", f"{fingerprint} from event {key.since}{ended}"))
    emit({**_data(principal, state), "name": name}, fields(pairs))


def public_key(path: Path) -> PublicKey:
    """Read a public key: of a ``.pub`` file, or the line itself where somebody pasted one.

    Raises:
        KeyFileError: it is none.
    """
    text = str(path)
    try:
        return parse_line(text) if text.startswith(("ssh-", "sk-")) and not path.exists() else read_public(path)
    except KeyFileError as error:
        raise KeyFileError(f"{error}; name the .pub file") from error


def user(text: str) -> int:
    """Give the number of a system user.

    Raises:
        InputError: there is no user of that name.
    """
    found = number(text)
    if found is not None:
        return found
    try:
        return pwd.getpwnam(text).pw_uid
    except (KeyError, ValueError) as error:
        raise InputError(f'there is no user "{text}" on this machine: give a name that is, or the number') from error


def _check_free(snapshot: Snapshot, principal: str, number: int | None) -> None:
    if find_principal(snapshot, principal) is not None:
        raise InputError(
            f"{principal} is registered already, and an id is given once: tally principal show {principal}"
        )
    mapped = None if number is None else read_state(snapshot, UID, str(number), UidState)
    if mapped is not None:
        raise InputError(
            f"user {number} is {mapped.principal} already, and a user is one principal: give another --uid"
        )


def _done(principal: str, event: Event, what: str) -> None:
    emit({"principal": principal, "event": event.seq, "at": event.at}, f"{principal} {what} (event {event.seq})")


def _data(principal: str, state: PrincipalState) -> dict[str, Json]:
    return {"principal": principal, **state.json_form()}


def _live(state: PrincipalState, restored: int | None) -> int:
    return sum(key.holds(restored) for key in state.keys.values())


def _status(state: PrincipalState, restored: int | None) -> str:
    if state.suspended is not None:
        return f"suspended by event {state.suspended}"
    return "active" if state.stands(restored) else f"not confirmed since event {restored}"


def _name(snapshot: Snapshot, principal: str) -> str | None:
    state = find_principal(snapshot, principal)
    openings = snapshot.openings(state.registered) if state is not None else ()
    return next((str(opening.value) for opening in openings if opening.path == "/name"), None)
