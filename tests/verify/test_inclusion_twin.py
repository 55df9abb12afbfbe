"""The checker of the RFC 6962 twin: published probes, and every proof near an honest one."""

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import mmr, rfc6962
from ledger.digest import SHA256_TREE
from ledger.proof import TwinConsistency, TwinInclusion
from verify import inclusion
from verify.errors import InclusionError

PROBES = json.loads((Path(__file__).parents[1] / "vectors/published/rfc6962_proof_probes.json").read_bytes())["probes"]
LEAVES, PAIRS, STRAY = 130, 66, bytes(range(32))


class Tree:
    """A twin tree in memory."""

    def __init__(self) -> None:
        self.nodes: list[bytes] = []
        self.peaks: list[list[bytes]] = [[]]
        self.leaves = [SHA256_TREE.leaf(index, b"entry %d" % index) for index in range(LEAVES)]
        for index, leaf in enumerate(self.leaves):
            new, peaks = mmr.append(SHA256_TREE, index, leaf, self.peaks[-1])
            self.nodes += [value for _, value in new]
            self.peaks.append(peaks)
        self.roots = [rfc6962.root(peaks) for peaks in self.peaks]

    def read(self, positions: Sequence[int]) -> list[bytes]:
        return [self.nodes[position] for position in positions]


TREE = Tree()
HASHES = tuple[bytes, ...]


def changes(path: HASHES) -> Iterator[HASHES]:
    """One bit of each hash flipped; an element added or missing, at both ends."""
    for at, value in enumerate(path):
        flipped = value[:at] + bytes([value[at] ^ 1 << at % 8]) + value[at + 1 :]
        yield (*path[:at], flipped, *path[at + 1 :])
    extra = path[0] if path else STRAY
    yield (extra, *path)
    yield (*path, extra)
    if path:
        yield path[1:]
        yield path[:-1]


def refuses(check: Callable[..., object], *arguments: object, **sizes: int) -> None:
    with pytest.raises(InclusionError):
        check(*arguments, **sizes)


def decoded(texts: list[str] | None) -> HASHES:
    return tuple(base64.b64decode(text) for text in texts or ())


@pytest.mark.parametrize("case", PROBES["inclusion"], ids=lambda case: case["file"])
def test_published_inclusion_probe(case: dict[str, Any]) -> None:
    proof = TwinInclusion(case["treeSize"], case["leafIdx"], decoded(case["proof"]))
    root, leaf = decoded([case["root"], case["leafHash"]])
    if case["wantErr"]:
        refuses(inclusion.check_twin_inclusion, root, proof, leaf, size=case["treeSize"])
    else:
        inclusion.check_twin_inclusion(root, proof, leaf, size=case["treeSize"])


@pytest.mark.parametrize("case", PROBES["consistency"], ids=lambda case: case["file"])
def test_published_consistency_probe(case: dict[str, Any]) -> None:
    sizes = {"old_size": case["size1"], "new_size": case["size2"]}
    proof = TwinConsistency(*sizes.values(), decoded(case["proof"]))
    roots = decoded([case["root1"], case["root2"]])
    if case["wantErr"]:
        refuses(inclusion.check_twin_consistency, *roots, proof, **sizes)
    else:
        inclusion.check_twin_consistency(*roots, proof, **sizes)


@pytest.mark.parametrize("size", range(LEAVES + 1))
def test_accepts_each_leaf_and_nothing_near_it(size: int) -> None:
    root, check = TREE.roots[size], inclusion.check_twin_inclusion
    for index in range(size):
        proof, leaf = rfc6962.prove_inclusion(TREE, index, size), TREE.leaves[index]
        check(root, proof, leaf, size=size)
        for path in changes(proof.path):
            refuses(check, root, replace(proof, path=path), leaf, size=size)
        for other in {index - 1, index + 1, index ^ 1, size, -1, 2**64 - 1} - {index}:
            refuses(check, root, replace(proof, index=other), leaf, size=size)
        for other in {size - 1, size + 1, 2 * size, 0, -1, 2**53} - {size}:
            refuses(check, root, replace(proof, size=other), leaf, size=size)
            refuses(check, root, proof, leaf, size=other)
            if 0 <= other <= LEAVES:
                refuses(check, TREE.roots[other], replace(proof, size=other), leaf, size=other)
    refuses(check, root, TwinInclusion(size, size, ()), root, size=size)


def test_only_the_signed_size_tells_some_sizes_apart() -> None:
    """Why the size is asked for: an RFC 6962 root does not commit it."""
    proof = rfc6962.prove_inclusion(TREE, 0, 5)
    claimed = replace(proof, size=6)
    inclusion.check_twin_inclusion(TREE.roots[5], claimed, TREE.leaves[0], size=6)
    refuses(inclusion.check_twin_inclusion, TREE.roots[5], claimed, TREE.leaves[0], size=5)


@pytest.mark.parametrize("new", range(1, PAIRS + 1))
def test_accepts_each_pair_and_nothing_near_it(new: int) -> None:
    check = inclusion.check_twin_consistency
    for old in range(1, new + 1):
        proof, roots = rfc6962.prove_consistency(TREE, old, new), (TREE.roots[old], TREE.roots[new])
        sizes = {"old_size": old, "new_size": new}
        check(*roots, proof, **sizes)
        for path in changes(proof.path):
            refuses(check, *roots, replace(proof, path=path), **sizes)
        for name in ("old_size", "new_size"):
            for other in {sizes[name] - 1, sizes[name] + 1, 2 * sizes[name], 0, -1, 2**53}:
                if other != sizes[name]:
                    refuses(check, *roots, replace(proof, **{name: other}), **sizes)
                    refuses(check, *roots, proof, **{**sizes, name: other})
        if old != new:
            refuses(check, *roots[::-1], proof, **sizes)
        refuses(check, STRAY, roots[1], proof, **sizes)
        refuses(check, roots[0], STRAY, proof, **sizes)


def test_refuses_hashes_of_another_length() -> None:
    """31 and 33 bytes hash like 32 and 32."""
    leaf, root, size = TREE.leaves[1], TREE.roots[2], {"size": 2}
    joined = TREE.leaves[0] + leaf
    moved = TwinInclusion(2, 1, (joined[:31],))
    assert root == SHA256_TREE.node(0, moved.path[0], joined[31:])
    refuses(inclusion.check_twin_inclusion, root, moved, joined[31:], **size)
    sizes = {"old_size": 3, "new_size": 5}
    proof = rfc6962.prove_consistency(TREE, 3, 5)
    for at in range(len(proof.path)):
        short = (*proof.path[:at], proof.path[at][:31], *proof.path[at + 1 :])
        with pytest.raises(InclusionError, match="32 bytes"):
            inclusion.check_twin_consistency(*TREE.roots[3:6:2], replace(proof, path=short), **sizes)
    same = TwinConsistency(3, 3, ())
    refuses(inclusion.check_twin_consistency, STRAY[:31], STRAY[:31], same, old_size=3, new_size=3)


@given(st.integers(1, 2**53 - 1), st.data())
def test_large_trees_have_paths_of_the_prover_s_length(size: int, data: st.DataObject) -> None:
    """The two ways of counting agree far beyond what can be built: only the root differs."""
    index, old = data.draw(st.integers(0, size - 1)), data.draw(st.integers(1, size))

    class Strays:
        def read(self, positions: Sequence[int]) -> list[bytes]:
            return [STRAY for _ in positions]

    proof = rfc6962.prove_inclusion(Strays(), index, size)
    consistency = rfc6962.prove_consistency(Strays(), old, size)
    with pytest.raises(InclusionError, match="leads to the root"):
        inclusion.check_twin_inclusion(bytes(32), proof, STRAY, size=size)
    with pytest.raises(InclusionError, match="leads to the"):
        inclusion.check_twin_consistency(bytes(32), STRAY, consistency, old_size=old, new_size=size)


HASH = st.binary(min_size=31, max_size=33)
LIST = st.lists(HASH, max_size=5).map(tuple)
NUMBER = st.integers(-2, 12) | st.integers()


@given(st.builds(TwinInclusion, NUMBER, NUMBER, LIST), HASH)
def test_only_inclusion_errors_escape(proof: Any, value: Any) -> None:
    with pytest.raises(InclusionError):
        inclusion.check_twin_inclusion(b"", proof, value, size=proof.size)


@given(st.builds(TwinConsistency, NUMBER, NUMBER, LIST), HASH)
def test_only_inclusion_errors_escape_consistency(proof: Any, old: int) -> None:
    with pytest.raises(InclusionError):
        inclusion.check_twin_consistency(old, b"", proof, old_size=proof.old_size, new_size=proof.new_size)
