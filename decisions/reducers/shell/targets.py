"""Which files a word may name: one, or with a glob whatever lies in the directory before it.

Source: policy cases A13, A19.
"""

from dataclasses import dataclass
from fnmatch import fnmatchcase

from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.paths import path_of, resolve
from decisions.reducers.shell.state import State
from decisions.reducers.shell.word import Word


@dataclass(frozen=True, slots=True)
class Target:
    """A file that a word may name.

    Attributes:
        path: absolute and normalised.
        many: whether a glob stands for any number of files below it.
    """

    path: str
    many: bool


def targets(word: Word, state: State) -> list[Target]:
    """List what a word may name, one for each directory that the shell may be in.

    Raises:
        UnreadableError: ID_INVALID or TARGET_UNRESOLVED.
    """
    if not word.is_known:
        raise unresolved(f"a path that only the shell knows: {word.shown()[:80]}")
    path, many = word.literal, False
    if path is None:
        path, many = _before_glob(word), True
    if path.startswith("/"):
        return [Target(path_of(resolve(path, None)), many)]
    if state.directories is None:
        resolve(path, None)  # raises: ID_INVALID if it is no path, else TARGET_UNRESOLVED
    return [Target(path_of(resolve(path, cwd)), many) for cwd in sorted(state.directories or ())]


def may_become(word: Word, name: str) -> bool:
    """Whether a word with globs may turn into a file's name."""
    return not word.is_literal and _matches(name, "".join(piece.text for piece in word.pieces))


def _matches(name: str, pattern: str) -> bool:
    # Classes of characters, `[:punct:]`, may hold anything; fnmatch does not know them.
    return any(sign in pattern for sign in ("[:", "[.", "[=")) or fnmatchcase(name, pattern.replace("[^", "[!"))


def _before_glob(word: Word) -> str:
    head, slash, _ = word.prefix.rpartition("/")
    behind = "".join(piece.text for piece in word.pieces)[len(head + slash) :].split("/")
    if any(part.startswith(".") and _matches("..", part) for part in behind):
        raise UnreadableError("a glob that may lead out of its directory", "TARGET_UNRESOLVED")
    return head + slash or "."
