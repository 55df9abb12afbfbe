"""A witness's directory.

    witness.key    its key, for its owner alone: PKCS8, Ed25519 or ML-DSA-44
    witness.db     what it cosigned last of each log (and, while it is open, -wal and -shm files)
    logs           the logs that it knows, in C2SP tlog-policy form: ``log`` lines, and ``quorum none``
    evidence/      equivocation files of logs that signed two roots for one size

The key and the memory belong together. A witness without its memory begins no second one under the same key, and its
directory is never restored from a backup: it might cosign a second history of a log.

Source: docs/spec/witness.md; docs/guides/operate.md.
"""

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

from ledger.cosignature import CosignatureSigner, CosigningKey
from ledger.errors import NoteError
from ledger.note import VerifierKey
from ledger.policy import Policy, PolicyLog, parse_policy
from ledger.sql.witnessed import WitnessStore
from tools.errors import HomeError, InputError
from tools.files import read_bytes
from tools.home import Home, write_new
from tools.keys import OTHERS
from tools.replacing import replace_file

KeyType: TypeAlias = Literal["ed25519", "ml-dsa-44"]

_MOST: Final = 65_536


@dataclass(frozen=True, slots=True)
class WitnessPlace:
    """A witness's directory; making one of these touches nothing."""

    path: Path

    @property
    def key(self) -> Path:
        """The witness's key."""
        return self.path / "witness.key"

    @property
    def database(self) -> Path:
        """What the witness cosigned last."""
        return self.path / "witness.db"

    @property
    def logs(self) -> Path:
        """The logs that the witness knows."""
        return self.path / "logs"

    @property
    def evidence(self) -> Path:
        """Where equivocation files are kept."""
        return self.path / "evidence"

    def create(self, name: str, key_type: KeyType) -> VerifierKey:
        """Begin a witness: whole, or nothing is left of it.

        Raises:
            HomeError: something stands there already, or it can't be made.
            InputError: no witness can have this name.
        """
        key: CosigningKey = Ed25519PrivateKey.generate() if key_type == "ed25519" else MLDSA44PrivateKey.generate()
        try:
            verifier = CosignatureSigner(name, key).verifier_key
        except NoteError as error:
            raise InputError(f"no name for a witness: {error}") from error
        text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

        def build(draft: Home) -> None:
            place = WitnessPlace(draft.path)
            write_new(place.key, text, 0o600)
            write_new(place.logs, Policy((), (), ()).text().encode())
            place.evidence.mkdir()
            WitnessStore.create(place.database, verifier.text())

        Home(self.path).create(build)
        return verifier

    def load(self) -> tuple[CosignatureSigner, WitnessStore]:
        """Read the key and open the memory that belongs to it.

        Raises:
            HomeError: the key can't be read, is open to others, or belongs to another memory.
            StoreError: the memory is gone or can't be used.
        """
        private_key = _read_key(self.key)
        store = WitnessStore(self.database)
        signer = CosignatureSigner(VerifierKey.parse(store.vkey).name, private_key)
        if signer.verifier_key.text() != store.vkey:
            store.close()
            raise HomeError(f"{self.key} is not the key of {store.vkey}: restore the right one")
        return signer, store

    def known(self) -> Policy:
        """Read which logs the witness knows.

        Raises:
            InputError: the file can't be read.
            PolicyFileError: it breaks its form.
        """
        return parse_policy(read_bytes(self.logs))

    def add_log(self, key: VerifierKey) -> None:
        """Add a log to those that the witness knows; a running witness sees it at the next request.

        Raises:
            InputError: the file can't be read.
            HomeError: it can't be written.
            PolicyFileError: it breaks its form, or has this key already.
        """
        known = self.known()
        text = Policy((*known.logs, PolicyLog(key)), known.witnesses, known.groups, known.quorum).text().encode()
        parse_policy(text)
        replace_file(self.logs, text)


def _read_key(path: Path) -> CosigningKey:
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            data = file.read(_MOST)
    except OSError as error:
        raise HomeError(f"{path} can't be read ({error.strerror}): run this as the witness's owner") from error
    if mode & OTHERS:
        raise HomeError(f"{path} is open to others than its owner: run chmod 600 {path}")
    try:
        key = load_pem_private_key(data, None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise HomeError(f"{path} is no key that can be read: restore it from where it is kept safe") from error
    if not isinstance(key, Ed25519PrivateKey | MLDSA44PrivateKey):
        raise HomeError(f"{path} is no key that cosigns: restore the one that the witness was begun with")
    return key
