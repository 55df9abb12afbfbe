"""The outer form of an event, told at a glance: every event has the same eleven fields of the same plain types.

`ledger.event.Envelope` is the model of it and has the last word: what is no envelope here is given to it, which says
why. tests/ledger/test_envelope.py holds the two against each other.

Source: DESIGN section 7.
"""

from typing import Annotated, Final, Literal, TypeAlias, get_args

from pydantic import BeforeValidator

from ledger.canon import Json
from ledger.instant import is_instant

Auth: TypeAlias = Literal["signature", "os-uid", "token", "claimed", "ledger"]
"""How ``by`` was established; ``ledger`` is the ledger's own act (a trust update, a consumption)."""


def _no_bool(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("true and false are no numbers")  # noqa: TRY004  (pydantic reports ValueError)
    return value


Version1 = Annotated[Literal[1], BeforeValidator(_no_bool)]
"""The number 1 and nothing that equals it: in Python ``True == 1``."""

_NAMES: Final = ("at", "auth", "body", "by", "causes", "request", "schema", "seq", "type", "v", "via")
_AUTHS: Final = frozenset(get_args(Auth))


def is_envelope(value: dict[str, Json]) -> bool:
    """Tell an envelope, read from canonical bytes, whatever its body is."""
    if tuple(value) != _NAMES:
        return False
    at, auth, _, by, causes, request, schema, seq, type_, v, via = value.values()
    return (
        type(by) is type(type_) is str
        and (via is None or type(via) is str)
        and (request is None or type(request) is str)
        and type(auth) is str
        and auth in _AUTHS
        and type(v) is int
        and v == 1
        and type(schema) is int
        and schema >= 1
        and type(seq) is int
        and seq >= 0
        and type(causes) is list
        and (not causes or set(map(type, causes)) == {int})
        and type(at) is str
        and is_instant(at)
    )
