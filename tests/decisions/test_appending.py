"""What is signed by right and yet not so: each attack comes to the one door, and past it. Policy cases G01, G07."""

import pytest

from decisions.amendment import acts as amending
from decisions.appending import append_act
from decisions.constitution import DEFAULT_TEXT, load
from decisions.errors import AmendmentError, RelabellingError
from decisions.events import ConstitutionAdopted
from decisions.law import law_in_force
from grants import acts
from grants.errors import AuthorityError
from grants.events import Relabelling
from grants.issue import _DOORS, append_signed, prepare
from ledger import canon
from ledger.event import SignedBody
from tests.decisions.amendment.conftest import LOOSER, asking
from verify.views import EVENTS

USERS = "db://prod/users/**"
OPENED = {"environment": "dev", "asset": "scratch", "sensitivity": "public", "reversibility": "reversible"}
OPENED |= {"about_people": False, "purpose": None}


def adoption(office, document, by="human:ada"):
    """Sign an adoption as `decisions.adoption.adopt` would if it did not look at what is in force."""
    fields = {"name": load(document).name, "digest": canon.to_base64url(load(document).digest), "document": document}
    return office.sign(prepare, ConstitutionAdopted, fields, by=by)


def relabel(office, act, said, by="human:ada", **fields):
    told = Relabelling(direction=said, opened=0, closed=9, resources=0, constitution=None)
    return office.sign(act, by=by, relabels=told, **fields)


def put(office, draft):
    return office.log.transact(lambda tx: append_act(tx, office.registry, draft))


def in_force(office):
    return office.log.read(lambda look: law_in_force(look, office.registry)).document


@pytest.mark.parametrize(
    "before",
    [
        pytest.param([asking(2, 2)], id="amended-to-ask-for-two"),
        pytest.param([asking(2, 3)], id="amended-to-ask-for-three"),
        pytest.param([asking(2, 2), asking(2, 2, LOOSER)], id="amended-twice"),
        pytest.param([], id="asks-for-one"),
    ],
)
@pytest.mark.parametrize("document", [LOOSER, asking(1, 1), asking(2, 2), DEFAULT_TEXT])
def test_one_human_puts_no_constitution_in_the_place_of_another(court, before, document):
    """The old form of an adoption, rightly signed by a human, over a constitution that is in force."""
    office = court.office
    for one in before:
        proposed = court.change(amending.propose, by="human:bo", document=one, reason="more eyes")
        if one is not before[0]:
            court.change(amending.vote, by="human:bo", amendment=proposed.seq, choice="for")
        court.change(amending.adopt, by="human:ada", amendment=proposed.seq)
    stands, size = in_force(office), office.log.head.size
    draft = adoption(office, document)
    with pytest.raises(AmendmentError, match="is changed by an amendment"):
        put(office, draft)
    with pytest.raises(AuthorityError, match=r"constitution\.adopted is appended by decisions\.appending\.append_act"):
        office.log.transact(lambda tx: append_signed(tx, draft))
    assert (in_force(office), office.log.head.size) == (stands, size)


def test_one_that_was_signed_while_none_was_in_force_and_held_back_is_refused(office):
    held = adoption(office, LOOSER, by="human:bo")
    put(office, adoption(office, asking(2, 2)))
    with pytest.raises(AmendmentError, match="is changed by an amendment"):
        put(office, held)


LIES = [
    pytest.param(acts.reclassify, {"resource": USERS, "attributes": OPENED}, "tightening", id="reclassified"),
    pytest.param(acts.reclassify, {"resource": USERS, "attributes": OPENED}, "equivalent", id="as-no-change"),
    pytest.param(
        acts.register_resource,
        {"resource": "db://prod/users/7", "attributes": OPENED},
        "tightening",
        id="registered-inside",
    ),
    pytest.param(acts.reclassify, {"resource": USERS, "attributes": OPENED}, "unjudged", id="as-not-judged"),
]


@pytest.mark.parametrize(("act", "fields", "said"), LIES)
def test_a_relabelling_that_says_what_it_does_not_do_comes_by_no_way(court, act, fields, said):
    """Signed by a human, who might sign it if it said so."""
    office, size = court.office, court.office.log.head.size
    draft = relabel(office, act, said, **fields)
    with pytest.raises(RelabellingError, match="what this change opens is not what was signed for"):
        put(office, draft)
    with pytest.raises(AuthorityError, match="more has to hold than its signature"):
        office.log.transact(lambda tx: append_signed(tx, draft))
    assert office.log.head.size == size


def test_a_registration_inside_of_another_is_not_said_to_change_nothing(court):
    office = court.office
    draft = office.sign(
        acts.register_resource, by="registrar:stores", resource="db://prod/users/7", attributes=OPENED, relabels=None
    )
    with pytest.raises(RelabellingError):
        put(office, draft)


def test_a_clearing_that_says_what_it_does_not_do_comes_by_no_way(court):
    office = court.office
    fixtures = "file:///srv/app/tests/fixtures/**"
    office.act(acts.retire, by="registrar:stores", resource=fixtures)
    draft = relabel(office, acts.clear, "tightening", by="registrar:stores", resource=fixtures)
    with pytest.raises(RelabellingError):
        put(office, draft)
    with pytest.raises(AuthorityError, match="more has to hold than its signature"):
        office.log.transact(lambda tx: append_signed(tx, draft))


def test_whatever_is_judged_when_it_is_appended_has_no_second_door():
    """The names are of types that there are, and no act on an amendment is left out."""
    signed = {body.type for body in EVENTS if issubclass(body, SignedBody)}
    assert signed >= _DOORS.keys() >= {name for name in signed if name.startswith("amendment.")}
