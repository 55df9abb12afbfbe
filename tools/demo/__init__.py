"""The demonstration: a real ledger in a directory of its own, and a story in numbered chapters.

The operations are JSON files beside this module: what an enforcement point would send, who sends it, and what must
come of it. `tools.demo.stage` opens the ledger, `tools.demo.deciding` and its siblings hold the chapters, and
`tools.demo.story` tells them one after the other. Nothing is mocked: keys, signatures, database and proofs are real;
only the clock is moved by hand.
"""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from decisions.operation import Operation

NAMES: Final = (
    "fixture-delete",
    "source-edit",
    "users-wipe",
    "user-row-delete",
    "attack-pipe-to-shell",
    "attack-elevation",
    "attack-home-wipe",
    "attack-own-settings",
    "reader-befriend",
)
"""Every operation that is shipped."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One operation, and what must come of it.

    Attributes:
        about: what is going on, for people.
        subject: who asks.
        outcome: allow, deny or hold, as it is asked for the first time.
        rules: rules that must speak, among others.
    """

    name: str
    about: str
    subject: str
    operation: Operation
    outcome: str
    reason: str
    rules: frozenset[str]


@cache
def scene(name: str) -> Scene:
    """Load one of `NAMES`."""
    data = json.loads(files("tools.demo").joinpath(f"{name}.json").read_bytes())
    expected = data["expect"]
    operation = Operation(data["form"], data["payload"], domain=data.get("session", ""))
    return Scene(
        name,
        data["about"],
        data["as"],
        operation,
        expected["outcome"],
        expected["reason"],
        frozenset(expected["rules"]),
    )
