"""Which key signs, and what is asked for it."""

import os
import shutil
import subprocess

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat

from grants.signer import FileSigner, SshKeygenSigner
from tools.cli import params
from tools.errors import UnattendedError


def test_a_key_with_a_passphrase_asks_nobody_without_a_terminal(tmp_path):
    key = Ed25519PrivateKey.generate()
    sealed = key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, BestAvailableEncryption(b"open"))
    (tmp_path / "key").write_bytes(sealed)
    (tmp_path / "key").chmod(0o600)
    with pytest.raises(UnattendedError, match="ssh-add"):
        params.load_signer(tmp_path / "key")


def test_a_passphrase_is_asked_for_at_a_terminal(tmp_path, monkeypatch):
    key = Ed25519PrivateKey.generate()
    sealed = key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, BestAvailableEncryption(b"open"))
    (tmp_path / "key").write_bytes(sealed)
    (tmp_path / "key").chmod(0o600)
    monkeypatch.setattr(params, "interactive", lambda: True)
    monkeypatch.setattr(params.click, "prompt", lambda *_words, **_more: "open")
    signer = params.load_signer(tmp_path / "key")
    assert signer.public_key == FileSigner(key).public_key


def test_the_public_half_alone_means_an_agent(other_key):
    public = other_key.with_name("other.pub")
    assert isinstance(params.load_signer(other_key), FileSigner)
    assert isinstance(params.load_signer(public), SshKeygenSigner)
    other_key.unlink()
    assert params.load_signer(other_key).path == public


def test_an_agent_signs(tally, ledger, key, tmp_path):
    agent, adder = shutil.which("ssh-agent"), shutil.which("ssh-add")
    if agent is None or adder is None:
        pytest.skip("needs ssh-agent")
    socket = tmp_path / "s"
    with subprocess.Popen([agent, "-D", "-a", socket], stdout=subprocess.DEVNULL) as running:
        try:
            while not socket.exists():
                assert running.poll() is None
            environment = {"SSH_AUTH_SOCK": str(socket)}
            subprocess.run([adder, "-q", key], check=True, env={**os.environ, **environment})
            key.unlink()
            public = key.with_name("key.pub")
            done = tally("principal", "add", "human:bo", "--yes", "--key", public, **environment)
        finally:
            running.terminate()
    assert done.exit_code == 0, done.stderr


def test_a_key_that_is_not_there_says_how_to_make_one(tally, ledger, key):
    done = tally("principal", "add", "human:bo", "--yes", TALLY_KEY="/none/key")
    assert (done.exit_code, "ssh-keygen -t ed25519" in done.error) == (1, True)


def test_the_owner_and_the_key_are_checked_before_anything_is_shown(tally, ledger, other_key):
    for words, about in (
        (("--owner", "human:nobody"), "human:nobody is no registered human"),
        (("--owner", "human:owner", "--key", other_key), "is no key of human:owner"),
    ):
        done = tally("principal", "add", "agent:x", *words, "--yes")
        assert about in done.error
        assert "This will be signed" not in done.stderr


def test_the_key_of_another_human_leads_to_by(tally, ledger, other_key):
    public = other_key.with_name("other.pub")
    assert tally("principal", "add", "human:bo", "--public-key", public, "--yes").exit_code == 0
    assert "add --by human:bo" in tally("resource", "add", "db://x", "--key", other_key, "--yes").error


def test_a_sealed_key_is_checked_without_its_passphrase(tally, ledger, tmp_path):
    key = Ed25519PrivateKey.generate()
    sealed = key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, BestAvailableEncryption(b"open"))
    (tmp_path / "sealed").write_bytes(sealed)
    (tmp_path / "sealed").chmod(0o600)
    found = params.find_key(tmp_path / "sealed")
    assert (found.public, found.signer) == (FileSigner(key).public_key, None)
    assert "is no key of" in tally("resource", "add", "db://x", "--key", tmp_path / "sealed", "--yes").error


def test_a_key_that_is_gone_from_the_agent_leads_to_ssh_add(tally, ledger, key):
    key.unlink()
    done = tally("resource", "add", "db://x", "--yes", "--key", key.with_name("key.pub"), SSH_AUTH_SOCK="/none")
    assert (done.exit_code, "ssh-add" in done.error) == (1, True)
