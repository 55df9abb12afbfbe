"""A history that is played once, and a forger: a dishonest operator who holds the log's key and can sign any tree."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from grants import allowed_signers
from ledger import canon, digest, mmr, rfc6962
from ledger.checkpoint import Checkpoint, sign_checkpoint
from ledger.note import NoteSigner
from tools.dev.golden_bundle import Stage, counted_randomness, history
from verify.bundle import EVERYTHING, Bundle, BundledEvent, Disclosed, Disclosure, parse_bundle
from verify.check import Report, check_bundle

GOLDEN = Path(__file__).parents[1] / "vectors" / "bundles"


@dataclass
class Tree:
    """One tree over any bytes at all."""

    hasher: Any
    peaks: tuple[bytes, ...] = ()
    nodes: list[bytes] = field(default_factory=list)
    size: int = 0

    def add(self, data: bytes) -> None:
        leaf = self.hasher.leaf(self.size, data)
        nodes, peaks = mmr.append(self.hasher, self.size, leaf, self.peaks)
        self.nodes += [value for _, value in nodes]
        self.peaks, self.size = tuple(peaks), self.size + 1

    def read(self, positions: Iterable[int]) -> list[bytes]:
        return [self.nodes[position] for position in positions]


@dataclass
class Forger:
    """Makes a bundle of any events, with right proofs and a right checkpoint."""

    stage: Stage
    events: list[bytes]

    def edit(self, seq: int, change: Callable[[dict[str, Any]], None]) -> "Forger":
        """Change one event, as its bytes say it."""
        value: Any = canon.decode(self.events[seq])
        change(value)
        self.events[seq] = canon.encode(value)
        return self

    def trees(self) -> tuple[Tree, Tree]:
        own, twin = Tree(digest.BLAKE3_TREE), Tree(digest.SHA256_TREE)
        for data in self.events:
            own.add(data)
            twin.add(data)
        return own, twin

    def bundle(self, like: Bundle, seqs: Iterable[int] | None = None, signer: NoteSigner | None = None) -> Bundle:
        own, twin = self.trees()
        size = len(self.events)
        signer = signer or self.stage.log_signer
        roots = rfc6962.root(twin.peaks), digest.root(size, own.peaks)
        events = tuple(
            BundledEvent(
                seq,
                self.events[seq],
                mmr.prove_inclusion(own, seq, size),
                rfc6962.prove_inclusion(twin, seq, size),
            )
            for seq in sorted(seqs if seqs is not None else (event.seq for event in like.events))
        )
        return replace(like, events=events, checkpoint=sign_checkpoint(Checkpoint(signer.name, size, *roots), signer))


@dataclass
class Case:
    """The played history, its decisions by name, and the way to check a bundle of it."""

    stage: Stage
    told: Mapping[str, int]

    def made(self, name: str, disclose: Disclosure = EVERYTHING) -> Bundle:
        return parse_bundle(self.stage.bundle(self.told[name], disclose))

    def forger(self) -> Forger:
        return Forger(self.stage, [data for _, data in self.stage.log.events()])

    def check(self, bundle: Bundle, **more: Any) -> Report:
        signers = more.pop("signers", self.stage.pins())
        pinned = None if signers is None else allowed_signers.parse(signers)
        return check_bundle(bundle.to_bytes(), more.pop("policy", self.stage.policy()), pinned, **more)


@pytest.fixture(scope="session")
def case() -> Case:
    with counted_randomness():
        return Case(*history())


@pytest.fixture
def stage() -> Iterator[Stage]:
    """Give a stage that a test may change."""
    with counted_randomness():
        stage = Stage()
        stage.settle()
        yield stage


@pytest.fixture
def golden() -> Callable[[str], bytes]:
    return lambda name: (GOLDEN / name).read_bytes()


@pytest.fixture
def reopened() -> Callable[..., Bundle]:
    """Give the way to change one disclosure of a bundle."""

    def changed(bundle: Bundle, index: int, seq: int | None = None, **opening: Any) -> Bundle:
        old = bundle.disclosures[index]
        new = Disclosed(old.seq if seq is None else seq, replace(old.opening, **opening))
        rest = [one for place, one in enumerate(bundle.disclosures) if place != index]
        disclosures = sorted([*rest, new], key=lambda one: (one.seq, one.opening.path))
        return replace(bundle, disclosures=tuple(disclosures))

    return changed
