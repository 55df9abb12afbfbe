"""The enforcement point in a process: how it is wired, what a permit is good for, what may be said in an outage.

Policy cases B05, C09, D03, D13, D15, D17, F11.
"""

import asyncio
import functools
import threading
import time

import pytest

from decisions.answer import unavailable
from decisions.constitution import DEFAULT_TEXT, default
from decisions.errors import EnforcementError
from decisions.law import open_class_of
from decisions.operation import Operation
from decisions.outcome import Report
from decisions.pep import EnforcementPoint, GovernanceDenied, Kept, MemorySpool, Permit
from decisions.record import DecisionPoint
from ledger.errors import StoreError
from tests.enforcement import FIXTURE, ROW, WITHIN, Service, typed

AGENT = 1001
WORDS = open_class_of(default()).answer


@pytest.fixture
def point(court):
    return EnforcementPoint(Service(court.point), uid=AGENT, within=5)


def reported(court):
    events = [court.office.registry.parse(data) for _, data in court.office.log.events()]
    return [(event.body.decision, event.body.outcome) for event in events if event.type == "outcome.reported"]


def noted(court):
    log = court.office.log
    seq = max(seq for seq, data in log.events() if court.office.registry.parse(data).type == "outcome.reported")
    return [opening.value for opening in log.openings(seq)]


def say(form, person="r7"):
    return Operation("conversation", {"class": form, "person": person, "domain": "relational"})


# F11: there is no enforcement point without a decision point.


@pytest.mark.parametrize("service", [None, False, "allow", object(), lambda request: "allow", {"decide": print}])
def test_it_needs_a_decision_point(service):
    with pytest.raises(EnforcementError, match="no default one"):
        EnforcementPoint(service)


def test_leaving_the_decision_point_out_is_an_error():
    with pytest.raises(TypeError):
        EnforcementPoint()


@pytest.mark.parametrize("within", [0, -1, float("nan"), float("inf"), 10.0**12])
def test_an_answer_may_take_some_seconds_and_not_for_ever(court, within):
    with pytest.raises(EnforcementError, match="not for ever"):
        EnforcementPoint(court.point, within=within)


# A denial carries the verdict.


def test_a_denial_carries_the_verdict(point):
    with pytest.raises(GovernanceDenied) as held:
        point.ask(typed("delete", ROW))
    denied = held.value
    assert (denied.outcome, denied.why) == ("hold", "CONSENT_REQUIRED")
    assert denied.answer.decision == denied.decision
    assert denied.request == denied.decision + 1
    assert denied.local_answer is None
    assert str(denied) == "hold: CONSENT_REQUIRED"


def test_each_call_has_an_id_of_its_own(point, court):
    assert [point.ask(typed("delete", FIXTURE)).decision for _ in range(2)]
    ids = {court.office.event(seq).request for seq in range(court.office.log.head.size)} - {None}
    assert len(ids) == 2


def test_a_used_id_with_another_operation_is_a_deny_without_a_record(point, court):
    point.ask(typed("delete", FIXTURE), request="r")
    size = court.office.log.head.size
    with pytest.raises(GovernanceDenied, match="used for another operation"):
        point.ask(typed("write", FIXTURE), request="r")
    assert court.office.log.head.size == size


# The objects that the verdict names.


def test_the_effect_uses_the_object_that_was_decided(court):
    links = {FIXTURE: "file:///srv/app/tests/fixtures/b.json"}
    point = DecisionPoint(court.office.log, court.office.registry, resolver=links.get)
    permit = EnforcementPoint(point, uid=AGENT).ask(typed("delete", FIXTURE))
    links[FIXTURE] = "file:///etc/passwd"
    assert permit.path(FIXTURE) == "/srv/app/tests/fixtures/b.json"
    assert {action.target for action in permit.actions} == {FIXTURE, "file:///srv/app/tests/fixtures/b.json"}


def test_a_link_that_leads_outside_is_no_object_of_a_permit(court):
    point = DecisionPoint(court.office.log, court.office.registry, resolver=lambda _: "file:///etc/passwd")
    with pytest.raises(GovernanceDenied):
        EnforcementPoint(point, uid=AGENT).ask(typed("delete", FIXTURE))


@pytest.mark.parametrize("target", ["file:///etc/passwd", FIXTURE + "/", "", "db://prod/users/42"])
def test_a_permit_names_nothing_that_was_not_decided(point, target):
    permit = point.ask(typed("delete", FIXTURE))
    assert permit.object(FIXTURE) == FIXTURE
    with pytest.raises(EnforcementError, match="use what was decided"):
        permit.object(target)


def test_what_is_no_file_has_no_path(point, court):
    held = court.do("delete", ROW)
    court.consent(held)
    permit = point.ask(typed("delete", ROW))
    with pytest.raises(EnforcementError, match="is no file"):
        permit.path(ROW)


def test_what_was_edited_is_not_covered(point):
    permit = point.ask(typed("delete", FIXTURE))
    permit.check_covers(typed("delete", FIXTURE))
    with pytest.raises(GovernanceDenied, match="decided anew"):
        permit.check_covers(typed("delete", FIXTURE + ".bak"))


# One permit, one run; and what became of it.


def test_a_permit_is_good_for_one_run(point, court):
    permit = point.ask(typed("delete", FIXTURE))
    with permit:
        pass
    with pytest.raises(GovernanceDenied, match="one allow, one effect"), permit:
        raise AssertionError("it ran")
    permit.withdraw("too late")
    assert reported(court) == [(permit.decision, "done")]


def test_of_many_threads_one_runs_under_a_permit(point):
    permit = point.ask(typed("delete", FIXTURE))
    ran, barrier = [], threading.Barrier(8)

    def enter():
        barrier.wait()
        try:
            with permit:
                ran.append(1)
        except GovernanceDenied:
            pass

    threads = [threading.Thread(target=enter) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ran == [1]


@pytest.mark.parametrize("broken", [KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError])
def test_an_effect_that_is_broken_off_is_unknown(point, court, broken):
    with pytest.raises(broken), point.enforce(typed("delete", FIXTURE)):
        raise broken
    assert [outcome for _, outcome in reported(court)] == ["unknown"]


def test_an_effect_whose_process_is_killed_stays_open_until_somebody_says_unknown(point, court):
    permit = point.ask(typed("delete", FIXTURE))
    permit.__enter__()
    del permit
    assert reported(court) == []
    successor = EnforcementPoint(court.point, uid=AGENT)
    with pytest.raises(GovernanceDenied):
        successor.ask(typed("delete", FIXTURE), request=court.office.event(court.office.log.head.size - 1).request)
    decision = court.office.log.head.size - 1
    assert court.point.report(Report(decision, "unknown", AGENT)).outcome == "unknown"


def test_the_words_of_an_error_are_not_recorded(point, court):
    with pytest.raises(ValueError, match="hunter2"), point.enforce(typed("delete", FIXTURE)):
        raise ValueError("the password hunter2 is wrong")
    assert noted(court) == ["ValueError"]


def test_a_permit_that_is_given_up_is_reported_failed(point, court):
    permit = point.ask(typed("delete", FIXTURE))
    permit.withdraw("the caller went away")
    with pytest.raises(GovernanceDenied), permit:
        raise AssertionError("it ran")
    assert reported(court) == [(permit.decision, "failed")]
    assert noted(court) == ["it was not run: the caller went away"]


def test_a_late_allow_is_withdrawn_when_it_comes(court):
    released = threading.Event()
    service = Service(court.point, fault=lambda answer: (released.wait(20), answer)[1])
    with pytest.raises(GovernanceDenied, match=f"no answer within {WITHIN} s"):
        EnforcementPoint(service, uid=AGENT, within=WITHIN).ask(typed("delete", FIXTURE))
    assert reported(court) == []
    released.set()
    for _ in range(200):
        if reported(court):
            break
        time.sleep(0.01)
    assert [outcome for _, outcome in reported(court)] == ["failed"]


# The guard.


def test_the_guard_gives_the_permit_and_the_arguments_and_keeps_the_name(point):
    @point.guard(lambda name, *, times: typed("delete", f"file:///srv/app/tests/fixtures/{name}"))
    def remove(permit, name, *, times):
        """Remove it."""
        return permit.decision, permit.path(f"file:///srv/app/tests/fixtures/{name}"), times

    decision, path, times = remove("a.json", times=3)
    assert (type(decision), path, times) == (int, "/srv/app/tests/fixtures/a.json", 3)
    assert (remove.__name__, remove.__doc__) == ("remove", "Remove it.")


@pytest.mark.parametrize("fault", [lambda: 1 // 0, lambda: None, lambda: {"verb": "delete"}, lambda: "delete"])
def test_an_operation_that_cannot_be_told_is_a_recorded_deny(point, fault):
    with pytest.raises(GovernanceDenied) as denied:
        point.guard(fault)(lambda permit: pytest.fail("it ran"))()
    assert denied.value.answer.reason == "UNPARSEABLE"
    assert denied.value.decision is not None


def generator(permit):
    yield permit


async def agenerator(permit):
    yield permit


async def coroutine(permit):
    return permit.decision


@pytest.mark.parametrize("effect", [generator, agenerator, functools.partial(generator)])
def test_what_runs_after_the_call_is_not_guarded(point, effect):
    with pytest.raises(EnforcementError, match="generator"):
        point.guard(lambda: typed("delete", FIXTURE))(effect)


@pytest.mark.parametrize("late", [generator, agenerator, coroutine], ids=["generator", "agenerator", "coroutine"])
def test_a_function_that_hands_its_work_on_is_refused_and_reported_failed(point, court, late):
    def hands_on(permit):
        return late(permit)

    with pytest.raises(EnforcementError, match="async def"):
        point.guard(lambda: typed("delete", FIXTURE))(hands_on)()
    assert [outcome for _, outcome in reported(court)] == ["failed"]


class Worker:
    async def __call__(self, permit):
        return permit.decision


@pytest.mark.parametrize("effect", [coroutine, functools.partial(coroutine), Worker()])
def test_a_coroutine_is_reported_when_it_has_ended(point, court, effect):
    assert asyncio.run(point.guard(lambda: typed("delete", FIXTURE))(effect)()) is not None
    assert [outcome for _, outcome in reported(court)] == ["done"]


def test_a_coroutine_that_is_cancelled_is_unknown(point, court):
    async def story():
        started = asyncio.Event()

        @point.guard(lambda: typed("delete", FIXTURE))
        async def effect(permit):
            started.set()
            await asyncio.sleep(60)

        task = asyncio.ensure_future(effect())
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(story())
    assert [outcome for _, outcome in reported(court)] == ["unknown"]


def test_a_coroutine_that_is_cancelled_while_it_asks_never_runs_and_is_withdrawn(court):
    entered, released = threading.Event(), threading.Event()

    def slow(answer):
        entered.set()
        released.wait(20)
        return answer

    async def story():
        point = EnforcementPoint(Service(court.point, fault=slow), uid=AGENT, within=20)

        @point.guard(lambda: typed("delete", FIXTURE))
        async def effect(permit):
            pytest.fail("it ran")

        task = asyncio.ensure_future(effect())
        await asyncio.to_thread(entered.wait, 20)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        released.set()
        for _ in range(200):
            if reported(court):
                break
            await asyncio.sleep(0.01)

    asyncio.run(story())
    assert [outcome for _, outcome in reported(court)] == ["failed"]


# C09: the one exception, and how narrow it is.


@pytest.fixture
def outage(court, monkeypatch):
    """Give the way to have the ledger fail, and be back."""
    real = {name: getattr(court.office.log, name) for name in ("read", "transact")}

    def switch(out):
        def dead(*_):
            raise StoreError("the disk is gone")

        for name, method in real.items():
            monkeypatch.setattr(court.office.log, name, dead if out else method)

    return switch


@pytest.mark.parametrize("form", ["referral", "grounding", "handoff"])
def test_the_open_class_has_fixed_words_when_no_verdict_can_be_had(point, outage, form):
    outage(True)
    with pytest.raises(GovernanceDenied) as denied:
        point.ask(say(form))
    assert denied.value.local_answer == WORDS


@pytest.mark.parametrize(
    "operation",
    [
        say("inform"),
        say("romance"),
        say("referral", "a/b"),
        Operation("conversation", {"class": "referral"}),
        Operation("conversation", {"class": "referral", "person": "r7", "more": 1}),
        Operation("typed", {"verb": "referral", "target": "person:r7", "kind": "conversation"}),
        Operation("shell", {"command": "referral"}),
        typed("delete", FIXTURE),
    ],
    ids=str,
)
def test_nothing_else_has_any(point, outage, operation):
    outage(True)
    with pytest.raises(GovernanceDenied) as denied:
        point.ask(operation)
    assert denied.value.local_answer is None
    assert point.spool.pending() == []


def test_where_there_is_a_verdict_there_are_no_words(court):
    document = DEFAULT_TEXT.replace(
        '[[articles]]\nnumber = "VII"\n',
        """[[articles.rules]]
id = "VI.no-referral"
says = "not now"
effect = "forbid"
kinds = ["conversation"]
when = 'verb == "referral"'
stops = { kind = "conversation", verb = "referral" }
passes = { kind = "conversation", verb = "inform" }

[[articles]]
number = "VII"
""",
        1,
    )
    court.amend(document)
    with pytest.raises(GovernanceDenied) as denied:
        EnforcementPoint(court.point, uid=AGENT).ask(say("referral"))
    assert (denied.value.answer.outcome, denied.value.local_answer) == ("deny", None)


def test_a_constitution_that_closes_the_class_is_kept_in_an_outage(court, outage):
    closed = DEFAULT_TEXT.replace('gate = "open"', 'gate = "0.05"').replace(f'answer = "{WORDS}"\n', "")
    court.amend(closed)
    point = EnforcementPoint(court.point, uid=AGENT)
    outage(True)
    with pytest.raises(GovernanceDenied) as denied:
        point.ask(say("referral"))
    assert denied.value.local_answer is None


def test_words_that_were_amended_are_the_ones_that_are_said(court, outage):
    point = EnforcementPoint(court.point, uid=AGENT)
    court.amend(DEFAULT_TEXT.replace(WORDS, "Call 112."))
    with point.enforce(say("referral")):
        pass
    outage(True)
    with pytest.raises(GovernanceDenied) as denied:
        point.ask(say("referral"))
    assert denied.value.local_answer == "Call 112."


def test_begun_in_an_outage_it_has_the_words_of_the_default_constitution(court, outage):
    outage(True)
    with pytest.raises(GovernanceDenied) as denied:
        EnforcementPoint(court.point, uid=AGENT).ask(say("referral"))
    assert denied.value.local_answer == WORDS


def test_the_guard_says_them_where_it_is_told_how_and_recovers(point, court, outage):
    said = []
    reply = point.guard(lambda text: say("referral"), otherwise=said.append)(lambda permit, text: said.append(text))
    outage(True)
    reply("Dr. Who, third floor")
    assert said == [WORDS]
    outage(False)
    reply("Dr. Who, third floor")
    assert said == [WORDS, "Dr. Who, third floor"]
    assert point.spool.pending() == []
    assert [outcome for _, outcome in reported(court)] == ["done", "done"]
    first, second = (decision for decision, _ in reported(court))
    assert court.office.event(first).request.startswith("kept-")
    assert court.office.event(second).request.startswith("call-")


def test_an_outcome_that_could_not_be_recorded_is_recorded_later(court):
    service = Service(court.point, unreported=True)
    point = EnforcementPoint(service, uid=AGENT)
    with point.enforce(typed("delete", FIXTURE)) as permit:
        pass
    assert ([kept.what for kept in point.spool.pending()], reported(court)) == (["outcome"], [])
    assert point.recover() == 0
    service.unreported = False
    assert point.recover() == 1
    assert point.recover() == 0
    assert reported(court) == [(permit.decision, "done")]


def test_what_is_kept_stays_kept_while_the_ledger_is_gone(point, court, outage):
    outage(True)
    for form in ("referral", "handoff"):
        with pytest.raises(GovernanceDenied):
            point.ask(say(form))
    assert point.recover() == 0
    assert len(point.spool.pending()) == 2
    outage(False)
    assert point.recover() == 2


def test_a_spool_that_is_full_silences_nobody(court):
    class Full(MemorySpool):
        def keep(self, kept):
            raise OSError("no space")

    service = Service(court.point, fault=lambda _: unavailable("gone"))
    point = EnforcementPoint(service, uid=AGENT, spool=Full())
    with pytest.raises(GovernanceDenied) as denied:
        point.ask(say("referral"))
    assert denied.value.local_answer == WORDS


@pytest.mark.parametrize(
    "kept",
    [
        Kept("said", claimed="agent:ops-7", operation=say("referral"), at="2026-11-30T12:00:00.000000Z"),
        Kept("outcome", decision=18, outcome="failed", note="it broke"),
    ],
)
def test_what_is_kept_is_read_as_it_was_written(kept):
    assert Kept.of_json(kept.to_json()) == kept


@pytest.mark.parametrize(
    "change",
    [
        {"v": 2},
        {"what": "perhaps"},
        {"id": 5},
        {"decision": None},
        {"decision": True},
        {"outcome": "maybe"},
        {"what": "said"},
        {"what": "said", "operation": {"form": "conversation"}},
        {"what": "said", "operation": {"form": "new", "payload": {}, "domain": ""}},
        {"claimed": 5},
    ],
)
def test_what_has_another_form_is_not_taken_for_something_kept(change):
    with pytest.raises(EnforcementError):
        Kept.of_json({**Kept("outcome", decision=18).to_json(), **change})


def test_a_permit_needs_a_record():
    with pytest.raises(EnforcementError, match="without a record"):
        Permit(typed("delete", FIXTURE), unavailable("gone"), lambda *_: None)
