"""An export that a test may change: by hand, by a forger of files, and by an operator who holds the log's key."""

import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grants import allowed_signers
from ledger import canon
from ledger.checkpoint import Checkpoint, sign_checkpoint
from ledger.note import NoteSigner
from ledger.policy import parse_policy
from tools.dev.golden_bundle import ORIGIN, key
from tools.dev.golden_export import CHUNK, FOLDER
from verify.export import LogReport, check_export
from verify.export.form import KINDS, file_name
from verify.export.lines import CheckpointLine
from verify.export.trees import Trees

BUNDLES = FOLDER.parents[1] / "bundles"


@dataclass
class Exported:
    """A copy of the published export."""

    folder: Path

    @classmethod
    def copied(cls, place: Path) -> "Exported":
        shutil.copytree(FOLDER, place)
        return cls(place)

    def check(
        self, policy: str | bytes = "witnessed.policy", signers: str | None = "human.signers", **more: Any
    ) -> LogReport:
        trusted = parse_policy(policy if isinstance(policy, bytes) else (BUNDLES / policy).read_bytes())
        pinned = None if signers is None else allowed_signers.parse((BUNDLES / signers).read_bytes())
        return check_export(self.folder, trusted, pinned, **more)

    # -- files --

    def path(self, kind: str, chunk: int) -> Path:
        return self.folder / file_name(kind, chunk)

    def lines(self, kind: str, chunk: int) -> list[bytes]:
        return self.path(kind, chunk).read_bytes().splitlines(keepends=True)

    def put(self, kind: str, chunk: int, lines: Sequence[bytes]) -> None:
        self.path(kind, chunk).write_bytes(b"".join(lines))

    def edit(self, kind: str, chunk: int, line: int, change: Callable[[dict[str, Any]], None]) -> None:
        """Change one line, as its canonical JSON says it."""
        lines = self.lines(kind, chunk)
        value: Any = canon.decode(lines[line].removesuffix(b"\n"))
        change(value)
        lines[line] = canon.encode(value) + b"\n"
        self.put(kind, chunk, lines)

    # -- the index --

    def index(self) -> dict[str, Any]:
        return dict(json.loads((self.folder / "index.json").read_bytes()))

    def write_index(self, value: dict[str, Any]) -> None:
        text = json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
        (self.folder / "index.json").write_text(f"{text}\n")

    def reindex(self, **changes: Any) -> "Exported":
        """List the files as they are now: what a forger does who has no key."""
        names = sorted(
            path.relative_to(self.folder).as_posix()
            for path in self.folder.rglob("*")
            if path.is_file() and path.name != "index.json"
        )
        files = [
            {"name": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for name, data in ((name, (self.folder / name).read_bytes()) for name in names)
        ]
        self.write_index(self.index() | {"files": files} | changes)
        return self

    # -- the whole log --

    def events(self) -> list[bytes]:
        data = b"".join(path.read_bytes() for path in sorted((self.folder / "events").iterdir()))
        return data.removesuffix(b"\n").split(b"\n")

    def rewrite(self, events: Sequence[bytes], signer: NoteSigner | None = None) -> "Exported":
        """Write another history, with right trees, roots and index: what an operator does who holds the log's key.

        Without a signer the checkpoints stay as they are.
        """
        size, trees = len(events), Trees()
        nodes = [b"".join(own + twin for own, twin in trees.add(data)) for data in events]
        own, twin = trees.roots()
        chunks = range(-(-size // CHUNK))
        for number in chunks:
            part = slice(number * CHUNK, (number + 1) * CHUNK)
            self.put("events", number, [data + b"\n" for data in events[part]])
            self.put("nodes", number, nodes[part])
            for kind in ("openings", "checkpoints"):
                self.path(kind, number).touch()
            if signer is not None:
                self.put("checkpoints", number, [])
        if signer is not None:
            note = sign_checkpoint(Checkpoint(signer.name, size, twin, own), signer)
            self.put("checkpoints", chunks[-1], [CheckpointLine(size, note).to_bytes()])
        for kind in KINDS:
            for path in (self.folder / kind).iterdir():
                if path.name not in {file_name(kind, number).partition("/")[2] for number in chunks}:
                    path.unlink()
        roots = {"blake3": canon.to_base64url(own), "sha256": canon.to_base64url(twin)}
        return self.reindex(size=size, roots=roots)


def log_signer(origin: str = ORIGIN) -> NoteSigner:
    """Give who signs for the published log."""
    return NoteSigner(origin, key(origin))


def changed(data: bytes, **changes: Any) -> bytes:
    """Give an event with other fields in its envelope."""
    value: Any = canon.decode(data)
    return canon.encode(value | changes)
