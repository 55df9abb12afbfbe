"""Time stamps: what holds, and everything that must not."""

import hashlib
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rfc3161_client import HashAlgorithm, TimestampRequestBuilder

from ledger.instant import from_microseconds
from tests.stamping import Authority
from verify.errors import StampError
from verify.stamp import MAX_SIZE, SECOND, Stamp, check_stamp, read_roots, read_stamp

TEXT = "example.com/log\n3\n" + "A" * 43 + "=\n"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
AUTHORITY = Authority(NOW)
ROOTS = read_roots(AUTHORITY.roots)


def token(text=TEXT, authority=AUTHORITY, algorithm=HashAlgorithm.SHA256):
    request = TimestampRequestBuilder().data(text.encode()).hash_algorithm(algorithm).build()
    return authority.answer(request.as_bytes())


STAMPED = token()


def test_a_stamp_holds_and_gives_the_time_of_the_authority():
    assert check_stamp(STAMPED, TEXT, ROOTS).at == "2026-11-30T12:00:00.000000Z"


def test_what_is_stamped_can_be_read_without_believing_it():
    stamp, imprint = read_stamp(STAMPED)
    assert imprint == hashlib.sha256(TEXT.encode()).digest()
    assert stamp.policy == "1.3.6.1.4.1.99999.1"


@pytest.mark.parametrize(
    ("data", "roots", "why"),
    [
        (token("another text\n"), ROOTS, "other bytes"),
        (token(algorithm=HashAlgorithm.SHA512), ROOTS, "no SHA-256"),
        (STAMPED, read_roots(Authority(NOW).roots), "under the given roots"),
        (STAMPED, [], "under the given roots"),
        (token(authority=Authority(NOW, status=2)), ROOTS, "refused"),
        (STAMPED + b"\x00", ROOTS, "not a time stamp"),
        (STAMPED[:-1], ROOTS, "not a time stamp"),
        (b"", ROOTS, "not a time stamp"),
        (bytes(MAX_SIZE + 1), ROOTS, "at most"),
    ],
)
def test_what_does_not_hold_is_refused(data, roots, why):
    with pytest.raises(StampError, match=why):
        check_stamp(data, TEXT, roots)


def test_a_stamp_from_before_its_certificate_is_refused():
    early = Authority(NOW)
    early.now = NOW - timedelta(days=400)
    with pytest.raises(StampError):
        check_stamp(token(authority=early), TEXT, read_roots(early.roots))


@settings(max_examples=300, deadline=None)
@given(st.integers(0, len(STAMPED) - 1), st.integers(1, 255))
def test_a_changed_byte_never_gives_another_time(at, flip):
    data = STAMPED[:at] + bytes([STAMPED[at] ^ flip]) + STAMPED[at + 1 :]
    try:
        stamp = check_stamp(data, TEXT, ROOTS)
    except StampError:
        return
    # Not every byte is under the signature: the root lies in the verifier's own file too.
    assert stamp == read_stamp(STAMPED)[0]


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_but_our_error(data):
    with pytest.raises(StampError):
        check_stamp(data, TEXT, ROOTS)


def test_roots_that_are_none_are_refused():
    with pytest.raises(StampError):
        read_roots(b"nothing")


@pytest.mark.parametrize(("accuracy", "allowed"), [(SECOND, 3), (0, 2), (60 * SECOND, 62)])
def test_stamp_over_an_event_that_says_a_later_time_is_refused(accuracy, allowed):
    """With the authority's accuracy and the 2 s of a log's clock allowed for."""
    at = from_microseconds(10**15)
    stamp = Stamp(at, 1, "1.2", None, accuracy)
    stamp.check_after(from_microseconds(10**15 + allowed * SECOND))
    with pytest.raises(StampError, match="the log's clock or the authority's was wrong"):
        stamp.check_after(from_microseconds(10**15 + allowed * SECOND + 1))


def test_authority_that_does_not_say_is_allowed_a_second():
    assert check_stamp(STAMPED, TEXT, ROOTS).accuracy == SECOND
