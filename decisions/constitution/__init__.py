"""The constitution: attributes, categories, eleven articles of rules, and the terms of earned trust, as data.

`load` reads a document and accepts or refuses it as a whole; nothing in it runs. `default` is the one that ships.

Source: DESIGN section 10; the language is described in docs/spec/constitution.md.
"""

from decisions.constitution.examples import check_examples
from decisions.constitution.fraction import ONE, parse_fraction, spell_fraction
from decisions.constitution.loader import DEFAULT_TEXT, default, load, load_cached
from decisions.constitution.model import (
    Article,
    Attribute,
    Constitution,
    Example,
    Rule,
    TrustClass,
    TrustTerms,
)

__all__ = [
    "DEFAULT_TEXT",
    "ONE",
    "Article",
    "Attribute",
    "Constitution",
    "Example",
    "Rule",
    "TrustClass",
    "TrustTerms",
    "check_examples",
    "default",
    "load",
    "load_cached",
    "parse_fraction",
    "spell_fraction",
]
