"""The events of deciding: constitutions, decisions, what became of them, trust.

Source: DESIGN sections 7, 10 and 12; docs/events/.
"""

from decisions.amendment import events as amendments
from decisions.events.constitutions import (
    Adoption,
    ConstitutionAdopted,
)
from decisions.events.decisions import (
    Authority,
    DecidedAction,
    DecisionMade,
    Fact,
    FiredRule,
    Need,
    Outcome,
    Read,
    Reason,
    ShadowVerdict,
)
from decisions.events.outcomes import (
    Effect,
    OutcomeReported,
    outcome_claim,
)
from decisions.events.trust import (
    TrustObserved,
    TrustUpdated,
    interaction_claim,
)
from decisions.shadow import events as shadows
from ledger.event import Body

TYPES: tuple[type[Body], ...] = (
    ConstitutionAdopted,
    *amendments.TYPES,
    *shadows.TYPES,
    DecisionMade,
    OutcomeReported,
    TrustObserved,
    TrustUpdated,
)

__all__ = [
    "TYPES",
    "Adoption",
    "Authority",
    "ConstitutionAdopted",
    "DecidedAction",
    "DecisionMade",
    "Effect",
    "Fact",
    "FiredRule",
    "Need",
    "Outcome",
    "OutcomeReported",
    "Read",
    "Reason",
    "ShadowVerdict",
    "TrustObserved",
    "TrustUpdated",
    "interaction_claim",
    "outcome_claim",
]
