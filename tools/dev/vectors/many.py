"""Proofs of many leaves: what a right implementation accepts, and the attacks that it refuses.

Honest cases: every set of up to six leaves, every range of some sizes, in both trees. Attacks start from the leaves
1, 5 and 6 of 11, or from those from 3 to 6, and change one thing.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from ledger.canon import Json, to_base64url
from ledger.multiproof import prove_range, prove_set
from ledger.proof import RangeProof, SetProof
from tools.dev.vectors.tree import BLAKE3, SHA256, Case, entry, root, spell, twin_root

SMALL = range(1, 7)
RANGE_SIZES = (1, 2, 3, 7, 8, 11)
LEAVES, FIRST, LAST, SIZE = (1, 5, 6), 3, 6, 11
STRAY = bytes(range(32))

Attack = tuple[str, str, Case]


def case(check: str, indexes: Iterable[int], size: int, proof: SetProof | RangeProof) -> Case:
    """Make an honest case: for the twin, the size is the one signed with the root."""
    twin = check.startswith("twin")
    entries: list[Json] = [to_base64url(entry(index)) for index in indexes]
    made: Case = {"check": check, "entries": entries, "proof": proof.to_json(), "wantErr": False}
    return {**made, **({"root": twin_root(size), "size": size} if twin else {"root": root(size)})}


def leaf_set(indexes: Sequence[int], size: int) -> Case:
    """Make an honest case of a set."""
    desc = f"leaves {', '.join(map(str, indexes))} of {size}"
    return {**case("set", indexes, size, prove_set(BLAKE3, indexes, size)), "desc": desc}


def leaf_range(first: int, last: int, size: int) -> Case:
    """Make an honest case of a range."""
    desc = f"leaves {first} to {last} of {size}"
    return {**case("range", range(first, last + 1), size, prove_range(BLAKE3, first, last, size)), "desc": desc}


def twin_set(indexes: Sequence[int], size: int) -> Case:
    """Make an honest case of a set in the twin."""
    proof = prove_set(SHA256, indexes, size)
    return {**leaf_set(indexes, size), **case("twin-set", indexes, size, proof)}


def twin_range(first: int, last: int, size: int) -> Case:
    """Make an honest case of a range in the twin."""
    proof = prove_range(SHA256, first, last, size)
    return {**leaf_range(first, last, size), **case("twin-range", range(first, last + 1), size, proof)}


def files() -> dict[str, bytes]:
    """Make the files of accepted cases, and one file for each attack."""
    sets = [
        (chosen, size) for size in SMALL for count in range(1, size + 1) for chosen in combinations(range(size), count)
    ]
    ranges = [(first, last, size) for size in RANGE_SIZES for first in range(size) for last in range(first, size)]
    made = {
        "set.json": spell({"cases": [leaf_set(*one) for one in sets]}),
        "range.json": spell({"cases": [leaf_range(*one) for one in ranges]}),
        "twin-set.json": spell({"cases": [twin_set(*one) for one in sets]}),
        "twin-range.json": spell({"cases": [twin_range(*one) for one in ranges]}),
    }
    for name, desc, changed in (*_set(), *_range(), *_twin(), *_form()):
        if f"{name}.json" in made:
            raise AssertionError(f"two attacks are called {name}")
        made[f"{name}.json"] = spell({**changed, "desc": desc, "wantErr": True})
    return made


def _flipped(hashes: tuple[bytes, ...], at: int) -> tuple[bytes, ...]:
    return (*hashes[:at], bytes([hashes[at][0] ^ 4]) + hashes[at][1:], *hashes[at + 1 :])


def _entries(*indexes: int) -> list[Json]:
    return [to_base64url(entry(index)) for index in indexes]


def _set() -> Iterator[Attack]:
    honest, base = leaf_set(LEAVES, SIZE), prove_set(BLAKE3, LEAVES, SIZE)

    def attack(name: str, desc: str, proof: SetProof = base, **changes: Json) -> Attack:
        return f"set-{name}", desc, {**honest, "proof": proof.to_json(), **changes}

    hashes = base.hashes
    for at in range(len(hashes)):
        yield attack(f"bit-flipped-{at}", f"one bit of hash {at}", replace(base, hashes=_flipped(hashes, at)))
    yield attack("hash-before", "a hash before the others", replace(base, hashes=(STRAY, *hashes)))
    yield attack("hash-after", "a hash after the others", replace(base, hashes=(*hashes, STRAY)))
    yield attack("hash-missing", "the last hash is missing", replace(base, hashes=hashes[:-1]))
    yield attack("hashes-reversed", "from right to left", replace(base, hashes=hashes[::-1]))
    halves = (hashes[0], BLAKE3.nodes[3], BLAKE3.nodes[4], *hashes[2:])
    yield attack("not-the-fewest", "a subtree given as its two halves", replace(base, hashes=halves))
    yield attack("none", "no leaf at all", replace(base, indexes=()), entries=[])
    yield attack("leaf-twice", "a leaf listed twice", replace(base, indexes=(1, 5, 5, 6)), entries=_entries(1, 5, 5, 6))
    yield attack("out-of-order", "leaves not in order", replace(base, indexes=(5, 1, 6)), entries=_entries(5, 1, 6))
    yield attack("other-leaf", "a neighbour's index", replace(base, indexes=(0, 5, 6)))
    yield attack("beyond-size", "a leaf as large as the size", replace(base, indexes=(1, 5, SIZE)))
    yield attack("entry-missing", "an entry too few", entries=_entries(1, 5))
    yield attack("entry-too-many", "an entry too many", entries=_entries(1, 5, 6, 7))
    yield attack("entries-swapped", "two entries in each other's place", entries=_entries(1, 6, 5))
    yield attack(
        "entry-hidden",
        "an entry left out, its hash in the proof",
        replace(base, indexes=(1, 6)),
        entries=_entries(1, 6),
    )
    yield attack("size-plus-one", "one leaf more", replace(base, size=SIZE + 1))
    yield attack("size-zero", "no leaves", replace(base, size=0))


def _range() -> Iterator[Attack]:
    honest, base = leaf_range(FIRST, LAST, SIZE), prove_range(BLAKE3, FIRST, LAST, SIZE)

    def attack(name: str, desc: str, proof: RangeProof = base, **changes: Json) -> Attack:
        return f"range-{name}", desc, {**honest, "proof": proof.to_json(), **changes}

    left, right = base.left, base.right
    for at in range(len(left)):
        yield attack(f"left-bit-flipped-{at}", f"one bit of left hash {at}", replace(base, left=_flipped(left, at)))
    for at in range(len(right)):
        yield attack(f"right-bit-flipped-{at}", f"one bit of right hash {at}", replace(base, right=_flipped(right, at)))
    yield attack("left-missing", "a left hash is missing", replace(base, left=left[1:]))
    yield attack("right-missing", "a right hash is missing", replace(base, right=right[:-1]))
    yield attack("left-too-many", "a left hash too many", replace(base, left=(STRAY, *left)))
    yield attack("right-too-many", "a right hash too many", replace(base, right=(*right, STRAY)))
    yield attack("hash-moved", "a right hash among the left", replace(base, left=(*left, right[0]), right=right[1:]))
    yield attack("sides-swapped", "left for right", replace(base, left=right, right=left))
    skipped = _entries(3, 4, 6)
    yield attack("entry-left-out", "an entry within the range left out", entries=skipped)
    yield attack(
        "entry-left-out-and-shorter",
        "one left out, the range made shorter",
        replace(base, last=LAST - 1),
        entries=skipped,
    )
    yield attack("entry-too-many", "an entry too many", entries=_entries(3, 4, 5, 6, 7))
    yield attack("entries-swapped", "two entries in each other's place", entries=_entries(3, 5, 4, 6))
    yield attack("first-earlier", "the range begun one leaf earlier", replace(base, first=FIRST - 1))
    yield attack("shifted", "the range moved by one", replace(base, first=FIRST + 1, last=LAST + 1))
    yield attack("backwards", "the first after the last", replace(base, first=LAST, last=FIRST))
    yield attack("beyond-size", "a last leaf as large as the size", replace(base, last=SIZE))
    yield attack("size-plus-one", "one leaf more", replace(base, size=SIZE + 1))
    yield attack("size-zero", "no leaves", replace(base, size=0))


def _twin() -> Iterator[Attack]:
    chosen, span = prove_set(SHA256, LEAVES, SIZE), prove_range(SHA256, FIRST, LAST, SIZE)
    honest_set, honest_range = twin_set(LEAVES, SIZE), twin_range(FIRST, LAST, SIZE)
    yield "twin-set-size-not-signed", "another size than the signed one", {**honest_set, "size": SIZE + 1}
    yield "twin-range-size-not-signed", "another size than the signed one", {**honest_range, "size": SIZE + 1}
    flipped = replace(chosen, hashes=_flipped(chosen.hashes, 0)).to_json()
    yield "twin-set-bit-flipped", "one bit of a hash", {**honest_set, "proof": flipped}
    flipped = replace(span, right=_flipped(span.right, 0)).to_json()
    yield "twin-range-bit-flipped", "one bit of a hash", {**honest_range, "proof": flipped}
    swapped = _entries(1, 6, 5)
    yield "twin-set-entries-swapped", "two entries in each other's place", {**honest_set, "entries": swapped}
    # The twin's leaves commit no index: only the place within the walk tells which is which.
    yield (
        "twin-range-entry-left-out",
        "an entry within the range left out",
        {**honest_range, "entries": _entries(3, 4, 6)},
    )
    own = prove_set(BLAKE3, LEAVES, SIZE).to_json()
    yield "twin-set-of-the-other-tree", "hashes of the log's own tree", {**honest_set, "proof": own}


def _form() -> Iterator[Attack]:
    honest_set, honest_range = leaf_set(LEAVES, SIZE), leaf_range(FIRST, LAST, SIZE)
    chosen, span = prove_set(BLAKE3, LEAVES, SIZE).to_json(), prove_range(BLAKE3, FIRST, LAST, SIZE).to_json()
    yield "form-set-index-text", "an index in quotes", {**honest_set, "proof": {**chosen, "indexes": ["1", 5, 6]}}
    yield "form-set-indexes-null", "null for a list", {**honest_set, "proof": {**chosen, "indexes": None}}
    yield "form-set-index-negative", "an index below 0", {**honest_set, "proof": {**chosen, "indexes": [-1, 5, 6]}}
    yield (
        "form-set-too-many",
        "more leaves than a set may have",
        {**honest_set, "proof": {**chosen, "indexes": list(range(1025))}},
    )
    yield "form-range-last-true", "true for an index", {**honest_range, "proof": {**span, "last": True}}
    yield "form-range-field-unknown", "a field that no proof has", {**honest_range, "proof": {**span, "indexes": []}}
    yield (
        "form-range-hash-short",
        "a hash of 31 bytes",
        {**honest_range, "proof": {**span, "left": [to_base64url(STRAY[:31])] * 2}},
    )
