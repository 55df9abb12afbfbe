"""The terms of earned trust in a constitution.

    [trust]
    cap = "0.70"
    floor_step = "0.005"
    gain = "0.018681995162131"
    qualifying_from = "0.10"
    fresh_for = 900                  # seconds

    [[trust.classes]]
    name = "advise"
    gate = "0.25"                    # or "open", with an answer, or "closed"
    verbs = ["advise"]

And how the constitution is changed, which may be left out:

    [amending]
    quorum = 2
    humans = 1

Source: DESIGN section 12.
"""

from collections.abc import Collection
from typing import Final

from decisions.constitution.fraction import ONE, parse_fraction, spell_fraction
from decisions.constitution.model import Amending, Gate, TrustClass, TrustTerms
from decisions.constitution.table import WORD, Table, refusal, table
from decisions.errors import ConstitutionError

_SECOND: Final = 1_000_000
_MOST: Final = 16
"""The most votes or signatures that can be asked for."""

_YEAR: Final = 366 * 24 * 3600
_FRACTIONS: Final = ("cap", "floor_step", "gain", "qualifying_from")


def read_amending(value: object) -> Amending:
    """Read how the constitution is changed; what is not said is as usual."""
    row, usual = table("amending", value, (), ("quorum", "humans")), Amending()
    return Amending(
        quorum=row.whole("quorum", 1, _MOST) if "quorum" in row else usual.quorum,
        humans=row.whole("humans", 1, _MOST) if "humans" in row else usual.humans,
    )


def read_trust(value: object, verbs: Collection[str]) -> TrustTerms:
    """Read the terms.

    Args:
        value: the table.
        verbs: every verb that the constitution knows.
    """
    row = table("trust", value, (*_FRACTIONS, "fresh_for", "classes"))
    cap = _fraction(row, "cap", 1, ONE)
    classes = [
        _class(f"trust.classes, the {count}.", inner, verbs, cap)
        for count, inner in enumerate(row.rows("classes"), start=1)
    ]
    _check_apart(classes)
    return TrustTerms(
        cap=cap,
        floor_step=_fraction(row, "floor_step", 0, cap),
        gain=_fraction(row, "gain", 1, ONE - 1),
        # Never 0: a reading that is missing counts as 0, and would earn trust.
        qualifying_from=_fraction(row, "qualifying_from", 1, ONE),
        fresh_for=row.whole("fresh_for", 1, _YEAR) * _SECOND,
        classes=tuple(classes),
    )


def _fraction(row: Table, key: str, low: int, high: int) -> int:
    written = row.text(key)
    try:
        units = parse_fraction(written)
    except ConstitutionError as error:
        raise refusal(row.at(key), str(error)) from error
    if not low <= units <= high:
        raise refusal(row.at(key), f"{spell_fraction(low)} to {spell_fraction(high)} is wanted")
    return units


def _class(place: str, value: object, verbs: Collection[str], cap: int) -> TrustClass:
    row = table(place, value, ("name", "gate", "verbs"), ("answer",))
    name = row.word("name", WORD, "a class")
    inner = Table(f"trust class {name}", row.values)
    gate, threshold = _gate(inner, cap)
    if (gate == "open") is not ("answer" in inner):
        raise refusal(inner.at("answer"), "the open class has an answer, and no other class has one")
    answer = inner.text("answer") if "answer" in inner else None
    return TrustClass(name, gate, threshold, inner.some_of("verbs", verbs, "verb"), answer)


def _gate(row: Table, cap: int) -> tuple[Gate, int | None]:
    written = row.text("gate")
    if not written[0].isdigit():
        return row.one_of("gate", ("open", "closed"), 'gate, which is also a threshold such as "0.25":'), None
    # Above the cap nothing ever reaches it, and at 0 everything does: "closed" and "open" say so.
    return "ladder", _fraction(row, "gate", 1, cap)


def _check_apart(classes: Collection[TrustClass]) -> None:
    if sum(trust_class.gate == "open" for trust_class in classes) > 1:
        raise refusal("trust.classes", "only one class is always open")
    names = [trust_class.name for trust_class in classes]
    verbs = [verb for trust_class in classes for verb in sorted(trust_class.verbs)]
    for found, what in ((names, "class"), (verbs, "verb")):
        for name in found:
            if found.count(name) > 1:
                raise refusal("trust.classes", f'the {what} "{name}" stands in two places')
