import contextlib
import itertools
from dataclasses import replace
from functools import partial

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from ledger import note, policy
from ledger.checkpoint import Checkpoint, sign_checkpoint
from ledger.cosignature import cosigned_message
from ledger.errors import CheckpointError, NoteError, PolicyFileError, UnknownLogError
from ledger.note import NoteSignature, NoteSigner, VerifierKey
from ledger.policy import parse_policy


def private(name: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(name.encode().ljust(32, b"."))


def witness_key(name: str) -> VerifierKey:
    return VerifierKey(f"{name}.example", private(name).public_key().public_bytes_raw(), note.COSIGNATURE_V1)


def cosign(name: str, text: str, time: int = 1) -> bytes:
    key, blob = witness_key(name), time.to_bytes(8, "big") + private(name).sign(cosigned_message(time, text))
    return NoteSignature(key.name, key.key_id, blob).line().encode()


LOG = NoteSigner("log.example", private("log"))
LOG_LINE = f"log {LOG.verifier_key.text()}\n"
HEAD = Checkpoint("log.example", 8, b"s" * 32, b"b" * 32)
NAMES = ("X1", "X2", "X3", "Y1", "Y2", "Y3")
WITNESS = {name: f"witness {name} {witness_key(name).text()}\n" for name in (*NAMES, "Z")}

# The two-level example of the C2SP text.
TWO_LEVELS = (
    "# whom we trust\n\n"
    + LOG_LINE
    + "".join(WITNESS[name] for name in NAMES)
    + "group X-witnesses 2 X1 X2 X3\n"
    + "group Y-witnesses any Y1 Y2 Y3\n"
    + "\tgroup  X-and-Y all X-witnesses\tY-witnesses \n"
    + "quorum X-and-Y\n"
)


def test_every_set_of_witnesses_is_judged_as_the_groups_say() -> None:
    found = parse_policy(TWO_LEVELS.encode())
    for count in range(len(NAMES) + 1):
        for heard in itertools.combinations(NAMES, count):
            xs, ys = sum(name[0] == "X" for name in heard), sum(name[0] == "Y" for name in heard)
            assert found.satisfied(heard) == (xs >= 2 and ys >= 1)


def test_a_group_or_a_stranger_cannot_be_passed_off_as_a_witness() -> None:
    assert not parse_policy(TWO_LEVELS.encode()).satisfied({"X-and-Y", "X-witnesses", "Y-witnesses", "none", "Q"})


def test_a_quorum_may_be_one_witness_or_none() -> None:
    one = parse_policy((WITNESS["X1"] + "quorum X1\n").encode())
    assert (one.satisfied({"X1"}), one.satisfied({"X2"}), one.satisfied(())) == (True, False, False)
    assert parse_policy(b"quorum none\n").satisfied(())


def test_a_policy_reads_back() -> None:
    text = LOG_LINE.rstrip("\n") + " https://log.example/\n" + WITNESS["Z"].rstrip("\n") + " https://z\n" + "quorum Z\n"
    assert parse_policy(text.encode()).text() == text
    two = parse_policy(TWO_LEVELS.encode())
    assert parse_policy(two.text().encode()) == two


def test_opens_a_checkpoint_of_a_listed_log_and_names_its_witnesses() -> None:
    data = sign_checkpoint(HEAD, LOG) + cosign("Y2", HEAD.text(), 5) + cosign("X1", HEAD.text(), 6)
    found = parse_policy(TWO_LEVELS.encode()).open(data)
    assert (found.checkpoint, found.log) == (HEAD, LOG.verifier_key)
    assert found.witnesses == {"X1": 6, "Y2": 5}


def test_witnesses_outside_the_policy_are_not_named() -> None:
    data = sign_checkpoint(HEAD, LOG) + cosign("Z", HEAD.text())
    assert parse_policy(TWO_LEVELS.encode()).open(data).witnesses == {}


def test_a_checkpoint_of_an_unlisted_log_is_refused() -> None:
    other = NoteSigner("log.example", private("other"))
    with pytest.raises(CheckpointError, match="none of the policy's logs"):
        parse_policy(TWO_LEVELS.encode()).open(sign_checkpoint(HEAD, other) + cosign("X1", HEAD.text()))


@pytest.mark.parametrize(("name", "origin"), [("log.example", "log.example"), ("other.example", None)])
def test_a_new_key_of_a_listed_log_is_told_from_a_stranger(name: str, origin: str | None) -> None:
    data = sign_checkpoint(replace(HEAD, origin=name), NoteSigner(name, private("other")))
    with pytest.raises(UnknownLogError) as caught:
        parse_policy(TWO_LEVELS.encode()).open(data)
    assert caught.value.origin == origin


def test_a_bad_line_of_a_listed_witness_refuses_the_checkpoint() -> None:
    with pytest.raises(NoteError, match="does not hold"):
        parse_policy(TWO_LEVELS.encode()).open(sign_checkpoint(HEAD, LOG) + cosign("X1", "another\n"))


A, B = WITNESS["X1"], WITNESS["X2"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no quorum line"),
        (LOG_LINE, "no quorum line"),
        ("quorum none", "line 1 does not end in a newline"),
        ("quorum none\nquorum none\n", "line 2 .* second quorum"),
        ("quorum\n", "a line is 'log"),
        ("quorum X1\n", "no witness or group defined above"),
        ("quorum X1\n" + A, "line 1 .*no witness or group defined above"),
        ("quorum none none\n", "a line is 'log"),
        ("Quorum none\n", "a line is 'log"),
        ("trust everybody\nquorum none\n", "line 1 .*a line is 'log"),
        ("log\n", "a line is 'log"),
        ("log x\n", "not a vkey"),
        (LOG_LINE.rstrip("\n") + " u v\n", "a line is 'log"),
        (LOG_LINE + LOG_LINE, "line 2 .*already"),
        (f"log {witness_key('X1').text()}\n", "a log's is 0x01"),
        (f"witness X1 {LOG.verifier_key.text()}\n", "a witness's is 0x04 or 0x06"),
        (f"witness {witness_key('X1').text()}\n", "a line is 'log"),
        (A + A, "already"),
        (A + WITNESS["X2"].replace("X2 ", "X1 ", 1), "the name 'X1' is taken"),
        (WITNESS["X1"].replace("X1 ", "none ", 1), "the name 'none' is taken"),
        (A + "group X1 any X1\n", "is taken"),
        (A + "group none any X1\n", "is taken"),
        (A + "group g any\n", "a line is 'log"),
        (A + "group g any none\n", "no witness or group"),
        (A + "group g any g\n", "no witness or group"),
        (A + "group g any X2\n" + B, "no witness or group"),
        (A + B + "group g 0 X1 X2\n", "1 to 2"),
        (A + B + "group g 3 X1 X2\n", "1 to 2"),
        (A + B + "group g 01 X1 X2\n", "1 to 2"),
        (A + B + "group g +1 X1 X2\n", "1 to 2"),
        (A + B + "group g \u0661 X1 X2\n", "1 to 2"),
        (A + B + f"group g {'9' * 5000} X1 X2\n", "1 to 2"),
        (A + B + "group g some X1 X2\n", "1 to 2"),
        (A + "group g any X1 X1\n", "a member of a group already"),
        (A + B + "group g any X1\ngroup h any X1 X2\n", "a member of a group already"),
        ("quorum none\r\n", "Windows"),
        ("quorum none\x00\n", "control character"),
        ("quorum\u00a0none\n", "a line is 'log"),
        ("quorum none # all\n", "a line is 'log"),
    ],
)
def test_refuses_a_policy_and_names_the_line(text: str, reason: str) -> None:
    with pytest.raises(PolicyFileError, match=reason):
        parse_policy(text.encode())


def test_a_log_and_a_witness_share_no_key() -> None:
    own = VerifierKey("w.example", LOG.verifier_key.public_key, note.COSIGNATURE_V1)
    with pytest.raises(PolicyFileError, match=r"line 2 .*already"):
        parse_policy(f"{LOG_LINE}witness w {own.text()}\nquorum w\n".encode())


def test_refuses_what_is_not_utf8_and_what_is_too_long() -> None:
    with pytest.raises(PolicyFileError, match=r"line 2 .*UTF-8"):
        parse_policy(b"quorum none\n# \xff\n")
    with pytest.raises(PolicyFileError, match="at most"):
        parse_policy(b"#" * policy.MAX_SIZE + b"\n")


def test_names_that_look_alike_are_different_names() -> None:
    kelvin = "\u212a"
    with pytest.raises(PolicyFileError, match="no witness or group"):
        parse_policy((WITNESS["X1"].replace("X1 ", "K ", 1) + f"quorum {kelvin}\n").encode())


def test_takes_thirty_two_of_each() -> None:
    names = [f"w{number}" for number in range(32)]
    logs = "".join(f"log {NoteSigner(name, private('l' + name)).verifier_key.text()}\n" for name in names)
    witnesses = "".join(f"witness {name} {witness_key(name).text()}\n" for name in names)
    chain = "group g0 all w0\n" + "".join(f"group g{n} all g{n - 1} w{n}\n" for n in range(1, 32))
    found = parse_policy((logs + witnesses + chain + "quorum g31\n").encode())
    assert found.satisfied(names)
    assert not found.satisfied(names[1:])


words = st.sampled_from(["log", "witness", "group", "quorum", "none", "any", "all", "1", "X1", "X2", "g", "#", "\t"])
vkeys = st.sampled_from([LOG.verifier_key.text(), witness_key("X1").text(), witness_key("X2").text()])
lines = st.lists(words | vkeys | st.text(max_size=3), max_size=6).map(partial(str.join, " "))


@given(st.binary() | st.lists(lines, max_size=6).map(lambda found: ("\n".join(found) + "\n").encode(errors="replace")))
def test_only_policy_file_errors_escape(data: bytes) -> None:
    with contextlib.suppress(PolicyFileError):
        found = parse_policy(data)
        assert parse_policy(found.text().encode()) == found
