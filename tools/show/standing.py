"""Grants as people read them: one line each in a list, and the whole history of one.

Source: DESIGN section 11; policy case E09 (what has ended is still told in full).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grants.events import (
    ConsentConsumed,
    ConsentGranted,
    ConsentRefused,
    ConsentRevoked,
    GrantRatified,
    GrantRatifiedTogether,
    GrantRevoked,
)
from grants.identifier import code_points
from ledger.canon import Json
from ledger.disclosure import Opening
from ledger.event import Event
from ledger.instant import Instant
from tools.cli.output import safe
from tools.show.asked import item_lines, operand_lines, received_lines


@dataclass(frozen=True, slots=True)
class Listed:
    """One grant in a list.

    Attributes:
        life: live, expired, revoked, used up, lapsed: older than the last restore of the log, or short: of fewer humans
            than the constitution asks for does a signature still count.
        covers: what it is for, in a few words.
        used: uses so far of uses there are, or an empty text for a standing grant.
    """

    grant: str
    kind: str
    life: str
    subject: str
    covers: str
    used: str
    expires: str | None
    seq: int

    def to_json(self) -> dict[str, Json]:
        """Give it as one JSON object."""
        return {
            "grant": self.grant,
            "kind": self.kind,
            "life": self.life,
            "subject": self.subject,
            "covers": self.covers,
            "used": self.used or None,
            "expires": self.expires,
            "event": self.seq,
        }

    def row(self) -> tuple[str, ...]:
        """Give it as the cells of a table."""
        return (
            self.grant,
            self.kind,
            self.life,
            safe(self.subject),
            self.used,
            self.expires or "never",
            code_points(self.covers),
        )


HEADER = ("grant", "kind", "life", "for", "used", "ends", "covers")


def standing_listed(event: Event, body: GrantRatified, *, at: Instant, **ended: bool) -> Listed:
    """List a standing grant.

    Args:
        event: the event that ratified it.
        body: its body.
        at: now.
        ended: by what it ended (revoked, lapsed, short) and whether it did; the first that holds is told.
    """
    revoked = ended.pop("revoked", False)
    ways = {"revoked": revoked, "expired": body.expires is not None and at >= body.expires, **ended}
    life = next((name for name, holds in ways.items() if holds), "live")
    covers = f"{'/'.join(body.verbs)} {body.targets} when {body.selector}"
    return Listed(body.grant, "standing", life, body.subject, covers, "", body.expires, event.seq)


def consent_listed(
    event: Event, body: ConsentGranted, *, used: Sequence[int], revoked: bool, lapsed: bool, at: Instant
) -> Listed:
    """List a consent."""
    spent = bool(used) and all(count >= body.uses for count in used)
    ended = {"revoked": revoked, "used up": spent, "expired": at >= body.expires, "lapsed": lapsed}
    life = next((name for name, holds in ended.items() if holds), "live")
    covers = ", ".join(f"{item.verb} {item.target} v{item.version}" for item in body.items)
    most = body.uses * len(body.items)
    subject = "/".join(body.subject)
    return Listed(body.grant, "consent", life, subject, covers, f"{sum(used)}/{most}", body.expires, event.seq)


def history_lines(event: Event, openings: Sequence[Opening]) -> Iterator[str]:
    """Tell one event of a grant's life."""
    opened = {opening.path: opening.value for opening in openings}
    reason = safe(str(opened["/reason"])) if "/reason" in opened else "withheld or erased"
    match event.body:
        case ConsentGranted() as body:
            yield f"{event.seq:>6}  {event.at}  consent given by {event.by}: {reason}"
            details = [
                f"For whom    {safe('/'.join(body.subject))}, until {body.expires}, {body.uses} use(s) of each item",
                *item_lines(body.items),
                *operand_lines(body.operands, opened),
                f"Signed with {body.signed.key}",
                *received_lines(opened.get("/args"), foreseen=body.request is None),
            ]
            yield from (f"        {line}" for line in details)
        case GrantRatified() as body:
            yield f"{event.seq:>6}  {event.at}  ratified by {event.by}: {reason}"
            yield f"        For whom    {body.subject}, until {body.expires or 'revoked'}"
            yield f"        Covers      {'/'.join(body.kinds)} {'/'.join(body.verbs)} {code_points(body.targets)}"
            yield f"        When        {safe(body.selector)}"
            yield f"        Signed with {body.signed.key}"
            for one in body.cosigned if isinstance(body, GrantRatifiedTogether) else ():
                yield f"        Signed too  {one.by}, with {one.signed.key}"
        case ConsentConsumed() as body:
            what = f"decision {body.decision}, {code_points(body.target)}, use {body.use}"
            yield f"{event.seq:>6}  {event.at}  used: {what}"
        case ConsentRevoked() | GrantRevoked():
            yield f"{event.seq:>6}  {event.at}  revoked by {event.by}: {reason}"
        case ConsentRefused():
            yield f"{event.seq:>6}  {event.at}  refused by {event.by}: {reason}"
        case _:
            yield f"{event.seq:>6}  {event.at}  {event.type} by {event.by}"
