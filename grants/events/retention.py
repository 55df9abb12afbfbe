"""Retention: how long disclosable fields must be kept, and may be kept. A human signs.

Source: DESIGN section 8; docs/adr/0010; docs/events/.
"""

from collections.abc import Iterable
from typing import Annotated, ClassVar, Final, Self, TypeAlias

from pydantic import Field, model_validator

from ledger.disclosure import Disclosable
from ledger.event import Frozen, Many, SignedBody

MAX_RULES: Final = 100
MAX_DAYS: Final = 36_500
ANY: Final = "*"

Days: TypeAlias = Annotated[int, Field(ge=0, le=MAX_DAYS)]


class RetentionRule(Frozen):
    """How long the fields of one kind are kept, in days of 24 hours from their event on.

    Attributes:
        type: a type of event, or ``*`` for every type.
        path: a pointer: this field and what lies below it; or ``*`` for every field.
        at_least: no earlier may they be erased; null where they may at any time.
        at_most: no longer are they kept; null where they may be kept for ever.
    """

    type: str
    path: str
    at_least: Days | None
    at_most: Days | None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.at_least is None and self.at_most is None:
            raise ValueError("a rule says how long at least, how long at most, or both")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError("what is kept at least so long can't be kept shorter at most")
        return self

    def covers(self, type_name: str, path: str) -> bool:
        """Tell whether the rule is about a field."""
        return self.type in {ANY, type_name} and (self.path in {ANY, path} or path.startswith(f"{self.path}/"))


class RetentionSet(SignedBody):
    """A human sets the retention rules; they take the place of all earlier ones.

    Attributes:
        rules: by type and path, each pair once. Of several that cover a field the strictest counts, either way.
    """

    type: ClassVar[str] = "retention.set"

    rules: Annotated[tuple[RetentionRule, ...], Many, Field(max_length=MAX_RULES)]
    reason: Disclosable

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        named = [(rule.type, rule.path) for rule in self.rules]
        if named != sorted(set(named)):
            raise ValueError("the rules stand in the order of their types and paths, each pair once")
        return self

    def tags(self) -> Iterable[str]:
        """Find every setting of the rules."""
        yield "retention"
