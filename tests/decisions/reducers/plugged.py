"""Makes a distribution with a reducer, as an installer leaves it: a package and its metadata on the path."""

import threading
from pathlib import Path

from decisions.reducers import plugins

READS = """
def reduce(payload):
    return {"actions": [{"verb": verb, "target": payload["target"]} for verb in payload["verbs"]]}
"""

WAITS = "from tests.decisions.reducers.plugged import RELEASED"
RELEASED = threading.Event()
"""What a late plug-in waits for."""


def install(
    place: Path, code: str = READS, *, name: str = "acme-plan", version: str = "1.2.0", form: str = "acme.plan"
) -> None:
    module = name.replace("-", "_")
    package = place / module
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(code)
    about = place / f"{module}-{version}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (about / "entry_points.txt").write_text(f"[{plugins.GROUP}]\n{form} = {module}:reduce\n")


def look_again(monkeypatch, place: Path | None) -> None:
    """Make this process one that has looked at no plug-in yet, with a place on its path."""
    if place is not None:
        monkeypatch.syspath_prepend(place)
    monkeypatch.setattr(plugins, "PLUGINS", plugins.Plugins())
