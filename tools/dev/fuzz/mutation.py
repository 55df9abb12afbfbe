"""Seeded mutations of inputs that are accepted: what a parser sees is close to what it takes."""

from collections.abc import Iterator
from random import Random

TOKENS = (
    b"\x00", b"\xff", b"\n", b"\n\n", b"\r\n", b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"-1", b"1e9", b"0.5",
    b"NaN", b"null", b"true", b"9007199254740993", b"\xed\xa0\x80", "\u202e".encode(), b"=", b"==", b"'", b"$(", b"`",
    b"<<E", b"--", b"/*", b"..", b"%00", b"%", b"#", b"\x1b[2J", b"[" * 300, b"(" * 300, b"not " * 300,
)  # fmt: skip


def mutations(seeds: list[bytes], count: int, seed: int) -> Iterator[bytes]:
    """Give so many inputs, the same for the same arguments."""
    random = Random(seed)
    for _ in range(count):
        data = bytearray(random.choice(seeds))
        for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
            _change(data, random, seeds)
        yield bytes(data)


def _change(data: bytearray, random: Random, seeds: list[bytes]) -> None:
    at = random.randrange(len(data) + 1)
    end = min(len(data), at + random.choice((1, 1, 2, 4, 16, 64)))
    match random.randrange(7):
        case 0:
            data[at:end] = bytes(random.randrange(256) for _ in range(end - at))
        case 1:
            del data[at:end]
        case 2:
            data[at:at] = random.choice(TOKENS)
        case 3:
            data[at:end] = random.choice(TOKENS)
        case 4:
            data[at:at] = data[at:end]
        case 5:
            other = random.choice(seeds)
            start = random.randrange(len(other) + 1)
            data[at:end] = other[start : start + random.choice((1, 8, 64))]
        case _:
            if at < len(data):
                data[at] ^= 1 << random.randrange(8)
