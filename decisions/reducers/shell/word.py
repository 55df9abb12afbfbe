"""What a word of a command is known to be: literal text, text with globs, or text that only the shell knows.

A ``Word`` is a row of pieces. An *unknown* piece stands for any text within one word (a quoted variable), a *split*
piece for any number of words (the same, unquoted).

>>> Word.of("rm").literal
'rm'
>>> Word((Piece("text", "/srv/"), Piece("glob", "*"))).literal is None
True
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

PieceKind: TypeAlias = Literal["text", "glob", "unknown", "split"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a word. ``text`` is the text itself or the glob's characters; for the unknown, what it was."""

    kind: PieceKind
    text: str


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command, quotes removed."""

    pieces: tuple[Piece, ...]

    @classmethod
    def of(cls, text: str) -> "Word":
        """Make a word of literal text."""
        return cls((Piece("text", text),))

    @property
    def literal(self) -> str | None:
        """The word's text, or None where a part of it is not literal."""
        if len(self.pieces) == 1 and self.pieces[0].kind == "text":
            return self.pieces[0].text
        return "".join(piece.text for piece in self.pieces) if self.is_literal else None

    @property
    def is_literal(self) -> bool:
        """Whether all of the word is literal text."""
        return all(piece.kind == "text" for piece in self.pieces)

    @property
    def is_known(self) -> bool:
        """Whether the word holds text and globs only."""
        return all(piece.kind in {"text", "glob"} for piece in self.pieces)

    @property
    def is_loose(self) -> bool:
        """Whether the word may turn into an option, or into several words."""
        return self.pieces[0].kind == "unknown" or any(piece.kind == "split" for piece in self.pieces)

    @property
    def has_glob(self) -> bool:
        """Whether the word may turn into several file names."""
        return any(piece.kind == "glob" for piece in self.pieces)

    @property
    def starts_with_glob(self) -> bool:
        """Whether file names decide how the word begins."""
        return self.pieces[0].kind == "glob"

    @property
    def prefix(self) -> str:
        """The literal text that the word begins with."""
        text = ""
        for piece in self.pieces:
            if piece.kind != "text":
                break
            text += piece.text
        return text

    def after(self, count: int) -> "Word":
        """Give the word without its first characters, which must be literal."""
        pieces = []
        for piece in self.pieces:
            if count >= len(piece.text) and piece.kind == "text":
                count -= len(piece.text)
                continue
            pieces.append(Piece(piece.kind, piece.text[count:]) if count else piece)
            count = 0
        return Word(tuple(pieces) or (Piece("text", ""),))

    def shown(self) -> str:
        """Spell the word for people."""
        return "".join(f"<{piece.text}>" if piece.kind in {"unknown", "split"} else piece.text for piece in self.pieces)


def joined(pieces: list[Piece]) -> Word:
    """Make a word of pieces, literal neighbours put together."""
    merged: list[Piece] = []
    for piece in pieces:
        if merged and piece.kind == merged[-1].kind == "text":
            merged[-1] = Piece("text", merged[-1].text + piece.text)
        elif piece.text or piece.kind != "text":
            merged.append(piece)
    return Word(tuple(merged) or (Piece("text", ""),))
