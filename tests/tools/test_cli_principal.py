"""`tally principal`."""

import json
import os

import pytest

from grants.signer import read_public


def add(tally, *words):
    done = tally("principal", "add", *words, "--yes", "--json")
    assert done.exit_code == 0, done.stderr
    return done.object


def test_adds_an_agent_that_is_a_system_user(tally, ledger):
    assert add(tally, "agent:ops-7", "--owner", "human:owner", "--uid", "1234", "--name", "night shift")["event"] == 3
    shown = tally("principal", "show", "agent:ops-7", "--json").object
    assert (shown["uid"], shown["owner"], shown["name"]) == (1234, "human:owner", "night shift")


def test_takes_a_system_user_by_name(tally, ledger):
    add(tally, "service:web", "--owner", "human:owner", "--uid", "nobody")
    assert tally("principal", "show", "service:web", "--json").object["uid"] > 0


def test_adds_keys_and_agents_to_speak_for(tally, ledger, other_key):
    line = read_public(other_key.with_name("other.pub")).line()
    add(tally, "service:desk", "--owner", "human:owner", "--speaks-for", "agent:a", "--speaks-for", "agent:b")
    add(tally, "sensor:mood", "--owner", "human:owner", "--public-key", other_key.with_name("other.pub"))
    assert tally("principal", "show", "service:desk", "--json").object["speaks_for"] == ["agent:a", "agent:b"]
    keys = tally("principal", "show", "sensor:mood", "--json").object["keys"]
    assert [key["line"] for key in keys.values()] == [line]


def test_takes_a_pasted_key(tally, ledger, other_key):
    line = read_public(other_key.with_name("other.pub")).line()
    assert tally("principal", "key-add", "human:owner", line, "--yes").exit_code == 0


def test_a_new_key_signs_and_a_revoked_one_does_not(tally, ledger, key, other_key):
    assert tally("principal", "key-add", "human:owner", other_key.with_name("other.pub"), "--yes").exit_code == 0
    fingerprint = read_public(key.with_name("key.pub")).fingerprint
    ended = tally("principal", "key-revoke", "human:owner", fingerprint, "--yes", "--key", other_key)
    assert ended.exit_code == 0
    refused = tally("principal", "add", "human:bo", "--yes")
    assert refused.exit_code == 1
    assert f"({fingerprint}) is no key of human:owner" in refused.error


def test_suspends(tally, ledger):
    add(tally, "agent:ops-7", "--owner", "human:owner")
    done = tally("principal", "suspend", "agent:ops-7", "--reason", "it ran in a loop", "--yes")
    assert done.exit_code == 0
    assert "suspended by event 4" in tally("principal", "list").stdout
    again = tally("principal", "suspend", "agent:ops-7", "--reason", "again", "--yes")
    assert again.exit_code == 1


def test_lists_for_people_and_for_programs(tally, ledger):
    add(tally, "agent:ops-7", "--owner", "human:owner")
    assert [one["principal"] for one in tally("principal", "list", "--json").objects] == ["agent:ops-7", "human:owner"]
    assert [one["principal"] for one in tally("principal", "list", "--kind", "human", "--json").objects] == [
        "human:owner"
    ]
    head, first, second = tally("principal", "list").stdout.splitlines()
    assert head.split() == ["PRINCIPAL", "OWNER", "UID", "KEYS", "SPEAKS", "FOR", "STATUS"]
    assert first.split() == ["agent:ops-7", "human:owner", "-", "0", "-", "active"]
    assert second.startswith("human:owner")


def test_shows_for_people(tally, ledger):
    text = tally("principal", "show", "human:owner").stdout
    assert "name        Ada L." in text
    assert "SHA256:" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["agent:ops-7"], "--owner"),
        (["agnet:ops-7", "--owner", "human:owner"], 'did you mean "agent"?'),
        (["agent:OPS", "--owner", "human:owner"], "lower-case"),
        (["agent:a", "--owner", "human:nobody"], "human:nobody is no registered human"),
        (["agent:a", "--owner", "human:owner", "--uid", "no such user"], "no user"),
        (["agent:a", "--owner", "human:owner", "--public-key", "none.pub"], "can't be read"),
        (["human:owner"], "registered already"),
        (["agent:a", "--owner", "human:owner", "--uid", str(os.getuid())], "is human:owner already"),
        (["agent:a", "--owner", "human:owner", "--by", "human:other"], "human:other is not registered"),
    ],
)
def test_refuses_with_a_line_that_says_what_to_do(tally, ledger, words, said):
    size = tally("log", "head", "--json").object["size"]
    done = tally("principal", "add", *words, "--yes")
    assert done.exit_code == 1
    assert said in done.error
    assert tally("log", "head", "--json").object["size"] == size


def test_an_unknown_principal_is_an_error(tally, ledger):
    done = tally("principal", "show", "agent:nobody", "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["error"]["code"] == "INPUT"


def test_a_wrong_key_writes_nothing(tally, ledger, other_key):
    done = tally("principal", "add", "human:bo", "--yes", "--key", other_key)
    assert done.exit_code == 1
    assert "is no key of human:owner" in done.error
    assert tally("log", "head", "--json").object["size"] == 3


def test_a_key_that_others_may_read_is_refused(tally, ledger, key):
    key.chmod(0o644)
    done = tally("principal", "add", "human:bo", "--yes")
    assert done.exit_code == 1
    assert "chmod 600" in done.error
