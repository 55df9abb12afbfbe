"""Case A11: variables bring code into whatever reads them, with a shell and without one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from decisions.action import Reduction
from decisions.constitution import default
from decisions.reducers import reduce_operation
from decisions.reducers.vocabulary import VERBS

Notation = Callable[[Reduction], set[str]]

# From the manuals of the loader, shells, git, languages, pagers, editors, build tools, package managers and clients.
CODE_BEARING = (Path(__file__).parent / "code_bearing.txt").read_text().split()
HARMLESS = ["CI", "LANG", "LC_ALL", "NO_COLOR", "TERM", "TZ", "COLUMNS", "PYTHONUNBUFFERED", "NODE_ENV"]


def run(*argv: Any, **more: Any) -> Reduction:
    return reduce_operation("exec", {"argv": list(argv), "cwd": "/srv/app", **more}, home="/home/u")


@pytest.mark.parametrize("name", CODE_BEARING)
def test_case_a11_a_variable_that_may_carry_code_is_untrusted(name: str, notation: Notation) -> None:
    assert notation(run("git", "log", env={name: "x"})) >= {f"set env:{name} +untrusted"}
    assert notation(reduce_operation("shell", {"command": f"env {name}=x git log", "cwd": "/r"}, home=None)) >= {
        f"set env:{name} +untrusted"
    }


@pytest.mark.parametrize("name", HARMLESS)
@pytest.mark.parametrize("value", ["x", "", None])
def test_a_harmless_variable_carries_nothing(name: str, value: Any, notation: Notation) -> None:
    assert notation(run("true", env={name: value})) == {f"set env:{name}", "run true"}


@pytest.mark.parametrize("form", ["shell", "tool_call"])
def test_variables_of_a_shell_stand_beside_its_text(form: str, notation: Notation) -> None:
    env = {"GIT_PAGER": "sh -c x", "CI": "1"}
    payload: dict[str, Any] = {"command": "rm a", "cwd": "/srv/app", "env": env}
    if form == "tool_call":
        payload = {"tool_name": "Bash", "tool_input": {"command": "rm a"}, "cwd": "/srv/app", "env": env}
    found = notation(reduce_operation(form, payload, home=None))
    assert found == {"set env:GIT_PAGER +untrusted", "set env:CI", "delete /srv/app/a"}


@pytest.mark.parametrize("name", ["HOME", "IFS", "CDPATH", "PWD", "SHELLOPTS", "GLOBIGNORE", "POSIXLY_CORRECT"])
def test_a_variable_by_which_a_shell_reads_otherwise_leaves_it_unresolved(name: str, notation: Notation) -> None:
    payload = {"command": "rm ~/x", "cwd": "/srv/app", "env": {name: "/etc"}}
    found = notation(reduce_operation("shell", payload, home="/home/u"))
    assert found >= {"!TARGET_UNRESOLVED", f"set env:{name} +untrusted"}


NONE = [
    {"BASH_FUNC_ls%%": "() { x; }"}, {"A=B": "x"}, {"": "x"}, {"a b": "x"}, {"1A": "x"}, {"A": 1}, {"A": ["x"]},
    {"\u0391": "x"},
]  # fmt: skip


@pytest.mark.parametrize("env", NONE, ids=str)
def test_what_is_no_variable_is_opaque(env: Any, notation: Notation) -> None:
    for found in (run("true", env=env), reduce_operation("shell", {"command": "true", "env": env}, home=None)):
        assert notation(found) >= {"!UNPARSEABLE"}


def test_many_variables_are_too_complex(notation: Notation) -> None:
    assert notation(run("true", env={f"A{n}": "" for n in range(51)})) == {"!TOO_COMPLEX"}


ROWS: list[tuple[list[Any], set[str]]] = [
    (["rm", "-rf", "build"], {"delete /srv/app/build +many"}),
    (["rm", "$HOME", "*"], {"delete /srv/app/$HOME +many", "delete /srv/app/* +many"}),
    (["rm", "~/x"], {"!ID_INVALID"}),
    (["rm", "a; rm b"], {"delete /srv/app/a; rm b"}),
    (["rm", "$(x)"], {"delete /srv/app/$(x)"}),
    (["rm", "`x`"], {"delete /srv/app/`x`"}),
    (["rm", "a b"], {"delete /srv/app/a b"}),
    (["cat", "a", ">", "b"], {"read /srv/app/a +many", "read /srv/app/> +many", "read /srv/app/b +many"}),
    (["sudo", "rm", "x"], {"delete /srv/app/x +elevated"}),
    (["sh", "-c", "rm x"], {"delete /srv/app/x"}),
    (["git", "log", "--nosuch"], {"!UNPARSEABLE"}),
    (["nosuch", "a"], {"run nosuch"}),
    (["cd", "/etc"], {"!UNPARSEABLE"}),
    (["eval", "rm x"], {"!UNPARSEABLE"}),
    (["A=b", "rm", "x"], {"!UNPARSEABLE"}),
    (["-x"], {"!UNPARSEABLE"}),
    ([""], {"!UNPARSEABLE"}),
    ([], {"!UNPARSEABLE"}),
    (["rm", 1], {"!UNPARSEABLE"}),
    ([["rm"]], {"!UNPARSEABLE"}),
    (["rm", "a\x00b"], {"!UNPARSEABLE"}),
]


@pytest.mark.parametrize(("argv", "effects"), ROWS, ids=[str(argv) for argv, _ in ROWS])
def test_a_program_is_read_by_its_arguments_as_they_stand(argv: Any, effects: set[str], notation: Notation) -> None:
    assert notation(run(*argv)) == effects


def test_conversation_has_the_classes_of_the_default_constitution() -> None:
    """Each verb of the kind is of one class of its trust ladder, and no class has another."""
    law = default()
    classed = [verb for one in law.trust.classes for verb in one.verbs]
    assert sorted(classed) == sorted(VERBS["conversation"]) == sorted(law.kinds["conversation"])


def test_every_kind_has_the_verbs_of_the_default_constitution() -> None:
    assert {kind: set(verbs) for kind, verbs in default().kinds.items()} == {kind: set(v) for kind, v in VERBS.items()}
