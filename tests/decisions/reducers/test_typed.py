"""The typed form and conversation: a closed vocabulary, and facts that only grow stricter."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from decisions.action import Reduction
from decisions.reducers import reduce_operation
from decisions.reducers.vocabulary import KIND_OF_SCHEME, MILDEST, ORDER, VERBS, stricter

Notation = Callable[[Reduction], set[str]]

TARGETS = {
    "file": "file:///srv/x", "data": "db://prod/users/42", "exec": "program:git", "network": "https://example.com/a",
    "environment": "env:LANG", "message": "message:ops", "conversation": "person:p-7/care", "judgement": "subject:p-7",
    "control": "ledger:grants", "infrastructure": "k8s://prod/shop/deployment/web",
}  # fmt: skip


def typed(**fields: Any) -> Reduction:
    return reduce_operation("typed", fields, home="/home/u")


@pytest.mark.parametrize(("kind", "verb"), [(kind, verb) for kind, verbs in VERBS.items() for verb in sorted(verbs)])
def test_every_verb_of_every_kind_is_read(kind: str, verb: str) -> None:
    for fields in ({}, {"kind": kind}):
        found = typed(verb=verb, target=TARGETS[kind], **fields)
        assert not found.problems
        assert [(kind, verb, TARGETS[kind])] == [(one.kind, one.verb, one.target) for one in found.actions]
        assert set(MILDEST[kind]) == {name for name, _ in found.actions[0].facts}


@pytest.mark.parametrize(("kind", "verb"), [(kind, "destroy") for kind in VERBS] + [("fire", "read"), ("File", "read")])
def test_unknown_kind_or_verb_is_opaque(kind: str, verb: str, notation: Notation) -> None:
    assert {"!UNPARSEABLE"} == notation(typed(kind=kind, verb=verb, target=TARGETS.get(kind, "file:///x")))


def test_kind_must_fit_the_scheme_of_its_target(notation: Notation) -> None:
    for kind, other in product(VERBS, TARGETS):
        if kind == other or (kind, other) in {
            ("exec", "file"),
            ("message", "conversation"),
            ("judgement", "conversation"),
        }:
            continue
        verb = min(VERBS[kind])
        if kind == "control":
            continue  # the control plane may name any resource
        assert {"!UNPARSEABLE"} == notation(typed(kind=kind, verb=verb, target=TARGETS[other])), (kind, other)


@pytest.mark.parametrize(
    "target",
    ["/srv/x", "file:///srv/../x", "file:///srv//x", "FILE:///x", "db://prod/", "file:///x/**", "pr\u200bod", "", "file:///a\\b",
     "http://EXAMPLE.com", "http://u@h", "tool", "unknown:x"],
)  # fmt: skip
def test_target_in_another_spelling_is_refused(target: str, notation: Notation) -> None:
    """B01, A19: nothing is brought into a canonical form that was meant to be in it."""
    assert {"!ID_INVALID"} == notation(typed(verb="delete", target=target))


@pytest.mark.parametrize(
    ("target", "scope"), [("db://prod", "all"), ("db://prod/users", "many"), ("db://prod/users/42", "one")]
)
def test_scope_of_data_follows_from_the_target(target: str, scope: str) -> None:
    assert scope == dict(typed(verb="delete", target=target).actions[0].facts)["scope"]


def test_deleting_the_root_or_the_home_is_deleting_all() -> None:
    for target, scope in (
        ("file:///", "all"),
        ("file:///home/u", "all"),
        ("file:///home", "all"),
        ("file:///srv", "one"),
    ):
        assert scope == dict(typed(verb="delete", target=target).actions[0].facts)["scope"], target


def test_running_a_file_is_code_from_a_file() -> None:
    found = typed(kind="exec", verb="run", target="file:///srv/x")
    assert dict(found.actions[0].facts)["code_origin"] == "file"


@pytest.mark.parametrize("name", sorted(ORDER))
def test_stated_fact_only_makes_stricter(name: str) -> None:
    for kind, target in TARGETS.items():
        if name not in MILDEST[kind]:
            continue
        verb = min(VERBS[kind])
        alone = dict(typed(verb=verb, target=target).actions[0].facts)[name]
        for value in ORDER[name]:
            stated = dict(typed(verb=verb, target=target, **{name: value}).actions[0].facts)[name]
            assert stricter(name, alone, value) == stated


@pytest.mark.parametrize(
    ("name", "value"),
    [("scope", "none"), ("scope", 1), ("scope", ["one"]), ("elevated", "yes"), ("elevated", 1), ("egress", True),
     ("code_origin", "trusted"), ("scope", {})],
)  # fmt: skip
def test_fact_that_is_none_is_opaque(name: str, value: Any, notation: Notation) -> None:
    assert {"!UNPARSEABLE"} == notation(typed(verb="read", target="file:///x", **{name: value}))


def test_list_of_actions_is_read_one_by_one(notation: Notation) -> None:
    actions = [{"verb": "read", "target": "file:///a"}, {"verb": "nothing", "target": "file:///b"}, "x"]
    found = typed(actions=actions)
    assert {"read /a", "!UNPARSEABLE"} == notation(found)
    assert {problem.part for problem in found.problems} == {"action 2", "action 3"}


@pytest.mark.parametrize("actions", [[], None, {}, "x", 1])
def test_list_of_no_actions_is_opaque(actions: Any, notation: Notation) -> None:
    assert {"!UNPARSEABLE"} == notation(typed(actions=actions))


def test_list_over_the_bound_is_too_complex(notation: Notation) -> None:
    assert {"!TOO_COMPLEX"} == notation(typed(actions=[{"verb": "read", "target": "file:///a"}] * 51))


def test_every_scheme_has_a_kind() -> None:
    from grants.reference import SCHEMES

    assert set(SCHEMES) == set(KIND_OF_SCHEME)


def reply(**fields: Any) -> Reduction:
    return reduce_operation("conversation", fields, home=None)


@pytest.mark.parametrize("verb", sorted(VERBS["conversation"]))
def test_reply_names_its_class_person_and_domain(verb: str) -> None:
    expected = [("conversation", verb, "person:p-7/care")]
    for key in ("class", "verb"):
        found = reply(**{key: verb}, person="p-7", domain="care")
        assert expected == [(one.kind, one.verb, one.target) for one in found.actions]
    assert [one.target for one in reply(**{"class": verb}, person="p-7").actions] == ["person:p-7"]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"person": "p-7"}, "UNPARSEABLE"),
        ({"class": "seduce", "person": "p-7"}, "UNPARSEABLE"),
        ({"class": "Inform", "person": "p-7"}, "UNPARSEABLE"),
        ({"class": "inform"}, "UNPARSEABLE"),
        ({"class": "inform", "verb": "romance", "person": "p-7"}, "UNPARSEABLE"),
        ({"class": "inform", "person": 7}, "UNPARSEABLE"),
        ({"class": "inform", "person": ""}, "ID_INVALID"),
        ({"class": "inform", "person": "p\u200b7"}, "ID_INVALID"),
        ({"class": "inform", "person": "p-7", "domain": ""}, "ID_INVALID"),
        ({"class": "inform", "person": "p-7", "domain": "a/b"}, "ID_INVALID"),
        ({"class": "inform", "person": "p-7/care", "domain": "x"}, "ID_INVALID"),
        ({"class": "inform", "person": "p-7/care"}, "ID_INVALID"),
        ({"class": "inform", "person": "**"}, "ID_INVALID"),
    ],
)
def test_reply_that_is_none_is_opaque(fields: dict[str, Any], code: str, notation: Notation) -> None:
    assert {f"!{code}"} == notation(reply(**fields))
