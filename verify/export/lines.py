r"""The lines of an export beside its events: openings and checkpoints, each one canonical JSON object and a newline.

    {"path":"/args","salt":"<base64url>","seq":16,"value":"{\"form\":...}"}
    {"cosignatures":[{"line":"— w ...\n","witness":"w+..."}],"note":"...","size":36,
     "timestamps":[{"authority":"...","token":"<base64url>"}]}

(the second is one line too). A value stands as a text: its UTF-8 bytes are the canonical bytes that were hashed.

Source: docs/spec/export.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ledger import canon, digest
from ledger.canon import Json
from ledger.disclosure import Opening
from ledger.errors import CanonError
from verify.errors import ExportFormError


@dataclass(frozen=True, slots=True)
class OpeningLine:
    """One opening, with its value in canonical bytes as it is kept.

    Attributes:
        seq: the event.
        path: the field's RFC 6901 pointer within the event's body.
        salt: 32 bytes.
        value: canonical bytes.
    """

    seq: int
    path: str
    salt: bytes
    value: bytes

    def to_bytes(self) -> bytes:
        """Spell the line.

        Raises:
            CanonError: it has no canonical form.
        """
        fields: dict[str, Json] = {
            "seq": self.seq,
            "path": self.path,
            "salt": canon.to_base64url(self.salt),
            "value": _utf8(self.value),
        }
        return canon.encode(fields) + b"\n"

    @classmethod
    def parse(cls, line: bytes) -> "OpeningLine":
        """Read a line.

        Raises:
            ExportFormError: not of this form.
        """
        fields = _object("an opening", line, {"path", "salt", "seq", "value"})
        salt = _bytes("a salt", fields["salt"])
        if len(salt) != digest.SIZE:
            raise ExportFormError(f"a salt has {digest.SIZE} bytes")
        value = _text("a value", fields["value"]).encode()
        return cls(_number(fields["seq"]), _text("a path", fields["path"]), salt, value)

    def opening(self) -> Opening:
        """Give the opening.

        Raises:
            CanonError: the value is not canonical.
        """
        return Opening(self.path, self.salt, canon.decode(self.value))


@dataclass(frozen=True, slots=True)
class CheckpointLine:
    """One checkpoint, with what others added to it.

    Attributes:
        size: how many events it commits to.
        note: the signed note, with the log's own lines alone.
        cosignatures: witness and signature line, sorted by witness.
        timestamps: authority and RFC 3161 token, sorted by authority.
    """

    size: int
    note: bytes
    cosignatures: tuple[tuple[str, str], ...] = ()
    timestamps: tuple[tuple[str, bytes], ...] = ()

    def to_bytes(self) -> bytes:
        """Spell the line.

        Raises:
            CanonError: it has no canonical form.
        """
        fields: dict[str, Json] = {
            "size": self.size,
            "note": _utf8(self.note),
            "cosignatures": [{"witness": witness, "line": line} for witness, line in self.cosignatures],
            "timestamps": [
                {"authority": authority, "token": canon.to_base64url(token)} for authority, token in self.timestamps
            ],
        }
        return canon.encode(fields) + b"\n"

    @classmethod
    def parse(cls, line: bytes) -> "CheckpointLine":
        """Read a line.

        Raises:
            ExportFormError: not of this form.
        """
        fields = _object("a checkpoint", line, {"cosignatures", "note", "size", "timestamps"})
        cosignatures = tuple(
            (_text("a witness", one["witness"]), _text("a cosignature", one["line"]))
            for one in _objects("cosignatures", fields["cosignatures"], {"line", "witness"})
        )
        timestamps = tuple(
            (_text("an authority", one["authority"]), _bytes("a token", one["token"]))
            for one in _objects("timestamps", fields["timestamps"], {"authority", "token"})
        )
        _check_sorted("cosignatures", [witness for witness, _ in cosignatures])
        _check_sorted("timestamps", [authority for authority, _ in timestamps])
        return cls(_number(fields["size"]), _text("a note", fields["note"]).encode(), cosignatures, timestamps)

    def whole_note(self) -> bytes:
        """Give the note with the witnesses' lines under the log's own: what a verifier opens."""
        return self.note + "".join(line for _, line in self.cosignatures).encode()


def _object(what: str, line: bytes, keys: set[str]) -> Mapping[str, Json]:
    try:
        fields = canon.decode_object(line)
    except CanonError as error:
        raise ExportFormError(f"{what} is {error}") from error
    if fields.keys() != keys:
        raise ExportFormError(f"{what} has exactly the fields {', '.join(sorted(keys))}")
    return fields


def _objects(what: str, value: Json, keys: set[str]) -> Sequence[Mapping[str, Json]]:
    if not isinstance(value, list):
        raise ExportFormError(f"{what} stand in a list")
    objects = [one for one in value if isinstance(one, dict) and one.keys() == keys]
    if len(objects) != len(value):
        raise ExportFormError(f"each of the {what} has exactly the fields {', '.join(sorted(keys))}")
    return objects


def _check_sorted(what: str, keys: list[str]) -> None:
    if keys != sorted(set(keys)):
        raise ExportFormError(f"{what} are sorted, and each stands once")


def _text(what: str, value: Json) -> str:
    if not isinstance(value, str):
        raise ExportFormError(f"{what} is a text")
    return value


def _bytes(what: str, value: Json) -> bytes:
    try:
        return canon.from_base64url(_text(what, value))
    except CanonError as error:
        raise ExportFormError(f"{what} is {error}") from error


def _number(value: Json) -> int:
    if type(value) is not int or value < 0:
        raise ExportFormError("an event or a size is named by a number from 0 on")
    return value


def _utf8(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise CanonError("bytes that are no UTF-8 have no canonical form") from error
