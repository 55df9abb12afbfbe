"""What every implementation must refuse: one file per attack, and the file's name is the attack.

Each case starts from an honest one (leaf 5 of 11, or from 6 to 11) and changes one thing.
"""

from collections.abc import Iterator
from dataclasses import replace

from ledger import digest, mmr, rfc6962
from ledger.canon import Json, to_base64url
from ledger.digest import BLAKE3_TREE, SHA256_TREE, be64
from ledger.proof import ConsistencyProof, InclusionProof, TwinConsistency, TwinInclusion
from tools.dev.vectors.tree import (
    BLAKE3,
    SHA256,
    Case,
    consistency,
    entry,
    grow,
    inclusion,
    root,
    spell,
    twin_consistency,
    twin_inclusion,
    twin_root,
)

INDEX, OLD, NEW = 5, 6, 11
STRAY = bytes(range(32))

Attack = tuple[str, str, Case]


def flip(value: bytes) -> bytes:
    """Flip one bit."""
    return bytes([value[0] ^ 4]) + value[1:]


def files() -> dict[str, bytes]:
    """Make one file per attack."""
    made: dict[str, bytes] = {}
    for maker in (_inclusion, _bindings, _consistency, _history, _twin_inclusion, _twin_consistency, _form):
        for name, desc, case in maker():
            if f"{name}.json" in made:
                raise AssertionError(f"two attacks are called {name}")
            made[f"{name}.json"] = spell({**case, "desc": desc, "wantErr": True})
    return made


def _inclusion() -> Iterator[Attack]:
    honest, base = inclusion(INDEX, NEW), mmr.prove_inclusion(BLAKE3, INDEX, NEW)

    def attack(name: str, desc: str, proof: InclusionProof) -> Attack:
        return f"inclusion-{name}", desc, {**honest, "proof": proof.to_json()}

    path, peaks = base.path, base.peaks
    own_peak = BLAKE3.peaks[NEW][0]
    for at in range(len(path)):
        flipped = (*path[:at], flip(path[at]), *path[at + 1 :])
        yield attack(f"path-bit-flipped-{at}", f"one bit of path hash {at}", replace(base, path=flipped))
    for at in range(len(peaks)):
        flipped = (*peaks[:at], flip(peaks[at]), *peaks[at + 1 :])
        yield attack(f"peak-bit-flipped-{at}", f"one bit of peak {at}", replace(base, peaks=flipped))
    yield attack("path-hash-before", "a hash before the path", replace(base, path=(STRAY, *path)))
    yield attack("path-hash-after", "a hash after the path", replace(base, path=(*path, STRAY)))
    yield attack("path-peak-after", "the own peak after the path", replace(base, path=(*path, own_peak)))
    yield attack("path-hash-missing", "the last path hash is missing", replace(base, path=path[:-1]))
    yield attack("path-empty", "no path", replace(base, path=()))
    yield attack("path-reversed", "the path from the top down", replace(base, path=path[::-1]))
    yield attack("peak-before", "a peak before the others", replace(base, peaks=(STRAY, *peaks)))
    yield attack("peak-own", "the own peak among the others", replace(base, peaks=(own_peak, *peaks)))
    yield attack("peak-missing", "a peak is missing", replace(base, peaks=peaks[:-1]))
    yield attack("peaks-swapped", "the peaks from right to left", replace(base, peaks=peaks[::-1]))
    yield attack("peak-in-path", "a peak moved into the path", replace(base, path=(*path, peaks[0]), peaks=peaks[1:]))
    yield attack("index-next", "the neighbour's index", replace(base, index=INDEX ^ 1))
    yield attack("index-equals-size", "the index is the size", replace(base, index=NEW))
    yield attack("index-far", "an index far beyond the size", replace(base, index=2**53 - 1))
    yield attack("size-plus-one", "one leaf more", replace(base, size=NEW + 1))
    yield attack("size-doubled", "twice the leaves", replace(base, size=2 * NEW))
    yield attack("size-zero", "no leaves", replace(base, size=0))
    yield attack("size-same-shape", "a size that asks for the same lengths", replace(base, size=13))


def _bindings() -> Iterator[Attack]:
    honest = inclusion(INDEX, NEW)
    proof = mmr.prove_inclusion(BLAKE3, INDEX, NEW)
    copy = grow(BLAKE3_TREE, [entry(4), *[entry(index) for index in range(1, NEW)]])
    copied = mmr.prove_inclusion(copy, 0, NEW)
    leaf = mmr.leaf_position(INDEX)
    children = be64(mmr.parent(leaf)) + BLAKE3.nodes[mmr.sibling(leaf)] + BLAKE3.nodes[leaf]
    yield "binding-root-wrong", "a root of nothing", {**honest, "root": to_base64url(STRAY)}
    yield "binding-root-short", "a root of 31 bytes", {**honest, "root": root(NEW)[:-2] + "A"}
    yield "binding-root-of-twin", "the twin's root", {**honest, "root": twin_root(NEW)}
    yield "binding-root-of-other-size", "the root one leaf later", {**honest, "root": root(NEW + 1)}
    yield "binding-entry-changed", "another entry", {**honest, "entry": to_base64url(b'{"seq":5 }')}
    yield "binding-entry-empty", "no entry", {**honest, "entry": ""}
    yield "binding-entry-of-neighbour", "the neighbour's entry", {**honest, "entry": to_base64url(entry(INDEX ^ 1))}
    yield (
        "binding-entry-at-other-index",
        "the right bytes, proven at an index where they do not stand",
        {**honest, "entry": to_base64url(entry(4)), "proof": copied.to_json()},
    )
    yield (
        "binding-node-as-leaf",
        "the input of a node given as an entry",
        {**honest, "entry": to_base64url(children), "proof": replace(proof, path=proof.path[1:]).to_json()},
    )
    sole = mmr.prove_inclusion(BLAKE3, 0, 1)
    yield (
        "sole-leaf-path",
        "a path in a log of one",
        {**inclusion(0, 1), "proof": replace(sole, path=(STRAY,)).to_json()},
    )
    yield (
        "sole-leaf-peak",
        "a peak in a log of one",
        {**inclusion(0, 1), "proof": replace(sole, peaks=(STRAY,)).to_json()},
    )


def _consistency() -> Iterator[Attack]:
    honest, base = consistency(OLD, NEW), mmr.prove_consistency(BLAKE3, OLD, NEW)

    def attack(name: str, desc: str, proof: ConsistencyProof) -> Attack:
        return f"consistency-{name}", desc, {**honest, "proof": proof.to_json()}

    old, paths, right = base.old_peaks, base.paths, base.right_peaks
    longer, shorter = (paths[0], (*paths[1], STRAY)), (paths[0], paths[1][:-1])
    yield attack("old-peak-flipped", "one bit of an old peak", replace(base, old_peaks=(old[0], flip(old[1]))))
    yield attack("old-peak-missing", "an old peak is missing", replace(base, old_peaks=old[:-1]))
    yield attack("old-peak-added", "an old peak too many", replace(base, old_peaks=(*old, STRAY)))
    yield attack("old-peaks-swapped", "the old peaks from right to left", replace(base, old_peaks=old[::-1]))
    yield attack("path-flipped-0", "one bit of the first path", replace(base, paths=((flip(paths[0][0]),), paths[1])))
    yield attack(
        "path-flipped-1",
        "one bit of the second path",
        replace(base, paths=(paths[0], (paths[1][0], flip(paths[1][1])))),
    )
    yield attack("path-longer", "a hash after a path", replace(base, paths=longer))
    yield attack("path-shorter", "a hash of a path is missing", replace(base, paths=shorter))
    yield attack("path-added", "a path too many", replace(base, paths=(*paths, ())))
    yield attack("path-missing", "a path is missing", replace(base, paths=paths[:-1]))
    yield attack("paths-swapped", "the paths of each other's peaks", replace(base, paths=paths[::-1]))
    yield attack("right-peak-flipped", "one bit of a new peak", replace(base, right_peaks=(right[0], flip(right[1]))))
    yield attack("right-peak-missing", "a new peak is missing", replace(base, right_peaks=right[:-1]))
    yield attack("right-peak-added", "a new peak too many", replace(base, right_peaks=(*right, STRAY)))
    yield attack("right-peaks-swapped", "the new peaks from right to left", replace(base, right_peaks=right[::-1]))
    yield attack("old-size-plus-one", "one old leaf more", replace(base, old_size=OLD + 1))
    yield attack("old-size-zero", "from nothing", replace(base, old_size=0))
    yield attack("new-size-plus-one", "one new leaf more", replace(base, new_size=NEW + 1))
    yield attack("new-size-same-shape", "a new size that asks for the same lengths", replace(base, new_size=13))
    yield attack("sizes-swapped", "backwards", replace(base, old_size=NEW, new_size=OLD))


def _history() -> Iterator[Attack]:
    honest = consistency(OLD, NEW)
    forked = grow(BLAKE3_TREE, [b"rewritten", *[entry(index) for index in range(1, NEW)]])
    fork = to_base64url(digest.root(NEW, forked.peaks[NEW]))
    proof = mmr.prove_consistency(BLAKE3, OLD, NEW)
    empty = ConsistencyProof(0, NEW, (), (), tuple(BLAKE3.peaks[NEW]))
    yield "history-roots-swapped", "each other's roots", {**honest, "old_root": root(NEW), "new_root": root(OLD)}
    yield "history-old-root-wrong", "an old root of nothing", {**honest, "old_root": to_base64url(STRAY)}
    yield "history-new-root-wrong", "a new root of nothing", {**honest, "new_root": to_base64url(STRAY)}
    yield (
        "history-rewritten",
        "an honest proof of a log whose entry 0 was rewritten",
        {**honest, "new_root": fork, "proof": mmr.prove_consistency(forked, OLD, NEW).to_json()},
    )
    yield (
        "history-two-old-peaks-disagree",
        "the true old peaks, the first with a path of the rewritten log",
        {**honest, "proof": replace(proof, paths=((forked.nodes[2],), proof.paths[1])).to_json()},
    )
    yield (
        "history-from-nothing",
        "the empty log continues to anything, so it proves nothing",
        {**honest, "old_root": root(0), "proof": empty.to_json()},
    )
    yield (
        "history-same-size-two-roots",
        "two roots for one size",
        {**consistency(NEW, NEW), "new_root": fork},
    )
    yield (
        "history-shrunk",
        "the log is shorter than before",
        {
            **consistency(OLD, OLD),
            "old_root": root(NEW),
            "proof": replace(mmr.prove_consistency(BLAKE3, OLD, OLD), old_size=NEW).to_json(),
        },
    )


def _twin_inclusion() -> Iterator[Attack]:
    honest, base = twin_inclusion(INDEX, NEW), rfc6962.prove_inclusion(SHA256, INDEX, NEW)

    def attack(name: str, desc: str, proof: TwinInclusion, **changes: Json) -> Attack:
        return f"twin-inclusion-{name}", desc, {**honest, "proof": proof.to_json(), **changes}

    path = base.path
    for at in range(len(path)):
        flipped = (*path[:at], flip(path[at]), *path[at + 1 :])
        yield attack(f"bit-flipped-{at}", f"one bit of hash {at}", replace(base, path=flipped))
    pair = to_base64url(SHA256.nodes[7] + SHA256.nodes[8])
    yield attack("hash-before", "a hash before the path", replace(base, path=(STRAY, *path)))
    yield attack("hash-after", "a hash after the path", replace(base, path=(*path, STRAY)))
    yield attack("root-after", "the root after the path", replace(base, path=(*path, rfc6962.root(SHA256.peaks[NEW]))))
    yield attack("hash-missing", "the last hash is missing", replace(base, path=path[:-1]))
    yield attack("index-next", "the neighbour's index", replace(base, index=INDEX ^ 1))
    yield attack("index-equals-size", "the index is the size", replace(base, index=NEW))
    yield attack(
        "size-not-signed", "a size that fits the hashes and is not the signed one", replace(base, size=NEW + 1)
    )
    yield attack("size-signed-other", "the signed size is another", base, size=NEW + 1)
    yield attack("size-zero", "no leaves", replace(base, size=0), size=0)
    yield attack("root-of-blake3", "the BLAKE3 root", base, root=root(NEW))
    yield attack("entry-of-neighbour", "the neighbour's entry", base, entry=to_base64url(entry(INDEX ^ 1)))
    yield attack("node-as-leaf", "two children given as an entry", replace(base, path=path[1:]), entry=pair)


def _twin_consistency() -> Iterator[Attack]:
    honest, base = twin_consistency(OLD, NEW), rfc6962.prove_consistency(SHA256, OLD, NEW)
    forked = grow(SHA256_TREE, [b"rewritten", *[entry(index) for index in range(1, NEW)]])
    fork = to_base64url(rfc6962.root(forked.peaks[NEW]))

    def attack(name: str, desc: str, proof: TwinConsistency, **changes: Json) -> Attack:
        return f"twin-consistency-{name}", desc, {**honest, "proof": proof.to_json(), **changes}

    path = base.path
    for at in range(len(path)):
        flipped = (*path[:at], flip(path[at]), *path[at + 1 :])
        yield attack(f"bit-flipped-{at}", f"one bit of hash {at}", replace(base, path=flipped))
    same = TwinConsistency(NEW, NEW, ())
    yield attack("hash-before", "a hash before the path", replace(base, path=(STRAY, *path)))
    yield attack("hash-after", "a hash after the path", replace(base, path=(*path, STRAY)))
    yield attack("hash-missing", "the last hash is missing", replace(base, path=path[:-1]))
    yield attack("old-size-plus-one", "one old leaf more", replace(base, old_size=OLD + 1), old_size=OLD + 1)
    yield attack("new-size-not-signed", "a size that fits and is not the signed one", replace(base, new_size=NEW + 1))
    yield attack("sizes-swapped", "backwards", replace(base, old_size=NEW, new_size=OLD), old_size=NEW, new_size=OLD)
    yield attack(
        "from-nothing", "size 0 proves nothing", TwinConsistency(0, NEW, ()), old_size=0, old_root=twin_root(0)
    )
    yield attack("roots-swapped", "each other's roots", base, old_root=twin_root(NEW), new_root=twin_root(OLD))
    rewritten = rfc6962.prove_consistency(forked, OLD, NEW)
    yield attack("rewritten", "an honest proof of a log whose entry 0 was rewritten", rewritten, new_root=fork)
    yield attack("same-size-two-roots", "two roots for one size", same, old_size=NEW, old_root=fork)
    yield attack(
        "same-size-path",
        "a hash between two equal sizes",
        replace(same, path=(STRAY,)),
        old_size=NEW,
        old_root=twin_root(NEW),
    )


def _form() -> Iterator[Attack]:
    honest = inclusion(INDEX, NEW)
    base = mmr.prove_inclusion(BLAKE3, INDEX, NEW)
    proof, path = base.to_json(), [to_base64url(value) for value in base.path]
    joined = base.path[0] + base.path[1]
    odd: list[Json] = [to_base64url(joined[:31]), to_base64url(joined[31:]), path[2]]

    def attack(name: str, desc: str, **changes: Json) -> Attack:
        return f"form-{name}", desc, {**honest, "proof": {**proof, **changes}}

    def first(text: Json) -> list[Json]:
        return [text, *path[1:]]

    yield attack("hash-boundary-moved", "two hashes of 31 and 33 bytes", path=odd)
    yield attack("hash-short", "a hash of 31 bytes", path=first(to_base64url(base.path[0][:31])))
    yield attack("hash-empty", "a hash of no bytes", path=first(""))
    yield attack("hash-padded", "base64url with padding", path=first(path[0] + "="))
    yield attack("hash-spare-bits", "base64url whose last two bits are not zero", path=first(_spare(path[0])))
    yield attack("hash-newline", "base64url with a newline", path=first(path[0] + "\n"))
    yield attack("hash-hex", "a hash in hex", path=first(base.path[0].hex()))
    yield attack("hash-number", "a hash that is a number", path=first(7))
    yield attack("path-null", "null for a list", path=None)
    yield attack("path-text", "text for a list", path=path[0])
    yield attack("version-two", "another version", v=2)
    yield attack("version-true", "true for 1", v=True)
    yield attack("size-text", "a size in quotes", size=str(NEW))
    yield attack("size-negative", "a size below 0", size=-NEW)
    yield attack("size-beyond-json", "a size above 2^53 - 1", size=2**53)
    yield attack("index-true", "true for an index", index=True)
    yield attack("field-unknown", "a field that no proof has", note="")
    yield "form-field-missing", "no peaks at all", {**honest, "proof": {k: v for k, v in proof.items() if k != "peaks"}}
    yield "form-proof-list", "a list for an object", {**honest, "proof": list(proof.values())}


def _spare(text: str) -> str:
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    return text[:-1] + alphabet[alphabet.index(text[-1]) + 1]
