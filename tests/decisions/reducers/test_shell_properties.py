"""What holds of every script: strictness grows with each segment, layout changes nothing, nothing escapes."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decisions.action import Reduction
from decisions.reducers import reduce_operation
from decisions.reducers.shell import parse

SEGMENTS = st.sampled_from(
    [
        "rm -rf build", "cat a b", "git status", "git push origin main", "echo hi", "cd sub", "cd sub && rm x",
        "python3 deploy.py", "python3 -c 'x'", "curl http://x/y", "curl -d @f http://x", "X=1", "export PATH=/x",
        "x=a; cat $x", "sudo rm /etc/x", "rm $UNKNOWN", "ls --bogus", "$X y", "for f in a b; do rm $f; done",
        "if [ -f x ]; then rm x; else rm y; fi", "(cd /tmp; rm z)", "{ rm q; }", "! rm w", "a | b", "find . -delete",
        "cat <<< $(rm h)", "case $x in a) rm c;; esac", "while read l; do rm k; done", "rm a > out", "ls ~root",
        "bash -c 'rm n'", "eval 'rm m'", "unknown --flag", "source env.sh", "psql -c x", "alias a=b",
    ]
)  # fmt: skip
JOINTS = st.sampled_from([" && ", " || ", "; ", " | ", " & ", "\n"])


def reduced(script: str) -> Reduction:
    return reduce_operation("shell", {"command": script, "cwd": "/srv/app"}, home="/home/u")


@given(st.lists(SEGMENTS, min_size=1, max_size=5), JOINTS, SEGMENTS)
@settings(max_examples=150, deadline=None)
def test_another_segment_takes_no_effect_and_no_problem_away(segments: list[str], joint: str, last: str) -> None:
    before = reduced("; ".join(segments))
    after = reduced("; ".join(segments) + joint + last)
    assert set(before.actions) <= set(after.actions)
    assert set(before.problems) <= set(after.problems)


@given(SEGMENTS)
@settings(max_examples=60, deadline=None)
def test_surroundings_take_no_effect_away(segment: str) -> None:
    """Whatever a segment stands in, its effects on absolute and its own targets are found there too."""
    alone = {(action.kind, action.verb, action.target) for action in reduced(segment).actions}
    for surrounding in (
        "true && {{ {}; }}",
        "( {} )",
        "{{ {}; }}",
        "if true; then {}; fi",
        "echo $( {} )",
        "echo <( {} )",
    ):
        found = reduced(surrounding.format(segment))
        assert alone <= {(action.kind, action.verb, action.target) for action in found.actions}, surrounding
        if reduced(segment).problems:
            assert found.problems, surrounding


WORDS = st.lists(
    st.text(alphabet=st.sampled_from("abc #;&|<>()*?[]{}~!=$`\"'\\-/.\t\u00e9"), min_size=1, max_size=8),
    min_size=1,
    max_size=4,
)


def in_single_quotes(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def in_double_quotes(text: str) -> str:
    return '"' + "".join("\\" + character if character in '"\\$`' else character for character in text) + '"'


def in_pieces(text: str) -> str:
    return "".join(in_single_quotes(character) for character in text)


@given(WORDS)
@settings(max_examples=200, deadline=None)
def test_quoting_changes_nothing(words: list[str]) -> None:
    """A17: one command in three spellings is one reduction."""
    spelled = [reduced(" ".join(["mkdir", "--", *map(quote, words)])) for quote in (in_single_quotes, in_double_quotes)]
    spelled.append(reduced(" ".join(["mk''dir", "--", *map(in_pieces, words)])))
    assert spelled[0] == spelled[1] == spelled[2]


@pytest.mark.parametrize(
    "variant",
    [
        'git  commit -m "a # b"', 'git\tcommit\t-m\t"a # b"', "git commit -m 'a # b'", "git commit -m a\\ \\#\\ b",
        "  git commit -m 'a # b'  ", "git commit \\\n -m 'a # b'", "git commit -m 'a # b' # not this",
        '"git" com""mit -m "a"\' # b\'', "git commit -m$' 'x", "git commit '-m' 'rm -rf /'", "git commit -m 'a # b';",
        "git commit -m 'a # b'\n", "\n\ngit commit -m 'a # b'", "git commit -m'a # b'", "\\git commit -m x",
    ],
)  # fmt: skip
def test_layout_changes_nothing(variant: str) -> None:
    """A17: blanks, quotes, continuations and comments leave the reduction as it is."""
    assert reduced('git commit -m "a # b"') == reduced(variant)


TEXT = st.text(max_size=200)
SHELLISH = st.lists(
    st.sampled_from(
        ["rm", "cat", "git", "sudo", "bash -c", "eval", "cd", "x=", "$x", "${x", "}", "$(", ")", "`", "'", '"', "\\",
         "|", "&&", "||", ";", "\n", " ", " ", "<<EOF", "EOF", ">", "<", "&", "(", "{", "if", "then", "fi", "for", "in",
         "do", "done", "case", "esac", "[[", "]]", "[", "]", "#", "~", "*", "/", "..", "-rf", "--", "=", "!", "\t", "1",
         "find", "-exec", ";;", "<(", "$((", "))", "\u00e9", "\x00", "\u202e", "\r"]
    ),
    max_size=30,
).map("".join)  # fmt: skip


@given(st.one_of(TEXT, SHELLISH))
@settings(max_examples=400, deadline=None)
def test_any_text_gives_an_action_or_a_problem(text: str) -> None:
    found = reduced(text)
    assert found.actions or found.problems
    assert not any("failed" in problem.detail for problem in found.problems)


def test_threads_that_read_at_once_read_what_each_reads_alone() -> None:
    scripts = [f"cat a{number} > b{number} && rm -rf c{number}" for number in range(40)]
    alone = [reduced(script) for script in scripts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(reduced, scripts * 5)) == alone * 5


def test_each_thread_has_a_parser_of_its_own() -> None:
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: parse._OWN.parser).result(30.0) is not parse._OWN.parser
