"""Disclosable fields: in the event stands a commitment, its opening lives apart and can be erased.

A field declared `Disclosable` holds ``{"sd": base64url(field(salt, pointer, value))}``. The opening (salt and value)
is kept beside the log. Whoever is shown an opening can check it; whoever is not learns nothing, and after the
opening is deleted nobody can, while every hash and signature over the event stays valid.

Source: DESIGN section 8; the pointer is RFC 6901, within the event's body.
"""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from pydantic import BaseModel, ConfigDict, field_validator

from ledger import canon, digest
from ledger.canon import Json
from ledger.errors import CanonError, DisclosureError


class Disclosable(BaseModel):
    """The commitment that stands in an event for a value that may be withheld or erased."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    sd: str

    @field_validator("sd")
    @classmethod
    def _is_digest(cls, value: str) -> str:
        try:
            data = canon.from_base64url(value)
        except CanonError as error:
            raise ValueError(str(error)) from error
        if len(data) != digest.SIZE:
            raise ValueError("a commitment has 32 bytes")
        return value


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


def paths(value: object, prefix: str = "") -> Iterator[tuple[str, Disclosable]]:
    """Walk a model and give each disclosable field with its pointer."""
    if isinstance(value, Disclosable):
        yield prefix, value
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from paths(getattr(value, name), f"{prefix}/{name}")
    elif isinstance(value, tuple):
        for index, inner in enumerate(value):
            yield from paths(inner, f"{prefix}/{index}")


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
