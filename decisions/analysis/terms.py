"""What of two constitutions differs outside of the cells: what they can speak of, and how a fact comes about.

Source: DESIGN section 12; docs/spec/evidence.md; docs/spec/amendments.md.
"""

from collections.abc import Iterator

from decisions.analysis.difference import TermsChange
from decisions.constitution.fraction import spell_fraction
from decisions.constitution.model import Constitution
from grants.expression import Choice, Interval


def grown(old: Constitution, new: Constitution) -> tuple[str, ...]:
    """List the kinds, verbs and values that the new can speak of and the old could not."""
    return (*_actions(old, new), *_values(old, new))


def _actions(old: Constitution, new: Constitution) -> Iterator[str]:
    for kind, verbs in new.kinds.items():
        if kind not in old.kinds:
            yield f"kind {kind}"
        else:
            yield from (f"verb {kind} {verb}" for verb in verbs if verb not in old.kinds[kind])


def _values(old: Constitution, new: Constitution) -> Iterator[str]:
    for name, attribute in new.attributes.items():
        before = old.attributes.get(name)
        if before is None or before.type == attribute.type:
            continue
        match before.type, attribute.type:
            case Choice(values=had), Choice(values=has):
                yield from (f"value {name} {value}" for value in has if value not in had)
            case Interval(low=had_low, high=had_high), Interval(low=low, high=high):
                if low < had_low or high > had_high:
                    yield f"value {name} {low} to {high}, was {had_low} to {had_high}"
            case _:
                yield f"value {name} of another type"


def terms_changes(old: Constitution, new: Constitution) -> tuple[TermsChange, ...]:
    """List what moved outside of the cells.

    How the rules are changed always counts; how trust is earned, and whose evidence is believed, as far as a rule reads
    it.
    """
    found = [*_amending(old, new), *_inherited(old, new), *_believed(old, new)]
    if _reads_trust(old) or _reads_trust(new):
        found += [*_earning(old, new), *_answers(old, new)]
    return tuple(found)


def _amending(old: Constitution, new: Constitution) -> Iterator[TermsChange]:
    """Compare how many must agree before the rules change: fewer is easier."""
    for name in ("quorum", "humans"):
        was, is_ = getattr(old.amending, name), getattr(new.amending, name)
        if was != is_:
            yield TermsChange(f"amending {name}", str(was), str(is_), is_ < was, is_ > was)


def _inherited(old: Constitution, new: Constitution) -> Iterator[TermsChange]:
    """Compare where a label comes from: what is inherited or not can be a better value as well as a worse one."""
    if old.inherit is not new.inherit:
        yield TermsChange("inherit", str(old.inherit).lower(), str(new.inherit).lower(), opens=True, closes=True)


def _believed(old: Constitution, new: Constitution) -> Iterator[TermsChange]:
    read = frozenset[str]().union(*(rule.when.reads for one in (old, new) for rule in one.rules))
    for name, attribute in new.attributes.items():
        before = old.attributes.get(name)
        if name in read and before is not None and before.source == attribute.source == "evidence":
            was, is_ = (
                f"{one.evidence} of the {one.evidence_of} by {' or '.join(sorted(one.issuers))}"
                for one in (before, attribute)
            )
            if was != is_:
                # Evidence speaks for and against: whom one believes more can tell either.
                yield TermsChange(f"evidence for {name}", was, is_, opens=True, closes=True)


def _reads_trust(constitution: Constitution) -> bool:
    attribute = constitution.attributes.get("trust")
    gated = attribute is not None and attribute.source == "sensor"
    return gated and any("trust" in rule.when.reads for rule in constitution.rules)


def _earning(old: Constitution, new: Constitution) -> Iterator[TermsChange]:
    before, after = old.trust, new.trust
    for name in ("cap", "floor_step", "gain", "qualifying_from"):
        was, is_ = getattr(before, name), getattr(after, name)
        if was != is_:
            # All but one let more be earned where they are larger.
            opens = (is_ > was) is (name != "qualifying_from")
            yield TermsChange(name, spell_fraction(was), spell_fraction(is_), opens, not opens)
    if before.fresh_for != after.fresh_for:
        was, is_ = (f"{term.fresh_for // 1_000_000} s" for term in (before, after))
        opens = after.fresh_for > before.fresh_for
        yield TermsChange("fresh_for", was, is_, opens, not opens)


def _answers(old: Constitution, new: Constitution) -> Iterator[TermsChange]:
    """Compare the verbs to which an enforcement point may answer by itself."""
    had, has = _open_verbs(old), _open_verbs(new)
    before, after = (" ".join(sorted(verbs)) or "none" for verbs in (had, has))
    if had != has:
        yield TermsChange("always open", before, after, opens=bool(has - had), closes=bool(had - has))


def _open_verbs(constitution: Constitution) -> frozenset[str]:
    return frozenset[str]().union(*(one.verbs for one in constitution.trust.classes if one.gate == "open"))
