import contextlib
import doctest
import shutil
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from grants import sshkey, sshwire
from grants.errors import KeyFileError, SignatureError
from grants.sshkey import ED25519, SK_ED25519, PublicKey, from_blob, parse_line, public_half
from grants.sshwire import Fields, string
from ledger.note import to_base64

RAW = Ed25519PrivateKey.from_private_bytes(b"a" * 32).public_key().public_bytes_raw()
PLAIN = PublicKey(ED25519, RAW)
HARDWARE = PublicKey(SK_ED25519, RAW)
PLAIN_NAME, SK_NAME = ED25519.encode(), SK_ED25519.encode()


@pytest.mark.parametrize("module", [sshkey, sshwire])
def test_module_examples_hold(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]  # a module, whatever its static type


@pytest.mark.parametrize("key", [PLAIN, HARDWARE])
@pytest.mark.parametrize("tail", ["", " ada", " ada@example  with spaces", "\n", " ada\n", " "])
def test_a_line_reads_back_without_its_comment(key: PublicKey, tail: str) -> None:
    assert parse_line(key.line() + tail) == key
    assert parse_line(key.line() + tail).line() == key.line()


def test_the_blob_is_what_openssh_writes() -> None:
    assert PLAIN.blob == b"\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20" + RAW
    assert HARDWARE.blob == b"\x00\x00\x00\x1a" + SK_NAME + b"\x00\x00\x00\x20" + RAW + b"\x00\x00\x00\x04ssh:"


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
@pytest.mark.parametrize("key", [PLAIN, HARDWARE])
def test_the_fingerprint_is_what_ssh_keygen_prints(key: PublicKey, tmp_path: Path) -> None:
    path = tmp_path / "key.pub"
    path.write_text(key.line() + "\n")
    printed = subprocess.run(["ssh-keygen", "-l", "-f", str(path)], capture_output=True, check=True, text=True).stdout
    assert printed.split()[1] == key.fingerprint


RSA = to_base64(string(b"ssh-rsa") + string(b"\x01\x00\x01") + string(b"\x00" + b"n" * 256))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "not accepted; ssh-ed25519 and sk-ssh-ed25519@openssh.com are"),
        (f"ssh-rsa {RSA} ada", "not accepted; ssh-ed25519 and sk-ssh-ed25519@openssh.com are"),
        ("ecdsa-sha2-nistp256 AAAA", "not accepted"),
        ("ssh-ed25519-cert-v01@openssh.com AAAA", "not accepted"),
        (f"ssh-ed25519 {RSA}", "not accepted"),
        (f"ssh-ed25519 {to_base64(HARDWARE.blob)}", "the line says ssh-ed25519, its key says sk-"),
        (f"sk-ssh-ed25519@openssh.com {to_base64(PLAIN.blob)}", "its key says ssh-ed25519"),
        (f"no-pty {PLAIN.line()}", "not accepted"),
        (f" {PLAIN.line()}", "not accepted"),
        ("ssh-ed25519", "parted by one space"),
        ("ssh-ed25519 ", "parted by one space"),
        (PLAIN.line().replace(" ", "  "), "parted by one space"),
        (PLAIN.line().replace(" ", "\t"), "one line"),
        (PLAIN.line() + "\r\n", "one line"),
        (PLAIN.line() + "\n\n", "one line"),
        (f"{PLAIN.line()}\n{PLAIN.line()}\n", "one line"),
        (PLAIN.line() + " \x1b[0m", "one line"),
        (PLAIN.line() + " " + "c" * 4096, "one line"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n", "private key; the public one stands in the file"),
        (f"ssh-ed25519 {to_base64(PLAIN.blob).rstrip('=')}x", "base64"),
    ],
)
def test_refuses_what_is_no_accepted_key_line(line: str, reason: str) -> None:
    with pytest.raises(KeyFileError, match=reason):
        parse_line(line)


@pytest.mark.parametrize(
    "blob",
    [
        b"",
        PLAIN.blob[:-1],
        PLAIN.blob + b"\x00",
        HARDWARE.blob[:-1],
        HARDWARE.blob + b"\x00",
        string(PLAIN_NAME) + string(RAW[:-1]),
        string(PLAIN_NAME) + string(RAW + b"\x00"),
        string(PLAIN_NAME) + string(bytes(32)),
        string(SK_NAME) + string(RAW),
        string(SK_NAME) + string(RAW) + string(b""),
        string(SK_NAME) + string(RAW) + string(b"ssh:other"),
        string(b"ssh-ed25519\x00") + string(RAW),
        string(b"\xff") + string(RAW),
        b"\xff\xff\xff\xff" + RAW,
    ],
)
def test_refuses_what_is_no_accepted_blob(blob: bytes) -> None:
    with pytest.raises(KeyFileError):
        from_blob(blob)


def test_fields_end_where_the_blob_ends() -> None:
    fields = Fields(string(b"a") + b"\x00\x00\x00\x07", SignatureError)
    assert (fields.string(), fields.uint32()) == (b"a", 7)
    fields.end()
    with pytest.raises(SignatureError, match="cut off"):
        fields.byte()


@given(st.binary(max_size=120) | st.binary(max_size=80).map(lambda tail: string(PLAIN_NAME) + tail))
def test_only_key_file_errors_escape_from_blobs(blob: bytes) -> None:
    with contextlib.suppress(KeyFileError):
        assert from_blob(blob).blob == blob


@given(st.text() | st.binary().map(lambda blob: f"ssh-ed25519 {to_base64(blob)}"))
def test_only_key_file_errors_escape_from_lines(line: str) -> None:
    with contextlib.suppress(KeyFileError):
        parse_line(line)


def private(*fields: bytes, magic: bytes = b"openssh-key-v1\0", count: int = 1) -> str:
    head = magic + b"".join(map(string, fields[:3])) + count.to_bytes(4, "big") + b"".join(map(string, fields[3:]))
    return f"-----BEGIN OPENSSH PRIVATE KEY-----\n{to_base64(head)}\n-----END OPENSSH PRIVATE KEY-----\n"


@pytest.mark.parametrize("key", [PLAIN, HARDWARE])
@pytest.mark.parametrize(("cipher", "sealed"), [(b"none", False), (b"aes256-ctr", True)])
def test_private_key_file_tells_its_public_half_and_whether_it_is_sealed(
    key: PublicKey, cipher: bytes, sealed: bool
) -> None:
    assert public_half(private(cipher, b"bcrypt", b"salt", key.blob, b"the private half")) == (key, sealed)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-----BEGIN OPENSSH PRIVATE KEY-----",
        PLAIN.line(),
        private(b"none", b"none", b"", PLAIN.blob, magic=b"openssh-key-v2\0"),
        private(b"none", b"none", b"", PLAIN.blob, count=2),
        private(b"none", b"none", b"", b"blob"),
        private(b"none", b"none")[:-40] + "\n-----END OPENSSH PRIVATE KEY-----\n",
    ],
)
def test_rejects_what_is_no_private_key_file(text: str) -> None:
    with pytest.raises(KeyFileError):
        public_half(text)


@given(st.text())
def test_private_key_reader_lets_only_our_errors_escape(text: str) -> None:
    with contextlib.suppress(KeyFileError):
        public_half(text)
    with contextlib.suppress(KeyFileError):
        public_half(f"-----BEGIN OPENSSH PRIVATE KEY-----{text}-----END OPENSSH PRIVATE KEY-----")
