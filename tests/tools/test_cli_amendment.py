"""`tally amendment`: who changes the rules, at a terminal, and what an audit says of one that was made otherwise."""

import pytest

from decisions.constitution import DEFAULT_TEXT
from grants.signer import generate
from verify.cli import run as tally_verify

TIGHTER = DEFAULT_TEXT.replace('gate = "0.55"', 'gate = "0.56"')
LOOSER = DEFAULT_TEXT.replace('gate = "0.55"', 'gate = "0.54"')
OVERLAY = """\
[overlay]
language = 1

[[articles]]
number = "IX"

[[articles.rules]]
id = "IX.no-drop-in-staging"
says = "dropping tables in staging"
effect = "forbid"
kinds = ["data"]
verbs = ["drop"]
when = 'environment == "staging"'
stops = { kind = "data", verb = "drop", environment = "staging" }
passes = { kind = "data", verb = "drop", environment = "dev" }
"""


@pytest.fixture
def files(tmp_path):
    for name, text in {"tighter": TIGHTER, "looser": LOOSER, "over": OVERLAY, "same": DEFAULT_TEXT}.items():
        (tmp_path / f"{name}.toml").write_text(text)
    return lambda name: tmp_path / f"{name}.toml"


@pytest.fixture
def agents(tally, ledger, tmp_path):
    """Two agents with keys, of two humans."""
    assert_done(tally("principal", "add", "human:bo", "--name", "Bo", "--public-key", made(tmp_path, "bo"), "--yes"))
    for agent, owner in (("agent:a", "human:owner"), ("agent:b", "human:bo")):
        key = made(tmp_path, agent[-1])
        assert_done(tally("principal", "add", agent, "--name", agent, "--owner", owner, "--public-key", key, "--yes"))
    return lambda agent: ("--by", f"agent:{agent}", "--key", tmp_path / agent, "--yes")


def made(tmp_path, name):
    generate(tmp_path / name, name)
    return tmp_path / f"{name}.pub"


def assert_done(done, code=0):
    assert done.exit_code == code, done.stderr
    return done


def propose(tally, file, *signing):
    done = assert_done(
        tally("amendment", "propose", file, "--reason", "it is better", *(signing or ("--yes",)), "--json")
    )
    return done.object


def test_agents_tighten_and_what_is_signed_says_so(tally, agents, files):
    proposed = propose(tally, files("tighter"), *agents("a"))
    assert (proposed["change"], proposed["quorum"], proposed["humans"]) == ("tightening", 2, 1)
    number = proposed["amendment"]
    voted = assert_done(tally("amendment", "vote", number, *agents("b")))
    assert 'change: "tightening"' in voted.stderr
    assert "tightening: less may happen than before, and nothing more" in voted.stderr
    adopted = assert_done(tally("amendment", "adopt", number, *agents("a"), "--json")).object
    assert adopted["constitution"] == adopted["event"] + 1
    shown = tally("constitution", "show", "--json").object
    assert (shown["event"], shown["document"]) == (adopted["constitution"], TIGHTER)
    assert_done(tally("audit"))
    assert_done(tally("replay"))


def test_agents_do_not_loosen(tally, agents, files):
    number = propose(tally, files("looser"), *agents("a"))["amendment"]
    for verb in ("vote", "adopt"):
        refused = assert_done(tally("amendment", verb, number, *agents("b")), 1)
        assert "is loosening: what opens something is for humans" in refused.error
    assert_done(tally("amendment", "adopt", number, "--yes"))


def test_an_overlay_is_put_over_the_one_in_force(tally, ledger, files):
    proposed = propose(tally, files("over"))
    assert (proposed["change"], proposed["overlay"]) == ("tightening", True)
    assert_done(tally("amendment", "adopt", proposed["amendment"], "--yes"))
    text = tally("constitution", "show", "--text").stdout
    assert "IX.no-drop-in-staging" in text
    assert text.startswith(DEFAULT_TEXT[:1000])


def test_adopting_over_the_one_in_force_says_what_to_do(tally, ledger, files):
    refused = assert_done(tally("constitution", "adopt", files("tighter"), "--yes"), 1)
    assert "is changed by an amendment: run tally amendment propose" in refused.error


def test_lists_and_shows(tally, ledger, files):
    first, second = (propose(tally, files(name))["amendment"] for name in ("tighter", "looser"))
    assert [one["amendment"] for one in tally("amendment", "list", "--json").objects] == [first, second]
    page = assert_done(tally("amendment", "show", second)).stdout
    assert "loosening: more may happen than before" in page
    assert "The least that opens:" in page
    assert tally("amendment", "show", second, "--text").stdout == LOOSER
    assert_done(tally("amendment", "reject", second, "--reason", "too soon", "--yes"))
    assert_done(tally("amendment", "adopt", first, "--yes"))
    assert "No amendment is open" in tally("amendment", "list").stdout
    lives = [one["status"] for one in tally("amendment", "list", "--all", "--json").objects]
    assert lives == ["adopted", "rejected"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("vote", "2"), "event 2 proposes no amendment"),
        (("show", "99"), "event 99 proposes no amendment"),
        (("propose", "same.toml", "--reason", "x"), "there is nothing to change"),
        (("propose", "none.toml", "--reason", "x"), "none.toml"),
    ],
)
def test_what_can_not_be_is_one_line(tally, ledger, files, tmp_path, words, said):
    words = [tmp_path / word if str(word).endswith(".toml") else word for word in words]
    more = () if words[0] == "show" else ("--yes",)
    assert said in assert_done(tally("amendment", *words, *more), 1).error


def test_a_stale_amendment_is_shown_as_such(tally, ledger, files):
    first, second = (propose(tally, files(name))["amendment"] for name in ("tighter", "looser"))
    assert_done(tally("amendment", "adopt", first, "--yes"))
    assert "stale" in tally("amendment", "show", second).stdout
    assert "is stale" in assert_done(tally("amendment", "vote", second, "--yes"), 1).error


@pytest.fixture
def mislabelled(tally, agents, files, monkeypatch, ledger):
    """A ledger whose own program was made to call a loosening a tightening, and whose agents voted for it."""
    with monkeypatch.context() as lying:
        for module in ("acts", "check"):
            lying.setattr(f"decisions.amendment.{module}.change_of", lambda *_, **__: "tightening")
        number = propose(tally, files("looser"), *agents("a"))["amendment"]
        assert_done(tally("amendment", "vote", number, *agents("b")))
        assert_done(tally("amendment", "adopt", number, *agents("a")))
    assert_done(tally("decide", "--verb", "read", "--target", "file:///srv/x", "--request", "r", "--json"), 4)
    return number


LIE = "it says that it is tightening, and it is loosening"


def test_an_audit_finds_the_wrong_class(tally, mislabelled):
    report = assert_done(tally("audit", "--json"), 3).object
    told = [one["message"] for one in report["findings"]]
    assert any(LIE in one for one in told)
    assert LIE in assert_done(tally("replay"), 3).error


def test_an_auditor_finds_the_wrong_class(tally, ledger, mislabelled, tmp_path, capsys, monkeypatch):
    decision = int(tally("log", "head", "--json").object["size"]) - 1
    assert "constitution" in assert_done(tally("prove", decision, "-o", tmp_path / "bundle"), 3).error
    # A ledger that lies hands its bundles out all the same.
    with monkeypatch.context() as lying:
        lying.setattr("decisions.amendment.check.change_of", lambda *_, **__: "tightening")
        assert_done(tally("prove", decision, "-o", tmp_path / "bundle"))
        assert_done(tally("export", tmp_path / "export"))
    trusted = ("--policy", str(ledger / "policy"), "--signers", str(ledger / "signers"))
    for words in (("bundle", str(tmp_path / "bundle")), ("log", str(tmp_path / "export"))):
        capsys.readouterr()
        assert tally_verify([*words, *trusted]) == 3
        assert LIE in capsys.readouterr().out


def test_a_grant_says_what_it_opens_before_it_is_signed(desk):
    """New standing grants take a human's signature; the class of it stands above what she signs."""
    words = ("grant", "ratify", "--subject", "agent:ops-7", "--kind", "file", "--verb", "write", "--reason", "daily")
    words = (*words, "--targets", "file:///srv/**", "--when", 'environment == "staging"')
    told = assert_done(desk.sign(*words)).stderr
    assert "loosening: more may happen than before, and nothing less" in told
    again = assert_done(desk.sign(*words)).stderr
    assert "equivalent: nothing that is decided changes" in again
    assert told.index("loosening") < told.index("tallystick grant.ratified v1")


@pytest.mark.parametrize("by", ["agent:a", "agent:b"])
def test_an_agent_ratifies_nothing(tally, agents, by):
    words = ("--kind", "file", "--verb", "write", "--targets", "file:///x/**", "--when", 'environment == "dev"')
    refused = assert_done(tally("grant", "ratify", "--subject", "agent:b", *words, "--reason", "x", *agents(by[-1])), 1)
    assert "signed by a human" in refused.error
