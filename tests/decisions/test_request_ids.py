"""Request ids that could not stand in the record, and links that can't be followed: a deny, never a crash."""

import pytest

READ = ("read", "file:///srv/app/main.py")


@pytest.mark.parametrize(
    "request_id",
    ["", " ", "auto:mine", "a\nb", "a\x00b", "\u202eevil", "\udcff", "a\u200bb", "x" * 257],
    ids=["empty", "blank", "ours", "newline", "nul", "bidi", "surrogate", "zero-width", "long"],
)
def test_an_id_that_can_not_be_kept_is_denied_on_record(court, request_id):
    """An empty id would count as one of the asker's own, and be answered anew each time."""
    answer = court.do(*READ, id=request_id)
    assert (answer.outcome, answer.reason) == ("deny", "ID_INVALID")
    assert "a request id is a visible text" in answer.problems[0].detail
    event = court.office.event(answer.decision)
    assert (event.request.startswith("auto:"), event.body.correlated) == (True, False)
    assert request_id.encode("utf-8", "surrogatepass") not in event.data or len(request_id) < 2


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
