"""Braces and the tilde: what the shell does to a word before anything else.

Source: bash 5.2 manual (brace expansion, tilde expansion); policy cases A09, A13.
"""

import re
from itertools import pairwise

from decisions.reducers.errors import UnreadableError, too_complex
from decisions.reducers.shell.atoms import Atom, Surroundings, value_of

_ASSIGNED_HOME = re.compile(r"[A-Za-z_]\w*\+?=(?:.*:)?~", re.ASCII | re.DOTALL)
_MOST_WORDS = 64


def expand_home(atoms: list[Atom], place: Surroundings) -> None:
    """Put the home directory in for a bare ``~`` at the start; ``~name`` is unknown."""
    first = next((index for index, atom in enumerate(atoms) if atom.text or atom.kind != "text" or atom.quoted), None)
    if first is None or atoms[first].kind != "text" or atoms[first].quoted:
        return
    text = atoms[first].text
    if _ASSIGNED_HOME.match(text):
        atoms[first] = Atom("unknown", "~", quoted=False)
        return
    if not text.startswith("~"):
        return
    user, slash, rest = text[1:].partition("/")
    alone = slash or all(not atom.text and atom.kind == "text" and not atom.quoted for atom in atoms[first + 1 :])
    home = value_of("HOME", place)
    if user or not alone or home is None or not home.is_literal:
        atoms[first] = Atom("unknown", "~" + user, quoted=False)
        return
    known = home.literal or ""
    atoms[first : first + 1] = [
        Atom("text", known.rstrip("/") if slash else known, quoted=True),
        Atom("text", slash + rest, quoted=False),
    ]


def spread(atoms: list[Atom]) -> list[list[Atom]]:
    """Spread ``{a,b}``; nested braces and ranges are opaque."""
    if not any(atom.kind == "text" and not atom.quoted and "{" in atom.text for atom in atoms):
        return [atoms]
    single = [
        Atom(atom.kind, character, atom.quoted)
        for atom in atoms
        for character in (atom.text if atom.kind == "text" and not atom.quoted else [atom.text])
    ]
    return _single(single)


def _single(atoms: list[Atom]) -> list[list[Atom]]:
    def bare(atom: Atom, character: str) -> bool:
        return atom.kind == "text" and not atom.quoted and atom.text == character

    opening = next((index for index, atom in enumerate(atoms) if bare(atom, "{")), None)
    if opening is None:
        return [atoms]
    closing = next((index for index in range(opening, len(atoms)) if bare(atoms[index], "}")), None)
    if closing is None:
        return [atoms]
    inner = atoms[opening + 1 : closing]
    if any(bare(atom, "{") for atom in inner) or ".." in "".join(atom.text for atom in inner if not atom.quoted):
        raise UnreadableError("braces that aren't read")
    commas = [index for index, atom in enumerate(inner) if bare(atom, ",")]
    heads = [atoms[: opening + 1] + inner + [atoms[closing]]]
    if commas:
        bounds = [-1, *commas, len(inner)]
        heads = [atoms[:opening] + inner[low + 1 : high] for low, high in pairwise(bounds)]
    tails = _single(atoms[closing + 1 :])
    if len(heads) * len(tails) > _MOST_WORDS:
        raise too_complex(f"braces that make more than {_MOST_WORDS} words")
    return [head + tail for head in heads for tail in tails]
