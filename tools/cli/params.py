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

from grants.book.principals import UID
from grants.book.states import UidState
from grants.errors import AuthorityError, KeyFileError
from grants.identifier import parse_principal
from grants.issue import Prepared, append_signed
from grants.reading import read_state
from grants.signer import FileSigner, Signer, SshKeygenSigner, read_public
from ledger.event import Draft, Event
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
        help="The ssh key to sign with, or its .pub file where the key lives in an agent; else ~/.ssh/id_ed25519.",
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


def check_key(path: Path) -> None:
    """Refuse a key of which no file is there.

    Raises:
        KeyFileError: neither the key nor its public half is there.
    """
    if not path.exists() and not path.with_name(path.name + ".pub").exists():
        raise KeyFileError(f"{path} is not there: name a key with --key, or make one with ssh-keygen -t ed25519")


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

    def prepare(snapshot: Snapshot) -> list[Prepared]:
        by = actor(snapshot, signing.by)
        return [act(snapshot, by) for act in acts]

    prepared = ledger.log.read(prepare)
    drafts = sign_all(prepared, signing.key, yes=signing.yes)
    return ledger.log.transact(lambda tx: [append_signed(tx, draft) for draft in drafts])


def sign_all(prepared: Sequence[Prepared], key: Path, *, yes: bool) -> list[Draft]:
    """Show statements, ask once, and sign each."""
    # Nobody reads a text that can't be signed afterwards, and no key is opened for a text that nobody has read.
    check_key(key)
    confirm(prepared, yes=yes)
    signer = load_signer(key)
    drafts: list[Draft] = []
    with progress("signing") as bar:
        for one in prepared:
            drafts.append(one.sign(signer))
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


def _passphrase(path: Path) -> bytes:
    if not interactive():
        raise UnattendedError(
            f"{path} has a passphrase and nobody is here to enter it: add the key to an agent (ssh-add) "
            f"and use --key {path}.pub"
        )
    return str(click.prompt(f"Passphrase of {safe(path)}", hide_input=True, err=True)).encode()
