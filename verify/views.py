"""The event types and the folds that every check knows: one list, for the offline checks and for whoever opens a log.

Source: DESIGN sections 2 and 6.
"""

from typing import Final

import decisions.book
import decisions.events
import grants.book
import grants.events
import ledger.events
from ledger.event import Registry
from ledger.view import View

EVENTS: Final = Registry(*ledger.events.TYPES, *grants.events.TYPES, *grants.events.FORMER, *decisions.events.TYPES)
"""Every event type of this version, in every schema that it ever had."""

VIEWS: Final[tuple[View, ...]] = (*grants.book.VIEWS, *decisions.book.VIEWS)
"""Every view of this version."""
