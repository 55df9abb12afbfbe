"""Cases B15, C01, C03, C05, C07, G01, G03, G05, G09 and J05 of public failures, each in variants of its class.

B17 has its own in test_teeth.py, and those that a person meets at the terminal are in tests/tools.
"""

from dataclasses import replace
from itertools import permutations
from types import MappingProxyType

import pytest

from decisions.analysis import Level, Registered, Rules, compare, findings
from decisions.analysis.compare import Comparison
from decisions.constitution import DEFAULT_TEXT, load
from decisions.errors import ConstitutionError
from decisions.law import vocabulary_of
from grants.errors import ExpressionError
from grants.expression import Choice, Interval
from grants.standing import check_selector
from tests.decisions.analysis.laws import cells, grant, judged, law, slim

RULE = """
[[articles.rules]]
id = "{id}"
says = "something more"
effect = "forbid"
kinds = ["data"]
when = '{when}'
stops = {{ kind = "data", verb = "read", scope = "many" }}
passes = {{ kind = "data", verb = "read", scope = "one" }}

[[articles]]
number = "VII"
"""


def changed(*pairs):
    """Load the constitution that ships with some of its text replaced."""
    text = DEFAULT_TEXT
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return load(text)


def with_rule(id_="more", when='scope == "many"'):
    return changed(('[[articles]]\nnumber = "VII"\n', RULE.format(id=id_, when=when).lstrip("\n")))


def difference(old, new):
    return compare(Rules(old), Rules(new))


DEFAULT = load(DEFAULT_TEXT)


@pytest.mark.parametrize("id_", ["constructor", "hasOwnProperty", "__init__", "undefined", "nil", "0", "-", "true"])
def test_b15_a_rule_of_any_name_is_at_work(id_):
    found = difference(DEFAULT, with_rule(id_))
    assert (found.kind, found.opened) == ("tightening", 0)
    assert {(fact.name, fact.value) for fact in found.witness_closed.facts} >= {("scope", "many")}


@pytest.mark.parametrize("id_", ["", "a b", "é", "x" * 129])
def test_b15_a_rule_of_no_name_refuses_the_whole_document(id_):
    with pytest.raises(ConstitutionError):
        with_rule(id_)


@pytest.mark.parametrize("missing", ["environment", "reversibility", "scope"])
def test_c01_a_forbid_that_lacks_a_fact_closes_its_cells(missing):
    condition = 'environment == "prod" and reversibility == "irreversible" and scope == "many"'
    names = {"environment", "reversibility", "scope"}
    permits = ("permit", 'environment == "prod" or environment != "prod" or scope == "many"')
    old, new = slim(law(permits), names), slim(law(permits, ("forbid", condition)), names)
    comparison = Comparison(Rules(old), Rules(new))
    pair = ("data", "delete")
    lacking = [
        cell
        for cell in cells(comparison.space, pair)
        if {name for (name, _), value in cell.items() if getattr(value, "value", None) == "unknown"} == {missing}
        and judged(Rules(old), pair, cell) is Level.ALLOWED
    ]
    met = {"environment": "prod", "reversibility": "irreversible", "scope": "many"}
    worst = [c for c in lacking if all(v == met.get(n, v) or n == missing for (n, _), v in c.items())]
    assert worst
    for cell in worst:
        assert judged(Rules(new), pair, cell) is Level.FORBIDDEN
        assert comparison.space.at(comparison.moves(pair), cell) == 12  # from allowed, 3, to forbidden, 0


@pytest.mark.parametrize(
    "when",
    [
        '"delete everything"',
        "1",
        "environment",
        "scope == 1",
        "None",
        'environment == "prod" or "yes"',
        "not sensitivity",
    ],
)
def test_c03_a_condition_that_is_no_truth_value_refuses_the_document(when):
    with pytest.raises(ConstitutionError, match=r"rule more\.when"):
        with_rule(when=when)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('gate = "0.55"', 'gate = "NaN"'),
        ('gate = "0.55"', "gate = nan"),
        ('cap = "0.70"', "cap = inf"),
        ('gain = "0.018681995162131"', 'gain = "1e-2"'),
        ("fresh_for = 900", "fresh_for = inf"),
        ('qualifying_from = "0.10"', 'qualifying_from = "-0.10"'),
    ],
)
def test_c05_a_number_that_is_none_refuses_the_document(old, new):
    with pytest.raises(ConstitutionError):
        changed((old, new))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1, True, "5", 1e3])
def test_c05_a_fact_that_is_no_number_is_unknown_in_the_cells_too(value):
    comparison = Comparison(Rules(law(("forbid", "size < 10"))), Rules(law(("forbid", "size < 11"))))
    axis = comparison.space.axis(("size", "reducer"))
    assert axis.first(axis.group_of(value)).says == "unknown"


GRANTS = (
    grant('environment == "dev"'),
    grant('environment in ["dev", "test"] and reversibility == "reversible"', targets="db://prod/users/**"),
    grant('scope == "one"', subject="agent:b"),
)
NAMES = {"environment", "reversibility", "scope"}


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_c07_the_order_of_grants_and_of_rules_never_matters(order):
    rows = [
        ("forbid", 'environment == "test"'),
        ("require_consent", 'scope == "many"', "I"),
        ("permit", 'scope == "one"'),
    ]
    one, other = slim(law(*rows), NAMES), slim(law(*(rows[index] for index in order)), NAMES)
    found = compare(Rules(one, GRANTS), Rules(other, tuple(GRANTS[index] for index in order)))
    assert found.kind == "equivalent"


def test_c07_no_grant_opens_what_a_forbid_closes():
    forbidding = slim(law(("forbid", 'environment in ["dev", "test"] or scope == "one"')), NAMES)
    wide = (grant('environment in ["dev", "test"]', targets="db://prod/**"), grant('scope == "one"', subject="agent:b"))
    assert compare(Rules(forbidding), Rules(forbidding, wide)).kind == "equivalent"


@pytest.mark.parametrize(
    ("old", "new", "facts"),
    [
        (
            'when = \'asset in ["source", "config"] and environment in ["dev", "test"]',
            'when = \'asset in ["source", "config"] and environment in ["dev", "test", "staging"]',
            {("environment", "staging")},
        ),
        (
            'code_origin == "program" and environment in ["dev", "test"]',
            'code_origin in ["program", "file"] and environment in ["dev", "test"]',
            {("code_origin", "file")},
        ),
        (
            '\'sensitivity in ["public", "internal"]\'',
            "'sensitivity != \"restricted\"'",
            {("sensitivity", "confidential")},
        ),
        ("and not elevated and not egress'", "and not egress'", set()),
    ],
)
def test_g01_a_permit_that_got_wider_is_a_loosening_with_its_cell(old, new, facts):
    text = DEFAULT_TEXT.replace(old, new)
    # The examples must fit the wider permit.
    for example, fitting in (
        ('code_origin = "inline", environment = "dev"', 'code_origin = "untrusted", environment = "dev"'),
        ('verb = "read", sensitivity = "confidential" }', 'verb = "read", sensitivity = "restricted" }'),
    ):
        assert example in text
        text = text.replace(example, fitting)
    found = difference(DEFAULT, load(text))
    # Other rules forbid elevation, so that a permit without the word opens nothing.
    assert found.kind == ("loosening" if facts else "equivalent")
    if facts:
        assert {(fact.name, fact.value) for fact in found.witness_opened.facts} >= facts
        assert found.witness_opened.after is Level.ALLOWED


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (grant('environment == "test"'), grant('environment in ["test", "staging"]'), "loosening"),
        (grant('environment == "test"'), grant('environment == "test"', targets="db://**"), None),
        (grant('environment == "test"'), grant('environment == "test"', verbs=("delete", "read")), "loosening"),
        (
            grant('environment == "test"', expires="2027-01-01T00:00:00.000000Z"),
            grant('environment == "test"'),
            "loosening",
        ),
        (grant('environment == "test"'), grant('environment == "test"', subject="agent:b"), "mixed"),
        (grant('environment == "test"'), grant('environment == "test" and scope == "one"'), "tightening"),
    ],
)
def test_g01_a_grant_that_got_wider_is_a_loosening(before, after, kind):
    constitution = slim(law(("require_consent", 'environment == "prod"', "I")), NAMES)
    if kind is None:
        before, kind = replace(before, targets="db://prod/users"), "loosening"
        after = replace(after, targets="db://prod/**")
    assert compare(Rules(constitution, (before,)), Rules(constitution, (after,))).kind == kind


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ([("permit", 'environment == "dev"')], [("permit", 'environment in ["test", "staging"]')]),
        (
            [("permit", 'scope == "one"'), ("forbid", 'environment == "prod"')],
            [("permit", 'scope in ["one", "many"]'), ("forbid", 'environment in ["prod", "staging"]')],
        ),
        ([("forbid", 'environment == "prod"')], [("forbid", 'environment == "staging"')]),
        ([("require_consent", 'scope == "many"', "VI")], [("permit", 'scope == "many"'), ("forbid", 'scope == "one"')]),
    ],
)
def test_g03_what_opens_some_and_closes_more_is_mixed(old, new):
    found = difference(slim(law(*old), NAMES), slim(law(*new), NAMES))
    assert found.kind == "mixed"
    assert found.witness_opened.after > found.witness_opened.before
    assert found.witness_closed.after < found.witness_closed.before


def test_g03_a_requirement_that_is_new_brings_a_human_where_nothing_had_authority():
    old, new = (
        law(("permit", 'scope == "one"')),
        law(("permit", 'scope == "one"'), ("require_consent", 'scope == "many"')),
    )
    assert difference(old, new).moves.keys() == {(Level.UNAUTHORISED, Level.HELD)}
    both = law(("permit", 'scope in ["one", "many"]'), ("require_consent", 'scope == "many"'))
    wide = law(("permit", 'scope in ["one", "many"]'))
    assert (Level.ALLOWED, Level.HELD) in difference(wide, both).moves


@pytest.mark.parametrize(
    ("when", "effect", "kind"),
    [
        ('environment != "prod"', "permit", "loosening"),
        ('environment not in ["prod", "staging"]', "permit", "loosening"),
        ('not environment == "prod"', "permit", "loosening"),
        ('environment == "prod"', "forbid", "loosening"),
        ('environment != "dev"', "forbid", "equivalent"),
        ('environment == "dev"', "permit", "equivalent"),
    ],
)
def test_g05_a_value_that_is_new_opens_what_was_said_of_all_others(when, effect, kind):
    rows = [(effect, when), ("permit", 'scope == "one"')]
    old = slim(law(*rows), NAMES)
    wider = Choice(("dev", "test", "staging", "prod", "preprod"))
    new = slim(law(*rows, attributes={"environment": (wider, "store")}), NAMES)
    found = difference(old, new)
    assert (found.kind, found.grown) == (kind, ("value environment preprod",))
    if kind == "loosening":
        assert ("environment", "preprod") in {(fact.name, fact.value) for fact in found.witness_opened.facts}


def test_g05_an_interval_a_verb_and_a_kind_that_are_new_count_as_well():
    rows = [("permit", "size > 50")]
    old = law(*rows)
    assert difference(old, law(*rows, attributes={"size": (Interval(0, 200), "reducer")})).kind == "loosening"
    verbs = difference(old, law(*rows, kinds={"data": ("read", "delete", "speak", "burn")}))
    assert (verbs.kind, verbs.grown, verbs.witness_opened.verb) == ("loosening", ("verb data burn",), "burn")
    kinds = difference(old, law(*rows, kinds={"data": ("read", "delete", "speak"), "file": ("read",)}))
    assert (kinds.kind, kinds.grown, kinds.witness_opened.kind) == ("loosening", ("kind file",), "file")


def test_g05_an_attribute_that_becomes_the_payloads_is_another_fact():
    old = law(("forbid", 'environment == "prod"'), ("permit", 'scope == "one"'))
    domain, _ = (Choice(("dev", "test", "staging", "prod")), "store")
    new = law(
        ("forbid", 'environment == "prod"'),
        ("permit", 'scope == "one"'),
        attributes={"environment": (domain, "payload")},
    )
    assert difference(old, new).kind == "mixed"


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ('gate = "0.55"', 'gate = "0.5499"', "loosening"),
        ('gate = "0.10"', 'gate = "0.099999999999999"', "loosening"),
        ('gate = "0.40"', 'gate = "0.41"', "tightening"),
        ('gate = "closed"\nverbs = ["diagnose"]', 'gate = "0.70"\nverbs = ["diagnose"]', "loosening"),
        ('gate = "0.70"', 'gate = "closed"', "tightening"),
    ],
)
def test_g09_a_threshold_that_moved_is_found_by_its_piece(old, new, kind):
    found = difference(DEFAULT, changed((old, new)))
    assert found.kind == kind
    witness = found.witness_opened or found.witness_closed
    (earned,) = [fact for fact in witness.facts if fact.name.startswith("c_eff for ")]
    assert earned.source == "sensor"


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ('cap = "0.70"', 'cap = "0.71"', "loosening"),
        ('floor_step = "0.005"', 'floor_step = "0.004"', "tightening"),
        ('gain = "0.018681995162131"', 'gain = "0.018681995162132"', "loosening"),
        ('qualifying_from = "0.10"', 'qualifying_from = "0.09"', "loosening"),
        ("fresh_for = 900", "fresh_for = 901", "loosening"),
        ('verbs = ["inform"]', 'verbs = ["advise"]', "mixed"),
    ],
)
def test_g09_how_trust_is_earned_counts_though_no_cell_shows_it(old, new, kind):
    if "verbs" in old:
        swapped = DEFAULT_TEXT.replace('verbs = ["inform"]', 'verbs = ["X"]').replace(
            'verbs = ["advise"]', 'verbs = ["inform"]'
        )
        assert difference(DEFAULT, load(swapped.replace('verbs = ["X"]', 'verbs = ["advise"]'))).kind == kind
        return
    found = difference(DEFAULT, changed((old, new)))
    assert (found.kind, found.opened, found.closed, len(found.terms)) == (kind, 0, 0, 1)


def test_g09_terms_that_no_rule_rests_on_change_nothing():
    old = law(("permit", 'scope == "one"'))
    assert difference(old, replace(old, trust=replace(old.trust, gain=old.trust.gain + 1))).kind == "equivalent"


def test_whose_evidence_is_believed_counts_in_both_directions():
    found = difference(DEFAULT, changed(('issuers = ["human"]', 'issuers = ["human", "sensor"]')))
    assert found.kind == "mixed"
    assert {term.name for term in found.terms} == {"evidence for fairness_review", "evidence for assessed"}


WORST = 'environment == "prod" and reversibility == "irreversible"'


@pytest.mark.parametrize(
    "selector",
    [WORST, 'environment == "prod"', 'reversibility != "reversible"', 'asset == "business_record"', 'verb == "delete"'],
)
def test_j05_a_grant_that_reaches_what_is_irreversible_in_production_is_not_ratified(selector):
    with pytest.raises(ExpressionError, match="irreversible resources in production"):
        check_selector(vocabulary_of(DEFAULT), grant(selector))


@pytest.mark.parametrize("selector", [WORST, 'environment == "prod"', "authenticated", 'scope == "one"'])
def test_j05_nor_does_it_open_anything_there_however_it_came_about(selector):
    constitution = slim(
        law(("require_consent", WORST, "I"), ("require_consent", WORST, "VI")), NAMES | {"authenticated"}
    )
    comparison = Comparison(Rules(constitution), Rules(constitution, (grant(selector),)))
    pair = ("data", "delete")
    for cell in cells(comparison.space, pair):
        facts = cell["environment", "store"], cell["reversibility", "store"]
        if facts == ("prod", "irreversible"):
            assert comparison.space.at(comparison.moves(pair), cell) == 63


def test_the_resources_that_a_change_is_about_are_named():
    constitution = slim(law(("permit", 'environment == "dev"'), ("forbid", 'label == "x"')), {"environment", "label"})
    wider = slim(
        law(("permit", 'environment in ["dev", "test"] and under(target, "db://prod")'), ("forbid", 'label == "x"')),
        {"environment", "label"},
    )
    store = [
        Registered.of("db://prod/**", {"environment": "test", "label": "a"}),
        Registered.of("db://prod/users/**", {"environment": "test", "label": "x"}),
        Registered.of("db://prod/users/42", {"environment": "test", "label": None}),
        Registered.of("db://other/**", {"environment": "test", "label": "a"}),
        Registered.of("db://old", {"environment": "dev", "label": "a"}),
        Registered.of("file:///srv/**", {"environment": "test", "label": "a"}),
    ]
    found = compare(Rules(constitution), Rules(wider), store)
    assert (found.resources_opened, found.resources_closed) == (("db://prod/**",), ("db://old",))


def test_what_is_absent_is_no_value_and_keeps_a_forbid_firing():
    constitution = slim(law(("permit", 'environment == "dev"'), ("forbid", 'label == "x"')), {"environment", "label"})
    bare = Rules(constitution, (grant('environment == "test"'),))
    absent = Registered.of("db://prod/x", {"environment": "test", "label": None})
    assert compare(Rules(constitution), bare, [absent]).resources_opened == ()
    assert findings(Rules(replace(constitution, categories=MappingProxyType({})))) == ()


def test_a_resource_with_several_values_is_named_where_any_of_them_moves():
    old, new = (slim(law(("permit", f'environment == "{name}"')), {"environment"}) for name in ("dev", "test"))
    shared = Registered.of("db://a", {"environment": ("staging", "test")})
    other = Registered.of("db://b", {"environment": ("staging", None)})
    found = compare(Rules(old), Rules(new), [shared, other])
    assert (found.resources_opened, found.resources_closed) == (("db://a",), ())


def test_a_file_is_something_that_can_be_run():
    rows = {"exec": ("run",), "file": ("read",)}
    old, new = law(("permit", 'verb == "read"'), kinds=rows), law(("permit", 'verb in ["run", "read"]'), kinds=rows)
    store = [Registered.of(name, {}) for name in ("file:///bin/x", "program:x", "db://x")]
    assert compare(Rules(old), Rules(new), store).resources_opened == ("file:///bin/x", "program:x")
