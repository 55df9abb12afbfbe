"""The bytes of a bundle: one spelling, nothing beside it, and only our errors for whatever else comes in."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import canon
from verify.bundle import NEEDED, parse_bundle
from verify.bundle.form import FORMAT, VERSION
from verify.bundle.parts import MAX_EVENTS
from verify.check import check_bundle
from verify.errors import BundleFormError, NotABundleError


@pytest.fixture
def data(golden) -> bytes:
    return golden("allow-by-rule.bundle")


def edited(data, change):
    value = canon.decode(data[:-1])
    change(value)
    return canon.encode(value) + b"\n"


def test_bundle_that_was_read_has_the_same_bytes(golden):
    for name in ("allow-by-rule", "allow-by-consent-disclosed", "trust-floor"):
        data = golden(f"{name}.bundle")
        assert parse_bundle(data).to_bytes() == data


def test_event_keeps_its_exact_bytes(case):
    seq = case.told["allow-by-rule"]
    bundle = parse_bundle(case.stage.bundle(seq))
    assert all(event.data == case.stage.log.event_bytes(event.seq) for event in bundle.events)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n",
        b"{}",
        b"[]",
        b"null\n",
        b"\xff\xfe",
        b'{"format":"other"}\n',
        b"not json",
        b"[" * 100_000,
        b"\0" * 50,
    ],
)
def test_what_is_no_bundle_is_said_to_be_none(text):
    with pytest.raises(NotABundleError, match="no evidence bundle"):
        parse_bundle(text)


def test_part_of_a_bundle_is_said_to_be_cut_off(data):
    for end in (60, 3000, len(data) - 2):
        with pytest.raises(NotABundleError, match="cut off"):
            parse_bundle(data[:end])


def test_file_beyond_the_bound_is_refused_unread():
    with pytest.raises(NotABundleError, match="at most"):
        parse_bundle(b" " * (64 * 1024 * 1024 + 1))


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data[:-1],
        lambda data: json.dumps(json.loads(data)).encode() + b"\n",
        lambda data: data.replace(b'"v":1}', b'"v": 1}'),
        lambda data: data + b"\n",
    ],
)
def test_other_spelling_of_a_bundle_is_refused(data, change):
    with pytest.raises(BundleFormError):
        parse_bundle(change(data))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda b: b.update(more=1), "exactly the fields"),
        (lambda b: b.pop("disclosures"), "exactly the fields"),
        (lambda b: b.update(v=2), "exactly the fields"),
        (lambda b: b.update(v=3), "another version"),
        (lambda b: b.update(v=[1]), "another version"),
        (lambda b: b.update(v=True), "another version"),
        (lambda b: b.pop("v"), "another version"),
        (lambda b: b.update(decision=True), "named by a number"),
        (lambda b: b.update(decision=-1), "named by a number"),
        (lambda b: b.update(checkpoint=None), "is a text"),
        (lambda b: b.update(checkpoint="x" * 300_000), "a checkpoint has at most"),
        (lambda b: b.update(events={}), "a list"),
        (lambda b: b.update(events=[0] * (MAX_EVENTS + 1)), "at most"),
        (lambda b: b["events"].append(1), "is a JSON object"),
        (lambda b: b["events"].reverse(), "sorted by seq"),
        (lambda b: b["events"].append(b["events"][-1]), "each stands once"),
        (lambda b: b["events"][0].update(event="x" * 2_200_000), "an event has at most"),
        (lambda b: b["events"][0].update(event=7), "is a text"),
        (lambda b: b["events"][0].update(note="x"), "exactly the fields"),
        (lambda b: b["events"][0]["blake3"].pop("peaks"), "a proof of this kind"),
        (lambda b: b["events"][0]["sha256"].update(path=["A"]), "a hash"),
        (lambda b: b["disclosures"].append({"seq": 1, "path": "/x", "salt": "AA", "value": 1}), "32 bytes"),
        (lambda b: b["disclosures"].append({"seq": 1, "path": "/x", "salt": "A", "value": 1}), "base64url"),
        (lambda b: b["disclosures"].append({"seq": 1, "path": "/x", "value": 1}), "exactly the fields"),
        (
            lambda b: b["disclosures"].extend(2 * [{"seq": 1, "path": "/x", "salt": "A" * 43, "value": 1}]),
            "each stands once",
        ),
    ],
)
def test_bundle_that_breaks_its_form_is_refused(data, change, why):
    with pytest.raises(BundleFormError, match=why):
        parse_bundle(edited(data, change))


def test_form_that_is_broken_fails_the_check_and_leaves_the_rest_unchecked(data, case):
    report = check_bundle(edited(data, lambda b: b.update(more=1)), case.stage.policy())
    assert report.failed == ("structure",)
    assert len(report.unchecked) == len(report.lines) - 1


@given(st.binary(max_size=200))
def test_only_our_errors_escape_from_bytes(data):
    try:
        parse_bundle(data)
    except (NotABundleError, BundleFormError):
        return
    raise AssertionError(data)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 2**53) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["seq", "event", "blake3"]), inner),
    max_leaves=8,
)
KEYS = ("checkpoint", "decision", "disclosures", "events")


@given(st.fixed_dictionaries(dict.fromkeys(KEYS, JSON)))
def test_only_our_errors_escape_from_fields(fields):
    try:
        data = canon.encode({**fields, "format": FORMAT, "v": VERSION}) + b"\n"
    except canon.CanonError:
        return
    try:
        bundle = parse_bundle(data)
    except BundleFormError:
        return
    assert bundle.to_bytes() == data


@given(st.data())
def test_check_of_any_change_to_a_bundle_ends_in_a_report_that_fails(case, data):
    """Put any JSON in any place of a right bundle: there is a report, and it does not verify."""
    value = canon.decode(case.made("allow-by-consent", NEEDED).to_bytes()[:-1])
    place, trail = value, []
    while isinstance(place, dict | list) and place and (not trail or data.draw(st.booleans())):
        index = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        trail.append((place, index))
        place = place[index]
    holder, index = trail[-1]
    holder[index] = data.draw(JSON.filter(lambda new: new != place))
    try:
        encoded = canon.encode(value) + b"\n"
    except canon.CanonError:
        return
    try:
        assert not check_bundle(encoded, case.stage.policy()).verified
    except NotABundleError:
        assert canon.decode_object(encoded[:-1])["format"] != FORMAT


def test_events_are_not_believed_to_be_in_the_place_that_is_written_beside_them(case):
    bundle = case.made("allow-by-rule")
    first, second, *rest = bundle.events
    swapped = replace(bundle, events=(replace(first, data=second.data), replace(second, data=first.data), *rest))
    assert {"events", "structure"} <= set(case.check(swapped).failed)
