"""``tally key``: the log's own key, which signs checkpoints and nothing else."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from tools.checkpointing import alone
from tools.cli.command import group
from tools.cli.output import emit, fields, say
from tools.cli.params import Signing, sign_act, signing_options
from tools.cli.passphrase import new_passphrase
from tools.cli.session import home, opened
from tools.errors import HomeError, InputError
from tools.home import Home
from tools.keys import has_passphrase, read_key, write_key
from tools.succession import rotate

_EXAMPLE: Final = """\
tally key show
tally key rotate
tally key passphrase"""

_SEAL: Final = """\
tally key passphrase
tally key passphrase --new-passphrase-file /run/credentials/tally/log-key
tally key passphrase --remove"""


@group("key", example=_EXAMPLE)
def command() -> None:
    """Show, replace and seal the log's own key.

    It lies in the ledger's directory, for its owner alone, and signs checkpoints and nothing else; what people sign,
    they sign with keys of their own.
    """


@command.command("show", example="tally key show --json")
def show() -> None:
    """Show the key that the log names, those before it, and whether its file has a passphrase."""
    with opened() as ledger:
        state, place = ledger.genesis, ledger.home
    former = [{"origin": one.origin, "log_key": one.log_key, "until": one.until} for one in state.former]
    data: dict[str, object] = {
        "origin": state.origin,
        "log_key": state.log_key,
        "sealed": has_passphrase(place.key),
        "file": str(place.key),
    }
    told = [("former", f"{one.log_key}, for sizes up to {one.until}") for one in state.former]
    emit({**data, "former": former}, fields([*data.items(), *told]))


@command.command("rotate", example="tally key rotate --by human:owner")
@signing_options
def rotate_(*, signing: Signing) -> None:
    """Replace the log's key by a new one; a human signs.

    The event names both keys, and the first checkpoint after it is signed by both, so that whoever trusts the old key,
    and has pinned you, can follow. The old key is kept beside the new one, under its id; the policy beside the ledger
    names the new one too: give it to your auditors. The new key has the passphrase of the old one.
    """
    with opened() as ledger:
        event, signed = rotate(ledger, lambda act: sign_act(ledger, signing, act))
    data: dict[str, object] = {
        "event": event.seq,
        "at": event.at,
        "origin": signed.checkpoint.origin,
        "log_key": signed.key.text(),
        "checkpoint": signed.checkpoint.size,
    }
    emit(data, fields(list(data.items())))
    say(
        "\nNext:\n"
        "  keep the old key: it is in the ledger's directory, under its id\n"
        "  give the policy to your auditors again, and to whoever runs tally watch: it names the new key\n"
        f"  give the new key to the keepers of witnesses: tally witness add-log DIR {signed.key.text()}"
    )


@command.command("passphrase", example=_SEAL)
@click.option(
    "--new-passphrase-file",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="What holds the new passphrase: a file, or /dev/fd/N; else it is asked for.",
)
@click.option("--remove", is_flag=True, help="Let the file alone protect the key.")
def passphrase(file: Path | None, remove: bool) -> None:
    """Give the log's key a passphrase, change it, or take it away.

    A key that has one is opened by the passphrase that you enter, or that --passphrase-file names. Whatever signs
    without you (a timer, tally checkpoint keep) needs such a file, for its own user alone.
    """
    if remove and file is not None:
        raise click.UsageError("--remove and --new-passphrase-file contradict each other")
    place = home()
    files = key_files(place)
    with alone(place):
        keys = {path: read_key(path, place.unlock) for path in files}
        chosen = None if remove else new_passphrase(file, "the new passphrase of the log's key")
        for path, key in keys.items():
            write_key(path, key, chosen)
    data = {"sealed": chosen is not None, "files": [str(path) for path in files]}
    emit(data, f"{', '.join(map(str, files))}: {'sealed' if chosen is not None else 'without a passphrase'}")


def key_files(place: Home) -> Sequence[Path]:
    """Give the files of all keys of the log, the one in force first.

    Raises:
        HomeError: there is none.
    """
    if not place.path.is_dir():
        raise HomeError(f"{place.path} holds no ledger: check --ledger, or run tally init")
    if not place.key.exists():
        raise InputError(f"{place.key} is not there: restore it from where it is kept safe")
    return [place.key, *sorted(place.path.glob(f"{place.key.name}.*"))]
