"""What each checker of tree proofs insists on: sizes, indexes, how many hashes there are and how long, and roots.

Like the checkers it knows nothing of storage and shares no code with the prover.

Source: DESIGN sections 5 and 6.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from ledger import digest
from verify.errors import InclusionError, RootMismatchError

MAX_SIZE: Final = 2**53 - 1
"""No log has more leaves."""

_DIGEST: Final = frozenset((digest.SIZE,))


def mountains(size: int) -> list[tuple[int, int, int]]:
    """List each mountain's top position, first leaf and height, left to right."""
    found, nodes, leaves = [], 0, 0
    for height in reversed(range(size.bit_length())):
        if size >> height & 1:
            nodes += (2 << height) - 1
            found.append((nodes - 1, leaves, height))
            leaves += 1 << height
    return found


def check_index(index: int, size: int) -> None:
    """Check that a log of this size has this leaf.

    Raises:
        InclusionError: it has not.
    """
    if not 0 <= index < size <= MAX_SIZE:
        raise InclusionError(f"a log of {size} leaves has no leaf {index}")


def check_sizes(old_size: int, new_size: int) -> None:
    """Check that something can be proven from one size to another.

    Raises:
        InclusionError: nothing can.
    """
    if not 0 < old_size <= new_size <= MAX_SIZE:
        raise InclusionError(f"nothing can be proven from size {old_size} to size {new_size}")


def check_digests(digests: Iterable[bytes]) -> None:
    """Check that each has the length of a hash.

    Raises:
        InclusionError: one has not.
    """
    lengths = set(map(len, digests))
    if lengths - _DIGEST:
        raise InclusionError(f"a hash has {digest.SIZE} bytes, not {max(lengths - _DIGEST)}")


def expect_sizes(claimed: tuple[int, ...], signed: tuple[int, ...]) -> None:
    """Check that a proof is of the sizes that were signed.

    Raises:
        InclusionError: it is of others.
    """
    if claimed != signed:
        said, known = (" and ".join(map(str, sizes)) for sizes in (claimed, signed))
        raise InclusionError(f"the proof is not of the sizes that were signed: {said} instead of {known}")


def expect_length(what: str, given: Sequence[object], length: int) -> None:
    """Check that a proof has as many elements of a kind as its sizes ask for.

    Raises:
        InclusionError: it has more or fewer.
    """
    if len(given) != length:
        raise InclusionError(f"the proof's {what} must have {length} elements for its sizes, not {len(given)}")


def expect_hash(what: str, expected: bytes, computed: bytes) -> None:
    """Check that a proof leads where it must.

    Raises:
        RootMismatchError: it leads elsewhere.
    """
    if expected != computed:
        raise RootMismatchError(what, expected, computed)
