"""What we sign, ssh-keygen verifies; what it signs, we verify; and both sign the same bytes."""

import shutil
import subprocess
from pathlib import Path

import pytest

from grants import allowed_signers, signer, sshsig
from grants.errors import SignatureError
from grants.signer import FileSigner
from ledger.instant import Instant

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")

MESSAGE = b"I allow it.\n\xff\x00"
NAMESPACE = "tallystick-grant@v1"
NOW = Instant("2026-11-30T12:00:00.000000Z")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("keys") / "ada"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ada", "-f", str(path)], check=True)
    return path


def no_passphrase() -> bytes:
    raise AssertionError("asked for a passphrase that the key does not have")


def keygen_sign(path: Path, message: bytes, namespace: str) -> str:
    command = ["ssh-keygen", "-Y", "sign", "-n", namespace, "-f", str(path)]
    return subprocess.run(command, input=message, capture_output=True, check=True).stdout.decode()


def keygen_verify(signers: Path, principal: str, armoured: str, at: str = "20261130120000Z") -> bool:
    signature = signers.with_name("signature")
    signature.write_text(armoured, newline="")
    command = ["ssh-keygen", "-Y", "verify", "-f", str(signers), "-I", principal, "-n", NAMESPACE, "-s", str(signature)]
    done = subprocess.run([*command, f"-Overify-time={at}"], input=MESSAGE, capture_output=True, check=False)
    return done.returncode == 0


def test_both_sign_the_same_bytes_at_every_line_width(path: Path) -> None:
    ada = FileSigner.load(path, no_passphrase)
    for size in (1, 2, 3, 39, 40, 41, 42, 43, 92, 145):
        assert ada.sign(MESSAGE, "n" * size) == keygen_sign(path, MESSAGE, "n" * size)


def test_verifies_what_ssh_keygen_signs(path: Path) -> None:
    sshsig.verify(
        keygen_sign(path, MESSAGE, NAMESPACE), MESSAGE, NAMESPACE, FileSigner.load(path, no_passphrase).public_key
    )


def test_ssh_keygen_reads_the_key_files_that_we_make(tmp_path: Path) -> None:
    made = signer.generate(tmp_path / "new", "new key")
    assert signer.read_public(tmp_path / "new.pub") == made
    derived = subprocess.run(
        ["ssh-keygen", "-y", "-f", str(tmp_path / "new")], capture_output=True, check=True, text=True
    ).stdout
    assert derived.split()[:2] == made.line().split()
    signers = tmp_path / "signers"
    signers.write_text(f"ada {made.line()}\n")
    ours = FileSigner.load(tmp_path / "new", no_passphrase).sign(MESSAGE, NAMESPACE)
    assert keygen_verify(signers, "ada", ours)


OPTIONS = [
    ("ada", ""),
    ("bob,ada", ""),
    ("a*", ""),
    ("a?a", ""),
    ("*,!ada", ""),
    ("!ada,*", ""),
    ("!ada", ""),
    ("ADA", ""),
    ("ada", 'namespaces="tallystick-grant@v1"'),
    ("ada", 'namespaces="file,tallystick-*"'),
    ("ada", 'namespaces="tallystick-*,!*@v1"'),
    ("ada", 'namespaces="file"'),
    ("ada", 'valid-after="20261130120000Z"'),
    ("ada", 'valid-after="20261130120001Z"'),
    ("ada", 'valid-before="20261130120000Z"'),
    ("ada", 'valid-before="20261130115959Z"'),
    ("ada", 'valid-after="202611301200Z",valid-before="20261201Z",namespaces="*"'),
    ("ada", 'valid-after="20261201Z",valid-before="20261202Z"'),
]


@pytest.mark.parametrize(("principals", "options"), OPTIONS)
def test_both_read_a_line_of_allowed_signers_alike(principals: str, options: str, path: Path, tmp_path: Path) -> None:
    ada = FileSigner.load(path, no_passphrase)
    armoured = ada.sign(MESSAGE, NAMESPACE)
    signers = tmp_path / "signers"
    signers.write_text(f"# trusted\n\n{' '.join(filter(None, [principals, options, ada.public_key.line()]))} ada\n")
    ours = True
    try:
        allowed_signers.parse(signers.read_bytes()).verify(armoured, MESSAGE, NAMESPACE, NOW, "ada")
    except SignatureError:
        ours = False
    assert keygen_verify(signers, "ada", armoured) == ours
