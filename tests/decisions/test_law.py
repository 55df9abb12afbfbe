"""The law in force is the adopted document, and nothing else passes for it."""

import pytest

from decisions.adoption import adopt
from decisions.constitution import DEFAULT_TEXT, default
from decisions.errors import ConstitutionError, DecisionError
from decisions.law import law_in_force
from grants.errors import SignatureError
from ledger import canon, digest
from ledger.errors import CorruptError
from ledger.view import StateRow


class Forged:
    """A reader in whose log the adoption has other bytes."""

    def __init__(self, below, seq, data):
        self.below, self.seq, self.bytes = below, seq, data

    def event_bytes(self, seq):
        return self.bytes if seq == self.seq else self.below.event_bytes(seq)

    def __getattr__(self, name):
        return getattr(self.below, name)


class Tampered:
    """A reader whose constitution row says something else."""

    def __init__(self, below, **changes):
        self.below = below
        self.changes = changes

    def state(self, view, key):
        row = self.below.state(view, key)
        if view != "constitution":
            return row
        return StateRow(view, key, row.seq, canon.encode({**row.state, **self.changes}))

    def __getattr__(self, name):
        return getattr(self.below, name)


def test_law_in_force_is_read_from_its_event(court):
    law = law_in_force(court.office.log, court.office.registry)
    assert (law.constitution, law.document) == (default(), DEFAULT_TEXT)
    assert law.adopted.type == "constitution.adopted"


def test_the_last_adopted_constitution_is_in_force(court):
    event = court.amend(DEFAULT_TEXT.replace("tallystick default", "another"))
    law = law_in_force(court.office.log, court.office.registry)
    assert (law.constitution.name, law.adopted.seq) == ("another", event.seq)


def test_without_a_constitution_there_is_no_law(office):
    with pytest.raises(DecisionError, match="run tally audit, and adopt one"):
        law_in_force(office.log, office.registry)


@pytest.mark.parametrize("change", [{"seq": 0}, {"seq": 10_000}, {"seq": "7"}, {"digest": "A" * 43}])
def test_row_that_does_not_fit_an_adoption_is_no_law(court, change):
    with pytest.raises(CorruptError, match="tally audit"):
        law_in_force(Tampered(court.office.log, **change), court.office.registry)


def test_adoption_that_nobody_signed_is_no_law(court):
    """Whoever can write rows can write an adoption; without a human's signature it is none."""
    log = court.office.log
    honest = law_in_force(log, court.office.registry).adopted
    loose = DEFAULT_TEXT.replace("tallystick default", "anything goes")
    event = canon.decode_object(honest.data)
    event["body"] |= {"document": loose, "digest": canon.to_base64url(digest.document(loose.encode()))}
    forged = Forged(Tampered(log, digest=event["body"]["digest"]), honest.seq, canon.encode(event))
    with pytest.raises(SignatureError):
        law_in_force(forged, court.office.registry)


def test_document_that_is_not_accepted_can_not_be_adopted(court):
    with pytest.raises(ConstitutionError):
        court.office.prepare(adopt, by="human:ada", document="x = 1")
