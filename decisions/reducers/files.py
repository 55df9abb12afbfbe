"""An effect on a file by the path that an enforcement point has: ``{"verb": "write", "path": "../x", "cwd": "/srv"}``.

    read, list, enter, write, delete, set_mode     the path; with ``recursive`` everything below it as well
    copy                                           reads the path, writes ``to``
    move                                           reads and deletes the path, writes ``to``

A path is read by its letters. The decision point follows its links, and hands back what it found.

Source: DESIGN section 10; policy cases A19, B03, B05, B07.
"""

from typing import Final

from decisions.reducers.effects import Effects
from decisions.reducers.errors import UnreadableError
from decisions.reducers.paths import is_broad, path_of, resolve, scope_of
from decisions.reducers.payload import Fields, check_keys, optional_text, text
from decisions.reducers.vocabulary import VERBS

_TWO: Final = {"copy": ("read",), "move": ("read", "delete")}


def reduce_file(effects: Effects, payload: Fields, *, home: str | None) -> None:
    """Note what is done to which file.

    Raises:
        UnreadableError: it can't be read.
    """
    check_keys(payload, ["verb", "path", "to", "cwd", "recursive"], "an effect on a file")
    verb, cwd = text(payload, "verb"), optional_text(payload, "cwd")
    if verb not in VERBS["file"] and verb not in _TWO:
        raise UnreadableError(f"not an effect on a file that is known: {verb[:40]!a}")
    recursive = payload.get("recursive", False)
    if not isinstance(recursive, bool):
        raise UnreadableError("recursive must be true or false")
    if ("to" in payload) != (verb in _TWO):
        raise UnreadableError("to goes with copy and move, and they with it")

    def note(done: str, path: str) -> None:
        found = path_of(resolve(path, cwd))
        # What is moved or removed at all goes with everything that is in it.
        broad = done == "delete" and is_broad(found, home)
        effects.act("file", done, f"file://{found}", verb, scope=scope_of(found, home, many=recursive or broad))

    for done in _TWO.get(verb, (verb,)):
        note(done, text(payload, "path"))
    if verb in _TWO:
        note("write", text(payload, "to"))
