"""A change that would allow an operation, in words.

Source: docs/guides/explain.md.
"""

from collections.abc import Mapping
from typing import Final

from decisions.explanation.change import Change, What
from decisions.explanation.situation import READABLE
from grants.identifier import code_points

_TEXTS: Final[Mapping[What, str]] = {
    "registration": "{of} is {now}: register it",
    "attribute": "{about} of {of}: {wanted} (now {now})",
    "evidence": "{about} of {of}: {wanted} (now {now})",
    "reclassification": "{about} of {of} would have to be {wanted}, and is {now}",
    "identity": "{about} of the asker: {wanted} (now {now})",
    "trust": "more earned trust, or a better reading ({of})",
    "consent": "a human's consent to this operation",
    "standing_grant": "a standing grant for {about} {of}",
    "claim": "without the claim that {about} is {now}",
    "rewrite": "another operation: {about} of {of} {wanted}, instead of {now}",
    "amendment": "another constitution: rule {about} forbids it ({now}), and no fact or consent changes that",
}


def change_text(change: Change) -> str:
    """Say what would have to be otherwise."""
    now, wanted = code_points(change.now), code_points(change.wanted)
    if change.key == READABLE:
        return f"another form of it, without what can't be read ({now})"
    of = code_points(change.of) or "the asker"
    if change.what == "rewrite":
        of = f"action {of}" if change.of else "the operation"
    return _TEXTS[change.what].format(of=of, about=change.about, now=now, wanted=wanted)
