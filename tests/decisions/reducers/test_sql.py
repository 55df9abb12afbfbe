"""SQL, row by row, and what holds of every script (policy cases B01, B09, B11, J01, J03)."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decisions.action import Reduction
from decisions.reducers import reduce_operation

Notation = Callable[[Reduction], set[str]]
Sql = Callable[..., Reduction]

STATEMENTS = st.sampled_from(
    [
        "SELECT 1", "SELECT * FROM a", "SELECT * FROM a WHERE id = 1", "DELETE FROM b", "DELETE FROM b WHERE id = 2",
        "UPDATE c SET x = 1 WHERE y = 2", "INSERT INTO d VALUES (1)", "DROP TABLE e", "TRUNCATE f", "COMMIT", "BEGIN",
        "WITH g AS (DELETE FROM h RETURNING *) SELECT * FROM g", "EXPLAIN ANALYZE DELETE FROM i",
        "GRANT SELECT ON j TO k",
        "SELECT pg_sleep(1)", "COPY l TO PROGRAM 'x'", "CALL m()", "CREATE TABLE n AS SELECT * FROM o", "VACUUM",
    ]
)  # fmt: skip
FRAGMENTS = st.lists(
    st.sampled_from(
        ["SELECT", "DELETE FROM", "UPDATE", "SET", "WHERE", "t", "id", "=", "1", "'", '"', "`", "--", "/*", "*/", "\n",
         " ", ";", "(", ")", ",", "$$", "\\", "AND", "OR", "NOT", "EXPLAIN", "ANALYZE", "WITH", "AS", "*", "DROP",
         "TABLE", "::", "a.b", "E'", "U&", "#", "@", ":", "\u00e9", "\u200b", "\x00", "INSERT INTO", "VALUES",
         "CASCADE", "MERGE"]
    ),
    max_size=25,
).map(" ".join)  # fmt: skip


def reduced(text: str, dialect: str = "postgres") -> Reduction:
    return reduce_operation("sql", {"sql": text, "database": "prod", "dialect": dialect}, home=None)


def test_statements_reduce_to_their_effects(sql_row: tuple[str, set[str]], sql: Sql, notation: Notation) -> None:
    text, effects = sql_row
    dialect, colon, rest = text.partition(": ")
    if colon and dialect.isalpha():
        assert effects == notation(sql(rest, dialect))
    else:
        assert effects == notation(sql(text))


@given(st.lists(STATEMENTS, min_size=1, max_size=4), STATEMENTS)
@settings(max_examples=80, deadline=None)
def test_another_statement_takes_no_effect_and_no_problem_away(statements: list[str], last: str) -> None:
    """B09: what stands before or behind a statement hides nothing of it."""
    before = reduced("; ".join(statements))
    after = reduced("; ".join([*statements, last]))
    assert set(before.actions) <= set(after.actions)
    assert set(before.problems) <= set(after.problems)


@given(STATEMENTS)
@settings(max_examples=30, deadline=None)
def test_case_blanks_and_comments_change_nothing(statement: str) -> None:
    variants = [f"  {statement} ;", statement.replace(" ", "\n\t "), f"-- note\n{statement}", f"{statement} /* note */"]
    for variant in variants:
        assert reduced(statement) == reduced(variant), variant


@given(st.one_of(st.text(max_size=150), FRAGMENTS), st.sampled_from(["postgres", "sqlite", "mysql", "other"]))
@settings(max_examples=300, deadline=None)
def test_any_text_gives_an_action_or_a_problem(text: str, dialect: str) -> None:
    found = reduced(text, dialect)
    assert found.actions or found.problems
    assert not any("failed" in problem.detail for problem in found.problems)


def test_statements_over_the_bound_are_too_complex() -> None:
    assert [problem.code for problem in reduced("SELECT 1;" * 51).problems] == ["TOO_COMPLEX"]
    assert not reduced("SELECT 1;" * 50).problems


@pytest.mark.parametrize(
    "text",
    [
        "SELECT '" + "x" * 65536 + "'",
        "SELECT " + "(" * 5000 + "1" + ")" * 5000,
        "SELECT * FROM t WHERE " + "NOT " * 5000 + "a",
        "DELETE FROM t WHERE " + " OR ".join(["a = 1"] * 4000),
    ],
    ids=["long", "parentheses", "negations", "alternatives"],
)
def test_text_over_a_bound_is_too_complex(text: str) -> None:
    found = reduced(text)
    assert (list(found.actions), [problem.code for problem in found.problems]) == ([], ["TOO_COMPLEX"])


@pytest.mark.parametrize("database", [None, "", "a/b", "pr\u200bod", ".."])
def test_database_that_is_not_known_leaves_nothing_to_decide(database: str | None) -> None:
    """J03: the store is what the connection's holder says, or nothing."""
    found = reduce_operation("sql", {"sql": "DELETE FROM t", "database": database}, home=None)
    assert not found.actions
    assert found.problems


def test_statement_is_named_by_its_number() -> None:
    found = reduced("COMMIT; DROP SCHEMA public CASCADE").actions
    assert [action.part for action in found] == ["statement 1: COMMIT", "statement 2: DROP"]


def test_empty_dialect_is_none_that_is_known(sql: Sql, notation: Notation) -> None:
    assert notation(sql("SELECT 1", "")) == {"!UNPARSEABLE"}


def test_parser_warnings_reach_nobody(capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    reduced("VACUUM t")
    assert capfd.readouterr() == ("", "")
    assert not caplog.records
