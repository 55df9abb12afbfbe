"""A witness is added to a policy file, and nothing else in it changes."""

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger.cosignature import CosignatureSigner
from ledger.errors import PolicyFileError
from ledger.policy import PolicyWitness, parse_policy
from tests.tools.witness.story import LOG
from tools.errors import InputError
from tools.witnessing.adding import with_witness

FIRST = f"# ours\nlog {LOG.verifier_key.text()}  https://log.example\n\n# nobody yet\nquorum none\n".encode()


def witness(name, url=None):
    key = CosignatureSigner(
        f"w.example/{name.encode().hex()}", Ed25519PrivateKey.from_private_bytes(name.encode().ljust(32))
    )
    return PolicyWitness(name, key.verifier_key, url)


def add(data, name, *, optional=False, quorum=None, url=None):
    return with_witness(data, witness(name, url), optional=optional, quorum=quorum)


def group(data):
    (one,) = parse_policy(data).groups
    return one.threshold, one.members


def test_the_first_witness_becomes_the_quorum():
    found = parse_policy(add(FIRST, "a", url="https://a.example"))
    assert found.witnesses == (witness("a", "https://a.example"),)
    assert (found.quorum, found.satisfied(["a"]), found.satisfied([])) == ("witnesses", True, False)


def test_lines_that_stand_are_left_as_they_are():
    changed = add(add(FIRST, "a"), "b", optional=True)
    for line in FIRST.splitlines()[:-1]:
        assert line in changed.splitlines()


def test_all_stays_all_and_a_number_stays_that_number():
    data = add(add(FIRST, "a"), "b")
    assert group(data) == (2, ("a", "b"))
    data = add(data, "c", quorum="2")
    assert group(data) == (2, ("a", "b", "c"))
    assert group(add(data, "d")) == (2, ("a", "b", "c", "d"))
    assert group(add(data, "d", quorum="all")) == (4, ("a", "b", "c", "d"))
    assert group(add(data, "d", quorum="any")) == (1, ("a", "b", "c", "d"))


def test_nobody_waits_for_an_optional_witness():
    data = add(add(FIRST, "a"), "b", optional=True)
    found = parse_policy(data)
    assert found.counted() == {"a"}
    assert group(data) == (1, ("a",))
    assert [one.name for one in found.witnesses] == ["a", "b"]
    assert parse_policy(add(FIRST, "b", optional=True)).quorum == "none"


def test_members_of_members_count():
    text = "".join(f"witness {name} {witness(name).key.text()}\n" for name in "abcd")
    found = parse_policy(f"{text}group x any a b\ngroup y all x c\nquorum y\n".encode())
    assert found.counted() == {"a", "b", "c"}
    assert parse_policy(f"{text}quorum d\n".encode()).counted() == {"d"}
    assert parse_policy(f"{text}quorum none\n".encode()).counted() == frozenset()


def test_a_quorum_that_was_written_by_hand_is_left_to_hands():
    data = add(FIRST, "a").replace(b"group witnesses all a\nquorum witnesses", b"quorum a")
    with pytest.raises(InputError, match="by hand"):
        add(data, "b")
    assert parse_policy(add(data, "b", optional=True)).quorum == "a"
    nested = add(FIRST, "a").replace(b"quorum", b"group more all witnesses\nquorum")
    with pytest.raises(InputError, match="by hand"):
        add(nested, "b")


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("a", {}),
        ("none", {}),
        ("witnesses", {}),
        ("two words", {}),
        ("", {}),
        ("b", {"quorum": "3"}),
        ("b", {"quorum": "0"}),
        ("b", {"quorum": "most"}),
        ("b", {"url": "https://b.example and more"}),
        ("b", {"url": "https://b.example\nquorum none"}),
        ("b\nquorum none", {}),
    ],
)
def test_what_would_break_the_file_is_refused(name, more):
    data = add(FIRST, "a")
    with pytest.raises((PolicyFileError, InputError)):
        add(data, name, **more)


def test_an_optional_witness_changes_no_quorum():
    with pytest.raises(InputError, match="leave out --quorum"):
        add(FIRST, "a", optional=True, quorum="all")
