"""`tally evidence`."""

import pytest


def record(desk, *words, **more):
    return desk.sign("evidence", "record", *words, "--report", "it was looked at", "--json", **more)


def sweep(desk, request):
    return desk.decide(request, "--sql", "DELETE FROM stats WHERE id IN (1, 2)", "--database", "shop").object


@pytest.fixture
def stats(desk):
    """A desk with a table in production that only a restore brings back."""
    said = {"environment": "prod", "asset": "business_record", "sensitivity": "internal"}
    said |= {"reversibility": "recoverable", "about_people": "false"}
    words = [word for name, value in said.items() for word in ("--set", f"{name}={value}")]
    done = desk.sign("resource", "add", "db://shop/stats/**", *words, "--absent", "purpose")
    assert done.exit_code == 0, done.stderr
    return desk


def test_what_is_recorded_is_found_listed_and_shown(stats):
    assert sweep(stats, "r1")["reason"] == "ATTR_UNKNOWN"
    done = record(stats, "--kind", "backup", "--about", "db://shop/**", "--for", "1d")
    assert done.exit_code == 0, done.stderr
    assert sweep(stats, "r2")["outcome"] == "hold"
    (listed,) = stats.run("evidence", "list", "--json").objects
    assert listed["life"] == "valid"
    assert listed["report"] == "it was looked at"
    shown = stats.run("evidence", "show", "db://shop/stats", "--json").object
    assert shown["attributes"]["backed_up"] == {"evidence": "backup", "value": True, "stamp": done.object["event"]}
    assert [one["event"] for one in shown["evidence"]] == [done.object["event"]]
    text = stats.run("evidence", "show", "db://shop/stats").stdout
    assert "assessed" in text
    assert "unknown" in text


def test_what_does_not_hold_is_said_so_and_forbids(stats):
    assert record(stats, "--kind", "backup", "--about", "db://shop/stats", "--for", "1d", "--fails").exit_code == 0
    assert sweep(stats, "r1")["reason"] == "FORBIDDEN"
    assert "does not hold" in stats.run("evidence", "list").stdout


def test_what_is_not_valid_is_listed_on_demand(stats):
    words = ("--kind", "backup", "--about", "db://shop/stats", "--for", "1d", "--from", "2020-01-01T00:00:00.000000Z")
    assert record(stats, *words).exit_code == 0
    assert stats.run("evidence", "list").stdout.startswith("No evidence is valid")
    assert stats.run("evidence", "list", "--all", "--json").object["life"] == "expired"
    assert sweep(stats, "r1")["reason"] == "ATTR_UNKNOWN"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--kind", "backups", "--about", "db://shop/**"), 'reads no evidence "backups"; did you mean "backup"?'),
        (("--kind", "backup", "--about", "agent:ops-7"), "backup is evidence about a resource"),
        (("--kind", "bias_report", "--about", "subject:p-7"), "bias_report is evidence about a principal"),
        (("--kind", "backup", "--about", "/srv"), "a reference starts with its scheme"),
        (("--kind", "backup", "--about", "agent:Ops"), "a name is a lower-case letter"),
    ],
)
def test_what_no_rule_could_find_is_refused(stats, words, said):
    size = stats.size()
    done = record(stats, *words, "--for", "1d")
    assert done.exit_code == 1
    assert said in done.error
    assert stats.size() == size


def test_an_erased_report_leaves_the_evidence(stats):
    event = record(stats, "--kind", "backup", "--about", "db://shop/**", "--for", "1d").object["event"]
    done = stats.sign("erase", "--event", event, "--path", "/report", "--basis", "gdpr-art-17-1-a")
    assert done.exit_code == 0, done.stderr
    assert stats.run("evidence", "list", "--json").object["report"] is None
    assert "(erased)" in stats.run("evidence", "list").stdout
    assert sweep(stats, "r1")["outcome"] == "hold"
    assert stats.run("audit").exit_code == 0
    assert stats.run("rebuild").exit_code == 0
    assert stats.run("replay", "--json").exit_code == 0
