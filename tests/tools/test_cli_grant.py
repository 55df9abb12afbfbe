import json
import subprocess

import pytest

ROW = ("--sql", "DELETE FROM users WHERE id = 42", "--database", "prod")
WORK = ("--subject", "agent:ops-7", "--kind", "data", "--verb", "update", "--targets", "db://shop/orders/**")


@pytest.fixture
def held(desk):
    return desk.decide("r1", *ROW).object["request"]


def issue(desk, request, *words):
    return desk.sign("grant", "issue", request, "--for", "2h", "--reason", "ticket 9", *words, "--json")


def register(desk, reference, *facts):
    words = [word for fact in facts for word in ("--set", fact)]
    assert desk.sign("resource", "add", reference, *words).exit_code == 0


def test_a_consent_is_used_once(desk, held):
    issued = issue(desk, held)
    assert issued.exit_code == 0
    allowed = desk.decide("r2", *ROW)
    assert (allowed.exit_code, allowed.object["grant"]) == (0, issued.object["grant"])
    again = desk.decide("r3", *ROW)
    assert (again.exit_code, again.object["reason"]) == (5, "CONSENT_CONSUMED")


def test_a_consent_holds_for_these_very_arguments(desk, held):
    """Policy case D07."""
    issue(desk, held)
    other = desk.decide("r2", "--sql", "DELETE FROM users  WHERE id = 42", "--database", "prod")
    assert (other.exit_code, other.object["reason"]) == (5, "CONSENT_BINDING")


def test_a_consent_holds_for_this_version(desk, held):
    """Policy case D19."""
    issue(desk, held)
    facts = (
        "environment=prod",
        "asset=business_record",
        "sensitivity=restricted",
        "reversibility=irreversible",
        "about_people=true",
        "purpose=support",
    )
    words = [word for fact in facts for word in ("--set", fact)]
    assert desk.sign("resource", "reclassify", "db://prod/users/**", *words).exit_code == 0
    assert desk.decide("r2", *ROW).object["reason"] == "CONSENT_VERSION"


def test_a_consent_holds_for_this_part_of_the_agent(desk, held):
    """Policy case D19."""
    issue(desk, held)
    words = ("decide", "--as", "agent:ops-7/sub2", "--request", "r2", *ROW, "--json")
    assert desk.run(*words).object["reason"] == "CONSENT_SUBJECT"


def test_a_consent_can_be_used_as_often_as_it_says(desk, held):
    issue(desk, held, "--uses", 2)
    codes = [desk.decide(f"u{n}", *ROW).exit_code for n in range(3)]
    assert codes == [0, 0, 5]


def test_the_next_decision_sees_a_revocation(desk, held):
    """Policy cases C11 and F09."""
    grant = issue(desk, held).object["grant"]
    assert desk.sign("grant", "revoke", grant, "--reason", "called off").exit_code == 0
    assert desk.decide("r2", *ROW).object["reason"] == "CONSENT_REVOKED"


def test_an_operation_can_be_foreseen(desk):
    words = ("grant", "issue", "--as", "agent:ops-7", "--through", "service:gateway", *ROW, "--for", "8h")
    issued = desk.sign(*words, "--reason", "tonight's job", "--json")
    assert issued.exit_code == 0, issued.stderr
    assert "DELETE FROM users WHERE id = 42" in issued.stderr
    allowed = desk.decide("r1", *ROW)
    assert (allowed.exit_code, allowed.object["grant"]) == (0, issued.object["grant"])


@pytest.mark.parametrize(
    ("operation", "why"),
    [
        (("--sql", "DELETE FROM users", "--database", "prod"), "is denied (FORBIDDEN"),
        (("--shell", "rm tests/fixtures/a.json", "--cwd", "/srv/app"), "is allowed without one"),
    ],
)
def test_a_consent_that_would_change_nothing_is_not_signed(desk, operation, why):
    words = ("--as", "agent:ops-7", "--through", "service:gateway", "--for", "1h", "--reason", "x")
    done = desk.sign("grant", "issue", *operation, *words)
    assert done.exit_code == 1
    assert why in done.error


@pytest.mark.parametrize(
    "words",
    [
        ("--for", "2h", "--reason", "x"),
        ("7", "--shell", "ls", "--for", "2h", "--reason", "x"),
        ("--shell", "ls", "--for", "2h", "--reason", "x"),
        ("7", "--for", "2 hours", "--reason", "x"),
        ("7", "--for", "0h", "--reason", "x"),
        ("7", "--for", "2h"),
        ("7", "--for", "2h", "--reason", "x", "--uses", "0"),
    ],
)
def test_wrong_usage_of_issue(desk, words):
    assert desk.sign("grant", "issue", *words).exit_code == 2


def test_nothing_is_signed_without_a_person_or_yes(desk, held):
    size = desk.size()
    words = ("grant", "issue", held, "--for", "2h", "--reason", "x", "--by", "human:ada")
    done = desk.run(*words)
    assert done.exit_code == 1
    assert "--yes" in done.error
    assert desk.size() == size


def test_the_statement_stands_before_the_agents_text(desk, held):
    shown = issue(desk, held).stderr
    order = ["This will be signed:", "tallystick consent.granted v1", "Request ", "As received, UNTRUSTED"]
    places = [shown.index(text) for text in order]
    assert places == sorted(places)
    assert "DELETE FROM users" not in shown[: places[-1]]
    assert '/reason is "ticket 9"' in shown


def test_a_strangers_key_can_not_consent(desk, held, other_key):
    words = ("grant", "issue", held, "--for", "2h", "--reason", "x", "--by", "human:ada", "--yes", "--key", other_key)
    done = desk.run(*words)
    assert done.exit_code == 1
    assert "no key of human:ada" in done.error


def test_no_agent_consents(desk, held):
    words = ("grant", "issue", held, "--for", "2h", "--reason", "x", "--yes", "--by", "agent:ops-7")
    assert desk.run(*words).exit_code == 1


def test_a_grant_is_told_in_full_after_its_end(desk, held):
    """Policy case E09."""
    grant = issue(desk, held).object["grant"]
    used = desk.decide("r2", *ROW).object["decision"]
    assert desk.run("grant", "list", "--json").objects == []
    (listed,) = desk.run("grant", "list", "--all", "--json").objects
    assert (listed["grant"], listed["life"], listed["used"]) == (grant, "used up", "1/1")
    told = desk.run("grant", "show", grant, "--json").object["events"]
    assert [event["type"] for event in told] == ["consent.granted", "decision.made", "consent.consumed"]
    assert told[0]["opened"]["/reason"] == "ticket 9"
    text = desk.run("grant", "show", grant).stdout
    assert f"used: decision {used}" in text
    assert "ticket 9" in text
    assert "DELETE FROM users WHERE id = 42" in text


def test_a_grant_that_is_not_there_is_refused_in_one_line(desk):
    for words in (("grant", "show", "x"), ("grant", "revoke", "x", "--reason", "y", "--by", "human:ada", "--yes")):
        done = desk.run(*words)
        assert done.exit_code == 1
        assert "there is no grant x" in done.error


def test_a_standing_grant_applies_until_it_is_revoked(desk):
    register(
        desk,
        "db://shop/orders/**",
        "environment=staging",
        "reversibility=recoverable",
        "about_people=false",
        "sensitivity=internal",
        "asset=business_record",
    )
    update = ("--verb", "update", "--target", "db://shop/orders/7")
    assert desk.decide("r1", *update).object["reason"] == "NO_AUTHORITY"
    ratified = desk.sign("grant", "ratify", *WORK, "--when", 'environment == "staging"', "--reason", "daily", "--json")
    assert ratified.exit_code == 0, ratified.stderr
    grant = ratified.object["grant"]
    for request in ("r2", "r3"):
        assert desk.decide(request, *update).object["grant"] == grant
    (listed,) = desk.run("grant", "list", "--json").objects
    assert (listed["kind"], listed["life"], listed["expires"]) == ("standing", "live", None)
    assert "daily" in desk.run("grant", "show", grant).stdout
    assert desk.sign("grant", "revoke", grant, "--reason", "over").exit_code == 0
    assert desk.decide("r4", *update).object["reason"] == "NO_AUTHORITY"
    assert "revoked by human:ada: over" in desk.run("grant", "show", grant).stdout


@pytest.mark.parametrize(
    ("selector", "about"),
    [
        ('reversibility == "irreversible"', "irreversible"),
        ('stated_purpose == "support"', "stated_purpose"),
        ('enviroment == "dev"', "environment"),
        ("True", ""),
    ],
)
def test_a_selector_that_may_not_be_ratified(desk, selector, about):
    """Policy case J05."""
    done = desk.sign("grant", "ratify", *WORK, "--when", selector, "--reason", "x")
    assert done.exit_code == 1
    assert about in done.error


def test_an_expiry_is_said_one_way_only(desk):
    until = "2099-01-01T00:00:00.000000Z"
    words = (*WORK, "--when", 'environment == "staging"', "--reason", "x", "--expires", until)
    assert desk.sign("grant", "ratify", *words, "--for", "30d").exit_code == 2
    assert desk.sign("grant", "ratify", *words[:-1], "tomorrow").exit_code == 1
    assert desk.sign("grant", "ratify", *words, "--json").object["expires"] == until


def test_two_processes_race_for_one_grant(desk, held, tally_program):
    """Policy case D01: exactly one is allowed."""
    issue(desk, held)
    words = [*tally_program, "--ledger", str(desk.ledger), "decide", "--as", "agent:ops-7", *ROW, "--json"]
    running = [
        subprocess.Popen([*words, "--request", f"p{n}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for n in range(2)
    ]
    answers = [json.loads(process.communicate(timeout=60)[0]) for process in running]
    assert sorted(process.returncode for process in running) == [0, 5]
    assert {answer["reason"] for answer in answers} == {"ALLOWED", "CONSENT_CONSUMED"}
    assert len({answer["decision"] for answer in answers}) == 2


def test_what_the_human_typed_herself_is_not_called_the_agents(desk):
    done = desk.sign("grant", "issue", "--as", "agent:ops-7", *ROW, "--for", "1h", "--reason", "x", "--json")
    assert "As foreseen, in the words of the human" in done.stderr
    shown = desk.run("grant", "show", done.object["grant"]).stdout
    assert "in the words of the human" in shown
    assert "written by the agent" not in done.stderr + shown
