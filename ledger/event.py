"""The event envelope, and the registry of event types.

An event is one canonical JSON object; its bytes are the leaf of the log:

    {"at":"2026-11-30T12:00:00.000000Z","auth":"os-uid","body":{...},"by":"agent:ops-7","causes":[3,5],
     "request":"r-1","schema":1,"seq":7,"type":"decision.made","v":1,"via":null}

All eleven keys always stand. ``by`` is who acted and ``auth`` how that was established; ``via`` is the enforcement
point that spoke for them; ``causes`` are earlier events. A schema never changes in place: a new one has a new number.

Source: DESIGN section 7.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Annotated, ClassVar, Final, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model

from ledger import canon, digest
from ledger.canon import Json
from ledger.closed import is_closed
from ledger.disclosure import Disclosable, Opening
from ledger.envelope import Auth, Version1, is_envelope
from ledger.errors import CanonError, EventError
from ledger.instant import Instant, InstantField

ENVELOPE_VERSION = 1
MAX_EVENT_BYTES = 2 * 1024 * 1024


def _as_tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


Many = BeforeValidator(_as_tuple)
"""Lets a strict model read a JSON array into a tuple: ``Annotated[tuple[X, ...], Many]``."""


class Frozen(BaseModel):
    """Base of every model that is hashed: strict types, no other keys, no change after the fact."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class Body(Frozen):
    """Base of every event body; a subclass is one schema of one type."""

    type: ClassVar[str]
    schema_number: ClassVar[int] = 1
    folded: ClassVar[bool] = True
    """Whether a view may keep something of it: who folds a log passes over the events of a type that says no."""

    def claims(self, by: str, request: str | None) -> Iterable[str]:  # noqa: ARG002  (some types claim by envelope)
        """Give the unique keys that this event takes for ever."""
        return ()

    def tags(self) -> Iterable[str]:
        """Give the keys by which this event is found; ``actor:<by>`` is added to them."""
        return ()

    def erases(self) -> Iterable[tuple[int, str]]:
        """Give the openings, by event and pointer, that are deleted when this event is appended: of `ERASING` alone."""
        return ()

    def json_form(self) -> dict[str, Json]:
        """Give the body as it stands in the event."""
        # What `model_dump` does with this mode and no other wish, at half the price.
        return cast("dict[str, Json]", self.__pydantic_serializer__.to_python(self, mode="json"))


class Signed(Frozen):
    """An OpenSSH signature over the statement of the body it stands in.

    Attributes:
        key: fingerprint of the signing key, ``SHA256:...``.
        armour: the SSHSIG exactly as ``ssh-keygen -Y sign`` writes it.
    """

    key: str
    armour: str


class SignedBody(Body):
    """Base of every body that creates authority: a key with the role has signed its statement.

    Attributes:
        origin: the log that this speaks to; it means nothing in another.
        log_size: how many events the log held when the signer looked.
        signed: the signature over `statement`.
    """

    attachments: ClassVar[frozenset[str]] = frozenset()
    """Fields left out of the statement: a digest within it covers them, or they are further signatures over it."""

    origin: str
    log_size: Annotated[int, Field(ge=0)]
    signed: Signed

    def __hash__(self) -> int:
        # A body may hold tables, which have no hash; to be equal every field must be.
        return hash((self.type, self.signed.armour))

    def claims(self, by: str, request: str | None) -> Iterable[str]:
        """Claim the statement itself: one signature makes one event."""
        yield from super().claims(by, request)
        yield f"statement:{canon.to_base64url(digest.document(self.statement()))}"

    def statement(self) -> bytes:
        """Give the exact text that was read and signed."""
        return statement(type(self), self.json_form())

    @classmethod
    def namespace(cls) -> str:
        """Name the SSHSIG namespace of this type: ``tallystick-<noun>@v1``."""
        return f"tallystick-{cls.type.partition('.')[0]}@v1"


def statement(body_type: type[SignedBody], fields: dict[str, Json]) -> bytes:
    r"""Render the text that a signer reads: a title, then each field on a line, sorted by name.

    The first line is ``tallystick <type> v<schema>``, each further one ``<name>: <canonical JSON>``; every line ends in
    ``\n``. What the body holds beside it (the signature, attachments under a digest) stays out.
    """
    left_out = {"signed", *body_type.attachments}
    lines = [f"tallystick {body_type.type} v{body_type.schema_number}\n".encode()]
    lines += [
        name.encode() + b": " + canon.encode(value) + b"\n"
        for name, value in sorted(fields.items())
        if name not in left_out
    ]
    return b"".join(lines)


class Envelope(Frozen):
    """The outer form of every event; ``body`` is read by the type's own schema."""

    v: Version1
    seq: Annotated[int, Field(ge=0)]
    at: InstantField
    type: str
    schema_: Annotated[int, Field(alias="schema", ge=1)]
    by: str
    auth: Auth
    via: str | None
    request: str | None
    causes: Annotated[tuple[int, ...], Many]
    body: object


@dataclass(frozen=True, slots=True)
class Draft:
    """An event that has no place and time yet."""

    body: Body
    by: str
    auth: Auth
    via: str | None = None
    request: str | None = None
    causes: tuple[int, ...] = ()
    openings: tuple[Opening, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """An event with its place, its time and its exact bytes."""

    seq: int
    at: Instant
    by: str
    auth: Auth
    via: str | None
    request: str | None
    causes: tuple[int, ...]
    body: Body
    data: bytes = field(repr=False)

    @property
    def type(self) -> str:
        """The type's name, ``noun.verb``."""
        return self.body.type

    def claims(self) -> tuple[str, ...]:
        """Give the unique keys that this event takes for ever: its body's, and one for each opening that it erases."""
        claims, erases = tuple(self.body.claims(self.by, self.request)), tuple(self.body.erases())
        return (*claims, *[erasure_claim(seq, path) for seq, path in erases]) if erases else claims

    def tags(self) -> tuple[str, ...]:
        """Give the keys by which this event is found, sorted."""
        return tuple(sorted({f"actor:{self.by}", *self.body.tags()}))


ERASING: Final = "fields.erased"
"""The type whose events erase openings: in a database its triggers let no other take what lets them go."""

_SET = [vars(Event)[name].__set__ for name in ("seq", "at", "by", "auth", "via", "request", "causes", "body", "data")]


def _event(value: dict[str, Json], body: Body, data: bytes) -> Event:
    """Make the event of an envelope that was checked."""
    # Slot by slot: the way through a frozen dataclass takes as long as all the rest of reading an event.
    event = object.__new__(Event)
    seq, at, by, auth, via, request, causes, own, bytes_ = _SET
    seq(event, value["seq"])
    at(event, value["at"])
    by(event, value["by"])
    auth(event, value["auth"])
    via(event, value["via"])
    request(event, value["request"])
    causes(event, tuple(cast("list[int]", value["causes"])))
    own(event, body)
    bytes_(event, data)
    return event


def erasure_claim(seq: int, path: str) -> str:
    """Give the unique key that says for ever that an opening was erased."""
    return f"erased:{seq}:{path}"


class Registry:
    """The event types that a reader knows, by name and schema number."""

    def __init__(self, *types: type[Body]) -> None:
        self._types = {(body.type, body.schema_number): body for body in types}
        if len(self._types) != len(types):
            raise EventError("an event type is registered twice")
        self._whole: dict[tuple[str, int], tuple[type[Body], type[Envelope], bool]] = {}

    def __reduce__(self) -> tuple[type["Registry"], tuple[type[Body], ...]]:
        # Another process makes the whole forms anew, from the types that it can import.
        return Registry, tuple(self._types.values())

    def __iter__(self) -> Iterator[type[Body]]:
        yield from self._types.values()

    def parse(self, data: bytes) -> Event:
        """Read an event from its exact bytes.

        Raises:
            EventError: not canonical, not an envelope, an unknown type, or a body that breaks its schema.
        """
        try:
            value = canon.respelled(data)
            body_type, form, closed = self._form(value)
            if not (closed and data.isascii()):
                canon.check(value)
            if type(value) is dict and is_envelope(value):
                return _event(value, body_type.__pydantic_validator__.validate_python(value["body"]), data)
            e = form.model_validate(value)
        except (CanonError, ValidationError) as error:
            raise EventError(f"unreadable event: {_first_line(error)}") from error
        # INVARIANT: a form of a type of ours has read the body into that type.
        body = cast("Body", e.body)
        return Event(e.seq, e.at, e.by, e.auth, e.via, e.request, e.causes, body, data)

    def _form(self, value: Json) -> tuple[type[Body], type[Envelope], bool]:
        """Give the type, the whole form of its events, and whether a value that fits that is sure to be canonical.

        Raises:
            CanonError: not an object.
            ValidationError: not an envelope.
            EventError: a type that is not known.
        """
        if not isinstance(value, dict):
            raise CanonError("not a JSON object")
        name, schema = value.get("type"), value.get("schema")
        key = (name, schema) if type(name) is str and type(schema) is int else None
        found = None if key is None else self._whole.get(key)
        if found is None:
            if key is None or key not in self._types:
                canon.check(value)
                Envelope.model_validate(value)
                raise EventError(f"unknown event type {name} schema {schema}")
            body = self._types[key]
            form = create_model("Envelope", __base__=Envelope, body=(body, ...))
            found = self._whole[key] = body, form, is_closed(body)
        return found


def seal(draft: Draft, seq: int, at: Instant) -> Event:
    """Give a draft its place and time, and with them its bytes.

    Raises:
        EventError: the draft has no canonical form, is too large, or names causes that are not earlier events.
    """
    if draft.causes and not all(0 <= cause < seq for cause in draft.causes):
        raise EventError("an event can be caused by earlier events alone")
    try:
        data = _written(draft, seq, at)
    except CanonError as error:
        raise EventError(f"this event can't be written: {error}") from error
    if len(data) > MAX_EVENT_BYTES:
        raise EventError(f"this event has {len(data)} bytes; {MAX_EVENT_BYTES} is the most")
    d = draft
    return Event(seq, at, d.by, d.auth, d.via, d.request, d.causes, d.body, data)


_FORM = b'{"at":%b,"auth":%b,"body":%b,"by":%b,"causes":%b,"request":%b,"schema":%b,"seq":%d,"type":%b,"v":%b,"via":%b}'
"""The envelope in canonical bytes, its keys sorted: an event is written often, and most of it is the same each time."""

_part = lru_cache(maxsize=1024, typed=True)(canon.encode)


def _body(body: Body) -> bytes:
    form = body.json_form()
    if _closed(type(body)):
        # As where it is read: of such a type nothing is left to check but the keys, and those that are ASCII are right.
        data = canon.spelled(form)
        if data.isascii():
            return data
    return canon.encode(form, around=1)


@cache
def _closed(body: type[Body]) -> bool:
    return body.json_form is Body.json_form and is_closed(body)


def _written(draft: Draft, seq: int, at: Instant) -> bytes:
    """Give what `canon.encode` gives for the whole envelope."""
    d, body = draft, draft.body
    return _FORM % (
        canon.spelled(at),
        _part(d.auth),
        _body(body),
        _part(d.by),
        canon.encode(list(d.causes), around=1) if d.causes else b"[]",
        b"null" if d.request is None else canon.encode(d.request),
        _part(body.schema_number),
        seq,
        _part(body.type),
        _part(ENVELOPE_VERSION),
        _part(d.via),
    )


def _first_line(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        loc = [str(part) for part in first["loc"]]
        return f"{'.'.join(loc[1:] if loc[:1] == ['body'] else loc) or 'body'}: {first['msg']}"
    return str(error).partition("\n")[0]


__all__ = [
    "Auth", "Body", "Disclosable", "Draft", "Envelope", "Event", "Frozen", "Many", "Registry", "Signed",
    "SignedBody", "erasure_claim", "seal", "statement",
]  # fmt: skip
