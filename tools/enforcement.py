"""Which enforcement points there are, as far as a ledger and the settings of hosts can tell: ``tally doctor --pep``.

    configured   the hooks in the hosts' settings, and the services that are registered to speak for agents
    seen         who has asked (``via``, or an asker for itself), and what became of what it was allowed
    unasked      effects that ran without a question, or in spite of the answer

What leaves no trace can't be told: an effect whose enforcement point neither asks nor reports. The last line says it.

Source: DESIGN sections 7 and 11; docs/guides/enforce.md; policy cases F01, F03, F11.
"""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from decisions.book import OUTCOME
from decisions.events import DecisionMade
from grants import reference
from grants.book import principals, resources
from grants.book.states import PrincipalState, ResourceState
from grants.reading import read_event, read_state
from ledger.event import Registry
from ledger.log import Snapshot
from tools.doctor import Finding
from tools.errors import InputError
from tools.hooking.settings import Found, hooks_in
from tools.hooking.wire import BEFORE
from tools.ledger import OpenLedger
from tools.spool import FileSpool

LOOKED_AT: Final = 10_000
"""How many decisions are looked at, the latest ones: an answer is wanted now, and the audit reads all of them."""
_NAMED: Final = 5
_USUAL: Final = (
    "/etc/claude-code/managed-settings.json",
    "~/.claude/settings.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
)


@dataclass(slots=True)
class Asking:
    """Somebody who asks, and what became of it.

    Attributes:
        last: the last decision.
        asked: how many decisions.
        allowed: how many of them are allows.
        untold: the allows of which nobody has told what became of them.
        nameless: those of a hook whose host gives calls no id.
    """

    last: int = 0
    asked: int = 0
    allowed: int = 0
    untold: list[int] = field(default_factory=list)
    nameless: int = 0


@dataclass(slots=True)
class Seen:
    """What the latest decisions tell.

    Attributes:
        askers: by the service, or by the principal that asks for itself.
        unasked: decisions that were made after the fact, on what ran without a question or as something else.
        in_spite: decisions whose effect was done although they did not allow it.
        total: how many decisions there are; those that were looked at are the latest of them.
    """

    askers: dict[str, Asking] = field(default_factory=dict)
    unasked: list[int] = field(default_factory=list)
    in_spite: list[int] = field(default_factory=list)
    total: int = 0


def enforcement(ledger: OpenLedger, settings: Sequence[Path]) -> Iterator[Finding]:
    """Look at the enforcement points, the configured ones first; files that are named must be there."""
    files = list(settings) or [path for name in _USUAL if (path := Path(name).expanduser()).is_file()]
    if not files:
        yield Finding("settings", "warning", "no host's settings found: name them with --settings FILE")
    for file in files:
        yield from _file(ledger, file.absolute())
    yield from _twice(files)
    kept = FileSpool(ledger.home.spool).pending()
    if kept:
        yield Finding("kept", "warning", f"not recorded yet: {len(kept)} from an outage; run tally outcome recover")
    seen, services = ledger.log.read(lambda look: (_seen(look, ledger.registry), _services(look)))
    for name, standing in services.items():
        if standing and name not in seen.askers:
            yield Finding(
                "service", "warning", f"{name} is registered to speak for agents, and has never asked: is it in place?"
            )
    for name, one in sorted(seen.askers.items()):
        yield _asker(name, one, services)
    yield _ran("unasked", seen.unasked, "ran without having been asked for, or as another operation than was decided")
    yield _ran("in spite", seen.in_spite, "was done although it was not allowed")
    yield _limits(seen)


def _file(ledger: OpenLedger, file: Path) -> Iterator[Finding]:
    try:
        found = list(hooks_in(file))
    except InputError as error:
        yield Finding("settings", "problem", str(error))
        return
    if not any(one.event == BEFORE for one in found):
        yield Finding("settings", "warning", f"{file}: no {BEFORE} hook of tally's; its host asks nobody by this file")
    for one in found:
        yield _hook(one)
    if found and not ledger.log.read(lambda look: _is_guarded(look, file)):
        place = reference.file(str(file))
        yield Finding(
            "settings",
            "warning",
            f"no rule keeps agents out of {file}: run tally resource add '{place}' --set asset=control_plane",
        )


def _twice(files: Sequence[Path]) -> Iterator[Finding]:
    """A host runs the hooks of all its settings: asked a second time about one call, the answer is a repeat."""
    asking = []
    for file in files:
        with contextlib.suppress(InputError):
            asking += [one for one in hooks_in(file) if one.event == BEFORE]
    if len(asking) > 1:
        where = ", ".join(str(one.file) for one in asking)
        yield Finding(
            "hook", "warning", f"asked {len(asking)} times about one call, in {where}: the second answer is a deny"
        )


def _hook(one: Found) -> Finding:
    where = f"{one.file}: {one.event} asks {one.command}"
    if one.faults:
        return Finding("hook", "problem", f"{where}: {'; '.join(one.faults)}")
    return Finding("hook", "ok", where)


def _is_guarded(snapshot: Snapshot, file: Path) -> bool:
    rows = (
        read_state(snapshot, resources.NAME, key, ResourceState)
        for key in reference.candidates(reference.file(str(file)))
    )
    row = next((row for row in rows if row is not None), None)
    return row is not None and not row.retired and row.attributes.get("asset") == "control_plane"


def _services(snapshot: Snapshot) -> dict[str, bool]:
    """Give the services that are registered to speak for agents, and whether each still stands."""
    rows = {row.key: PrincipalState.model_validate(row.state) for row in snapshot.states(principals.PRINCIPAL)}
    through = {name for row in rows.values() for name in row.through}
    speaking = [name for name, row in rows.items() if row.kind == "service" and (row.speaks_for or name in through)]
    return {name: rows[name].suspended is None for name in sorted(speaking)}


def _seen(snapshot: Snapshot, registry: Registry) -> Seen:
    seqs = snapshot.tagged("decision")
    seen = Seen(total=len(seqs))
    for seq in seqs[-LOOKED_AT:]:
        event = read_event(snapshot, registry, seq)
        body = event.body if event is not None else None
        if event is None or not isinstance(body, DecisionMade):
            continue
        request = event.request or ""
        if request.startswith("hook:") and request.endswith(":ran"):
            seen.unasked.append(seq)
            continue
        one = seen.askers.setdefault(event.via or event.by, Asking())
        row = snapshot.state(OUTCOME, str(seq))
        one.last, one.asked = seq, one.asked + 1
        one.nameless += request.startswith("hook:") and ":-:" in request
        if body.outcome == "allow":
            one.allowed += 1
            if row is None:
                one.untold.append(seq)
        elif row is not None and row.state["outcome"] == "done":
            seen.in_spite.append(seq)
    return seen


def _asker(name: str, one: Asking, services: dict[str, bool]) -> Finding:
    how = "speaks for agents" if name in services else "asks for itself"
    known = f"{name} {how}: {one.asked} decisions, the last is {one.last}; {one.allowed} allowed"
    if not services.get(name, True):
        known += "; it was suspended since"
    wrong = []
    if one.untold and len(one.untold) == one.allowed:
        wrong.append("it reports no outcome: whether it enforces what it is told can't be seen")
    elif one.untold:
        wrong.append(f"{len(one.untold)} of them without an outcome, as {_named(one.untold)}: tally outcome list")
    if one.nameless:
        wrong.append(f"{one.nameless} asked without a tool_use_id: their outcomes can't be reported")
    return Finding("asks", "warning" if wrong else "ok", "; ".join([known, *wrong]))


def _ran(check: str, seqs: Sequence[int], what: str) -> Finding:
    if not seqs:
        return Finding(check, "ok", f"nothing is recorded that {what}")
    return Finding(check, "problem", f"{len(seqs)} effects: what decision {_named(seqs)} is about {what}")


def _named(seqs: Sequence[int]) -> str:
    named = ", ".join(str(seq) for seq in seqs[-_NAMED:])
    return named if len(seqs) <= _NAMED else f"{named} and {len(seqs) - _NAMED} before"


def _limits(seen: Seen) -> Finding:
    looked = min(seen.total, LOOKED_AT)
    return Finding(
        "not told",
        "ok",
        f"looked at {looked} of {seen.total} decisions; an effect whose enforcement point neither asks nor reports "
        "leaves no trace in a ledger: compare with what the hosts themselves log",
    )
