"""Reads fields of a payload: closed sets of keys, exact types.

Source: policy case A07 (an option that nobody knows makes the whole opaque), C05 (nothing absent is taken for no).
"""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from decisions.reducers.errors import UnreadableError
from ledger.canon import Json

Fields: TypeAlias = Mapping[str, Json]


def check_keys(fields: Fields, known: Iterable[str], what: str) -> None:
    """Hold that every key is known.

    Raises:
        UnreadableError: another key.
    """
    for key in sorted(set(fields) - set(known)):
        raise UnreadableError(f"{what} has a field that isn't known: {key[:60]!a}")


def text(fields: Fields, key: str) -> str:
    """Take a text that must be there.

    Raises:
        UnreadableError: it is missing, or no text.
    """
    value = fields.get(key)
    if not isinstance(value, str):
        raise UnreadableError(f"{key} must be text")
    return value


def optional_text(fields: Fields, key: str) -> str | None:
    """Take a text that may be missing or null.

    Raises:
        UnreadableError: it is no text.
    """
    return None if fields.get(key) is None else text(fields, key)


def object_of(value: Json, what: str) -> Fields:
    """Take a value for an object.

    Raises:
        UnreadableError: it is none.
    """
    if not isinstance(value, dict):
        raise UnreadableError(f"{what} must be an object")
    return value
