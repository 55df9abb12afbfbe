"""What a right implementation computes and accepts: nodes, roots, inclusion and consistency in both trees.

Entry i of every tree is the text ``{"seq":i}``. Hashes are base64url without padding, as on the wire.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from ledger import digest, mmr, rfc6962
from ledger.canon import Json, to_base64url
from ledger.digest import BLAKE3_TREE, SHA256_TREE, TreeHasher

ROOTS = 67
NODES = 16
INCLUSION_SIZES = (1, 2, 3, 4, 7, 8, 11, 16, 21)
CONSISTENCY_SIZES = (1, 2, 3, 4, 6, 7, 8, 11, 15, 16, 21)

Case = dict[str, Json]


def entry(index: int) -> bytes:
    """Give entry ``index`` of every tree here."""
    return b'{"seq":%d}' % index


@dataclass(slots=True)
class Tree:
    """A tree in memory: all its nodes, and its peaks at each size."""

    hasher: TreeHasher
    nodes: list[bytes] = field(default_factory=list)
    peaks: list[list[bytes]] = field(default_factory=lambda: [[]])

    def append(self, data: bytes) -> None:
        """Add one entry."""
        index = len(self.peaks) - 1
        nodes, peaks = mmr.append(self.hasher, index, self.hasher.leaf(index, data), self.peaks[-1])
        self.nodes += [value for _, value in nodes]
        self.peaks.append(peaks)

    def read(self, positions: Sequence[int]) -> list[bytes]:
        """Serve the prover."""
        return [self.nodes[position] for position in positions]


def grow(hasher: TreeHasher, entries: Sequence[bytes]) -> Tree:
    """Make a tree of these entries."""
    tree = Tree(hasher)
    for data in entries:
        tree.append(data)
    return tree


BLAKE3 = grow(BLAKE3_TREE, [entry(index) for index in range(ROOTS)])
SHA256 = grow(SHA256_TREE, [entry(index) for index in range(ROOTS)])


def root(size: int) -> str:
    """Spell the BLAKE3 root at a size."""
    return to_base64url(digest.root(size, BLAKE3.peaks[size]))


def twin_root(size: int) -> str:
    """Spell the RFC 6962 root at a size."""
    return to_base64url(rfc6962.root(SHA256.peaks[size]))


def inclusion(index: int, size: int) -> Case:
    """Make an honest inclusion case."""
    return {
        "check": "inclusion",
        "desc": f"leaf {index} of {size}",
        "root": root(size),
        "entry": to_base64url(entry(index)),
        "proof": mmr.prove_inclusion(BLAKE3, index, size).to_json(),
        "wantErr": False,
    }


def consistency(old: int, new: int) -> Case:
    """Make an honest consistency case."""
    return {
        "check": "consistency",
        "desc": f"from {old} to {new}",
        "old_root": root(old),
        "new_root": root(new),
        "proof": mmr.prove_consistency(BLAKE3, old, new).to_json(),
        "wantErr": False,
    }


def twin_inclusion(index: int, size: int) -> Case:
    """Make an honest inclusion case of the twin: the size is the one signed with the root."""
    return {
        "check": "twin-inclusion",
        "desc": f"leaf {index} of {size}",
        "size": size,
        "root": twin_root(size),
        "entry": to_base64url(entry(index)),
        "proof": rfc6962.prove_inclusion(SHA256, index, size).to_json(),
        "wantErr": False,
    }


def twin_consistency(old: int, new: int) -> Case:
    """Make an honest consistency case of the twin: the sizes are those signed with the roots."""
    return {
        "check": "twin-consistency",
        "desc": f"from {old} to {new}",
        "old_size": old,
        "new_size": new,
        "old_root": twin_root(old),
        "new_root": twin_root(new),
        "proof": rfc6962.prove_consistency(SHA256, old, new).to_json(),
        "wantErr": False,
    }


def spell(value: Json) -> bytes:
    """Print a vector file."""
    return json.dumps(value, indent=1, sort_keys=True).encode() + b"\n"


def files() -> dict[str, bytes]:
    """Make the files of accepted values."""
    leaves = [(index, size) for size in INCLUSION_SIZES for index in range(size)]
    pairs = [(old, new) for new in CONSISTENCY_SIZES for old in CONSISTENCY_SIZES if old <= new]
    return {
        "roots.json": spell(_roots()),
        "inclusion.json": spell({"cases": [inclusion(*leaf) for leaf in leaves]}),
        "consistency.json": spell({"cases": [consistency(*pair) for pair in pairs]}),
        "twin-inclusion.json": spell({"cases": [twin_inclusion(*leaf) for leaf in leaves]}),
        "twin-consistency.json": spell({"cases": [twin_consistency(*pair) for pair in pairs]}),
    }


def _roots() -> Json:
    nodes: list[Json] = [
        {"position": position, "blake3": to_base64url(BLAKE3.nodes[position]), "sha256": to_base64url(twin)}
        for position, twin in enumerate(SHA256.nodes[: mmr.size(NODES)])
    ]
    roots: list[Json] = [
        {
            "size": size,
            "peaks": list(mmr.peak_positions(size)),
            "blake3": root(size),
            "sha256": twin_root(size),
        }
        for size in range(ROOTS)
    ]
    return {"entry": 'the text {"seq":i} for leaf i', "nodes": nodes, "roots": roots}
