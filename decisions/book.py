"""The folds behind the constitution in force, the trust that has been earned, and what became of effects.

    outcome       key "<decision>"                     {"outcome", "seq"}
    constitution  key "current"                        {"digest", "name", "seq"}
    amendment     see decisions.amendment.book
    shadow        see decisions.shadow.book
    trust         key "<system>|<counterpart>|<domain>"  {"n", "accumulator", "c_ctx", "observed", "taken"}
    reading       key "<system>|<counterpart>"         {"observed", "taken"}

The latest reading is kept apart from the domains: a bad night does not end with a change of subject.

``observed`` is the `trust.observed` whose reading was taken last, and ``taken`` when; a reading that claims a
later time than its event's counts as taken at the event's, so none can outlive those that follow it.

Source: DESIGN sections 6, 7 and 12.
"""

from collections.abc import Iterable
from typing import Final

from decisions import trust
from decisions.amendment.book import AmendmentView
from decisions.amendment.events import ConstitutionAmended
from decisions.errors import TrustError
from decisions.events import Adoption, OutcomeReported, TrustUpdated
from decisions.shadow.book import ShadowView
from grants.book.checks import check_seen, contradiction
from ledger.errors import ViewError
from ledger.event import Event
from ledger.view import State, View

CURRENT: Final = "current"
OUTCOME: Final = "outcome"


class ConstitutionView:
    """Which constitution is in force: the one that was adopted last."""

    name = "constitution"

    def keys(self, event: Event) -> Iterable[str]:
        """Give the one key, for an adoption."""
        return (CURRENT,) if isinstance(event.body, Adoption) else ()

    def apply(self, key: str, state: State | None, event: Event) -> State:  # noqa: ARG002  (one key)
        """Put the adopted constitution in force.

        Raises:
            ViewError: the event adopts none, or was signed before the one in force was adopted: a signature that was
                held back does not bring back what has been replaced. Or it changes another one than is in force.
        """
        body = event.body
        if not isinstance(body, Adoption):
            raise ViewError(f"{event.type} adopts no constitution")
        if isinstance(body, ConstitutionAmended):
            if body.adopted != event.seq - 1 or (state is not None and state["seq"] != body.base):
                raise contradiction(event, f"it follows from no amendment of the constitution of event {body.base}")
        elif state is not None:
            check_seen(event, body.log_size, int(str(state["seq"])), "the constitution in force")
        return {"digest": body.digest, "name": body.name, "seq": event.seq}


class OutcomeView:
    """What became of the effect of each decision whose enforcement point has told; what it has spent is closed."""

    name = OUTCOME

    def keys(self, event: Event) -> Iterable[str]:
        """Give the decision that the event is about."""
        return (str(event.body.decision),) if isinstance(event.body, OutcomeReported) else ()

    def apply(self, key: str, state: State | None, event: Event) -> State:
        """Note the outcome.

        Raises:
            ViewError: it is none, there is one already, or it does not name an earlier event as its cause.
        """
        body = event.body
        if not isinstance(body, OutcomeReported):
            raise ViewError(f"{event.type} tells no outcome")
        if state is not None:
            raise ViewError(f"the outcome of decision {key} was reported by event {state['seq']}")
        if body.decision not in event.causes:
            raise ViewError(f"an outcome is caused by its decision, {key}")
        return {"outcome": body.outcome, "seq": event.seq}


class TrustView:
    """What has been earned, by system, counterpart and domain."""

    name = "trust"

    def keys(self, event: Event) -> Iterable[str]:
        """Give the key that an update moves."""
        body = event.body
        return (_key(body),) if isinstance(body, TrustUpdated) else ()

    def apply(self, key: str, state: State | None, event: Event) -> State:
        """Move the trust as the update says, if computing it again says the same.

        Raises:
            ViewError: another key's update, or numbers that do not follow.
        """
        body = event.body
        if not isinstance(body, TrustUpdated) or _key(body) != key:
            raise ViewError(f"{event.type} does not move the trust of {key}")
        # Directly behind it: so one observation, whose interaction is claimed once, can move the trust only once.
        if body.observed != event.seq - 1:
            raise ViewError(f"event {event.seq - 1} stands before this update, and {body.observed} is said to cause it")
        try:
            new = trust.recompute(state, body)
        except TrustError as error:
            raise ViewError(f"trust of {key}: {error}") from error
        taken = min(body.taken, event.at)
        latest: State = {"observed": body.observed, "taken": taken}
        if state is not None and str(state["taken"]) > taken:
            latest = {"observed": state["observed"], "taken": state["taken"]}
        return {"n": new.n, "accumulator": new.accumulator, "c_ctx": new.c_ctx, **latest}


class ReadingView:
    """The latest reading of c_inst, by system and counterpart, whatever the domain it was taken in."""

    name = "reading"

    def keys(self, event: Event) -> Iterable[str]:
        """Give the key that an update brings a reading for."""
        body = event.body
        return (f"{body.system}|{body.counterpart}",) if isinstance(body, TrustUpdated) else ()

    def apply(self, key: str, state: State | None, event: Event) -> State:  # noqa: ARG002  (the protocol's form)
        """Keep whichever reading was taken last; of two at one time, the one that came last.

        Raises:
            ViewError: the event brings no reading.
        """
        body = event.body
        if not isinstance(body, TrustUpdated):
            raise ViewError(f"{event.type} brings no reading")
        taken = min(body.taken, event.at)
        if state is not None and str(state["taken"]) > taken:
            return state
        return {"observed": body.observed, "taken": taken}


def _key(body: TrustUpdated) -> str:
    try:
        return trust.key(body.system, body.counterpart, body.domain)
    except TrustError as error:
        raise ViewError(str(error)) from error


VIEWS: tuple[View, ...] = (
    ConstitutionView(),
    AmendmentView(),
    ShadowView(),
    TrustView(),
    ReadingView(),
    OutcomeView(),
)
"""The views of this package."""
