"""Every error that the decisions layer raises.

    DecisionError
    |-- AmendmentError           a change of the rules that is not made by right, or is of another class than it says
    |-- AnalysisError            a constitution that is too involved to be analysed exactly
    |-- ConstitutionError        a constitution that is not accepted, as a whole
    |-- EnforcementError         an enforcement point that is wired or used wrongly
    |-- GovernanceDenied         what an enforcement point raises in the place of an effect (decisions.pep.denied)
    |-- MismatchError            an object that is not the one that was decided on, when the effect comes to it
    |-- OutcomeError             an outcome that can't be reported: of no decision, or by somebody else
    |   `-- OutcomeStandsError   another outcome was reported before
    |-- RatificationError        a standing grant that too few humans have signed
    |-- RelabellingError         labels that can't be changed so, or that open something else than was signed for
    |-- RequestConflictError     a request id that was used for another operation
    |-- ShadowError              a shadow that can't begin or end so
    `-- TrustError               a trust key that could be another's, or a trust state that does not follow

A deny is a value, never an error. Errors of other libraries are wrapped where they arise.
"""


class DecisionError(Exception):
    """Base of every error of this package."""


class AmendmentError(DecisionError, ValueError):
    """The rules can't be changed so: too few are for it, it is stale, or it is of another class than it says."""


class AnalysisError(DecisionError, ValueError):
    """Rules that are too involved to be analysed exactly within bounds: nothing is said of them."""


class ConstitutionError(DecisionError, ValueError):
    """A constitution is not accepted; one line says where, why, and what was probably meant."""


class ShadowError(DecisionError, ValueError):
    """A shadow can't begin or end so: one runs already, or none does."""


class TrustError(DecisionError, ValueError):
    """A trust key could be another's, or a trust state or update does not follow from what stands before it."""


class RatificationError(DecisionError, ValueError):
    """A standing grant has fewer humans' signatures than the constitution asks for, or was signed under another one."""


class EnforcementError(DecisionError, TypeError):
    """An enforcement point is wired or used wrongly: without a decision point, or on what no verdict names."""


class MismatchError(DecisionError, ValueError):
    """What an effect would touch is not what was decided on: nothing is done, and it can be asked again."""


class OutcomeError(DecisionError, ValueError):
    """An outcome can't be reported: of no decision, by somebody else than asked, or with a note of another form."""


class OutcomeStandsError(OutcomeError):
    """An outcome can't be reported: the decision has another one."""


class RequestConflictError(DecisionError, ValueError):
    """A request id was used for another operation."""


class RelabellingError(DecisionError, ValueError):
    """Labels can't be changed so: it opens something else than was signed for, or names a place that is not known."""
