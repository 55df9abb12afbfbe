"""The names and keys of a log, as a ledger or an export of it shows them to whoever follows it.

Source: docs/spec/links.md.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Final

from ledger.errors import EventError, ProofError
from ledger.event import MAX_EVENT_BYTES, Event
from ledger.log import Snapshot, Tree
from ledger.mmr import NodeReader
from verify.errors import ExportFormError
from verify.export.files import Folder, Records
from verify.export.form import MAX_LINE, Index, file_name
from verify.export.lines import CheckpointLine
from verify.links import make_links
from verify.views import EVENTS, VIEWS

# Whatever touches who may sign, or under which name and key the log speaks; its type stands in its bytes.
_TYPES: Final = (b'"type":"ledger.', b'"type":"principal.')


def published_links(look: Snapshot, size: int) -> bytes:
    """Make the links to the log's checkpoint of a size.

    Raises:
        ProofError: no checkpoint of that size was signed.
        VerifyError: what is stored does not lead there.
    """
    found = look.newest_checkpoint(size + 1)
    if found is None or found[0] != size:
        raise ProofError(f"no checkpoint of {size} events was signed")
    return make_links(look, found[1])


class ExportedLife:
    """What an export holds of a log's names and keys: its events as a source, its checkpoints and its nodes.

    Args:
        folder: the export.
        index: its index.
        nodes: gives the nodes of one tree.
    """

    def __init__(self, folder: Folder, index: Index, nodes: Callable[[Tree], NodeReader]) -> None:
        self._folder = folder
        self._index = index
        self._nodes = nodes
        self._views = {view.name: view for view in VIEWS}

    @cached_property
    def _events(self) -> dict[int, Event]:
        found: dict[int, Event] = {}
        for number in range(self._index.chunks):
            name = file_name("events", number)
            with self._folder.open(name) as file:
                records = Records(file, name, MAX_EVENT_BYTES + 1, bytes)
                while (data := records.take()) is not None:
                    if any(mark in data for mark in _TYPES):
                        self._take(data, found)
        return found

    def _take(self, data: bytes, found: dict[int, Event]) -> None:
        try:
            event = EVENTS.parse(data)
        except EventError as error:
            raise ExportFormError(f"an event of the export: {error}") from error
        found[event.seq] = event

    def event(self, seq: int) -> Event | None:
        """Give an event, if it is one of those."""
        return self._events.get(seq)

    def touching(self, view: str, key: str, stop: int | None = None) -> Sequence[Event]:
        """Give the events before ``stop`` that changed a state, oldest first."""
        fold = self._views[view]
        events = (event for seq, event in self._events.items() if stop is None or seq < stop)
        return [event for event in events if key in fold.keys(event)]

    def naming(self, decision: int) -> Sequence[Event]:  # noqa: ARG002  (the form of a source)
        """Give nothing: no decision is asked about."""
        return ()

    def nodes(self, tree: Tree) -> NodeReader:
        """Give access to the exported nodes of one tree."""
        return self._nodes(tree)

    def checkpoints(self, start: int = 0) -> Iterator[tuple[int, bytes]]:
        """Give the exported checkpoints of ``start`` events and more as (size, note), smallest first."""
        for number in range(self._index.chunks):
            name = file_name("checkpoints", number)
            with self._folder.open(name) as file:
                records = Records(file, name, MAX_LINE, CheckpointLine.parse)
                while (line := records.take()) is not None:
                    if line.size >= start:
                        yield line.size, line.note

    def newest_checkpoint(self, stop: int | None = None) -> tuple[int, bytes] | None:
        """Give the newest exported checkpoint, or the newest of fewer than ``stop`` events."""
        last = None
        for found in self.checkpoints():
            if stop is not None and found[0] >= stop:
                break
            last = found
        return last
