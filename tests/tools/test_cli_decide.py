import json

import pytest

from decisions.answer import unavailable
from tools.show.answer import answer_text

ROW = ("--sql", "DELETE FROM users WHERE id = 42", "--database", "prod")
FIXTURE = ("--shell", "rm tests/fixtures/a.json", "--cwd", "/srv/app")


def call(**fields):
    return json.dumps({"tool_name": "Bash", "tool_input": {"command": "rm tests/fixtures/a.json"}, **fields})


def test_an_allow_is_exit_0_and_says_what_permits_it(desk):
    done = desk.decide("r1", *FIXTURE)
    answer = done.object
    assert (done.exit_code, answer["outcome"], answer["reason"]) == (0, "allow", "ALLOWED")
    assert "VI.disposable" in answer["rules"]
    assert answer["repeated"] is False
    assert desk.run("log", "show", answer["decision"], "--json").object["type"] == "decision.made"


def test_a_deny_is_exit_4_with_the_articles_that_spoke(desk):
    done = desk.decide("r1", "--sql", "DELETE FROM users", "--database", "prod")
    answer = done.object
    assert (done.exit_code, answer["outcome"], answer["reason"]) == (4, "deny", "FORBIDDEN")
    assert {"I", "VI", "IX"} <= set(answer["articles"])
    assert "irreversible" in answer["categories"]


def test_a_hold_is_exit_5_and_names_the_request_to_answer(desk):
    done = desk.decide("r1", *ROW)
    answer = done.object
    assert (done.exit_code, answer["outcome"], answer["reason"]) == (5, "hold", "CONSENT_REQUIRED")
    assert answer["request"] == answer["decision"] + 1
    assert {need["what"] for need in answer["needs"]} == {"consent"}


def test_every_promised_json_field_stands(desk):
    fields = {"outcome", "reason", "decision", "articles", "rules", "categories", "grant", "needs", "repeated"}
    assert fields <= desk.decide("r1", *ROW).object.keys()


def test_people_read_why_what_spoke_and_the_next_command(desk):
    done = desk.run("decide", "--as", "agent:ops-7", "--request", "r1", *ROW)
    first, second, *_ = done.stdout.splitlines()
    assert first.startswith("HOLD  CONSENT_REQUIRED  (decision ")
    assert second.startswith("Article I, Human consent, requires a human's consent for a change in production")
    assert "Article VI Reversibility" in done.stdout
    assert "true    reversibility" in done.stdout
    assert "needs a human:" in done.stdout
    assert "tally grant issue " in done.stdout


def test_an_answer_that_is_told_again_still_explains_itself(desk):
    words = ("decide", "--as", "agent:ops-7", "--request", "r1", *ROW)
    assert desk.run(*words).exit_code == 5
    again = desk.run(*words)
    assert again.exit_code == 5
    assert "told again" in again.stdout
    assert "a change in production that is more than trivially undone [I.production-change]" in again.stdout


def test_a_repeated_request_gets_the_recorded_answer_and_appends_nothing(desk):
    first = desk.decide("r1", *FIXTURE)
    size = desk.size()
    again = desk.decide("r1", *FIXTURE)
    assert (again.object["outcome"], again.object["repeated"]) == ("allow", True)
    assert again.object["decision"] == first.object["decision"]
    assert (first.exit_code, again.exit_code) == (0, 0)
    assert desk.size() == size


def test_who_goes_by_the_exit_code_alone_is_told_of_a_repeat_by_it(desk):
    codes = [desk.decide("r1", *FIXTURE, "--once").exit_code for _ in range(2)]
    assert codes == [0, 4]


def test_a_request_id_of_another_operation_is_refused_in_one_line(desk):
    desk.decide("r1", *FIXTURE)
    done = desk.decide("r1", *ROW)
    assert done.exit_code == 1
    assert "r1" in done.error


@pytest.mark.parametrize("text", ["", "{", "[]", '"rm -rf /"', '{"tool_name": 1.5}', "\x00", '{"a":1,"a":2}'])
def test_an_unreadable_tool_call_is_denied_with_a_record(desk, text):
    done = desk.decide("r1", "--tool-call", "-", stdin=text)
    answer = done.object
    assert (done.exit_code, answer["outcome"], answer["reason"]) == (4, "deny", "UNPARSEABLE")
    assert answer["decision"] is not None


def test_a_tool_call_file_that_is_not_there_is_denied_with_a_record(desk, tmp_path):
    done = desk.decide("r1", "--tool-call", tmp_path / "none.json")
    assert (done.exit_code, done.object["outcome"]) == (4, "deny")
    assert "none.json" in done.stderr


def test_a_tool_call_comes_from_a_file_or_from_stdin(desk, tmp_path):
    (tmp_path / "call.json").write_text(call(cwd="/srv/app"))
    assert desk.decide("r1", "--tool-call", tmp_path / "call.json").exit_code == 0
    assert desk.decide("r2", "--tool-call", "-", stdin=call(cwd="/srv/app")).exit_code == 0


@pytest.mark.parametrize(
    ("words", "about"),
    [
        ((), "one operation"),
        (("--shell", "ls", "--sql", "SELECT 1"), "--shell and --sql"),
        (("--sql", "SELECT 1"), "needs --database"),
        (("--verb", "delete"), "needs --target"),
        (("--say", "advise"), "needs --person"),
        (("--shell", "ls", "--kind", "exec"), "--kind goes with --verb"),
        (("--shell", "ls", "--attribute", "purpose"), "name=value"),
    ],
)
def test_anything_but_one_whole_form_is_wrong_usage(desk, words, about):
    done = desk.decide("r1", *words)
    assert done.exit_code == 2
    assert about in done.error


def test_a_typed_operation_and_a_reply_are_forms_too(desk):
    typed = desk.decide("r1", "--verb", "delete", "--target", "db://prod/users/42")
    assert (typed.exit_code, typed.object["reason"]) == (5, "CONSENT_REQUIRED")
    words = ("--as", "agent:companion", "--person", "reader-31", "--session-domain", "library", "--json")
    assert desk.run("decide", "--request", "r2", "--say", "referral", *words).exit_code == 0
    closed = desk.run("decide", "--request", "r3", "--say", "befriend", *words)
    assert (closed.exit_code, closed.object["reason"]) == (4, "TRUST_FLOOR")


def test_a_part_of_an_agent_asks_under_its_own_chain(desk):
    words = ("--as", "agent:ops-7/sub2", "--request", "r1", "--json")
    done = desk.run("decide", *words, *FIXTURE)
    assert done.exit_code == 0
    event = desk.run("log", "show", done.object["decision"], "--json").object
    assert "agent:ops-7/sub2" in desk.run("decide", *words[:3], "r1", *FIXTURE).stdout
    assert (event["auth"], event["via"]) == ("os-uid", "service:gateway")


def test_a_claimed_name_is_nobody(desk):
    done = desk.run("decide", "--as", "agent:stranger", "--request", "r1", *FIXTURE, "--json")
    assert done.exit_code == 4
    assert "VIII.known" in done.object["rules"]


def test_an_enforcement_point_without_a_request_id_is_denied(desk):
    done = desk.run("decide", "--as", "agent:ops-7", *FIXTURE, "--json")
    assert done.exit_code == 4
    assert "VII.correlated" in done.object["rules"]


def test_a_claim_can_only_make_it_stricter(desk):
    facts = ("environment=dev", "asset=config", "sensitivity=internal", "about_people=true", "purpose=support")
    words = [word for fact in facts for word in ("--set", fact)]
    assert desk.sign("resource", "add", "db://dev/people/**", *words).exit_code == 0
    read = ("--verb", "read", "--target", "db://dev/people/42")
    assert desk.decide("r1", *read).exit_code == 0
    assert desk.decide("r2", *read, "--attribute", "stated_purpose=support").exit_code == 0
    worse = desk.decide("r3", *read, "--attribute", "stated_purpose=profiling")
    assert worse.exit_code == 4
    assert "II.purpose-stated" in worse.object["rules"]


def test_a_link_is_judged_by_where_it_leads_as_well(desk, tmp_path):
    """Policy case B05."""
    tree, secret = tmp_path / "tree", tmp_path / "elsewhere"
    tree.mkdir()
    secret.mkdir()
    (tree / "l").symlink_to(secret)
    facts = ("environment=test", "asset=scratch", "reversibility=recoverable", "about_people=false")
    words = [word for fact in facts for word in ("--set", fact)]
    assert desk.sign("resource", "add", f"file://{tree}/**", *words).exit_code == 0
    inside = desk.decide("r1", "--verb", "write", "--target", f"file://{tree}/a")
    assert inside.exit_code == 0, inside.stdout
    led = desk.decide("r2", "--verb", "write", "--target", f"file://{tree}/l/passwd")
    assert (led.exit_code, led.object["reason"]) == (4, "UNCLASSIFIED")
    assert f"file://{secret}/passwd" in {action["target"] for action in led.object["actions"]}


def test_a_look_alike_is_shown_with_its_code_points(desk):
    """Policy case B01."""
    done = desk.run(
        "decide", "--as", "agent:ops-7", "--request", "r1", "--verb", "delete", "--target", "db://pr\u043ed/x"
    )
    assert done.exit_code == 4
    assert "U+043E CYRILLIC SMALL LETTER O" in done.stdout
    assert "\u043e" not in done.stdout


def test_an_agents_control_characters_never_reach_the_terminal(desk):
    """Policy case E01."""
    done = desk.run(
        "decide", "--as", "agent:ops-7", "--request", "r1", "--shell", "rm $'\x1b[2K' \u202ex", "--cwd", "/srv"
    )
    assert done.exit_code == 4
    assert "\x1b" not in done.stdout + done.stderr
    assert "\u202e" not in done.stdout + done.stderr


def test_without_a_ledger_the_answer_is_deny_and_exit_1(tally):
    done = tally("decide", "--shell", "ls", "--json")
    assert done.exit_code == 1
    assert (done.object["outcome"], done.object["reason"]) == ("deny", "LEDGER_UNAVAILABLE")
    assert done.object["decision"] is None
    assert "tally init" in done.object["trouble"]
    assert tally("decide", "--shell", "ls").stdout.startswith("DENY  LEDGER_UNAVAILABLE  (not recorded)")


def test_a_damaged_database_is_deny_and_exit_1(desk):
    (desk.ledger / "ledger.db").write_bytes(b"no database")
    done = desk.decide("r1", *FIXTURE)
    assert (done.exit_code, done.object["outcome"]) == (1, "deny")


def test_an_operand_is_pinned_by_its_content(desk, tmp_path):
    """Policy case D05."""
    script = tmp_path / "s.sh"
    script.write_text("echo one\n")
    words = (*ROW, "--operand", script)
    held = desk.decide("r1", *words).object
    assert desk.sign("grant", "issue", held["request"], "--for", "1h", "--reason", "x").exit_code == 0
    script.write_text("echo two\n")
    changed = desk.decide("r2", *words).object
    assert (changed["outcome"], changed["reason"]) == ("hold", "CONSENT_BINDING")
    script.write_text("echo one\n")
    assert desk.decide("r3", *words).object["outcome"] == "allow"


def test_an_operand_that_is_not_there_could_not_be_pinned(desk, tmp_path):
    done = desk.decide("r1", *ROW, "--operand", tmp_path / "none")
    assert done.exit_code == 1
    assert "operand" in done.error


def test_an_answer_without_a_record_is_shown_as_deny():
    assert answer_text(unavailable("the disk is full"), None).startswith("DENY  LEDGER_UNAVAILABLE  (not recorded)")


def test_an_operand_that_is_not_there_says_what_to_do_in_one_line(desk, tmp_path):
    error = desk.decide("r1", *ROW, "--operand", tmp_path / "none").error
    assert (
        error
        == f"--operand {tmp_path}/none: No such file or directory: name a file that can be read, as it will be used"
    )


def test_a_person_may_be_named_with_and_without_the_kind(desk):
    targets = {
        desk.decide(f"r{person}", "--say", "advise", "--person", person).object["actions"][0]["target"]
        for person in ("reader-31", "person:reader-31")
    }
    assert targets == {"person:reader-31"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "the tool call is empty: one JSON object is wanted"),
        ("{", "the tool call is not one JSON object: not JSON"),
        ("[1]", "the tool call is not one JSON object"),
        (" " * 300_000, "the tool call is larger than 262144 bytes"),
    ],
)
def test_an_unreadable_tool_call_is_told_what_is_wrong_with_it(desk, text, why):
    done = desk.decide("r1", "--tool-call", "-", stdin=text)
    assert done.object["problems"][0]["detail"].startswith(why)


def test_a_command_that_is_no_text_is_told_so(desk):
    done = desk.decide("r1", "--shell", "rm \udcff")
    assert "no UTF-8" in done.object["problems"][0]["detail"]


def test_an_answer_without_a_record_tells_its_trouble_once(tally):
    done = tally("decide", "--shell", "ls")
    assert (done.stdout + done.stderr).count("no ledger here") == 1


def test_who_merely_claims_to_be_somebody_is_told_so_and_how_to_mend_it(tally, ledger):
    assert tally("principal", "add", "agent:ops-7", "--owner", "human:owner", "--yes").exit_code == 0
    text = tally("decide", "--as", "agent:ops-7", "--shell", "rm x", "--cwd", "/srv", "--request", "r").stdout
    assert "Asked by    agent:ops-7, claimed: not established on this machine\n" in text
    assert "run it as the system user that agent:ops-7 is registered with" in text
    assert "--speaks-for agent:ops-7" in text
    assert "consent to" not in text
    assert "grant ratify" not in text


def test_a_suspended_asker_is_told_by_which_event(desk):
    assert desk.sign("principal", "suspend", "agent:ops-7", "--reason", "x").exit_code == 0
    suspended = desk.size() - 1
    text = desk.run("decide", "--as", "agent:ops-7", "--request", "r", *ROW).stdout
    assert f"Asked by    agent:ops-7 through service:gateway, suspended by event {suspended}\n" in text
    assert "does not come back: register another id" in text


@pytest.mark.parametrize(
    ("claimed", "said"),
    [
        (("--as", "agent:nobody"), "agent:nobody, claimed: nobody of this id is registered"),
        (("--as", "Nobody"), "unknown: your system user is no principal of this ledger"),
    ],
)
def test_who_is_nobody_is_told_so(desk, claimed, said):
    assert f"Asked by    {said}" in desk.run("decide", *claimed, "--request", "r", *ROW).stdout


def test_the_help_names_the_exit_codes_and_the_key_its_variable(tally):
    assert "0 allowed, 4 denied, 5 held" in tally("decide", "--help").stdout
    assert "$TALLY_KEY" in tally("grant", "issue", "--help").stdout


def test_of_a_chain_the_answer_tells_which_part_does_what(desk):
    """Case A01: the part that nothing allows is cited."""
    done = desk.run("decide", "--as", "agent:ops-7", "--request", "r1", "--shell", "cd /srv/app && python3 deploy.py")
    assert done.exit_code == 4
    assert "program:python3" in done.stdout
    assert "segment 2: python3" in done.stdout


def test_claim_that_is_misspelt_on_the_command_line_is_refused(desk):
    done = desk.run("decide", "--as", "agent:ops-7", *FIXTURE, "--attribute", "stated_purpos=profiling")
    assert (done.exit_code, 'did you mean "stated_purpose"' in done.error) == (1, True)


def test_claims_that_are_no_object_are_unreadable(desk, tmp_path):
    call = tmp_path / "call.json"
    call.write_text('{"tool_name":"Read","tool_input":{"file_path":"/srv/app/x"},"cwd":"/","attributes":[1]}')
    done = desk.decide("r1", "--tool-call", call)
    assert (done.exit_code, done.object["reason"]) == (4, "UNPARSEABLE")


def test_invalid_request_id_is_a_deny_that_proves(desk):
    done = desk.decide("auto:x", *FIXTURE)
    assert (done.exit_code, done.object["reason"]) == (4, "ID_INVALID")
    proved = desk.run("prove", done.object["decision"], "--disclose", "/args", "-o", desk.folder / "p.json")
    assert proved.exit_code == 0, proved.stderr


def test_class_that_no_trust_opens_is_not_said_to_need_more(desk):
    done = desk.run("decide", "--as", "agent:companion", "--say", "romance", "--person", "reader-31", "--request", "r1")
    assert "another constitution: rule X.closed forbids it" in done.stdout
    assert "more earned trust" not in done.stdout
