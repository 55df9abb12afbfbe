"""Having a checkpoint stamped: an authority of one's choice says at what time its text existed.

What comes back is verified before it is kept. A stamp says nothing about what is in the log; it says that these roots
are no younger than the stamp, whoever holds the log's key.

Source: RFC 3161; docs/spec/stamps.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from cryptography import x509

from grants.reading import read_event
from ledger.errors import LibraryMissingError
from ledger.log import Snapshot
from ledger.note import parse_note
from tools import web
from tools.errors import InputError, RemoteError
from tools.ledger import OpenLedger
from verify.errors import StampError
from verify.stamp import MAX_SIZE, Stamp, check_stamp

_QUERY: Final = "application/timestamp-query"
_OK: Final = 200


@dataclass(frozen=True, slots=True)
class Stamped:
    """A stamp that is kept.

    Attributes:
        size: the checkpoint's size.
        authority: where it was had from.
        token: the TimeStampResp, in DER.
    """

    size: int
    authority: str
    token: bytes


def note_of(snapshot: Snapshot, size: int) -> bytes:
    """Give the checkpoint of one size.

    Raises:
        InputError: none was signed.
    """
    for stored, note in snapshot.checkpoints():
        if stored == size:
            return note
    raise InputError(f"no checkpoint of {size} events was signed: tally checkpoint makes one of the log as it stands")


def stamp(ledger: OpenLedger, size: int, url: str, roots: Sequence[x509.Certificate]) -> tuple[Stamped, Stamp]:
    """Have the checkpoint of a size stamped, and keep the stamp.

    Args:
        ledger: the open ledger.
        size: which checkpoint.
        url: the authority's address.
        roots: the certificates that its signature must lead to.

    Raises:
        InputError: there is no such checkpoint, it has a stamp of this authority, or there is no such address.
        RemoteError: the authority does not answer, refuses, or its stamp does not hold or is older than what it stamps;
            nothing is kept.
        StoreError: it can't be kept.
    """
    text = parse_note(ledger.log.read(lambda snapshot: _unstamped(snapshot, size, url)))[0]
    newest = ledger.log.read(lambda snapshot: read_event(snapshot, ledger.registry, size - 1))
    request = _request(text)
    reply = web.post(url, request.as_bytes(), _QUERY, most=MAX_SIZE)
    if reply.status != _OK:
        raise RemoteError(f"{url} answers with HTTP status {reply.status}: is it the address of a stamping authority?")
    try:
        told = check_stamp(reply.body, text, roots)
        if newest is not None:
            told.check_after(newest.at)
    except StampError as error:
        raise RemoteError(f"what {url} answers is not kept: {error}") from error
    if told.nonce != request.nonce:
        raise RemoteError(f"what {url} answers is not kept: it is the answer to another request")
    ledger.log.store_timestamp(size, url, reply.body)
    return Stamped(size, url, reply.body), told


def stamps(snapshot: Snapshot) -> list[Stamped]:
    """Give every stamp that is kept, oldest checkpoint first."""
    return [
        Stamped(size, authority, token)
        for size, _ in snapshot.checkpoints()
        for authority, token in snapshot.timestamps(size)
    ]


def _unstamped(snapshot: Snapshot, size: int, url: str) -> bytes:
    if any(authority == url for authority, _ in snapshot.timestamps(size)):
        raise InputError(f"the checkpoint of {size} events has a stamp of {url}, and the first one stands")
    return note_of(snapshot, size)


def _request(text: str) -> Any:  # noqa: ANN401  (the library's own class, which it does not import eagerly)
    try:
        from rfc3161_client import HashAlgorithm, TimestampRequestBuilder  # noqa: PLC0415  (an extra)
    except ImportError as error:
        raise LibraryMissingError("time stamps need rfc3161-client: pip install 'tallystick[exports]'") from error
    return TimestampRequestBuilder().data(text.encode()).hash_algorithm(HashAlgorithm.SHA256).build()
