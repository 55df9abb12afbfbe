"""The events that create and end authority: principals, resources, grants, consents.

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
from grants.events.forms import Names, Positive
from grants.events.principals import (
    PrincipalKeyAdded,
    PrincipalKeyRevoked,
    PrincipalKind,
    PrincipalRegistered,
    PrincipalSuspended,
)
from grants.events.resources import (
    Attributes,
    ResourceAdvanced,
    ResourceReclassified,
    ResourceRegistered,
    ResourceRetired,
)
from grants.events.standing import GrantRatified, GrantRevoked
from ledger.event import Body

TYPES: tuple[type[Body], ...] = (
    PrincipalRegistered,
    PrincipalKeyAdded,
    PrincipalKeyRevoked,
    PrincipalSuspended,
    ResourceRegistered,
    ResourceReclassified,
    ResourceAdvanced,
    ResourceRetired,
    GrantRatified,
    GrantRevoked,
    ConsentRequested,
    ConsentGranted,
    ConsentRefused,
    ConsentRevoked,
    ConsentConsumed,
)

__all__ = [
    "TYPES",
    "Attributes",
    "ConsentConsumed",
    "ConsentGranted",
    "ConsentRefused",
    "ConsentRequested",
    "ConsentRevoked",
    "GrantRatified",
    "GrantRevoked",
    "Item",
    "Names",
    "Operand",
    "Positive",
    "PrincipalKeyAdded",
    "PrincipalKeyRevoked",
    "PrincipalKind",
    "PrincipalRegistered",
    "PrincipalSuspended",
    "ResourceAdvanced",
    "ResourceReclassified",
    "ResourceRegistered",
    "ResourceRetired",
]
