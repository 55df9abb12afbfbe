"""The corpus of everyday commands: nothing of it is wrong, most of it is read, and its page is true."""

import pytest

from decisions.action import action, reduction
from decisions.reducers.effects import Effects
from decisions.reducers.errors import UnreadableError
from tools.dev.coverage.__main__ import PAGE
from tools.dev.coverage.corpus import families, row
from tools.dev.coverage.judging import judge, judge_found
from tools.dev.coverage.page import counts, page

FILE = {"elevated": False}


@pytest.fixture(scope="module")
def results():
    return {family: tuple(map(judge, family.rows)) for family in families()}


def found(*actions, problems=()):
    return reduction([action(kind, verb, target, facts, "") for kind, verb, target, facts in actions], problems)


def read_all(scope):
    return ("file", "read", "file:///srv/app", {"scope": scope, **FILE})


def test_nothing_is_wrong(results):
    assert {one.row.command: one.notes for judged in results.values() for one in judged if one.result == "wrong"} == {}


def test_a_thousand_everyday_commands_are_tried_each_once(results):
    commands = [one.row.command for judged in results.values() for one in judged]
    assert sum(len(family.rows) for family in results if family.everyday) >= 1000
    assert len(set(commands)) == len(commands)


def test_nine_in_ten_everyday_commands_are_read(results):
    total = counts(one for family, judged in results.items() if family.everyday for one in judged)
    assert total["reduced"] >= 0.9 * total["commands"]


def test_the_page_is_what_the_corpus_gives(results):
    assert PAGE.read_text(encoding="utf-8") == page(results), "run python -m tools.dev.coverage"


@pytest.mark.parametrize(
    ("expected", "actions", "result"),
    [
        ("read a", [("file", "read", "file:///srv/app/a", {"scope": "one", **FILE})], "reduced"),
        ("read a", [("file", "read", "file:///srv/app/a", {"scope": "many", **FILE})], "reduced"),
        ("read a", [read_all("many")], "coarse"),
        ("read a", [read_all("one")], "wrong"),
        ("read a", [("file", "read", "file:///srv/ap", {"scope": "many", **FILE})], "wrong"),
        ("read a +many", [("file", "read", "file:///srv/app/a", {"scope": "one", **FILE})], "wrong"),
        ("list a", [("file", "read", "file:///srv/app/a", {"scope": "one", **FILE})], "reduced"),
        ("read a", [("file", "list", "file:///srv/app/a", {"scope": "one", **FILE})], "wrong"),
        ("delete a", [("file", "write", "file:///srv/app/a", {"scope": "one", **FILE})], "wrong"),
        ("delete a +elevated", [("file", "delete", "file:///srv/app/a", {"scope": "one", **FILE})], "wrong"),
        ("nothing", [read_all("one")], "coarse"),
        ("nothing", [], "reduced"),
        (
            "run make +file",
            [
                (
                    "exec",
                    "run",
                    "program:make",
                    {"scope": "one", "code_origin": "program", "elevated": False, "egress": False},
                )
            ],
            "wrong",
        ),
        (
            "run make +file",
            [
                (
                    "exec",
                    "run",
                    "program:make",
                    {"scope": "one", "code_origin": "inline", "elevated": False, "egress": False},
                )
            ],
            "coarse",
        ),
        (
            "write out.webm",
            [
                (
                    "exec",
                    "run",
                    "program:frob",
                    {"scope": "one", "code_origin": "program", "elevated": False, "egress": False},
                )
            ],
            "named",
        ),
        (
            "list docker://current/container",
            [
                (
                    "infrastructure",
                    "read",
                    "docker://current/container/a",
                    {"scope": "one", "elevated": False, "egress": False},
                )
            ],
            "reduced",
        ),
        (
            "delete docker://current/container",
            [
                (
                    "infrastructure",
                    "delete",
                    "docker://current/container/a",
                    {"scope": "one", "elevated": False, "egress": False},
                )
            ],
            "wrong",
        ),
        ("opaque", [read_all("one")], "wrong"),
    ],
)
def test_a_missing_or_milder_effect_is_wrong_and_more_is_coarse(expected, actions, result):
    assert judge_found(row("x", expected), found(*actions)).result == result


@pytest.mark.parametrize(
    ("expected", "result"),
    [("read a", "opaque"), ("opaque", "opaque"), ("opaque UNPARSEABLE", "opaque"), ("opaque TOO_COMPLEX", "wrong")],
)
def test_a_refusal_is_opaque_and_wrong_only_where_another_was_wanted(expected, result):
    effects = Effects()
    effects.refuse(UnreadableError("an option that isn't known"), "")
    assert judge_found(row("x", expected), effects.reduction()).result == result


@pytest.mark.parametrize(
    "expected", ["opaque SOMEHOW", "write", "write a +loudly", "eat a", "write db://a", "read x:a://b"]
)
def test_what_is_no_expectation_is_refused(expected):
    with pytest.raises((ValueError, KeyError)):
        row("x", expected)


@pytest.mark.parametrize(
    "text",
    [
        "a\nno source\n",
        "a\nSource: b\n$ ls\n",
        "a\nSource: b\n$ ls\n$ ls\n",
        "a\nSource: b\n    nothing\n",
        "a\nSource: b\nls\n",
    ],
)
def test_a_file_that_is_no_family_is_refused(text, tmp_path):
    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(ValueError, match="a: "):
        families(tmp_path)
