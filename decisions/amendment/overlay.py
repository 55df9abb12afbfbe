"""Overlays: documents that add forbids and requirements to a constitution, and take nothing away.

    [overlay]
    language = 1

    [[articles]]
    number = "V"

    [[articles.rules]]
    id = "V.freeze"
    ...                       # a whole rule, whose effect is forbid or require_consent

A requirement outside of Article I asks for a consent where a standing grant was enough: so grants are narrowed too.
What comes of it is a whole document, in which the rules stand behind those of their article; that it is the old one
with these rules and nothing else is checked by reading all three.

Source: docs/spec/amendments.md.
"""

import re
import tomllib
from collections.abc import Mapping
from typing import Final

from decisions.constitution.loader import LANGUAGE
from decisions.constitution.table import refusal, table
from decisions.errors import AmendmentError, ConstitutionError

_STRICTER: Final = frozenset({"forbid", "require_consent"})
_HEADER: Final = re.compile(r"^\[\[articles\]\][ \t]*(#.*)?$", re.MULTILINE)
_RULE: Final = re.compile(r"^\[\[articles\.rules\]\]", re.MULTILINE)
_OTHER: Final = re.compile(r"^\[(?!\[articles\]|\[articles\.|articles\.)", re.MULTILINE)


def is_overlay_text(text: str) -> bool:
    """Tell whether a document says that it is an overlay.

    Raises:
        ConstitutionError: it is not TOML.
    """
    return "overlay" in _parsed(text)


def overlaid(document: str, overlay: str) -> str:
    """Give the constitution that comes of another with an overlay.

    Args:
        document: the constitution's text.
        overlay: the overlay's text.

    Raises:
        ConstitutionError: the overlay is not of its form, names an article that is not there, or adds a permit.
        AmendmentError: the two texts can't be put together line by line.
    """
    added = _added(overlay)
    blocks = _rule_blocks(overlay)
    old = _numbers(document)
    for number in added:
        if number not in old:
            raise refusal(f"article {number}", f"the constitution has none; it has {', '.join(old)}")
    text = document
    for number in added:
        text = _behind(text, number, blocks[number])
    if _parsed(text) != _with(_parsed(document), added):
        raise AmendmentError(
            "the overlay can't be put into this document line by line: start each [[articles]] and [[articles.rules]] "
            "at the beginning of a line, or write the whole constitution"
        )
    return text


def adds_only(old: str, new: str) -> bool:
    """Tell whether a constitution is another with forbids and requirements added behind the rules of its articles.

    Raises:
        ConstitutionError: a document is not TOML.
    """
    before, after = _parsed(old), _parsed(new)
    had, has = before.pop("articles", None), after.pop("articles", None)
    if before != after or not isinstance(had, list) or not isinstance(has, list) or len(had) != len(has):
        return False
    return all(_extends(one, other) for one, other in zip(had, has, strict=True))


def _extends(old: object, new: object) -> bool:
    if not isinstance(old, dict) or not isinstance(new, dict):
        return False
    had, has = old.get("rules", []), new.get("rules", [])
    if {**old, "rules": None} != {**new, "rules": None} or not isinstance(had, list) or not isinstance(has, list):
        return False
    more = has[len(had) :]
    return has[: len(had)] == had and all(isinstance(rule, dict) and rule.get("effect") in _STRICTER for rule in more)


def _added(overlay: str) -> Mapping[str, list[object]]:
    sections = table("the overlay", _parsed(overlay), ("overlay", "articles"))
    table("overlay", sections.values["overlay"], ("language",)).whole("language", LANGUAGE, LANGUAGE)
    found: dict[str, list[object]] = {}
    for place, row in enumerate(sections.rows("articles"), start=1):
        article = table(f"articles, the {place}.", row, ("number", "rules"))
        number = article.text("number")
        if number in found:
            raise refusal(f"article {number}", "it stands twice")
        found[number] = article.rows("rules")
        for rule in found[number]:
            effect = rule.get("effect") if isinstance(rule, dict) else None
            if effect not in _STRICTER:
                raise refusal(f"article {number}", "an overlay adds forbid and require_consent, and nothing else")
    return found


def _rule_blocks(overlay: str) -> dict[str, str]:
    """Cut the text of each article's rules out of an overlay."""
    numbers = _numbers(overlay)
    starts = [found.start() for found in _HEADER.finditer(overlay)]
    if len(starts) != len(numbers):
        raise refusal("the overlay", "each [[articles]] starts a line of its own")
    blocks = {}
    for number, start, stop in zip(numbers, starts, [*starts[1:], len(overlay)], strict=True):
        part = overlay[start:stop]
        first, other = _RULE.search(part), _OTHER.search(part)
        if first is None or other is not None:
            raise refusal(f"article {number}", "behind its number stand [[articles.rules]] and nothing else")
        blocks[number] = part[first.start() :].rstrip() + "\n"
    return blocks


def _behind(document: str, number: str, block: str) -> str:
    """Put rules behind those of an article."""
    numbers = _numbers(document)
    starts = [found.start() for found in _HEADER.finditer(document)]
    if len(starts) != len(numbers):
        raise AmendmentError("each [[articles]] of the constitution must start a line of its own")
    place = numbers.index(number)
    ends = [found.start() for found in _OTHER.finditer(document) if found.start() > starts[place]]
    stop = min([*starts[place + 1 : place + 2], *ends[:1], len(document)])
    return f"{document[:stop].rstrip()}\n\n{block}\n{document[stop:]}"


def _numbers(text: str) -> list[str]:
    articles = _parsed(text).get("articles", [])
    rows = articles if isinstance(articles, list) else []
    return [str(row.get("number")) for row in rows if isinstance(row, dict)]


def _with(document: dict[str, object], added: Mapping[str, list[object]]) -> dict[str, object]:
    """Put the rules where they belong, in what was read and not in its text."""
    articles = document["articles"]
    rows = articles if isinstance(articles, list) else []
    return {
        **document,
        "articles": [{**row, "rules": [*row.get("rules", []), *added.get(row.get("number"), [])]} for row in rows],
    }


def _parsed(text: str) -> dict[str, object]:
    try:
        return dict(tomllib.loads(text))
    except (ValueError, RecursionError) as error:
        raise ConstitutionError(f"the document: not TOML: {error}") from error
