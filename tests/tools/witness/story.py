"""A log in memory that asks a witness, honestly or not."""

from collections.abc import Sequence

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger import digest, mmr, rfc6962
from ledger.checkpoint import Checkpoint, sign_checkpoint
from ledger.note import NoteSigner
from ledger.witness import AddCheckpoint

LOG = NoteSigner("log.example/a", Ed25519PrivateKey.from_private_bytes(b"l" * 32))


class Story:
    """The trees of a log of small entries, and its checkpoints."""

    def __init__(self, entries: Sequence[bytes], signer: NoteSigner = LOG) -> None:
        self.signer = signer
        self.nodes: list[bytes] = []
        self.roots = [(digest.root(0, ()), rfc6962.EMPTY_ROOT)]
        own: list[bytes] = []
        twin: list[bytes] = []
        for index, entry in enumerate(entries):
            _, own = mmr.append(digest.BLAKE3_TREE, index, digest.BLAKE3_TREE.leaf(index, entry), own)
            new, twin = mmr.append(digest.SHA256_TREE, index, digest.SHA256_TREE.leaf(index, entry), twin)
            self.nodes += [value for _, value in new]
            self.roots.append((digest.root(index + 1, own), rfc6962.root(twin)))

    def read(self, positions: Sequence[int]) -> list[bytes]:
        return [self.nodes[position] for position in positions]

    def checkpoint(self, size: int) -> Checkpoint:
        own, twin = self.roots[size]
        return Checkpoint(self.signer.name, size, twin, own)

    def note(self, size: int) -> bytes:
        return sign_checkpoint(self.checkpoint(size), self.signer)

    def request(self, old: int, new: int) -> bytes:
        proof = rfc6962.prove_consistency(self, old, new).path if 0 < old < new else ()
        return AddCheckpoint(old, proof, self.note(new)).to_bytes()


HONEST = Story([b"%d" % index for index in range(40)])
FORKED = Story([b"%d" % index if index < 5 else b"x%d" % index for index in range(40)])
