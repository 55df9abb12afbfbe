"""Checks an RFC 3161 time stamp over a checkpoint: that its text existed at a time that an authority vouches for.

What is stamped is the checkpoint's text, the very bytes that the log and its witnesses sign. Whom to believe is the
verifier's choice: the root certificates come from a file of hers, never from the token.

Source: RFC 3161; DESIGN section 9.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from cryptography import x509

from ledger.errors import LibraryMissingError
from ledger.instant import Instant, from_microseconds, to_microseconds
from verify.errors import StampError

if TYPE_CHECKING:
    from rfc3161_client import TimeStampResponse

MAX_SIZE: Final = 65_536
MAX_ROOTS: Final = 1_048_576

SECOND: Final = 1_000_000
CLOCK_TOLERANCE: Final = 2 * SECOND

_SHA256: Final = "2.16.840.1.101.3.4.2.1"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Stamp:
    """What an authority vouched for.

    Attributes:
        at: its time.
        serial: its own number of the token.
        policy: the object identifier of the rules it says it follows.
        nonce: the number of the request that it answered, or None.
        accuracy: how far its time may be off, in microseconds; a second where it does not say.
    """

    at: Instant
    serial: int
    policy: str
    nonce: int | None
    accuracy: int = SECOND

    def check_after(self, newest: Instant) -> None:
        """Check that the newest event under the checkpoint is not younger than the stamp over it.

        Both clocks are allowed for: the authority's accuracy, and the 2 s by which a log's clock may be off (DESIGN
        section 7).

        Raises:
            StampError: it is, so that one of the two clocks was wrong.
        """
        if to_microseconds(newest) - to_microseconds(self.at) > self.accuracy + CLOCK_TOLERANCE:
            raise StampError(
                f"it is of {self.at}, and the newest event under this checkpoint says {newest}: the log's clock or the "
                "authority's was wrong"
            )


def read_stamp(token: bytes) -> tuple[Stamp, bytes]:
    """Read a TimeStampResp in DER, and the SHA-256 hash that it stamps; nothing is verified.

    Raises:
        StampError: it is none, or stamps another kind of hash.
        LibraryMissingError: the library is not installed.
    """
    return _read(_decode(token))


def check_stamp(token: bytes, text: str, roots: Sequence[x509.Certificate]) -> Stamp:
    """Check that the token stamps this text, and that its signature leads to one of the roots.

    Args:
        token: the TimeStampResp, in DER.
        text: the text of a checkpoint.
        roots: the certificates that the verifier trusts.

    Raises:
        StampError: it does not hold.
        LibraryMissingError: the library is not installed.
    """
    response = _decode(token)
    stamp, imprint = _read(response)
    if imprint != hashlib.sha256(text.encode()).digest():
        raise StampError("it stamps other bytes than the text of this checkpoint")
    builder = _library().VerifierBuilder()
    for root in dict.fromkeys(roots):
        builder = builder.add_root_certificate(root)
    try:
        builder.build().verify(response, imprint)
    except Exception as error:  # the library raises its own error, ValueError and what certificates bring
        raise StampError(f"it does not hold under the given roots: {_one_line(error)}") from error
    return stamp


def read_roots(data: bytes) -> list[x509.Certificate]:
    """Read the PEM certificates that a verifier trusts.

    Raises:
        StampError: none can be read.
    """
    try:
        return x509.load_pem_x509_certificates(data)
    except ValueError as error:
        raise StampError(f"no certificates in PEM form: {_one_line(error)}") from error


def _decode(token: bytes) -> "TimeStampResponse":
    if len(token) > MAX_SIZE:
        raise StampError(f"a time stamp has at most {MAX_SIZE} bytes")
    try:
        response: TimeStampResponse = _library().decode_timestamp_response(token)
        if response.as_bytes() != token:
            raise StampError("not a time stamp in DER")
    except ValueError as error:
        raise StampError(f"not a time stamp: {_one_line(error)}") from error
    return response


def _read(response: "TimeStampResponse") -> tuple[Stamp, bytes]:
    if response.status != 0:
        reasons = ", ".join(response.status_string) or "without a reason"
        raise StampError(f"the authority refused (status {response.status}): {reasons}")
    try:
        told = response.tst_info
        imprint = told.message_imprint
        if imprint.hash_algorithm.dotted_string != _SHA256:
            raise StampError("it stamps no SHA-256 hash")
        micros = (told.gen_time.astimezone(UTC) - _EPOCH) // (datetime.resolution)
        stamp = Stamp(
            from_microseconds(micros), told.serial_number, told.policy.dotted_string, told.nonce, _accuracy(told)
        )
    except (ValueError, OverflowError) as error:
        raise StampError(f"not a time stamp: {_one_line(error)}") from error
    return stamp, imprint.message


def _accuracy(told: Any) -> int:  # noqa: ANN401  (the library's own class)
    """Give it in microseconds; what is left out of it counts as 0, and all of it left out as a second."""
    said = told.accuracy
    if said is None:
        return SECOND
    return (said.seconds or 0) * SECOND + (said.millis or 0) * 1000 + (said.micros or 0)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def _library() -> Any:  # noqa: ANN401  (the module)
    try:
        import rfc3161_client  # noqa: PLC0415  (an extra: time stamps are all that needs it)
    except ImportError as error:
        raise LibraryMissingError("time stamps need rfc3161-client: pip install 'tallystick[exports]'") from error
    return rfc3161_client
