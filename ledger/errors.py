"""Every error that the ledger layer raises.

    LedgerError
    |-- CanonError               bytes that are not canonical JSON
    |-- EventError               an event or a draft that breaks its schema
    |-- ProofError               a proof that does not prove
    |-- NoteError                a signed note that does not parse or verify
    |   `-- CheckpointError      a note that is not a checkpoint
    |       `-- UnknownLogError  a checkpoint that no log of the policy has signed
    |-- WitnessFormError         a message of the witness protocol that breaks its form
    |-- PolicyFileError          a policy file that does not parse
    |-- LibraryMissingError      an optional library is not installed
    |-- DisclosureError          an opening that does not fit its commitment
    |-- AppendError              an append that was refused, nothing written
    |   |-- ClaimTakenError      a unique key is taken for ever
    |   |-- ClockError           the clock stepped back, or jumped too far
    |   `-- ViewError            a view can't fold this event
    `-- StoreError               the database can't be used
        |-- StoreBusyError       another process holds the writer
        |-- StoreMissingError    no ledger at this place
        `-- CorruptError         what is stored contradicts itself

Parsers raise only these. Errors of other libraries are wrapped where they arise.
"""


class LedgerError(Exception):
    """Base of every error of this package."""


class CanonError(LedgerError, ValueError):
    """The bytes or the value have no canonical form."""


class EventError(LedgerError, ValueError):
    """An event or a draft breaks its schema."""


class ProofError(LedgerError, ValueError):
    """A proof is malformed, or does not lead to the root."""


class NoteError(LedgerError, ValueError):
    """A signed note is malformed, or its signature does not verify."""


class CheckpointError(NoteError):
    """The text of a note is not a checkpoint."""


class UnknownLogError(CheckpointError):
    """No log of the policy has signed a checkpoint.

    Attributes:
        origin: the policy's log whose name a line bears, under a key that the policy does not name; else None.
    """

    def __init__(self, origin: str | None) -> None:
        key = "" if origin is None else f": its line of {origin} is of a key that the policy does not name"
        super().__init__(f"none of the policy's logs has signed this checkpoint{key}")
        self.origin = origin


class WitnessFormError(LedgerError, ValueError):
    """A message between a log and a witness breaks its form."""


class PolicyFileError(LedgerError, ValueError):
    """A policy file breaks its form; the message names the line and says what may stand there."""


class LibraryMissingError(LedgerError):
    """An optional library is not installed; the message names the extra that brings it."""


class DisclosureError(LedgerError, ValueError):
    """An opening does not fit its commitment, or stands where none may."""


class AppendError(LedgerError):
    """An append was refused; nothing of it was written."""


class ClaimTakenError(AppendError):
    """A unique key is already taken.

    Attributes:
        key: the claim.
        seq: the event that holds it.
    """

    def __init__(self, key: str, seq: int) -> None:
        super().__init__(f"{key} is already taken by event {seq}")
        self.key = key
        self.seq = seq


class ClockError(AppendError):
    """The clock is behind the last event, or jumped forward beyond the bound."""


class ViewError(AppendError, ValueError):
    """A view can't fold an event: the event contradicts what stands before it.

    Attributes:
        why: the contradiction alone, for whoever has not written the event yet.
    """

    why: str = ""


class StoreError(LedgerError):
    """The database can't be read or written."""


class StoreBusyError(StoreError):
    """Another process holds the writer for longer than we wait."""


class StoreMissingError(StoreError):
    """There is no ledger at this place."""


class ReadOnlyError(StoreError):
    """The log takes nothing more: it was not written to, and can be read."""


class CorruptError(StoreError):
    """What is stored contradicts itself: run ``tally audit``."""
