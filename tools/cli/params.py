"""The options that commands share, and how a person is asked to sign.

A person sees the exact statement that will be signed, with the opened value under each commitment, before the key is
used. Without a terminal nothing is asked: ``--yes`` says in advance that the statement is right.

Source: DESIGN sections 8 and 11.
"""

import functools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import click

from decisions.appending import append_act
from grants.authority import check_relation
from grants.book.principals import PRINCIPAL, UID
from grants.book.states import PrincipalState, UidState
from grants.errors import AuthorityError, KeyFileError
from grants.identifier import parse_principal
from grants.issue import Prepared
from grants.principals import last_restored
from grants.reading import read_state
from grants.signer import FileSigner, Signer, SshKeygenSigner, read_public
from grants.sshkey import PublicKey, public_half
from ledger.canon import Json
from ledger.event import Draft, Event, SignedBody
from ledger.log import Snapshot
from tools.cli.output import progress, safe, say
from tools.cli.session import interactive
from tools.errors import DeclinedError, UnattendedError
from tools.ledger import OpenLedger
from tools.show.statement import statement_text

F = TypeVar("F", bound=Callable[..., Any])

Act: TypeAlias = Callable[[Snapshot, str], Prepared]
"""Prepares an act against a snapshot, for the principal whose act it is."""

SHOWN = 20
"""So many statements are shown in full where more are signed at once."""


@dataclass(frozen=True, slots=True)
class Signing:
    """How an act is to be signed.

    Attributes:
        key: the key file, or the ``.pub`` file of a key that lives in an agent or a token.
        by: whose act it is; None for the principal of the operating system user.
        yes: whether the statement is right without being looked at.
    """

    key: Path
    by: str | None
    yes: bool


def key_option(function: F) -> F:
    """Add ``--key``."""
    return click.option(
        "--key",
        type=click.Path(path_type=Path),
        default=lambda: Path.home() / ".ssh" / "id_ed25519",
        envvar="TALLY_KEY",
        metavar="FILE",
        help="The ssh key to sign with, or its .pub file where the key lives in an agent; else $TALLY_KEY, else "
        "~/.ssh/id_ed25519.",
    )(function)


def yes_option(function: F) -> F:
    """Add ``--yes``."""
    return click.option("--yes", "-y", is_flag=True, help="Sign without asking.")(function)


def signing_options(function: Callable[..., int | None]) -> Callable[..., int | None]:
    """Add ``--key``, ``--by`` and ``--yes``, which the command takes together as ``signing``."""

    @functools.wraps(function)
    def taking(*args: object, key: Path, by: str | None, yes: bool, **more: object) -> int | None:
        return function(*args, signing=Signing(key, by, yes), **more)

    by_option = click.option("--by", metavar="PRINCIPAL", help="Whose act it is; else the principal of your user.")
    return key_option(by_option(yes_option(taking)))


def load_signer(path: Path) -> Signer:
    """Give who signs with a key: this program, or ssh-keygen for keys in an agent and on a token.

    Raises:
        KeyFileError: the key can't be used; the message says what to do.
    """
    beside = path.with_name(path.name + ".pub")
    if path.suffix == ".pub":
        return SshKeygenSigner.load(path)
    if beside.exists() and (not path.exists() or read_public(beside).hardware):
        return SshKeygenSigner.load(path if path.exists() else beside)
    check_key(path)
    return FileSigner.load(path, lambda: _passphrase(path))


@dataclass(frozen=True, slots=True)
class Key:
    """The key that will sign, as far as it can be known before anybody has read what it signs.

    Attributes:
        path: its file.
        public: its public half.
        signer: who signs with it, or None where a passphrase must be asked for first.
    """

    path: Path
    public: PublicKey
    signer: Signer | None

    def open(self) -> Signer:
        """Give who signs with it.

        Raises:
            KeyFileError: it can't be opened.
            UnattendedError: it has a passphrase, and nobody is there to enter it.
        """
        return self.signer or load_signer(self.path)


def find_key(path: Path) -> Key:
    """Look at a key without asking for its passphrase.

    Raises:
        KeyFileError: it is not there or can't be used.
    """
    check_key(path)
    if path.suffix != ".pub" and path.exists():
        try:
            public, sealed = public_half(path.read_text("ascii", errors="replace"))
        except (KeyFileError, OSError):
            sealed, public = False, None  # what is wrong with it is said by whoever opens it
        if sealed and public is not None and not public.hardware:
            return Key(path, public, None)
    signer = load_signer(path)
    return Key(path, signer.public_key, signer)


def check_key(path: Path) -> None:
    """Refuse a key of which no file is there.

    Raises:
        KeyFileError: neither the key nor its public half is there.
    """
    if not path.exists() and not path.with_name(path.name + ".pub").exists():
        raise KeyFileError(f"{path} is not there: name a key with --key, or make one with ssh-keygen -t ed25519")


def check_act(snapshot: Snapshot, prepared: Prepared, key: Key) -> None:
    """Refuse what would be refused after it was signed: another's key, an owner who is none, a consent to oneself.

    Raises:
        AuthorityError: this principal or key may not do this.
    """
    fingerprint = key.public.fingerprint
    if fingerprint not in prepared.keys:
        restored = last_restored(snapshot)
        whose = [row.key for row in snapshot.states(PRINCIPAL) if _holds(row.state, fingerprint, restored)]
        advice = f": it is of {whose[0]}, so add --by {whose[0]}, or name" if whose else ": name"
        raise AuthorityError(f"{key.path} ({fingerprint}) is no key of {prepared.by}{advice} another key with --key")
    body = prepared.draft({"key": fingerprint, "armour": ""}).body
    if isinstance(body, SignedBody):
        check_relation(snapshot, body, prepared.by, snapshot.head.size)


def signed(prepared: Prepared, signer: Signer) -> Draft:
    """Have a statement signed.

    Raises:
        KeyFileError: the key can't be used; where it should live in an agent, the message says how it gets there.
    """
    try:
        return prepared.sign(signer)
    except KeyFileError as error:
        if not isinstance(signer, SshKeygenSigner) or signer.path.suffix != ".pub":
            raise
        raise KeyFileError(f"{error}: is the key in your agent? ssh-add -l shows, ssh-add FILE adds it") from error


def actor(snapshot: Snapshot, by: str | None) -> str:
    """Give whose act it is: the one that is named, else the principal of the operating system user.

    Raises:
        IdentifierError: what is named is no principal id.
        AuthorityError: the user is no principal here.
    """
    if by is not None:
        return parse_principal(by)
    mapped = read_state(snapshot, UID, str(os.getuid()), UidState)
    if mapped is None:
        raise AuthorityError(f"user {os.getuid()} is no principal of this ledger: say whose act it is with --by")
    return mapped.principal


def sign_act(ledger: OpenLedger, signing: Signing, act: Act) -> Event:
    """Prepare an act, show its statement, ask, sign, and append it.

    Raises:
        AuthorityError: this principal or key may not do this.
        IssueError: it breaks its schema, or contradicts what stands.
        UnattendedError: nobody is there to be asked.
        DeclinedError: the person said no.
    """
    return sign_acts(ledger, signing, [act])[0]


def sign_acts(ledger: OpenLedger, signing: Signing, acts: Sequence[Act]) -> list[Event]:
    """Do several acts, all or none: one question, a signature each, one transaction."""
    # Nobody reads a text that can't be signed afterwards, and no key is opened for a text that nobody has read.
    key = find_key(signing.key)

    def prepare(snapshot: Snapshot) -> list[Prepared]:
        by = actor(snapshot, signing.by)
        prepared = [act(snapshot, by) for act in acts]
        for one in prepared:
            check_act(snapshot, one, key)
        return prepared

    drafts = sign_all(ledger.log.read(prepare), key, yes=signing.yes)
    return ledger.log.transact(lambda tx: [append_act(tx, ledger.registry, draft) for draft in drafts])


def sign_all(prepared: Sequence[Prepared], key: Key, *, yes: bool) -> list[Draft]:
    """Show statements, ask once, and sign each."""
    confirm(prepared, yes=yes)
    signer = key.open()
    drafts: list[Draft] = []
    with progress("signing") as bar:
        for one in prepared:
            drafts.append(signed(one, signer))
            bar(len(drafts), len(prepared))
    return drafts


def confirm(prepared: Sequence[Prepared], *, yes: bool) -> None:
    """Show what will be signed, and ask.

    Raises:
        UnattendedError: nobody is there to be asked.
        DeclinedError: the person said no.
    """
    say("This will be signed:")
    for one in prepared[:SHOWN]:
        say(statement_text(one))
    if len(prepared) > SHOWN:
        say(f"and {len(prepared) - SHOWN} more of the kind, as they stand in the input.")
    if yes:
        return
    if not interactive():
        raise UnattendedError("nobody is here to confirm this: run it at a terminal, or add --yes to sign as it stands")
    if not click.confirm("Sign?" if len(prepared) == 1 else f"Sign all {len(prepared)}?", err=True):
        raise DeclinedError("not signed; nothing was written")


def _holds(state: Json, fingerprint: str, restored: int | None) -> bool:
    key = PrincipalState.model_validate(state).keys.get(fingerprint)
    return key is not None and key.holds(restored)


def _passphrase(path: Path) -> bytes:
    if not interactive():
        raise UnattendedError(
            f"{path} has a passphrase and nobody is here to enter it: add the key to an agent (ssh-add) "
            f"and use --key {path}.pub"
        )
    return str(click.prompt(f"Passphrase of {safe(path)}", hide_input=True, err=True)).encode()
