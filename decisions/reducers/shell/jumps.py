"""Where ``break``, ``continue`` and ``return`` lead: to the end of a loop or of a function, with what is known there.

Source: bash 5.2 manual (bourne shell builtins); policy case A15.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from decisions.reducers.shell.state import State

Region: TypeAlias = Literal["loop", "function"]


@dataclass(slots=True)
class Jumps:
    """The loops and functions that stand around a command, with the states in which they are left."""

    _regions: list[tuple[Region, list[State]]] = field(default_factory=list)

    @contextmanager
    def region(self, kind: Region) -> Iterator[list[State]]:
        """Enter a loop or a function; give the states in which something jumps to its end."""
        left: list[State] = []
        self._regions.append((kind, left))
        try:
            yield left
        finally:
            self._regions.pop()

    def jump(self, name: str, state: State, *, far: bool) -> bool:
        """Note a jump, and tell whether it is certain that what follows is not reached.

        Args:
            name: ``break``, ``continue`` or ``return``.
            state: where the shell stands.
            far: whether it may lead out of several loops.
        """
        if not self._regions:
            return False
        returns = name == "return"
        innermost = self._regions[-1][0] == "loop"
        for kind, left in reversed(self._regions):
            # A state too many makes less certain, and nothing wrong.
            left.append(state)
            if kind == "loop" and innermost and not far and not returns:
                break
        return any(kind == "function" for kind, _ in self._regions) if returns else innermost
