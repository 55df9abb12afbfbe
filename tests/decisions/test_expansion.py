"""What an action reaches: a fixpoint, so that deciding again reads what was read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decisions.action import Reduction, action
from decisions.evaluation import Trace
from decisions.expansion import MOST_ACTIONS, expand
from grants.book.resources import ResourceBelowView, ResourceSpellingView, ResourceView
from grants.events import ResourceRegistered, ResourceRetired
from ledger.event import Draft, Signed, seal
from ledger.instant import Instant
from ledger.view import fold
from verify.replay import replay
from verify.views import EVENTS, VIEWS

FOLDS = (ResourceView(), ResourceSpellingView(), ResourceBelowView())
AT = Instant("2026-11-30T12:00:00.000000Z")
NAMES = ["a", "A", "b", "B"]


class Store:
    """The resource views after some registrations."""

    def __init__(self, registered, retired=()):
        common = {"origin": "o", "log_size": 0, "signed": Signed(key="k", armour="s")}
        bodies = [
            ResourceRegistered(resource=name, attributes=facts, within=(), relabels=None, **common)
            for name, facts in registered.items()
        ]
        bodies += [ResourceRetired(resource=name, **{**common, "log_size": 10**6}) for name in retired]
        events = [seal(Draft(body, "human:ada", "signature"), seq, AT) for seq, body in enumerate(bodies)]
        self.rows = fold(FOLDS, events)

    def state(self, view, key):
        return self.rows.get((view, key))


def acts(*targets, verb="delete", scope="many"):
    return Reduction(tuple(action("file", verb, target, {"scope": scope}, "") for target in targets), ())


@st.composite
def stores(draw):
    paths = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4).map(lambda parts: "file:///" + "/".join(parts))
    patterns = st.tuples(paths, st.booleans()).map(lambda pair: pair[0] + ("/**" if pair[1] else ""))
    facts = st.sampled_from([{}, {"casefold": True}, {"casefold": False}])
    registered = draw(st.dictionaries(patterns, facts, max_size=10))
    retired = draw(st.lists(st.sampled_from(sorted(registered)), unique=True)) if registered else []
    return Store(registered, retired), draw(st.lists(paths, min_size=1, max_size=3))


@given(stores(), st.sampled_from(["delete", "list", "read"]), st.sampled_from(["one", "many"]))
def test_expanding_again_adds_nothing_and_reads_nothing_else(made, verb, scope):
    store, targets = made
    first, second = Trace(store), Trace(store)
    once = expand(first, acts(*targets, verb=verb, scope=scope))
    again = expand(second, once)
    assert once == again
    assert first.reads() == second.reads()


@given(stores())
def test_everything_registered_below_is_reached(made):
    store, targets = made
    reached = {one.target for one in expand(store, acts(*targets)).actions}
    for view, key in store.rows:
        name = key.removesuffix("/**")
        if view == "resource" and any(name.startswith(f"{target}/") for target in targets):
            assert name in reached


def test_what_lies_below_is_reached_under_its_other_spellings_too():
    store = Store({"file:///r/**": {"casefold": True}, "file:///r/x/.git/**": {}, "file:///r/X/.GIT/hooks": {}})
    reached = {one.target for one in expand(store, acts("file:///r")).actions}
    assert {"file:///r/x/.git", "file:///r/X/.GIT/hooks", "file:///r/x/.git/hooks"} <= reached


def test_more_than_can_be_judged_is_too_complex():
    store = Store({f"file:///{top}/{leaf:03}": {} for top in range(8) for leaf in range(200)})
    whole = expand(store, acts(*(f"file:///{top}" for top in range(8))))
    assert len(whole.actions) == 8 < MOST_ACTIONS
    assert [problem.code for problem in whole.problems] == ["TOO_COMPLEX"]


@pytest.mark.parametrize("command", ["rm -rf /srv/app", "rm -rf /srv", "ls -R /srv/app", "grep -r x /srv/app /srv/hr"])
def test_decisions_on_broad_targets_replay(court, command):
    court.ask("shell", {"command": command, "cwd": "/srv"})
    court.do("read", "db://prod/users", scope="all")
    log = court.office.log
    lines = list(replay(log.events(), log.openings, EVENTS, VIEWS))
    assert {line.status for line in lines} == {"same"}
