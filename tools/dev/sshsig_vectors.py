"""Make ``tests/vectors/sshsig``: one file per case, named for the attack, from fixed keys.

Shares no code with ``grants``: the wire format is built here again. Plain signatures come from ``ssh-keygen -Y sign``;
hardware keys are played by a software key. Run: ``python -m tools.dev.sshsig_vectors``; it needs ssh-keygen.
"""

import base64
import hashlib
import json
import subprocess
import tempfile
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

TARGET = Path(__file__).parents[2] / "tests" / "vectors" / "sshsig"
MESSAGE = "I allow agent:ops-7 to delete one row.\n"
NAMESPACE = "tallystick-grant@v1"
BEGIN = "-----BEGIN SSH SIGNATURE-----\n"
END = "-----END SSH SIGNATURE-----\n"
ED = b"ssh-ed25519"
SK = b"sk-ssh-ed25519@openssh.com"
ORDER = 2**252 + 27742317777372353535851937790883648493
# The point (x, -1), of order 2: with it, a signature of zeros over the identity holds for every second message.
SMALL = (2**255 - 20).to_bytes(32, "little")

ADA = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"tallystick sshsig vectors: ada").digest())
EVE = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"tallystick sshsig vectors: eve").digest())


def s(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


def raw(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes_raw()


def plain_key(key: Ed25519PrivateKey) -> bytes:
    return s(ED) + s(raw(key))


def sk_key(key: Ed25519PrivateKey, application: bytes = b"ssh:") -> bytes:
    return s(SK) + s(raw(key)) + s(application)


def key_line(blob: bytes) -> str:
    name = blob[4 : 4 + blob[3]].decode()
    return f"{name} {base64.b64encode(blob).decode()}"


ADA_LINE = key_line(plain_key(ADA))


def to_sign(namespace: bytes, hash_name: str = "sha512", reserved: bytes = b"") -> bytes:
    digest = hashlib.new(hash_name, MESSAGE.encode()).digest()
    return b"SSHSIG" + s(namespace) + s(reserved) + s(hash_name.encode()) + s(digest)


def blob(
    key: bytes,
    inner: bytes,
    namespace: bytes = NAMESPACE.encode(),
    hash_name: bytes = b"sha512",
    reserved: bytes = b"",
    magic: bytes = b"SSHSIG",
    version: int = 1,
) -> bytes:
    return magic + version.to_bytes(4, "big") + s(key) + s(namespace) + s(reserved) + s(hash_name) + s(inner)


def armour(data: bytes, width: int = 70) -> str:
    text = base64.b64encode(data).decode()
    return BEGIN + "".join(text[at : at + width] + "\n" for at in range(0, len(text), width)) + END


def plain(namespace: bytes = NAMESPACE.encode(), hash_name: str = "sha512", reserved: bytes = b"") -> bytes:
    inner = s(ED) + s(ADA.sign(to_sign(namespace, hash_name, reserved)))
    return blob(plain_key(ADA), inner, namespace, hash_name.encode(), reserved)


def sk_inner(flags: int = 1, counter: int = 7, application: bytes = b"ssh:") -> bytes:
    seen = bytes([flags]) + counter.to_bytes(4, "big")
    data = hashlib.sha256(application).digest() + seen + hashlib.sha256(to_sign(NAMESPACE.encode())).digest()
    return s(SK) + s(ADA.sign(data)) + seen


def ssh_keygen_sign(namespace: str, hash_name: str = "sha512") -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "ada")
        path.touch(0o600)
        path.write_bytes(ADA.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
        command = ["ssh-keygen", "-Y", "sign", "-O", f"hashalg={hash_name}", "-n", namespace, "-f", str(path)]
        return subprocess.run(command, input=MESSAGE.encode(), capture_output=True, check=True).stdout.decode()


def ssh_keygen_accepts(case: dict[str, object]) -> bool:
    """Ask the oracle what it thinks of a case."""
    with tempfile.TemporaryDirectory() as folder:
        signers, signature = Path(folder, "signers"), Path(folder, "signature")
        signers.write_text(f"signer {case['public_key']}\n")
        signature.write_text(str(case["signature"]), newline="")
        command = ["ssh-keygen", "-Y", "verify", "-f", str(signers), "-I", "signer", "-n", str(case["namespace"])]
        message = str(case["message"]).encode()
        return not subprocess.run(
            [*command, "-s", str(signature)], input=message, capture_output=True, check=False
        ).returncode


def valid_cases() -> dict[str, dict[str, object]]:
    full = "n" * 40  # makes the base64 fill its last line
    return {
        "valid-ed25519": {"signature": ssh_keygen_sign(NAMESPACE)},
        "valid-sha256": {"signature": ssh_keygen_sign(NAMESPACE, "sha256")},
        "valid-full-last-line": {"signature": ssh_keygen_sign(full), "namespace": full},
        "valid-sk": {"signature": armour(blob(sk_key(ADA), sk_inner())), "public_key": key_line(sk_key(ADA))},
        "valid-sk-user-verified": {
            "signature": armour(blob(sk_key(ADA), sk_inner(flags=5, counter=2**32 - 1))),
            "public_key": key_line(sk_key(ADA)),
        },
    }


def armour_attacks() -> dict[str, str]:
    good = armour(plain())
    lines = good.splitlines(keepends=True)
    return {
        "trailing-garbage": good + "x\n",
        "trailing-newline": good + "\n",
        "leading-garbage": "x\n" + good,
        "leading-newline": "\n" + good,
        "doubled-armour": good + good,
        "missing-begin": good.removeprefix(BEGIN),
        "missing-end": good.removesuffix(END),
        "missing-final-newline": good.removesuffix("\n"),
        "windows-line-ends": good.replace("\n", "\r\n"),
        "line-width-76": armour(plain(), 76),
        "line-width-64": armour(plain(), 64),
        "one-long-line": armour(plain(), 10_000),
        "blank-line-inside": lines[0] + lines[1] + "\n" + "".join(lines[2:]),
        "trailing-space": lines[0] + lines[1].replace("\n", " \n") + "".join(lines[2:]),
        "comment-inside": lines[0] + "Comment: x\n" + "".join(lines[1:]),
        "base64url": good.replace("+", "-").replace("/", "_"),
        "empty-body": BEGIN + END,
    }


def padding_attacks() -> dict[str, dict[str, object]]:
    namespace = NAMESPACE.replace("grant", "revoke")  # one byte more, and the base64 ends in ==
    good = armour(plain(namespace.encode()))
    end = good.index("==")
    spare = good[: end - 1] + chr(ord(good[end - 1]) + 1) + good[end:]
    return {
        "base64-spare-bits": {"signature": spare, "namespace": namespace},
        "base64-without-padding": {"signature": good.replace("=", ""), "namespace": namespace},
    }


def blob_attacks() -> dict[str, bytes]:
    key, signature = plain_key(ADA), ADA.sign(to_sign(NAMESPACE.encode()))
    inner = s(ED) + s(signature)
    flipped = bytes([signature[0] ^ 1]) + signature[1:]
    scalar = int.from_bytes(signature[32:], "little") + ORDER
    malleable = signature[:32] + scalar.to_bytes(32, "little")
    return {
        "truncated": plain()[:-1],
        "truncated-to-magic": b"SSHSIG",
        "trailing-byte": plain() + b"\x00",
        "trailing-byte-in-signature": blob(key, inner + b"\x00"),
        "trailing-byte-in-key": blob(key + b"\x00", inner),
        "length-beyond-the-end": b"SSHSIG" + (1).to_bytes(4, "big") + b"\xff\xff\xff\xff" + key,
        "wrong-magic": blob(key, inner, magic=b"SSHSIH"),
        "version-0": blob(key, inner, version=0),
        "version-2": blob(key, inner, version=2),
        "reserved-not-empty": plain(reserved=b"x"),
        "namespace-empty": plain(b""),
        "namespace-with-control": plain(b"a\x00b"),
        "namespace-not-ascii": plain("é".encode()),
        "hash-sha1": plain(hash_name="sha1"),
        "hash-sha384": plain(hash_name="sha384"),
        "hash-name-changed": blob(key, inner, hash_name=b"sha256"),
        "signature-bit-flipped": blob(key, s(ED) + s(flipped)),
        "signature-63-bytes": blob(key, s(ED) + s(signature[:-1])),
        "signature-65-bytes": blob(key, s(ED) + s(signature + b"\x00")),
        "signature-scalar-plus-order": blob(key, s(ED) + s(malleable)),
        "signature-of-sk-algorithm": blob(key, s(SK) + s(signature) + b"\x01\x00\x00\x00\x07"),
        "key-swapped": blob(plain_key(EVE), inner),
        "key-of-31-bytes": blob(s(ED) + s(raw(ADA)[:-1]), inner),
        "key-algorithm-rsa": blob(s(b"ssh-rsa") + s(raw(ADA)), inner),
        "key-of-small-order": blob(s(ED) + s(SMALL), s(ED) + s((1).to_bytes(32, "little") + bytes(32))),
    }


def sk_attacks() -> dict[str, bytes]:
    key, inner = sk_key(ADA), sk_inner()
    return {
        "sk-without-user-presence": blob(key, sk_inner(flags=0)),
        "sk-verified-but-not-present": blob(key, sk_inner(flags=4)),
        "sk-user-presence-forged": blob(key, sk_inner(flags=0)[:-5] + b"\x01\x00\x00\x00\x07"),
        "sk-counter-changed": blob(key, inner[:-1] + b"\x08"),
        "sk-without-counter": blob(key, inner[:-4]),
        "sk-trailing-byte": blob(key, inner + b"\x00"),
        "sk-signed-as-plain": blob(key, s(SK) + s(ADA.sign(to_sign(NAMESPACE.encode()))) + b"\x01\x00\x00\x00\x07"),
        "sk-plain-algorithm": blob(key, s(ED) + inner[4 + len(SK) :]),
        "sk-wrong-application": blob(sk_key(ADA, b"ssh:x"), sk_inner(application=b"ssh:x")),
    }


def attacks() -> dict[str, dict[str, object]]:
    cases: dict[str, dict[str, object]] = {name: {"signature": text} for name, text in armour_attacks().items()}
    cases |= {name: {"signature": armour(data)} for name, data in blob_attacks().items()}
    sk_line = key_line(sk_key(ADA))
    cases |= {name: {"signature": armour(data), "public_key": sk_line} for name, data in sk_attacks().items()}
    cases["sk-wrong-application-listed"] = cases["sk-wrong-application"] | {
        "public_key": key_line(sk_key(ADA, b"ssh:x"))
    }
    cases["key-of-small-order"]["public_key"] = key_line(s(ED) + s(SMALL))
    good = ssh_keygen_sign(NAMESPACE)
    return (
        cases
        | padding_attacks()
        | {
            "wrong-namespace": {"signature": good, "namespace": "file"},
            "namespace-prefix": {"signature": good, "namespace": "tallystick-grant@v"},
            "wrong-message": {"signature": good, "message": MESSAGE.replace("one row", "all rows")},
            "message-without-newline": {"signature": good, "message": MESSAGE.rstrip()},
            "other-key": {"signature": good, "public_key": key_line(plain_key(EVE))},
            "sk-key-for-plain-signature": {"signature": good, "public_key": sk_line},
        }
    )


def main() -> None:
    TARGET.mkdir(parents=True, exist_ok=True)
    for old in TARGET.glob("*.json"):
        old.unlink()
    cases = valid_cases() | attacks()
    for name, given in cases.items():
        case = {"public_key": ADA_LINE, "message": MESSAGE, "namespace": NAMESPACE} | given
        usual = (case["public_key"], case["message"], case["namespace"]) == (ADA_LINE, MESSAGE, NAMESPACE)
        if usual and name != "valid-ed25519" and case["signature"] == cases["valid-ed25519"]["signature"]:
            raise AssertionError(f"{name} changes nothing")
        case["wantErr"] = not name.startswith("valid-")
        case["sshKeygenAccepts"] = ssh_keygen_accepts(case)
        (TARGET / f"{name}.json").write_text(json.dumps(case, indent=1, sort_keys=True, ensure_ascii=True) + "\n")
    print(f"{len(cases)} cases written")


if __name__ == "__main__":
    main()
