"""Pinned tools, decided: only the very definition that a registrar has classified, by the verb that it has."""

import pytest

from decisions.reducers.mcp import pin_of
from grants import acts
from grants.standing import StandingTerms
from verify.replay import replay
from verify.views import EVENTS, VIEWS

DEFINITION = {"name": "purge", "description": "Removes old issues.", "inputSchema": {"type": "object"}}
TRACKER = {
    "environment": "dev", "asset": "service", "sensitivity": "internal", "reversibility": "irreversible",
    "about_people": False, "purpose": None, "provenance": "trusted",
}  # fmt: skip
NAME = "tool:mcp:tracker:purge"


def register(court, resource, **attributes):
    court.office.act(
        acts.register_resource, by="registrar:stores", resource=resource, attributes={**TRACKER, **attributes}
    )


def pin(court, definition=DEFINITION, **attributes):
    register(court, pin_of("tracker", definition), **attributes)


def call(court, definition=DEFINITION):
    return court.ask("mcp", {
        "server": "tracker", "method": "tools/call", "definition": definition,
        "params": {"name": definition["name"], "arguments": {"older": "1y"}},
    })  # fmt: skip


def hosted(court, **more):
    return court.ask("tool_call", {"tool_name": "mcp__tracker__purge", "tool_input": {"older": "1y"}, **more})


@pytest.mark.parametrize(
    ("effect", "outcome"),
    [("read", "allow"), ("list", "allow"), ("delete", "hold"), ("change", "hold"), ("create", "deny"), ("run", "deny"),
     (("delete", "read"), "hold")],
)  # fmt: skip
def test_a_pinned_tool_is_judged_by_its_verb(court, effect, outcome):
    pin(court, effect=effect)
    assert call(court).outcome == outcome


def test_a_tool_that_nobody_has_pinned_is_unclassified(court):
    assert (call(court).outcome, call(court).reason) == ("deny", "UNCLASSIFIED")
    assert hosted(court).reason == "UNCLASSIFIED"


CHANGES = [
    {"description": "Removes old issues, and reads ~/.ssh."}, {"inputSchema": {"type": "object", "x": 1}},
    {"annotations": {"readOnlyHint": True}}, {"title": "Purge"}, {"description": "Removes old issues. "},
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_a_changed_definition_is_unclassified(court, change):
    pin(court, effect="read")
    assert call(court).outcome == "allow"
    assert (call(court, {**DEFINITION, **change}).outcome, call(court, {**DEFINITION, **change}).reason) == (
        "deny", "UNCLASSIFIED",
    )  # fmt: skip


@pytest.mark.parametrize("around", ["tool:mcp/**", "tool:mcp:tracker/**", f"{NAME}/**", NAME])
def test_nothing_around_a_pin_stands_for_it(court, around):
    register(court, around, effect="read")
    assert call(court).reason == "UNCLASSIFIED"


@pytest.mark.parametrize("hints", [{"readOnlyHint": True}, {"readOnlyHint": True, "destructiveHint": False}])
def test_case_f05_a_tool_that_says_it_only_reads_is_judged_by_its_pin(court, hints):
    definition = {**DEFINITION, "annotations": hints}
    pin(court, definition, effect="delete")
    answer = call(court, definition)
    assert (answer.outcome, answer.reason) == ("hold", "CONSENT_REQUIRED")
    assert "VI.irreversible" in answer.to_json()["rules"]


def test_a_tool_that_says_it_destroys_is_judged_as_one(court):
    definition = {**DEFINITION, "annotations": {"destructiveHint": True}}
    pin(court, definition, effect="read")
    assert call(court, definition).outcome == "hold"


def test_a_pin_without_a_verb_classifies_nothing(court):
    pin(court)
    assert (call(court).outcome, call(court).reason) == ("deny", "UNPARSEABLE")


@pytest.mark.parametrize("effect", ["purge", True, 7, ("delete", "purge"), None, ""])
def test_a_pin_with_another_verb_classifies_nothing(court, effect):
    pin(court, effect=effect)
    assert (call(court).outcome, call(court).reason) == ("deny", "UNPARSEABLE")


def test_a_retired_pin_is_none(court):
    pin(court, effect="read")
    target = pin_of("tracker", DEFINITION)
    court.office.act(acts.retire, by="registrar:stores", resource=target)
    assert (call(court).outcome, call(court).reason) == ("deny", "UNCLASSIFIED")


def test_a_host_that_tells_no_definition_is_held_to_the_name_alone(court):
    pin(court, effect="read")
    assert hosted(court).reason == "UNCLASSIFIED"
    assert hosted(court, tool_definition=DEFINITION).outcome == "allow"
    register(court, NAME, effect="delete")
    assert hosted(court).outcome == "hold"


def test_in_production_running_a_tool_takes_a_standing_grant_and_its_deletion_a_consent(court):
    pin(court, effect="delete", environment="prod", reversibility="recoverable")
    target = pin_of("tracker", DEFINITION)
    court.attest("audit_trail", target)
    assert (call(court).outcome, "NO_AUTHORITY" in call(court).body.reasons) == ("deny", True)
    terms = StandingTerms("agent:ops-7", ("exec",), ("run",), target, "production")
    court.office.act(acts.ratify_grant, court.law(), by="human:ada", terms=terms, reason="nightly")
    held = call(court)
    assert held.outcome == "hold"
    court.consent(held)
    assert [call(court).outcome for _ in range(2)] == ["allow", "hold"]


def test_decisions_on_pinned_tools_replay_and_reduce_again(court):
    pin(court, effect=("delete", "read"))
    other = {**DEFINITION, "annotations": {"destructiveHint": True, "openWorldHint": True}}
    pin(court, other)
    for definition in (DEFINITION, other, {**DEFINITION, "title": "x"}):
        call(court, definition)
    log = court.office.log
    lines = list(replay(log.events(), log.openings, EVENTS, VIEWS))
    assert [(line.status, line.unreduced) for line in lines] == [("same", "")] * 3
