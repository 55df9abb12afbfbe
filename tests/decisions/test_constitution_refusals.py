"""Documents that are refused, as a whole and in one line that names the place and the nearest spelling."""

import copy
import json
import tomllib
from dataclasses import replace
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decisions.constitution import DEFAULT_TEXT, Constitution, check_examples, default, load
from decisions.constitution.loader import read
from decisions.errors import ConstitutionError
from grants.expression import Choice

Document: TypeAlias = dict[str, Any]
Json: TypeAlias = Any

DOCUMENT: Document = tomllib.loads(DEFAULT_TEXT)


def toml(value: object) -> str:
    """Write a document as TOML, every inner table inline."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def text_of(document: Document) -> str:
    return "\n".join(f"{json.dumps(key)} = {toml(value)}" for key, value in document.items())


def accept(document: Document | str) -> Constitution:
    """Load a text, or tables that spare the tests the parsing of it."""
    return load(document) if isinstance(document, str) else read(document, bytes(32))


def refused(document: Document | str) -> str:
    """Load a text, or a document with changes, and give the one line that refuses it."""
    with pytest.raises(ConstitutionError) as caught:
        accept(document)
    message = str(caught.value)
    assert message
    assert "\n" not in message
    return message


def changed(*path_and_value: Any) -> Document:
    """Give the default document with one value put at a path."""
    *path, last, value = path_and_value
    document = copy.deepcopy(DOCUMENT)
    inner = document
    for key in path:
        inner = inner[key]
    inner[last] = value
    return document


def with_rule(index: int = 0, article: int = 0, **changes: Any) -> Document:
    document = copy.deepcopy(DOCUMENT)
    rule = document["articles"][article]["rules"][index]
    rule.update(changes)
    return document


def misspelt(word: str) -> str:
    """Turn a word into one that nobody knows, close enough to be recognised."""
    return word[:-1] + ("x" if word[-1] != "x" else "z") if len(word) > 3 else word + "x"


RULES = [
    pytest.param(a, r, id=rule["id"])
    for a, article in enumerate(DOCUMENT["articles"])
    for r, rule in enumerate(article["rules"])
]


def rule_at(document: Document, article: int, index: int) -> Document:
    return document["articles"][article]["rules"][index]


def test_the_writer_of_these_tests_gives_the_default_back() -> None:
    loaded = load(text_of(DOCUMENT))
    assert replace(loaded, digest=default().digest) == default()


# --- every name of every rule, misspelt -----------------------------------------------------------------------------


@pytest.mark.parametrize(("article", "index"), RULES)
def test_refuses_a_rule_without_each_of_its_keys(article: int, index: int) -> None:
    for key in rule_at(DOCUMENT, article, index).keys() - {"verbs"}:
        document = copy.deepcopy(DOCUMENT)
        del rule_at(document, article, index)[key]
        message = refused(document)
        assert f'"{key}" is missing' in message
        if key != "id":
            assert message.startswith(f"rule {rule_at(DOCUMENT, article, index)['id']}")


@pytest.mark.parametrize(("article", "index"), RULES)
def test_refuses_each_misspelt_key_of_a_rule_and_names_the_right_one(article: int, index: int) -> None:
    for key in rule_at(DOCUMENT, article, index):
        document = copy.deepcopy(DOCUMENT)
        rule = rule_at(document, article, index)
        rule[misspelt(key)] = rule.pop(key)
        message = refused(document)
        assert f'unknown key "{misspelt(key)}"' in message
        if len(key) > 2:
            assert f'did you mean "{key}"' in message


@pytest.mark.parametrize(("article", "index"), RULES)
def test_refuses_each_misspelt_name_in_a_condition_and_names_the_right_one(article: int, index: int) -> None:
    rule = rule_at(DOCUMENT, article, index)
    names = DOCUMENT["attributes"].keys() | DOCUMENT["categories"].keys() | {"verb"}
    values = {value for row in DOCUMENT["attributes"].values() for value in row.get("values", [])}
    words = [word.strip("\"'") for word in rule["when"].replace("(", " ").replace(")", " ").split()]
    found = [word.strip('[],"') for word in words]
    for word in found:
        if word in names:
            wrong = rule["when"].replace(word, misspelt(word))
        elif word in values:
            wrong = rule["when"].replace(f'"{word}"', f'"{misspelt(word)}"')
        else:
            continue
        message = refused(with_rule(index, article, when=wrong))
        assert message.startswith(f"rule {rule['id']}.when: ")
        assert f'did you mean "{word}"' in message or "known are" in message


@pytest.mark.parametrize(("article", "index"), RULES)
def test_refuses_each_misspelt_kind_and_verb_of_a_rule_and_names_the_right_one(article: int, index: int) -> None:
    rule = rule_at(DOCUMENT, article, index)
    for key in ("kinds", "verbs"):
        for word in rule.get(key, []):
            others = [other for other in rule[key] if other != word]
            message = refused(with_rule(index, article, **{key: [*others, misspelt(word)]}))
            assert f'unknown {key[:-1]} "{misspelt(word)}"' in message
            assert f'did you mean "{word}"' in message or "known are" in message


@pytest.mark.parametrize(("article", "index"), RULES)
def test_refuses_each_misspelt_key_and_value_of_an_example_and_names_the_right_one(article: int, index: int) -> None:
    for name in ("stops", "passes"):
        example = rule_at(DOCUMENT, article, index)[name]
        for key, value in example.items():
            rest = {other: kept for other, kept in example.items() if other != key}
            message = refused(with_rule(index, article, **{name: {**rest, misspelt(key): value}}))
            assert f'did you mean "{key}"' in message or "known are" in message
            if isinstance(value, str):
                message = refused(with_rule(index, article, **{name: {**rest, key: misspelt(value)}}))
                assert f'"{misspelt(value)}"' in message
                assert f'did you mean "{value}"' in message or "known are" in message
            wrong_type = 1 if not isinstance(value, list) else "purpose"
            refused(with_rule(index, article, **{name: {**rest, key: wrong_type}}))


@pytest.mark.parametrize(("article", "index"), RULES)
def test_refuses_a_rule_whose_examples_are_exchanged(article: int, index: int) -> None:
    rule = rule_at(DOCUMENT, article, index)
    message = refused(with_rule(index, article, stops=rule["passes"], passes=rule["stops"]))
    assert message.startswith(f"rule {rule['id']}.stops: the condition is ")


@pytest.mark.parametrize(("article", "index"), [rule for rule in RULES if rule.id != "V.authorisation"])
def test_refuses_an_example_that_leaves_the_rule_unsettled(article: int, index: int) -> None:
    rule = rule_at(DOCUMENT, article, index)
    example = {"kind": rule["stops"]["kind"], "verb": rule["stops"]["verb"]}
    message = refused(with_rule(index, article, stops=example))
    assert "the condition is unknown on this example" in message


@pytest.mark.parametrize("section", DOCUMENT)
def test_refuses_a_missing_or_misspelt_section(section: str) -> None:
    wrong = {misspelt(key) if key == section else key: value for key, value in DOCUMENT.items()}
    assert f'did you mean "{section}"' in refused(wrong)
    if section != "categories":
        assert f'"{section}" is missing' in refused({key: value for key, value in DOCUMENT.items() if key != section})


@pytest.mark.parametrize("name", DOCUMENT["attributes"])
def test_refuses_every_flaw_in_an_attribute(name: str) -> None:
    attribute = DOCUMENT["attributes"][name]
    for key in attribute:
        rest = {other: value for other, value in attribute.items() if other != key}
        assert f'"{key}" is missing' in refused(changed("attributes", name, rest))
        wrong = changed("attributes", name, {**rest, misspelt(key): attribute[key]})
        assert f'did you mean "{key}"' in refused(wrong)
        message = refused(changed("attributes", name, key, 7))
        assert message.startswith(f"attributes.{name}")
    kinds = [*attribute["kinds"][1:], misspelt(attribute["kinds"][0])]
    assert 'unknown kind "' in refused(changed("attributes", name, "kinds", kinds))
    assert 'did you mean "store"' in refused(changed("attributes", name, "source", "stor"))
    assert 'did you mean "choice"' in refused(changed("attributes", name, "type", "choise"))


@pytest.mark.parametrize("name", DOCUMENT["categories"])
def test_refuses_each_misspelt_name_in_a_category(name: str) -> None:
    source = DOCUMENT["categories"][name]
    first = source.split()[0]
    message = refused(changed("categories", name, source.replace(first, misspelt(first))))
    assert message.startswith(f"categories.{name}: ")
    assert f'did you mean "{first}"' in message


# --- the language ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "key",
    [
        "failurePolicy", "failure_policy", "default", "default_effect", "on_error", "onError", "fallback", "enabled",
        "disabled", "mode", "shadow", "ignore_errors", "fail_open", "timeout", "allow", "override", "exceptions",
        "__proto__", "priority", "order", "condition", "unless",
    ],
)  # fmt: skip
def test_no_key_exists_that_would_fail_open(key: str) -> None:
    """C09: in no table whatever."""
    places = [
        (),
        ("constitution",),
        ("attributes", "environment"),
        ("articles", 0),
        ("articles", 0, "rules", 0),
        ("articles", 0, "rules", 0, "stops"),
        ("trust",),
        ("trust", "classes", 1),
    ]
    for place in places:
        for value in ("allow", True):
            assert f'unknown key "{key}"' in refused(changed(*place, key, value))


@pytest.mark.parametrize(
    "id_", ["__proto__", "toString", "None", "constructor", "-", ".", "0", "I.production-change.2"]
)
def test_a_rule_with_a_strange_id_loads_and_is_active(id_: str) -> None:
    """B15."""
    loaded = accept(with_rule(id=id_))
    assert id_ in [rule.id for rule in loaded.rules_for("data", "update")]


@pytest.mark.parametrize("id_", ["", " ", "a b", "a/b", "I.produ\u0441tion", "x" * 129, "a\nb"])
def test_refuses_a_rule_id_of_another_form(id_: str) -> None:
    assert "id" in refused(with_rule(id=id_))


def test_refuses_two_rules_of_one_id_even_in_two_articles() -> None:
    assert "two rules have the id I.production-change" in refused(with_rule(article=4, id="I.production-change"))


@pytest.mark.parametrize(
    ("when", "why"),
    [
        ('"Submit order"', "is a constant and no condition"),
        ("1", "is a constant and no condition"),
        ("environment", "is not true or false by itself"),
        ("True", "reads no attribute"),
        ("not False", "reads no attribute"),
        ("environment == 'prod' or True", "the condition is true on this example"),
        ("lambda: True", "not part of the language"),
        ("__import__('os')", "only present(attribute) and under"),
        ("environment.real", "not part of the language"),
        ("now() > 3", "an attribute on one side"),
        ("reversibility < 'x'", "no value"),
        ("environment == 'prod' and environment == 'dev'", "toothless"),
        ("present(scope)", "only what the store supplies"),
        ("present(verb)", "only what the store supplies"),
        ("exposure == 'external'", "not declared for data, file"),
        ("verb == 'run'", "no value of verb"),
        ("kind == 'exec'", "no value of kind"),
        ("", "not a condition"),
    ],
)
def test_refuses_conditions_that_are_no_conditions(when: str, why: str) -> None:
    """C03, B17."""
    message = refused(with_rule(when=when))
    assert message.startswith("rule I.production-change")
    assert why in message


@pytest.mark.parametrize(
    ("when", "idle"),
    [
        ("production and kind == 'file'", "data"),
        ("production and verb != 'drop'", "drop"),
    ],
)
def test_refuses_a_rule_that_names_a_kind_or_verb_on_which_it_never_holds(when: str, idle: str) -> None:
    assert f'toothless: the condition can never be true for "{idle}"' in refused(with_rule(when=when))


def test_refuses_a_rule_that_names_a_kind_without_one_of_its_verbs() -> None:
    assert 'toothless: no verb of the kind "file"' in refused(with_rule(verbs=["insert"]))


def test_refuses_a_rule_too_involved_to_decide() -> None:
    document = changed("attributes", "zz", {"about": "one more", "source": "store", "type": "flag", "kinds": ["data"]})
    flags = [f"f{number:02}" for number in range(16)]
    document["attributes"] |= dict.fromkeys(flags, document["attributes"]["zz"])
    rule = document["articles"][0]["rules"][0]
    rule |= {"kinds": ["data"], "verbs": ["update"], "when": f"({' or '.join(flags)}) and zz and not zz"}
    assert "too involved" in refused(document)


def test_a_permit_can_not_read_what_the_payload_claims() -> None:
    document = changed("articles", 8, "rules", 3, "when", 'stated_purpose == "support"')
    document["articles"][8]["rules"][3] |= {"kinds": ["file", "data"]}
    assert "a permit can't rest on what the payload claims" in refused(document)


def test_a_category_can_not_read_what_the_payload_claims() -> None:
    assert "which the payload claims" in refused(changed("categories", "welcome", 'stated_purpose == "support"'))


def test_a_category_may_use_others_whatever_their_order() -> None:
    document = changed("categories", {"aaa": "zzz and production", **DOCUMENT["categories"], "zzz": "irreversible"})
    loaded = accept(document)
    assert {"zzz", "production", "irreversible"} == loaded.categories["aaa"].uses


@pytest.mark.parametrize(
    "categories",
    [
        {"mine": "mine"},
        {"mine": "not yours", "yours": "mine"},
        {"a": "production and b", "b": "c", "c": "a or irreversible"},
    ],
)
def test_refuses_categories_that_are_defined_by_themselves(categories: Json) -> None:
    assert "defined by itself" in refused(changed("categories", {**DOCUMENT["categories"], **categories}))


def test_refuses_categories_nested_without_end() -> None:
    chain = {f"c{n}": f"c{n + 1}" for n in range(200)} | {"c200": "elevated"}
    assert "deep" in refused(changed("categories", {**DOCUMENT["categories"], **chain}))


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("fairness_review and elevated", "no kind of action"),
        ("elevated and not elevated", "can never be true"),
        ("True", "reads no attribute"),
    ],
)
def test_refuses_a_toothless_category(source: str, why: str) -> None:
    assert why in refused(changed("categories", "odd", source))


@pytest.mark.parametrize(
    "name", ["present", "under", "and", "None", "verb", "environment", "A", "a-b", "", "п", "absent"]
)
def test_refuses_a_category_whose_name_means_something_else_or_can_not_be_written(name: str) -> None:
    refused(changed("categories", name, "elevated"))


@pytest.mark.parametrize("name", ["present", "under", "in", "lambda", "target", "Kind", "1a", "absent"])
def test_refuses_an_attribute_whose_name_means_something_else_or_can_not_be_written(name: str) -> None:
    refused(changed("attributes", name, DOCUMENT["attributes"]["elevated"]))


@pytest.mark.parametrize("value", ['a"b', "it's", "back\\slash", "", "a\u202eb", "a\tb", 1, True])
def test_refuses_a_value_that_no_condition_could_name(value: object) -> None:
    refused(changed("attributes", "environment", "values", ["dev", "test", "staging", "prod", value]))


def test_attributes_can_be_intervals_names_and_references() -> None:
    document = changed("attributes", "rows", {
        "about": "how many rows", "source": "store", "type": "interval", "low": 0, "high": 10**6, "kinds": ["data"],
    })  # fmt: skip
    for name, kind in (("tenant", "name"), ("replica_of", "reference")):
        document["attributes"][name] = {"about": name, "source": "store", "type": kind, "kinds": ["data"]}
    document["articles"][0]["rules"].append({
        "id": "I.new", "says": "many rows of a tenant", "effect": "forbid", "kinds": ["data"],
        "when": "rows > 10 and tenant == 'acme' and under(replica_of, 'db://prod') and under(target, 'db://test')",
        "stops": {"kind": "data", "verb": "read", "rows": 11, "tenant": "acme", "replica_of": "db://prod/users",
                  "target": "db://test/users"},
        "passes": {"kind": "data", "verb": "read", "rows": 10},
    })  # fmt: skip
    assert "I.new" in [rule.id for rule in accept(document).rules]
    document["articles"][0]["rules"][-1]["stops"]["rows"] = 10**6 + 1
    assert '"1000001" is no value of rows' in refused(document)
    document["attributes"]["rows"]["high"] = -1
    assert "attributes.rows.high" in refused(document)


@pytest.mark.parametrize("index", range(11))
def test_refuses_an_article_that_can_not_fail(index: int) -> None:
    articles = [dict(article) for article in DOCUMENT["articles"]]
    permit = next(r for a in articles for r in a["rules"] if r["effect"] == "permit")
    articles[index]["rules"] = [{**permit, "id": "only"}]
    assert f"article {articles[index]['number']}: nothing in it can fail" in refused(changed("articles", articles))


def test_refuses_an_example_attribute_that_is_declared_for_other_kinds() -> None:
    stops = {**DOCUMENT["articles"][0]["rules"][0]["stops"], "exposure": "external"}
    assert "exposure is not declared for data" in refused(with_rule(stops=stops))


@pytest.mark.parametrize(
    ("absent", "why"),
    [
        (["scope"], 'unknown attribute of the store "scope"'),
        (["purpos"], 'did you mean "purpose"'),
        (["about_people"], "has a value here"),
        ([], "an empty list"),
        (["purpose", "purpose"], "stands twice"),
    ],
)
def test_refuses_an_absence_that_no_store_could_record(absent: Json, why: str) -> None:
    stops = {**DOCUMENT["articles"][1]["rules"][0]["stops"], "absent": absent}
    assert why in refused(with_rule(article=1, stops=stops))


def test_refuses_articles_other_than_the_eleven() -> None:
    assert "article XI is missing" in refused(changed("articles", DOCUMENT["articles"][:10]))
    assert "article I stands twice" in refused(changed("articles", [*DOCUMENT["articles"], DOCUMENT["articles"][0]]))
    assert 'unknown article "XII"' in refused(changed("articles", 10, "number", "XII"))
    assert "articles" in refused(changed("articles", []))
    assert "article XI.rules" in refused(changed("articles", 10, "rules", []))


def test_articles_may_stand_in_any_order() -> None:
    loaded = accept(changed("articles", DOCUMENT["articles"][::-1]))
    assert default().articles == loaded.articles


@pytest.mark.parametrize("article", range(11))
def test_refuses_every_flaw_in_an_article(article: int) -> None:
    for key in ("number", "title", "says", "rules"):
        document = copy.deepcopy(DOCUMENT)
        row = document["articles"][article]
        row[misspelt(key)] = row.pop(key)
        assert f'did you mean "{key}"' in refused(document)
        refused(changed("articles", article, key, 3))


def test_refuses_a_kind_without_verbs_and_a_document_without_kinds() -> None:
    assert "kinds.file" in refused(changed("kinds", "file", []))
    assert "stands twice" in refused(changed("kinds", "file", ["read", "read"]))
    assert "kinds.file" in refused(changed("kinds", "file", ["Read"]))
    assert "at least one kind" in refused(changed("kinds", {}))


def test_refuses_another_language() -> None:
    assert "constitution.language" in refused(changed("constitution", "language", 2))
    assert "true or false" in refused(changed("constitution", "language", True))


@pytest.mark.parametrize("says", ["a\u202eb", "a\u200bb", "bell\u0007", "", "   ", "x" * 1001, "line\nbreak", 3, []])
def test_refuses_a_text_that_people_could_not_read(says: object) -> None:
    assert "rule I.production-change.says" in refused(with_rule(says=says))


# --- trust ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", DOCUMENT["trust"])
def test_refuses_every_missing_or_misspelt_term(key: str) -> None:
    rest = {other: value for other, value in DOCUMENT["trust"].items() if other != key}
    assert f'"{key}" is missing' in refused(changed("trust", rest))
    assert f'did you mean "{key}"' in refused(changed("trust", {**rest, misspelt(key): DOCUMENT["trust"][key]}))


@pytest.mark.parametrize("key", ["cap", "floor_step", "gain", "qualifying_from"])
@pytest.mark.parametrize(
    "value",
    [0.5, 1, True, "1.1", "2", "-0.1", "+0.1", ".5", "0.", "0.1234567890123456", "1e-1", "NaN", "Infinity", "0,5",
     " 0.5", "\u0660.5", "0.5\n", "00.5", "0x1"],
)  # fmt: skip
def test_refuses_a_fraction_that_is_no_decimal_text(key: str, value: object) -> None:
    """C05: and a float above all."""
    assert refused(changed("trust", key, value)).startswith(f"trust.{key}: ")


@pytest.mark.parametrize(
    ("key", "value"),
    [("cap", "0"), ("gain", "0"), ("gain", "1"), ("qualifying_from", "0"), ("floor_step", "0.71"), ("fresh_for", 0),
     ("fresh_for", 10**9), ("fresh_for", "900"), ("fresh_for", 900.0)],
)  # fmt: skip
def test_refuses_terms_under_which_trust_means_nothing(key: str, value: object) -> None:
    assert refused(changed("trust", key, value)).startswith(f"trust.{key}: ")


@pytest.mark.parametrize(
    ("index", "change", "why"),
    [
        (1, {"gate": "0.71"}, "0.70 is wanted"),
        (1, {"gate": "0"}, "is wanted"),
        (1, {"gate": 0.1}, "a text is wanted"),
        (1, {"gate": "opn"}, 'did you mean "open"'),
        (6, {"gate": "close"}, 'did you mean "closed"'),
        (1, {"gate": "open"}, "the open class has an answer"),
        (1, {"answer": "no"}, "the open class has an answer"),
        (1, {"gate": "open", "answer": "no"}, "only one class is always open"),
        (1, {"verbs": ["informs"]}, 'did you mean "inform"'),
        (1, {"verbs": ["advise"]}, 'the verb "advise" stands in two places'),
        (1, {"verbs": []}, "an empty list"),
        (1, {"name": "advise"}, 'the class "advise" stands in two places'),
        (1, {"name": "Inform"}, "can't name a class"),
        (0, {"answer": "a\u202eb"}, "can't be seen"),
    ],
)
def test_refuses_every_flaw_in_a_trust_class(index: int, change: Json, why: str) -> None:
    assert why in refused(changed("trust", "classes", index, {**DOCUMENT["trust"]["classes"][index], **change}))


def test_a_constitution_needs_not_have_nine_classes() -> None:
    assert len(accept(changed("trust", "classes", DOCUMENT["trust"]["classes"][:2])).trust.classes) == 2


# --- the text -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", '"constitution" is missing'),
        ("[constitution", "not TOML"),
        ("a = 1\na = 2", "not TOML"),
        ("constitution = 1", '"kinds" is missing'),
        ("a = " + "[" * 5000, "the document"),
        ("a = " + "9" * 5000, "not TOML"),
        ("# \u202e hidden", "line 1"),
        ("\n\n# a\u200bb", "line 3"),
        ("# e\u0301", "line 1"),
        ("\ud800", "lone surrogate"),
        ("#" * (2**20 + 1), "1048576 is the most"),
        (DEFAULT_TEXT + "\n[constitution]\n", "not TOML"),
        (DEFAULT_TEXT.replace("[trust]", "[trsut]", 1), 'did you mean "trust"'),
        (DEFAULT_TEXT.replace('name = "tallystick default"', "name = 2026-11-30", 1), "a date or time"),
    ],
)
def test_broken_text_gives_one_line(text: str, why: str) -> None:
    assert why in refused(text)


def test_tabs_and_other_line_ends_are_text_like_any_other() -> None:
    windows = DEFAULT_TEXT.replace("\n", "\r\n").replace("    ", "\t")
    assert load(windows).articles == default().articles
    assert load(windows).digest != default().digest


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200))
def test_only_our_error_escapes_from_any_text(text: str) -> None:
    refused(text)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(DEFAULT_TEXT) - 1), st.integers(1, 40), st.text(max_size=4))
def test_only_our_error_escapes_from_a_damaged_document(start: int, length: int, patch: str) -> None:
    try:
        load(DEFAULT_TEXT[:start] + patch + DEFAULT_TEXT[start + length :])
    except ConstitutionError as error:
        line = str(error)
    else:
        line = ""
    assert "\n" not in line


_ANY = st.recursive(
    st.one_of(st.integers(-5, 5), st.booleans(), st.text(max_size=5), st.just(0.5)),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("abkv", max_size=3), inner, max_size=2),
    max_leaves=4,
)
_PATHS = [
    ("constitution",), ("kinds",), ("kinds", "file"), ("attributes",), ("attributes", "scope"), ("categories",),
    ("categories", "secret"), ("articles",), ("articles", 3), ("articles", 3, "rules"), ("articles", 3, "rules", 1),
    ("articles", 3, "rules", 1, "stops"), ("articles", 3, "rules", 1, "verbs"), ("trust",), ("trust", "classes"),
    ("trust", "classes", 0), ("trust", "classes", 0, "verbs"),
]  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(_PATHS), _ANY)
def test_only_our_error_escapes_from_a_document_of_another_shape(path: tuple[str | int, ...], value: object) -> None:
    try:
        accept(changed(*path, value))
    except ConstitutionError as error:
        line = str(error)
    else:
        line = ""
    assert "\n" not in line


def test_check_examples_refuses_a_rule_that_breaks_its_word() -> None:
    constitution = default()
    article = constitution.articles[0]
    broken = replace(article.rules[0], stops=article.rules[0].passes)
    forged = replace(constitution, articles=(replace(article, rules=(broken,)), *constitution.articles[1:]))
    with pytest.raises(ConstitutionError, match=r"rule I\.production-change\.stops: the condition is false"):
        check_examples(forged)


def test_default_values_are_all_of_one_spelling() -> None:
    """A value that is spelled in two ways in two attributes would never meet itself."""
    values = {v for a in default().attributes.values() if isinstance(a.type, Choice) for v in a.type.values}
    assert values == {value.lower() for value in values}
