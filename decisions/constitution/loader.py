"""From the text of a constitution to the constitution, or to one line that says why not.

A document is accepted as a whole or refused as a whole. Nothing in it runs: TOML gives tables, `table` admits
known keys only, conditions are compiled against the declared attributes, and every rule is tried on its examples.

Source: DESIGN section 10; docs/spec/constitution.md.
"""

import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final

from decisions.constitution.examples import check_examples
from decisions.constitution.model import Constitution
from decisions.constitution.rules import Schema, read_articles
from decisions.constitution.schema import read_attributes, read_categories, read_kinds
from decisions.constitution.table import refusal, table
from decisions.constitution.terms import read_amending, read_trust
from grants.errors import IdentifierError
from grants.identifier import check_text
from ledger import digest

MAX_BYTES = 2**20
LANGUAGE = 1

DEFAULT_TEXT: Final = files("decisions.constitution").joinpath("default.toml").read_bytes().decode()
"""The constitution that ships, as it is adopted when no other is given."""


def load(document: str) -> Constitution:
    """Read a constitution.

    Args:
        document: the TOML text.

    Raises:
        ConstitutionError: the document is refused; the message is one line and names the place.
    """
    data = _bytes(document)
    return read(_parse(document), digest.document(data))


def read(document: dict[str, object], document_digest: bytes) -> Constitution:
    """Read a constitution out of parsed TOML.

    Args:
        document: the tables.
        document_digest: ``document`` digest of the text that they were parsed from.

    Raises:
        ConstitutionError: as `load`.
    """
    sections = table(
        "the document",
        document,
        ("constitution", "kinds", "attributes", "articles", "trust"),
        ("categories", "amending"),
    )
    head = table("constitution", sections.values["constitution"], ("name", "language"), ("inherit",))
    head.whole("language", LANGUAGE, LANGUAGE)
    kinds = read_kinds(sections.values["kinds"])
    attributes = read_attributes(sections.values["attributes"], kinds)
    categories = read_categories(sections.values.get("categories", {}), kinds, attributes)
    constitution = Constitution(
        name=head.text("name"),
        digest=document_digest,
        kinds=MappingProxyType(kinds),
        attributes=MappingProxyType(attributes),
        categories=MappingProxyType(categories),
        articles=read_articles(sections.rows("articles"), Schema(kinds, attributes, categories)),
        inherit=head.flag("inherit") if "inherit" in head else False,
        trust=read_trust(sections.values["trust"], {verb for verbs in kinds.values() for verb in verbs}),
        amending=read_amending(sections.values.get("amending", {})),
    )
    check_examples(constitution)
    return constitution


@lru_cache(maxsize=8)
def load_cached(document: str) -> Constitution:
    """Read a constitution, remembering the last few."""
    return load(document)


@cache
def default() -> Constitution:
    """Give the constitution that ships."""
    return load_cached(DEFAULT_TEXT)


def _bytes(document: str) -> bytes:
    """Give the bytes that are hashed, and refuse what a reader of the text would not see."""
    try:
        data = document.encode()
    except UnicodeEncodeError as error:
        raise refusal("the document", "it holds a lone surrogate and has no UTF-8 form") from error
    if len(data) > MAX_BYTES:
        raise refusal("the document", f"it has {len(data)} bytes; {MAX_BYTES} is the most")
    for number, line in enumerate(document.replace("\r\n", "\n").split("\n"), start=1):
        try:
            check_text(line.replace("\t", " "))
        except IdentifierError as error:
            raise refusal(f"line {number}", str(error)) from error
    return data


def _parse(document: str) -> dict[str, object]:
    try:
        return tomllib.loads(document)
    except RecursionError as error:
        raise refusal("the document", "it is nested too deeply") from error
    except ValueError as error:  # a TOMLDecodeError, or a number with thousands of digits
        raise refusal("the document", f"not TOML: {error}") from error
