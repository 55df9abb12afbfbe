"""Which fields a bundle opens, and which it keeps closed."""

import pytest

from grants import erasing
from verify.bundle import EVERYTHING, Disclosure, FieldPattern, parse_bundle
from verify.check import check_bundle
from verify.errors import BundleError
from verify.replay import replay
from verify.views import EVENTS, VIEWS


@pytest.mark.parametrize(
    ("pattern", "covered", "free"),
    [
        ("/args", [(1, "/args"), (2, "/args"), (1, "/args/x")], [(1, "/arg"), (1, "/argsx"), (1, "/x/args")]),
        ("7:/args", [(7, "/args")], [(1, "/args"), (77, "/args")]),
        ("/operands/*/content", [(1, "/operands/0/content"), (1, "/operands/12/content")], [(1, "/operands/0")]),
        ("/operands", [(1, "/operands/0/content")], [(1, "/args")]),
        ("/*", [(1, "/args"), (1, "/operands/0/content")], []),
        ("0:/*/0", [(0, "/operands/0/content")], [(0, "/operands/1/content"), (1, "/operands/0/content")]),
    ],
)
def test_a_pattern_covers_what_it_names(pattern, covered, free):
    """A pointer and what lies below it, part by part; * is one part; a number before it is one event."""
    found = FieldPattern.parse(pattern)
    assert str(found) == pattern
    assert [field for field in covered if not found.covers(*field)] == []
    assert [field for field in free if found.covers(*field)] == []


@pytest.mark.parametrize(
    "text", ["", "args", ":/args", "x:/args", "07:/args", "-1:/args", "/", "1:", "/a b", "/a:b", "1:/a:2", "/args\n"]
)
def test_what_is_no_pattern_is_refused(text):
    """One spelling."""
    with pytest.raises(BundleError, match="named by its pointer"):
        FieldPattern.parse(text)


def test_what_is_hidden_stays_closed_whatever_else_is_said():
    """Hiding wins over opening, over everything, and over what is needed."""
    hidden = frozenset({FieldPattern("/args"), FieldPattern("/c_inst", 3)})
    for choice in (Disclosure(hidden, hidden), Disclosure(frozenset(), hidden, everything=True)):
        assert not choice.opens(1, "/args", needed=True)
        assert not choice.opens(3, "/c_inst", needed=True)
        assert choice.opens(4, "/c_inst", needed=True)
    assert not Disclosure().opens(1, "/args")


def test_a_hidden_value_is_hidden_wherever_it_stands(case):
    """Request, consent and decision hold one commitment: one of them is named, none is opened."""
    seq = case.told["allow-by-consent"]
    opened = {
        (one.seq, one.opening.path)
        for one in parse_bundle(case.stage.bundle(seq, Disclosure(everything=True))).disclosures
    }
    twins = {field for field in opened if field[1] == "/args"}
    assert len(twins) > 1
    choice = Disclosure(hidden=frozenset({FieldPattern("/args", seq)}), everything=True)
    left = {(one.seq, one.opening.path) for one in parse_bundle(case.stage.bundle(seq, choice)).disclosures}
    assert left == opened - twins


@pytest.fixture
def trusted(stage):
    """A reply that was allowed because of a reading of trust."""
    for number in range(46):
        stage.observe(f"i-{number}", 900_000_000_000_000)
    answer = stage.reply("accompany", "r-1")
    assert answer.outcome == "allow"
    return answer.decision


def erase_readings(stage):
    log = stage.log
    fields = [
        (seq, opening.path)
        for seq in range(log.head.size)
        for opening in log.openings(seq)
        if opening.path == "/c_inst"
    ]

    def prepare(look):
        return erasing.erase(look, EVENTS, by="human:ada", fields=fields, basis="gdpr-art-17-1-b", at=look.head.at)

    drafts = [one.sign(stage.signer("human:ada")) for one in log.read(prepare)]
    return log.transact(lambda tx: erasing.append_erasure(tx, EVENTS, drafts))


def decision_line(stage, data):
    report = check_bundle(data, stage.policy())
    assert report.verified
    return next(line for line in report.lines if line.check == "decision")


def test_a_decision_without_the_reading_that_it_used_is_not_checked(stage, trusted):
    """Hidden from the bundle, or erased from the log: the verdict can't be decided again, and the report says so."""
    before = stage.bundle(trusted)
    assert decision_line(stage, before).status == "PASS"
    hidden = stage.bundle(trusted, Disclosure(hidden=frozenset({FieldPattern("/c_inst")})))
    erase_readings(stage)
    for data in (hidden, stage.bundle(trusted), stage.bundle(trusted, EVERYTHING)):
        line = decision_line(stage, data)
        assert line.status == "NOT-CHECKED"
        assert "is not disclosed, or was erased" in line.why
    assert decision_line(stage, before).status == "PASS"


def test_a_replay_without_the_reading_is_not_replayable(stage, trusted):
    """It is told apart from a verdict that comes out otherwise without a reason."""
    erase_readings(stage)
    (line,) = replay(stage.log.events(), stage.log.openings, EVENTS, VIEWS)
    assert (line.seq, line.status) == (trusted, "not replayable")
    assert line.why.endswith("is erased and counts as 0")


def test_an_erased_reading_counts_as_nothing_from_then_on(stage, trusted):
    """It is never remembered: the next reply is decided as if there were no reading."""
    erase_readings(stage)
    assert (stage.reply("accompany", "r-2").outcome, stage.reply("accompany", "r-3").body.reason) == (
        "deny",
        "TRUST_FLOOR",
    )
