"""What people read of an answer, a request and a grant, where the commands' own tests do not lead."""

import pytest

from decisions.answer import Answer
from decisions.events import DecidedAction, DecisionMade, FiredRule, Need
from grants.events import Operand
from ledger.disclosure import Opening
from tools.show.answer import answer_text
from tools.show.asked import operand_lines, readable, received_lines
from tools.show.explanation import told
from tools.show.need import need_lines

SD = Opening.fresh("/args", {}).commitment()


def decided(**more):
    fields = {
        "mode": "enforce",
        "form": "typed",
        "args": SD,
        "operands": (),
        "claimed": {},
        "subject": ("agent:ops-7",),
        "session": "",
        "correlated": True,
        "actions": (action(),),
        "problems": (),
        "detail": None,
        "outcome": "deny",
        "reason": "NO_AUTHORITY",
        "reasons": ("NO_AUTHORITY",),
        "articles": (),
        "rules": (),
        "categories": (),
        "authority": (),
        "needs": (),
        "constitution": "",
        "reads": (),
        **more,
    }
    return DecisionMade.model_construct(**fields)


def action(**more):
    fields = {
        "kind": "data",
        "verb": "delete",
        "target": "db://prod/users/42",
        "facts": {},
        "registration": "db://prod/users/**",
        "version": 1,
        "counterpart": "human:ada",
        "domain": "",
        **more,
    }
    return DecidedAction(**fields)


def answer(**more):
    body = decided(**more)
    return Answer(body.outcome, body.reason, 7, body)


def needs(*found, constitution=None, **more):
    return "\n".join(need_lines(answer(needs=found, **more), constitution))


def need(who, what, about, index=0):
    return Need(action=index, who=who, what=what, about=about)


@pytest.mark.parametrize(
    "reason",
    [
        "POLICY_ERROR",
        "ID_INVALID",
        "TOO_COMPLEX",
        "UNPARSEABLE",
        "TARGET_UNRESOLVED",
        "UNCLASSIFIED",
        "TRUST_FLOOR",
        "FORBIDDEN",
        "ATTR_UNKNOWN",
        "CONSENT_EXPIRED",
        "CONSENT_REVOKED",
        "CONSENT_CONSUMED",
        "CONSENT_BINDING",
        "CONSENT_VERSION",
        "CONSENT_SUBJECT",
        "CONSENT_REQUIRED",
        "NO_AUTHORITY",
    ],
)
def test_every_reason_is_one_sentence(reason):
    _, sentence, *_ = answer_text(answer(reason=reason, reasons=(reason,)), None).splitlines()
    assert sentence.endswith(".")
    assert len(sentence) > 20


def test_without_its_constitution_an_old_answer_still_names_its_rules():
    fired = FiredRule(action=0, article="IX", rule="IX.all", effect="forbid", truth="true")
    text = answer_text(answer(reason="FORBIDDEN", reasons=("FORBIDDEN",), rules=(fired,)), None)
    assert "Article IX" in text
    assert "[IX.all]" in text
    assert told(answer(), None) == ()


def test_what_is_unregistered_is_named_two_at_most():
    actions = tuple(action(target=f"db://x/{n}", registration=None, version=None) for n in range(3))
    text = answer_text(answer(reason="UNCLASSIFIED", reasons=("UNCLASSIFIED",), actions=actions), None)
    assert "db://x/0 and db://x/1 and 1 more" in text.splitlines()[1]
    assert "3. data delete db://x/2  (not registered)" in text


def test_needs_are_split_by_who_can_change_them():
    text = needs(need("human", "registration", "db://x/y"), need("facts", "attribute", "correlated"))
    human, facts = text.split("needs facts:")
    assert "tally resource add db://x/y" in human
    assert "--request ID" in facts


@pytest.mark.parametrize(
    ("one", "told_as"),
    [
        (need("facts", "rewrite", "the operation"), "in a form that can be read"),
        (need("facts", "trust", "X.floor"), "tally trust show --system agent:ops-7 --counterpart human:ada"),
        (need("facts", "trust", "X.floor", 5), "more earned trust"),
        (need("facts", "attribute", "owned"), "register another id with --owner"),
        (need("facts", "attribute", "environment"), "tally resource reclassify 'db://prod/users/**'"),
        (need("human", "amendment", "IX.all"), "no consent lifts a forbid"),
        (need("human", "consent", "db://x/y"), "in advance: tally grant issue --as agent:ops-7"),
        (need("human", "standing_grant", "db://x/y"), "tally grant ratify --subject agent:ops-7 --kind data"),
        (need("human", "registration", "db://x/\u043e"), "U+043E"),
    ],
)
def test_each_need_names_the_next_step(one, told_as):
    assert told_as in needs(one)


def test_a_consent_is_not_advised_as_if_it_lifted_a_forbid():
    assert "once nothing forbids it" in needs(
        need("human", "consent", "db://x/y"), reasons=("FORBIDDEN", "NO_AUTHORITY")
    )


def test_a_fact_that_the_store_can_not_say_names_its_source(default_constitution):
    text = needs(need("facts", "attribute", "egress"), constitution=default_constitution)
    assert "it comes from the reducer" in text


@pytest.fixture
def default_constitution():
    from decisions.constitution import default

    return default()


def test_what_was_erased_is_said_to_be_erased():
    assert "nobody can tell any more" in "\n".join(received_lines(None))
    operand = Operand(reference="file:///srv/s.sh", content=SD)
    assert "erased or withheld" in "\n".join(operand_lines((operand,), {}))


def test_a_value_is_spelled_a_field_a_line():
    value = {"a": {"b": ["x", 1, {"c": None}]}, "d": [], "e": True}
    assert readable(value).splitlines() == [
        "a:",
        "  b:",
        "    - x",
        "    - 1",
        "    -",
        "      c: null",
        "d: []",
        "e: true",
    ]
    assert readable("x") == "x"
