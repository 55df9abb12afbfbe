"""How a ledger is kept: ``settings.toml`` in its directory, where somebody wrote one.

    [checkpoint]
    seconds = 60
    events = 1000

Everything has a default, so that no file and an empty one say the same. A name that is not known refuses the whole
file and names the nearest spelling: a setting that does nothing would be believed to do something.

Source: DESIGN section 10 (the same rule for constitutions).
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from grants.spelling import suggestion
from tools.errors import InputError
from tools.home import Home

MOST_SECONDS: Final = 86_400
MOST_EVENTS: Final = 10**9
_MOST_BYTES: Final = 65_536


@dataclass(frozen=True, slots=True)
class Cadence:
    """When a checkpoint is due: whichever comes first, and never where nothing is new.

    Attributes:
        seconds: so long after the last one.
        events: so many events after the last one.
    """

    seconds: int = 60
    events: int = 1000


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set."""

    checkpoint: Cadence = field(default_factory=Cadence)


def read_settings(home: Home) -> Settings:
    """Read the settings of a ledger; the defaults where it has none.

    Raises:
        InputError: the file can't be read, or says something that is not known here.
    """
    try:
        with home.settings.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        return Settings()
    except OSError as error:
        raise InputError(f"{home.settings} can't be read: {error.strerror}") from error
    try:
        return parse_settings(data)
    except InputError as error:
        raise InputError(f"{home.settings}: {error}") from error


def parse_settings(data: bytes) -> Settings:
    """Read the bytes of a settings file.

    Raises:
        InputError: no TOML, a name that is not known, or a value out of its bounds.
    """
    if len(data) > _MOST_BYTES:
        raise InputError(f"a settings file has at most {_MOST_BYTES} bytes")
    try:
        document: dict[str, object] = tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:  # a number of thousands of digits too
        raise InputError(f"it is no TOML: {error}") from error
    _known(document, ("checkpoint",), "a settings file")
    section = document.get("checkpoint", {})
    if not isinstance(section, dict):
        raise InputError("checkpoint is a section: [checkpoint], then seconds = 60")
    _known(section, ("events", "seconds"), "[checkpoint]")
    return Settings(
        Cadence(
            seconds=_number(section, "seconds", Cadence().seconds, MOST_SECONDS),
            events=_number(section, "events", Cadence().events, MOST_EVENTS),
        )
    )


def _known(table: Mapping[str, object], names: Iterable[str], where: str) -> None:
    for name in table:
        if name not in names:
            raise InputError(f'{where} has no "{name}"{suggestion(name, names)}')


def _number(table: Mapping[str, object], name: str, default: int, most: int) -> int:
    value = table.get(name, default)
    if type(value) is not int or not 1 <= value <= most:
        raise InputError(f"{name} is a whole number from 1 to {most}")
    return value
