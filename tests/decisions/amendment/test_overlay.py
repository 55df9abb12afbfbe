"""Overlays add forbids and requirements, and can do nothing else."""

import pytest

from decisions.amendment.classing import change_of
from decisions.amendment.overlay import adds_only, is_overlay_text, overlaid
from decisions.constitution import DEFAULT_TEXT, load
from decisions.errors import AmendmentError, ConstitutionError

RULE = """
[[articles.rules]]
id = "{id}"
says = "more of it"
effect = "{effect}"
kinds = ["data"]
verbs = ["drop"]
when = 'environment in ["staging", "prod"]'
stops = {{ kind = "data", verb = "drop", environment = "staging" }}
passes = {{ kind = "data", verb = "drop", environment = "dev" }}
"""
HEAD = "[overlay]\nlanguage = 1\n"


def overlay(*rules):
    text = HEAD
    for number, effect in rules:
        text += f'\n[[articles]]\nnumber = "{number}"\n' + RULE.format(id=f"{number}.more", effect=effect)
    return text


@pytest.mark.parametrize(
    "rules",
    [
        [("IX", "forbid")],
        [("II", "require_consent")],
        [("I", "require_consent"), ("XI", "forbid")],
        [("XI", "forbid"), ("I", "forbid")],
    ],
)
def test_an_overlay_is_never_more_than_a_tightening(rules):
    text = overlaid(DEFAULT_TEXT, overlay(*rules))
    assert adds_only(DEFAULT_TEXT, text)
    assert change_of(DEFAULT_TEXT, text, overlay=True) in ("tightening", "equivalent")
    had, has = (len(load(one).rules) for one in (DEFAULT_TEXT, text))
    assert has == had + len(rules)


def test_an_overlay_is_put_over_an_overlay():
    once = overlaid(DEFAULT_TEXT, overlay(("IX", "forbid")))
    twice = overlaid(once, overlay(("IX", "forbid")).replace("IX.more", "IX.yet-more"))
    assert adds_only(once, twice)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (overlay(("IX", "permit")), "forbid and require_consent, and nothing else"),
        (overlay(("XII", "forbid")), "the constitution has none"),
        (overlay(("IX", "forbid")) + '\n[trust]\ncap = "0.9"\n', "unknown key"),
        (overlay(("IX", "forbid"), ("IX", "forbid")), "stands twice"),
        (HEAD + "articles = []\n", "unknown key|missing"),
        (overlay(("IX", "forbid")).replace("language = 1", "language = 2"), "1 to 1 is wanted"),
        ("[overlay", "not TOML"),
        (overlay(("IX", "forbid")).replace("[[articles]]", "  [[articles]]"), "a line of its own"),
    ],
)
def test_anything_else_is_refused_with_one_line(text, said):
    with pytest.raises((ConstitutionError, AmendmentError), match=said):
        overlaid(DEFAULT_TEXT, text)


def test_a_text_that_only_looks_like_a_header_does_not_mislead():
    """What comes out is compared with what was read, so that a line in a text is no header."""
    tricky = DEFAULT_TEXT.replace('says = "What can', 'says = """\n[[articles]]\nWhat can', 1)
    assert tricky != DEFAULT_TEXT
    with pytest.raises((AmendmentError, ConstitutionError)):
        overlaid(
            tricky.replace("needs a human's consent.\"", 'needs a human\'s consent."""', 1), overlay(("IX", "forbid"))
        )


@pytest.mark.parametrize(
    "new",
    [
        DEFAULT_TEXT.replace('gate = "0.55"', 'gate = "0.56"'),
        DEFAULT_TEXT.replace('effect = "forbid"', 'effect = "require_consent"', 1),
        DEFAULT_TEXT.replace('id = "I.outside-message"', 'id = "I.outside"'),
    ],
)
def test_a_change_that_does_more_is_no_overlay(new):
    assert not adds_only(DEFAULT_TEXT, new)


def test_an_overlay_says_so():
    assert is_overlay_text(overlay(("IX", "forbid")))
    assert not is_overlay_text(DEFAULT_TEXT)
