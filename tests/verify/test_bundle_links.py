"""Every link from a verdict to the auditor's keys, broken alone: each is found, and named by its own line.

The class of error behind these: a verifier that accepts a valid proof of something else (GHSA-8gw7-4j42-w388).
"""

from dataclasses import replace

import pytest

from grants import allowed_signers
from ledger import canon, instant
from ledger.disclosure import Opening
from ledger.note import NoteSigner
from ledger.policy import Policy, PolicyLog
from tools.dev import golden_bundle
from tools.dev.golden_bundle import Stage, cosign, key
from verify.bundle import NEEDED, Bundle, Disclosure, FieldPattern, parse_bundle
from verify.check import CHECKS, check_bundle
from verify.check.evidence import Evidence
from verify.check.reduction import check_reduction
from verify.views import VIEWS

NAMES = (
    "allow-by-rule", "hold", "allow-by-consent", "hold-after-use", "allow-by-standing-grant", "trust-floor",
    "always-open", "deny-unregistered", "unknown-asker", "unreadable",
)  # fmt: skip


@pytest.fixture
def consented(case) -> Bundle:
    return case.made("allow-by-consent")


def seqs(bundle):
    return [event.seq for event in bundle.events]


def types(bundle):
    """Give the places of the events of a bundle by type, the first of each."""
    found = {}
    for event in bundle.events:
        parsed = golden_bundle.EVENTS.parse(event.data)
        found.setdefault(parsed.type, event.seq)
    return found


def moved(bundle, seq, **changes):
    """Change one bundled event."""
    events = tuple(replace(event, **changes) if event.seq == seq else event for event in bundle.events)
    return replace(bundle, events=events)


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_of_verdict_verifies_with_all_that_can_be_checked(case, name):
    report = case.check(case.made(name))
    assert report.failed == ()
    assert set(report.unchecked) <= {"witnesses", "absences"}
    assert [line.check for line in report.lines] == list(CHECKS)


# -- from the event to the log --


@pytest.mark.parametrize(("tree", "check"), [("own", "inclusion BLAKE3"), ("twin", "inclusion SHA-256")])
def test_valid_proof_of_another_event_is_found(case, consented, tree, check):
    first, second = consented.events[1], consented.events[2]
    report = case.check(moved(consented, first.seq, **{tree: getattr(second, tree)}))
    assert report.failed == (check,)


@pytest.mark.parametrize(("tree", "check"), [("own", "inclusion BLAKE3"), ("twin", "inclusion SHA-256")])
def test_flipped_bit_in_any_hash_of_a_proof_is_found(case, consented, tree, check):
    event = consented.events[3]
    proof = getattr(event, tree)
    for index, value in enumerate(proof.path):
        flipped = (*proof.path[:index], bytes([value[0] ^ 1]) + value[1:], *proof.path[index + 1 :])
        report = case.check(moved(consented, event.seq, **{tree: replace(proof, path=flipped)}))
        assert report.failed == (check,)


@pytest.mark.parametrize(("tree", "check"), [("own", "inclusion BLAKE3"), ("twin", "inclusion SHA-256")])
def test_proof_for_an_earlier_size_is_found(case, consented, tree, check):
    """Both proofs are of the checkpoint's size: an older valid proof shows nothing about this checkpoint."""
    forger = case.forger()
    forger.events = forger.events[:20]
    older = forger.bundle(consented)
    report = case.check(moved(consented, 0, **{tree: getattr(older.events[0], tree)}))
    assert report.failed == (check,)


def test_event_changed_after_it_was_logged_is_found_under_both_roots(case, consented):
    forger = case.forger().edit(case.told["allow-by-consent"], lambda e: e.update(at="2026-11-30T12:00:16.500000Z"))
    changed = moved(consented, consented.decision, data=forger.events[consented.decision])
    assert {"inclusion BLAKE3", "inclusion SHA-256"} <= set(case.check(changed).failed)


def test_checkpoint_of_a_log_that_the_policy_does_not_name_is_refused(case, consented):
    other = Policy((PolicyLog(NoteSigner("other.example/log", key("other")).verifier_key),), (), ())
    report = case.check(consented, policy=other)
    assert report.failed == ("checkpoint",)
    assert report.line("inclusion BLAKE3").status == "NOT-CHECKED"


def test_checkpoint_signed_by_a_stranger_under_the_logs_name_is_refused(case, consented):
    stranger = NoteSigner(case.stage.origin, key("stranger"))
    forged = case.forger().bundle(consented, signer=stranger)
    assert case.check(forged).failed == ("checkpoint",)


def test_checkpoint_of_another_trusted_log_over_these_events_is_found(case, consented):
    """Both logs are trusted: yet genesis names one key, and only that one may vouch for what follows from it."""
    other = NoteSigner("other.example/log", key("other"))
    both = Policy((*case.stage.policy().logs, PolicyLog(other.verifier_key)), (), ())
    report = case.check(case.forger().bundle(consented, signer=other), policy=both)
    assert report.failed == ("checkpoint",)


def test_rotated_key_that_genesis_does_not_name_is_found(case, consented):
    other = NoteSigner(case.stage.origin, key("rotated"))
    both = Policy((*case.stage.policy().logs, PolicyLog(other.verifier_key)), (), ())
    assert case.check(case.forger().bundle(consented, signer=other), policy=both).failed == ("checkpoint",)


@pytest.mark.parametrize("change", ["size", "root", "own"])
def test_checkpoint_changed_by_one_character_is_refused(case, consented, change):
    lines = consented.checkpoint.decode().split("\n")
    index = {"size": 1, "root": 2, "own": 3}[change]
    lines[index] = lines[index].replace(lines[index][12:13] or lines[index][-1], "7" if lines[index] != "7" else "8", 1)
    assert "checkpoint" in case.check(replace(consented, checkpoint="\n".join(lines).encode())).failed


def test_missing_quorum_is_found_and_reached_quorum_is_told(case, consented):
    policy = case.stage.policy(witnessed=True)
    assert case.check(consented, policy=policy).failed == ("witnesses",)
    witnessed = replace(consented, checkpoint=cosign(consented.checkpoint))
    assert case.check(witnessed, policy=policy).line("witnesses").status == "PASS"


def test_cosignature_of_another_checkpoint_is_refused(case, consented):
    other = cosign(case.forger().bundle(consented, signer=case.stage.log_signer).checkpoint.replace(b"36", b"35"))
    forged = replace(consented, checkpoint=consented.checkpoint + other.rpartition(b"\n\xe2")[2].join([b"\xe2", b""]))
    assert case.check(forged, policy=case.stage.policy(witnessed=True)).failed == ("checkpoint",)


def test_first_human_who_is_not_pinned_is_found(case, consented):
    assert case.check(consented, signers=case.stage.pins("human:bo")).failed == ("first human",)


def test_pinned_key_counts_only_for_the_human_it_is_pinned_for(case, consented):
    line = case.stage.pins().replace(b"human:ada", b"human:bo")
    assert case.check(consented, signers=line).failed == ("first human",)


def test_pin_for_another_namespace_does_not_count(case, consented):
    line = case.stage.pins().replace(b"tallystick-*", b"git")
    assert case.check(consented, signers=line).failed == ("first human",)


def test_pinned_key_must_be_valid_at_the_given_moment(case, consented):
    line = case.stage.pins().replace(b'namespaces="tallystick-*"', b'valid-before="20270101Z"')
    assert case.check(consented, signers=line).failed == ()
    late = instant.parse("2027-06-01T00:00:00.000000Z")
    assert case.check(consented, signers=line, at=late).failed == ("first human",)


def test_without_pins_the_first_human_is_not_checked(case, consented):
    report = case.check(consented, signers=None)
    assert (report.failed, report.line("first human").status) == ((), "NOT-CHECKED")


# -- between the events --


def test_decision_of_another_log_with_valid_signatures_is_found(case, consented):
    """The other log has the same people, keys and deeds: only its name is another."""
    with golden_bundle.counted_randomness():
        other = Stage(origin="tally.example/other")
        other.settle()
        other.do("delete", golden_bundle.FIXTURE, "r-1")
    logged = [data for _, data in other.log.events()]
    forger = case.forger()
    forger.events[1 : len(logged)] = logged[1:]
    rule = case.made("allow-by-rule", NEEDED)
    report = case.check(replace(forger.bundle(rule), disclosures=()))
    assert "signatures" in report.failed
    assert {"inclusion BLAKE3", "inclusion SHA-256", "checkpoint"}.isdisjoint(report.failed)


def test_every_event_left_out_is_missed(case):
    for name in ("allow-by-consent", "hold-after-use", "allow-by-standing-grant", "trust-floor", "hold"):
        whole = case.made(name, NEEDED)
        for seq in seqs(whole):
            report = case.check(case.forger().bundle(whole, [one for one in seqs(whole) if one != seq]))
            told = types(whole).get("consent.requested") == seq
            # A request that was left out is not missed by the verdict: what was held before has no second request.
            assert report.verified is told, f"{name} without event {seq}"


def test_event_that_has_no_part_in_the_verdict_is_found(case, consented):
    spare = next(seq for seq in range(36) if seq not in seqs(consented))
    report = case.check(case.forger().bundle(consented, [*seqs(consented), spare]))
    assert report.failed == ("structure",)


def test_consent_swapped_for_another_valid_one_is_found(case, consented):
    """The consent of another row, rightly signed by the same human, in the place of the one that was used."""
    granted = types(consented)["consent.granted"]
    other = case.forger()
    with golden_bundle.counted_randomness():
        stage = Stage()
        stage.settle()
        for number in range(2):
            stage.do("delete", golden_bundle.FIXTURE, f"f-{number}")
        answer = stage.do("delete", "db://prod/users/43", "x-1")
        swapped = stage.consent(answer)
    other.edit(granted, lambda e: e.update(body=swapped.body.json_form()))
    report = case.check(replace(other.bundle(consented), disclosures=()))
    assert {"states", "decision", "consumption"} & set(report.failed)


@pytest.mark.parametrize(
    "type_", ["principal.registered", "resource.registered", "constitution.adopted", "consent.granted", "ledger.opened"]
)
def test_signature_over_another_statement_is_found(case, consented, type_):
    """A right signature of the right key in the right namespace, over something else."""
    seq = types(consented)[type_]

    def forge(event):
        signer = case.stage.signer(event["by"])
        event["body"]["signed"]["armour"] = signer.sign(b"something else", f"tallystick-{type_.split('.')[0]}@v1")

    report = case.check(case.forger().edit(seq, forge).bundle(consented))
    assert "signatures" in report.failed
    assert {"structure", "events", "inclusion BLAKE3", "inclusion SHA-256", "checkpoint"}.isdisjoint(report.failed)


@pytest.mark.parametrize("field", ["key", "by", "auth"])
def test_signature_of_somebody_else_is_found(case, consented, field):
    seq = types(consented)["resource.registered"]
    changes = {
        "key": lambda e: e["body"]["signed"].update(key=case.stage.signer("human:bo").public_key.fingerprint),
        "by": lambda e: e.update(by="sensor:mood"),
        "auth": lambda e: e.update(auth="claimed"),
    }
    assert "signatures" in case.check(case.forger().edit(seq, changes[field]).bundle(consented)).failed


def test_signer_who_was_suspended_before_is_found(stage):
    """The operator slips the registration in past the check that an append makes."""
    from grants import acts

    facts = golden_bundle.FACTS["db://prod/stats/**"]
    late = stage.log.read(
        lambda snapshot: acts.register_resource(
            snapshot, by="registrar:stores", resource="db://prod/late/**", attributes=facts
        )
    ).sign(stage.signer("registrar:stores"))
    stage.act(acts.suspend, by="human:ada", principal="registrar:stores", reason="gone")
    stage.log.transact(lambda tx: tx.append(late))
    answer = stage.do("read", "db://prod/late/1", "r-1")
    report = check_bundle(stage.bundle(answer.decision), stage.policy(), allowed_signers.parse(stage.pins()))
    assert report.failed == ("signatures",)
    assert "suspended" in report.line("signatures").why


def test_opening_of_another_path_value_salt_or_event_is_found(case, consented, reopened):
    index = next(i for i, one in enumerate(consented.disclosures) if one.opening.path == "/args")
    for change in (
        {"path": "/grant"},
        {"path": "/outcome"},
        {"path": ""},
        {"value": {"form": "typed", "payload": {}}},
        {"salt": bytes(32)},
        {"seq": consented.decision + 1},
        {"seq": 30},
    ):
        report = case.check(reopened(consented, index, **change))
        assert report.failed == ("disclosures",), change


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("at", "2026-11-30T11:00:00.000000Z"),
        ("causes", [99]),
        ("seq", 3),
        ("type", "decision.unmade"),
        ("schema", 2),
        ("more", 1),
    ],
)
def test_event_that_breaks_the_envelope_is_found(case, consented, field, value):
    report = case.check(case.forger().edit(consented.decision, lambda e: e.update({field: value})).bundle(consented))
    assert "events" in report.failed


def test_event_in_another_spelling_is_found(case, consented):
    forger = case.forger()
    forger.events[2] = forger.events[2].replace(b'{"at"', b'{ "at"', 1)
    assert "events" in case.check(forger.bundle(consented)).failed


# -- the verdict --

CHANGES = {
    "outcome": "deny",
    "reason": "NO_AUTHORITY",
    "reasons": ["ALLOWED", "NO_AUTHORITY"],
    "articles": ["I"],
    "rules": [],
    "categories": ["disposable"],
    "authority": [],
    "needs": [{"about": "x", "action": 0, "what": "trust", "who": "facts"}],
    "constitution": "",
    "subject": ["agent:reader"],
    "reads": [],
}


@pytest.mark.parametrize("field", sorted(CHANGES))
def test_decision_that_does_not_follow_from_what_it_read_is_found(case, consented, field):
    """The operator has logged another decision than the decision point made; everything else is in order."""

    def lie(event):
        event["body"][field] = CHANGES[field]

    report = case.check(case.forger().edit(consented.decision, lie).bundle(consented))
    assert {"decision", "structure"} & set(report.failed)
    assert {"inclusion BLAKE3", "inclusion SHA-256", "checkpoint", "signatures"}.isdisjoint(report.failed)


def test_state_that_does_not_follow_from_the_events_is_found(case, consented):
    def lie(event):
        read = next(one for one in event["body"]["reads"] if one["view"] == "resource" and one["seq"] is not None)
        read["state"] = "A" * 43

    report = case.check(case.forger().edit(consented.decision, lie).bundle(consented))
    assert {"states", "decision"} == set(report.failed)


def test_state_that_was_there_and_is_said_to_be_absent_is_found(case, consented):
    def lie(event):
        read = next(one for one in event["body"]["reads"] if one["view"] == "consent_by_target")
        read.update(seq=None, state=None)

    assert "states" in case.check(case.forger().edit(consented.decision, lie).bundle(consented)).failed


def test_constitution_other_than_the_adopted_one_is_found(case, consented):
    report = case.check(
        case.forger().edit(consented.decision, lambda e: e["body"].update(constitution="A" * 43)).bundle(consented)
    )
    assert {"constitution", "decision"} == set(report.failed)


def test_actions_other_than_the_operation_holds_are_found(case):
    rule = case.made("allow-by-rule")

    def lie(event):
        event["body"]["actions"][0]["target"] = "file:///srv/app/tests/fixtures/b.json"

    report = case.check(case.forger().edit(rule.decision, lie).bundle(rule))
    assert "reduction" in report.failed


@pytest.mark.parametrize(
    "change",
    [
        lambda e: e["body"].update(use=2),
        lambda e: e["body"].update(item=1),
        lambda e: e["body"].update(target="db://prod/users/43"),
        lambda e: e["body"].update(grant="A" * 22),
        lambda e: e.update(causes=e["causes"][:1]),
        lambda e: e.update(by="agent:reader"),
        lambda e: e.update(at="2026-11-30T12:00:16.100000Z"),
    ],
)
def test_consumption_other_than_the_decision_calls_for_is_found(case, consented, change):
    forged = case.forger().edit(consented.decision + 1, change).bundle(consented)
    assert case.check(forged).failed == ("consumption",)


def test_consumption_that_comes_later_is_found(case, consented):
    """Reserved is spent at once: a consumption that does not follow directly is none of this decision's."""
    forger = case.forger()
    spent, later = consented.decision + 1, consented.decision + 2
    forger.events[later] = forger.events[spent]
    forger.edit(later, lambda e: e.update(seq=later))
    places = [seq for seq in seqs(consented) if seq != spent] + [later]
    assert case.check(forger.bundle(consented, places)).failed == ("consumption",)


def test_consumption_behind_a_verdict_that_spends_nothing_is_found(case):
    rule = case.made("allow-by-rule")
    forger = case.forger()
    spent = case.told["allow-by-consent"] + 1
    forger.events[rule.decision + 1] = forger.events[spent]
    forger.edit(
        rule.decision + 1, lambda e: (e.update(seq=rule.decision + 1), e["body"].update(decision=rule.decision))
    )
    report = case.check(forger.bundle(rule, [*seqs(rule), rule.decision + 1]))
    assert "consumption" in report.failed


@pytest.mark.parametrize(
    "change",
    [
        lambda b: b.update(subject=["agent:reader"]),
        lambda b: b.update(domain="relational"),
        lambda b: b["items"][0].update(version=2),
        lambda b: b["items"][0].update(target="db://prod/users/43"),
        lambda b: b["args"].update(sd="A" * 43),
    ],
)
def test_request_for_something_else_than_was_held_is_found(case, change):
    held = case.made("hold", NEEDED)
    forged = case.forger().edit(held.decision + 1, lambda e: change(e["body"])).bundle(held)
    assert case.check(forged).failed == ("consumption",)


# -- trust --


def test_trust_needs_its_last_update_and_its_latest_reading_alone(case):
    floor = case.made("trust-floor", NEEDED)
    observed = [e.seq for e in floor.events if golden_bundle.EVENTS.parse(e.data).type == "trust.observed"]
    assert len(observed) == 2
    assert [(one.seq, one.opening.path) for one in floor.disclosures] == [(min(observed), "/c_inst")]


def test_reading_that_is_withheld_leaves_the_verdict_not_checked(case):
    floor = replace(case.made("trust-floor", NEEDED), disclosures=())
    report = case.check(floor)
    assert (report.failed, report.line("decision").status) == ((), "NOT-CHECKED")
    assert "decision" in report.left_undone


@pytest.mark.parametrize(
    "change",
    [
        lambda b: b.update(accumulator=[b["accumulator"][0], b["accumulator"][1] + 1]),
        lambda b: b.update(n=[b["n"][0], b["n"][0] + 1]),
        lambda b: b.update(counterpart="person:r8"),
        lambda b: b.update(observed=b["observed"] - 1),
        lambda b: b.update(counted=True),
    ],
)
def test_trust_that_does_not_follow_from_its_observation_is_found(case, change):
    floor = case.made("trust-floor", NEEDED)
    updated = [e.seq for e in floor.events if golden_bundle.EVENTS.parse(e.data).type == "trust.updated"]
    report = case.check(case.forger().edit(updated[-1], lambda e: change(e["body"])).bundle(floor))
    assert {"states", "structure"} & set(report.failed)


def leapt(case, floor, **changes):
    """Change the last update of trust, and the decision with it: it read what follows from the lie."""
    seq = max(e.seq for e in floor.events if golden_bundle.EVENTS.parse(e.data).type == "trust.updated")
    forger = case.forger().edit(seq, lambda event: event["body"].update(changes))
    evidence = Evidence(forger.bundle(floor), golden_bundle.EVENTS, VIEWS)

    def read_so(event):
        for read in event["body"]["reads"]:
            if read["view"] == "trust":
                read["state"] = canon.to_base64url(evidence.state("trust", read["key"]).digest)

    return case.check(forger.edit(floor.decision, read_so).bundle(floor))


def test_trust_by_other_terms_than_those_in_force_is_found(case):
    """An update carries the parameters it was made with; the operator does not choose them."""
    floor = case.made("trust-floor", NEEDED)
    body = last_update(floor)
    assert not body.counted
    report = leapt(case, floor, cap=10**15, floor_step=3 * 10**14, c_ctx=[body.c_ctx[0], 3 * 10**14 * body.n[0]])
    assert "terms are not those of the constitution in force" in report.line("states").why


def test_trust_that_counts_although_the_reading_does_not_qualify_is_found(case):
    floor = case.made("trust-floor")
    body = last_update(floor)
    assert not body.counted
    accumulator = body.accumulator[0] + (10**15 - body.accumulator[0]) * body.gain // 10**15
    n = body.n[0] + 1
    ctx = min(body.cap, max(accumulator, body.floor_step * n))
    changes = {"counted": True, "n": [n - 1, n], "accumulator": [body.accumulator[0], accumulator]}
    report = leapt(case, floor, **changes, c_ctx=[body.c_ctx[0], ctx])
    assert "whether it counts does not follow from the reading" in report.line("states").why


def last_update(bundle):
    events = [golden_bundle.EVENTS.parse(event.data) for event in bundle.events]
    return [event.body for event in events if event.type == "trust.updated"][-1]


@pytest.mark.parametrize("auth", ["signature", "ledger"])
def test_asker_who_is_said_to_have_signed_is_found(case, auth):
    """Nothing in a decision is signed by who asked: such a record can't be told from an invented one."""
    bundle = case.made("allow-by-rule")
    report = case.check(case.forger().edit(bundle.decision, lambda event: event.update(auth=auth)).bundle(bundle))
    assert "asker" in report.line("decision").why
    assert report.failed == ("decision",)


def test_problem_that_no_home_would_solve_and_that_was_kept_back_is_found(case):
    """Only what depends on the asker's home directory may be left unchecked."""
    evidence = Evidence(case.made("unreadable"), golden_bundle.EVENTS, VIEWS)
    event, body = evidence.decision
    for command, status in (("rm -rf $SOMEWHERE/x", "FAIL"), ("rm -rf ~/x", "NOT-CHECKED")):
        operation = {"form": "shell", "payload": {"command": command, "cwd": "/srv/app"}}
        evidence.kept[event.seq] = [Opening("/args", bytes(32), operation)]
        evidence.events[event.seq] = replace(event, body=body.model_copy(update={"problems": ()}))
        assert check_reduction(evidence).status == status, command


# -- damage --


def test_no_truncated_bundle_passes(case, golden):
    data, policy = golden("allow-by-consent-disclosed.bundle"), case.stage.policy()
    for end in range(0, len(data), 97):
        assert not passes(data[:end], policy)


def test_no_bundle_with_a_flipped_bit_passes(case, golden):
    data, policy = golden("allow-by-consent-disclosed.bundle"), case.stage.policy()
    for number in range(300):
        position = number * 7919 % (len(data) * 8)
        damaged = bytearray(data)
        damaged[position // 8] ^= 1 << position % 8
        assert not passes(bytes(damaged), policy), position


def passes(data, policy):
    from verify.errors import NotABundleError

    try:
        return check_bundle(data, policy).verified
    except NotABundleError:
        return False


def test_names_of_the_checks_are_stable():
    assert CHECKS[0] == "structure"
    assert len(set(CHECKS)) == len(CHECKS) == 15


def test_disclosures_choose_what_is_told(case):
    seq = case.told["allow-by-consent"]
    by_path = parse_bundle(case.stage.bundle(seq, Disclosure(frozenset({FieldPattern("/args")}))))
    assert {one.opening.path for one in by_path.disclosures} == {"/args"}
    single = parse_bundle(case.stage.bundle(seq, Disclosure(frozenset({FieldPattern("/args", seq)}))))
    assert [(one.seq, one.opening.path) for one in single.disclosures] == [(seq, "/args")]
    assert not parse_bundle(case.stage.bundle(seq)).disclosures
