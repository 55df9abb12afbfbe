from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grants import acts, principals
from grants.errors import IssueError
from grants.principals import UNKNOWN, identify, parse_chain


def ask(office, uid=None, claimed=None):
    return office.log.read(lambda snapshot: identify(snapshot, uid=uid, claimed=claimed))


def standing(asker):
    return (asker.by, asker.auth, asker.via, asker.kind, asker.authenticated, asker.owned, asker.spoken_for)


@pytest.mark.parametrize("claimed", [None, "agent:ops-7"])
def test_an_os_user_is_the_principal_that_it_is_mapped_to(office, claimed):
    assert standing(ask(office, 1001, claimed)) == ("agent:ops-7", "os-uid", None, "agent", True, True, False)


def test_the_first_human_is_their_uid(office):
    assert standing(ask(office, 1000)) == ("human:ada", "os-uid", None, "human", True, True, False)


def test_a_service_speaks_for_the_agents_that_it_is_registered_for(office):
    asker = ask(office, 1002, "agent:ops-7")
    assert standing(asker) == ("agent:ops-7", "os-uid", "service:desk", "agent", True, True, True)


def test_a_service_does_not_speak_for_other_agents(office):
    assert standing(ask(office, 1002, "agent:a1")) == ("agent:a1", "claimed", None, UNKNOWN, False, False, False)


def test_a_human_does_not_speak_for_the_agents_that_they_own(office):
    asker = ask(office, 1000, "agent:ops-7")
    assert (asker.auth, asker.authenticated, asker.kind) == ("claimed", False, UNKNOWN)


def test_a_suspended_service_speaks_for_nobody(office):
    office.act(acts.suspend, by="human:bo", principal="service:desk", reason="taken over")
    assert not ask(office, 1002, "agent:ops-7").authenticated


def test_a_recorded_service_that_does_not_speak_for_the_agent_authenticates_nobody(office):
    asker = principals.recorded(office.log, "agent:a1", ("agent:a1",), "os-uid", "service:desk")
    assert not asker.authenticated


def test_a_suspended_agent_is_known_and_not_authenticated(office):
    office.act(acts.suspend, by="human:ada", principal="agent:ops-7", reason="loops")
    asker = ask(office, 1001)
    assert (asker.by, asker.registered, asker.suspended, asker.authenticated) == ("agent:ops-7", True, True, False)


def test_an_agent_whose_owner_is_suspended_has_nobody_to_answer_for_it(office):
    office.act(acts.suspend, by="human:ada", principal="human:bo", reason="left")
    assert not principals.recorded(office.log, "agent:a1", ("agent:a1",), "token", None).owned
    assert principals.recorded(office.log, "agent:a1", ("agent:a1",), "token", None).authenticated


def test_a_suspended_human_is_not_owned(office):
    office.act(acts.suspend, by="human:ada", principal="human:bo", reason="left")
    assert not principals.recorded(office.log, "human:bo", ("human:bo",), "token", None).owned


@pytest.mark.parametrize("uid", [None, 4711])
def test_who_names_nobody_is_unknown(office, uid):
    assert standing(ask(office, uid)) == (UNKNOWN, "claimed", None, UNKNOWN, False, False, False)


@pytest.mark.parametrize(
    "claimed",
    [
        "", "ops-7", "agent:", "agent:Ops-7", "agent:\u043eps", "robot:x", "agent:a//b", "agent:a/", "agent:a/B",
        "agent:a/\u202eb", "/agent:a", "agent:a" + "/x" * 16, "agent:ops-7 ",
    ],
)  # fmt: skip
def test_an_unreadable_claim_is_unknown_and_is_not_recorded(office, claimed):
    asker = ask(office, 1001, claimed)
    assert (asker.by, asker.chain, asker.authenticated) == (UNKNOWN, (UNKNOWN,), False)


def test_an_unregistered_claim_keeps_its_id(office):
    asker = ask(office, None, "agent:ghost")
    assert (asker.by, asker.registered, asker.authenticated) == ("agent:ghost", False, False)


def test_a_claimant_is_recorded_as_one(office):
    assert ask(office, None, "agent:ops-7").actor == "claimed:agent:ops-7"
    assert ask(office, 1001, "agent:ops-7").actor == "agent:ops-7"


def test_parts_that_act_for_an_agent_stand_in_the_chain(office):
    asker = ask(office, 1001, "agent:ops-7/sub2/x")
    assert (asker.by, asker.chain, asker.auth) == ("agent:ops-7", ("agent:ops-7", "sub2", "x"), "os-uid")


def test_a_demonstration_believes_registered_claims_alone(empty, populate):
    office = populate(empty, demonstration=True)
    assert standing(ask(office, None, "agent:a1")) == ("agent:a1", "claimed", None, "agent", True, True, False)
    assert not ask(office, None, "agent:ghost").authenticated
    office.act(acts.suspend, by="human:ada", principal="agent:a1", reason="loops")
    assert not ask(office, None, "agent:a1").authenticated


def test_nobody_is_authenticated_before_the_log_has_begun(empty):
    assert not ask(empty, 1001, "agent:ops-7").authenticated


def test_authenticated_needs_a_registration(office):
    asker = ask(office, 1001)
    assert not replace(asker, principal=None).authenticated


def test_a_uid_is_given_once(office):
    with pytest.raises(IssueError, match="system user 1001 is a principal already"):
        office.act(acts.register_principal, by="human:ada", principal="agent:b2", name="b", owner="human:ada", uid=1001)


@given(st.text(max_size=40))
def test_a_chain_is_read_or_refused_without_an_error(text):
    chain = parse_chain(text)
    assert chain is None or "/".join(chain) == text
