import subprocess
from dataclasses import replace
from shutil import which

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grants import acts, issue
from grants.consent import Wanted
from grants.errors import AuthorityError, GrantError, IdentifierError, IssueError, SignatureError
from grants.signer import SshKeygenSigner, generate
from grants.standing import StandingTerms
from ledger import canon
from ledger.disclosure import Opening
from ledger.errors import ClaimTakenError, LedgerError, ViewError
from ledger.event import Draft
from ledger.events import LedgerOpened


def prepare(office, **change):
    fields = {"by": "human:ada", "principal": "human:cy", "name": "Cy", **change}
    return office.prepare(acts.register_principal, **fields)


def test_the_statement_is_what_will_be_recorded(office):
    prepared = prepare(office, keys=[office.signer("human:cy").public_key])
    event = office.append_signed(prepared.sign(office.signer("human:ada")))
    assert event.body.statement() == prepared.statement
    assert prepared.namespace == "tallystick-principal@v1"


def test_the_statement_reads_line_by_line(office):
    prepared = prepare(office)
    name = prepared.openings[0].commitment().sd
    assert prepared.statement.decode() == (
        "tallystick principal.registered v1\n"
        "keys: []\n"
        'kind: "human"\n'
        "log_size: 7\n"
        f'name: {{"sd":"{name}"}}\n'
        'origin: "tally.example/log"\n'
        "owner: null\n"
        'principal: "human:cy"\n'
        "speaks_for: []\n"
        "through: []\n"
        "uid: null\n"
    )


def test_nothing_is_written_before_it_is_appended(office):
    before = office.log.head
    prepare(office).sign(office.signer("human:ada"))
    assert office.log.head == before


def test_a_key_that_may_not_sign_is_not_asked_to(office):
    with pytest.raises(AuthorityError, match="is no key of human:ada; its keys are SHA256:"):
        prepare(office).sign(office.signer("human:bo"))


def test_a_signature_made_elsewhere_is_verified(office):
    prepared = prepare(office)
    signer = office.signer("human:ada")
    other = signer.sign(b"something else", prepared.namespace)
    with pytest.raises(SignatureError):
        office.append_signed(prepared.draft({"key": signer.public_key.fingerprint, "armour": other}))
    right = signer.sign(prepared.statement, prepared.namespace)
    event = office.append_signed(prepared.draft({"key": signer.public_key.fingerprint, "armour": right}))
    assert event.by == "human:ada"


@pytest.mark.skipif(which("ssh-keygen") is None, reason="needs OpenSSH")
def test_openssh_signs_and_verifies_what_we_record(office, tmp_path):
    key = generate(tmp_path / "key", "spare")
    office.act(acts.add_key, by="human:ada", principal="human:ada", key=key)
    prepared = prepare(office)
    draft = prepared.sign(SshKeygenSigner.load(tmp_path / "key"))
    event = office.append_signed(draft)
    (tmp_path / "allowed").write_text(f"human:ada {key.line()}\n")
    (tmp_path / "sig").write_text(event.body.signed.armour)
    command = ["ssh-keygen", "-Y", "verify", "-f", "allowed", "-I", "human:ada", "-n", prepared.namespace, "-s", "sig"]
    done = subprocess.run(command, cwd=tmp_path, input=event.body.statement(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_schema_that_is_broken_is_told_by_field(office):
    with pytest.raises(IssueError, match=r"principal\.registered: uid: Input should be greater"):
        prepare(office, uid=-1)
    with pytest.raises(IssueError, match=r"resource\.advanced: version"):
        office.prepare(acts.advance, by="registrar:stores", resource="tool:x", version=0)
    with pytest.raises(IssueError, match="can't be written"):
        prepare(office, uid=2**53)


def test_an_id_in_another_spelling_is_told(office):
    with pytest.raises(IdentifierError, match="a principal is"):
        prepare(office, principal="cy")


def test_what_is_taken_is_told_before_anybody_signs(office):
    with pytest.raises(IssueError, match="human:bo is registered already, by event 1"):
        prepare(office, principal="human:bo")


def test_two_who_register_the_same_principal_race(office):
    drafts = [office.sign(acts.register_principal, by=by, principal="human:cy", name="Cy") for by in
              ("human:ada", "human:bo")]  # fmt: skip
    office.append_signed(drafts[0])
    with pytest.raises(ClaimTakenError, match="principal:human:cy"):
        office.append_signed(drafts[1])


def test_nothing_is_prepared_in_a_log_that_has_not_begun(empty):
    with pytest.raises(IssueError, match="was not opened yet: run tally init"):
        prepare(empty)


# -- genesis --


def test_a_log_begins_with_its_first_human(empty):
    event = empty.open()
    assert (event.seq, event.by, event.auth, event.type) == (0, "human:ada", "signature", "ledger.opened")
    assert [opening.value for opening in empty.log.openings(0)] == ["Ada L."]


def test_a_log_begins_once(office):
    with pytest.raises(IssueError, match="genesis is already taken by event 0"):
        office.open()
    with pytest.raises(ClaimTakenError):
        office.append(office.event(0).body)


def genesis(office, **change):
    fields = {
        "log_key": office.log_key(),
        "origin": office.origin,
        "human": "human:ada",
        "human_key": office.signer("human:ada").public_key,
        "name": "Ada",
        **change,
    }
    return office.prepare(acts.open_ledger, **fields)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"human": "agent:ada"}, "the first principal is a human"),
        ({"human": "Ada"}, "a principal is"),
        ({"origin": "tally.example/other"}, "its origin 'tally.example/other'"),
        ({"log_key": "tally.example/log+00000000+AAAA"}, "signature type 0x00"),
        ({"uid": -1}, "uid"),
    ],
)
def test_a_log_that_breaks_its_form_does_not_begin(empty, change, why):
    with pytest.raises(IssueError, match=why):
        genesis(empty, **change)


def test_genesis_comes_first(new_office):
    office, other = new_office(), new_office()
    office.note()
    draft = genesis(other).sign(other.signer("human:ada"))
    with pytest.raises(AuthorityError, match="begins once, with its first event"):
        office.append_signed(draft)
    with pytest.raises(ViewError, match="begins once, with its first event"):
        office.append(draft.body)


def test_genesis_is_signed_by_the_key_that_it_names(empty):
    with pytest.raises(AuthorityError, match="is no key of human:ada"):
        genesis(empty).sign(empty.signer("human:bo"))
    draft = genesis(empty).sign(empty.signer("human:ada"))
    forged = draft.body.model_copy(update={"demonstration": True})
    with pytest.raises(SignatureError):
        empty.append_signed(Draft(forged, "human:ada", "signature"))
    assert isinstance(forged, LedgerOpened)


# -- requests and consents --


@pytest.mark.parametrize("request_seq", [1, 99])
def test_what_is_no_request_is_not_answered(office, registry, request_seq):
    with pytest.raises(IssueError, match="is no request for consent"):
        office.prepare(acts.refuse, registry, by="human:ada", request=request_seq, reason="no")


def test_what_is_no_consent_is_not_revoked(story, registry):
    for grant in ("AAAA", story.events["grant.ratified"].body.grant):
        with pytest.raises(IssueError, match="there is no consent"):
            story.office.prepare(acts.revoke_consent, registry, by="human:ada", grant=grant, reason="no")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"grant": "AAAA"}, "a grant id has 16 bytes"),
        ({"grant": "?"}, "not base64url"),
        ({"expires": "2026-11-30T12:00:00.000000Z"}, "would have ended"),
        ({"expires": "tomorrow"}, "expires"),
        ({"uses": 0}, "uses"),
        ({"wanted": ()}, "at least one action"),
    ],
)
def test_a_consent_that_breaks_its_form_is_not_prepared(office, terms, wanted, change, why):
    fields = {"terms": terms, "wanted": (wanted,), "reason": "r", "expires": office.clock.after(60_000_000)}
    with pytest.raises(IssueError, match=why):
        office.prepare(acts.grant_terms, by="human:ada", **{**fields, **change})


def test_a_grant_id_makes_one_grant(office, terms, wanted):
    fields = {"terms": terms, "wanted": (wanted,), "reason": "r", "expires": office.clock.after(60_000_000)}
    event = office.act(acts.grant_terms, by="human:ada", **fields)
    with pytest.raises(IssueError, match=r"grant:.* is already taken"):
        office.act(acts.grant_terms, by="human:bo", grant=event.body.grant, **fields)


def test_grant_ids_are_drawn_anew():
    ids = {acts.new_grant_id() for _ in range(64)}
    assert len(ids) == 64
    assert {len(canon.from_base64url(grant)) for grant in ids} == {16}


def test_a_reason_is_withheld_from_the_event(office):
    event = office.act(acts.suspend, by="human:ada", principal="agent:a1", reason="a secret reason")
    assert b"secret" not in event.data
    assert [(opening.path, opening.value) for opening in office.log.openings(event.seq)] == [
        ("/reason", "a secret reason")
    ]


def test_an_opening_below_the_top_fills_no_field():
    deep, top = Opening.fresh("/operands/0/content", "x"), Opening.fresh("/reason", "y")
    assert issue._filled((deep, top)) == {"reason": {"sd": top.commitment().sd}}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
@given(data=st.data())
def test_whatever_is_typed_in_only_our_errors_escape(office, vocabulary, terms, data):
    text = data.draw(st.one_of(st.text(), st.sampled_from(["agent:b", "human:ada", "tool:x/**", "file:///a", "file"])))
    values = st.one_of(st.none(), st.booleans(), st.integers(), st.text())
    by = "human:ada"
    attempts = (
        (acts.register_principal, {"principal": text, "name": text, "owner": text}),
        (acts.register_resource, {"resource": text, "attributes": {text: data.draw(values)}}),
        (acts.suspend, {"principal": "agent:a1", "reason": text}),
        (acts.revoke_key, {"principal": text, "fingerprint": text}),
        (acts.grant_terms, {"terms": replace(terms, domain=text, args=text), "wanted": (Wanted(text, text, text, 1),),
                            "reason": text, "expires": text}),
        (acts.ratify_grant, {"vocabulary": vocabulary, "reason": text, "terms": StandingTerms(
            text, (text,), (text,), text, text)}),
    )  # fmt: skip
    act, fields = data.draw(st.sampled_from(attempts))
    try:
        prepared = office.prepare(act, by=by, **fields)
    except (GrantError, LedgerError):
        return
    assert prepared.statement.startswith(b"tallystick ")
