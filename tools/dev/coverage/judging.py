"""Holding what a reducer found against what a command does.

Wrong is a reduction that lacks an effect, or has it milder than it is; coarse one that has more than that, or has it on
more. A command that is refused is never wrong, unless another refusal was wanted. A program that no table has is known
by its name alone: that is one action, which stands for whatever it does.

Source: issue 4 section 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from decisions.action import Action, Reduction
from decisions.reducers import reduce_operation
from decisions.reducers.shell.commands import find
from decisions.reducers.vocabulary import MILDEST, ORDER
from tools.dev.coverage.corpus import CWD, HOME, Effect, Row

_LOOKS: Final = frozenset({"read", "list"})


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of one command.

    Attributes:
        row: the command.
        result: ``reduced``, ``coarse`` (reduced, with more than it does), ``named`` (a program that no table has),
            ``opaque`` or ``wrong``.
        notes: what is opaque and why, what is more than the command does, which program is meant, or what is lacking.
    """

    row: Row
    result: Literal["reduced", "coarse", "named", "opaque", "wrong"]
    notes: tuple[str, ...] = ()


def judge(row: Row) -> Judged:
    """Reduce a command and judge what was found."""
    return judge_found(row, reduce_operation("shell", {"command": row.command, "cwd": CWD}, home=HOME))


def judge_found(row: Row, found: Reduction) -> Judged:
    """Judge what was found of a command."""
    if found.problems:
        codes = {problem.code for problem in found.problems}
        if row.code is not None and row.code not in codes:
            return Judged(row, "wrong", (f"refused as {', '.join(sorted(codes))} and not as {row.code}",))
        return Judged(row, "opaque", tuple(f"{one.code}: {one.detail}" for one in found.problems))
    if row.opaque:
        return Judged(row, "wrong", ("nobody can tell what it does, and it was reduced",))
    unknown = sorted({one.target for one in found.actions if _is_unknown(one)})
    if unknown:
        return Judged(row, "named", tuple(unknown))
    lacking = [one for one in row.effects if not any(covers(action, one) for action in found.actions)]
    if lacking:
        return Judged(row, "wrong", tuple(f"lacks {_spell(one)}" for one in lacking))
    more = tuple(_more(row, found))
    return Judged(row, "coarse" if more else "reduced", more)


def covers(found: Action, wanted: Effect) -> bool:
    """Tell whether an action stands for an effect: on the same thing or all around it, and no milder."""
    return (
        found.kind == wanted.kind
        and _same_verb(found, wanted)
        and _reaches(found, wanted)
        and all(_rank(name, dict(found.facts)[name]) >= _rank(name, value) for name, value in wanted.facts)
    )


def _same_verb(found: Action, wanted: Effect) -> bool:
    # Whoever reads everything lists it as well; and of machines it is told what is looked at, in either word.
    looks = {found.verb, wanted.verb} <= _LOOKS
    return found.verb == wanted.verb or (looks and (found.kind == "infrastructure" or found.verb == "read"))


def _reaches(found: Action, wanted: Effect) -> bool:
    if found.target == wanted.target:
        return True
    if found.kind == "infrastructure" and wanted.verb in _LOOKS and _below(found.target, wanted.target):
        return True
    return dict(found.facts).get("scope") != "one" and _below(wanted.target, found.target)


def _below(target: str, around: str) -> bool:
    return target.startswith(around if around.endswith("/") else f"{around}/")


def _rank(name: str, value: object) -> int:
    return [*ORDER[name]].index(value)  # type: ignore[arg-type]  # a fact's own value


def _more(row: Row, found: Reduction) -> Iterator[str]:
    for action in found.actions:
        covered = [one for one in row.effects if covers(action, one)]
        if not covered:
            if not _is_mere_run(action):
                yield _spell(action)
        elif not any(_is_exact(action, one) for one in covered):
            yield _spell(action)


def _is_unknown(action: Action) -> bool:
    """Whether an action is the run of a program that no table has."""
    scheme, _, name = action.target.partition(":")
    return scheme == "program" and find(name) is None


def _is_mere_run(action: Action) -> bool:
    """Whether an action says no more than that a known program runs, and does what else is listed."""
    return action.target.startswith("program:") and dict(action.facts) == MILDEST["exec"]


def _is_exact(action: Action, wanted: Effect) -> bool:
    if action.kind != "infrastructure" and action.target != wanted.target:
        return False
    named = {**MILDEST[action.kind], **dict(wanted.facts)}
    facts = dict(action.facts)
    # That several are meant, or all that is in a directory, is in the nature of the target.
    if facts.get("scope") == "many":
        facts["scope"] = named["scope"]
    return all(_rank(name, value) <= _rank(name, named[name]) for name, value in facts.items())


def _spell(one: Action | Effect) -> str:
    facts = [f"+{name if value is True else value}" for name, value in one.facts if value != MILDEST[one.kind][name]]
    return " ".join([one.verb, one.target.removeprefix("file://"), *facts])
