"""Proofs as JSON: one form each way, and nothing but ProofError for anything else."""

from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import canon
from ledger.errors import ProofError
from ledger.proof import (
    MAX_HASHES,
    MAX_SET,
    ConsistencyProof,
    InclusionProof,
    RangeProof,
    SetProof,
    TwinConsistency,
    TwinInclusion,
)

A, B, C = (bytes([letter]) * 32 for letter in b"ABC")
PROOFS = [
    InclusionProof(11, 5, (A, B, C), (B, A)),
    ConsistencyProof(6, 11, (A, B), ((C,), (A, B)), (B, C)),
    TwinInclusion(11, 5, (A, B, C, A)),
    TwinConsistency(6, 11, (A, B, C, A)),
    SetProof(11, (1, 5), (A, B)),
    RangeProof(11, 3, 6, (A, B), (C,)),
]
MOST = {"hashes": MAX_HASHES * MAX_SET, "indexes": MAX_SET, "right": 2 * MAX_HASHES}
KINDS = pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: type(proof).__name__)


@KINDS
def test_reads_back_what_it_writes(proof: Any) -> None:
    data = canon.encode(proof.to_json())
    assert proof == type(proof).from_json(canon.decode(data))


@KINDS
def test_has_exactly_the_fields_of_its_kind(proof: Any) -> None:
    value = proof.to_json()
    assert {"v", *(field.name for field in fields(proof))} == set(value)
    for name in value:
        with pytest.raises(ProofError, match="exactly the fields"):
            type(proof).from_json({key: inner for key, inner in value.items() if key != name})
    with pytest.raises(ProofError, match="exactly the fields"):
        type(proof).from_json({**value, "note": None})
    for other in PROOFS:
        if type(other) is not type(proof):
            with pytest.raises(ProofError, match="exactly the fields"):
                type(other).from_json(value)


@KINDS
@pytest.mark.parametrize("version", [0, 2, True, "1", None, 1.0])
def test_refuses_another_version(proof: Any, version: object) -> None:
    with pytest.raises(ProofError, match="version"):
        type(proof).from_json({**proof.to_json(), "v": version})


@KINDS
@pytest.mark.parametrize("number", [-1, 2**53, True, "5", None, 5.0])
def test_refuses_numbers_that_are_no_counts(proof: Any, number: object) -> None:
    value = proof.to_json()
    for name in [name for name in value if name.endswith(("size", "index", "first", "last"))]:
        with pytest.raises(ProofError, match="integer"):
            type(proof).from_json({**value, name: number})


@KINDS
@pytest.mark.parametrize(
    "item",
    [
        None,
        7,
        ["A"],
        "",
        canon.to_base64url(A[:31]),
        canon.to_base64url(A + b"A"),
        canon.to_base64url(A) + "=",
        canon.to_base64url(A)[:-1] + "F",
        canon.to_base64url(b"\xff" * 32).replace("_", "/"),
        A.hex(),
        "é" * 43,
    ],
)
def test_refuses_what_is_no_hash(proof: Any, item: object) -> None:
    value = proof.to_json()
    for name in [name for name, inner in value.items() if isinstance(inner, list)]:
        if name == "indexes" and item == 7:
            continue
        bad = [[item]] if name == "paths" else [item]
        with pytest.raises(ProofError):
            type(proof).from_json({**value, name: bad})


@KINDS
def test_refuses_lists_beyond_any_size(proof: Any) -> None:
    value, digest = proof.to_json(), canon.to_base64url(A)
    for name in [name for name, inner in value.items() if isinstance(inner, list)]:
        item = {"paths": [], "indexes": 7}.get(name, digest)
        most = MOST.get(name, MAX_HASHES)
        type(proof).from_json({**value, name: [item] * most})
        with pytest.raises(ProofError, match="at most"):
            type(proof).from_json({**value, name: [item] * (most + 1)})
        with pytest.raises(ProofError):
            type(proof).from_json({**value, name: {}})


@pytest.mark.parametrize("index", [-1, 2**53, True, "5", None, 5.0])
def test_refuses_indexes_that_are_no_counts(index: object) -> None:
    with pytest.raises(ProofError, match="integer"):
        SetProof.from_json({**SetProof(11, (1,), ()).to_json(), "indexes": [index]})


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=50)
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3))


@given(JSON, st.data())
def test_only_proof_errors_escape(value: Any, data: st.DataObject) -> None:
    proof = data.draw(st.sampled_from(PROOFS))
    name = data.draw(st.sampled_from(sorted(proof.to_json())))
    for candidate in (value, {**proof.to_json(), name: value}):
        try:
            type(proof).from_json(candidate)
        except ProofError:
            continue
        assert candidate["v"] == 1
