"""What runs on somebody's machines: a change of it in production, or nobody knows where, needs a human.

Source: issue 4, section 1; articles I, IV, V, VI and IX of the default constitution.
"""

import pytest

from grants import acts

CHANGES = ("create", "change", "delete", "run")
SERVICE = {
    "asset": "service", "sensitivity": "internal", "reversibility": "reversible", "about_people": False,
    "purpose": None, "provenance": "trusted",
}  # fmt: skip


def register(court, resource, **attributes):
    kept = {name: value for name, value in {**SERVICE, **attributes}.items() if value != "unsaid"}
    court.office.act(acts.register_resource, by="registrar:stores", resource=resource, attributes=kept)


def rules(answer):
    """Name the rules that spoke against an operation."""
    return {spoken.rule.id for spoken in answer.spoken if spoken.rule.effect != "permit"}


@pytest.mark.parametrize("verb", CHANGES)
@pytest.mark.parametrize(
    "target", ["k8s://prod/shop/deployment/web", "aws://prod/ec2/eu-west-1/i-1", "host://db1/power"]
)
def test_change_in_production_is_held_however_easily_it_is_undone(court, verb, target):
    register(court, target, environment="prod")
    answer = court.do(verb, target)
    assert (answer.outcome, rules(answer)) == ("hold", {"I.infrastructure"})
    court.consent(answer)
    assert court.do(verb, target).outcome == "allow"
    assert court.do(verb, target).outcome != "allow"


@pytest.mark.parametrize("verb", CHANGES)
def test_change_where_nobody_knows_the_environment_is_not_allowed(court, verb):
    register(court, "k8s://current/**", asset="scratch", reversibility="recoverable")
    assert court.do(verb, "k8s://current/shop/pod/web").outcome == "hold"


def test_what_is_disposable_outside_production_is_changed_without_a_human(court):
    register(court, "docker://current/**", environment="dev", asset="scratch", reversibility="recoverable")
    for verb in ("create", "change", "delete"):
        assert court.do(verb, "docker://current/container/db").outcome == "allow"
    assert court.do("run", "docker://current/image/nginx").outcome == "deny"


def test_all_of_something_in_production_is_not_even_for_a_human_to_consent_to(court):
    register(court, "k8s://prod/**", environment="prod")
    answer = court.do("delete", "k8s://prod/shop", scope="all")
    assert (answer.outcome, "IX.all" in rules(answer)) == ("deny", True)


def test_deleting_what_holds_others_is_judged_by_what_is_registered_in_it(court):
    register(court, "k8s://lab/**", environment="dev", asset="scratch", reversibility="recoverable")
    register(court, "k8s://lab/shop/secret/root", environment="dev", asset="secret")
    assert court.do("delete", "k8s://lab/shop").outcome == "deny"
    assert court.do("delete", "k8s://lab/other").outcome == "allow"


@pytest.mark.parametrize(("attributes", "rule"), [
    ({"asset": "secret"}, "V.secrets"), ({"asset": "control_plane"}, "XI.control-plane"),
    ({"asset": "audit_trail"}, "VII.audit-trail"), ({"reversibility": "irreversible"}, "VI.irreversible"),
])  # fmt: skip
def test_articles_that_guard_files_and_data_guard_it_too(court, attributes, rule):
    register(court, "systemd://current/x.service", environment="dev", **attributes)
    assert rule in rules(court.do("change", "systemd://current/x.service"))


def test_image_that_nobody_has_checked_does_not_run(court):
    register(court, "docker://current/image/nginx", environment="dev", provenance="unsaid")
    answer = court.do("run", "docker://current/image/nginx")
    assert (answer.outcome, "IV.checked-image" in rules(answer)) == ("deny", True)


def test_what_is_internal_is_read_and_listed_freely(court):
    register(court, "k8s://prod/**", environment="prod")
    for verb in ("read", "list"):
        assert court.do(verb, "k8s://prod/shop/pod").outcome == "allow"
