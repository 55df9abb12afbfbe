"""A tree of lines, and how it is drawn as text: for a terminal, a pipe, and as the pattern for pages and pictures.

>>> tree = Branch("one", (Branch("two", (Branch("three"),)), Branch("four")))
>>> print(drawn(tree))
one
├─ two
│  └─ three
└─ four

Source: docs/guides/explain.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tools.cli.output import safe

Mark: TypeAlias = Literal["", "allow", "hold", "deny", "true", "false", "unknown", "head"]


@dataclass(frozen=True, slots=True)
class Branch:
    """One line with what hangs below it.

    Attributes:
        text: the line; whatever it holds, nothing in it can move a cursor or end a tag.
        below: what hangs below it.
        mark: what it says, for a page's style; the text says it too.
    """

    text: str
    below: "tuple[Branch, ...]" = ()
    mark: Mark = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One drawn line.

    Attributes:
        depth: how deep it hangs.
        rails: for each level above, whether something of it follows further down.
        last: whether it is the last of its siblings.
    """

    text: str
    mark: Mark
    depth: int
    rails: tuple[bool, ...]
    last: bool


def lines(tree: Branch, rails: tuple[bool, ...] = (), *, last: bool = True, depth: int = 0) -> Iterator[Line]:
    """Give the tree line by line, the root first."""
    yield Line(safe(tree.text), tree.mark, depth, rails, last)
    inner = (*rails, not last) if depth else ()
    for place, one in enumerate(tree.below):
        yield from lines(one, inner, last=place == len(tree.below) - 1, depth=depth + 1)


def drawn(tree: Branch) -> str:
    """Draw the tree as text."""
    return "\n".join(_prefix(line) + line.text for line in lines(tree))


def _prefix(line: Line) -> str:
    if not line.depth:
        return ""
    return "".join("│  " if rail else "   " for rail in line.rails) + ("└─ " if line.last else "├─ ")
