"""Erasures: which disclosable fields were erased, and on which legal basis. A human signs.

Source: DESIGN sections 7 and 8; docs/adr/0010; docs/events/.
"""

from collections.abc import Iterable
from typing import Annotated, ClassVar, Final, Literal, Self, TypeAlias, get_args

from pydantic import Field, model_validator

from ledger.event import Frozen, Many, SignedBody

Basis: TypeAlias = Literal[
    "gdpr-art-17-1-a",
    "gdpr-art-17-1-b",
    "gdpr-art-17-1-c",
    "gdpr-art-17-1-d",
    "gdpr-art-17-1-e",
    "gdpr-art-17-1-f",
    "ccpa-1798-105",
    "court-order",
    "retention-expired",
    "secret-recorded",
]

BASES: Final[dict[str, str]] = {
    "gdpr-art-17-1-a": "no longer necessary for the purpose that it was collected for",
    "gdpr-art-17-1-b": "the person withdrew the consent to its processing",
    "gdpr-art-17-1-c": "the person objected to its processing",
    "gdpr-art-17-1-d": "it was processed unlawfully",
    "gdpr-art-17-1-e": "a law that the keeper is subject to demands the erasure",
    "gdpr-art-17-1-f": "it was collected from a child who was offered an online service",
    "ccpa-1798-105": "a consumer asked for deletion (California Civil Code, section 1798.105)",
    "court-order": "a court or an authority ordered the erasure",
    "retention-expired": "it is older than the most that the retention rules in force allow",
    "secret-recorded": "a key, password or other secret was recorded that should not have been",
}
"""Every basis with its meaning; the first six are the grounds of Regulation (EU) 2016/679, article 17(1)."""

ERASURE: Final = "erasure"
"""The tag of every erasure."""

MAX_FIELDS: Final = 500
"""So many fields one statement names at most: a human reads it."""

# Names of fields and numbers, as RFC 6901 joins them: no text of anybody's choosing fits in.
_POINTER: Final = r"^(/[a-z0-9_]{1,40}){1,8}$"


class ErasedField(Frozen):
    """One disclosable field of an earlier event.

    Attributes:
        event: the event's place in the log.
        path: the field's pointer within the body.
    """

    event: Annotated[int, Field(ge=0)]
    path: Annotated[str, Field(pattern=_POINTER)]


class FieldsErased(SignedBody):
    """Salt and value of these fields were deleted; their commitments stand, and every proof with them.

    It names no person and holds no free text, for it can't be erased itself.

    Attributes:
        fields: by event and path, each once.
        basis: one of `BASES`.
    """

    type: ClassVar[str] = "fields.erased"

    fields: Annotated[tuple[ErasedField, ...], Many, Field(min_length=1, max_length=MAX_FIELDS)]
    basis: Basis

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        named = list(self.erases())
        if named != sorted(set(named)):
            raise ValueError("the fields stand in the order of their events and paths, each once")
        return self

    def erases(self) -> Iterable[tuple[int, str]]:
        """Give what is deleted with this event."""
        return ((field.event, field.path) for field in self.fields)

    def tags(self) -> Iterable[str]:
        """Find all erasures, and those of one event."""
        yield ERASURE
        yield from (f"erased:{seq}" for seq in dict.fromkeys(field.event for field in self.fields))


# INVARIANT: a basis without a meaning, or the other way, does not load.
if set(BASES) != set(get_args(Basis)):  # pragma: no cover
    raise AssertionError(BASES)
