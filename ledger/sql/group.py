"""Group commit: threads hand in work, one of them does the work of all that wait, one commit answers them.

There is no thread of its own. Whoever comes while nobody leads, leads: it takes those that wait, one after another,
into one transaction of the database. Those that come meanwhile wait; the first of them leads next. A member is
answered after the commit, never before. One that is not taken within `BUSY_SECONDS` withdraws, having changed nothing.

A leader that is interrupted strands nobody: whose work was not committed waits again, whose was is answered.

Source: DESIGN section 6 (group commit).
"""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Literal, TypeAlias, TypeVar, cast

from ledger.errors import StoreBusyError, StoreError
from ledger.log import Transaction
from ledger.sql.engine import BUSY_SECONDS
from ledger.transaction import PendingTransaction

T = TypeVar("T")

ROOM: Final = 1024
"""How many may wait; whoever comes then waits for room first."""

GROUP: Final = 256
"""How many are taken into one transaction at most."""

GROUP_EVENTS: Final = 1000
GROUP_BYTES: Final = 8 * 1024 * 1024
"""With so many events, or so many bytes of them, a transaction takes no further member."""


_DOUBTFUL = "interrupted while it was written: look whether it stands, or ask again with the same request id"

Fate: TypeAlias = Literal["open", "doubtful", "done"]


class Member:
    """One thread's work, and what came of it.

    Attributes:
        ticket: counts the members in the order in which they came; -1 before they are let in.
        leads: whether its own thread is to do the work of all that wait.
        fate: ``open`` until its transaction may be committed, ``done`` when it is known what came of it; between the
            two it is ``doubtful``, and must neither be told a result nor be done again.
    """

    __slots__ = ("_error", "_result", "_thread", "_wake", "_work", "fate", "leads", "ticket")

    def __init__(self, work: Callable[[Transaction], Any]) -> None:
        self.ticket = -1
        self.leads = False
        self.fate: Fate = "open"
        self._work = work
        self._thread = threading.get_ident()
        self._result: Any = None
        self._error: BaseException | None = None
        # Held until it is to go on: the cheapest thing that a thread can wait for.
        self._wake = threading.Lock()
        self._wake.acquire()

    def wait(self, seconds: float = -1) -> bool:
        """Wait to be woken, for so long at most; tell whether it was."""
        return self._wake.acquire(timeout=seconds)

    def wake(self) -> None:
        """Let its thread go on."""
        if self._wake.locked():
            self._wake.release()

    def attempt(self, transaction: Transaction) -> bool:
        """Run the work, and tell whether it gave a result; an error of its own is kept for whoever asked."""
        self._result = self._error = None
        try:
            self._result = self._work(transaction)
        except Exception as error:  # noqa: BLE001  (given to whoever asked)
            self._error = error
        except BaseException as error:
            # Signals reach the main thread alone: there, what ends a program is meant for the leader, elsewhere it
            # can only be the work's own.
            leader = threading.get_ident()
            if leader == self._thread or leader == threading.main_thread().ident:
                raise
            self._error = error
        return self._error is None

    def fail(self, error: BaseException) -> None:
        """Answer with this error, whatever the work gave."""
        self._result, self._error, self.fate = None, error, "done"

    def outcome(self) -> Any:  # noqa: ANN401  (what the work gave)
        """Give the result, or raise the error."""
        if self._error is not None:
            raise self._error
        return self._result


def run_together(whole: PendingTransaction, members: Iterable[Member], ran: list[Member]) -> None:
    """Run one member's work after another, until there is enough for one transaction.

    Args:
        whole: gathers what they append; of one that raises, nothing.
        members: whose work is run.
        ran: gets each as its work begins.
    """
    weight = 0
    for member in members:
        ran.append(member)
        own = whole.inner()
        if member.attempt(own):
            for event in own.rows.events:
                weight += len(event.data)
            whole.absorb(own)
        if len(whole.rows.events) >= GROUP_EVENTS or weight >= GROUP_BYTES:
            break


def mark(members: Iterable[Member], fate: Fate) -> None:
    """Say what is known of these members' transaction."""
    for member in members:
        member.fate = fate


class Company:
    """The members of one transaction, as its leader takes them.

    Attributes:
        taken: those whose work was begun, in order; the leader's own is the first.
    """

    def __init__(self, group: "Group") -> None:
        self._group = group
        self._horizon = 0
        self.taken: list[Member] = []

    def gather(self) -> None:
        """Let nobody in who comes after this moment: the time of the transaction is read now."""
        self._horizon = self._group.next_ticket()

    def __iter__(self) -> Iterator[Member]:
        """Take one member after another."""
        while len(self.taken) < GROUP and self._group.take(self.taken, self._horizon):
            yield self.taken[-1]


class Group:
    """Where work waits.

    Args:
        lead: does the work of a company in one transaction, and marks as done whom it has committed; what it raises
            is the answer to all that it had taken.
        name: names the database in messages.
    """

    def __init__(self, lead: Callable[[Company], None], name: str) -> None:
        self._lead = lead
        self._name = name
        # Of the kind that only its owner can let go of: whoever was interrupted does so wherever that was (`run`).
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._watching = 0
        self._waiting: deque[Member] = deque()
        self._leader: Member | None = None
        self._tickets = 0
        self._closed = False

    def run(self, work: Callable[[Transaction], T]) -> T:
        """Have work done, by this thread or another, and give what came of it once that is committed.

        Raises:
            StoreBusyError: it was not begun in time.
            StoreError: the log is closed, or could not be written.
        """
        member = Member(work)
        try:
            # Within the block: whoever is interrupted as it is let in leaves again.
            self._enter(member)
            if not member.leads:
                self._wait(member)
            if member.leads:
                self._lead_company(member)
        except BaseException:
            self._let_go()
            self._leave(member)
            raise
        return cast("T", member.outcome())

    def _let_go(self) -> None:
        """Let go of the lock, if this thread was interrupted as it left a block that holds it."""
        try:
            while True:
                self._lock.release()
        except RuntimeError:
            return

    def close(self) -> None:
        """Let nobody in any more, and wait until all that were let in are answered."""
        with self._lock:
            self._closed = True
            self._changed.notify_all()
            self._watch(lambda: self._leader is None, None)

    def next_ticket(self) -> int:
        """Give the ticket of whoever comes next."""
        return self._tickets

    def take(self, taken: list[Member], horizon: int) -> bool:
        """Take the member that has waited longest, if it came before the horizon; tell whether there was one."""
        if not self._waiting:
            # Whoever comes at this very moment came after the horizon.
            return False
        with self._lock:
            if not self._waiting or self._waiting[0].ticket >= horizon:
                return False
            # In this order an interrupt between the two loses nobody.
            taken.append(self._waiting[0])
            self._waiting.popleft()
            self._tell()
            return True

    def _enter(self, member: Member) -> None:
        with self._lock:
            if len(self._waiting) >= ROOM:
                self._watch(lambda: self._closed or len(self._waiting) < ROOM, BUSY_SECONDS)
            if self._closed:
                raise StoreError(f"{self._name}: this log was closed: open it again")
            if len(self._waiting) >= ROOM:
                raise StoreBusyError(f"{self._name}: {ROOM} threads wait for the writer already: try again")
            member.ticket = self._tickets
            self._tickets += 1
            self._waiting.append(member)
            if self._leader is None:
                self._leader = member
                member.leads = True

    def _watch(self, condition: Callable[[], bool], seconds: float | None) -> None:
        """Wait, holding the lock in between, until the condition holds or the time is over."""
        self._watching += 1
        try:
            self._changed.wait_for(condition, seconds)
        finally:
            self._watching -= 1

    def _tell(self) -> None:
        """Let those who `_watch` look again."""
        if self._watching:
            self._changed.notify_all()

    def _wait(self, member: Member) -> None:
        """Wait to be answered, or to lead."""
        if member.wait(BUSY_SECONDS):
            return
        with self._lock:
            if member in self._waiting and not member.leads:
                self._waiting.remove(member)
                raise StoreBusyError(f"{self._name}: another thread is writing and did not finish in time: try again")
        # Its work is being done: only the end of that tells what came of it.
        member.wait()

    def _lead_company(self, leader: Member) -> None:
        company = Company(self)
        try:
            try:
                self._lead(company)
            except Exception as error:  # noqa: BLE001  (given to all who asked)
                for member in company.taken or [leader]:
                    if member.fate != "done":
                        member.fail(error)
            self._answer(company)
            self._leave(leader)
        except BaseException:
            # Interrupted: `run` hands on to the next.
            self._answer(company)
            raise

    def _answer(self, company: Company) -> None:
        """Wake whose work is done; whose is open waits again, before all that came later."""
        again = [member for member in company.taken if member.fate == "open"]
        if again:
            with self._lock:
                self._waiting.extendleft(member for member in reversed(again) if member not in self._waiting)
        for member in company.taken:
            if member.fate == "doubtful":
                member.fail(StoreError(f"{self._name}: {_DOUBTFUL}"))
            if member.fate == "done":
                member.wake()

    def _leave(self, member: Member) -> None:
        """Wait no longer; a leader hands on to the one that has waited longest."""
        with self._lock:
            if member in self._waiting:
                self._waiting.remove(member)
            if self._leader is member:
                self._leader = self._waiting[0] if self._waiting else None
            # Also where this was done, and interrupted, before: to be told twice harms no leader.
            if self._leader is not None:
                self._leader.leads = True
                self._leader.wake()
            self._tell()
