import re
import sqlite3
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest

from decisions.constitution import default
from tools.show.branch import Branch, drawn
from tools.show.page import page
from tools.show.picture import picture

ROW = ("--sql", "DELETE FROM users WHERE id = 42", "--database", "prod")
ALL = ("--sql", "DELETE FROM users", "--database", "prod")
FIXTURE = ("--shell", "rm tests/fixtures/a.json", "--cwd", "/srv/app")
OPAQUE = ("--shell", "rm -rf $X", "--cwd", "/srv/app")
UNKNOWN = ("--shell", "cat /etc/passwd", "--cwd", "/srv/app")
SECRETS = ("--verb", "read", "--target", "db://prod/users/42", "--attribute", "stated_purpose=profiling")
TALK = ("--say", "befriend", "--person", "r7")
EVERY = {
    "hold": ROW,
    "deny": ALL,
    "allow": FIXTURE,
    "opaque": OPAQUE,
    "unknown": UNKNOWN,
    "claim": SECRETS,
    "talk": TALK,
}


@pytest.fixture
def answers(desk):
    return {name: desk.decide(name, *words).object for name, words in EVERY.items()}


@pytest.fixture
def decided(answers):
    return {name: answer["decision"] for name, answer in answers.items()}


def test_each_fact_is_told_with_its_value_source_and_event(desk, decided):
    data = desk.run("explain", decided["hold"], "--json").object
    (action,) = data["actions"]
    rules = {rule["rule"]: rule for article in action["articles"] for rule in article["rules"]}
    spoke = rules["I.production-change"]
    assert (spoke["truth"], spoke["speaks"]) == ("true", True)
    atom = next(atom for atom in spoke["atoms"] if atom["attribute"] == "environment")
    assert (atom["value"], atom["source"], atom["of"]) == ("prod", "store", ["db://prod/users/**"])
    source = next(one for one in data["sources"] if one["event"] == atom["stamp"])
    assert source["type"] == "resource.registered"
    # Every rule for the kind and verb stands there, those that are silent too.
    spoken_of = {rule.id for rule in default().rules_for("data", "delete")}
    assert set(rules) == spoken_of


def test_a_tree_is_drawn_for_people(desk, decided):
    text = desk.run("explain", decided["deny"]).stdout
    assert text.startswith(f"DENY  FORBIDDEN, CONSENT_REQUIRED  (decision {decided['deny']}, ")
    assert "true: forbids changing all of something where people depend on it [IX.all]" in text
    assert "environment is prod (store, said of db://prod/users/**, event " in text
    assert "What would have allowed it (the least is 2 changes)" in text
    assert "├─ " in text
    assert "└─ " in text


@pytest.mark.parametrize("name", EVERY)
def test_no_voice_changes_the_verdict_and_no_decision_is_without_one(desk, answers, name):
    seq, plain = answers[name]["decision"], answers[name]
    for voice in ("machine", "agent", "auditor"):
        done = desk.run("explain", seq, "--voice", voice, "--json")
        assert (done.exit_code, done.object["outcome"], done.object["decision"]) == (0, plain["outcome"], seq)
        assert desk.run("explain", seq, "--voice", voice).stdout


@pytest.mark.parametrize("name", EVERY)
def test_an_agent_learns_nothing_of_the_rules(desk, decided, name):
    done = [desk.run("explain", decided[name], "--voice", "agent", *more).stdout for more in ((), ("--json",))]
    done.append(desk.run("decide", "--as", "agent:ops-7", "--request", "x", *EVERY[name], "--voice", "agent").stdout)
    law = default()
    told = "\n".join(done)
    for rule in law.rules:
        assert rule.id not in told
        assert rule.says not in told
        assert rule.when.text not in told
    for article in law.articles:
        assert f"Article {article.number}" not in told
        assert article.title not in told
    assert not re.search(r"0\.\d", told)
    assert not [name for name in law.categories if re.search(rf"\b{name}\b", told)]


def test_an_agent_is_told_what_to_do_next(desk, decided):
    def does(name):
        return [step["do"] for step in desk.run("explain", decided[name], "--voice", "agent", "--json").object["next"]]

    assert does("allow") == ["run_once"]
    assert does("hold") == ["stop", "wait_for_consent"]
    assert "rewrite" in does("opaque")
    assert "ask_for_registration" in does("unknown")
    assert "earn_trust" in does("talk")
    assert does("deny") == ["stop", "stop"]


def test_a_machine_gets_codes_alone(desk, decided):
    done = desk.run("explain", decided["opaque"], "--voice", "machine")
    assert done.stdout.startswith("deny TARGET_UNRESOLVED")
    data = desk.run("explain", decided["hold"], "--voice", "machine", "--json").object
    assert data["needs"] == [{"who": "human", "what": "consent"}]
    assert data["request"] == decided["hold"] + 1


def test_a_fresh_answer_speaks_with_the_same_voices(desk):
    words = ("decide", "--as", "agent:ops-7", "--request", "a", *ROW)
    fresh = desk.run(*words, "--voice", "machine", "--json")
    assert (fresh.exit_code, fresh.object["outcome"], fresh.object["repeated"]) == (5, "hold", False)
    again = desk.run(*words, "--voice", "auditor", "--json")
    assert (again.exit_code, again.object["decision"]) == (5, fresh.object["decision"])
    assert again.object["actions"]
    told = desk.run("decide", "--as", "agent:ops-7", "--request", "b", *FIXTURE, "--voice", "agent", "--json")
    assert (told.exit_code, told.object["may_run"]) == (0, True)
    repeated = desk.run("decide", "--as", "agent:ops-7", "--request", "b", *FIXTURE, "--voice", "agent", "--json")
    assert (repeated.object["may_run"], repeated.object["next"][0]["do"]) == (False, "do_not_run_again")


def test_without_a_ledger_an_agent_is_told_to_try_later(tally, place):
    done = tally("decide", "--as", "agent:ops-7", *ROW, "--voice", "agent", "--json")
    assert (done.exit_code, done.object["may_run"]) == (1, False)
    assert [step["do"] for step in done.object["next"]] == ["stop", "try_later"]
    auditor = tally("decide", "--as", "agent:ops-7", *ROW, "--voice", "auditor", "--json")
    assert (auditor.exit_code, auditor.object["reason"]) == (1, "LEDGER_UNAVAILABLE")


def test_what_came_of_a_decision_leads_to_it(desk, decided):
    by_request = desk.run("explain", decided["hold"] + 1, "--json").object
    assert by_request["decision"] == decided["hold"]
    desk.run("outcome", "report", decided["allow"], "done")
    assert desk.run("explain", decided["allow"], "--json").object["outcome_reported"] is not None
    assert "no decision" in desk.run("explain", 1).error
    assert "there is no event 9999" in desk.run("explain", 9999).error


def test_what_was_erased_is_said(desk, decided):
    assert desk.sign("erase", "--event", decided["opaque"], "--basis", "gdpr-art-17-1-a").exit_code == 0
    done = desk.run("explain", decided["opaque"], "--json")
    assert done.exit_code == 0
    lacking = " ".join(done.object["lacking"])
    assert "what was asked: " in lacking
    assert "its explanation was erased" in lacking
    assert {problem["detail"] for problem in done.object["problems"]} == {""}
    assert "What can't be told any more" in desk.run("explain", decided["opaque"]).stdout


def test_a_change_since_does_not_change_what_is_told(desk, decided):
    before = desk.run("explain", decided["hold"], "--json").object
    desk.sign("resource", "retire", "db://prod/users/**")
    after = desk.run("explain", decided["hold"], "--json").object
    assert after["actions"] == before["actions"]


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.text = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text.append(data)


HOSTILE = "<script>alert(1)</script>&\"'\u202e\x1b[2J]]>-->"
TREE = Branch(
    HOSTILE, (Branch(HOSTILE, (Branch("x" * 400, mark="unknown"),), "deny"), Branch("b", mark="false")), "allow"
)


def test_a_page_holds_no_script_loads_nothing_and_escapes_all():
    text = page(HOSTILE, TREE, HOSTILE)
    read = Tags()
    read.feed(text)
    assert set(read.tags) == {"html", "head", "meta", "title", "style", "body", "h1", "ul", "li", "span", "footer"}
    assert not [name for name, _ in read.attributes if name.startswith("on") or name in {"src", "href", "style"}]
    assert "default-src 'none'; style-src 'sha256-" in text
    assert "unsafe-inline" not in text
    assert "@media print" in text
    shown = "".join(read.text)
    assert "<script>alert(1)</script>" in shown
    assert "\\u202e\\x1b[2J" in shown
    assert "\u202e" not in text


def test_the_policy_of_a_page_names_the_style_that_it_has():
    import base64
    import hashlib

    text = page("t", TREE, "f")
    style = text.partition("<style>")[2].partition("</style>")[0]
    name = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"'sha256-{name}'" in text


def test_a_picture_is_well_formed_with_text_and_lines_alone():
    root = ET.fromstring(picture(HOSTILE, TREE))
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags == {"svg", "title", "rect", "text", "path"}
    texts = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert any("<script>alert(1)</script>" in text for text in texts)
    assert all(len(text) <= 130 for text in texts)
    assert "".join(text for text in texts if set(text) == {"x"}) == "x" * 400
    names = {name for element in root.iter() for name in element.attrib}
    assert not [name for name in names if name.startswith("on") or "href" in name]


def test_marks_are_told_in_words_too(desk, decided):
    text = desk.run("explain", decided["deny"]).stdout
    assert re.search(r"└─ true: |├─ true: ", text)
    assert "false: would " in text


def test_files_are_written_and_never_over_others(desk, decided, tmp_path):
    svg, html = tmp_path / "a.svg", tmp_path / "a.html"
    assert desk.run("explain", decided["deny"], "--svg", svg, "--html", html).exit_code == 0
    assert "IX.all" in svg.read_text("utf-8")
    assert "IX.all" in html.read_text("utf-8")
    assert "is there already" in desk.run("explain", decided["deny"], "--svg", svg).error
    assert desk.run("explain", decided["deny"], "--svg", svg, "--voice", "agent").exit_code == 2


def test_a_tree_is_drawn_with_its_rails():
    tree = Branch("a", (Branch("b", (Branch("c"), Branch("d"))), Branch("e", (Branch("f\n"),))))
    assert drawn(tree) == "a\n├─ b\n│  ├─ c\n│  └─ d\n└─ e\n   └─ f\\x0a"


def test_a_shadow_is_told_as_not_enforced(desk, tmp_path):
    from tests.decisions.test_shadow import STRICT

    (tmp_path / "strict.toml").write_text(STRICT)
    assert desk.sign("shadow", "start", tmp_path / "strict.toml").exit_code == 0
    seq = desk.decide("a", "--verb", "write", "--target", "file:///srv/app/x").object["decision"]
    text = desk.run("explain", seq).stdout
    assert text.startswith("ALLOW")
    assert re.search(r"Shadow, NOT ENFORCED: the candidate of event \d+ would have said hold", text)
    assert desk.run("explain", seq, "--json").object["shadow"]["enforced"] is False
    assert desk.run("explain", seq, "--voice", "agent", "--json").object["may_run"] is True


def test_a_record_that_was_rewritten_is_evidence(desk, decided):
    (file,) = (one for one in desk.ledger.iterdir() if one.read_bytes()[:6] == b"SQLite")
    with sqlite3.connect(file) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f'DROP TRIGGER "{name}"')
        (data,) = connection.execute("SELECT bytes FROM events WHERE seq = ?", (decided["deny"],)).fetchone()
        rewritten = data.replace(b'"outcome":"deny"', b'"outcome":"hold"')
        connection.execute("UPDATE events SET bytes = ? WHERE seq = ?", (rewritten, decided["deny"]))
    connection.close()
    done = desk.run("explain", decided["deny"])
    assert done.exit_code == 3
    assert "differs from its record in outcome: run tally audit" in done.error
