"""Evidence is found by the rules that need it while it is valid, and not after; who may not issue it can't."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decisions.constitution import DEFAULT_TEXT, load
from decisions.descriptor import weigh_evidence
from decisions.errors import ConstitutionError
from grants import acts, erasing
from grants.book.evidence import MOST_ENTRIES
from grants.errors import AuthorityError, IssueError
from grants.events import EvidenceRecorded
from grants.evidence import Attested, Piece, record_evidence
from grants.issue import prepare
from ledger import digest, rfc6962
from ledger.checkpoint import Checkpoint, sign_checkpoint
from ledger.disclosure import Opening
from ledger.errors import AppendError
from ledger.note import NoteSigner, VerifierKey
from ledger.policy import Policy, PolicyLog
from verify.bundle import EVERYTHING, NEEDED, make_bundle
from verify.bundle.form import parse_bundle
from verify.check import check_bundle
from verify.replay import replay
from verify.views import EVENTS, VIEWS

DAY = 24 * 3600 * 1_000_000
STATS = "db://prod/stats"


@pytest.fixture
def attest(court):
    return court.attest


@pytest.fixture
def sweep(court):
    """Change many rows that only a restore brings back: what needs a backup."""
    return lambda **how: court.do("delete", STATS, scope="many", **how)


def value(answer, name):
    told = answer.to_json()["actions"][0]["attributes"][name]
    assert told.pop("of") == []
    return told


def test_missing_evidence_is_unknown_and_the_forbid_fires(sweep):
    answer = sweep()
    assert (answer.outcome, answer.reason) == ("deny", "ATTR_UNKNOWN")
    assert "VI.backed-up" in [spoken.rule.id for spoken in answer.spoken]
    assert ("facts", "attribute", "backed_up") in [(n.who, n.what, n.about) for n in answer.body.needs]
    assert value(answer, "backed_up") == {"value": {"missing": "unknown"}, "source": "evidence", "stamp": None}


@pytest.mark.parametrize("subject", [STATS, STATS + "/**", "db://prod/**"])
def test_a_valid_backup_is_found_wherever_around_the_resource_it_was_recorded(sweep, attest, subject):
    event = attest("backup", subject)
    answer = sweep()
    assert answer.outcome == "hold"
    assert value(answer, "backed_up") == {"value": True, "source": "evidence", "stamp": event.seq}
    assert event.seq in [read.seq for read in answer.body.reads if read.view == "evidence"]


@pytest.mark.parametrize("subject", ["db://prod/users/**", "db://prod/stats/5", "db://staging/**", "file:///srv/**"])
def test_a_backup_of_something_else_is_none(sweep, attest, subject):
    attest("backup", subject)
    assert sweep().reason == "ATTR_UNKNOWN"


def test_it_speaks_from_its_first_instant_and_not_at_its_last(court, sweep, attest):
    attest("backup", STATS, start=1, days=1)
    assert sweep().reason == "ATTR_UNKNOWN"
    court.office.clock.go(DAY - 1)
    assert sweep().reason == "ATTR_UNKNOWN"
    court.office.clock.go(1)
    assert sweep().outcome == "hold"
    court.office.clock.go(DAY - 1)
    assert sweep().outcome == "hold"
    court.office.clock.go(1)
    assert sweep().reason == "ATTR_UNKNOWN"


def test_evidence_against_outweighs_evidence_for_whoever_came_first(sweep, attest):
    attest("backup", "db://prod/**")
    against = attest("backup", STATS, by="human:bo", holds=False)
    answer = sweep()
    assert answer.reason == "FORBIDDEN"
    assert value(answer, "backed_up") == {"value": False, "source": "evidence", "stamp": against.seq}
    attest("backup", "db://prod/**")
    assert sweep().reason == "FORBIDDEN"


def test_an_issuer_replaces_what_it_said_itself_and_nothing_else(sweep, attest):
    attest("backup", STATS, by="human:bo", holds=False)
    attest("backup", STATS, by="human:ada")
    assert sweep().reason == "FORBIDDEN"
    attest("backup", STATS, by="human:bo")
    assert sweep().outcome == "hold"


@pytest.mark.parametrize("by", ["agent:ops-7", "service:desk"])
def test_who_is_judged_by_evidence_can_not_issue_it(court, attest, by):
    with pytest.raises(AuthorityError, match="is signed by a human or a registrar or a sensor"):
        attest("backup", STATS, by=by)


def test_a_sensor_attests_a_backup_and_no_assessment(court, sweep, attest):
    attest("backup", STATS, by="sensor:mood")
    assert sweep().outcome == "hold"
    attest("data_protection_assessment", "db://prod/users/**", by="sensor:mood")
    court.office.act(
        acts.reclassify,
        by="human:ada",
        resource="db://prod/users/**",
        attributes={**court.office.state("resource", "db://prod/users/**")["attributes"], "sensitivity": "restricted"},
    )
    everybody = court.do("read", "db://prod/users", scope="all")
    assert everybody.outcome == "deny"
    assert value(everybody, "assessed")["value"] == {"missing": "unknown"}
    attest("data_protection_assessment", "db://prod/users/**")
    assert court.do("read", "db://prod/users", scope="all").outcome == "hold"


def test_another_can_not_sign_for_the_issuer(court, attest):
    with pytest.raises(AuthorityError, match="is no key of"):
        attest("backup", STATS, by="human:ada", signer="human:bo")


def test_evidence_ends_with_its_issuer_and_with_the_key_that_signed_it(court, sweep, attest):
    attest("backup", STATS, by="sensor:mood")
    attest("backup", STATS, by="human:bo")
    court.office.act(acts.suspend, by="human:ada", principal="sensor:mood", reason="it reports what it can't know")
    assert sweep().outcome == "hold"
    fingerprint = court.office.signer("human:bo").public_key.fingerprint
    court.office.act(acts.revoke_key, by="human:ada", principal="human:bo", fingerprint=fingerprint)
    assert sweep().reason == "ATTR_UNKNOWN"


def test_a_suspended_issuer_records_nothing(court, attest):
    court.office.act(acts.suspend, by="human:ada", principal="sensor:mood", reason="gone")
    with pytest.raises(AuthorityError, match="was suspended"):
        attest("backup", STATS, by="sensor:mood")


def test_a_bias_report_is_about_the_asker_and_not_for_who_claims_to_be_it(court, attest):
    register(court, "subject:p7")
    assert court.do("assess", "subject:p7").reason == "ATTR_UNKNOWN"
    attest("bias_report", "agent:ops-7", days=365)
    answer = court.do("assess", "subject:p7")
    assert value(answer, "fairness_review")["value"] is True
    assert (answer.outcome, answer.reason) == ("deny", "NO_AUTHORITY")
    claimed = court.do("assess", "subject:p7", uid=None, claimed="agent:ops-7")
    assert value(claimed, "fairness_review")["value"] == {"missing": "unknown"}
    other = court.do("assess", "subject:p7", uid=1002, claimed="agent:a1")
    assert value(other, "fairness_review")["value"] == {"missing": "unknown"}


def test_a_report_about_the_person_does_not_speak_for_the_asker(court, attest):
    register(court, "subject:p7")
    attest("bias_report", "subject:p7")
    assert court.do("assess", "subject:p7").reason == "ATTR_UNKNOWN"


def test_a_program_in_production_needs_an_audit_trail(court, attest):
    facts = {"environment": "prod", "asset": "program", "provenance": "trusted"}
    register(court, "program:deploy", facts)
    assert court.do("run", "program:deploy").reason == "ATTR_UNKNOWN"
    attest("audit_trail", "program:deploy")
    assert court.do("run", "program:deploy").reason != "ATTR_UNKNOWN"
    attest("audit_trail", "program:deploy", holds=False)
    assert "VII.audited" in [s.rule.id for s in court.do("run", "program:deploy").spoken]


def test_the_payload_can_not_bring_its_own(court, sweep):
    answer = sweep(attributes={"backed_up": True})
    assert answer.reason == "ATTR_UNKNOWN"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"kind": "Backup"}, "a word in lower case"),
        ({"kind": ""}, "a word in lower case"),
        ({"subject": "db:prod"}, "db: is followed by //"),
        ({"subject": "agent:UPPER"}, "a name is a lower-case letter"),
        ({"subject": "db://prod/*/x"}, "is a pattern"),
        ({"valid_until": "2026-11-30T12:00:00.000000Z"}, "before it begins"),
        ({"valid_until": "tomorrow"}, "valid_until"),
    ],
)
def test_what_is_spelled_otherwise_is_refused(court, change, why):
    office = court.office
    fields = {
        "kind": "backup",
        "subject": STATS,
        "holds": True,
        "valid_from": "2026-11-30T12:00:00.000000Z",
        "valid_until": "2026-12-30T12:00:00.000000Z",
        "report": "x",
    }
    with pytest.raises(IssueError, match=why):
        office.act(record_evidence, by="human:ada", attested=Attested(**{**fields, **change}))


def test_another_issuer_than_the_signer_is_refused_by_the_fold(court):
    office = court.office
    fields = {
        "kind": "backup",
        "subject": STATS,
        "issuer": "human:bo",
        "holds": True,
        "valid_from": office.clock.after(0),
        "valid_until": office.clock.after(DAY),
    }
    with pytest.raises(IssueError, match="names human:bo as its issuer"):
        office.prepare(prepare, EvidenceRecorded, fields, by="human:ada", openings=[Opening.fresh("/report", "x")])


def test_one_signature_makes_one_event(court, attest):
    office = court.office
    told = Attested("backup", STATS, True, office.clock.after(0), office.clock.after(DAY), "x")
    draft = office.sign(record_evidence, by="human:ada", attested=told)
    office.append_signed(draft)
    with pytest.raises(AppendError):
        office.append_signed(draft)


def test_no_evidence_is_pushed_out_by_other_evidence(court, attest):
    for number in range(MOST_ENTRIES):
        attest(f"kind_{number}", STATS)
    with pytest.raises(IssueError, match="more are not kept"):
        attest("backup", STATS)
    attest("kind_0", STATS, holds=False)


@given(st.lists(st.tuples(st.sampled_from(["human", "sensor", "registrar"]), st.booleans()), max_size=6))
def test_evidence_weighs_as_the_strictest_that_is_believed(told):
    attribute = load(DEFAULT_TEXT).attributes["backed_up"]
    pieces = [Piece("backup", kind, holds, seq) for seq, (kind, holds) in enumerate(told)]
    believed = [holds for kind, holds in told if kind != "registrar"]
    found = weigh_evidence(attribute, [*pieces, Piece("other", "human", False, 99)])
    assert (found.value if found else None) == (all(believed) if believed else None)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('type = "flag"\nkinds = ["exec"]', 'type = "choice"\nvalues = ["a"]\nkinds = ["exec"]', "values"),
        ('type = "flag"\nkinds = ["exec"]', 'type = "name"\nkinds = ["exec"]', "it is a flag"),
        ('issuers = ["human", "sensor"]', 'issuers = ["agent"]', 'unknown kind of issuer "agent"'),
        ('of = "asker"', 'of = "askr"', 'did you mean "asker"'),
        ('evidence = "backup"', 'evidence = "Back up"', "kind of evidence"),
        ('evidence = "backup"\n', "", '"evidence" is missing'),
        ("when = 'production and not audited'", "when = 'production and not present(audited)'", "only what the store"),
        ('source = "evidence"\nevidence = "backup"', 'source = "store"\nevidence = "backup"', 'unknown key "evidence"'),
    ],
)
def test_a_constitution_that_spells_its_evidence_otherwise_is_refused(old, new, why):
    assert old in DEFAULT_TEXT
    with pytest.raises(ConstitutionError, match=why):
        load(DEFAULT_TEXT.replace(old, new, 1))


def test_decisions_on_evidence_replay_and_prove_and_outlive_the_erasure_of_the_report(court, sweep, attest):
    office = court.office
    for _ in range(3):
        attest("backup", "db://prod/**", by="sensor:mood")
        sweep()
        office.clock.go(DAY // 2)
    attest("bias_report", "agent:ops-7")
    register(court, "subject:p7")
    court.do("assess", "subject:p7")
    last = attest("backup", STATS)
    sweep()
    lines = list(replay(office.log.events(), office.log.openings, EVENTS, VIEWS))
    assert {line.status for line in lines} == {"same"}
    for disclose in (EVERYTHING, NEEDED):
        prove(office, disclose)
    erase(office, last.seq, "/report")
    assert list(office.log.openings(last.seq)) == []
    lines = list(replay(office.log.events(), office.log.openings, EVENTS, VIEWS))
    assert {line.status for line in lines} == {"same"}
    prove(office, EVERYTHING)


def test_a_bundle_holds_the_latest_of_each_kind_by_each_issuer_and_fails_without_it(court, sweep, attest):
    office = court.office
    recorded = [attest("backup", STATS, by="sensor:mood").seq for _ in range(5)]
    decided = sweep().decision
    data, policy = proof(office, decided, EVERYTHING)
    bundle = parse_bundle(data)
    held = {one.seq for one in bundle.events}
    assert held & set(recorded) == {recorded[-1]}
    without = replace(bundle, events=tuple(one for one in bundle.events if one.seq != recorded[-1]))
    assert "structure" in check_bundle(without.to_bytes(), policy).failed


def register(court, resource, attributes=None):
    court.office.act(acts.register_resource, by="registrar:stores", resource=resource, attributes=attributes or {})


def erase(office, seq, path):
    acts_ = office.log.read(
        lambda look: erasing.erase(
            look,
            office.registry,
            by="human:ada",
            fields=[(seq, path)],
            basis="gdpr-art-17-1-a",
            at=office.clock.after(0),
        )
    )
    drafts = [one.sign(office.signer("human:ada")) for one in acts_]
    office.log.transact(lambda tx: erasing.append_erasure(tx, office.registry, drafts))


def proof(office, seq, disclose):
    head = office.log.head
    root = digest.root(head.size, head.blake3_peaks)
    key = NoteSigner(office.origin, office.signer(office.origin).private_key)
    note = sign_checkpoint(Checkpoint(office.origin, head.size, rfc6962.root(head.sha256_peaks), root), key)
    policy = Policy((PolicyLog(VerifierKey.parse(office.log_key())),), (), ())
    return office.log.read(lambda s: make_bundle(s, EVENTS, VIEWS, seq, note, disclose)), policy


def prove(office, disclose):
    decisions = [one.seq for one in map(office.event, range(office.log.head.size)) if one.type == "decision.made"]
    for seq in decisions:
        bundle, policy = proof(office, seq, disclose)
        assert check_bundle(bundle, policy).failed == ()
