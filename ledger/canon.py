r"""Canonical bytes: RFC 8785 JSON, restricted so that every language agrees on every bit.

Object keys are ASCII; there are no floats; integers lie within +-(2^53 - 1); no lone surrogates; no duplicate keys.
Bytes travel as base64url without padding and have one spelling.

>>> encode({"b": [1, True, None], "a": "\u00e9"})
b'{"a":"\xc3\xa9","b":[1,true,null]}'
>>> decode(b'{"a":1}')
{'a': 1}
>>> decode(b'{"a": 1}')
Traceback (most recent call last):
ledger.errors.CanonError: not canonical JSON: the bytes are another spelling of the same value

Source: RFC 8785; DESIGN section 4.
"""

import base64
import binascii
import json
from collections.abc import Iterable
from typing import TypeAlias

import orjson

from ledger.errors import CanonError

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | bool | None"

MAX_INTEGER = 2**53 - 1
MAX_DEPTH = 64

# Key order by UTF-8 bytes and by UTF-16 units is one order for ASCII keys, and orjson prints integers and strings
# as RFC 8785 does; tests/ledger/test_canon.py holds the two against each other.
_OPTIONS = orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER


def encode(value: Json, *, around: int = 0) -> bytes:
    """Give the canonical bytes of a JSON value.

    Args:
        value: what is written.
        around: how many levels of arrays and objects the caller puts around it.

    Raises:
        CanonError: the value has no canonical form.
    """
    _check(value, MAX_DEPTH - around)
    return spelled(value)


def spelled(value: Json) -> bytes:
    """Give the canonical bytes of a value that is held to a schema which lets nothing through that has none.

    Raises:
        CanonError: the value has no canonical form; that is not always seen.
    """
    try:
        return orjson.dumps(value, option=_OPTIONS)
    except (orjson.JSONEncodeError, RecursionError) as error:
        raise CanonError(f"no canonical form: {error}") from error


def decode(data: bytes) -> Json:
    """Parse canonical bytes, refusing every other spelling of the same value.

    Raises:
        CanonError: the bytes are not JSON, or not its canonical form.
    """
    value = respelled(data)
    check(value)
    return value


def reread(data: bytes) -> Json:
    """Read back what `encode` gave in this process: nobody else's bytes, for nothing is refused."""
    value: Json = orjson.loads(data)
    return value


def respelled(data: bytes) -> Json:
    """Parse bytes that are what `encode` would write, were the value one that it takes.

    Whoever calls it must `check` the value too, or hold it to a schema that lets nothing else through.

    Raises:
        CanonError: the bytes are not JSON, or another spelling of the same value.
    """
    try:
        value: Json = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise CanonError(f"not JSON: {error}") from error
    if spelled(value) != data:
        raise CanonError("not canonical JSON: the bytes are another spelling of the same value")
    return value


def check(value: Json) -> None:
    """Refuse a value that has no canonical form.

    Raises:
        CanonError: a float, an integer out of range, a key that is not ASCII, too deep, or no JSON at all.
    """
    _check(value, MAX_DEPTH)


def decode_object(data: bytes) -> dict[str, Json]:
    """Parse canonical bytes that must hold an object.

    Raises:
        CanonError: as `decode`, or the value is no object.
    """
    value = decode(data)
    if not isinstance(value, dict):
        raise CanonError("not a JSON object")
    return value


def loads(text: bytes | str) -> Json:
    """Parse JSON from outside in any spelling, yet within the value restrictions.

    For input that people and programs write by hand; what is stored goes through `decode`.

    Raises:
        CanonError: not JSON, a duplicate key, a float, an integer out of range, a lone surrogate.
    """

    def unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        result = dict(pairs)
        if len(result) != len(pairs):
            raise CanonError("a key stands twice in one object")
        return result

    try:
        value: Json = json.loads(text, object_pairs_hook=unique)
        encode(value)
    except (ValueError, RecursionError) as error:
        raise CanonError(f"not JSON that can be recorded: {error}") from error
    return value


def to_base64url(data: bytes) -> str:
    """Spell bytes as base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def from_base64url(text: str) -> bytes:
    """Read base64url without padding, in its one spelling.

    Raises:
        CanonError: another alphabet, padding, or spare bits that are not zero.
    """
    try:
        data = base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    except (binascii.Error, UnicodeEncodeError, ValueError) as error:
        raise CanonError(f"not base64url: {error}") from error
    if to_base64url(data) != text:
        raise CanonError("not base64url in its one spelling")
    return data


def _check(value: Json, depth: int) -> None:
    within: Iterable[Json]
    if type(value) is dict:
        within = value.values()
        _check_keys(value)
    elif type(value) is list:
        within = value
    else:
        within, depth = (value,), depth + 1
    if depth <= 0 and within:
        raise CanonError(f"nested deeper than {MAX_DEPTH} levels")
    # Leaves are looked at where they stand: a call for each would cost more than all the rest of reading an event.
    for inner in within:
        kind = type(inner)
        if kind is str or inner is None or kind is bool:
            continue
        if kind is int:
            if not -MAX_INTEGER <= inner <= MAX_INTEGER:  # type: ignore[operator]
                raise CanonError("an integer lies outside +-(2^53 - 1)")
        elif kind is dict or kind is list:
            _check(inner, depth - 1)
        else:
            raise CanonError(f"{kind.__name__} has no canonical form")


def _check_keys(value: dict[str, Json]) -> None:
    try:
        if "".join(value).isascii():
            return
    except TypeError:  # a key that is no text
        pass
    raise CanonError("an object key is not ASCII text")
