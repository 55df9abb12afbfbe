"""The log's own key: its file, its passphrase, and where a passphrase may come from."""

import os
import pty
import subprocess
import sys

import pytest

from tools.errors import HomeError
from tools.keys import has_passphrase, new_key, read_key

WORDS = "correct horse battery staple"


@pytest.fixture
def phrase(tmp_path):
    """A file that holds the passphrase, for its owner alone."""
    file = tmp_path / "phrase"
    file.write_text(f"{WORDS}\n")
    file.chmod(0o600)
    return file


@pytest.fixture
def sealed(tally, ledger, phrase):
    """A ledger whose key has a passphrase."""
    done = tally("key", "passphrase", "--new-passphrase-file", phrase, "--json")
    assert (done.exit_code, done.object["sealed"]) == (0, True)
    return ledger


def grow(tally, name="bo"):
    assert tally("principal", "add", f"human:{name}", "--yes").exit_code == 0


def test_key_file_is_for_its_owner_alone(fresh):
    assert (fresh / "log.key").stat().st_mode & 0o777 == 0o600
    assert not has_passphrase(fresh / "log.key")


def test_sealed_key_is_the_same_key(tally, ledger, phrase):
    before = read_key(ledger / "log.key").private_bytes_raw()
    assert tally("key", "passphrase", "--new-passphrase-file", phrase).exit_code == 0
    assert (ledger / "log.key").stat().st_mode & 0o777 == 0o600
    assert read_key(ledger / "log.key", lambda _: WORDS.encode()).private_bytes_raw() == before


def test_sealed_key_signs_with_the_passphrase_of_a_file(tally, sealed, phrase):
    grow(tally)
    assert tally("--passphrase-file", phrase, "checkpoint", "--json").object["size"] == 4
    assert tally("prove", "0", "--passphrase-file", phrase).exit_code == 1  # the option stands on every command


def test_sealed_key_signs_with_the_passphrase_of_a_descriptor(sealed, tally_program):
    reading, writing = os.pipe()
    os.write(writing, WORDS.encode())
    os.close(writing)
    words = [*tally_program, "--ledger", sealed, "--passphrase-file", f"/dev/fd/{reading}", "checkpoint"]
    done = subprocess.run(words, pass_fds=[reading], capture_output=True, check=False)
    os.close(reading)
    assert done.returncode == 0, done.stderr


def test_nobody_is_asked_without_a_terminal(tally, sealed):
    grow(tally)
    done = tally("checkpoint")
    assert (done.exit_code, "--passphrase-file" in done.error) == (1, True)
    assert tally("checkpoint", "show", "--json").object["size"] == 3


def test_wrong_passphrase_signs_nothing(tally, sealed, phrase):
    phrase.write_text("another\n")
    grow(tally)
    done = tally("checkpoint", "--passphrase-file", phrase)
    assert (done.exit_code, "can't be opened with this passphrase" in done.error) == (1, True)


@pytest.mark.parametrize(
    ("content", "mode", "said"),
    [
        (b"", 0o600, "holds no passphrase"),
        (b"\n", 0o600, "holds no passphrase"),
        (b"one\ntwo\n", 0o600, "holds no passphrase"),
        (b"x" * 1025, 0o600, "holds no passphrase"),
        (b"good\n", 0o640, "chmod 600"),
        (b"good\n", 0o604, "chmod 600"),
    ],
)
def test_file_that_holds_no_secret_is_refused(tally, sealed, phrase, content, mode, said):
    phrase.write_bytes(content)
    phrase.chmod(mode)
    grow(tally)
    done = tally("checkpoint", "--passphrase-file", phrase)
    assert (done.exit_code, said in done.error) == (1, True)


def test_passphrase_is_changed_and_taken_away(tally, sealed, phrase, tmp_path):
    other = tmp_path / "other-phrase"
    other.write_text("another one")
    other.chmod(0o600)
    grow(tally)
    assert tally("key", "passphrase", "--remove").exit_code == 1  # whoever removes it must know it
    changed = tally("key", "passphrase", "--passphrase-file", phrase, "--new-passphrase-file", other)
    assert changed.exit_code == 0
    assert tally("checkpoint", "--passphrase-file", phrase).exit_code == 1
    assert tally("checkpoint", "--passphrase-file", other).exit_code == 0
    assert tally("key", "passphrase", "--passphrase-file", other, "--remove").exit_code == 0
    assert tally("checkpoint").exit_code == 0
    assert tally("key", "show", "--json").object["sealed"] is False


def test_doctor_opens_a_sealed_key_only_with_its_passphrase(tally, sealed, phrase, tmp_path):
    def log_key(*words):
        done = tally("doctor", "--json", *words)
        return next((one["status"], one["detail"]) for one in done.objects if one["check"] == "log key")

    assert log_key() == ("ok", "sealed by a passphrase; give --passphrase-file to have it opened and compared")
    assert log_key("--passphrase-file", phrase)[0] == "ok"
    (sealed / "log.key").unlink()
    new_key(sealed / "log.key", WORDS.encode())
    assert log_key("--passphrase-file", phrase)[0] == "problem"


def test_init_seals_the_key_with_the_passphrase_of_a_file(tally, place, key, phrase):
    done = tally("init", "--new-key", key, "--passphrase", "--passphrase-file", phrase, "--yes", "--json")
    assert (done.exit_code, done.object["sealed"]) == (0, True)
    assert has_passphrase(place / "log.key")
    assert tally("checkpoint", "show").exit_code == 0


def test_init_without_a_terminal_asks_nobody_for_a_passphrase(tally, place, key):
    done = tally("init", "--new-key", key, "--passphrase", "--yes")
    assert (done.exit_code, place.exists()) == (1, False)
    assert "name a file" in done.error


def test_terminal_is_asked_once_for_the_passphrase(sealed, tally_program):
    """One question, whatever the command does with the key."""
    pid, terminal = pty.fork()
    if pid == 0:  # pragma: no cover  (the child)
        os.execv(sys.executable, [*tally_program, "--ledger", str(sealed), "checkpoint"])
    said = b""
    try:
        while chunk := os.read(terminal, 4096):
            said += chunk
            if chunk.endswith(b": "):  # what was typed before the question is thrown away
                os.write(terminal, f"{WORDS}\n".encode())
    except OSError:  # the terminal is gone with the child
        pass
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, said
    assert said.count(b"Passphrase of") == 1
    assert b"blake3-mmr" in said


def test_library_refuses_without_anybody_who_knows_the_passphrase(sealed):
    with pytest.raises(HomeError, match="--passphrase-file"):
        read_key(sealed / "log.key")
