"""The ledger's own events: how a log begins, how its key is replaced, and how it goes on after a restore.

Source: DESIGN section 7; docs/events/.
"""

from collections.abc import Iterable
from typing import Annotated, ClassVar, Final

from pydantic import Field

from ledger.disclosure import Disclosable
from ledger.envelope import Version1
from ledger.event import Body, SignedBody


class LedgerOpened(SignedBody):
    """Genesis: names the log, its key and the first human, who signs it.

    An auditor pins the fingerprint of ``human_key``: every other key chains back to it.

    Attributes:
        profile: number of the hashing profile (DESIGN section 5).
        log_key: the log's C2SP verifier key, ``name+id+key``.
        human: principal id of the first human.
        human_key: that human's OpenSSH public key line, without a comment.
        name: the human's display name.
        uid: the operating system user that is this human on the ledger's machine, if any.
        demonstration: in such a ledger claimed identities are believed; its verdicts bind nobody.
    """

    type: ClassVar[str] = "ledger.opened"

    profile: Version1
    log_key: str
    human: str
    human_key: str
    name: Disclosable
    uid: Annotated[int, Field(ge=0)] | None
    demonstration: bool

    def claims(self, by: str, request: str | None) -> Iterable[str]:
        """Take genesis, the human's id and key, and the uid."""
        yield from super().claims(by, request)
        yield "genesis"
        yield f"principal:{self.human}"
        yield f"key:{self.human_key}"
        if self.uid is not None:
            yield f"uid:{self.uid}"

    def tags(self) -> Iterable[str]:
        """Find it by the human."""
        yield f"principal:{self.human}"


class LedgerKeyRotated(SignedBody):
    """The log's key is replaced: from here on the new one signs, and the first checkpoint is signed by both.

    Attributes:
        old_key: the vkey of the key that was in force.
        new_key: the vkey of the key that is in force for every size greater than this event's place.
        possession: the new key's signature over both, base64url; see `ledger.possession`.
    """

    type: ClassVar[str] = "ledger.key_rotated"

    old_key: str
    new_key: str
    possession: str

    def tags(self) -> Iterable[str]:
        """Find it as a turn in the life of the log."""
        yield LIFE


class LedgerRestored(SignedBody):
    """A copy that is older than the last checkpoint goes on, as another log.

    What the log held beyond this event's place is lost. ``origin`` is the new origin, ``log_size`` the size of the
    restored copy, which is this event's place.

    Attributes:
        log_key: the vkey of the new key.
        possession: the new key's signature over the former one's vkey and its own, base64url.
        former_origin: the log that this one goes on from.
        former_key: the vkey of the key that was in force in the restored copy.
        checkpoint: the last checkpoint that the former log signed, the note; it is of more events than the copy holds.
        sha256_root: the RFC 6962 root of the restored copy, base64url.
        blake3_root: the root of its own tree, base64url.
    """

    type: ClassVar[str] = "ledger.restored"

    log_key: str
    possession: str
    former_origin: str
    former_key: str
    checkpoint: str
    sha256_root: str
    blake3_root: str

    def claims(self, by: str, request: str | None) -> Iterable[str]:
        """Take the new origin's name."""
        yield from super().claims(by, request)
        yield f"origin:{self.origin}"

    def tags(self) -> Iterable[str]:
        """Find it as a turn in the life of the log."""
        yield LIFE


LIFE: Final = "ledger"
"""The tag of what changes under which name and key the log speaks."""

TYPES: tuple[type[Body], ...] = (LedgerOpened, LedgerKeyRotated, LedgerRestored)
