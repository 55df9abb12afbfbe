"""What takes too long is ended, and nothing else is."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress

import pytest

from decisions import record
from decisions.limit import Limit, TimeUpError
from decisions.record import DecisionPoint

FIXTURE = "file:///srv/app/tests/fixtures/a.json"
SHORT = 0.08


def endless(*_, **__):
    while True:
        pass


def stubborn_once():
    with suppress(TimeUpError):
        endless()


def test_what_is_done_in_time_gives_what_it_gives():
    assert Limit(60.0).run(lambda: 42) == 42


def test_what_fails_in_time_fails_as_it_does():
    with pytest.raises(ZeroDivisionError):
        Limit(60.0).run(lambda: 1 // 0)


def test_what_never_ends_is_ended():
    with pytest.raises(TimeUpError):
        Limit(SHORT).run(endless)


def test_no_handler_of_errors_keeps_it_alive():
    def stubborn():
        while True:
            try:
                endless()
            except Exception:  # noqa: BLE001
                continue

    with pytest.raises(TimeUpError):
        Limit(SHORT).run(stubborn)


def test_only_the_thread_that_takes_too_long_is_ended():
    limit, ended, done = Limit(SHORT), [], []
    begun = threading.Event()

    def runs(work):
        try:
            done.append(limit.run(work))
        except TimeUpError:
            ended.append(True)

    def patient():
        begun.wait(10.0)
        return "free"

    # It waits outside of the limit, beside one that is ended.
    waiting = threading.Thread(target=lambda: done.append(patient()))
    hanging = threading.Thread(target=runs, args=(endless,))
    waiting.start()
    hanging.start()
    hanging.join(30.0)
    begun.set()
    waiting.join(30.0)
    assert (ended, done) == ([True], ["free"])
    assert limit.run(lambda: "again") == "again"


def test_nothing_is_raised_after_the_work_was_done():
    limit = Limit(0.004)
    late = 0
    for _ in range(200):
        try:
            limit.run(lambda: sum(range(20_000)))
        except TimeUpError:
            late += 1
        # Whatever was to be raised was raised within; here nothing may come any more.
        assert sum(range(1000)) == 499_500
    assert late <= 200


ENDED = "limit.run(endless)"
SWALLOWED = "limit.run(stubborn)"
LATE = "limit.run(lambda: limit._ages.clear())"


@pytest.mark.parametrize("work", [ENDED, SWALLOWED, LATE])
def test_what_is_traced_afterwards_goes_on(work):
    """A debugger or a measure of coverage that begins after something was ended, in a process that may hang."""
    program = f"""
import sys
from contextlib import suppress
from decisions.limit import Limit, TimeUpError
from tests.decisions.test_limit import endless, stubborn_once as stubborn
limit = Limit({SHORT})
with suppress(TimeUpError):
    {work}
sys.settrace(lambda *_: None)
print((lambda: "went on")())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("went on\n", "")


def test_the_watcher_ends_with_the_work():
    limit = Limit(SHORT)
    limit.run(lambda: None)
    for thread in threading.enumerate():
        if thread.name == "limit" and thread is not threading.current_thread():
            thread.join(0.5)
    limit.run(lambda: None)


def exit_code_of_a_fork(limit):
    """Let a forked process do what never ends: it exits with 7 when it is ended, and is killed where it hangs."""
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(20)
        try:
            limit.run(endless)
        except TimeUpError:
            os._exit(7)
        os._exit(1)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def test_a_process_that_was_forked_is_watched_too():
    limit = Limit(SHORT)
    limit.run(lambda: None)
    assert exit_code_of_a_fork(limit) == 7


def test_a_fork_while_another_thread_holds_the_lock_waits_for_nobody():
    limit = Limit(SHORT)
    with limit._lock:
        assert exit_code_of_a_fork(limit) == 7


def test_a_reducer_that_hangs_is_a_deny_with_a_record(court, monkeypatch):
    point = DecisionPoint(court.office.log, court.office.registry, within=SHORT)
    court.point = point
    with monkeypatch.context() as patch:
        patch.setattr(record, "reduce_operation", endless)
        answer = court.do("delete", FIXTURE)
    assert (answer.outcome, answer.reason, answer.body.actions) == ("deny", "TOO_COMPLEX", ())
    assert "took longer than" in answer.problems[0].detail
    assert court.do("delete", FIXTURE).outcome == "allow"


def test_links_that_lead_on_without_end_are_a_deny_with_a_record(office, found):
    court = found(office, resolver=endless, within=SHORT)
    answer = court.do("delete", FIXTURE)
    assert (answer.outcome, answer.reason) == ("deny", "TOO_COMPLEX")


def test_a_check_says_that_it_does_not_know_what_was_given_up(court, monkeypatch):
    from verify.check.reduction import reduce_again
    from verify.replay import replay
    from verify.views import VIEWS

    log, registry = court.office.log, court.office.registry
    court.point = DecisionPoint(log, registry, within=SHORT)
    with monkeypatch.context() as patch:
        patch.setattr(record, "reduce_operation", endless)
        answer = court.do("delete", FIXTURE)
    line = reduce_again(answer.body, log.openings(answer.decision))
    assert (line.status, "given up" in line.why) == ("NOT-CHECKED", True)
    (replayed,) = replay(log.events(), log.openings, registry, VIEWS)
    assert (replayed.status, "given up" in replayed.unreduced) == ("same", True)
