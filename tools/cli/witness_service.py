"""``tally witness init``, ``add-log``, ``serve`` and ``show``: a witness of your own."""

import sys
from pathlib import Path
from typing import Final

import click

from ledger.note import ED25519, VerifierKey
from tools.cli.command import command as declare
from tools.cli.output import emit, say, table
from tools.errors import InputError
from tools.witness.place import KeyType, WitnessPlace

_PLACE: Final = click.argument("directory", type=click.Path(path_type=Path), metavar="DIR")


@declare("init", example="tally witness init /srv/witness --name witness.example/w1")
@_PLACE
@click.option("--name", required=True, metavar="NAME", help="The name that it signs under, such as witness.example/w1.")
@click.option(
    "--type",
    "key_type",
    type=click.Choice(["ed25519", "ml-dsa-44"]),
    default="ed25519",
    show_default=True,
    help="The kind of its key.",
)
def init(directory: Path, name: str, key_type: KeyType) -> None:
    """Begin a witness in a new directory: its key (mode 0600) and its empty memory.

    It prints the witness's vkey: give it to those who keep the logs, and to those who verify. Never put the directory
    back from a backup: a witness that forgets what it cosigned might cosign a second history.
    """
    key = WitnessPlace(directory.absolute()).create(name, key_type)
    emit({"directory": str(directory), "vkey": key.text()}, key.text())
    say("It knows no log yet: tally witness add-log")


@declare("add-log", example="tally witness add-log /srv/witness tally.local/1f3a+5d6c7b8a+AQ...")
@_PLACE
@click.argument("vkey")
def add_log(directory: Path, vkey: str) -> None:
    """Let a witness know a log, by the log's vkey: the second word of the `log` line in its policy file.

    A witness that runs sees it at the next request.
    """
    key = VerifierKey.parse(vkey)
    if key.algorithm != ED25519:
        raise InputError("this is the vkey of a witness, not of a log")
    WitnessPlace(directory.absolute()).add_log(key)
    emit({"origin": key.name, "vkey": key.text()}, f"Cosigning {key.name} from now on.")


@declare("serve", example="tally witness serve /srv/witness --host 0.0.0.0 --port 8443")
@_PLACE
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8780, show_default=True, help="0 takes a free one.")
def serve(directory: Path, host: str, port: int) -> None:
    """Serve C2SP tlog-witness for the logs that the witness knows, until stopped.

    It stays in the foreground, for a supervisor such as systemd. SIGTERM lets what is being answered be answered, then
    ends with 0. TLS is for a proxy in front of it. Several may serve one directory.
    """
    from tools import serving  # noqa: PLC0415  (help needs none of it)

    serving.require()
    from tools.ledger import time_of_day  # noqa: PLC0415  (as above)
    from tools.witness.answering import Witness  # noqa: PLC0415  (as above)
    from tools.witness.service import application  # noqa: PLC0415  (as above)

    place = WitnessPlace(directory.absolute())
    witness = Witness(place, lambda: time_of_day() // 1_000_000, say)
    try:
        place.known()
        listening = serving.listen(host, port)
        address = serving.address(listening)

        def ready() -> None:
            emit({"url": address, "vkey": witness.signer.verifier_key.text()})
            sys.stdout.flush()
            say(f"Witness {witness.signer.name} at {address}")

        serving.serve(application(witness, say), listening, ready)
    finally:
        witness.close()
    say("Stopped.")


@declare("show", example="tally witness show /srv/witness")
@_PLACE
def show(directory: Path) -> None:
    """Show a witness: its vkey, the logs that it knows, and what it cosigned last of each."""
    from ledger.instant import from_microseconds  # noqa: PLC0415  (help needs none of it)

    place = WitnessPlace(directory.absolute())
    signer, store = place.load()
    try:
        cosigned = {one.origin: one for one in store.cosigned()}
    finally:
        store.close()
    rows = []
    for origin in sorted({log.key.name for log in place.known().logs} | set(cosigned)):
        one = cosigned.get(origin)
        at = None if one is None else from_microseconds(one.at * 1_000_000)
        rows.append({"origin": origin, "size": one.size if one else None, "at": at})
    evidence = sorted(str(file) for file in place.evidence.glob("*.json"))
    data = {"vkey": signer.verifier_key.text(), "logs": rows, "evidence": evidence}
    logs = table(("log", "cosigned size", "when"), [tuple(row.values()) for row in rows])
    forks = [f"Two roots for one size: {file}" for file in evidence]
    emit(data, "\n".join([signer.verifier_key.text(), "", logs.plain(), *forks]))
