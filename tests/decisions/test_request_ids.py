"""Request ids that could not stand in the record, and links that can't be followed: a deny, never a crash."""

import pytest

READ = ("read", "file:///srv/app/main.py")


@pytest.mark.parametrize(
    "request_id",
    ["", " ", "auto:mine", "a\nb", "a\x00b", "\u202eevil", "\udcff", "a\u200bb", "x" * 257],
    ids=["empty", "blank", "ours", "newline", "nul", "bidi", "surrogate", "zero-width", "long"],
)
def test_an_id_that_can_not_be_kept_is_denied_and_nothing_is_recorded(court, request_id):
    """An empty id would count as one of the asker's own, and be answered anew each time."""
    before = court.office.log.head.size
    answer = court.do(*READ, id=request_id)
    assert (answer.outcome, answer.reason, answer.decision) == ("deny", "LEDGER_UNAVAILABLE", None)
    assert "a request id is a visible text" in answer.trouble
    assert court.office.log.head.size == before


def test_the_longest_id_is_kept(court):
    answer = court.do(*READ, id="x" * 256)
    assert answer.outcome == "allow"
    assert court.do(*READ, id="x" * 256).repeated


@pytest.mark.parametrize("error", [RecursionError("too deep"), OSError("gone"), ValueError("no path")])
def test_links_that_can_not_be_followed_are_a_deny_on_record(office, found, error):
    def broken(target):
        raise error

    answer = found(office, resolver=broken).do(*READ)
    assert (answer.outcome, answer.reason) == ("deny", "TARGET_UNRESOLVED")
    assert answer.decision is not None
