"""Making bundles: what is refused, what is needed, and that every view has a way to its events."""

import pytest

from ledger import digest, rfc6962
from ledger.checkpoint import Checkpoint, sign_checkpoint
from tools.dev.golden_bundle import FIXTURE, ROW, Stage
from verify.bundle import EVERYTHING, NEEDED, make_bundle, parse_bundle
from verify.bundle.source import _CANDIDATES, LogSource
from verify.errors import BundleError
from verify.views import EVENTS, VIEWS


def test_every_view_has_a_way_to_the_events_that_touch_it(case):
    """For every row of the log, the candidates hold every event that touches its key: none is overlooked."""
    assert {view.name for view in VIEWS} == set(_CANDIDATES)
    log, size = case.stage.log, case.stage.log.head.size
    source = LogSource(log, EVENTS, VIEWS, size)
    for view in VIEWS:
        touching = {}
        for _, data in log.events():
            event = EVENTS.parse(data)
            for key in view.keys(event):
                touching.setdefault(key, []).append(event.seq)
        assert touching.keys() == {row.key for row in log.states(view.name)}
        for key, seqs in touching.items():
            assert [event.seq for event in source.touching(view.name, key)] == seqs, (view.name, key)


def test_only_a_decision_has_a_bundle(case):
    for seq in (0, 5, 10_000):
        with pytest.raises(BundleError, match="no decision"):
            case.stage.bundle(seq)


def test_checkpoint_must_cover_the_decision_and_not_be_ahead_of_the_log(stage):
    note = stage.checkpoint()
    answer = stage.do("delete", FIXTURE, "r-1")
    with pytest.raises(BundleError, match="sign a new checkpoint"):
        stage.bundle(answer.decision, NEEDED, note)
    head = stage.log.head
    ahead = Checkpoint(
        stage.origin, head.size + 1, rfc6962.root(head.sha256_peaks), digest.root(head.size, head.blake3_peaks)
    )
    with pytest.raises(BundleError, match="sign a new checkpoint"):
        stage.bundle(answer.decision, NEEDED, sign_checkpoint(ahead, stage.log_signer))


def test_consumption_must_be_covered_too(stage):
    held = stage.do("delete", ROW, "r-1")
    stage.consent(held)
    used = stage.do("delete", ROW, "r-2")
    head = stage.log.head
    assert head.size == used.decision + 2
    shorter = Stage.checkpoint(stage).replace(f"\n{head.size}\n".encode(), f"\n{used.decision + 1}\n".encode())
    with pytest.raises(BundleError, match=f"needs event {used.decision + 1}"):
        stage.bundle(used.decision, NEEDED, shorter)


@pytest.mark.parametrize("note", [b"", b"no note", b"tally.example/golden\n9\nAAAA\n\n\xe2\x80\x94 x AAAAAAAA\n"])
def test_what_is_no_checkpoint_is_refused(case, note):
    with pytest.raises(BundleError, match="checkpoint"):
        make_bundle(case.stage.log, EVENTS, VIEWS, case.told["hold"], note)


def test_checkpoint_that_commits_to_something_else_is_refused(stage):
    answer = stage.do("delete", FIXTURE, "r-1")
    head = stage.log.head
    other = Checkpoint(stage.origin, head.size, bytes(32), digest.root(head.size, head.blake3_peaks))
    with pytest.raises(BundleError, match="not what the checkpoint commits to"):
        stage.bundle(answer.decision, NEEDED, sign_checkpoint(other, stage.log_signer))


def test_second_use_rests_on_the_first_one(stage):
    held = stage.do("delete", ROW, "r-1")
    stage.consent(held, uses=2)
    first, second = stage.do("delete", ROW, "r-2"), stage.do("delete", ROW, "r-3")
    assert (first.outcome, second.outcome) == ("allow", "allow")
    kept = {event.seq for event in parse_bundle(stage.bundle(second.decision)).events}
    assert {first.decision + 1, second.decision, second.decision + 1} <= kept
    assert first.decision not in kept


def test_everything_that_is_kept_can_be_opened(case):
    opened = parse_bundle(case.stage.bundle(case.told["allow-by-consent"], EVERYTHING)).disclosures
    assert {"/args", "/reason", "/name"} == {one.opening.path for one in opened}
