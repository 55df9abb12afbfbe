"""From a path as received to the reference that it names, and how much it covers.

Source: DESIGN section 8; policy cases A13, A19, B05 (links are the enforcement point's to resolve).
"""

from decisions.reducers.errors import UnreadableError
from grants import reference
from grants.errors import ReferenceSyntaxError
from grants.reference import Reference

# Reading or writing these moves nothing in or out of the machine's files.
_SINKS = frozenset(
    {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/stdin", "/dev/stdout", "/dev/stderr",
     "/dev/tty"}
)  # fmt: skip
_DESCRIPTORS = "/dev/fd/"
# Where homes stand, when nobody says which is ours.
_ROOTS = frozenset({"/", "/home", "/root", "/Users"})


def resolve(path: str, cwd: str | None) -> Reference:
    """Name the file at a path.

    Raises:
        UnreadableError: ID_INVALID where the path is not one, TARGET_UNRESOLVED where it is relative to nobody knows
            what.
    """
    try:
        if cwd is None and path and path[0] not in "/~\\" and "\\" not in path:
            # Still refuse what is no path at all, before saying that the directory is missing.
            reference.file(path, "/")
            raise UnreadableError(f"relative to an unknown directory: {path[:80]}", "TARGET_UNRESOLVED")
        return reference.file(path, cwd)
    except ReferenceSyntaxError as error:
        raise UnreadableError(str(error), "ID_INVALID") from error


def path_of(ref: Reference) -> str:
    """Spell a file reference as a path."""
    return "/" + "/".join(ref.parts)


def is_sink(path: str) -> bool:
    """Whether a path is a device that keeps nothing and gives nothing away."""
    return path in _SINKS or (path.startswith(_DESCRIPTORS) and path[len(_DESCRIPTORS) :].isdigit())


def is_broad(path: str, home: str | None) -> bool:
    """Whether a directory is the root, the home directory or one that the home directory lies in."""
    return path in _ROOTS or (home is not None and (home + "/").startswith(path.rstrip("/") + "/"))


def scope_of(path: str, home: str | None, *, many: bool) -> str:
    """Say how much an action on a path covers."""
    if not many:
        return "one"
    return "all" if is_broad(path, home) else "many"
