"""The events that create and end authority: principals, resources, grants, consents; and those of erasure.

Each is signed by a human (resources also by a registrar) over its statement; `consent.requested` and
`consent.consumed` are the ledger's own acts. Names that could identify a person are disclosable.

Source: DESIGN sections 7, 8 and 11; docs/events/.
"""

from grants.events.consents import (
    ConsentConsumed,
    ConsentGranted,
    ConsentRefused,
    ConsentRequested,
    ConsentRevoked,
    Item,
    Operand,
)
from grants.events.erasures import BASES, Basis, ErasedField, FieldsErased
from grants.events.evidence import EvidenceRecorded
from grants.events.former import FORMER
from grants.events.forms import Names, Positive
from grants.events.holds import HoldPlaced, HoldReleased
from grants.events.principals import (
    PrincipalConfirmed,
    PrincipalKeyAdded,
    PrincipalKeyRevoked,
    PrincipalKind,
    PrincipalRegistered,
    PrincipalSuspended,
)
from grants.events.resources import (
    Attributes,
    Direction,
    Label,
    Registration,
    Relabelling,
    ResourceAdvanced,
    ResourceChange,
    ResourceCleared,
    ResourceReclassified,
    ResourceRegistered,
    ResourceRetired,
    Scalar,
)
from grants.events.retention import RetentionRule, RetentionSet
from grants.events.standing import Cosigned, GrantRatified, GrantRatifiedTogether, GrantRevoked
from ledger.event import Body

TYPES: tuple[type[Body], ...] = (
    PrincipalRegistered,
    PrincipalKeyAdded,
    PrincipalKeyRevoked,
    PrincipalSuspended,
    PrincipalConfirmed,
    ResourceRegistered,
    ResourceReclassified,
    ResourceAdvanced,
    ResourceRetired,
    ResourceCleared,
    GrantRatified,
    GrantRatifiedTogether,
    GrantRevoked,
    ConsentRequested,
    ConsentGranted,
    ConsentRefused,
    ConsentRevoked,
    ConsentConsumed,
    FieldsErased,
    HoldPlaced,
    HoldReleased,
    RetentionSet,
    EvidenceRecorded,
)
"""Every type, in its present schema; `FORMER` has those of former schemas."""


__all__ = [
    "BASES",
    "FORMER",
    "TYPES",
    "Attributes",
    "Basis",
    "ConsentConsumed",
    "ConsentGranted",
    "ConsentRefused",
    "ConsentRequested",
    "ConsentRevoked",
    "Cosigned",
    "Direction",
    "ErasedField",
    "EvidenceRecorded",
    "FieldsErased",
    "GrantRatified",
    "GrantRatifiedTogether",
    "GrantRevoked",
    "HoldPlaced",
    "HoldReleased",
    "Item",
    "Label",
    "Names",
    "Operand",
    "Positive",
    "PrincipalConfirmed",
    "PrincipalKeyAdded",
    "PrincipalKeyRevoked",
    "PrincipalKind",
    "PrincipalRegistered",
    "PrincipalSuspended",
    "Registration",
    "Relabelling",
    "ResourceAdvanced",
    "ResourceChange",
    "ResourceCleared",
    "ResourceReclassified",
    "ResourceRegistered",
    "ResourceRetired",
    "RetentionRule",
    "RetentionSet",
    "Scalar",
]
