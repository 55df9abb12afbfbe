"""Canonical bytes: the oracle agrees, and nothing but the one spelling is read."""

import json
from contextlib import suppress

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from ledger import canon
from ledger.errors import CanonError

LIMIT = canon.MAX_INTEGER
text = st.text(st.characters(exclude_categories=["Cs"]))
keys = st.text(st.characters(max_codepoint=127))
scalars = st.none() | st.booleans() | st.integers(-LIMIT, LIMIT) | text
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(keys, inner), max_leaves=30)


@given(values)
def test_bytes_are_those_of_the_reference_library(value):
    assert rfc8785.dumps(value) == canon.encode(value)


@given(values)
def test_what_was_written_is_read_back(value):
    assert value == canon.decode(canon.encode(value))


@given(values)
def test_any_other_spelling_is_refused(value):
    loose = json.dumps(value, ensure_ascii=True, indent=1).encode()
    if loose != canon.encode(value):
        with pytest.raises(CanonError):
            canon.decode(loose)


@given(st.binary(max_size=200))
def test_only_our_error_escapes_from_any_bytes(data):
    for read in (canon.decode, canon.loads):
        with suppress(CanonError):
            read(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" 1",
        b"1 ",
        b"1.0",
        b"1e3",
        b"-0",
        b"01",
        b"9007199254740992",
        b"-9007199254740992",
        b"NaN",
        b"Infinity",
        b'{"b":1,"a":2}',
        b'{"a":1,"a":1}',
        b'{"a": 1}',
        b'"\\u0041"',
        b'"\\/"',
        b'"\\ud800"',
        b'"\xed\xa0\x80"',
        b'{"\xc3\xa9":1}',
        b"[1,]",
        b"\xef\xbb\xbf1",
        b"[" * 100 + b"]" * 100,
        b"[" * 100_000,
        b'"a\nb"',
        b"'a'",
        b"[1]\n",
    ],
)
def test_bytes_that_are_not_canonical_are_refused(data):
    with pytest.raises(CanonError):
        canon.decode(data)


@pytest.mark.parametrize(
    "value", [1.5, float("nan"), LIMIT + 1, -LIMIT - 1, {1: 2}, {"\u00e9": 1}, b"x", "\ud800", (1,), {1}]
)
def test_values_without_a_canonical_form_are_refused(value):
    with pytest.raises(CanonError):
        canon.encode(value)


def test_depth_is_bounded_at_the_same_place_for_writing_and_reading():
    deep = 0
    for _ in range(canon.MAX_DEPTH):
        deep = [deep]
    assert deep == canon.decode(canon.encode(deep))
    with pytest.raises(CanonError, match="deeper"):
        canon.encode([deep])


@pytest.mark.parametrize(
    "text", [b'{"a":1,"a":2}', b'{"a":1.5}', b"[NaN]", b'["\\ud800"]', b"\xff", "nope", '{"\u00e9":1}']
)
def test_input_from_outside_is_held_to_the_same_values(text):
    with pytest.raises(CanonError):
        canon.loads(text)


def test_input_from_outside_may_be_spelt_in_any_way():
    assert canon.loads(' { "b" : [ 1 , "\\u00e9" ], "a": -0 } ') == {"b": [1, "\u00e9"], "a": 0}


@given(st.binary(max_size=70))
def test_base64url_has_one_spelling(data):
    spelt = canon.to_base64url(data)
    assert data == canon.from_base64url(spelt)
    for other in (spelt + "=", spelt + " ", " " + spelt, spelt + "\n"):
        with pytest.raises(CanonError):
            canon.from_base64url(other)


def test_no_two_texts_spell_the_same_byte():
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    read = []
    for text in (a + b for a in alphabet for b in alphabet):
        with suppress(CanonError):
            read.append(canon.from_base64url(text))
    assert len(read) == len(set(read)) == 256


@pytest.mark.parametrize("text", ["A", "AB", "AAB", "AA==", "A+", "A/", "A A", "\u00e9\u00e9", "AAAA\n"])
def test_base64url_with_spare_bits_padding_or_another_alphabet_is_refused(text):
    with pytest.raises(CanonError):
        canon.from_base64url(text)


def test_object_is_demanded_where_one_must_stand():
    assert canon.decode_object(b'{"a":1}') == {"a": 1}
    with pytest.raises(CanonError, match="object"):
        canon.decode_object(b"[1]")


def nested(levels, leaf):
    for _ in range(levels):
        leaf = [leaf]
    return leaf


@pytest.mark.parametrize("leaf", [1, "x", None, [], {}])
def test_the_deepest_value_is_one_level_below_the_deepest_list(leaf):
    assert canon.decode(canon.encode(nested(canon.MAX_DEPTH, leaf))) == nested(canon.MAX_DEPTH, leaf)
    with pytest.raises(CanonError, match="deeper"):
        canon.encode(nested(canon.MAX_DEPTH + 1, leaf))


@pytest.mark.parametrize("value", [{1: 2}, {"é": 1}, {b"a": 1}, [1.5], {"a": (1,)}, {"a": {"b": 2.0}}, 1.0, b"x"])
def test_a_value_without_a_canonical_form_is_refused(value):
    with pytest.raises(CanonError):
        canon.encode(value)
