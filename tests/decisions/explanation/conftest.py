"""What a recorded decision rested on, read again from its log."""

from typing import Any

import pytest

from decisions.explanation.ask import account_of, situation_of
from decisions.law import law_in_force
from verify.past import Past
from verify.redecision import decide_again, differences
from verify.views import VIEWS


class Again:
    """A recorded decision, decided again."""

    def __init__(self, office: Any, seq: int) -> None:
        event = office.event(seq)

        def work(snapshot: Any) -> None:
            past = Past(snapshot, office.registry, VIEWS, seq)
            again = decide_again(past, office.registry, event, event.body)
            self.differs = differences(event, event.body, again)
            law = law_in_force(past, office.registry)
            said = (again.evaluation, law, past, office.registry, again.asker, event.at)
            self.situation = situation_of(*said)
            self.account = account_of(*said)

        office.log.read(work)


@pytest.fixture
def again(court: Any) -> Any:
    return lambda answer: Again(court.office, answer.decision)
