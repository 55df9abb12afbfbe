"""What is run, and what each part shows."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Section:
    """Some tests that together show one thing.

    Attributes:
        title: what they show.
        tests: files and folders for pytest.
    """

    title: str
    tests: Sequence[str]


SECTIONS = (
    Section(
        "a process is killed with SIGKILL at any statement, within one, or at any moment",
        ["tests/ledger/faults/test_kill.py"],
    ),
    Section(
        "the disk fills up, fails, lies or loses the end of a file; a page is damaged",
        ["tests/ledger/faults/test_disk.py"],
    ),
    Section("a database server dies in the middle of an append", ["tests/ledger/faults/test_server.py"]),
    Section("two writers that both believe they are the only one", ["tests/ledger/faults/test_two_writers.py"]),
    Section(
        "many processes with many threads each: idempotency, claims, conditions; group commit; cached states",
        ["tests/ledger/concurrency", "tests/ledger/sql"],
    ),
    Section("the contract of a log, on every kind of log", ["tests/ledger/contract"]),
    Section(
        "one consent, many processes; revoked here, decided there",
        ["tests/tools/test_race.py", "tests/tools/test_two_processes.py"],
    ),
    Section("one byte changed anywhere in the database is found and named", ["tests/tools/audit"]),
    Section(
        "one byte changed anywhere in a bundle, a proof or a signature is refused",
        ["tests/verify", "tests/grants/test_sshsig.py"],
    ),
    Section(
        "witnesses, watchers, and the links from one key of a log to the next",
        ["tests/tools/witness", "tests/tools/witnessing", "tests/tools/watching", "tests/tools/test_cli_witness.py"],
    ),
    Section(
        "what is erased is gone, from every file of the database too, and what is held is not erased",
        ["tests/tools/test_cli_erase.py", "tests/tools/test_after_erasure.py", "tests/tools/test_hold_race.py"],
    ),
    Section(
        "a log is copied, exported and imported whole, whatever interrupts it",
        ["tests/tools/test_cli_copy.py", "tests/tools/test_cli_export.py", "tests/tools/test_cli_import.py"],
    ),
    Section(
        "what is said of a change of the rules is what z3 finds, and what is exported to Cedar is what is decided",
        ["tests/decisions/analysis"],
    ),
    Section("every parser of untrusted bytes, on seeded mutations", ["tests/project/test_fuzz.py"]),
)
