"""Whether everything is in order: the program, the machine, and the ledger's directory.

A check looks at one thing and never changes it. `Finding.status` is ``ok``, ``warning`` (works, and should be looked
at), ``problem`` (does not work) or ``evidence`` (the record, or what stands beside it, was changed).
"""

import importlib.metadata
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from decisions.constitution import load
from decisions.errors import DecisionError
from decisions.law import law_in_force
from decisions.reducers import plugins
from grants import reference
from grants.book import resources
from grants.book.states import ResourceState
from grants.reading import read_state
from ledger.errors import LedgerError
from ledger.instant import from_microseconds
from ledger.log import Snapshot
from ledger.note import VerifierKey
from ledger.policy import parse_policy
from ledger.sql.engine import settings
from ledger.transaction import transaction_time
from tools import checkpointing
from tools.erasing import unfinished
from tools.errors import EvidenceError, HomeError, ToolError
from tools.home import Home
from tools.keys import has_passphrase, signer_of
from tools.ledger import OpenLedger, open_ledger, time_of_day
from tools.mark import WAY_ON, check_continues, other_origin, read_mark

Status: TypeAlias = Literal["ok", "warning", "problem", "evidence"]

DISTRIBUTION: Final = "tallystick"
PACKAGES: Final = ("decisions", "grants", "ledger", "migrations", "tools", "verify")
DEPENDENCIES: Final = (
    "alembic",
    "blake3",
    "click",
    "cryptography",
    "orjson",
    "pydantic",
    "rich",
    "sqlalchemy",
    "sqlglot",
    "tree-sitter",
    "tree-sitter-bash",
)
_PYTHON: Final = (3, 11)
_EARLIEST: Final = 1_767_225_600_000_000  # 2026-01-01: no clock that is right says less
_WRITABLE_BY_OTHERS: Final = 0o022
_OPEN_TO_OTHERS: Final = 0o077


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check has found."""

    check: str
    status: Status
    detail: str


def examine(home: Home, *, confirm_clock: bool = False) -> Iterator[Finding]:
    """Look at everything, the program first."""
    yield _python()
    yield _dependencies()
    yield _names()
    yield _ssh_keygen()
    yield _clock()
    yield from _plugins()
    if not (home.file.is_file() or home.pointer.is_file()):
        yield Finding("ledger", "problem", f"{home.path} holds none: check --ledger, or run tally init")
        return
    yield _modes(home)
    try:
        ledger = open_ledger(home, confirm_clock=confirm_clock)
    except (LedgerError, ToolError) as error:
        yield Finding("ledger", "problem", str(error))
        return
    try:
        yield Finding("ledger", "ok", f"{home.path}, origin {ledger.origin}")
        for name, check in _OF_LEDGER.items():
            yield _told(name, check, ledger)
    finally:
        ledger.close()


def _told(name: str, check: Callable[[OpenLedger], tuple[Status, str]], ledger: OpenLedger) -> Finding:
    try:
        status, detail = check(ledger)
    except EvidenceError as error:
        return Finding(name, "evidence", str(error))
    except (LedgerError, DecisionError, ToolError, ValueError, OSError) as error:
        return Finding(name, "problem", str(error))
    return Finding(name, status, detail)


def _plugins() -> Iterator[Finding]:
    """Load the reducers of third parties: the form of one that can't be loaded is denied."""
    for one in plugins.PLUGINS.examine():
        name, version = one.distribution
        told = f"{name} {version}" + (f": {one.trouble}; operations of this form are denied" if one.trouble else "")
        yield Finding(f"reducer {one.form}", "problem" if one.trouble else "ok", told)


def _python() -> Finding:
    found = sys.version_info[:3]
    status: Status = "ok" if found >= _PYTHON else "problem"
    return Finding("python", status, ".".join(map(str, found)))


def _dependencies() -> Finding:
    versions: dict[str, str] = {}
    missing = []
    for name in DEPENDENCIES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            missing.append(name)
    if missing:
        return Finding("dependencies", "problem", f"missing: {', '.join(missing)}; install tallystick again")
    return Finding("dependencies", "ok", ", ".join(f"{name} {version}" for name, version in versions.items()))


def _names() -> Finding:
    """Look for another distribution that would put its modules in the place of ours."""
    owners = importlib.metadata.packages_distributions()
    foreign = {name: sorted({*owners.get(name, ())} - {DISTRIBUTION}) for name in PACKAGES}
    clashes = [f"{name} (also of {', '.join(others)})" for name, others in foreign.items() if others]
    if clashes:
        return Finding("names", "problem", f"{'; '.join(clashes)}: install tallystick into an environment of its own")
    return Finding("names", "ok", f"{', '.join(PACKAGES)} are of {DISTRIBUTION} alone")


def _ssh_keygen() -> Finding:
    found = shutil.which("ssh-keygen")
    if found is None:
        return Finding("ssh-keygen", "warning", "not installed: keys in an agent or on a token can't sign")
    return Finding("ssh-keygen", "ok", found)


def _clock() -> Finding:
    now = time_of_day()
    status: Status = "ok" if now >= _EARLIEST else "problem"
    advice = "" if status == "ok" else ": set the machine's clock right"
    return Finding("clock", status, f"{from_microseconds(now)}{advice}")


def _is_copy(home: Home) -> bool:
    """Tell whether nothing can be signed here: `tally copy` and `tally import` make such copies, to be read."""
    return not home.key.exists() and not home.mark.exists()


def _modes(home: Home) -> Finding:
    wrong = []
    for path, refused in (
        (home.path, _WRITABLE_BY_OTHERS),
        (home.pointer if home.pointer.exists() else home.file, _WRITABLE_BY_OTHERS),
        *([] if _is_copy(home) else [(home.mark, _WRITABLE_BY_OTHERS)]),
        # Whether it should be here is another question.
        *([(home.key, _OPEN_TO_OTHERS)] if home.key.exists() else []),
    ):
        try:
            mode = stat.S_IMODE(path.stat().st_mode)
        except OSError as error:
            wrong.append(f"{path}: {error.strerror}")
            continue
        if mode & refused:
            wrong.append(f"{path} has mode {mode:o}: run chmod {mode & ~refused:o} {path}")
    if wrong:
        return Finding("modes", "problem", "; ".join(wrong))
    key = ", and nobody else may read the log's key" if home.key.exists() else ""
    return Finding("modes", "ok", f"nobody else may write{key}")


def _settings(ledger: OpenLedger) -> tuple[Status, str]:
    told = settings(ledger.log.engine)
    wrong = [text for text, right in told if not right]
    if wrong:
        return "problem", f"{', '.join(wrong)}: a commit may be lost; see docs/guides/operate.md"
    return "ok", f"tables of this version, {', '.join(text for text, _ in told)}"


def _time(ledger: OpenLedger) -> tuple[Status, str]:
    head = ledger.log.read(lambda snapshot: snapshot.head)
    transaction_time(head, ledger.clock(), confirmed=False)
    return "ok", f"the last event is of {head.at}"


def _log_key(ledger: OpenLedger) -> tuple[Status, str]:
    if _is_copy(ledger.home):
        return "warning", (
            "neither the log's key nor its mark is here: this is a copy to read from, which decides and signs nothing; "
            "where it should, restore both from where they are kept"
        )
    if not ledger.home.key.exists():
        return "warning", (
            "the log's key is not here: this machine decides, and another signs checkpoints; if none does, restore the "
            "key from where it is kept"
        )
    if ledger.home.unlock is None and has_passphrase(ledger.home.key):
        return "ok", "sealed by a passphrase; give --passphrase-file to have it opened and compared"
    key = signer_of(ledger.home, VerifierKey.parse(ledger.genesis.log_key)).verifier_key
    state = ledger.genesis
    life = f"; this is life {state.incarnation} of the log" if state.incarnation > 1 else ""
    return "ok", f"the one that the log names, {key.key_id.hex()}; keys before it: {len(state.former)}{life}"


def _high_water(ledger: OpenLedger) -> tuple[Status, str]:
    if _is_copy(ledger.home):
        return "ok", "a copy signs nothing, and needs none"
    mark = read_mark(ledger.home)
    if mark.origin != ledger.origin:
        return "problem", other_origin(mark, ledger.origin)

    def compare(snapshot: Snapshot) -> int:
        if snapshot.head.size < mark.size:
            raise EvidenceError(
                f"size {mark.size} was signed, and the log has {snapshot.head.size}: this is an earlier copy, from a "
                f"backup, which can't continue its origin: {WAY_ON}"
            )
        check_continues(snapshot, mark)
        return snapshot.head.size

    size = ledger.log.read(compare)
    return "ok", f"{mark.size} of {size} events are under a signed checkpoint, and the log continues it"


def _checkpoint(ledger: OpenLedger) -> tuple[Status, str]:
    head, signed, at = ledger.log.read(lambda look: checkpointing.standing(look, ledger.registry))
    if signed is None:
        return "warning", "none yet: run tally checkpoint"
    left = head.size - signed.checkpoint.size
    since = f", {checkpointing.age(ledger.clock(), at)} s ago" if at is not None else ""
    return "ok", f"size {signed.checkpoint.size}, up to the event of {at}{since}; events since: {left}"


def _constitution(ledger: OpenLedger) -> tuple[Status, str]:
    law = ledger.log.read(lambda snapshot: law_in_force(snapshot, ledger.registry))
    load(law.document)
    return "ok", f"{law.constitution.name}, adopted by event {law.adopted.seq}"


def _protected(ledger: OpenLedger) -> tuple[Status, str]:
    place = reference.file(str(ledger.home.key.resolve()))

    def nearest(snapshot: Snapshot) -> ResourceState | None:
        rows = (read_state(snapshot, resources.NAME, key, ResourceState) for key in reference.candidates(place))
        return next((row for row in rows if row is not None), None)

    found = ledger.log.read(nearest)
    if found is None or found.retired or found.attributes.get("asset") != "control_plane":
        where = reference.Pattern(reference.file(str(ledger.home.path.resolve())), subtree=True)
        return "warning", (
            "no rule keeps agents out of the ledger's directory: "
            f"run tally resource add '{where}' --set asset=control_plane"
        )
    return "ok", "the ledger's directory is registered as control plane"


def _policy(ledger: OpenLedger) -> tuple[Status, str]:
    try:
        policy = parse_policy(ledger.home.policy.read_bytes())
    except OSError as error:
        raise HomeError(f"{ledger.home.policy} can't be read: {error.strerror}") from error
    if ledger.genesis.log_key not in {log.key.text() for log in policy.logs}:
        return "problem", f"{ledger.home.policy} names another log's key: an auditor who trusts it trusts another log"
    return "ok", f"{ledger.home.policy} names this log's key"


def _erasures(ledger: OpenLedger) -> tuple[Status, str]:
    if unfinished(ledger.home):
        return "problem", "what was erased may still lie in the database's files: run tally erase --scrub"
    return "ok", "none is unfinished"


_OF_LEDGER: Final[dict[str, Callable[[OpenLedger], tuple[Status, str]]]] = {
    "database": _settings,
    "time": _time,
    "log key": _log_key,
    "high-water": _high_water,
    "checkpoint": _checkpoint,
    "constitution": _constitution,
    "protection": _protected,
    "policy": _policy,
    "erasures": _erasures,
}
