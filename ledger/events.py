"""The ledger's own events: how a log begins.

Source: DESIGN section 7; docs/events/.
"""

from collections.abc import Iterable
from typing import Annotated, ClassVar

from pydantic import Field

from ledger.disclosure import Disclosable
from ledger.event import Body, SignedBody, Version1


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


TYPES: tuple[type[Body], ...] = (LedgerOpened,)
