"""Every error that the tools raise themselves.

    ToolError
    |-- HomeError                a ledger's directory that can't be made or used
    |-- InputError               a file or a value from outside that can't be read; the message says where
    |-- UnreadableCallError      what an agent's host has handed in is no call of a tool
    |-- UnattendedError          a question would have to be asked, and nobody is there to answer
    |-- RemoteError              another machine that does not answer, or not as it should
    |-- NotFollowedError         a log that can't be held against what was seen of it; nothing is contradicted
    |-- DeclinedError            a person was asked, and said no
    `-- EvidenceError            something was checked and failed: exit code 3

Errors of other libraries are wrapped where they arise; `tools.cli.failure` turns every error into one line.
"""


class ToolError(Exception):
    """Base of every error of this package."""


class HomeError(ToolError):
    """A ledger's directory can't be made or used."""


class InputError(ToolError, ValueError):
    """A file or a value from outside can't be read; the message says where and what may stand there."""


class UnreadableCallError(ToolError, ValueError):
    """What an agent's host has handed in is no call of a tool; the message says why."""


class UnattendedError(ToolError):
    """A question would have to be asked, and there is no terminal; the message says how to answer in advance."""


class RemoteError(ToolError):
    """Another machine does not answer, or not as it should; the message says which, and what to try."""


class NotFollowedError(ToolError):
    """A log can't be held against what was seen of it; nothing is contradicted, and the message says what to do."""


class DeclinedError(ToolError):
    """A person was asked and said no; nothing was written."""


class EvidenceError(ToolError):
    """Something was checked and failed: evidence that the record, or what stands beside it, was changed."""
