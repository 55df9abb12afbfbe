"""Events: one form, exact bytes, and statements that leave out nothing but the signature."""

from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import canon
from ledger.errors import EventError
from ledger.event import MAX_EVENT_BYTES, Body, Draft, Registry, Signed, SignedBody, seal
from ledger.instant import Instant

AT = Instant("2026-11-30T12:00:00.000000Z")


class Noted(Body):
    type: ClassVar[str] = "test.noted"

    text: str


class NotedAgain(Noted):
    schema_number: ClassVar[int] = 2

    more: int


class Act(SignedBody):
    type: ClassVar[str] = "test.act"
    attachments: ClassVar[frozenset[str]] = frozenset({"appendix"})

    zeta: str
    alpha: int
    appendix: str


TYPES = Registry(Noted, NotedAgain, Act)
EVENT = seal(Draft(Noted(text="x"), "agent:a", "os-uid", "service:s", "r-1", (0, 2)), 3, AT)


def test_event_has_this_form():
    assert EVENT.data == (
        b'{"at":"2026-11-30T12:00:00.000000Z","auth":"os-uid","body":{"text":"x"},"by":"agent:a","causes":[0,2],'
        b'"request":"r-1","schema":1,"seq":3,"type":"test.noted","v":1,"via":"service:s"}'
    )


def test_event_is_read_back_from_its_bytes():
    assert TYPES.parse(EVENT.data) == EVENT


def test_schema_number_chooses_the_schema():
    event = seal(Draft(NotedAgain(text="x", more=1), "a", "ledger"), 0, AT)
    assert isinstance(TYPES.parse(event.data).body, NotedAgain)


@pytest.mark.parametrize("key", sorted(canon.decode_object(EVENT.data)))
def test_event_without_one_of_its_keys_is_refused(key):
    envelope = canon.decode_object(EVENT.data)
    del envelope[key]
    with pytest.raises(EventError):
        TYPES.parse(canon.encode(envelope))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("v", 2),
        ("v", True),
        ("seq", -1),
        ("seq", "3"),
        ("at", "2026-11-30T12:00:00Z"),
        ("type", "test.unknown"),
        ("schema", 3),
        ("schema", 0),
        ("by", None),
        ("auth", "trusted"),
        ("auth", None),
        ("via", 1),
        ("request", 1),
        ("causes", None),
        ("causes", ["0"]),
        ("body", None),
        ("body", {}),
        ("body", {"text": 1}),
        ("body", {"text": "x", "more": 1}),
        ("extra", 1),
    ],
)
def test_event_with_a_wrong_value_is_refused(key, value):
    envelope = canon.decode_object(EVENT.data)
    envelope[key] = value
    with pytest.raises(EventError):
        TYPES.parse(canon.encode(envelope))


@given(st.binary(max_size=300))
def test_only_our_error_escapes_from_any_bytes(data):
    with pytest.raises(EventError):
        TYPES.parse(data)


@given(st.integers(0, len(EVENT.data) - 1), st.integers(0, 255))
def test_changed_byte_never_escapes_as_another_error(index, byte):
    data = EVENT.data[:index] + bytes([byte]) + EVENT.data[index + 1 :]
    try:
        TYPES.parse(data)
    except EventError:
        return


@pytest.mark.parametrize("causes", [(3,), (4,), (-1,)])
def test_only_earlier_events_are_causes(causes):
    with pytest.raises(EventError, match="earlier"):
        seal(Draft(Noted(text="x"), "a", "ledger", causes=causes), 3, AT)


@pytest.mark.parametrize("text", ["x" * MAX_EVENT_BYTES, "\ud800"])
def test_what_can_not_be_written_is_refused(text):
    with pytest.raises(EventError):
        seal(Draft(Noted.model_construct(text=text), "a", "ledger"), 0, AT)


def test_type_is_registered_once():
    with pytest.raises(EventError, match="twice"):
        Registry(Noted, Noted)


def act(**changes):
    fields = {"zeta": "z", "alpha": 1, "appendix": "long", "origin": "o", "log_size": 5}
    return Act(**{**fields, **changes}, signed=Signed(key="SHA256:k", armour="s"))


def test_statement_is_a_title_and_every_field_sorted_by_name():
    assert act().statement() == b'tallystick test.act v1\nalpha: 1\nlog_size: 5\norigin: "o"\nzeta: "z"\n'


@pytest.mark.parametrize("change", [{"zeta": "y"}, {"alpha": 2}, {"origin": "p"}, {"log_size": 6}])
def test_statement_changes_with_every_field(change):
    assert act(**change).statement() != act().statement()


def test_statement_can_not_be_continued_by_a_value():
    assert act(zeta='z"\nalpha: 9\n').statement().count(b"\n") == act().statement().count(b"\n")


def test_signed_body_claims_its_statement():
    event = seal(Draft(act(), "human:a", "signature"), 5, AT)
    (claim,) = event.claims()
    assert claim.startswith("statement:")
    assert set(seal(Draft(act(alpha=2), "human:a", "signature"), 5, AT).claims()).isdisjoint({claim})


def test_namespace_is_the_noun_of_the_type():
    assert Act.namespace() == "tallystick-test@v1"


def test_tags_hold_the_actor():
    assert EVENT.tags() == ("actor:agent:a",)


texts = st.text(st.characters(codec="utf-8"), max_size=8)


@given(
    seq=st.integers(0, 2**53 - 1),
    by=texts,
    via=st.none() | texts,
    request=st.none() | texts,
    causes=st.lists(st.integers(0, 2**53 - 1), max_size=3),
    text=texts,
)
def test_envelope_is_written_in_canonical_bytes(seq, by, via, request, causes, text):
    """The form that it is written by gives what the whole object has as its canonical bytes."""
    draft = Draft(Noted(text=text), by, "claimed", via, request, tuple(cause % (seq or 1) for cause in causes if seq))
    event = seal(draft, seq, AT)
    assert event.data == canon.encode(
        {
            "v": 1,
            "seq": seq,
            "at": AT,
            "type": "test.noted",
            "schema": 1,
            "by": by,
            "auth": "claimed",
            "via": via,
            "request": request,
            "causes": list(event.causes),
            "body": {"text": text},
        }
    )
    assert canon.encode(canon.decode(event.data)) == event.data


class Deep(Body):
    type: ClassVar[str] = "test.deep"

    inner: object


@pytest.mark.parametrize(("levels", "fits"), [(canon.MAX_DEPTH - 2, True), (canon.MAX_DEPTH - 1, False)])
def test_what_can_not_be_read_back_is_not_written(levels, fits):
    """The envelope is a level of its own, whatever is written by itself."""
    inner: object = 1
    for _ in range(levels):
        inner = [inner]
    draft = Draft(Deep(inner=inner), "agent:one", "claimed")
    if fits:
        assert Registry(Deep).parse(seal(draft, 0, AT).data).body == draft.body
    else:
        with pytest.raises(EventError, match="nested deeper"):
            seal(draft, 0, AT)
