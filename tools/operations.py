"""From what the command line or a file gives to an `Operation`, with what must be looked up on this machine.

Operands are pinned by the digest of what the file holds now; links are followed by `follow_links`, so that what a
name leads to is decided on as well as the name.

Source: DESIGN sections 10 and 11; policy cases B05, D05.
"""

import os
import pwd
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from decisions.objects import FileObject, seen
from decisions.operation import FORMS, MAX_PAYLOAD_BYTES, Operation, is_form, receive, unreadable
from grants import reference
from grants.errors import ReferenceSyntaxError
from ledger import canon, digest
from ledger.canon import Json
from ledger.errors import CanonError

MAX_OPERAND_BYTES = 64 * 2**20

_NO_RECORD = "the operation is not text that can be recorded: it holds bytes that are no UTF-8"
_FLAGS: Mapping[str, bool] = {"true": True, "false": False}


def tool_call(text: bytes) -> Operation:
    """Receive an agent's tool call as JSON; what can't be read becomes an unreadable operation."""
    return receive("tool_call", text)


def any_form(text: bytes) -> Operation:
    """Receive an operation as a commitment covers it, ``{"form": ..., "payload": {...}}``."""
    outer = receive("typed", text)
    if outer.form == "unreadable":
        return outer
    form, payload = outer.payload.get("form"), outer.payload.get("payload")
    if set(outer.payload) != {"form", "payload"} or not isinstance(form, str) or not isinstance(payload, dict):
        return unreadable(text, 'the operation is not of the form {"form": "...", "payload": {...}}')
    if not is_form(form):
        return unreadable(text, f"the operation has a form that isn't known; known are {', '.join(FORMS)}")
    return Operation(form, payload)


def script(text: bytes, cwd: str | None) -> Operation:
    """Make an operation of a shell script's text."""
    try:
        return shell(text.decode(), cwd)
    except UnicodeDecodeError:
        return unreadable(text, "the script is not UTF-8")


def shell(command: str, cwd: str | None) -> Operation:
    """Make an operation of a shell line."""
    return _formed("shell", {"command": command, "cwd": cwd or str(Path.cwd())})


def sql(statement: str, database: str, dialect: str | None) -> Operation:
    """Make an operation of SQL text for a named database."""
    return _formed("sql", {"sql": statement, "database": database, **({"dialect": dialect} if dialect else {})})


def typed(verb: str, target: str, kind: str | None) -> Operation:
    """Make an operation of a verb and a target."""
    return _formed("typed", {"verb": verb, "target": target, **({"kind": kind} if kind else {})})


def conversation(speech: str, person: str, domain: str | None) -> Operation:
    """Make an operation of a reply in one of the conversation's classes.

    The person may be given as the bare id or as the reference that trust is recorded for, ``person:<id>``.
    """
    person = person.removeprefix("person:")
    return _formed("conversation", {"class": speech, "person": person, **({"domain": domain} if domain else {})})


def completed(
    operation: Operation, *, domain: str = "", operands: Iterable[Path] = (), claims: Mapping[str, Json] | None = None
) -> Operation:
    """Add what stands beside the payload: the session's domain, pinned operands, the asker's own claims.

    Raises:
        OSError: an operand can't be read.
        ReferenceSyntaxError: an operand's path can't be named.
    """
    if operation.form == "unreadable":
        return operation
    payload = dict(operation.payload)
    if claims:
        standing = payload.get("attributes")
        payload["attributes"] = {**(standing if isinstance(standing, dict) else {}), **claims}
    try:
        canon.encode({"payload": payload, "domain": domain})
    except CanonError:
        return unreadable(repr((domain, payload)).encode(), _NO_RECORD)
    pinned = tuple(sorted(pin(path) for path in operands))
    return replace(operation, payload=payload, operands=pinned, domain=domain)


def pin(path: Path) -> tuple[str, str]:
    """Name a file and hash what it holds.

    Raises:
        OSError: it can't be read.
        ReferenceSyntaxError: its path can't be named.
    """
    real = os.path.realpath(path)
    with open(real, "rb") as file:  # noqa: PTH123  (a path as the system gave it, byte for byte)
        content = file.read(MAX_OPERAND_BYTES + 1)
    if len(content) > MAX_OPERAND_BYTES:
        raise OSError(f"{path} has more than {MAX_OPERAND_BYTES} bytes: an operand of that size can't be pinned")
    return str(reference.file(real)), canon.to_base64url(digest.document(content))


def claim(text: str) -> tuple[str, Json]:
    """Read ``name=value``; true and false are flags, digits a number.

    Raises:
        ValueError: no name, or no value.
    """
    name, equals, value = text.partition("=")
    if not name or not equals or not name.isascii():
        raise ValueError(f"not of the form name=value: {text[:80]!a}")
    if value in _FLAGS:
        return name, _FLAGS[value]
    if value.isascii() and value.isdigit() and int(value) <= canon.MAX_INTEGER:
        return name, int(value)
    return name, value


def follow_links(target: str) -> str | None:
    """Give the file that a file reference leads to on this machine, or None where it leads nowhere else.

    Where the place it leads to has no reference, the nearest directory around it that has one is given: what is
    registered for the tree that it lies in speaks for it.
    """
    if not target.startswith("file:///"):
        return None
    path = target.removeprefix("file://")
    real = os.path.realpath(path)
    if real == path:
        return None
    for place in (Path(real), *Path(real).parents):
        try:
            return str(reference.file(str(place)))
        except ReferenceSyntaxError:
            continue
    return "file:///"


def identify(target: str) -> FileObject | None:
    """Say which object a file reference without links names on this machine, or what is nearest around what is absent.

    None where there is no telling: a link has come to stand in its path meanwhile, or the system won't say.
    """
    path = Path(target.removeprefix("file://"))
    try:
        if os.path.realpath(path) != str(path):
            return None
        for missing, place in enumerate((path, *path.parents)):
            with suppress(FileNotFoundError, NotADirectoryError):
                status = place.lstat()
                if not missing:
                    return seen(target, status)
                return FileObject(target, "absent", status.st_dev, status.st_ino, missing=missing)
    except OSError:
        return None
    return None


def home_of(uid: int) -> str | None:
    """Give the home directory of an operating system user, or None where the system knows none."""
    try:
        return pwd.getpwuid(uid).pw_dir or None
    except (KeyError, OverflowError):
        return None


def _formed(form: str, payload: Mapping[str, Json]) -> Operation:
    """Make an operation, or an unreadable one where the text has no recordable form."""
    try:
        data = canon.encode(dict(payload))
    except CanonError:
        return unreadable(repr(dict(payload)).encode(), _NO_RECORD)
    if len(data) > MAX_PAYLOAD_BYTES:
        return unreadable(data, f"the operation is larger than {MAX_PAYLOAD_BYTES} bytes")
    return Operation(form, payload)
