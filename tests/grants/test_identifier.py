"""Identifiers: one spelling, nothing that can't be seen, nothing folded."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grants.errors import GrantError, IdentifierError
from grants.identifier import (
    KINDS,
    check_name,
    check_text,
    code_points,
    kind_of,
    parse_principal,
)
from grants.spelling import nearest, suggestion


@pytest.mark.parametrize(
    "text",
    ["", "a b", "prod-db", "caf\u00e9", "\u6771\u4eac", "pr\u043ed-db", "a" * 500, "\u05d0\u05d1"],
)
def test_accepts_visible_composed_text(text: str) -> None:
    assert check_text(text) == text


@pytest.mark.parametrize(
    "bad",
    [
        "\0", "\t", "\n", "\r", "\x1b", "\x7f", "\x85", "\xa0", "\xad", "\u034f", "\u061c", "\u115f", "\u180e",
        "\u2003",
        "\u200b", "\u200d", "\u200e", "\u2028", "\u2029", "\u202e", "\u2060", "\u2066", "\u2069", "\u2800", "\u3000",
        "\u3164", "\ud800", "\ue000", "\ufe0f", "\ufeff", "\ufffe", "\uffa0", "\U000e0001", "\U000e0041",
        "\U000e0100", "\U000f0000", "\U0010ffff",
    ],
)  # fmt: skip
def test_refuses_what_cannot_be_seen_and_says_where(bad: str) -> None:
    with pytest.raises(IdentifierError, match=f"U\\+{ord(bad):04X} .* at 2"):
        check_text(f"ab{bad}cd")


def test_no_code_point_of_a_refused_category_passes() -> None:
    """Exhaustive where characters are assigned."""
    passed = [
        point
        for point in (*range(0x20000), *range(0xE0000, 0xE1000), *range(sys.maxunicode - 0x100, sys.maxunicode + 1))
        if unicodedata.category(chr(point)) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"} and _passes(chr(point))
    ]
    assert passed == [0x20]


def _passes(text: str) -> bool:
    try:
        check_text(text)
    except IdentifierError:
        return False
    return True


def test_refuses_decomposed_text_and_shows_it() -> None:
    with pytest.raises(IdentifierError, match=r"composed.*U\+0301 COMBINING ACUTE ACCENT at 4"):
        check_text("cafe\u0301")


def test_shows_the_code_points_of_a_look_alike() -> None:
    assert code_points("pr\u043ed-db") == "pr\\u043ed-db (U+043E CYRILLIC SMALL LETTER O at 2)"
    assert code_points("prod-db") == "prod-db"
    assert code_points("\U0001f600") == "\\U0001f600 (U+1F600 GRINNING FACE at 0)"


def test_shown_text_is_short_printable_ascii() -> None:
    shown = code_points("\u202e\n" * 4000)
    assert shown.isascii()
    assert shown.isprintable()
    assert "(8000 characters)" in shown
    assert "and 7992 more" in shown
    assert len(shown) < 1200


@pytest.mark.parametrize("kind", KINDS)
def test_accepts_each_kind_of_principal(kind: str) -> None:
    principal = parse_principal(f"{kind}:a.b_c-1")
    assert kind_of(principal) == kind


@pytest.mark.parametrize(
    "text",
    [
        "", "agent", "agent:", ":a", "robot:a", "Agent:a", "agent:A", "agent:-a", "agent:.a", "agent:a b",
        "agent:a/sub2",
        "agent:a\n", "agent: a", " agent:a", "agent:" + "a" * 65, "agent:a:b", "agent:\u0430", "agent:a\u200b",
        "\ud800:a",
    ],
)  # fmt: skip
def test_refuses_a_principal_in_another_spelling(text: str) -> None:
    with pytest.raises(IdentifierError):
        parse_principal(text)


def test_a_name_has_up_to_64_characters() -> None:
    assert check_name("a" * 64) == "a" * 64
    with pytest.raises(IdentifierError):
        check_name("a" * 65)


def test_names_the_nearest_kind() -> None:
    with pytest.raises(IdentifierError, match='did you mean "agent"'):
        parse_principal("agnet:a")


@given(st.text(st.characters(codec=None)))
def test_only_our_errors_escape(text: str) -> None:
    for check in (check_text, check_name, parse_principal):
        try:
            assert check(text) == text
        except GrantError as error:
            assert str(error).isascii()  # noqa: PT017 -- a text that passes raises nothing, and both ways are right


def test_suggests_the_nearest_spelling_whatever_its_case() -> None:
    assert nearest("Enviroment", ["asset", "environment"]) == "environment"
    assert nearest("zzz", ["asset", "environment"]) is None
    assert nearest("x", []) is None


def test_a_suggestion_lists_what_is_known_where_nothing_is_near() -> None:
    assert suggestion("zzz", ["b", "a"]) == '; known are "a", "b"'
    assert suggestion("zzz", []) == ""
    assert suggestion("zzz", [f"{letter}{letter}" for letter in "abcdefghijklmnop"]) == ""
