"""Every error that the verify layer raises.

    VerifyError
    |-- InclusionError           a tree proof whose shape does not fit its sizes
    |   `-- RootMismatchError    a tree proof that leads to another root
    |-- BundleError              a bundle that can't be made
    |-- NotABundleError          bytes that are something else than a bundle, or the half of one
    |-- BundleFormError          a bundle that breaks its own form
    |-- StampError               a time stamp that does not hold
    |-- ContinuationFormError    what a log says of an older size, in another form
    |-- EquivocationFormError    bytes that are no equivocation file
    |-- NotAnExportError         a directory that is no export, or can't be read
    |-- ExportFormError          an export that breaks its own form
    |-- NotAProofFileError       bytes that are no proof file, or only a part of one

    |-- NotALinksFileError       bytes that are no file of links, or only a part of one
    |-- LineageError             a log key that can't be followed back to one that is trusted
    `-- ReplayError              a log that can't be replayed

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


class BundleError(VerifyError):
    """A bundle can't be made: there is no such decision, the checkpoint does not fit, or it would be too large."""


class NotABundleError(VerifyError, ValueError):
    """The bytes are no evidence bundle, or only a part of one."""


class BundleFormError(VerifyError, ValueError):
    """The bytes say that they are an evidence bundle, and break its form."""


class StampError(VerifyError, ValueError):
    """A time stamp is malformed, stamps something else, or is signed by nobody whom the verifier trusts."""


class NotAnExportError(VerifyError, ValueError):
    """The directory is no export of a log, or can't be read."""


class ExportFormError(VerifyError, ValueError):
    """The directory says that it is an export of a log, and breaks its form."""


class NotAProofFileError(VerifyError, ValueError):
    """The bytes are no proof file, or only a part of one."""


class NotALinksFileError(VerifyError, ValueError):
    """The bytes are no file of links, or only a part of one."""


class LineageError(VerifyError):
    """A checkpoint's key can't be followed back to one that the verifier trusts."""


class ReplayError(VerifyError):
    """The log can't be replayed: an event does not parse, is out of place, or contradicts what stands before it."""


class EquivocationFormError(VerifyError, ValueError):
    """The bytes are no equivocation file."""


class ContinuationFormError(VerifyError, ValueError):
    """What a log says of an older size has another form."""
