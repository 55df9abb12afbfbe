"""The comparison says of every cell what the decision point says."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decisions.analysis import Level, Rules, compare
from decisions.analysis.compare import Comparison
from decisions.analysis.level import MOVES, SAME
from grants.expression import Choice
from tests.decisions.analysis.laws import CLASSES, cells, grant, judged, law, slim

LATER, LATEST = "2027-01-01T00:00:00.000000Z", "2028-01-01T00:00:00.000000Z"
WIDE = 'environment in ["dev", "test"]'
PAIRS = {
    "permit": (law(("permit", WIDE)), law(("permit", 'environment == "dev"'))),
    "forbid": (law(("forbid", 'environment == "prod"')), law(("forbid", 'environment != "dev"'))),
    "requirements": (
        law(("require_consent", WIDE, "I"), ("permit", 'scope == "one"')),
        law(("require_consent", WIDE, "VI"), ("permit", 'scope == "one"')),
    ),
    "effect": (law(("forbid", WIDE)), law(("require_consent", WIDE))),
    "claims": (
        law(("forbid", 'stated == "bad"'), ("permit", WIDE)),
        law(("require_consent", 'stated == "bad" and asked'), ("permit", WIDE)),
    ),
    "trust": (
        law(("forbid", 'trust == "unmet"'), ("permit", 'scope == "one"')),
        law(("forbid", 'trust in ["unmet", "ungated"]'), ("permit", 'scope == "one"')),
    ),
    "threshold": (
        law(("forbid", 'trust == "unmet"'), ("permit", 'scope == "one"')),
        law(("forbid", 'trust == "unmet"'), ("permit", 'scope == "one"'), classes=()),
    ),
    "numbers": (law(("permit", "size < 10 or size == 50")), law(("permit", "size <= 10 or size >= 90"))),
    "names": (law(("permit", 'label == "a"')), law(("permit", 'label != "b" and present(label)'))),
    "absence": (law(("forbid", "not present(label)")), law(("forbid", 'label == "b" or not present(label)'))),
    "references": (
        law(("permit", 'under(place, "file:///srv") and target != "db://prod/users"')),
        law(("permit", 'place == "file:///srv/a" or under(target, "db://prod")')),
    ),
    "verbs": (law(("permit", WIDE)), law(("permit", WIDE), kinds={"data": ("read", "delete", "speak", "print")})),
    "kinds": (law(("permit", WIDE), kinds={"file": ("read",)}), law(("permit", WIDE))),
    "source": (
        law(("permit", WIDE)),
        law(("permit", WIDE), attributes={"environment": (Choice(("dev", "test")), "reducer")}),
    ),
    "type": (
        law(("permit", WIDE)),
        law(("permit", 'environment != "dev"'), attributes={"environment": (Choice(("dev", "moon")), "store")}),
    ),
}


def agree(old, new):
    """Check every cell of every kind and verb, and the counts that follow."""
    comparison = Comparison(old, new)
    moves = Counter()
    for pair in comparison.space.pairs:
        node = comparison.moves(pair)
        total = 0
        for cell in cells(comparison.space, pair):
            total += 1
            before, after = judged(old, pair, cell), judged(new, pair, cell)
            found = comparison.space.at(node, cell)
            assert (before is after) == (found == SAME), (pair, cell)
            if before is not after:
                assert MOVES[found] == (before, after), (pair, cell)
                moves[before, after] += 1
        assert comparison.cells(pair).total == total
    difference = comparison.difference()
    assert difference.moves == dict(moves)
    assert difference.opened == sum(n for (before, after), n in moves.items() if after > before)
    assert difference.closed == sum(n for (before, after), n in moves.items() if after < before)
    for witness, sign in ((difference.witness_opened, 1), (difference.witness_closed, -1)):
        assert (witness is not None) == (difference.opened > 0 if sign == 1 else difference.closed > 0)
        if witness:
            pair = (witness.kind, witness.verb)
            assert judged(old, pair, witness.sample) is witness.before
            assert judged(new, pair, witness.sample) is witness.after
            assert (witness.after - witness.before) * sign > 0
    return difference


@pytest.mark.parametrize("name", PAIRS)
def test_every_cell_is_as_the_decision_point_judges_it(name):
    old, new = PAIRS[name]
    names = {name for one in (old, new) for rule in one.rules for name in rule.when.reads}
    keep = names | {"authenticated"} if "trust" in names else names
    old, new = (slim(one, keep) for one in (old, new))
    agree(Rules(old), Rules(new))
    agree(Rules(new), Rules(old))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ((), (grant(WIDE),)),
        ((grant(WIDE),), (grant(WIDE, targets="db://prod/users/**"),)),
        ((grant(WIDE),), (grant(WIDE, expires=LATER),)),
        (
            (grant(WIDE, expires=LATER),),
            (grant(WIDE, expires=LATEST), grant('reversibility == "reversible"', subject="agent:b")),
        ),
        ((grant('environment == "prod" and reversibility == "reversible"'),), (grant('environment == "prod"'),)),
        ((grant("nonsense =="), grant(WIDE, targets="*")), (grant(WIDE, verbs=("read", "fly")),)),
    ],
    ids=["new", "narrower", "shorter", "longer", "never", "unreadable"],
)
def test_every_cell_with_standing_grants_is_as_the_decision_point_judges_it(old, new):
    """Cases G01, J05."""
    one = slim(
        law(
            ("require_consent", 'environment == "prod"', "I"),
            ("require_consent", 'reversibility == "irreversible" and environment != "dev"', "IX"),
            ("forbid", "not authenticated"),
            attributes={"environment": (Choice(("dev", "test", "prod")), "store")},
            kinds={"data": ("read", "delete") if any("fly" in one.verbs for one in new) else ("delete",)},
        ),
        {"environment", "reversibility", "authenticated"},
    )
    agree(Rules(one, old), Rules(one, new))
    agree(Rules(one, new), Rules(one, old))


ATOMS = (
    'environment == "dev"',
    'environment in ["dev", "prod"]',
    'environment != "prod"',
    'reversibility == "irreversible"',
    'reversibility != "irreversible"',
    "present(reversibility)",
    'scope == "one"',
    'stated == "bad"',
    "authenticated",
    'trust == "unmet"',
    'trust != "met"',
    'under(target, "db://prod/users")',
    'target == "db://prod/users"',
    'verb == "speak"',
)
NAMES = {"environment", "reversibility", "scope", "stated", "authenticated", "trust"}


def conditions(atoms):
    return st.recursive(
        st.sampled_from(atoms),
        lambda inner: st.one_of(
            st.builds("not ({})".format, inner),
            st.builds("({}) and ({})".format, inner, inner),
            st.builds("({}) or ({})".format, inner, inner),
        ),
        max_leaves=4,
    )


@st.composite
def rule_sets(draw):
    trusted = [atom for atom in ATOMS if "stated" not in atom]
    rows = [
        (effect, draw(conditions(trusted if effect == "permit" else ATOMS)), draw(st.sampled_from(["I", "VI"])))
        for effect in draw(st.lists(st.sampled_from(["forbid", "require_consent", "permit"]), min_size=1, max_size=4))
    ]
    selectors = conditions([atom for atom in trusted if "target" not in atom and "trust" not in atom])
    grants = tuple(
        grant(draw(selectors), targets=draw(st.sampled_from(["db://prod/**", "db://prod/users"])), verbs=("speak",))
        for _ in range(draw(st.integers(0, 2)))
    )
    return Rules(slim(law(*rows, kinds={"data": ("speak",)}), NAMES), grants)


@settings(max_examples=12, deadline=None)
@given(rule_sets(), rule_sets(), st.data())
def test_random_constitutions_differ_in_the_cells_in_which_the_decision_point_differs(old, new, data):
    comparison = Comparison(old, new)
    for pair in comparison.space.pairs:
        node = comparison.moves(pair)
        axes = [comparison.space.axes[level] for level in comparison.space.levels_of(*pair)]
        for _ in range(10):
            cell = {axis.key: data.draw(st.sampled_from([point.value for point in axis.points])) for axis in axes}
            before, after = judged(old, pair, cell), judged(new, pair, cell)
            assert MOVES.get(comparison.space.at(node, cell), (before, before)) == (before, after), cell


@settings(max_examples=20, deadline=None)
@given(rule_sets())
def test_nothing_differs_from_itself(rules):
    difference = compare(rules, rules)
    assert (difference.kind, difference.opened, difference.closed) == ("equivalent", 0, 0)
    assert difference.witness_opened is difference.witness_closed is None


def test_kinds_follow_from_the_cells():
    narrow, wide = law(("permit", 'environment == "dev"')), law(("permit", WIDE))
    assert compare(Rules(narrow), Rules(wide)).kind == "loosening"
    assert compare(Rules(wide), Rules(narrow)).kind == "tightening"
    other = law(("permit", 'environment == "staging"'))
    assert compare(Rules(narrow), Rules(other)).kind == "mixed"
    assert CLASSES[0].threshold
    assert {Level.FORBIDDEN.with_consent, Level.HELD.with_consent} == {"deny", "allow"}
