"""What would change a verdict: the nearest changes, split into those that need a human and those that need facts.

Source: DESIGN section 10.
"""

from collections.abc import Iterator, Sequence

from decisions.events import Need, Reason
from decisions.verdict import Case, Spoken
from grants.expression import Missing, Truth


def rewrite() -> Need:
    """Ask for the operation in a form that can be read."""
    return Need(action=0, who="facts", what="rewrite", about="the operation")


def consent_mends(reasons: Sequence[Reason]) -> bool:
    """Tell whether nothing but a consent lacks: nothing forbids it, and all of it is known and registered."""
    return all(reason == "NO_AUTHORITY" or reason.startswith("CONSENT_") for reason in reasons)


def of(
    case: Case, index: int, forbids: Sequence[Spoken], undischarged: Sequence[Spoken], *, has_authority: bool
) -> tuple[Need, ...]:
    """Give the nearest changes that would allow one action; none where it is allowed."""
    found = [
        *_classified(case, index),
        *_unforbidden(case, index, forbids),
        *_consented(case, index, undischarged, has_authority=has_authority),
    ]
    return tuple(dict.fromkeys(found))


def _classified(case: Case, index: int) -> Iterator[Need]:
    if not case.descriptor.classified:
        about = case.descriptor.registration or case.descriptor.action.target
        yield Need(action=index, who="human", what="registration", about=about)


def _unforbidden(case: Case, index: int, forbids: Sequence[Spoken]) -> Iterator[Need]:
    for spoken in forbids:
        if spoken.truth is Truth.UNKNOWN:
            # On an unregistered target the registration supplies them all.
            if case.descriptor.classified:
                for name in sorted(_unknown(case, spoken)):
                    yield Need(action=index, who="facts", what="attribute", about=name)
        elif "trust" in spoken.rule.when.reads and case.descriptor.values().get("trust") != "closed":
            yield Need(action=index, who="facts", what="trust", about=spoken.rule.id)
        elif session := _of_session(case, spoken):
            yield from (Need(action=index, who="facts", what="attribute", about=name) for name in session)
        else:
            yield Need(action=index, who="human", what="amendment", about=spoken.rule.id)


def _of_session(case: Case, spoken: Spoken) -> list[str]:
    """Name what the rule reads where that is about the asker alone: it is for the asker to mend."""
    attributes = case.descriptor.attributes
    read = sorted(spoken.rule.when.reads)
    about_asker = all(name in attributes and attributes[name].source == "session" for name in read)
    return read if about_asker else []


def _unknown(case: Case, spoken: Spoken) -> set[str]:
    values = case.descriptor.values()
    return {name for name in spoken.rule.when.reads if isinstance(values.get(name), Missing)}


def _consented(case: Case, index: int, undischarged: Sequence[Spoken], *, has_authority: bool) -> Iterator[Need]:
    target = case.descriptor.action.target
    if undischarged or not has_authority:
        yield Need(action=index, who="human", what="consent", about=target)
    if not has_authority and all(spoken.rule.article == "I" for spoken in undischarged):
        yield Need(action=index, who="human", what="standing_grant", about=target)
