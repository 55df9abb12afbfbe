"""The book: the folds behind principals, resources, grants, consents, evidence, holds and retention, one view per file.

A view says of an event which rows it changes and how, and refuses an event that contradicts what stands. It checks no
signature: that is `grants.authority`, at each append and at each use.

Source: DESIGN sections 6 and 11; docs/spec/grants.md.
"""

from grants.book.consents import ConsentsByTarget, ConsentView
from grants.book.evidence import EvidenceView
from grants.book.genesis import LedgerView
from grants.book.holds import HoldsOver, HoldView
from grants.book.principals import PrincipalView, UidView
from grants.book.requests import RequestsByTarget, RequestView
from grants.book.resources import ResourceBelowView, ResourceSpellingView, ResourceView
from grants.book.retention import RetentionView
from grants.book.standing import StandingByLetter, StandingBySubject, StandingView
from grants.book.within import ResourceWithinView
from ledger.view import View

VIEWS: tuple[View, ...] = (
    LedgerView(),
    PrincipalView(),
    UidView(),
    ResourceView(),
    ResourceSpellingView(),
    ResourceBelowView(),
    StandingView(),
    StandingBySubject(),
    ConsentView(),
    ConsentsByTarget(),
    RequestView(),
    RequestsByTarget(),
    HoldView(),
    HoldsOver(),
    RetentionView(),
    EvidenceView(),
    ResourceWithinView(),
    StandingByLetter(),
)
"""Every view of this layer."""

__all__ = ["VIEWS"]
