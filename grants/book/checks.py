"""How a fold refuses an event, and what every fold checks alike.

A log that is replayed is held to the same spelling of names, keys and references as one that is written.

Source: DESIGN sections 6 and 8; policy case B01.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from pydantic import ValidationError

from grants import sshkey
from grants.errors import GrantError, IdentifierError, KeyFileError
from grants.identifier import check_name, check_text, parse_principal
from grants.sshkey import PublicKey
from ledger import canon
from ledger.errors import CanonError, CorruptError, NoteError, ViewError
from ledger.event import Event, Frozen
from ledger.view import State

Form = TypeVar("Form", bound=Frozen)

GRANT_ID_SIZE = 16
MAX_CHAIN = 16


def contradiction(event: Event, why: str) -> ViewError:
    """Make the error that says why an event can't follow what stands."""
    error = ViewError(f"{event.type} can't be event {event.seq}: {why}")
    error.why = why
    return error


@contextmanager
def spelling(event: Event) -> Iterator[None]:
    """Turn a name, key or reference in another spelling into a refusal of the event."""
    try:
        yield
    except (GrantError, CanonError, NoteError) as error:
        raise contradiction(event, str(error)) from error


def check_seen(event: Event, log_size: int, changed: int, what: str) -> None:
    """Refuse a signature that was given before what it changes had become what it is.

    Args:
        event: the signed event.
        log_size: how many events the log held when the signer looked.
        changed: the event that changed the thing last.
        what: the thing, for the message.
    """
    if log_size <= changed:
        raise contradiction(
            event, f"stale: the signer saw {log_size} events, {what} is of event {changed}; look again and sign again"
        )


def key_of(line: str) -> PublicKey:
    """Read a public key line in the one spelling that the ledger records: without comment and newline.

    Raises:
        KeyFileError: another spelling, or no key.
    """
    key = sshkey.parse_line(line)
    if key.line() != line:
        raise KeyFileError(f"a key is recorded without its comment, so: {key.line()}")
    return key


def check_chain(subject: Sequence[str]) -> None:
    """Accept a subject: a principal, and below it the names of the parts that act for it.

    Raises:
        IdentifierError: empty, too long, or a name in another spelling.
    """
    if not 0 < len(subject) <= MAX_CHAIN:
        raise IdentifierError(f"a subject is a chain of 1 to {MAX_CHAIN} names")
    parse_principal(subject[0])
    for part in subject[1:]:
        check_name(part)


def check_grant_id(grant: str) -> None:
    """Accept a grant id: 128 bits, base64url.

    Raises:
        CanonError: another spelling or length.
    """
    if len(canon.from_base64url(grant)) != GRANT_ID_SIZE:
        raise CanonError(f"a grant id has {GRANT_ID_SIZE} bytes")


def held(form: type[Form], state: State | None) -> Form | None:
    """Read the state that a fold is given; None where there is none.

    Raises:
        CorruptError: the state has another form.
    """
    try:
        return None if state is None else form.model_validate(state)
    except ValidationError as error:
        raise CorruptError("a state has another form than its view gives it") from error


def needed(form: type[Form], state: State | None, event: Event, what: str) -> Form:
    """Read the state that an event changes, refusing an event about what is not there."""
    row = held(form, state)
    if row is None:
        raise contradiction(event, f"there is no {what}")
    return row


def check_words(names: Sequence[str], what: str) -> None:
    """Accept a row of words: at least one, each once, each visible.

    Raises:
        IdentifierError: empty, a word twice, or an invisible character.
    """
    if not names or len(set(names)) != len(names):
        raise IdentifierError(f"{what}: at least one, and each once")
    for name in names:
        check_text(name)
