"""A short notation for what a reducer found, and readers for the row files beside the tests.

``delete /srv/app/build +many`` is an action: its verb, its target without the scheme that every row shares, and the
facts that are not at their mildest. ``!UNPARSEABLE`` is a problem.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from decisions.action import Action, Reduction
from decisions.reducers import reduce_operation
from decisions.reducers.vocabulary import MILDEST

HERE = Path(__file__).parent
HOME = "/home/u"
CWD = "/srv/app"


def spell(found: Action) -> str:
    """Write an action in the short notation."""
    target = found.target
    for scheme in ("file://", "program:", "db://prod/"):
        if found.kind != "conversation":
            target = target.removeprefix(scheme)
    facts = [
        f"+{name}" if value is True else f"+{value}"
        for name, value in found.facts
        if value != MILDEST[found.kind][name]
    ]
    kind = "exec-file " if found.kind == "exec" and found.target.startswith("file:") else ""
    return " ".join([kind + found.verb, target, *facts])


def notation(reduction: Reduction) -> set[str]:
    """Write a reduction in the short notation."""
    return {spell(found) for found in reduction.actions} | {f"!{problem.code}" for problem in reduction.problems}


def rows(name: str) -> list[tuple[str, str, set[str]]]:
    """Read a file of rows: ``[case]``, ``$ text``, ``> text that goes on``, and the effects, indented."""
    result: list[tuple[str, str, set[str]]] = []
    case, count = "", 0
    for line in (HERE / name).read_text().splitlines():
        if line.startswith("["):
            case, count = line.strip("[]"), 0
        elif line.startswith("$ "):
            count += 1
            result.append((f"{case}.{count}", line[2:], set()))
        elif line.startswith("> "):
            label, text, effects = result.pop()
            result.append((label, f"{text}\n{line[2:]}", effects))
        elif line.startswith("    "):
            result[-1][2].add(line.strip())
    return result


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give each row of a row file to the tests that ask for one."""
    for name in ("shell_row", "service_row", "leaving_row", "construct_row", "sql_row"):
        if name in metafunc.fixturenames:
            found = rows(f"{name}s.txt")
            metafunc.parametrize(name, [row[1:] for row in found], ids=[row[0] for row in found])


@pytest.fixture
def shell() -> Callable[[str], Reduction]:
    """Reduce a shell script in /srv/app with the home directory /home/u."""
    return reduce_shell_text


@pytest.fixture
def sql() -> Callable[..., Reduction]:
    """Reduce SQL for the database prod."""
    return reduce_sql_text


@pytest.fixture(name="notation")
def give_notation() -> Callable[[Reduction], set[str]]:
    """Write a reduction in the short notation."""
    return notation


def reduce_shell_text(text: str) -> Reduction:
    """Reduce a shell script where the rows stand."""
    return reduce_operation("shell", {"command": text, "cwd": CWD}, home=HOME)


def reduce_sql_text(text: str, dialect: str | None = None) -> Reduction:
    """Reduce SQL for the database of the rows."""
    return reduce_operation("sql", {"sql": text, "database": "prod", "dialect": dialect}, home=None)
