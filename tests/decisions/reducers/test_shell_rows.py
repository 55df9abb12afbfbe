"""Shell scripts, row by row: what each does, and which are opaque (policy cases A01 to A19)."""

from collections.abc import Callable

import pytest

from decisions.action import Reduction
from decisions.reducers import reduce_operation

Notation = Callable[[Reduction], set[str]]
Shell = Callable[[str], Reduction]


def test_script_reduces_to_its_effects(shell_row: tuple[str, set[str]], shell: Shell, notation: Notation) -> None:
    script, effects = shell_row
    assert effects == notation(shell(script))


def test_command_on_somebodys_machines_reduces_to_its_effects(
    service_row: tuple[str, set[str]], shell: Shell, notation: Notation
) -> None:
    script, effects = service_row
    assert effects == notation(shell(script))


def test_what_leaves_reduces_to_its_effects(
    leaving_row: tuple[str, set[str]], shell: Shell, notation: Notation
) -> None:
    script, effects = leaving_row
    assert effects == notation(shell(script))


def test_construct_of_bash_reduces_to_its_effects(
    construct_row: tuple[str, set[str]], shell: Shell, notation: Notation
) -> None:
    script, effects = construct_row
    assert effects == notation(shell(script))


def test_chain_names_the_segment_of_each_effect(shell: Shell) -> None:
    """A01: the denial of a chain can cite the segment that has no authority."""
    found = shell("cd /srv && python3 deploy.py").actions
    assert {("enter", "segment 1: cd"), ("read", "segment 2: python3"), ("run", "segment 2: python3")} == {
        (action.verb, action.part) for action in found
    }


def test_more_commands_than_the_bound_are_too_complex(shell: Shell) -> None:
    """A03: sixty commands are refused, whatever they are."""
    found = shell("true && " * 60 + "curl http://x")
    assert [problem.code for problem in found.problems] == ["TOO_COMPLEX"]


def test_commands_up_to_the_bound_are_read(shell: Shell) -> None:
    found = shell("; ".join(f"rm x{number}" for number in range(50)))
    assert (len(found.actions), found.problems) == (50, ())


def test_bound_counts_commands_of_substitutions_and_nested_scripts(shell: Shell) -> None:
    nested = "; ".join(["echo $(true)"] * 20 + ["bash -c 'true; true; true'"] * 5)
    assert "TOO_COMPLEX" in {problem.code for problem in shell(nested).problems}


def test_text_over_the_bound_is_too_complex(shell: Shell) -> None:
    assert [problem.code for problem in shell("echo " + "x" * 65536).problems] == ["TOO_COMPLEX"]
    assert [problem.code for problem in shell("echo " + "\u00e9" * 40000).problems] == ["TOO_COMPLEX"]


def test_nesting_over_the_bound_is_too_complex(shell: Shell) -> None:
    for script in (
        "echo " + "$(echo " * 20 + ")" * 20,
        "( " * 20 + "x" + " )" * 20,
        "sudo " * 20 + "rm x",
        "eval " * 20 + "rm x",
        "if a; then " * 20 + "b;" + " fi;" * 20,
    ):
        assert "TOO_COMPLEX" in {problem.code for problem in shell(script).problems}, script[:20]


def test_loop_that_takes_too_many_steps_is_too_complex(shell: Shell) -> None:
    script = "for a in 1 2 3; do " * 7 + "x=$a$x; rm y;" + " done;" * 7
    assert "TOO_COMPLEX" in {problem.code for problem in shell(script).problems}


def test_home_that_is_not_known_leaves_the_target_unresolved() -> None:

    for script in ("rm ~/x", "rm $HOME/x", "cd && rm x"):
        found = reduce_operation("shell", {"command": script, "cwd": "/srv"}, home=None)
        assert "TARGET_UNRESOLVED" in {problem.code for problem in found.problems}, script


def test_directory_that_is_not_known_leaves_relative_targets_unresolved() -> None:

    found = reduce_operation("shell", {"command": "rm x; rm /y"}, home="/home/u")
    assert (
        [action.target for action in found.actions],
        [problem.code for problem in found.problems],
    ) == (["file:///y"], ["TARGET_UNRESOLVED"])


def test_directory_that_is_no_absolute_path_refuses_the_script() -> None:

    for cwd in ("srv", "~", "C:\\x", ""):
        found = reduce_operation("shell", {"command": "rm x", "cwd": cwd}, home="/home/u")
        assert found.problems, cwd
        assert not found.actions, cwd


def test_problem_quotes_no_value_of_an_option(shell: Shell) -> None:
    """What people are shown of a refusal holds no secret that stood in the arguments."""
    found = shell("ls --token=hunter2; ls -Yhunter2; curl http://u:hunter2@h/ ; curl 'http://h/?k=hunter2'$X")
    assert "hunter2" not in " ".join(problem.part for problem in found.problems)
    assert "--token" in " ".join(problem.detail for problem in found.problems)


@pytest.mark.parametrize(
    "text", ["rm x\r", "rm\x0bx", "rm x\x00", "rm\u00a0x", "rm\u2028x", "rm \ud800", "rm x\x1b[2K", "rm\u3000x"]
)
def test_white_space_that_parsers_take_differently_is_opaque(text: str, shell: Shell, notation: Notation) -> None:
    assert notation(shell(text)) == {"!UNPARSEABLE"}


@pytest.mark.parametrize("text", ["rm \u200bx", "rm cafe\u0301", 'rm "a\nb"', "rm \u202ex"])
def test_names_that_can_not_be_seen_are_refused(text: str, shell: Shell, notation: Notation) -> None:
    """B01, E01: no invisible character gets into a target."""
    assert notation(shell(text)) == {"!ID_INVALID"}
