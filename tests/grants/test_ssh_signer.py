import importlib.util
import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from grants import signer, sshsig
from grants.errors import KeyFileError
from grants.signer import FileSigner, Signer, SshKeygenSigner

NAMESPACE = "tallystick-grant@v1"
needs_ssh_keygen = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
needs_bcrypt = pytest.mark.skipif(importlib.util.find_spec("bcrypt") is None, reason="bcrypt is not installed")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    signer.generate(tmp_path / "ada", "ada@example")
    return tmp_path / "ada"


def never() -> bytes:
    raise AssertionError("asked for a passphrase that the key does not have")


def check(who: Signer) -> None:
    sshsig.verify(who.sign(b"text", NAMESPACE), b"text", NAMESPACE, who.public_key)


def test_makes_a_key_for_its_owner_alone(path: Path) -> None:
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    public = path.with_name("ada.pub").read_text()
    assert public == FileSigner.load(path, never).public_key.line() + " ada@example\n"


def test_never_overwrites_a_key(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(KeyFileError, match="there already"):
        signer.generate(path, "again")
    assert path.read_bytes() == before


def test_leaves_nothing_behind_where_the_public_file_stands_already(tmp_path: Path) -> None:
    (tmp_path / "ada.pub").write_text("kept")
    with pytest.raises(KeyFileError, match="there already"):
        signer.generate(tmp_path / "ada", "ada")
    assert [entry.name for entry in tmp_path.iterdir()] == ["ada.pub"]


def test_leaves_nothing_behind_where_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(KeyFileError, match="No space left"):
        signer.generate(tmp_path / "ada", "ada")
    assert list(tmp_path.iterdir()) == []


def test_a_key_needs_a_folder_and_a_printable_comment(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match="can't be written"):
        signer.generate(tmp_path / "missing" / "ada", "ada")
    with pytest.raises(KeyFileError, match="printable"):
        signer.generate(tmp_path / "ada", "a\nssh-ed25519 AAAA")
    assert list(tmp_path.iterdir()) == []


def test_a_key_without_comment_has_none(tmp_path: Path) -> None:
    made = signer.generate(tmp_path / "ada", "")
    assert (tmp_path / "ada.pub").read_text() == made.line() + "\n"


def test_signs_with_a_key_file(path: Path) -> None:
    check(FileSigner.load(path, never))


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o610, 0o660, 0o777])
def test_refuses_a_key_file_that_is_open_to_others(path: Path, mode: int) -> None:
    path.chmod(mode)
    with pytest.raises(KeyFileError, match="chmod 600"):
        FileSigner.load(path, never)


def test_refuses_what_is_no_ed25519_key_file(tmp_path: Path) -> None:
    path = tmp_path / "key"
    form = serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, serialization.NoEncryption()
    other = ec.generate_private_key(ec.SECP256R1()).private_bytes(*form)
    for data in (b"", b"text", other, other[:200], b"\xff" * 100):
        path.write_bytes(data)
        path.chmod(0o600)
        with pytest.raises(KeyFileError, match="ssh-keygen -t ed25519"):
            FileSigner.load(path, never)


def test_a_missing_key_file_is_one_of_our_errors(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match="can't be read: No such file"):
        FileSigner.load(tmp_path / "missing", never)
    with pytest.raises(KeyFileError, match="can't be read: Is a directory"):
        FileSigner.load(tmp_path, never)
    with pytest.raises(KeyFileError, match="can't be read: No such file"):
        SshKeygenSigner.load(tmp_path / "missing")


def test_a_public_file_that_holds_something_else_is_named(tmp_path: Path) -> None:
    path = tmp_path / "key.pub"
    for data in (b"\xff", b"ssh-rsa AAAA", b""):
        path.write_bytes(data)
        with pytest.raises(KeyFileError, match=r"key\.pub: "):
            signer.read_public(path)


@needs_ssh_keygen
@needs_bcrypt
def test_asks_once_for_a_passphrase_and_says_when_it_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "ada"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-a", "1", "-N", "secret", "-f", str(path)], check=True)
    asked = []

    def ask() -> bytes:
        asked.append(1)
        return b"secret"

    check(FileSigner.load(path, ask))
    assert len(asked) == 1
    for wrong in (b"wrong", b""):
        with pytest.raises(KeyFileError, match="the passphrase does not open"):
            FileSigner.load(path, lambda wrong=wrong: wrong)


@needs_ssh_keygen
@needs_bcrypt
def test_a_sealed_key_of_another_algorithm_is_refused_as_such(tmp_path: Path) -> None:
    path = tmp_path / "ada"
    subprocess.run(["ssh-keygen", "-q", "-t", "ecdsa", "-a", "1", "-N", "secret", "-f", str(path)], check=True)
    with pytest.raises(KeyFileError, match="other keys are not accepted"):
        FileSigner.load(path, lambda: b"secret")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (UnsupportedAlgorithm("Need bcrypt module"), "install the Python package bcrypt, or sign through ssh-keygen"),
        (ValueError("Corrupt data: broken checksum"), "the passphrase does not open"),
    ],
)
def test_a_passphrase_that_cannot_be_used_is_one_of_our_errors(
    error: Exception, reason: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def encrypted(data: bytes, password: bytes | None) -> None:
        raise TypeError("Key is password-protected") if password is None else error

    monkeypatch.setattr(signer, "load_ssh_private_key", encrypted)
    with pytest.raises(KeyFileError, match=reason):
        FileSigner.load(path, lambda: b"secret")


@needs_ssh_keygen
def test_signs_through_ssh_keygen(path: Path) -> None:
    who = SshKeygenSigner.load(path)
    check(who)
    assert who.sign(b"text", NAMESPACE) == FileSigner.load(path, never).sign(b"text", NAMESPACE)


@needs_ssh_keygen
def test_what_another_key_signed_through_ssh_keygen_is_refused(path: Path, tmp_path: Path) -> None:
    other = signer.generate(tmp_path / "bob", "bob")
    with pytest.raises(KeyFileError, match="does not hold"):
        SshKeygenSigner(path, other).sign(b"text", NAMESPACE)


@needs_ssh_keygen
def test_a_key_that_no_agent_holds_is_one_line_of_ssh_keygen(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    path.unlink()
    with pytest.raises(KeyFileError, match=r"\Assh-keygen did not sign: .+\Z"):
        SshKeygenSigner.load(path.with_name("ada.pub")).sign(b"text", NAMESPACE)


def fake_program(folder: Path, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = folder / "ssh-keygen"
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)


def test_a_missing_ssh_keygen_says_what_to_install(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(path.parent))
    with pytest.raises(KeyFileError, match="install OpenSSH"):
        SshKeygenSigner.load(path).sign(b"text", NAMESPACE)


def test_nobody_waits_for_ssh_keygen_for_ever(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_program(tmp_path, "exec sleep 20", monkeypatch)
    slow = SshKeygenSigner(path, FileSigner.load(path, never).public_key, timeout=0.1)
    with pytest.raises(KeyFileError, match=r"within 0\.1 seconds"):
        slow.sign(b"text", NAMESPACE)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("exit 1", "gave no reason"),
        ("echo first >&2; echo no such key >&2; exit 255", "did not sign: no such key"),
        ("cat", "does not hold"),
        ("printf '\\377'", "does not hold"),
        ("exit 0", "does not hold"),
    ],
)
def test_what_goes_wrong_in_ssh_keygen_is_one_of_our_errors(
    body: str, reason: str, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_program(tmp_path, body, monkeypatch)
    with pytest.raises(KeyFileError, match=reason):
        SshKeygenSigner.load(path).sign(b"text", NAMESPACE)


def test_a_program_that_cannot_run_is_one_of_our_errors(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_program(tmp_path, "", monkeypatch)
    (tmp_path / "ssh-keygen").write_text("#!/nonexistent/shell\n")
    with pytest.raises(KeyFileError, match="can't be run"):
        SshKeygenSigner.load(path).sign(b"text", NAMESPACE)


def test_a_signer_does_not_print_its_private_key() -> None:
    assert "Ed25519PrivateKey" not in repr(FileSigner(Ed25519PrivateKey.generate()))
