"""Agents with keys, and the ways to change the default constitution."""

from dataclasses import dataclass
from typing import Any

import pytest

from decisions.amendment import acts
from decisions.constitution import DEFAULT_TEXT
from grants.acts import register_principal

TIGHTER = DEFAULT_TEXT.replace('gate = "0.55"', 'gate = "0.56"')
LOOSER = DEFAULT_TEXT.replace('gate = "0.55"', 'gate = "0.5499"')
MIXED = TIGHTER.replace('gate = "0.40"', 'gate = "0.39"')
RENAMED = DEFAULT_TEXT.replace('name = "tallystick default"', 'name = "the same, renamed"')


@dataclass
class House:
    """A court whose agents have keys: two of ada's, one of bo's, one of cy's."""

    court: Any

    @property
    def log(self) -> Any:
        return self.court.office.log

    def propose(self, document: str, by: str = "agent:ada-1", **how: Any) -> int:
        return int(self.court.change(acts.propose, by=by, document=document, reason="so it is better", **how).seq)

    def vote(self, amendment: int, by: str, choice: str = "for") -> Any:
        return self.court.change(acts.vote, by=by, amendment=amendment, choice=choice)

    def adopt(self, amendment: int, by: str) -> Any:
        event = self.court.change(acts.adopt, by=by, amendment=amendment)
        return self.court.office.event(event.seq + 1)

    def reject(self, amendment: int, by: str) -> Any:
        return self.court.change(acts.reject, by=by, amendment=amendment, reason="no")


@pytest.fixture
def house(court: Any) -> House:
    office = court.office
    for human in ("human:cy",):
        key = office.signer(human).public_key
        office.act(register_principal, by="human:ada", principal=human, name=human, keys=[key])
    for agent, owner in {
        "agent:ada-1": "human:ada",
        "agent:ada-2": "human:ada",
        "agent:bo-1": "human:bo",
        "agent:cy-1": "human:cy",
    }.items():
        key = office.signer(agent).public_key
        office.act(register_principal, by="human:ada", principal=agent, name=agent, keys=[key], owner=owner)
    return House(court)


def asking(quorum: int, humans: int, text: str = DEFAULT_TEXT) -> str:
    """Give a constitution that says how many must agree."""
    return text.replace("[kinds]", f"[amending]\nquorum = {quorum}\nhumans = {humans}\n\n[kinds]", 1)
