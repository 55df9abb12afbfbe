"""What was erased is in no export, the erasure is judged again, and an opening that came back is found."""

import pytest

from grants import erasing
from ledger.instant import from_microseconds
from tests.verify.exported import Exported
from tools.dev import golden_export
from tools.dev.golden_bundle import EVENTS, SECOND, counted_randomness, history
from verify.export.files import Folder
from verify.export.form import Index, parse_index
from verify.export.lines import OpeningLine
from verify.export.lookup import PassedEvents


@pytest.fixture
def erased(tmp_path):
    """An export of the history in which the name in event 2 was erased long after, and the opening as it was."""
    with counted_randomness():
        stage, _ = history()
        (opening,) = stage.log.openings(2)
        stage.now += SECOND
        at = from_microseconds(stage.now)
        (prepared,) = stage.log.read(
            lambda look: erasing.erase(
                look, EVENTS, by="human:ada", fields=[(2, "/name")], basis="gdpr-art-17-1-a", at=at
            )
        )
        draft = prepared.sign(stage.signer("human:ada"))
        stage.log.transact(lambda tx: erasing.append_erasure(tx, EVENTS, [draft]))
    golden_export.make(tmp_path / "export", stage)
    return Exported(tmp_path / "export"), opening


def test_export_of_a_log_with_an_erasure_verifies(erased):
    exported, _ = erased
    report = exported.check()
    assert report.failed == ()
    assert "fields without an opening: 1" in report.line("disclosures").why


def test_opening_that_came_back_is_found(erased):
    exported, opening = erased
    lines = [OpeningLine.parse(line[:-1]) for line in exported.lines("openings", 0)]
    back = OpeningLine(2, opening.path, opening.salt, b'"somebody"')
    lines = sorted([*lines, back], key=lambda line: (line.seq, line.path))
    exported.put("openings", 0, [line.to_bytes() for line in lines])
    report = exported.reindex().check()
    assert report.failed == ("disclosures",)
    assert "event 2: /name was erased, and is here" in report.line("disclosures").why


def test_passed_events_are_found_again(tmp_path):
    exported = Exported(golden_export.FOLDER)
    index: Index = parse_index((exported.folder / "index.json").read_bytes())
    passed, events = PassedEvents(Folder(exported.folder), index), exported.events()
    for seq, data in enumerate(events):
        assert passed.event_bytes(seq) is None
        passed.passed(data)
        assert passed.event_bytes(seq) == data
    assert [passed.event_bytes(seq) for seq in range(-1, len(events) + 1)] == [None, *events, None]
