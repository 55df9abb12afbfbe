"""Whatever stands in the files of an export, reading them gives a value or one of our errors."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import canon
from ledger.errors import CanonError
from verify.errors import ExportFormError, NotAnExportError
from verify.export.form import CHUNK, FileEntry, Index, file_name, parse_index
from verify.export.lines import CheckpointLine, OpeningLine

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(
    st.sampled_from(
        ["path", "salt", "seq", "value", "cosignatures", "note", "size", "timestamps", "chunk", "files", "format", "v"]
    ),
    JSON,
)


@given(st.binary(max_size=60) | OBJECTS.map(lambda value: json.dumps(value, separators=(",", ":")).encode()))
def test_no_bytes_break_the_parsers(data):
    for parse in (OpeningLine.parse, CheckpointLine.parse):
        with pytest.raises(ExportFormError):
            parse(data)
    with pytest.raises((ExportFormError, NotAnExportError)):
        parse_index(data)
    with pytest.raises((ExportFormError, NotAnExportError)):
        parse_index(data + b"\n")


@given(st.integers(0, 2**53 - 1), TEXT, st.binary(min_size=32, max_size=32), JSON)
def test_openings_are_read_as_they_are_written(seq, path, salt, value):
    try:
        data = canon.encode(value)
    except CanonError:
        return
    line = OpeningLine(seq, path, salt, data)
    assert OpeningLine.parse(line.to_bytes()[:-1]) == line
    assert line.opening().value == value


@given(st.integers(0, 2**53 - 1), TEXT, st.dictionaries(TEXT, TEXT), st.dictionaries(TEXT, st.binary(max_size=9)))
def test_checkpoints_are_read_as_they_are_written(size, note, cosignatures, timestamps):
    line = CheckpointLine(size, note.encode(), tuple(sorted(cosignatures.items())), tuple(sorted(timestamps.items())))
    assert CheckpointLine.parse(line.to_bytes()[:-1]) == line
    assert line.whole_note() == note.encode() + "".join(cosignatures[name] for name in sorted(cosignatures)).encode()


@pytest.mark.parametrize("count", [1, 2])
def test_lists_that_are_not_sorted_or_hold_a_key_twice_are_refused(count):
    for wrong in ((("b", "x"), ("a", "y")), (("a", "x"), ("a", "x"))):
        line = CheckpointLine(
            1, b"n", wrong if count == 1 else (), () if count == 1 else tuple((k, b"") for k, _ in wrong)
        )
        with pytest.raises(ExportFormError, match="are sorted, and each stands once"):
            CheckpointLine.parse(line.to_bytes()[:-1])


@given(st.integers(1, 70_000), st.sampled_from([16, 64, 4096, CHUNK]), st.booleans())
def test_index_is_read_as_it_is_written(size, chunk, openings):
    bare = Index("o", size, bytes(32), b"\xff" * 32, openings, (), chunk)
    if bare.chunks > 200:
        return
    names = sorted([*bare.expected_names(), "policy"])
    files = tuple(FileEntry(name, 64, "0" * 64) for name in names)
    index = Index("o", size, bytes(32), b"\xff" * 32, openings, files, chunk)
    assert parse_index(index.to_bytes()) == index
    assert [index.bounds(number) for number in range(index.chunks)][-1][1] == size
    assert sum(stop - first for first, stop in map(index.bounds, range(index.chunks))) == size
    assert (file_name("openings", 0) in names) is openings
