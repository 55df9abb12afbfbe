"""What the benchmark says of its own figures: thresholds are worked out, never written by hand."""

import xml.etree.ElementTree as ET

import pytest

from decisions import pdp
from tools.dev.bench import appending, growing, judging, page, plot, policies
from tools.dev.bench.floor import SqliteFloor, transactions
from tools.dev.bench.logs import LogPath, plain_log
from tools.dev.bench.sample import check_template, contents
from tools.dev.bench.sheet import CEDARPY, PYCASBIN, PYMERKLE, RAW_SQLITE, REGORUS, SQLITE, Sheet
from tools.dev.bench.thresholds import judge

SIZES = [10_000, 100_000]


def verdicts(sheet: Sheet) -> dict[str, bool | None]:
    return {one.what: one.holds for one in judge(sheet, SIZES)}


def test_nothing_holds_that_was_not_measured() -> None:
    assert set(verdicts(Sheet()).values()) == {None}
    assert "NOT-RUN" in page.judged(judge(Sheet(), SIZES))


@pytest.mark.parametrize(("ours", "holds"), [(1000.0, True), (625.0, True), (600.0, False)])
def test_a_single_append_is_held_against_the_floor_of_its_own_turn(ours: float, holds: bool) -> None:
    sheet = Sheet()
    for slowdown in (1.0, 0.1, 0.5):
        sheet.add(appending.SINGLE, "events/s", SQLITE, ours * slowdown)
        sheet.add(appending.SINGLE, "events/s", RAW_SQLITE, 1000 * slowdown)
    assert verdicts(sheet)["single durable append, tallystick, SQLite, times the raw floor"] is holds


@pytest.mark.parametrize(("larger", "flat", "enough"), [(29_000.0, True, True), (19_000.0, False, False)])
def test_proofs_are_held_against_their_number_and_their_flatness(larger: float, flat: bool, enough: bool) -> None:
    sheet = Sheet()
    sheet.add(growing.proving(10_000), "proofs/s", SQLITE, 30_000)
    sheet.add(growing.proving(100_000), "proofs/s", SQLITE, larger)
    found = verdicts(sheet)
    assert found["proofs, quickest over slowest from 10^4 to 10^5"] is flat
    assert found["proofs, 10^5 events"] is enough


@pytest.mark.parametrize(("ours", "holds"), [(10.0, True), (11.0, False)])
def test_a_verdict_is_held_against_the_fastest_peer(ours: float, holds: bool) -> None:
    sheet, size = Sheet(), max(policies.SIZES)
    for engine, figure in {SQLITE: ours, CEDARPY: 100.0, REGORUS: 20.0, PYCASBIN: 900.0}.items():
        sheet.add(judging.verdict(size), "us", engine, figure)
    assert verdicts(sheet)[f"verdict under {size} rules, times the fastest peer's"] is holds


@pytest.mark.parametrize("size", policies.SIZES)
def test_the_policies_say_in_our_words_what_they_say_in_plain_ones(size: int) -> None:
    policy, asked = policies.rules(size), policies.requests()
    law, answers = policies.constitution(policy), {policies.expected(policy, request) for request in asked}
    assert answers == {True, False}
    for request in asked:
        verdict = pdp.decide(law, [policies.case(request)], ())
        assert (verdict.outcome == "allow") is policies.expected(policy, request)


def test_the_page_has_a_column_for_whatever_was_measured() -> None:
    sheet = Sheet()
    sheet.add(growing.checking(10_000), "proofs/s", SQLITE, 5)
    sheet.add(appending.SINGLE, "events/s", PYMERKLE, 1234.5)
    text = page.write(sheet, judge(sheet, SIZES), "benchmarks.svg")
    assert f"| what | {SQLITE} | {PYMERKLE} |" in text
    assert f"| {appending.SINGLE} (events/s) |  | 1,234 |" in text
    assert text.index(appending.SINGLE) < text.index(growing.checking(10_000))


def test_the_plot_is_a_drawing() -> None:
    sheet = Sheet()
    for size in SIZES:
        sheet.add(growing.proving(size), "proofs/s", SQLITE, 30_000)
        sheet.add(growing.proving(size), "proofs/s", PYMERKLE, 300)
    drawing = ET.fromstring(plot.draw(sheet, SIZES))
    assert len(drawing.findall("{http://www.w3.org/2000/svg}polyline")) == 2


def test_both_sides_write_the_same_rows(tmp_path) -> None:
    """The floor's rows are the very rows that the log has, byte for byte."""
    check_template()
    entries = contents(0, 25)
    floor = SqliteFloor(tmp_path / "floor.db")
    for rows in transactions(entries, 10):
        floor.write(rows)
    log = plain_log(tmp_path / "log.db")
    path = LogPath(log)
    for start in range(0, 25, 10):
        path.append(entries[start : start + 10])

    def whole(table: str) -> list[tuple[object, ...]]:
        with log.engine.begin() as connection:
            return [tuple(row) for row in connection.exec_driver_sql(f"SELECT * FROM {table}")]

    for table in ("events", "nodes"):
        assert whole(table) == floor.connection.execute(f"SELECT * FROM {table}").fetchall()
    assert whole("head")[0][:5] == floor.connection.execute("SELECT * FROM head").fetchone()
    path.close()
    log.close()
    floor.connection.close()
