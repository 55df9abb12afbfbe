"""A second implementation of the tree, for the vectors beside it: slow, recursive, straight from the formulas.

It shares nothing with the package: ``blake3`` and ``hashlib`` alone. It knows no positions but those it counts in
post-order and no proofs but those it cuts out of whole trees, so it stays close to the definitions. Run it alone with
``python tests/vectors/tree_oracle.py``; it prints what it can't reproduce and exits with 1, or counts what it did.
"""

import base64
import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

from blake3 import blake3

FOLDER = Path(__file__).parent / "tree"


class Refused(Exception):  # noqa: N818  (a verdict of this script, not an error class of a package)
    """The case is not proven."""


def require(condition: bool) -> None:
    """Refuse the case unless the condition holds."""
    if not condition:
        raise Refused


# -- formulas --


def be64(number: int) -> bytes:
    return number.to_bytes(8, "big")


def leaf(index: int, entry: bytes) -> bytes:
    return blake3(be64(index) + entry, derive_key_context="tallystick 2026-11-30 event leaf v1").digest()


def node(position: int, left: bytes, right: bytes) -> bytes:
    return blake3(be64(position) + left + right, derive_key_context="tallystick 2026-11-30 mmr node v1").digest()


def bag(leaves: int, peaks: list[bytes]) -> bytes:
    return blake3(be64(leaves) + b"".join(peaks), derive_key_context="tallystick 2026-11-30 mmr root v1").digest()


def twin_leaf(entry: bytes) -> bytes:
    return hashlib.sha256(b"\0" + entry).digest()


def twin_node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


def below(number: int) -> int:
    """Give the largest power of two below a number above 1."""
    power = 1
    while power * 2 < number:
        power *= 2
    return power


# -- whole trees --


class Span(NamedTuple):
    """A perfect subtree: its leaves from `low` to before `high`, its first node, and so its top."""

    low: int
    high: int
    first: int

    @property
    def top(self) -> int:
        return self.first + 2 * (self.high - self.low) - 2

    @property
    def halves(self) -> tuple["Span", "Span"]:
        middle = (self.low + self.high) // 2
        left = Span(self.low, middle, self.first)
        return left, Span(middle, self.high, left.top + 1)


def mountains(size: int) -> list[Span]:
    spans: list[Span] = []
    low = first = 0
    while low < size:
        high = low + 1
        while low + 2 * (high - low) <= size:
            high = low + 2 * (high - low)
        spans.append(Span(low, high, first))
        low, first = high, spans[-1].top + 1
    return spans


def entry(index: int) -> bytes:
    return f'{{"seq":{index}}}'.encode()


def value(span: Span) -> bytes:
    if span.high - span.low == 1:
        return leaf(span.low, entry(span.low))
    left, right = span.halves
    return node(span.top, value(left), value(right))


def twin_value(low: int, high: int) -> bytes:
    if low == high:
        return hashlib.sha256(b"").digest()
    if high - low == 1:
        return twin_leaf(entry(low))
    middle = low + below(high - low)
    return twin_node(twin_value(low, middle), twin_value(middle, high))


def root(size: int) -> bytes:
    return bag(size, [value(span) for span in mountains(size)])


def all_nodes(span: Span) -> list[tuple[int, bytes, bytes]]:
    row = (span.top, value(span), twin_value(span.low, span.high))
    if span.high - span.low == 1:
        return [row]
    left, right = span.halves
    return [*all_nodes(left), *all_nodes(right), row]


# -- proofs, cut out of whole trees --


def path_to(span: Span, part: Span) -> list[bytes]:
    if span == part:
        return []
    left, right = span.halves
    if part.high <= left.high:
        return [*path_to(left, part), value(right)]
    return [*path_to(right, part), value(left)]


def leaf_span(index: int, span: Span) -> Span:
    while span.high - span.low > 1:
        left, right = span.halves
        span = left if index < left.high else right
    return span


def holder(size: int, part: Span) -> Span:
    return next(span for span in mountains(size) if span.low <= part.low and part.high <= span.high)


def inclusion(index: int, size: int) -> dict[str, Any]:
    home = next(span for span in mountains(size) if span.low <= index < span.high)
    others = [value(span) for span in mountains(size) if span != home]
    path = path_to(home, leaf_span(index, home))
    return {"v": 1, "size": size, "index": index, "path": texts(path), "peaks": texts(others)}


def consistency(old: int, new: int) -> dict[str, Any]:
    spans = mountains(old)
    return {
        "v": 1,
        "old_size": old,
        "new_size": new,
        "old_peaks": texts([value(span) for span in spans]),
        "paths": [texts(path_to(holder(new, span), span)) for span in spans],
        "right_peaks": texts([value(span) for span in mountains(new) if span.low >= old]),
    }


def twin_path(index: int, low: int, high: int) -> list[bytes]:
    """RFC 6962, 2.1.1: PATH."""
    if high - low == 1:
        return []
    middle = low + below(high - low)
    if index < middle:
        return [*twin_path(index, low, middle), twin_value(middle, high)]
    return [*twin_path(index, middle, high), twin_value(low, middle)]


def twin_subproof(old: int, low: int, high: int, whole: bool) -> list[bytes]:
    """RFC 6962, 2.1.2: SUBPROOF, for the leaves from `low` to before `high`, of which the first ones are old."""
    if old == high:
        return [] if whole else [twin_value(low, high)]
    middle = low + below(high - low)
    if old <= middle:
        return [*twin_subproof(old, low, middle, whole), twin_value(middle, high)]
    return [*twin_subproof(old, middle, high, whole=False), twin_value(low, middle)]


def cover(span: Span, wanted: set[int]) -> list[Span]:
    """Cut a subtree into the leaves that are wanted, left out here, and the largest parts without any of them."""
    if not wanted.intersection(range(span.low, span.high)):
        return [span]
    if span.high - span.low == 1:
        return []
    left, right = span.halves
    return [*cover(left, wanted), *cover(right, wanted)]


def covers(size: int, wanted: set[int]) -> list[Span]:
    return [part for span in mountains(size) for part in cover(span, wanted)]


def part_value(part: Span, twin: bool) -> bytes:
    return twin_value(part.low, part.high) if twin else value(part)


def leaf_set(indexes: list[int], size: int, twin: bool) -> dict[str, Any]:
    hashes = [part_value(part, twin) for part in covers(size, set(indexes))]
    return {"v": 1, "size": size, "indexes": indexes, "hashes": texts(hashes)}


def leaf_range(first: int, last: int, size: int, twin: bool) -> dict[str, Any]:
    parts = covers(size, set(range(first, last + 1)))
    left = [part_value(part, twin) for part in parts if part.high <= first]
    right = [part_value(part, twin) for part in parts if part.low > last]
    return {"v": 1, "size": size, "first": first, "last": last, "left": texts(left), "right": texts(right)}


# -- verdicts, from the proofs alone --


def climb(span: Span, part: Span, start: bytes, path: list[bytes]) -> bytes:
    if span == part:
        require(not path)
        return start
    require(bool(path))
    left, right = span.halves
    if part.high <= left.high:
        return node(span.top, climb(left, part, start, path[:-1]), path[-1])
    return node(span.top, path[-1], climb(right, part, start, path[:-1]))


def judge_inclusion(case: dict[str, Any]) -> None:
    size, index, path, peaks = parse(case["proof"], "size", "index", "path", "peaks")
    require(index < size)
    spans = mountains(size)
    require(len(peaks) == len(spans) - 1)
    slot, home = next((slot, span) for slot, span in enumerate(spans) if span.low <= index < span.high)
    peak = climb(home, leaf_span(index, home), leaf(index, data(case["entry"])), path)
    require(bag(size, [*peaks[:slot], peak, *peaks[slot:]]) == data(case["root"]))


def judge_consistency(case: dict[str, Any]) -> None:
    old, new, old_peaks, paths, right = parse(
        case["proof"], "old_size", "new_size", "old_peaks", "paths", "right_peaks"
    )
    require(0 < old <= new)
    spans, tops = mountains(old), mountains(new)
    require(len(old_peaks) == len(paths) == len(spans))
    reached: dict[Span, bytes] = {}
    for span, peak, path in zip(spans, old_peaks, paths, strict=True):
        home = holder(new, span)
        top = climb(home, span, peak, path)
        require(reached.setdefault(home, top) == top)
    require(len(right) == len(tops) - len(reached))
    require(bag(old, old_peaks) == data(case["old_root"]))
    require(bag(new, [*reached.values(), *right]) == data(case["new_root"]))


def twin_climb(index: int, size: int, start: bytes, path: list[bytes]) -> bytes:
    if size == 1:
        require(not path)
        return start
    require(bool(path))
    split = below(size)
    if index < split:
        return twin_node(twin_climb(index, split, start, path[:-1]), path[-1])
    return twin_node(path[-1], twin_climb(index - split, size - split, start, path[:-1]))


def judge_twin_inclusion(case: dict[str, Any]) -> None:
    size, index, path = parse(case["proof"], "size", "index", "path")
    require(index < size == case["size"])
    require(twin_climb(index, size, twin_leaf(data(case["entry"])), path) == data(case["root"]))


def twin_pair(old: int, new: int, path: list[bytes], known: bytes | None) -> tuple[bytes, bytes]:
    if old == new:
        require(len(path) == (known is None))
        start = path[0] if known is None else known
        return start, start
    require(bool(path))
    split = below(new)
    if old <= split:
        before, after = twin_pair(old, split, path[:-1], known)
        return before, twin_node(after, path[-1])
    before, after = twin_pair(old - split, new - split, path[:-1], None)
    return twin_node(path[-1], before), twin_node(path[-1], after)


def judge_twin_consistency(case: dict[str, Any]) -> None:
    old, new, path = parse(case["proof"], "old_size", "new_size", "path")
    require((old, new) == (case["old_size"], case["new_size"]))
    require(0 < old <= new)
    roots = data(case["old_root"]), data(case["new_root"])
    require(twin_pair(old, new, path, roots[0]) == roots)


def rebuilt(span: Span, known: dict[int | Span, bytes], twin: bool) -> bytes:
    """Hash a subtree from the leaves and the parts that are known."""
    if span in known:
        return known[span]
    if span.high - span.low == 1:
        entry_ = known[span.low]
        return twin_leaf(entry_) if twin else leaf(span.low, entry_)
    left, right = (rebuilt(half, known, twin) for half in span.halves)
    return twin_node(left, right) if twin else node(span.top, left, right)


def judge_many(case: dict[str, Any], size: int, indexes: list[int], hashes: list[bytes]) -> None:
    twin, entries = case["check"].startswith("twin"), [data(item) for item in case["entries"]]
    require(0 < size == (case["size"] if twin else size))
    require(len(indexes) == len(entries))
    parts = covers(size, set(indexes))
    require(len(parts) == len(hashes))
    known: dict[int | Span, bytes] = {
        **dict(zip(indexes, entries, strict=True)),
        **dict(zip(parts, hashes, strict=True)),
    }
    peaks = [rebuilt(span, known, twin) for span in mountains(size)]
    if not twin:
        require(bag(size, peaks) == data(case["root"]))
        return
    total = peaks.pop()
    while peaks:
        total = twin_node(peaks.pop(), total)
    require(total == data(case["root"]))


def judge_set(case: dict[str, Any]) -> None:
    size, indexes, hashes = parse(case["proof"], "size", "indexes", "hashes")
    require(0 < len(indexes) <= 1024 and indexes == sorted(set(indexes)) and indexes[-1] < size)
    judge_many(case, size, indexes, hashes)


def judge_range(case: dict[str, Any]) -> None:
    size, first, last, left, right = parse(case["proof"], "size", "first", "last", "left", "right")
    require(first <= last < size)
    require(len(left) == len(mountains(first)))
    judge_many(case, size, list(range(first, last + 1)), [*left, *right])


# -- form --


def text(digest: bytes) -> str:
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def texts(digests: list[bytes]) -> list[str]:
    return [text(digest) for digest in digests]


def data(spelled: str) -> bytes:
    return base64.urlsafe_b64decode(spelled + "=" * (-len(spelled) % 4))


def parse_hash(item: Any) -> bytes:
    # 43 digits of 6 bits hold 256 bits and two zeros.
    require(isinstance(item, str) and re.fullmatch(r"[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]", item) is not None)
    return data(item)


def parse_field(name: str, item: Any) -> Any:
    if name == "indexes":
        require(isinstance(item, list))
        return [parse_field("index", index) for index in item]
    if name.endswith(("size", "index", "first", "last")):
        require(type(item) is int and 0 <= item < 2**53)
        return item
    require(isinstance(item, list))
    return [parse_field("path", path) for path in item] if name == "paths" else [parse_hash(value) for value in item]


def parse(proof: Any, *names: str) -> list[Any]:
    require(isinstance(proof, dict) and proof.keys() == {"v", *names})
    require(type(proof["v"]) is int and proof["v"] == 1)
    return [parse_field(name, proof[name]) for name in names]


# -- running --

JUDGES = {
    "inclusion": judge_inclusion,
    "consistency": judge_consistency,
    "twin-inclusion": judge_twin_inclusion,
    "twin-consistency": judge_twin_consistency,
    "set": judge_set,
    "range": judge_range,
    "twin-set": judge_set,
    "twin-range": judge_range,
}


def refused(case: dict[str, Any]) -> bool:
    """Judge one case."""
    try:
        JUDGES[case["check"]](case)
    except Refused:
        return True
    return False


def remade(case: dict[str, Any]) -> dict[str, Any]:
    """Make an honest case again from the sizes and the index alone."""
    proof, kind = case["proof"], case["check"]
    if kind.endswith(("set", "range")):
        return remade_many(case)
    if kind in ("inclusion", "twin-inclusion"):
        index, size = proof["index"], proof["size"]
        own = {"entry": text(entry(index))}
        if kind == "inclusion":
            return {**case, **own, "root": text(root(size)), "proof": inclusion(index, size)}
        path = texts(twin_path(index, 0, size))
        made = {"v": 1, "size": size, "index": index, "path": path}
        return {**case, **own, "size": size, "root": text(twin_value(0, size)), "proof": made}
    old, new = proof["old_size"], proof["new_size"]
    if kind == "consistency":
        return {**case, "old_root": text(root(old)), "new_root": text(root(new)), "proof": consistency(old, new)}
    made = {"v": 1, "old_size": old, "new_size": new, "path": texts(twin_subproof(old, 0, new, whole=True))}
    roots = {"old_root": text(twin_value(0, old)), "new_root": text(twin_value(0, new))}
    return {**case, "old_size": old, "new_size": new, **roots, "proof": made}


def remade_many(case: dict[str, Any]) -> dict[str, Any]:
    """Make an honest case of many leaves again from the size and the indexes alone."""
    proof, twin = case["proof"], case["check"].startswith("twin")
    size = proof["size"]
    if case["check"].endswith("set"):
        indexes = proof["indexes"]
        made = leaf_set(indexes, size, twin)
    else:
        indexes = list(range(proof["first"], proof["last"] + 1))
        made = leaf_range(proof["first"], proof["last"], size, twin)
    own = {"entries": [text(entry(index)) for index in indexes], "proof": made}
    total = {"root": text(twin_value(0, size)), "size": size} if twin else {"root": text(root(size))}
    return {**case, **own, **total}


def roots_differ(content: dict[str, Any]) -> list[str]:
    """Compute nodes and roots again; name the first of each that differs."""
    nodes = [
        {"position": position, "blake3": text(own), "sha256": text(twin)}
        for position, own, twin in all_nodes(mountains(16)[0])
    ]
    complaints = [] if content["nodes"] == nodes else ["nodes"]
    for row in content["roots"]:
        size = row["size"]
        peaks = [span.top for span in mountains(size)]
        made = {"size": size, "peaks": peaks, "blake3": text(root(size)), "sha256": text(twin_value(0, size))}
        if made != row:
            complaints.append(f"root of {size}")
    return complaints


def complaints() -> tuple[int, list[str]]:
    """Go through the folder: how many cases there are, and what can't be reproduced."""
    count, wrong = 0, []
    for file in sorted(FOLDER.glob("*.json")):
        content = json.loads(file.read_bytes())
        if file.name == "roots.json":
            count += len(content["roots"]) + len(content["nodes"])
            wrong += roots_differ(content)
            continue
        for case in content.get("cases", [content]):
            count += 1
            if refused(case) != case["wantErr"]:
                wrong.append(f"{file.name}: {case['desc']}: the other verdict")
            if not case["wantErr"] and remade(case) != case:
                wrong.append(f"{file.name}: {case['desc']}: other values")
    return count, wrong


if __name__ == "__main__":
    counted, found = complaints()
    print(*found, f"{counted} cases, {len(found)} not reproduced", sep="\n")  # noqa: T201  (it is a script)
    sys.exit(bool(found))
