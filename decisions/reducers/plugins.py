"""Reducers of third parties: packages that register a form of their own under the entry points ``tallystick.reducers``.

    [project.entry-points."tallystick.reducers"]
    "acme.plan" = "acme_plan:reduce"

A form of theirs has a dot in its name, so that none takes the place of a form of ours. `reduce` is given the payload,
a copy, and gives the payload of a typed operation, ``{"actions": [...]}``, or ``{"problem": "..."}``; what it gives is
read by the typed form, like everything that comes from outside.

A plug-in that can't be loaded in time, fails, or answers too late makes its operations opaque. It is code in this
process, and trusted as far as its installation: what it can't do is to open anything by an error. Which plug-in read an
operation stands in the decision, by the name and version of its distribution.

Source: DESIGN section 10; docs/adr/0022.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from typing import Final, TypeAlias, cast

from decisions.operation import PLUGGED_IN
from decisions.reducers.effects import Effects
from decisions.reducers.errors import UnreadableError, too_complex
from decisions.reducers.payload import Fields, check_keys, object_of, text
from decisions.reducers.typed import reduce_typed
from ledger import canon
from ledger.canon import Json
from ledger.errors import CanonError

GROUP: Final = "tallystick.reducers"
LOADED_WITHIN: Final = 2.0
"""How many seconds the import of a plug-in may take."""
READ_WITHIN: Final = 1.0
"""How many seconds a plug-in may take for one operation."""

Reader: TypeAlias = Callable[[Mapping[str, Json]], object]
ReadBy: TypeAlias = tuple[str, str]
"""A distribution's name and version."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """What registers a form.

    Attributes:
        form: the form.
        distribution: name and version of the package.
        trouble: why it reads nothing, or an empty text.
    """

    form: str
    distribution: ReadBy
    trouble: str = ""


@dataclass(slots=True)
class Plugins:
    """The plug-ins of this process: looked up once, each loaded once, when its form is first asked for."""

    _points: Mapping[str, list[EntryPoint]] | None = None
    _loaded: dict[str, Reader | str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def read_by(self, form: str) -> ReadBy | None:
        """Give the distribution that reads a form, or None where there is none, or more than one."""
        points = self._all().get(form, []) if PLUGGED_IN.fullmatch(form) else []
        return _distribution(points[0]) if len(points) == 1 else None

    def reader(self, form: str) -> Reader | str:
        """Give what reads a form, or why nothing does."""
        with self._lock:
            if form not in self._loaded:
                self._loaded[form] = self._load(form)
            return self._loaded[form]

    def examine(self) -> Iterator[Plugin]:
        """Load every plug-in, and say what is wrong with it."""
        for form, points in sorted(self._all().items()):
            found = self.reader(form)
            for point in points:
                yield Plugin(form, _distribution(point), found if isinstance(found, str) else "")

    def _all(self) -> Mapping[str, list[EntryPoint]]:
        if self._points is None:
            found: dict[str, list[EntryPoint]] = {}
            for point in entry_points(group=GROUP):
                found.setdefault(point.name, []).append(point)
            self._points = found
        return self._points

    def _load(self, form: str) -> Reader | str:
        if not PLUGGED_IN.fullmatch(form):
            return "a plug-in's form has a dot in its name, such as acme.plan: no form of ours is replaced"
        points = self._all().get(form, [])
        if len(points) != 1:
            return "no reducer is installed for it" if not points else "more than one reducer is installed for it"
        done = _in_time(points[0].load, LOADED_WITHIN)
        if done is None:
            return f"its import takes more than {LOADED_WITHIN:g} s"
        if done.error is not None:
            return f"its import fails: {type(done.error).__name__}"
        return cast("Reader", done.value) if callable(done.value) else "what it registers can't be called"


@dataclass(slots=True)
class _Done:
    """What came of some work."""

    value: object = None
    error: BaseException | None = None


PLUGINS = Plugins()
"""Those of this process."""


def reduce_by_plugin(effects: Effects, form: str, payload: Fields, *, home: str | None) -> None:
    """Note what a plug-in reads of an operation.

    Raises:
        UnreadableError: there is none for the form, it fails, or what it gives is not a typed operation.
    """
    reader = PLUGINS.reader(form)
    if isinstance(reader, str):
        raise UnreadableError(f"the form {form[:40]!a}: {reader}")
    given = deepcopy(dict(payload))
    done = _in_time(lambda: reader(given), READ_WITHIN)
    if done is None:
        raise too_complex(f"the reducer of {form} took more than {READ_WITHIN:g} s")
    if done.error is not None:
        raise UnreadableError(f"the reducer of {form} failed: {type(done.error).__name__}")
    answer = _plain(form, done.value)
    if "problem" in answer:
        check_keys(answer, ["problem"], f"what the reducer of {form} gives")
        raise UnreadableError(text(answer, "problem"))
    check_keys(answer, ["actions"], f"what the reducer of {form} gives")
    reduce_typed(effects, {"actions": answer.get("actions")}, home=home)


def _plain(form: str, value: object) -> Fields:
    """Take what a plug-in gives for data, and for nothing that acts when it is looked at."""
    try:
        return object_of(canon.loads(canon.encode(cast("Json", value))), f"what the reducer of {form} gives")
    except CanonError as error:
        raise UnreadableError(f"what the reducer of {form} gives is no JSON: {error}") from error


def _in_time(work: Callable[[], object], seconds: float) -> _Done | None:
    """Do something in a thread of its own; None where it takes longer, and then nobody waits for it any more."""
    found: list[_Done] = []

    def run() -> None:
        try:
            found.append(_Done(work()))
        except BaseException as error:  # noqa: BLE001  (whatever a plug-in raises, SystemExit too, is its failure)
            found.append(_Done(error=error))

    thread = threading.Thread(target=run, name="reducer", daemon=True)
    thread.start()
    thread.join(seconds)
    return found[0] if found else None


def _distribution(point: EntryPoint) -> ReadBy:
    known = point.dist
    return ("unknown", "unknown") if known is None else (known.name, known.version)
