"""A parser under fuzzing: what it reads, what it may raise, and how what it read is spelled."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from decisions.errors import DecisionError
from grants.errors import GrantError
from ledger.errors import LedgerError
from tools.errors import ToolError
from verify.errors import VerifyError

OURS = (LedgerError, GrantError, DecisionError, VerifyError, ToolError)


@dataclass(frozen=True)
class Parser:
    """One parser.

    Attributes:
        read: takes bytes and gives a value, or raises one of `OURS`.
        seeds: gives inputs that it accepts, to begin from.
        spell: gives the bytes of what was read, where a format has one spelling.
    """

    read: Callable[[bytes], Any]
    seeds: Callable[[], list[bytes]]
    spell: Callable[[Any], bytes] | None = None

    def try_on(self, data: bytes) -> bool:
        """Read the bytes; tell whether they were accepted.

        Raises:
            AssertionError: what was read is spelled otherwise than what stood there.
            Exception: anything else that escapes is a finding.
        """
        try:
            value = self.read(data)
        except OURS:
            return False
        if self.spell is not None:
            spelled = self.spell(value)
            assert spelled == data, f"read {data!r}, spelled {spelled!r}"
        return True
