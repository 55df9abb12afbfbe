"""What commands take that lead from a key of the policy to one that came after it: a file of links, and pinned signers.

Source: docs/spec/links.md.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

import click

from ledger import instant
from ledger.policy import Policy
from verify.check.log import Anchor
from verify.cli.files import PLACE, read, read_signers
from verify.links import Followed, follow_links
from verify.links.form import MAX_BYTES


@dataclass(frozen=True, slots=True)
class Leading:
    """The options, as they were given.

    Attributes:
        links: a file of links.
        signers: a file of pinned signers.
        at: the moment at which a pinned key must be valid.
    """

    links: str | None
    signers: str | None
    at: str | None

    def follow(self, policy: Policy) -> Followed | None:
        """Follow the links; None where none were given.

        Raises:
            UsageError: signers or a moment without links, which nothing would use.
            LineageError: something in the links does not hold, or they do not lead back to a key of the policy.
            NotALinksFileError: the file is none.
        """
        if self.links is None:
            if self.signers is not None or self.at is not None:
                raise click.UsageError("--signers and --at are for links: give --links FILE too")
            return None
        at = None if self.at is None else instant.parse(self.at)
        return follow_links(read(self.links, MAX_BYTES), Anchor(policy, read_signers(self.signers), at))


def links_options(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options ``--links``, ``--signers`` and ``--at``, which it gets as its first argument."""

    @click.option("--links", metavar="LINKS", type=PLACE, help="What leads from the policy's key to a later one.")
    @click.option("--signers", metavar="SIGNERS", type=PLACE, help="The humans' keys that you have pinned.")
    @click.option("--at", metavar="TIME", help="When a pinned key must be valid; by default when it signed.")
    @wraps(command)
    def with_links(*args: object, links: str | None, signers: str | None, at: str | None, **kwargs: object) -> int:
        return command(Leading(links, signers, at), *args, **kwargs)

    return with_links
