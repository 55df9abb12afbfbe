"""The tree's own vectors: the maker makes them, the checker judges them, and a second implementation agrees."""

import json
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from ledger import canon, digest, mmr, rfc6962
from ledger.digest import BLAKE3_TREE, SHA256_TREE
from ledger.errors import ProofError
from ledger.proof import ConsistencyProof, InclusionProof, RangeProof, SetProof, TwinConsistency, TwinInclusion
from tools.dev.vectors.__main__ import FOLDER, files
from verify import inclusion, multiproof
from verify.errors import InclusionError

TESTS = Path(__file__).parents[1]
SPEC = TESTS.parent / "docs" / "spec" / "tree.md"
MANY = ("set", "range", "twin-set", "twin-range")
ACCEPTED = ("inclusion", "consistency", "twin-inclusion", "twin-consistency", *MANY)
ATTACKS = sorted(path.stem for path in FOLDER.glob("*.json") if path.stem not in {"roots", *ACCEPTED})


def load(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_bytes())


def many(case: dict[str, Any]) -> SetProof | RangeProof:
    kept = SetProof if case["check"].endswith("set") else RangeProof
    return kept.from_json(case["proof"])


def judge(case: dict[str, Any]) -> None:
    """Run one case through the parser and the checker."""
    read, proof = canon.from_base64url, case["proof"]
    match case["check"]:
        case "inclusion":
            parsed = InclusionProof.from_json(proof)
            inclusion.check_inclusion(read(case["root"]), parsed, read(case["entry"]))
        case "consistency":
            pair = ConsistencyProof.from_json(proof)
            inclusion.check_consistency(read(case["old_root"]), read(case["new_root"]), pair)
        case "twin-inclusion":
            twin = TwinInclusion.from_json(proof)
            leaf = SHA256_TREE.leaf(twin.index, read(case["entry"]))
            inclusion.check_twin_inclusion(read(case["root"]), twin, leaf, size=case["size"])
        case "twin-consistency":
            sizes = {name: case[name] for name in ("old_size", "new_size")}
            roots = read(case["old_root"]), read(case["new_root"])
            inclusion.check_twin_consistency(*roots, TwinConsistency.from_json(proof), **sizes)
        case "set" | "range":
            multiproof.check_many(read(case["root"]), many(case), map(read, case["entries"]))
        case "twin-set" | "twin-range":
            entries = map(read, case["entries"])
            multiproof.check_twin_many(read(case["root"]), many(case), entries, size=case["size"])
        case other:
            pytest.fail(f"no such check: {other}")


def test_the_committed_files_are_what_the_maker_makes() -> None:
    committed = {path.name: path.read_bytes() for path in FOLDER.glob("*.json")}
    assert files() == committed


def test_a_second_implementation_reproduces_every_value_and_verdict() -> None:
    oracle = runpy.run_path(str(TESTS / "vectors" / "tree_oracle.py"))
    count, wrong = oracle["complaints"]()
    assert wrong == []
    assert count >= len(ATTACKS) + 300


def test_the_second_implementation_can_fail() -> None:
    oracle = runpy.run_path(str(TESTS / "vectors" / "tree_oracle.py"))
    rows = load("roots")
    rows["roots"][9]["blake3"] = rows["roots"][8]["blake3"]
    assert oracle["roots_differ"](rows) == ["root of 9"]
    case = load("inclusion")["cases"][40]
    assert not oracle["refused"](case)
    assert oracle["refused"]({**case, "root": rows["roots"][0]["blake3"]})


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepts_every_honest_case(name: str) -> None:
    cases = load(name)["cases"]
    assert {(name, False)} == {(case["check"], case["wantErr"]) for case in cases}
    for case in cases:
        judge(case)


@pytest.mark.parametrize("name", ATTACKS)
def test_refuses_the_attack(name: str) -> None:
    case = load(name)
    assert case["wantErr"] is True
    with pytest.raises(ProofError if name.startswith("form-") else InclusionError):
        judge(case)


def test_the_document_s_example_is_true() -> None:
    """Every value of the worked example, computed again and found in the text."""
    text = SPEC.read_text()
    entries = [b'{"seq":%d}' % index for index in range(3)]
    own, twin = (
        [tree.leaf(index, entry) for index, entry in enumerate(entries)] for tree in (BLAKE3_TREE, SHA256_TREE)
    )
    nodes = [*own[:2], BLAKE3_TREE.node(2, own[0], own[1]), own[2]]
    twins = [*twin[:2], SHA256_TREE.node(2, twin[0], twin[1]), twin[2]]
    rows = [(f"node {at}", nodes[at], twins[at]) for at in range(4)]
    rows.append(("root", digest.root(3, nodes[2:]), rfc6962.root(twins[2:])))
    expected = [(name, one.hex(), other.hex()) for name, one, other in rows]
    assert expected == re.findall(
        r"^(node \d|root) +blake3 ([0-9a-f]{64})\n +sha256 ([0-9a-f]{64})$", text, re.MULTILINE
    )


def test_the_document_s_proofs_are_the_vectors() -> None:
    """Each proof printed in the text is a vector's, in its canonical bytes."""
    printed = re.findall(r'^\{"(?:index|new_size|first|hashes).*\}$', SPEC.read_text(), re.MULTILINE)
    vectors = {canon.encode(case["proof"]).decode() for name in ACCEPTED for case in load(name)["cases"]}
    assert len(printed) == len(set(printed)) == 6
    assert set(printed) <= vectors


def test_the_document_names_every_field_of_every_proof() -> None:
    text = SPEC.read_text()
    for name in ACCEPTED:
        for field in load(name)["cases"][0]["proof"]:
            assert f"`{field}`" in text
    assert mmr.size(3) == 4
