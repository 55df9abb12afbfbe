"""Disclosable fields: in the event stands a commitment, its opening lives apart and can be erased.

A field declared `Disclosable` holds ``{"sd": base64url(field(salt, pointer, value))}``. The opening (salt and value)
is kept beside the log. Whoever is shown an opening can check it; whoever is not learns nothing, and after the
opening is deleted nobody can, while every hash and signature over the event stays valid.

Source: DESIGN section 8; the pointer is RFC 6901, within the event's body.
"""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Final, Literal, Self, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field

from ledger import canon, digest
from ledger.canon import Json
from ledger.errors import DisclosureError

_DIGEST: Final = "^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$"
"""32 bytes in base64url, in the one spelling: two bits of the last character are spare, and zero."""


class Disclosable(BaseModel):
    """The commitment that stands in an event for a value that may be withheld or erased."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    sd: Annotated[str, Field(pattern=_DIGEST)]


@dataclass(frozen=True, slots=True)
class Opening:
    """What opens one commitment.

    Attributes:
        path: the field's RFC 6901 pointer within the event's body.
        salt: 32 random bytes.
        value: what the field holds.
    """

    path: str
    salt: bytes
    value: Json

    @classmethod
    def fresh(cls, path: str, value: Json) -> Self:
        """Open a new commitment to the value, under a salt of its own."""
        return cls(path, new_salt(), value)

    def commitment(self) -> Disclosable:
        """Give the commitment that this opens."""
        return Disclosable(sd=canon.to_base64url(digest.field(self.salt, self.path, self.value)))


def new_salt() -> bytes:
    """Draw a salt: 32 bytes from the system's random source."""
    return secrets.token_bytes(digest.SIZE)


def paths(body: BaseModel) -> Iterator[tuple[str, Disclosable]]:
    """Walk a model and give each disclosable field with its pointer."""
    return _walk(body, "")


def may_disclose(model: type[BaseModel]) -> bool:
    """Tell whether a model's declaration lets it hold a disclosable field at all."""
    return bool(_carriers(model))


def _walk(value: object, prefix: str) -> Iterator[tuple[str, Disclosable]]:
    if isinstance(value, Disclosable):
        yield prefix, value
    elif isinstance(value, BaseModel):
        for name in _carriers(type(value)):
            yield from _walk(getattr(value, name), f"{prefix}/{name}")
    elif isinstance(value, tuple):
        for index, inner in enumerate(value):
            yield from _walk(inner, f"{prefix}/{index}")


@cache
def _carriers(model: type[BaseModel]) -> tuple[str, ...]:
    """Name the fields of a model under which a disclosable field may stand; most events have few."""
    return tuple(name for name, field in model.model_fields.items() if _may_hold(field.annotation))


def _may_hold(annotation: object) -> bool:
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Literal or annotation is Ellipsis:
        return False
    if origin is not None:
        return any(map(_may_hold, inner[:1] if origin is Annotated else inner))
    if isinstance(annotation, type):
        within = issubclass(annotation, BaseModel) and bool(_carriers(annotation))
        return within or annotation in {Disclosable, object}
    # What can't be looked into may hold anything.
    return True


def check(body: BaseModel, opening: Opening) -> None:
    """Accept an opening only where the body declares a disclosable field, and only if it fits.

    Raises:
        DisclosureError: no such field, or another value or salt than was committed to.
    """
    declared = dict(paths(body)).get(opening.path)
    if declared is None:
        raise DisclosureError(f"{opening.path} is not a disclosable field of this event")
    if len(opening.salt) != digest.SIZE or opening.commitment() != declared:
        raise DisclosureError(f"the opening of {opening.path} does not fit its commitment")
