"""`tally shadow`: what shows a shadow's answer says that it is not enforced, and a report counts what would turn."""

import pytest

from decisions.constitution import DEFAULT_TEXT
from tests.decisions.test_shadow import OPEN, STRICT


@pytest.fixture
def candidate(tmp_path):
    for name, text in {"strict": STRICT, "open": OPEN, "same": DEFAULT_TEXT, "bad": "x = 1"}.items():
        (tmp_path / f"{name}.toml").write_text(text)
    return lambda name: tmp_path / f"{name}.toml"


def done(ran, code=0):
    assert ran.exit_code == code, ran.stderr
    return ran


def write(desk, request, *words, code=0):
    return done(desk.decide(request, "--verb", "write", "--target", "file:///srv/app/x", *words), code)


def test_what_is_decided_is_shown_with_what_is_not_enforced(desk, candidate):
    begun = done(desk.sign("shadow", "start", candidate("strict"))).stdout
    assert "NOT ENFORCED" in begun
    answer = write(desk, "r-1").object
    assert (answer["outcome"], answer["shadow"]["outcome"], answer["shadow"]["enforced"]) == ("allow", "hold", False)
    asked = ("decide", "--as", "agent:ops-7", "--request", "r-2", "--verb", "write", "--target", "file:///srv/app/y")
    page = done(desk.run(*asked)).stdout
    assert "NOT ENFORCED: the candidate of event" in page
    assert page.startswith("ALLOW")


def test_a_report_counts_the_flips_and_shows_some(desk, candidate):
    done(desk.sign("shadow", "start", candidate("strict")))
    for number in range(5):
        write(desk, f"r-{number}")
    done(desk.decide("read", "--verb", "read", "--target", "file:///srv/app/x"))
    found = done(desk.run("shadow", "report", "--json")).objects[0]
    assert (found["decisions"], found["same"], found["flips"], found["enforced"]) == (6, 1, 5, False)
    assert found["turns"] == {"allow -> hold": 5}
    assert len(found["examples"]) == 3
    assert "I.production-change" in found["examples"][0]["would_be"]["rules"]
    page = done(desk.run("shadow", "report")).stdout
    assert page.startswith("NOT ENFORCED: ")
    assert "5 allow -> hold" in page
    done(desk.sign("shadow", "stop"))
    assert done(desk.run("shadow", "report", "--json")).objects[0]["runs"] is False


def test_a_shadow_becomes_law_by_an_amendment_alone(desk, candidate):
    done(desk.sign("shadow", "start", candidate("strict")))
    write(desk, "before")
    proposed = done(desk.sign("amendment", "propose", "--shadow", "--reason", "a quiet week", "--json")).object
    assert write(desk, "between").object["outcome"] == "allow"
    done(desk.sign("amendment", "adopt", proposed["amendment"]))
    assert write(desk, "after", code=5).object["outcome"] == "hold"
    done(desk.run("audit"))
    done(desk.run("replay"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("shadow", "stop"), "no shadow runs"),
        (("amendment", "propose", "--shadow", "--reason", "x"), "there never was a shadow"),
    ],
)
def test_what_can_not_be_is_one_line(desk, words, said):
    assert said in done(desk.sign(*words), 1).error


def test_there_is_no_report_without_a_shadow(desk, candidate):
    assert "there never was a shadow" in done(desk.run("shadow", "report"), 1).error
    done(desk.sign("shadow", "start", candidate("bad")), 1)
    done(desk.sign("shadow", "start", candidate("same")))
    assert "event 1 began no shadow" in done(desk.run("shadow", "report", "--shadow", "1"), 1).error


def test_a_bundle_of_a_shadowed_decision_says_so(desk, candidate, tmp_path, capsys):
    from verify.cli import run as tally_verify

    done(desk.sign("shadow", "start", candidate("strict")))
    number = write(desk, "r-1").object["decision"]
    done(desk.run("prove", number, "-o", tmp_path / "bundle"))
    assert tally_verify(["show", str(tmp_path / "bundle")]) == 0
    assert "NOT ENFORCED: it would have been HOLD" in capsys.readouterr().out
