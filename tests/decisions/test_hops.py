"""Case B13: each hop of a redirection is a decision of its own, and names the one before it."""

import pytest

from grants import acts

START = "https://docs.example.com/start"


def get(court, url, **more):
    how = {name: more.pop(name) for name in ("uid", "claimed", "id") if name in more}
    return court.ask("http", {"method": "GET", "url": url, **more}, **how)


def test_a_hop_to_a_checked_place_is_allowed_and_tells_its_way(court):
    first = get(court, START)
    second = get(court, "https://docs.example.com/next", redirected_from=first.decision)
    assert (first.outcome, second.outcome) == ("allow", "allow")


@pytest.mark.parametrize(
    "place",
    ["http://169.254.169.254/latest/meta-data", "http://docs.example.com/", "https://docs.example.com.evil.tld/",
     "https://docs.example.com:8443/", "https://badexample.com/", "http://[::1]/"],
)  # fmt: skip
def test_no_hop_lends_its_verdict_to_the_next(court, place):
    first = get(court, START)
    second = get(court, place, redirected_from=first.decision)
    assert (second.outcome, second.reason) == ("deny", "UNCLASSIFIED")


def test_a_way_that_is_not_in_the_log_is_none(court):
    denied = get(court, "http://169.254.169.254/")
    other_form = court.ask("tool_call", {"tool_name": "WebFetch", "tool_input": {"url": START, "prompt": "x"}})
    assert (denied.outcome, other_form.outcome) == ("deny", "allow")
    for before in (denied.decision, other_form.decision, 0, 10**6):
        answer = get(court, START, redirected_from=before)
        assert (answer.outcome, answer.reason) == ("deny", "TARGET_UNRESOLVED"), before


def test_a_hop_of_another_asker_is_no_way(court):
    theirs = get(court, START, claimed="agent:ops-7/part")
    mine = get(court, START, redirected_from=theirs.decision)
    assert (theirs.outcome, mine.reason) == ("allow", "TARGET_UNRESOLVED")


def test_an_address_that_only_looks_registered_is_not(court):
    acts_on = [
        "https://docs.example.com@evil.tld/", "https://docs.example.com.evil.tld/", "https://evil.tld/?docs.example.com",
        "https://docs.example.com\\@evil.tld/", "https://xn--dcs-sed.example.com/", "https://docs.example.com:80/",
    ]  # fmt: skip
    answers = [get(court, url) for url in acts_on]
    assert {answer.outcome for answer in answers} == {"deny"}
    assert {answer.reason for answer in answers} == {"ID_INVALID", "UNCLASSIFIED"}


def test_a_request_that_sends_needs_more_than_a_checked_place(court):
    assert get(court, START, body="x").reason == "NO_AUTHORITY"
    assert get(court, START, headers={"Cookie": "a=b"}).reason == "NO_AUTHORITY"
    assert get(court, START, headers={"X-HTTP-Method-Override": "DELETE"}).reason == "UNPARSEABLE"


def test_a_subtree_of_a_site_is_no_other_path(court):
    court.office.act(
        acts.register_resource, by="registrar:stores", resource="https://api.example.com/v1/**",
        attributes={"asset": "endpoint", "provenance": "trusted", "exposure": "external"},
    )  # fmt: skip
    assert get(court, "https://api.example.com/v1/x").outcome == "allow"
    for path in ("/v10/x", "/v2/x", "/V1/x", "/", "/v1/%2e%2e/v2"):
        assert get(court, f"https://api.example.com{path}").outcome == "deny", path
