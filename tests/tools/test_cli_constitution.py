"""`tally constitution`."""

import pytest

from decisions.constitution import DEFAULT_TEXT


def test_shows_the_one_in_force(tally, ledger):
    shown = tally("constitution", "show", "--json").object
    assert (shown["name"], shown["articles"], shown["event"]) == ("tallystick default", 11, 1)
    assert shown["document"] == DEFAULT_TEXT
    text = tally("constitution", "show").stdout
    assert "XI  Integrity" in text
    assert "    XI.control-plane  forbid: " in text


def test_text_is_the_document_itself(tally, ledger):
    assert tally("constitution", "show", "--text").stdout == DEFAULT_TEXT


def test_the_default_needs_no_ledger(tally):
    assert tally("constitution", "show", "--default", "--text").stdout == DEFAULT_TEXT
    assert tally("constitution", "show").exit_code == 1


def test_checks_without_a_ledger(tally, tmp_path):
    (tmp_path / "ours.toml").write_text(DEFAULT_TEXT)
    done = tally("constitution", "lint", tmp_path / "ours.toml", "--json")
    assert done.exit_code == 0
    assert done.object["accepted"] is True


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('effect = "forbid"', 'effect = "fobid"', 'did you mean "forbid"?'),
        ('asset == "control_plane"', 'assset == "control_plane"', 'did you mean "asset"?'),
        ("[constitution]", "[constitution", "not TOML"),
    ],
)
def test_names_the_finding(tally, ledger, tmp_path, old, new, said):
    (tmp_path / "ours.toml").write_text(DEFAULT_TEXT.replace(old, new, 1))
    done = tally("constitution", "lint", tmp_path / "ours.toml")
    assert done.exit_code == 1
    assert said in done.stdout
    machine = tally("constitution", "lint", tmp_path / "ours.toml", "--json")
    assert (machine.exit_code, machine.object["accepted"]) == (1, False)
    for words in (("constitution", "adopt"), ("amendment", "propose", "--reason", "x")):
        refused = tally(*words, tmp_path / "ours.toml", "--yes")
        assert refused.exit_code == 1
        assert said in refused.error
    assert tally("log", "head", "--json").object["size"] == 3


def amended(tally, file):
    proposed = tally("amendment", "propose", file, "--reason", "it is ours", "--yes", "--json").object
    return tally("amendment", "adopt", proposed["amendment"], "--yes")


def test_an_amendment_puts_another_in_force(tally, ledger, tmp_path):
    (tmp_path / "ours.toml").write_text(DEFAULT_TEXT.replace("tallystick default", "ours"))
    assert amended(tally, tmp_path / "ours.toml").exit_code == 0
    assert tally("constitution", "show", "--json").object["name"] == "ours"


def test_attributes_are_checked_by_the_one_in_force(tally, ledger, tmp_path):
    wider = DEFAULT_TEXT.replace(
        'values = ["dev", "test", "staging", "prod"]', 'values = ["dev", "test", "staging", "prod", "moon"]'
    )
    (tmp_path / "ours.toml").write_text(wider)
    words = ("resource", "add", "db://moon/x", "--set", "environment=moon", "--yes")
    assert tally(*words).exit_code == 1
    assert amended(tally, tmp_path / "ours.toml").exit_code == 0
    assert tally(*words).exit_code == 0


def test_what_is_no_text_is_one_line(tally, ledger, tmp_path):
    (tmp_path / "ours.toml").write_bytes(b"\xff\xfe")
    done = tally("constitution", "lint", tmp_path / "ours.toml")
    assert done.exit_code == 1
    assert "not UTF-8" in done.error


WIDER = (
    'environment in ["dev", "test"] and not elevated',
    'environment in ["dev", "test", "staging"] and not elevated',
)
IDLE = ("when = 'secret'", "when = 'secret and asset != \"source\"'")


@pytest.fixture
def write(tmp_path):
    def written(name, *change):
        (tmp_path / name).write_text(DEFAULT_TEXT.replace(*change) if change else DEFAULT_TEXT)
        return tmp_path / name

    return written


def test_the_default_is_linted_without_a_finding_and_without_a_ledger(tally, write):
    done = tally("constitution", "lint", write("ours.toml"), "--json")
    assert (done.exit_code, done.object["findings"]) == (0, [])
    assert "no finding" in tally("constitution", "lint", write("ours.toml")).stdout


def test_lints_the_one_in_force_where_no_file_is_named(tally, ledger):
    assert tally("constitution", "lint").exit_code == 0


def test_a_finding_is_told_with_its_proof_and_exits_with_one(tally, write):
    """Cases B15, B17: whatever does nothing is found before it is relied on."""
    done = tally("constitution", "lint", write("ours.toml", *IDLE))
    assert done.exit_code == 1
    assert 'rule V.secrets: asset != "source" changes nothing (the same in all of ' in done.stdout
    machine = tally("constitution", "lint", write("ours.toml", *IDLE), "--format", "json")
    assert {one["code"] for one in machine.object["findings"]} == {"idle-atom"}


def test_findings_as_sarif_name_the_line(tally, write):
    file = write("ours.toml", *IDLE)
    done = tally("constitution", "lint", file, "--format", "sarif")
    (run,) = done.object["runs"]
    lines = file.read_text().splitlines()
    for result in run["results"]:
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == str(file)
        assert lines[place["region"]["startLine"] - 1].startswith('id = "V.secret')
        assert result["ruleId"] in {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert (done.exit_code, len(run["results"])) == (1, 2)


def test_a_refusal_as_sarif_names_the_line(tally, write):
    file = write("ours.toml", "when = 'elevated'", "when = 'elevatet'")
    (run,) = tally("constitution", "lint", file, "--format", "sarif").object["runs"]
    (result,) = run["results"]
    line = result["locations"][0]["physicalLocation"]["region"]["startLine"]
    assert (result["ruleId"], file.read_text().splitlines()[line - 1]) == ("not-accepted", 'id = "V.elevation"')


def test_the_store_is_looked_at_where_that_is_asked(desk):
    found = desk.run("constitution", "lint", "--store", "--json")
    assert found.exit_code == 1
    codes = {one["code"] for one in found.object["findings"]}
    assert codes == {"selects-nothing", "unsupplied"}
    assert desk.run("constitution", "lint", "--json").object["findings"] == []


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ((), "equivalent"),
        (("tallystick default", "ours"), "equivalent"),
        (WIDER, "loosening"),
        (tuple(reversed(WIDER)), "tightening"),
        (('gate = "0.55"', 'gate = "0.54"'), "loosening"),
        (('gate = "0.55"', 'gate = "0.56"'), "tightening"),
        (('floor_step = "0.005"', 'floor_step = "0.006"'), "loosening"),
        (("fresh_for = 900", "fresh_for = 899"), "tightening"),
        (('effect = "require_consent"', 'effect = "forbid"'), "tightening"),
    ],
)
def test_two_documents_are_compared_without_a_ledger(tally, write, change, kind):
    """Cases G01, G09."""
    old, new = write("old.toml"), write("new.toml", *change)
    if change == tuple(reversed(WIDER)):
        old, new = write("old.toml", *WIDER), write("new.toml")
    done = tally("constitution", "diff", old, new, "--json")
    assert (done.exit_code, done.object["kind"]) == (0, kind)
    strict = tally("constitution", "diff", old, new, "--at-most", "tightening", "--json")
    assert strict.exit_code == (0 if kind in {"equivalent", "tightening"} else 1)
    assert tally("constitution", "diff", old, new).stdout.splitlines()[1].startswith(f"{kind}: ")


def test_a_difference_as_sarif_has_a_result_for_each_direction(tally, write):
    done = tally("constitution", "diff", write("old.toml"), write("new.toml", *WIDER), "--format", "sarif")
    (run,) = done.object["runs"]
    assert [one["ruleId"] for one in run["results"]] == ["opens"]
    assert "exec run" in run["results"][0]["message"]["text"]


def test_the_one_in_force_is_compared_with_resources_and_grants_beside_it(desk, write):
    file = write("new.toml", "when = 'secret'", "when = 'secret or asset == \"business_record\"'")
    done = desk.run("constitution", "diff", file, "--json")
    assert (done.exit_code, done.object["kind"]) == (0, "tightening")
    assert done.object["resources_closed"]
    shown = desk.run("constitution", "diff", file).stdout
    assert "of today: " in shown


def test_resources_are_seen_with_what_they_inherit(desk, write):
    """A narrower entry says one thing, and the subtree around it the rest."""
    file = write("new.toml", "when = 'secret'", "when = 'secret or asset == \"business_record\"'")
    before = desk.run("constitution", "diff", file, "--json").object["resources_closed"]
    (name, *_) = [one for one in before if one.startswith("db://") and one.endswith("/**")]
    inner = f"{name.removesuffix('/**')}/inner"
    done = desk.sign("resource", "add", inner, "--set", "sensitivity=internal")
    assert done.exit_code == 0, done.stderr
    assert inner in desk.run("constitution", "diff", file, "--json").object["resources_closed"]


def test_too_many_files_are_wrong_usage(tally, write):
    file = write("a.toml")
    assert tally("constitution", "diff", file, file, file).exit_code == 2
    assert tally("constitution", "diff").exit_code == 2


def test_a_rule_is_explained(tally, write):
    done = tally("constitution", "explain", "V.exfiltration", write("ours.toml"))
    assert "reads carries   derived: public, internal, confidential, restricted" in done.stdout
    told = tally("constitution", "explain", "V.exfiltration", write("ours.toml"), "--json").object
    assert told["cells"] == told["true"] + told["unknown"] + told["false"]
    assert 0 < told["decides"] <= told["fires"] == told["true"] + told["unknown"]
    assert {fact["name"] for fact in told["least"]} == {"kind", "verb", "egress", "exposure", "carries"}


def test_an_unknown_rule_is_named_with_the_nearest(tally, write):
    done = tally("constitution", "explain", "V.exfiltrate", write("ours.toml"))
    assert (done.exit_code, 'did you mean "V.exfiltration"?' in done.error) == (1, True)


CASES = """
[given]
authenticated = true
owned = true
spoken_for = false
correlated = true
trust = "ungated"
elevated = false
scope = "one"

[[cases]]
name = "a fixture may be deleted"
kind = "file"
verb = "delete"
given = { environment = "test", asset = "test_fixture", reversibility = "recoverable", about_people = false }
expect = "allow"

[[cases]]
name = "a secret is not read"
kind = "file"
verb = "read"
target = "file:///srv/key"
given = { asset = "secret", about_people = false, sensitivity = "internal" }
expect = "deny"
reason = "FORBIDDEN"
rules = ["V.secrets"]

[[cases]]
name = "production is held, and a consent lifts it"
kind = "data"
verb = "update"
given = { environment = "prod", asset = "business_record", reversibility = "recoverable", about_people = false }
consent = true
expect = "allow"

[[cases]]
name = "profiling"
kind = "data"
verb = "read"
given = { asset = "business_record", about_people = true, purpose = "support", sensitivity = "internal" }
claims = { stated_purpose = "profiling" }
expect = "deny"

[[cases]]
name = "without a purpose"
kind = "data"
verb = "read"
given = { asset = "business_record", about_people = true, sensitivity = "internal" }
absent = ["purpose"]
expect = "deny"
rules = ["II.purpose-recorded"]

[[cases]]
name = "unregistered"
kind = "file"
verb = "read"
registered = false
expect = "deny"
"""


def test_cases_of_a_file_are_tried(tally, write, tmp_path):
    (tmp_path / "cases.toml").write_text(CASES)
    done = tally("constitution", "test", write("ours.toml"), "--cases", tmp_path / "cases.toml", "--json")
    assert done.object["failed"] == 0, done.stdout
    assert (done.exit_code, len(done.object["cases"])) == (0, 6)
    assert (
        "6 cases, 0 of them otherwise"
        in tally("constitution", "test", write("ours.toml"), "--cases", tmp_path / "cases.toml").stdout
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('expect = "allow"', 'expect = "hold"', "hold was expected, and it is allow"),
        ('reason = "FORBIDDEN"', 'reason = "ATTR_UNKNOWN"', "ATTR_UNKNOWN was expected, and it is FORBIDDEN"),
        ('rules = ["V.secrets"]', 'rules = ["V.elevation"]', "V.elevation does not speak"),
    ],
)
def test_a_case_that_goes_otherwise_exits_with_one(tally, write, tmp_path, old, new, said):
    (tmp_path / "cases.toml").write_text(CASES.replace(old, new, 1))
    done = tally("constitution", "test", write("ours.toml"), "--cases", tmp_path / "cases.toml")
    assert (done.exit_code, said in done.stdout) == (1, True)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('expect = "allow"', 'expect = "alow"', 'did you mean "allow"?'),
        ('verb = "delete"', 'verb = "remove"', "unknown verb"),
        ('environment = "test"', 'environment = "tset"', '"tset" is no value of environment'),
        ("consent = true", 'consent = "yes"', "true or false is wanted"),
        ("consent = true", "constent = true", 'did you mean "consent"?'),
        ("file:///srv/key", "/srv/key", "a reference starts with its scheme"),
        ('absent = ["purpose"]', 'absent = ["scope"]', "attribute of the store"),
        ('rules = ["V.secrets"]', 'rules = ["V.secret"]', "did you mean"),
        ("owned = true", "ownd = true", 'did you mean "owned"?'),
        ("[given]", "[given", "not TOML"),
    ],
)
def test_a_file_of_cases_that_can_not_be_read_is_one_line(tally, write, tmp_path, old, new, said):
    (tmp_path / "cases.toml").write_text(CASES.replace(old, new, 1))
    done = tally("constitution", "test", write("ours.toml"), "--cases", tmp_path / "cases.toml")
    assert (done.exit_code, said in done.error) == (1, True), done.stderr


def test_prolog_and_cedar_spell_every_rule(tally):
    for form in ("prolog", "cedar"):
        spelled = tally("constitution", "show", "--default", "--as", form, "--json").object["as"]
        for line in DEFAULT_TEXT.splitlines():
            if line.startswith('id = "'):
                assert line.removeprefix('id = "').removesuffix('"') in spelled
    assert tally("constitution", "show", "--default", "--as", "prolog").stdout.startswith("% tallystick default\n")
    assert tally("constitution", "show", "--default", "--as", "prolog", "--text").exit_code == 2
