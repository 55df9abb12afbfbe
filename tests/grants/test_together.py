"""Standing grants that several humans ratify: who may sign, how many count, and when."""

from dataclasses import replace

import pytest

from grants import acts
from grants.authority import humans_behind
from grants.errors import AuthorityError, IssueError, SignatureError
from grants.issue import append_checked
from grants.standing import find_standing, standing_terms
from grants.together import for_signer, joined
from ledger.instant import from_microseconds
from tests.grants.conftest import STANDING, VALUES, ratify_together, signed_together


@pytest.fixture
def crowd(office):
    for human in ("human:cy", "human:di"):
        key = office.signer(human).public_key
        office.act(acts.register_principal, by="human:ada", principal=human, name=human, keys=[key])
    return office


@pytest.fixture
def covers(crowd, asker, vocabulary):
    def covered(humans):
        at = from_microseconds(crowd.clock.now)
        wanted = replace(vocabulary, humans=humans)
        return len(find_standing(crowd.log, crowd.registry, wanted, asker, VALUES, at))

    return covered


def forced(office, draft):
    """Append as whoever holds the log can: the signatures are looked at, how many are asked for is not."""
    return office.log.transact(lambda tx: append_checked(tx, draft))


def test_it_counts_with_as_many_humans_as_are_asked_for(crowd, vocabulary, covers):
    ratify_together(crowd, vocabulary, STANDING, "r", "human:bo", "human:cy")
    assert [covers(humans) for humans in (1, 2, 3)] == [1, 1, 0]


def test_one_signature_is_none_where_two_are_asked_for(crowd, vocabulary, covers):
    crowd.act(acts.ratify_grant, vocabulary, by="human:bo", terms=STANDING, reason="r")
    assert [covers(humans) for humans in (1, 2)] == [1, 0]


@pytest.mark.parametrize("ended", ["key", "person"])
@pytest.mark.parametrize("who", ["human:bo", "human:cy", "human:di"])
def test_who_ended_since_counts_no_more(crowd, vocabulary, covers, ended, who):
    event = ratify_together(crowd, vocabulary, STANDING, "r", "human:bo", "human:cy", "human:di")
    if ended == "key":
        fingerprint = crowd.signer(who).public_key.fingerprint
        crowd.act(acts.revoke_key, by="human:ada", principal=who, fingerprint=fingerprint)
    else:
        crowd.act(acts.suspend, by="human:ada", principal=who, reason="left")
    assert humans_behind(crowd.log, event) == 2
    assert [covers(humans) for humans in (2, 3)] == [1, 0]


def test_the_terms_say_how_many_have_signed(crowd, vocabulary):
    ratify_together(crowd, vocabulary, STANDING, "r", "human:bo", "human:cy")
    (terms,) = standing_terms(crowd.log, crowd.registry, from_microseconds(crowd.clock.now))
    assert terms == replace(STANDING, signed=2)


@pytest.mark.parametrize(
    ("humans", "terms", "why"),
    [
        (("human:ada", "human:bo"), {}, "human:ada controls agent:ops-7"),
        (("human:bo", "human:ada"), {}, "human:ada controls agent:ops-7"),
        (("human:bo", "human:cy"), {"subject": "human:cy"}, "can't grant what human:cy asks for"),
        (("human:cy", "human:bo"), {"subject": "human:cy"}, "can't grant what human:cy asks for"),
    ],
)
def test_who_asks_and_who_controls_them_are_none_of_those_who_sign(crowd, vocabulary, humans, terms, why):
    draft = signed_together(crowd, vocabulary, replace(STANDING, **terms), "r", *humans)
    with pytest.raises(AuthorityError, match=why):
        forced(crowd, draft)


@pytest.mark.parametrize("by", ["agent:ops-7", "service:desk", "registrar:stores", "sensor:mood", "human:nobody"])
def test_nobody_but_a_human_signs_too(crowd, vocabulary, by):
    prepared = crowd.prepare(
        acts.ratify_grant, replace(vocabulary, humans=2), by="human:bo", terms=STANDING, reason="r"
    )
    with pytest.raises(AuthorityError, match=r"signed by a human, not by|is not registered"):
        crowd.log.read(lambda look: for_signer(look, prepared, by))


def test_a_second_signature_by_the_same_human_is_none(crowd, vocabulary):
    with pytest.raises(AuthorityError, match="each human signs once"):
        signed_together(crowd, vocabulary, STANDING, "r", "human:bo", "human:bo")
    draft = signed_together(crowd, vocabulary, STANDING, "r", "human:bo", "human:cy")
    for twice in (draft.body.cosigned * 2, (draft.body.cosigned[0].model_copy(update={"by": "human:bo"}),)):
        with pytest.raises(AuthorityError, match="has signed twice"):
            forced(crowd, replace(draft, body=draft.body.model_copy(update={"cosigned": twice})))


def test_too_few_for_what_the_text_says_is_refused(crowd, vocabulary):
    draft = signed_together(crowd, vocabulary, STANDING, "r", "human:bo", "human:cy", asked=3)
    with pytest.raises(AuthorityError, match="3 humans must sign, and 2 did"):
        forced(crowd, draft)


def test_a_signature_over_another_text_is_none(crowd, vocabulary):
    draft = signed_together(crowd, vocabulary, STANDING, "r", "human:bo", "human:cy")
    other = signed_together(crowd, vocabulary, replace(STANDING, verbs=("read",)), "r", "human:bo", "human:cy")
    mixed = draft.body.model_copy(update={"cosigned": other.body.cosigned})
    with pytest.raises(SignatureError):
        forced(crowd, replace(draft, body=mixed))


def test_another_humans_key_is_none(crowd, vocabulary):
    draft = signed_together(crowd, vocabulary, STANDING, "r", "human:bo", "human:cy")
    (one,) = draft.body.cosigned
    as_di = draft.body.model_copy(update={"cosigned": (one.model_copy(update={"by": "human:di"}),)})
    with pytest.raises(AuthorityError, match="is no key of human:di"):
        forced(crowd, replace(draft, body=as_di))


def test_a_key_that_ended_before_it_was_appended_signs_nothing(crowd, vocabulary):
    draft = signed_together(crowd, vocabulary, STANDING, "r", "human:bo", "human:cy")
    fingerprint = crowd.signer("human:cy").public_key.fingerprint
    crowd.act(acts.revoke_key, by="human:ada", principal="human:cy", fingerprint=fingerprint)
    with pytest.raises(AuthorityError, match="or was not any more"):
        forced(crowd, draft)


def test_the_order_of_the_others_has_one_spelling(crowd, vocabulary):
    draft = signed_together(crowd, vocabulary, STANDING, "r", "human:bo", "human:di", "human:cy")
    assert [one.by for one in draft.body.cosigned] == ["human:cy", "human:di"]
    body = draft.body.json_form()
    with pytest.raises(ValueError, match="sorted by name"):
        type(draft.body).model_validate({**body, "cosigned": body["cosigned"][::-1]})


def test_what_one_signs_is_joined_with_nobody(crowd, vocabulary):
    alone = crowd.prepare(acts.ratify_grant, vocabulary, by="human:bo", terms=STANDING, reason="r")
    signed = signed_together(crowd, vocabulary, STANDING, "r", "human:bo", "human:cy").body.cosigned
    with pytest.raises(IssueError, match="by one human alone"):
        joined(alone, signed)


def test_it_stands_once_however_often_it_is_appended(crowd, vocabulary):
    draft = signed_together(crowd, vocabulary, STANDING, "r", "human:bo", "human:cy", "human:di", asked=2)
    fewer = replace(draft, body=draft.body.model_copy(update={"cosigned": draft.body.cosigned[:1]}))
    forced(crowd, draft)
    with pytest.raises(Exception, match="statement"):
        forced(crowd, fewer)


def test_it_is_revoked_by_one(crowd, vocabulary, covers):
    event = ratify_together(crowd, vocabulary, STANDING, "r", "human:bo", "human:cy")
    crowd.act(acts.revoke_grant, by="human:ada", grant=event.body.grant, reason="enough")
    assert covers(1) == 0
