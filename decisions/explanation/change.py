"""A change that would make a verdict another one: of a fact, of a grant, of the operation, or of the rules.

Source: DESIGN section 10; docs/guides/explain.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from ledger.canon import Json

What: TypeAlias = Literal[
    "registration",
    "attribute",
    "evidence",
    "identity",
    "trust",
    "consent",
    "claim",
    "rewrite",
    "standing_grant",
    "reclassification",
    "amendment",
]

_RANKS: Final[Mapping[What, int]] = {
    "registration": 0,
    "attribute": 0,
    "evidence": 1,
    "identity": 1,
    "trust": 1,
    "claim": 1,
    "consent": 2,
    "rewrite": 3,
    "standing_grant": 4,
    "reclassification": 6,
    "amendment": 20,
}
_HUMAN: Final = frozenset({"registration", "consent", "standing_grant", "reclassification", "amendment"})

Key: TypeAlias = tuple[str, str, str]
"""What is changed: its sort, whose it is, and its name. One operation's actions share what has one key."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change.

    Attributes:
        what: what has to happen: `attribute` says what nobody has said, `reclassification` says otherwise of what was
            said, `rewrite` asks for something else, `claim` takes back what the payload claims.
        key: what is changed.
        now: how it is, for people; empty where there is nothing.
        wanted: how it would have to be, for people; empty where the change says it all.
        value: one value of those that are wanted.
        choices: how many values there are.
    """

    what: What
    key: Key
    now: str = ""
    wanted: str = ""
    value: object = field(default=None, hash=False)
    choices: int = 1

    @property
    def who(self) -> Literal["human", "facts"]:
        """Whether it takes a human's act, or a fact that somebody can supply."""
        return "human" if self.what in _HUMAN else "facts"

    @property
    def rank(self) -> int:
        """How far it lies: of two sets of one size the nearer stands first."""
        return _RANKS[self.what]

    @property
    def of(self) -> str:
        """Whose it is: a resource, an action by its place, or an empty text."""
        return self.key[1]

    @property
    def about(self) -> str:
        """The name of what is changed: an attribute, a rule, a target."""
        return self.key[2]

    def to_json(self) -> dict[str, Json]:
        """Give the change as one JSON object."""
        return {
            "what": self.what,
            "who": self.who,
            "of": self.of,
            "about": self.about,
            "now": self.now,
            "wanted": self.wanted,
        }
