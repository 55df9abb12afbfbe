"""Every link of an export, broken alone: each is found, and named by its own line."""

import os
import shutil
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rfc3161_client import HashAlgorithm, TimestampRequestBuilder

from ledger import canon
from ledger.disclosure import Opening
from ledger.note import NoteSigner, parse_note
from ledger.policy import Policy, PolicyLog
from tests.stamping import Authority
from tests.verify.exported import BUNDLES, Exported, changed, log_signer
from tools.dev.golden_bundle import key
from tools.dev.golden_export import FOLDER
from verify.cli import run
from verify.export.form import KINDS
from verify.export.lines import CheckpointLine, OpeningLine
from verify.stamp import read_roots

FILES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*") if path.is_file())
AUTHORITY = Authority(datetime(2026, 11, 30, 13, tzinfo=UTC))
ROOTS = read_roots(AUTHORITY.roots)
PROVEN = [name for name in FILES if name.partition("/")[0] in KINDS]


@pytest.fixture
def exported(tmp_path):
    return Exported.copied(tmp_path / "export")


def failed(report):
    return set(report.failed)


def why(report, check):
    return report.line(check).why


# -- events --


def test_flipped_byte_of_an_event_is_found_by_both_trees_and_the_checkpoints(exported):
    """It stays readable, so that nothing but the hashes can tell."""
    exported.edit("events", 0, 12, lambda event: event.update(request="r-other"))
    report = exported.reindex().check()
    assert {"tree BLAKE3", "tree SHA-256", "checkpoints", "index"} <= failed(report)
    assert why(report, "tree BLAKE3").partition(": ")[2].startswith("node 22 is not what events up to 12 make")
    assert "files" not in failed(report)


def test_swapped_chunks_are_found(exported):
    first, second = exported.path("events", 0), exported.path("events", 1)
    first.rename(exported.folder / "held")
    second.rename(first)
    (exported.folder / "held").rename(second)
    report = exported.reindex().check()
    assert {"events", "tree BLAKE3", "checkpoints"} <= failed(report)
    assert "event 0: it says that it is event 16" in why(report, "events")


def test_swapped_events_are_found(exported):
    events = exported.events()
    events[14], events[15] = events[15], events[14]
    report = exported.rewrite(events, log_signer()).check("log.policy")
    assert "event 14: it says that it is event 15" in why(report, "events")


def test_dropped_tail_is_found(exported):
    """Nodes and index can be made to fit by anybody; the signature can't."""
    report = exported.rewrite(exported.events()[:34]).check()
    assert "has a line that belongs to none of its events" in why(report, "events")
    assert "tree BLAKE3" not in failed(report)
    exported.put("checkpoints", 2, [])
    exported.put("openings", 2, [line for line in exported.lines("openings", 2) if opening(line).seq < 34])
    report = exported.reindex().check()
    assert failed(report) == {"checkpoints", "witnesses"}
    assert "the last checkpoint is of 32 events, and the log has 34" in why(report, "checkpoints")


def test_tail_dropped_without_the_index_is_found(exported):
    exported.put("events", 2, exported.lines("events", 2)[:-1])
    report = exported.reindex().check()
    assert "after 35 events: the events end, and the index speaks of 36" in why(report, "events")


def test_extra_event_is_found(exported):
    events = exported.events()
    extra = changed(events[-1], seq=36, request="r-extra")
    report = exported.rewrite([*events, extra]).check()
    assert "the last checkpoint is of 36 events, and the log has 37: nobody commits to the rest" in why(
        report, "checkpoints"
    )


def test_line_behind_the_last_event_is_found(exported):
    lines = exported.lines("events", 2)
    exported.put("events", 2, [*lines, lines[-1]])
    assert "belongs to none of its events" in why(exported.reindex().check(), "events")


def test_event_in_another_spelling_is_found_though_the_log_signs_it(exported):
    events = exported.events()
    events[20] = events[20].replace(b'{"at":', b'{ "at":')
    report = exported.rewrite(events, log_signer()).check("log.policy")
    assert "event 20: unreadable event: not canonical JSON" in why(report, "events")
    assert report.line("states").status == "NOT-CHECKED"


def test_time_that_steps_back_is_found_though_the_log_signs_it(exported):
    events = exported.events()
    events[35] = changed(events[35], at="2026-11-30T11:00:00.000000Z")
    report = exported.rewrite(events, log_signer()).check("log.policy")
    assert failed(report) == {"events"}
    assert "event 35 is of 2026-11-30T11:00:00.000000Z, and the one before it of" in why(report, "events")


def test_later_cause_is_found_though_the_log_signs_it(exported):
    events = exported.events()
    events[35] = changed(events[35], causes=[36])
    report = exported.rewrite(events, log_signer()).check("log.policy")
    assert "event 35 says that a later event caused it" in why(report, "events")


def test_key_taken_twice_is_found_though_the_log_signs_it(exported):
    """A request that was recorded twice under one id."""
    events = exported.events()
    report = exported.rewrite([*events, changed(events[-1], seq=36)], log_signer()).check("log.policy")
    assert "event 36 takes a key that event 35 has taken" in why(report, "events")


def test_log_that_nobody_opened_is_found(exported):
    events = exported.events()
    events[0] = changed(events[35], seq=0, causes=[])
    report = exported.rewrite(events, log_signer()).check("log.policy")
    assert {"events", "checkpoints", "first human"} <= failed(report)
    assert "event 0 opens no log" in why(report, "events")


# -- nodes --


@pytest.mark.parametrize(("offset", "line"), [(0, "tree BLAKE3"), (32, "tree SHA-256")])
def test_changed_node_is_found_in_its_tree_alone(exported, offset, line):
    path = exported.path("nodes", 1)
    data = bytearray(path.read_bytes())
    data[64 * 3 + offset] ^= 1
    path.write_bytes(data)
    report = exported.reindex().check()
    assert failed(report) == {line}
    assert "69/70" in why(report, line)
    assert "node 34 is not what events up to 18 make" in why(report, line)


@pytest.mark.parametrize("change", [lambda data: data[:-64], lambda data: data + data[-64:]])
def test_missing_or_extra_node_is_found(exported, change):
    path = exported.path("nodes", 2)
    path.write_bytes(change(path.read_bytes()))
    assert "tree BLAKE3" in failed(exported.reindex().check())


# -- checkpoints --


def test_missing_last_checkpoint_is_found(exported):
    exported.put("checkpoints", 2, [])
    report = exported.reindex().check()
    assert "the last checkpoint is of 32 events, and the log has 36" in why(report, "checkpoints")


def test_log_without_any_checkpoint_proves_nothing(exported):
    for chunk in range(3):
        exported.put("checkpoints", chunk, [])
    report = exported.reindex().check()
    assert failed(report) == {"checkpoints"}
    assert "there is no checkpoint, and the log has 36" in why(report, "checkpoints")
    assert report.line("witnesses").status == "NOT-CHECKED"


def test_earlier_checkpoint_that_was_left_out_is_found_by_the_files_and_by_nothing_else(exported):
    exported.put("checkpoints", 0, [])
    assert failed(exported.check()) == {"files"}
    assert failed(exported.reindex().check()) == set()


def test_checkpoint_of_a_key_that_the_policy_does_not_name_is_found(exported):
    report = exported.rewrite(exported.events(), NoteSigner(log_signer().name, key("another"))).check("log.policy")
    assert failed(report) == {"checkpoints"}
    assert "no known key has signed this note" in why(report, "checkpoints")


def test_checkpoint_of_another_log_that_the_policy_names_is_found(exported):
    other = log_signer("tally.example/other")
    policy = Policy((PolicyLog(log_signer().verifier_key), PolicyLog(other.verifier_key)), (), ()).text().encode()
    report = exported.rewrite(exported.events(), other).check(policy)
    assert "checkpoints" in failed(report)
    assert "no known key has signed this note" in why(report, "checkpoints")


def test_log_of_another_key_than_the_policy_names_is_found(exported):
    """The log's own key has signed it all, and is not the one that the auditor trusts."""
    policy = Policy((PolicyLog(log_signer("tally.example/other").verifier_key),), (), ()).text().encode()
    report = exported.check(policy)
    assert failed(report) == {"checkpoints"}
    assert "none of the policy's logs has signed the last checkpoint, nor did a former key" in why(
        report, "checkpoints"
    )


def test_checkpoint_of_other_roots_is_found(exported):
    """The log signs another history of the same size, and the export shows this one."""
    other = Exported.copied(exported.folder.with_name("other"))
    events = other.events()
    other.rewrite([*events[:-1], changed(events[-1], request="r-other")], log_signer())
    exported.put("checkpoints", 2, other.lines("checkpoints", 2))
    report = exported.reindex().check("log.policy")
    assert failed(report) == {"checkpoints"}
    assert "at size 36: the events do not come to the roots that it commits to" in why(report, "checkpoints")


def test_checkpoint_filed_under_another_size_is_found(exported):
    lines = [CheckpointLine.parse(line[:-1]) for line in exported.lines("checkpoints", 0)]
    exported.put("checkpoints", 0, [CheckpointLine(12, one.note).to_bytes() for one in lines])
    assert "the note speaks of size 11" in why(exported.reindex().check(), "checkpoints")


@pytest.mark.parametrize("moved", [(0, 2), (2, 0)])
def test_checkpoint_in_the_wrong_file_is_found(exported, moved):
    lines = exported.lines("checkpoints", moved[0])
    exported.put("checkpoints", moved[1], [*lines, *exported.lines("checkpoints", moved[1])])
    exported.put("checkpoints", moved[0], [])
    assert "events" in failed(exported.reindex().check())


def test_checkpoint_that_stands_twice_is_found(exported):
    exported.put("checkpoints", 1, exported.lines("checkpoints", 1) * 2)
    assert "each size stands once" in why(exported.reindex().check(), "events")


def test_cosignature_that_does_not_hold_is_found(exported):
    exported.edit(
        "checkpoints",
        2,
        0,
        lambda one: one["cosignatures"][0].update(line=one["cosignatures"][0]["line"].replace("AA", "BA")),
    )
    assert "checkpoints" in failed(exported.reindex().check())


def test_cosignature_filed_under_another_witness_is_found(exported):
    exported.edit("checkpoints", 2, 0, lambda one: one["cosignatures"][0].update(witness="w9.example+00000000"))
    assert "is not one line of it" in why(exported.reindex().check(), "checkpoints")


def test_quorum_that_is_not_reached_fails(exported):
    exported.edit("checkpoints", 2, 0, lambda one: one.update(cosignatures=[]))
    report = exported.reindex().check()
    assert failed(report) == {"witnesses"}
    assert why(report, "witnesses") == "the quorum w1 is not reached by: nobody"


def stamped(exported, text=None, authority=AUTHORITY):
    """Put a time stamp over the last checkpoint, or over another text."""
    note = CheckpointLine.parse(exported.lines("checkpoints", 2)[0][:-1]).note
    over = (parse_note(note)[0] if text is None else text).encode()
    request = TimestampRequestBuilder().data(over).hash_algorithm(HashAlgorithm.SHA256).build()
    token = canon.to_base64url(authority.answer(request.as_bytes()))
    one = {"authority": "tsa.example", "token": token}
    exported.edit("checkpoints", 2, 0, lambda line: line.update(timestamps=[one]))
    return exported.reindex()


def test_time_stamps_are_checked_where_certificates_are_trusted(exported):
    report = stamped(exported).check(certificates=ROOTS)
    assert report.failed == report.unchecked == ()
    assert why(report, "time stamps") == (
        "1/1 time stamps hold; the last checkpoint with one existed at 2026-11-30T13:00:00.000000Z"
    )
    report = exported.check()
    assert (report.failed, report.unchecked) == ((), ("time stamps",))
    assert "there are 1: give --roots FILE" in why(report, "time stamps")


def test_time_stamp_that_does_not_hold_is_found(exported):
    report = stamped(exported, "another text\n").check(certificates=ROOTS)
    assert failed(report) == {"time stamps"}
    assert "of 'tsa.example' at size 36: it stamps other bytes" in why(report, "time stamps")
    assert failed(exported.check()) == set()
    stamped(exported, authority=Authority(datetime(2026, 11, 30, 13, tzinfo=UTC)))
    assert failed(exported.check(certificates=ROOTS)) == {"time stamps"}


def test_time_stamp_older_than_what_it_stamps_is_found(exported):
    """The authority is believed; that its time is before the newest event's can't be with honest clocks."""
    early = Authority(datetime(2026, 1, 1, tzinfo=UTC))
    report = stamped(exported, authority=early).check(certificates=read_roots(early.roots))
    assert failed(report) == {"time stamps"}
    assert "the log's clock or the authority's was wrong" in why(report, "time stamps")


def test_command_takes_the_certificates(exported, tmp_path, capsys):
    stamped(exported)
    (tmp_path / "roots.pem").write_bytes(AUTHORITY.roots)
    trusted = ["--policy", str(BUNDLES / "witnessed.policy"), "--signers", str(BUNDLES / "human.signers")]
    words = ["log", str(exported.folder), *trusted, "--strict"]
    assert run(words) == 6
    assert run([*words, "--roots", str(tmp_path / "roots.pem")]) == 0
    assert run([*words, "--roots", str(BUNDLES / "human.signers")]) == 1
    assert "no certificates in PEM form" in capsys.readouterr().err


# -- who signed --


def test_forged_signature_of_a_human_is_found_though_the_log_signs_it(exported):
    events = exported.events()
    value = canon.decode(events[5])
    value["body"]["name"]["sd"] = canon.decode(events[4])["body"]["name"]["sd"]
    events[5] = canon.encode(value)
    report = exported.rewrite(events, log_signer()).check("log.policy")
    assert "signatures" in failed(report)
    assert "event 5, principal.registered: SHA256:" in why(report, "signatures")


def test_another_first_human_than_the_pinned_one_is_found(exported, case):
    from grants import allowed_signers
    from tools.dev.golden_bundle import Stage
    from verify.export import check_export

    pinned = allowed_signers.parse(Stage().pins("human:bo"))
    report = check_export(exported.folder, case.stage.policy(witnessed=True), pinned)
    assert failed(report) == {"first human"}


def test_without_signers_the_first_human_is_not_checked_and_signatures_are(exported):
    report = exported.check(signers=None)
    assert report.unchecked == ("first human",)
    assert report.line("signatures").status == "PASS"


def test_update_of_trust_that_does_not_follow_is_found_though_the_log_signs_it(exported):
    events = exported.events()
    seq = next(n for n, data in enumerate(events) if canon.decode(data)["type"] == "trust.updated")
    value = canon.decode(events[seq])
    value["body"]["accumulator"][1] += 1
    events[seq] = canon.encode(value)
    report = exported.rewrite(events, log_signer()).check("log.policy")
    assert "signatures" in failed(report)


def test_event_that_contradicts_a_state_is_found_though_the_log_signs_it(exported):
    """A consent is spent again: other words for the same use."""
    events = exported.events()
    seq = next(n for n, data in enumerate(events) if canon.decode(data)["type"] == "consent.consumed")
    report = exported.rewrite([*events, changed(events[seq], seq=36, at=canon.decode(events[35])["at"])], log_signer())
    found = report.check("log.policy")
    assert "states" in failed(found)
    assert "event 36" in why(found, "states")


# -- openings --


def opening(line):
    return OpeningLine.parse(line[:-1])


@pytest.mark.parametrize(
    "change",
    [
        lambda one: one.update(value='"somebody else"'),
        lambda one: one.update(salt="A" * 43),
        lambda one: one.update(path="/origin"),
        lambda one: one.update(value='{"b":1, "a":2}'),
    ],
)
def test_opening_that_does_not_fit_is_found(exported, change):
    exported.edit("openings", 0, 0, change)
    assert failed(exported.reindex().check()) == {"disclosures"}


def test_opening_of_another_event_is_found(exported):
    lines = exported.lines("openings", 0)
    other = opening(lines[1])
    moved = OpeningLine(0, other.path, other.salt, other.value)
    exported.put("openings", 0, [moved.to_bytes(), *lines[1:]])
    assert failed(exported.reindex().check()) == {"disclosures"}


def test_opening_that_stands_twice_or_out_of_order_is_found(exported):
    lines = exported.lines("openings", 0)
    for wrong in ([lines[0], *lines], [lines[1], lines[0], *lines[2:]]):
        exported.put("openings", 0, wrong)
        assert "openings are sorted" in why(exported.reindex().check(), "events")


def test_opening_in_the_wrong_chunk_is_found(exported):
    exported.put("openings", 0, [*exported.lines("openings", 0), *exported.lines("openings", 1)])
    exported.put("openings", 1, [])
    assert "belongs to none of its events" in why(exported.reindex().check(), "events")


def test_missing_opening_is_counted(exported):
    exported.put("openings", 0, exported.lines("openings", 0)[1:])
    report = exported.reindex().check()
    assert failed(report) == set()
    assert "fields without an opening: 1" in why(report, "disclosures")


def test_opening_of_other_values_is_an_opening_no_more():
    line = OpeningLine(3, "/name", bytes(32), b'"Ada"')
    assert OpeningLine.parse(line.to_bytes()[:-1]) == line
    assert line.opening() == Opening("/name", bytes(32), "Ada")


# -- files and index --


@pytest.mark.parametrize("name", [name for name in FILES if name != "index.json"])
def test_each_file_is_held_against_its_length_and_its_digest(exported, name):
    path = exported.folder / name
    data = path.read_bytes()
    path.write_bytes(data[:-1])
    assert "files" in failed(exported.check())
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    assert "files" in failed(exported.check())
    path.unlink()
    assert "files" in failed(exported.check())


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(PROVEN), st.data())
def test_any_changed_bit_is_found_though_the_index_is_made_to_fit(exported, name, data):
    """No byte of the proven files is free, but for what no verifier reads: lines of unknown witnesses."""
    path = exported.folder / name
    right = path.read_bytes()
    if not right:
        return
    place, bit = data.draw(st.integers(0, len(right) - 1)), data.draw(st.integers(0, 7))
    wrong = bytearray(right)
    wrong[place] ^= 1 << bit
    path.write_bytes(wrong)
    try:
        assert not exported.reindex().check().verified
    finally:
        path.write_bytes(right)


@pytest.mark.parametrize("name", ["stranger", "events/00000003.jsonl", "openings/.hidden", "nodes/00000000.bin.gz"])
def test_file_that_has_no_place_is_found(exported, name):
    (exported.folder / name).write_text("x")
    report = exported.check()
    assert failed(report) == {"files"}
    assert name in why(report, "files")


def test_index_that_lies_about_the_roots_is_found(exported):
    roots = exported.index()["roots"]
    for tree in roots:
        report = exported.reindex(roots=roots | {tree: "A" * 43}).check()
        assert failed(report) == {"index"}


def test_index_that_lies_about_the_origin_is_found(exported):
    assert failed(exported.reindex(origin="tally.example/other").check()) == {"index"}


def test_index_that_claims_no_openings_is_held_to_it(exported):
    shutil.rmtree(exported.folder / "openings")
    report = exported.reindex(openings=False).check()
    assert (report.failed, report.unchecked) == ((), ("disclosures",))


@pytest.mark.parametrize(
    "change",
    [
        lambda index: index.update(v=2),
        lambda index: index.update(size=0),
        lambda index: index.update(size=2**53 - 1),
        lambda index: index.update(size=-1),
        lambda index: index.update(size=True),
        lambda index: index.update(size=37_000),
        lambda index: index.update(chunk=1),
        lambda index: index.update(chunk=48),
        lambda index: index.update(chunk=2**40),
        lambda index: index.update(chunk=0),
        lambda index: index.update(openings=1),
        lambda index: index.update(roots={"blake3": "AA", "sha256": "AA"}),
        lambda index: index.update(more=1),
        lambda index: index.pop("origin"),
        lambda index: index["files"].append(index["files"][0]),
        lambda index: index["files"].reverse(),
        lambda index: index["files"].pop(2),
        lambda index: index["files"][0].update(bytes=2**50),
        lambda index: index["files"][0].update(sha256="A" * 64),
        lambda index: index["files"][2].update(name="../../../etc/passwd"),
        lambda index: index["files"][2].update(name="/etc/passwd"),
        lambda index: index["files"].append({"name": "events/../signers", "bytes": 1, "sha256": "a" * 64}),
    ],
)
def test_index_that_breaks_its_form_is_found_before_any_file_is_read(exported, change):
    index = exported.index()
    change(index)
    exported.write_index(index)
    report = exported.check()
    assert report.failed == ("index",)
    assert len(report.unchecked) == 11


def test_index_in_another_spelling_is_found(exported):
    path = exported.folder / "index.json"
    for wrong in (path.read_bytes() + b"\n", path.read_bytes()[:-1], b" " + path.read_bytes()):
        path.write_bytes(wrong)
        assert exported.check().failed == ("index",)


@pytest.mark.parametrize("name", ["events/00000000.jsonl", "nodes/00000001.bin", "README.txt"])
def test_link_in_the_place_of_a_file_is_not_followed(exported, name):
    path = exported.folder / name
    path.rename(exported.folder.parent / "elsewhere")
    path.symlink_to(exported.folder.parent / "elsewhere")
    report = exported.check()
    assert "files" in failed(report)
    assert "is missing, or no plain file" in why(report, "files")


def test_link_in_the_place_of_a_folder_is_not_followed(exported):
    (exported.folder / "events").rename(exported.folder.parent / "elsewhere")
    (exported.folder / "events").symlink_to(exported.folder.parent / "elsewhere")
    assert {"files", "events"} <= failed(exported.check())


def test_pipe_in_the_place_of_a_file_does_not_hold_up_the_check(exported):
    exported.path("events", 1).unlink()
    os.mkfifo(exported.path("events", 1))
    assert {"files", "events"} <= failed(exported.check())


def test_line_without_an_end_is_not_read_into_memory(exported):
    """Two mebibytes are an event; what is longer is none, however long it is."""
    with exported.path("events", 2).open("wb") as file:
        file.truncate(3 * 1024 * 1024)
    assert "has a line that is too long" in why(exported.reindex().check(), "events")


# -- what is an export at all --


def exit_of(folder):
    return run(["log", str(folder), "--policy", str(BUNDLES / "log.policy")])


@pytest.mark.parametrize("kind", KINDS)
def test_missing_folder_is_a_failure_of_the_export(exported, kind):
    shutil.rmtree(exported.folder / kind)
    report = exported.check()
    assert {"files", "events"} <= failed(report)
    assert f"{kind}/00000000.{KINDS[kind]} is missing, or no plain file" in why(report, "files")
    assert exit_of(exported.folder) == 3


@pytest.mark.parametrize("name", FILES)
def test_missing_and_emptied_files_are_failures_of_the_export(exported, name):
    (exported.folder / name).write_bytes(b"")
    # An empty file may be in its place: where nothing is to stand in it.
    assert exit_of(exported.folder) == (0 if not (FOLDER / name).stat().st_size else 3)
    (exported.folder / name).unlink()
    assert exit_of(exported.folder) == 3


@pytest.mark.parametrize("index", [None, b"", b"{", b'{"format":"another"}\n'])
def test_what_holds_no_part_of_an_export_is_none(exported, index):
    for kind in KINDS:
        shutil.rmtree(exported.folder / kind)
    path = exported.folder / "index.json"
    path.unlink()
    if index is not None:
        path.write_bytes(index)
    assert exit_of(exported.folder) == 1
    assert exit_of(exported.folder / "nowhere") == 1
