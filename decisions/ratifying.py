"""Whether as many humans signed a standing grant as the constitution of its time asks for: asked by append and audit.

A standing grant opens something or nothing, so it is a loosening, and takes as many humans' signatures as any other.
When it is used the constitution that is applied then asks once more (`grants.standing`).

Source: DESIGN section 11; docs/spec/grants.md; docs/spec/amendments.md; docs/adr/0025.
"""

from decisions.amendment.check import amending_of
from decisions.book import CURRENT
from decisions.errors import RatificationError
from grants.events import GrantRatified, GrantRatifiedTogether
from grants.reading import StateReader
from ledger.event import Event, Registry


def check_ratified(reader: StateReader, registry: Registry, event: Event) -> None:
    """Check, as of its own place, how many humans signed a standing grant; other events pass.

    That each signature holds, and is of one who might give it, is for `grants.authority.check_event`. Where none was
    adopted, one is enough; one that lapsed with a restore asks on.

    Raises:
        RatificationError: too few signed, or they signed while another constitution was in force.
        AmendmentError: the constitution in force was adopted by no event.
        ConstitutionError: its document is not accepted.
    """
    body = event.body
    if not isinstance(body, GrantRatified):
        return
    row = reader.state("constitution", CURRENT)
    if row is None:
        return
    check_enough(body, amending_of(reader, registry, row.seq).humans, row.seq)
    if isinstance(body, GrantRatifiedTogether):
        check_fresh(body, row.seq)


def check_fresh(body: GrantRatifiedTogether, adopted: int) -> None:
    """Check that those who signed a standing grant together could know the constitution in force.

    Raises:
        RatificationError: it was adopted after they had looked.
    """
    if body.log_size <= adopted:
        raise RatificationError(
            f"stale: the signers saw {body.log_size} events, and the constitution in force is of event {adopted}: look "
            "again and sign again"
        )


def check_enough(body: GrantRatified, humans: int, adopted: int) -> None:
    """Check that a standing grant has the signatures that a constitution asks for.

    Raises:
        RatificationError: it has not.
    """
    signed = 1 + len(body.cosigned) if isinstance(body, GrantRatifiedTogether) else 1
    if signed < humans:
        raise RatificationError(
            f"grant {body.grant}: the constitution of event {adopted} asks for the signatures of {humans} humans, and "
            f"it has {signed}"
        )
