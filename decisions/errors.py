"""Every error that the decisions layer raises.

    DecisionError
    |-- AnalysisError            a constitution that is too involved to be analysed exactly
    |-- ConstitutionError        a constitution that is not accepted, as a whole
    |-- EnforcementError         an enforcement point that is wired or used wrongly
    |-- GovernanceDenied         what an enforcement point raises in the place of an effect (decisions.pep.denied)
    |-- OutcomeError             an outcome that can't be reported: of no decision, a second one, by somebody else
    |-- RequestConflictError     a request id that was used for another operation
    `-- TrustError               a trust key that could be another's, or a trust state that does not follow

A deny is a value, never an error. Errors of other libraries are wrapped where they arise.
"""


class DecisionError(Exception):
    """Base of every error of this package."""


class AnalysisError(DecisionError, ValueError):
    """Rules that are too involved to be analysed exactly within bounds: nothing is said of them."""


class ConstitutionError(DecisionError, ValueError):
    """A constitution is not accepted; one line says where, why, and what was probably meant."""


class TrustError(DecisionError, ValueError):
    """A trust key could be another's, or a trust state or update does not follow from what stands before it."""


class EnforcementError(DecisionError, TypeError):
    """An enforcement point is wired or used wrongly: without a decision point, or on what no verdict names."""


class OutcomeError(DecisionError, ValueError):
    """An outcome can't be reported: there is no such decision, it has another outcome, or somebody else has asked."""


class RequestConflictError(DecisionError, ValueError):
    """A request id was used for another operation."""
