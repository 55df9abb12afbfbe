"""`tally resource`."""

import json
import shlex

import pytest

DOCS = [
    '{"reference":"db://prod/a","environment":"prod","about_people":true,"absent":["purpose"]}',
    '{"reference":"db://prod/b/**","environment":"prod","about_people":false,"purpose":null}',
]
TOML = """
[[resource]]
reference = "db://prod/a"
environment = "prod"
about_people = true
absent = ["purpose"]

[[resource]]
reference = "db://prod/b/**"
environment = "prod"
about_people = false
absent = ["purpose"]
"""
CSV = "reference,environment,about_people,asset,absent\ndb://prod/a,prod,true,,purpose\ndb://prod/b/**,prod,false,,purpose\n"


def add(tally, reference, *words):
    done = tally("resource", "add", reference, *words, "--yes", "--json")
    assert done.exit_code == 0, done.stderr
    return done.object["event"]


def attributes(tally, reference):
    return tally("resource", "show", reference, "--json").object["registration"]["attributes"]


def test_adds_with_typed_values(tally, ledger):
    add(tally, "db://prod/users", "--set", "environment=prod", "--set", "about_people=true", "--absent", "purpose")
    assert attributes(tally, "db://prod/users") == {"environment": "prod", "about_people": True, "purpose": None}


def test_takes_a_trust_domain(tally, ledger):
    add(tally, "person:p-7/care", "--set", "domain=care", "--set", "asset=person")
    assert attributes(tally, "person:p-7/care")["domain"] == "care"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--set", "enviroment=prod"], 'unknown attribute "enviroment"; did you mean "environment"?'),
        (["--set", "environment=pord"], '"pord" is no value of environment; did you mean "prod"?'),
        (["--set", "about_people=yes"], "it is true or false"),
        (["--set", "scope=one"], "scope comes from the reducer"),
        (["--absent", "nonsense"], "unknown attribute"),
        (["--set", "environment"], "name=value"),
        (["--set", "environment=prod", "--absent", "environment"], "stands twice"),
        (["--set", "domain=a\u202eb"], "is no value of domain"),
    ],
)
def test_refuses_what_no_rule_could_read(tally, ledger, words, said):
    done = tally("resource", "add", "db://prod/users", *words, "--yes")
    assert done.exit_code == 1
    assert said in done.error
    assert tally("log", "head", "--json").object["size"] == 3


@pytest.mark.parametrize(
    "reference", ["db:prod", "file://srv", "db://prod/*", "/srv/app", "db://prod/\u200bx", "nothing:x"]
)
def test_refuses_another_spelling_of_a_reference(tally, ledger, reference):
    done = tally("resource", "add", reference, "--set", "environment=dev", "--yes")
    assert done.exit_code == 1
    assert done.error.isascii()


def test_reclassifies_advances_and_retires(tally, ledger):
    add(tally, "db://prod/users", "--set", "environment=prod")
    assert tally("resource", "reclassify", "db://prod/users", "--set", "asset=backup", "--yes").exit_code == 0
    assert attributes(tally, "db://prod/users") == {"asset": "backup"}
    assert tally("resource", "advance", "db://prod/users", "--yes").exit_code == 0
    assert tally("resource", "advance", "db://prod/users", "--to", 9, "--yes").exit_code == 0
    assert tally("resource", "show", "db://prod/users", "--json").object["registration"]["version"] == 9
    back = tally("resource", "advance", "db://prod/users", "--to", 9, "--yes")
    assert back.exit_code == 1
    assert tally("resource", "retire", "db://prod/users", "--yes").exit_code == 0
    assert "everything about it is unknown" in tally("resource", "show", "db://prod/users").stdout
    assert "db://prod/users" not in tally("resource", "list").stdout
    assert "db://prod/users" in tally("resource", "list", "--retired").stdout


def test_what_was_never_registered_can_not_be_changed(tally, ledger):
    for verb in (["reclassify", "--set", "asset=backup"], ["advance"], ["retire"]):
        done = tally("resource", verb[0], "db://prod/users", *verb[1:], "--yes")
        assert done.exit_code == 1
        assert "there is no resource db://prod/users" in done.error


def test_shows_the_nearest_registration_and_where_it_looked(tally, ledger):
    add(tally, "file:///srv/**", "--set", "environment=prod")
    add(tally, "file:///srv/app/**", "--set", "environment=dev")
    shown = tally("resource", "show", "file:///srv/app/x/main.py", "--json").object
    assert shown["registration"]["resource"] == "file:///srv/app/**"
    assert shown["looked"][:3] == [
        "file:///srv/app/x/main.py",
        "file:///srv/app/x/main.py/**",
        "file:///srv/app/x/**",
    ]
    assert tally("resource", "show", "file:///etc/passwd", "--json").object["registration"] is None


def test_shows_the_code_points_of_what_is_not_ascii(tally, ledger):
    text = tally("resource", "show", "db://pr\u043ed/users").stdout
    assert "CYRILLIC SMALL LETTER O" in text
    assert "no registration" in text


def test_lists_below_a_reference(tally, ledger):
    add(tally, "db://prod/users", "--set", "environment=prod")
    add(tally, "db://production/users", "--set", "environment=prod")
    listed = tally("resource", "list", "--under", "db://prod", "--json").objects
    assert [one["resource"] for one in listed] == ["db://prod/users"]
    assert "environment=prod" in tally("resource", "list").stdout


@pytest.mark.parametrize(
    ("name", "text"), [("r.jsonl", "\n".join(DOCS)), ("r.toml", TOML), ("r.csv", CSV), ("-", "\n\n".join(DOCS))]
)
def test_imports_every_form_alike(tally, ledger, tmp_path, name, text):
    (tmp_path / name).write_text(text)
    done = tally("resource", "import", name if name == "-" else tmp_path / name, "--yes", "--json", stdin=text)
    assert done.exit_code == 0, done.stderr
    assert done.objects == [{"resource": "db://prod/a", "event": 3}, {"resource": "db://prod/b/**", "event": 4}]
    assert attributes(tally, "db://prod/a") == {"about_people": True, "environment": "prod", "purpose": None}
    assert attributes(tally, "db://prod/b/x") == {"about_people": False, "environment": "prod", "purpose": None}
    first, second = (tally("log", "show", seq, "--json").object["at"] for seq in (3, 4))
    assert first == second


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("r.jsonl", DOCS[0] + "\n{", "line 2"),
        ("r.jsonl", DOCS[0] + '\n{"reference":"db://prod/c","asset":"bakcup"}', 'line 2: "bakcup" is no value'),
        ("r.jsonl", DOCS[0] + "\n" + DOCS[0], "stands in line 1 already"),
        ("r.jsonl", '{"asset":"backup"}', '"reference" is wanted'),
        ("r.jsonl", '{"reference":"db://x/y","absent":"asset"}', "is a list of names"),
        ("r.jsonl", '{"reference":"db://x/y","asset":"backup","absent":["asset"]}', "can't be absent as well"),
        ("r.jsonl", '{"reference":"db://x/y","about_people":1.5}', "line 1"),
        ("r.jsonl", "", "there is no resource in it"),
        ("r.toml", "[[resource", "not TOML"),
        ("r.toml", "x = 1", "[[resource]]"),
        ("r.csv", "name,asset\nx,y\n", '"reference"'),
        ("r.csv", "reference,asset\ndb://x/y\n", "line 2"),
        ("r.csv", 'reference,asset\n"db://x/y"z,backup\n', "not CSV"),
        ("r.csv", "reference,asset,absent\ndb://x/y,backup,asset\n", "can't be absent as well"),
    ],
)
def test_imports_all_or_nothing(tally, ledger, tmp_path, name, text, said):
    (tmp_path / name).write_text(text)
    done = tally("resource", "import", tmp_path / name, "--yes")
    assert done.exit_code == 1
    assert said in done.error
    assert tally("log", "head", "--json").object["size"] == 3


def test_an_import_that_meets_a_registered_resource_writes_nothing(tally, ledger, tmp_path):
    add(tally, "db://prod/b/**", "--set", "environment=prod")
    (tmp_path / "r.jsonl").write_text("\n".join(DOCS))
    done = tally("resource", "import", tmp_path / "r.jsonl", "--yes")
    assert done.exit_code == 1
    assert "registered already" in done.error
    assert tally("log", "head", "--json").object["size"] == 4


def test_shows_twenty_statements_of_many_and_says_that_there_are_more(tally, ledger, tmp_path):
    lines = [json.dumps({"reference": f"db://prod/t{number}", "environment": "prod"}) for number in range(25)]
    (tmp_path / "r.jsonl").write_text("\n".join(lines))
    done = tally("resource", "import", tmp_path / "r.jsonl", "--yes")
    assert done.exit_code == 0
    assert done.stderr.count("tallystick resource.registered v2") == 20
    assert "and 5 more" in done.stderr
    assert "25 resources registered" in done.stdout


def test_the_examples_of_the_help_leave_no_property_unknown(tally, ledger):
    from tools.cli import resource

    for line in resource._ADD.splitlines():
        assert tally(*shlex.split(line)[1:], "--yes").exit_code == 0
    for words in (
        ("--shell", "rm a.json", "--cwd", "/srv/app/tests"),
        ("--sql", "DELETE FROM users WHERE id = 42", "--database", "prod"),
    ):
        assert "ATTR_UNKNOWN" not in tally("decide", *words, "--request", words[1], "--json").object["reasons"]


def test_one_imported_resource_is_told_by_its_name(tally, ledger, tmp_path):
    (tmp_path / "one.jsonl").write_text(DOCS[0])
    assert tally("resource", "import", tmp_path / "one.jsonl", "--yes").stdout == "db://prod/a registered (event 3)\n"


SIX = ["--set", "environment=prod", "--set", "asset=business_record", "--set", "sensitivity=internal"]
SIX += ["--set", "reversibility=irreversible", "--set", "about_people=false", "--absent", "purpose"]


def shown(tally, reference):
    return tally("resource", "show", reference, "--json").object


def test_shows_each_attribute_with_the_event_and_the_entry_it_is_of(tally, ledger):
    outer = add(tally, "db://prod/**", *SIX)
    inner = add(tally, "db://prod/users/**", "--set", "environment=staging")
    labels = shown(tally, "db://prod/users/42")["labels"]
    assert labels["environment"] == {"values": ["staging"], "stamp": inner, "of": ["db://prod/users/**"]}
    assert labels["asset"] == {"values": ["business_record"], "stamp": outer, "of": ["db://prod/**"]}
    assert labels["purpose"]["values"] == [{"missing": "absent"}]
    text = tally("resource", "show", "db://prod/users/42").stdout
    assert f"event {outer}" in text
    assert "(its own 1)" in text


def test_says_several_values_and_further_places(tally, ledger):
    add(tally, "db://one/**", *SIX)
    add(tally, "db://two/**", *["environment=test" if word == "environment=prod" else word for word in SIX])
    add(
        tally,
        "db://shared/**",
        "--within",
        "db://one/**",
        "--within",
        "db://two/**",
        "--set",
        "asset=scratch",
        "--set",
        "asset=config",
    )
    labels = shown(tally, "db://shared/t")["labels"]
    assert sorted(labels["environment"]["values"]) == ["prod", "test"]
    assert labels["asset"]["values"] == ["config", "scratch"]
    assert "config and scratch" in tally("resource", "show", "db://shared/t").stdout
    assert "asset=config|scratch" in tally("resource", "list", "--under", "db://shared").stdout
    astray = tally("resource", "add", "db://x/**", "--within", "db://nowhere/**", "--yes")
    assert (astray.exit_code, "nobody has registered db://nowhere/**" in astray.error) == (1, True)
    twice = tally("resource", "add", "db://x/**", "--set", "asset=config", "--set", "asset=config", "--yes")
    assert "say each value once" in twice.error


def test_a_relabel_tells_what_it_opens_before_it_is_signed(tally, ledger):
    add(tally, "db://prod/**", *SIX)
    looser = ["environment=test" if word == "environment=prod" else word for word in SIX]
    size = tally("log", "head", "--json").object["size"]
    dry = tally("resource", "reclassify", "db://prod/**", *looser, "--dry-run", "--json")
    # What is held for consent in production is denied for want of authority elsewhere: some of it closes.
    assert dry.object["relabels"]["direction"] == "mixed"
    assert dry.object["relabels"]["resources"] == 1
    assert tally("log", "head", "--json").object["size"] == size
    assert (
        "it opens and closes. Not signed."
        in tally("resource", "reclassify", "db://prod/**", *looser, "--dry-run").stdout
    )
    done = tally("resource", "reclassify", "db://prod/**", *looser, "--yes")
    assert done.exit_code == 0
    assert "it opens" in done.stderr
    assert "for 1 resource today" in done.stderr
    assert tally("audit").exit_code == 0


def test_a_registrar_can_not_open_what_a_human_closed(tally, ledger, other_key):
    known = ("principal", "add", "registrar:stores", "--name", "stores", "--owner", "human:owner")
    assert tally(*known, "--public-key", f"{other_key}.pub", "--yes").exit_code == 0
    add(tally, "db://prod/**", *SIX)
    looser = ["environment=test" if word == "environment=prod" else word for word in SIX]
    mine = ("--by", "registrar:stores", "--key", other_key, "--yes")
    for words in (
        ("reclassify", "db://prod/**", *looser),
        ("add", "db://prod/users/**", "--set", "environment=test"),
    ):
        done = tally("resource", *words, *mine)
        assert done.exit_code == 1
        assert "signed by a human, not by registrar:stores" in done.error
    assert tally("resource", "add", "db://prod/keys/**", "--set", "asset=secret", *mine).exit_code == 0


def test_what_was_retired_is_cleared_and_comes_back(tally, ledger):
    add(tally, "db://prod/**", *SIX)
    add(tally, "db://prod/old", "--set", "asset=secret")
    assert tally("resource", "retire", "db://prod/old", "--yes").exit_code == 0
    assert tally("resource", "clear", "db://prod/old", "--yes").exit_code == 0
    found = shown(tally, "db://prod/old")
    assert (found["registration"]["resource"], found["passed"]) == ("db://prod/**", ["db://prod/old"])
    assert "db://prod/old (cleared)" in tally("resource", "show", "db://prod/old").stdout
    assert "cleared by event" in tally("resource", "list", "--retired").stdout
    assert tally("resource", "clear", "db://prod/old", "--yes").exit_code == 1
    assert tally("resource", "reclassify", "db://prod/old", "--set", "asset=secret", "--yes").exit_code == 0
    assert shown(tally, "db://prod/old")["labels"]["asset"]["values"] == ["secret"]


def test_imports_several_values_and_places(tally, ledger, tmp_path):
    lines = [
        {"reference": "db://one/**", "environment": "prod", "asset": "scratch"},
        {"reference": "db://two/**", "environment": ["test", "dev"], "asset": "scratch"},
        {"reference": "db://shared/**", "within": ["db://one/**", "db://two/**"]},
        {"reference": "db://one/x", "asset": "config"},
    ]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, lines)))
    done = tally("resource", "import", tmp_path / "r.jsonl", "--yes")
    assert done.exit_code == 0, done.stderr
    assert sorted(shown(tally, "db://shared/t")["labels"]["environment"]["values"]) == ["dev", "prod", "test"]
    assert tally("audit").exit_code == 0
    assert tally("rebuild").exit_code == 0
