"""``tally init``: a new ledger, whole or not at all."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import click

from decisions.constitution import DEFAULT_TEXT, load
from grants import reference
from grants.errors import ReferenceSyntaxError
from grants.identifier import kind_of, parse_principal
from grants.issue import Prepared
from grants.signer import Signer, generate
from ledger.event import Draft
from ledger.sql.address import PostgresAddress, parse_url
from tools.cli.command import command as declare
from tools.cli.output import emit, fields, say
from tools.cli.params import confirm, key_option, load_signer, signed, yes_option
from tools.cli.passphrase import new_passphrase
from tools.cli.session import home, session
from tools.errors import HomeError, InputError
from tools.files import read_text
from tools.founding import Founding, found, new_origin

_EXAMPLE: Final = """\
tally init --human human:h1 --name 'Ada L.'
tally --ledger /srv/tally init --human human:h1 --new-key ~/.ssh/tally --yes
tally --ledger /srv/tally init --database postgresql+psycopg://tally@db.example/records"""

_UNTOLD: Final = frozenset({"protected", "demonstration", "uid", "sealed"})


@declare("init", example=_EXAMPLE)
@click.option("--human", default="human:owner", show_default=True, help="Id of the first human; it names nobody.")
@click.option("--name", help="That human's display name; the log holds a commitment to it alone.")
@key_option
@click.option(
    "--new-key", type=click.Path(path_type=Path), metavar="FILE", help="Make a new ssh key here, without passphrase."
)
@click.option("--origin", help="The log's name, for ever.  [default: tally.local/<random>]")
@click.option(
    "--constitution", type=click.Path(path_type=Path), metavar="FILE", help="Adopt this one, not the default."
)
@click.option(
    "--database", metavar="URL", help="Keep the log in this PostgreSQL database, ?schema=NAME; else in a SQLite file."
)
@click.option("--no-uid", is_flag=True, help="Do not take your system user for that human.")
@click.option("--demonstration", is_flag=True, help="Believe claimed identities: for trying out; it binds nobody.")
@click.option("--passphrase", "sealed", is_flag=True, help="Seal the log's own key; asks, or takes --passphrase-file.")
@yes_option
def command(  # noqa: PLR0913, PLR0917  (one for each option)
    human: str,
    name: str | None,
    key: Path,
    new_key: Path | None,
    origin: str | None,
    constitution: Path | None,
    database: str | None,
    no_uid: bool,
    demonstration: bool,
    sealed: bool,
    yes: bool,
) -> None:
    """Begin a ledger in a new directory.

    You become its first human: you sign its first event, adopt a constitution, and register the ledger's own
    directory as control plane, so that no agent may write there. The log gets a key of its own. Two files are made
    for auditors: policy (the log's key) and signers (yours).

    With --database (or --ledger URL) the log is kept in PostgreSQL, in a schema that is made for it; the directory
    holds the rest. A password never stands in the URL: keep it in ~/.pgpass, PGPASSWORD or a service file.
    """
    place = home(ask=False, begins=True)
    address = _address(database)
    if place.path.exists():
        raise HomeError(
            f"{place.path} is there already and is left as it is: use it, or choose another place with --ledger"
        )
    if kind_of(parse_principal(human)) != "human":
        raise InputError(f"the first principal is a human, such as human:owner, not {human}")
    document = DEFAULT_TEXT if constitution is None else read_text(constitution)
    law = load(document)
    file = session().passphrase_file
    passphrase = new_passphrase(file, "the passphrase of the log's key") if sealed or file is not None else None
    if passphrase is not None:
        place = replace(place, unlock=lambda _: passphrase)
    with _Key(key, new_key, human) as signer:
        founding = Founding(
            origin=origin or new_origin(),
            human=human,
            key=signer.public_key,
            name=name or human.partition(":")[2],
            uid=None if no_uid else os.getuid(),
            document=document,
            demonstration=demonstration,
            passphrase=passphrase,
            database=address,
        )
        founded = found(place, founding, _signing(signer, yes=yes))
    data = {
        "ledger": str(place.path),
        "database": str(place.database),
        "origin": founding.origin,
        "human": human,
        "fingerprint": signer.public_key.fingerprint,
        "uid": founding.uid,
        "constitution": law.name,
        "log_key": founded.log_key,
        "size": founded.size,
        "protected": list(founded.protected),
        "policy": str(place.policy),
        "signers": str(place.signers),
        "demonstration": demonstration,
        "sealed": passphrase is not None,
    }
    untold = _UNTOLD if address is not None else _UNTOLD | {"database"}
    emit(data, fields([(label, data[label]) for label in data if label not in untold]))
    if not founded.protected:
        say(f"This constitution has no asset 'control_plane': register {place.path} yourself, out of agents' reach.")
    if new_key is not None:
        say(_secret(new_key))
    say(
        "\nNext:\n"
        f"  give policy and signers to your auditor, and read the fingerprint out to her\n"
        f"  tally principal add agent:ops-7 --name 'night shift' --owner {human} --uid USER\n"
        "  tally resource add 'file:///srv/app/**' --set environment=dev --set asset=source "
        "--set sensitivity=internal \\\n"
        "    --set reversibility=recoverable --set about_people=false --absent purpose\n"
        "  tally doctor"
    )


def _address(option: str | None) -> PostgresAddress | None:
    """Read the database's URL, from wherever it was given."""
    named = session().database
    if option is not None and named is not None and option != named:
        raise InputError("two databases are named, by --ledger and by --database: name one")
    text = option or named
    return None if text is None else parse_url(text)


def _secret(path: Path) -> str:
    """Say what to do with a key that was just made."""
    advice = f"\n{path} signs as you: keep it where no agent reads."
    try:
        named = str(reference.file(str(path.absolute())))
    except ReferenceSyntaxError:
        return advice
    return (
        f"{advice} Where one does, say that it is a secret:\n"
        f"  tally resource add '{named}' --set asset=secret --set environment=dev --set sensitivity=restricted \\\n"
        "    --set reversibility=irreversible --set about_people=false --absent purpose"
    )


@dataclass(slots=True)
class _Key:
    """The human's key: one that is there, or a new one that goes again if the ledger does not come to be."""

    key: Path
    new: Path | None
    comment: str

    def __enter__(self) -> Signer:
        if self.new is None:
            return load_signer(self.key)
        generate(self.new, self.comment)
        return load_signer(self.new)

    def __exit__(self, _kind: object, error: BaseException | None, _at: object) -> None:
        if error is not None and self.new is not None:
            self.new.unlink(missing_ok=True)
            self.new.with_name(self.new.name + ".pub").unlink(missing_ok=True)


def _signing(signer: Signer, *, yes: bool) -> Callable[[Prepared], Draft]:
    """Show each statement and ask for it: nobody signs a text that was not shown before the yes."""
    say("A ledger begins with signatures of yours: genesis, the constitution, and the ledger's own directory.")

    def sign(prepared: Prepared) -> Draft:
        confirm([prepared], yes=yes)
        return signed(prepared, signer)

    return sign
