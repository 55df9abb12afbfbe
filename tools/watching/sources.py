"""Where a watcher gets a log's newest checkpoint and its proofs from: a ledger, an export of one, or an address.

None of them is believed: a checkpoint is the log's by its signature, a proof holds or does not.

Source: DESIGN section 9; docs/spec/equivocation.md.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Final, Protocol, TypeVar

from ledger import mmr
from ledger.digest import SIZE
from ledger.errors import ProofError
from ledger.log import Snapshot, Tree
from ledger.note import MAX_SIZE
from tools import web
from tools.errors import InputError, NotFollowedError, RemoteError
from tools.home import Home
from tools.ledger import open_ledger
from tools.watching.life import ExportedLife, published_links
from tools.witnessing.standing import cosigned_note
from verify.continuation import MAX_BYTES, Continuation, continuation
from verify.errors import VerifyError
from verify.export.files import Folder, Records
from verify.export.form import INDEX, MAX_INDEX, MAX_LINE, Index, file_name, parse_index
from verify.export.lines import CheckpointLine
from verify.links.form import MAX_BYTES as MAX_LINKS_BYTES
from verify.links.maker import assemble

_ROW: Final = 2 * SIZE

T = TypeVar("T")


class Source(Protocol):
    """A log that can be watched."""

    def newest(self) -> bytes:
        """Give the newest checkpoint, with whatever lines witnesses added.

        Raises:
            ToolError: it can't be had now.
            LedgerError: likewise.
            VerifyError: likewise.
        """

    def continuation(self, old: int, new: int) -> Continuation:
        """Give what the log says of an older size.

        Raises:
            ToolError: it can't be had now.
            StoreError: likewise.
            ProofError: the log has no such sizes.
            ContinuationFormError: the answer has another form.
        """

    def links(self, size: int) -> bytes:
        """Give what leads from the log's former names and keys to its checkpoint of a size.

        Raises:
            ToolError: it can't be had now, or is not shown here.
            LedgerError: likewise.
            VerifyError: what is there does not hold.
        """


class LedgerSource:
    """A ledger's directory, with its database."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def newest(self) -> bytes:
        """Give the newest checkpoint that the ledger keeps."""

        def look(snapshot: Snapshot) -> bytes:
            found = snapshot.newest_checkpoint()
            if found is None:
                raise InputError(f"{self._home.path}: no checkpoint was signed yet")
            return cosigned_note(snapshot, *found)

        return self._read(look)

    def continuation(self, old: int, new: int) -> Continuation:
        """Prove from the stored nodes."""
        return self._read(lambda look: continuation(look.nodes, look.head.size, old, new))

    def links(self, size: int) -> bytes:
        """Make them from the stored events, nodes and checkpoints."""
        return self._read(lambda look: published_links(look, size))

    def _read(self, work: Callable[[Snapshot], T]) -> T:
        ledger = open_ledger(self._home)
        try:
            return ledger.log.read(work)
        finally:
            ledger.close()


class ExportSource:
    """A directory that `tally export` wrote; a later export in its place is a longer log."""

    def __init__(self, path: Path) -> None:
        self._folder = Folder(path)

    def newest(self) -> bytes:
        """Give the last checkpoint of the export."""
        with self._readable():
            index = self._index()
            name = file_name("checkpoints", index.chunks - 1)
            last = None
            with self._folder.open(name) as file:
                records = Records(file, name, MAX_LINE, CheckpointLine.parse)
                while (one := records.take()) is not None:
                    last = one
        if last is None:
            raise InputError(f"{self._folder.path}: the export ends at no checkpoint: run tally-verify log")
        return last.whole_note()

    def continuation(self, old: int, new: int) -> Continuation:
        """Prove from the exported nodes."""
        with self._readable():
            index = self._index()
            return continuation(lambda tree: _ExportedNodes(self._folder, index, tree), index.size, old, new)

    def links(self, size: int) -> bytes:
        """Make them from the exported events, nodes and checkpoints."""
        with self._readable():
            index = self._index()
            life = ExportedLife(self._folder, index, lambda tree: _ExportedNodes(self._folder, index, tree))
            found = life.newest_checkpoint(size + 1)
            if found is None or found[0] != size:
                raise RemoteError(f"{self._folder.path} has no checkpoint of {size} events any more")
            return assemble(life, life, found[1])

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """Tell an export that is being written, or is damaged, from one that shows something."""
        try:
            yield
        except VerifyError as error:
            raise RemoteError(f"{self._folder.path} can't be read as an export now: {error}") from error

    def _index(self) -> Index:
        return parse_index(self._folder.read(INDEX, MAX_INDEX))


class _ExportedNodes:
    """Reads one tree's nodes from the files of an export."""

    def __init__(self, folder: Folder, index: Index, tree: Tree) -> None:
        self._folder = folder
        self._starts = [mmr.size(index.bounds(number)[0]) for number in range(index.chunks)]
        self._offset = 0 if tree == "blake3" else SIZE

    def read(self, positions: Sequence[int]) -> list[bytes]:
        """Give the nodes at these positions, in the same order.

        Raises:
            ProofError: one of them is not there.
        """
        return [self._one(position) for position in positions]

    def _one(self, position: int) -> bytes:
        number = bisect_right(self._starts, position) - 1
        with self._folder.open(file_name("nodes", number)) as file:
            file.seek((position - self._starts[number]) * _ROW + self._offset)
            value = file.read(SIZE)
        if len(value) != SIZE:
            raise ProofError("the export has no such node")
        return value


class AddressSource:
    """An address under which `tally checkpoint serve` answers, or what answers like it."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")

    def newest(self) -> bytes:
        """Fetch the newest checkpoint."""
        return self._get(f"{self._url}/checkpoint", MAX_SIZE)

    def continuation(self, old: int, new: int) -> Continuation:
        """Fetch what the log says of an older size."""
        return Continuation.parse(self._get(f"{self._url}/consistency/{old}/{new}", MAX_BYTES, missing=ProofError))

    def links(self, size: int) -> bytes:
        """Fetch them."""
        return self._get(f"{self._url}/links/{size}", MAX_LINKS_BYTES, missing=NotFollowedError)

    def _get(self, url: str, most: int, missing: type[Exception] = RemoteError) -> bytes:
        reply = web.get(url, most=most)
        if reply.status == HTTPStatus.NOT_FOUND:
            raise missing(
                f"{url}: there is nothing here: {' '.join(reply.body[:200].decode(errors='replace').split())}"
            )
        if reply.status != HTTPStatus.OK:
            raise RemoteError(f"{url} answers {reply.status}: check the address, and whether it serves checkpoints")
        return reply.body


def source_of(named: str) -> Source:
    """Find out what is to be watched.

    Raises:
        InputError: neither an address nor a directory of a ledger or an export.
    """
    if named.startswith(("http://", "https://")):
        return AddressSource(named)
    path = Path(named).absolute()
    if (path / INDEX).is_file():
        return ExportSource(path)
    if path.is_dir():
        return LedgerSource(Home(path))
    raise InputError(f"{named[:200]} is no directory of a ledger or an export, and no http:// or https:// address")
