"""Effects on files, by the paths that an enforcement point has."""

from collections.abc import Callable
from typing import Any

import pytest

from decisions.action import Reduction
from decisions.reducers import reduce_operation

Notation = Callable[[Reduction], set[str]]

ROWS: list[tuple[dict[str, Any], set[str]]] = [
    ({"verb": "write", "path": "a"}, {"write /srv/app/a"}),
    ({"verb": "read", "path": "../x//./y"}, {"read /srv/x/y"}),
    ({"verb": "read", "path": ".", "recursive": True}, {"read /srv/app +many"}),
    ({"verb": "delete", "path": "/home/u"}, {"delete /home/u +all"}),
    ({"verb": "delete", "path": "/", "recursive": True}, {"delete / +all"}),
    ({"verb": "list", "path": "/etc"}, {"list /etc"}),
    ({"verb": "copy", "path": "a", "to": "/b"}, {"read /srv/app/a", "write /b"}),
    ({"verb": "move", "path": "a", "to": "../b"}, {"read /srv/app/a", "delete /srv/app/a", "write /srv/b"}),
    ({"verb": "move", "path": "/home", "to": "/b"}, {"read /home", "delete /home +all", "write /b"}),
    # B07: anchored where it is, and not by a name that looks alike; B01, B03: never folded.
    ({"verb": "write", "path": "/etc/src/x"}, {"write /etc/src/x"}),
    ({"verb": "write", "path": "/r/.GIT/config"}, {"write /r/.GIT/config"}),
    ({"verb": "write", "path": "/srv/pr\u043ed"}, {"write /srv/pr\u043ed"}),
    # A19: names of other systems.
    ({"verb": "read", "path": "\\??\\C:\\x"}, {"!ID_INVALID"}),
    ({"verb": "read", "path": "C:/x"}, {"!ID_INVALID"}),
    ({"verb": "read", "path": "//host/share"}, {"!ID_INVALID"}),
    ({"verb": "read", "path": "~/x"}, {"!ID_INVALID"}),
    ({"verb": "read", "path": "file:///etc/passwd"}, {"!ID_INVALID"}),
    ({"verb": "read", "path": "a\u200bb"}, {"!ID_INVALID"}),
    ({"verb": "read", "path": "a\x00b"}, {"!ID_INVALID"}),
    ({"verb": "read", "path": ""}, {"!ID_INVALID"}),
    ({"verb": "read", "path": "a", "cwd": None}, {"!TARGET_UNRESOLVED"}),
    ({"verb": "read", "path": "a", "cwd": "srv"}, {"!ID_INVALID"}),
    ({"verb": "run", "path": "/a"}, {"!UNPARSEABLE"}),
    ({"verb": "read", "path": "/a", "to": "/b"}, {"!UNPARSEABLE"}),
    ({"verb": "move", "path": "/a"}, {"!UNPARSEABLE"}),
    ({"verb": "move", "path": "/a", "to": None}, {"!UNPARSEABLE"}),
    ({"verb": "read", "path": "/a", "recursive": 1}, {"!UNPARSEABLE"}),
    ({"verb": "read", "path": "/a", "mode": 1}, {"!UNPARSEABLE"}),
    ({"verb": "read"}, {"!UNPARSEABLE"}),
]


@pytest.mark.parametrize(
    ("fields", "effects"), ROWS, ids=lambda each: str(sorted(each)) if isinstance(each, set) else str(each)
)
def test_effects_on_files(fields: dict[str, Any], effects: set[str], notation: Notation) -> None:
    found = notation(reduce_operation("file", {"cwd": "/srv/app", **fields}, home="/home/u"))
    # What was read before a part that can't be read stays noted.
    assert effects <= found
    assert found == effects or any(one.startswith("!") for one in effects)
