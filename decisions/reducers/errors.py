"""The one error of this package, and it stays inside: a reducer turns it into a Problem.

    UnreadableError              a part of an operation that can't be read

Source: DESIGN section 10 (what a reducer can't read is opaque).
"""

from decisions.action import ProblemCode


class UnreadableError(Exception):
    """A part of an operation can't be read.

    Attributes:
        code: which kind of problem it becomes.
        detail: what can't be read, for people.
    """

    def __init__(self, detail: str, code: ProblemCode = "UNPARSEABLE") -> None:
        super().__init__(detail)
        self.code: ProblemCode = code
        self.detail = detail


def unresolved(detail: str) -> UnreadableError:
    """Say that it can't be told what is acted on."""
    return UnreadableError(detail, "TARGET_UNRESOLVED")


def too_complex(detail: str) -> UnreadableError:
    """Say that a bound of the analysis is exceeded."""
    return UnreadableError(detail, "TOO_COMPLEX")
