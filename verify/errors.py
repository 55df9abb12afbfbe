"""Every error that the verify layer raises.

    VerifyError
    `-- InclusionError           a tree proof whose shape does not fit its sizes
        `-- RootMismatchError    a tree proof that leads to another root

A check raises; it never answers False.
"""


class VerifyError(Exception):
    """Base of every error of this package."""


class InclusionError(VerifyError, ValueError):
    """A tree proof does not prove what it is held against."""


class RootMismatchError(InclusionError):
    """A tree proof leads to another root than the one it is held against.

    Attributes:
        expected: the root that the verifier trusts.
        computed: the root that the proof leads to.
    """

    def __init__(self, what: str, expected: bytes, computed: bytes) -> None:
        super().__init__(f"the proof leads to the {what} {computed.hex()}, not to {expected.hex()}")
        self.expected = expected
        self.computed = computed
