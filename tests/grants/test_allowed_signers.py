import contextlib
import re

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from grants import allowed_signers, sshsig
from grants.allowed_signers import matches, parse
from grants.errors import KeyFileError, SignatureError
from grants.sshkey import ED25519, SK_ED25519, PublicKey
from ledger.instant import Instant

ADA = Ed25519PrivateKey.from_private_bytes(b"a" * 32)
ADA_KEY = PublicKey(ED25519, ADA.public_key().public_bytes_raw())
BOB_KEY = PublicKey(SK_ED25519, Ed25519PrivateKey.from_private_bytes(b"b" * 32).public_key().public_bytes_raw())
A, B = ADA_KEY.line(), BOB_KEY.line()
NS = "tallystick-grant@v1"


def at(text: str) -> Instant:
    return Instant(f"2026-11-30T{text}Z")


NOON = at("12:00:00.000000")


def test_reads_lines_comments_and_options() -> None:
    text = (
        f"# whom we trust\n\n  # and why\nada,human:ada {A} laptop of ada\n"
        f'bob\tnamespaces="tallystick-*",valid-after="20261130Z",valid-before="202612312359Z"  {B}\n'
    )
    first, second = parse(text.encode()).lines
    assert (first.line, first.principals, first.key, first.namespaces) == (4, "ada,human:ada", ADA_KEY, None)
    assert (first.valid_after, first.valid_before) == (None, None)
    assert (second.line, second.key, second.namespaces) == (5, BOB_KEY, "tallystick-*")
    assert second.valid_after == "2026-11-30T00:00:00.000000Z"
    assert second.valid_before == "2026-12-31T23:59:00.000000Z"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("ada", "after the principals"),
        (A, "after the principals"),
        (f"ada cert-authority {A}", "after the principals"),
        (f"ada zz-verify-required {A}", "after the principals"),
        (f"ada namespaces=file {A}", "after the principals"),
        (f'ada namespaces="" {A}', "after the principals"),
        (f'ada namespaces="a b" {A}', "after the principals"),
        (f'ada namespaces="a\\"b" {A}', "after the principals"),
        (f'ada namespaces="a"{A}', "after the principals"),
        (f'ada namespaces="a", {A}', "after the principals"),
        (f'ada namespaces="a";valid-after="20261130Z" {A}', "after the principals"),
        (f'ada namespaces="a" namespaces="b" {A}', "not accepted"),
        (f'ada namespaces="a",namespaces="b" {A}', "stands twice"),
        (f'ada namespaces="a,,b" {A}', "not a list of namespaces"),
        (f"ada, {A}", "not a list of principals"),
        (f",ada {A}", "not a list of principals"),
        (f"! {A}", "not a list of principals"),
        (f'"ada" {A}', "not a list of principals"),
        (f'ada valid-after="20261130" {A}', "a time is YYYYMMDDZ"),
        (f'ada valid-after="2026-11-30Z" {A}', "a time is YYYYMMDDZ"),
        (f'ada valid-after="always" {A}', "a time is YYYYMMDDZ"),
        (f'ada valid-before="20260230Z" {A}', "no such time"),
        (f'ada valid-before="202611302460Z" {A}', "no such time"),
        (f'ada valid-before="00000101Z" {A}', "no such time"),
        (f'ada valid-after="20261130Z",valid-before="20261130Z" {A}', "ends before it starts"),
        ("ada ssh-rsa AAAA", "after the principals"),
        ("ada ssh-ed25519 AAAA", "cut off"),
        (f"ada {A}\r", "Windows"),
        (f"ada {A} \x1b[0m", "control character"),
    ],
)
def test_an_unreadable_line_refuses_the_file_and_is_named(line: str, reason: str) -> None:
    with pytest.raises(KeyFileError, match=f"line 2 of the allowed signers: .*{re.escape(reason)}"):
        parse(f"bob {B}\n{line}\n".encode())


def test_refuses_what_is_not_utf8_and_what_is_too_long() -> None:
    with pytest.raises(KeyFileError, match=r"line 1 .*UTF-8"):
        parse(b"\xff\n")
    with pytest.raises(KeyFileError, match="at most"):
        parse(b"#" * (allowed_signers.MAX_SIZE + 1))


def test_finds_a_key_by_fingerprint_namespace_and_time() -> None:
    signers = parse(f'ada namespaces="file" {A}\nada,x valid-before="202611301200Z" {A}\n'.encode())
    assert signers.lookup(ADA_KEY.fingerprint, NS, NOON).line == 2
    assert signers.lookup(ADA_KEY.fingerprint, "file", NOON, "ada").line == 1
    assert signers.lookup(ADA_KEY.fingerprint, "file", NOON, "x").line == 2
    assert signers.keys("ada", NS, NOON) == (ADA_KEY,)
    assert signers.keys("bob", NS, NOON) == ()


@pytest.mark.parametrize(
    ("fingerprint", "namespace", "moment", "principal", "reason"),
    [
        (BOB_KEY.fingerprint, NS, NOON, None, "is not listed"),
        (ADA_KEY.fingerprint, NS, NOON, "bob", "is not listed for bob"),
        (ADA_KEY.fingerprint, "file", NOON, None, "line 1 allows the key for 'tallystick-"),
        (ADA_KEY.fingerprint, NS, at("10:59:59.999999"), None, "line 1 allows the key from 2026-11-30T11:00"),
        (ADA_KEY.fingerprint, NS, at("13:00:00.000001"), None, "line 1 allows the key until 2026-11-30T13:00"),
    ],
)
def test_says_why_a_key_is_not_allowed(
    fingerprint: str, namespace: str, moment: Instant, principal: str | None, reason: str
) -> None:
    options = 'namespaces="tallystick-*",valid-after="202611301100Z",valid-before="202611301300Z"'
    signers = parse(f"ada {options} {A}\n".encode())
    for edge in ("11:00:00.000000", "13:00:00.000000"):
        assert signers.lookup(ADA_KEY.fingerprint, NS, at(edge)).key == ADA_KEY
    with pytest.raises(SignatureError, match=reason):
        signers.lookup(fingerprint, namespace, moment, principal)


def test_verifies_a_signature_of_a_listed_key_only() -> None:
    armoured = sshsig.sign(ADA, b"text", NS)
    signers = parse(f"ada {A}\n".encode())
    assert signers.verify(armoured, b"text", NS, NOON).line == 1
    assert signers.verify(armoured, b"text", NS, NOON, "ada").key == ADA_KEY
    with pytest.raises(SignatureError, match="has not signed"):
        signers.verify(armoured, b"other", NS, NOON)
    with pytest.raises(SignatureError, match="was made for"):
        signers.verify(armoured, b"text", "file", NOON)
    with pytest.raises(SignatureError, match="not listed"):
        parse(f"bob {B}\n".encode()).verify(armoured, b"text", NS, NOON)


@given(st.text("ab*?", max_size=8), st.text("ab", max_size=8))
def test_patterns_match_as_the_regular_expression_does(pattern: str, text: str) -> None:
    form = pattern.replace("*", ".*").replace("?", ".")
    assert matches(pattern, text) == (re.fullmatch(form, text) is not None)


def test_a_hostile_pattern_ends_soon() -> None:
    assert not matches("*a" * 400 + "b", "a" * 4000)


words = st.sampled_from(
    ["ada", "!", "namespaces=", '"', "*", ",", "valid-after=", '="20261130Z"', " ", A, B, "#", "\n"]
)


@given(st.binary() | st.lists(words | st.text(max_size=3), max_size=9).map(lambda found: "".join(found).encode()))
def test_only_key_file_errors_escape(data: bytes) -> None:
    with contextlib.suppress(KeyFileError):
        parse(data)
