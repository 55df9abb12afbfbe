"""docs/spec/grants.md and statements.md against the code."""

import re
from pathlib import Path

from grants.binding import BindingTo, binding, document
from grants.book import VIEWS, consents, requests, states
from grants.consent import REASONS
from grants.events import Operand
from ledger import canon
from ledger.disclosure import Disclosable

DOCS = Path(__file__).parents[2] / "docs" / "spec"
GRANTS = (DOCS / "grants.md").read_text("utf-8")
STATEMENTS = (DOCS / "statements.md").read_text("utf-8")

FORMS = {
    "ledger": states.GenesisState,
    "principal": states.PrincipalState,
    "uid": states.UidState,
    "resource": states.ResourceState,
    "resource_spelling": states.SpellingsState,
    "resource_below": states.BelowState,
    "standing": states.StandingState,
    "standing_by_subject": states.StandingsState,
    "consent": states.ConsentState,
    "consent_by_target": states.ConsentsState,
    "request": states.RequestState,
    "request_by_target": states.RequestsState,
    "hold": states.HoldState,
    "hold_over": states.HoldsState,
    "retention": states.RetentionState,
    "evidence": states.EvidenceState,
    "resource_within": states.WithinState,
    "standing_by_letter": states.StandingsState,
}


def test_the_binding_example_holds():
    shown, digest = re.findall(r"^```\n(.*)\n```$", GRANTS, re.MULTILINE)
    value = canon.decode_object(shown.encode())
    to = BindingTo(
        value["audience"],
        tuple(value["subject"]),
        value["domain"],
        Disclosable(**value["args"]),
        tuple(Operand.model_validate(operand) for operand in value["operands"]),
    )
    item = [value[name] for name in ("kind", "verb", "target", "version")]
    assert document(to, *item) == shown.encode()
    assert binding(to, *item) == digest


def test_every_view_and_every_part_of_its_state_is_told():
    rows = dict(re.findall(r"^\| `(\w+)` \| [^|]* \| (.*) \|$", GRANTS.partition("## Views")[2], re.MULTILINE))
    assert list(rows) == [view.name for view in VIEWS] == list(FORMS)
    for name, form in FORMS.items():
        told = re.findall(r"`(\w+)`", rows[name])
        assert [*form.model_fields] == [part for part in told if part in form.model_fields], name
    assert f"the last {consents.ENDED_KEPT}" in rows["consent_by_target"]
    assert f"the last {requests.KEPT}" in rows["request_by_target"]


def test_reasons_are_told_in_their_order():
    text = GRANTS.partition("The first grant that passes all is used.")[2]
    assert list(dict.fromkeys(re.findall(r"CONSENT_\w+", text))) == [*REASONS]


def test_the_command_to_check_a_statement_names_every_part():
    assert "ssh-keygen -Y verify -f allowed_signers -I human:ada -n tallystick-consent@v1" in STATEMENTS
