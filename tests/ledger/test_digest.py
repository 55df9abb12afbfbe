"""The hashing: published BLAKE3 vectors for the library, the formulas of DESIGN section 5 for each use of it."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from blake3 import blake3

from ledger import digest
from ledger.digest import BLAKE3_TREE, SHA256_TREE, be64

PUBLISHED = json.loads((Path(__file__).parents[1] / "vectors/published/blake3_official_subset.json").read_bytes())
A, B = bytes(range(32)), bytes(range(32, 64))


def derive(context: str, *parts: bytes) -> bytes:
    return blake3(b"".join(parts), derive_key_context=f"tallystick 2026-11-30 {context} v1").digest()


@pytest.mark.parametrize("case", PUBLISHED["cases"], ids=lambda case: str(case["input_len"]))
def test_blake3_gives_the_published_values(case: dict[str, Any]) -> None:
    data = bytes(index % 251 for index in range(case["input_len"]))
    key = PUBLISHED["key"].encode()
    assert case["hash32"] == blake3(data).hexdigest()
    assert case["keyed_hash32"] == blake3(data, key=key).hexdigest()
    assert case["derive_key32"] == blake3(data, derive_key_context=PUBLISHED["context_string"]).hexdigest()


def test_be64_is_eight_bytes_big_endian() -> None:
    assert be64(258) == b"\0\0\0\0\0\0\x01\x02"


def test_a_leaf_commits_its_index() -> None:
    assert derive("event leaf", be64(7), b"entry") == BLAKE3_TREE.leaf(7, b"entry")


def test_a_node_commits_its_position() -> None:
    assert derive("mmr node", be64(7), A, B) == BLAKE3_TREE.node(7, A, B)


def test_a_root_commits_its_leaf_count() -> None:
    assert derive("mmr root", be64(3), A, B) == digest.root(3, [A, B])
    assert derive("mmr root", be64(0)) == digest.root(0, [])


def test_the_twin_hashes_as_rfc_6962() -> None:
    assert hashlib.sha256(b"\0entry").digest() == SHA256_TREE.leaf(7, b"entry")
    assert hashlib.sha256(b"\1" + A + B).digest() == SHA256_TREE.node(7, A, B)


def test_a_field_frames_salt_pointer_and_canonical_value() -> None:
    path = "/arguments/ä".encode()
    expected = derive("field", A, be64(len(path)), path, b'{"a":1,"b":null}')
    assert expected == digest.field(A, "/arguments/ä", {"b": None, "a": 1})


def test_a_field_refuses_a_salt_of_another_length() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        digest.field(A[:31], "/x", 1)


def test_bindings_and_documents_hash_whole_bytes() -> None:
    assert derive("binding", b"bytes") == digest.binding(b"bytes")
    assert derive("document", b"bytes") == digest.document(b"bytes")


def test_no_use_can_pass_for_another() -> None:
    """Each use has its own context, so equal input gives different digests."""
    data = be64(64) + A + B
    uses = [
        BLAKE3_TREE.leaf(64, A + B),
        BLAKE3_TREE.node(64, A, B),
        digest.root(64, [A, B]),
        digest.binding(data),
        digest.document(data),
        SHA256_TREE.leaf(64, A + B),
        SHA256_TREE.node(64, A, B),
    ]
    assert len(uses) == len(set(uses))


def test_keyed_numbers_depend_on_secret_use_and_data():
    number = digest.keyed_numbers(bytes(32), b"text")
    texts = [b"", b"a", b"b" * 200]
    numbers = [number(text) for text in texts]
    assert numbers == [digest.keyed_numbers(bytes(32), b"text")(text) for text in texts]
    others = [digest.keyed_numbers(b"\1" + bytes(31), b"text"), digest.keyed_numbers(bytes(32), b"place")]
    assert len({*numbers, *(other(text) for other in others for text in texts)}) == 9
    assert all(0 <= one < 2**120 for one in numbers)


def test_document_in_pieces_is_the_document():
    assert digest.document_of([b"a", b"", b"bc"]) == digest.document(b"abc")


def test_field_of_canonical_bytes_is_the_field():
    assert digest.field_of(bytes(32), "/a", b'{"b":1}') == digest.field(bytes(32), "/a", {"b": 1})
