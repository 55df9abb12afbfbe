"""A panel says of its rules and categories what asking them one by one says."""

from hypothesis import given
from hypothesis import strategies as st

from decisions.constitution import default
from grants.expression import ABSENT, UNKNOWN, Truth, evaluate, explain
from tests.decisions.test_pdp import descriptor, judge, situations

LAW = default()
STRANGE = st.sampled_from([UNKNOWN, ABSENT, "yes", True, False, 1, None, 2.5, ["one"], {}])


def one_by_one(kind, verb, values, claimed):
    """Give what speaks and what is true, by the reference: each rule by itself, in order."""
    rules = LAW.rules_for(kind, verb)
    payload = {name for name, attribute in LAW.attributes.items() if attribute.source == "payload"}
    heard = [rule for rule in rules if (rule.when.reads & payload) <= claimed]
    truths = [(rule, evaluate(rule.when, values)) for rule in heard]
    speaking = [
        (rule, truth)
        for rule, truth in truths
        if truth is Truth.TRUE or (truth is Truth.UNKNOWN and rule.effect != "permit")
    ]
    named = [name for name, one in LAW.categories.items() if evaluate(one, values) is Truth.TRUE]
    return speaking, tuple(sorted(name for name in named if LAW.categories[name].reads <= values.keys()))


@given(situations(), st.dictionaries(st.sampled_from(sorted(LAW.attributes)), STRANGE), st.booleans())
def test_says_what_each_rule_says_by_itself(situation, more, every):
    kind, verb, values = situation
    values = {"kind": kind, "verb": verb, "target": "file:///srv/x", **values, **more}
    panel = LAW.panel(kind, verb)
    claimed = set(values) if every else set()
    true, unknown = panel.ask(values)
    speaking = (panel.heard(claimed) if every else panel.plain) & (true | unknown & ~panel.permits)
    spoken, named = one_by_one(kind, verb, values, claimed)
    assert list(panel.named(speaking, true)) == spoken
    assert panel.categories(true, values.keys()) == named


def test_what_reads_nothing_that_is_claimed_is_heard_whatever_is_claimed():
    for kind, verbs in LAW.kinds.items():
        for verb in verbs:
            panel = LAW.panel(kind, verb)
            assert panel.heard([]) == panel.plain
            assert panel is LAW.panel(kind, verb)


@given(situations())
def test_the_explanation_is_that_of_the_values_that_were_judged(situation):
    kind, verb, values = situation
    known = descriptor(kind, verb, values).values()
    for spoken in judge(kind, verb, values).spoken:
        assert spoken.atoms == explain(spoken.rule.when, known)
