"""The equivocation file: two checkpoints of one log that can't both be true, and what proves it.

    {"blake3":{"old_root":...,"proof":{...}},"first":"<note>","format":"tallystick-equivocation","second":"<note>",
     "sha256":{"old_root":...,"proof":{...}},"v":1}

(canonical JSON and one newline; broken into lines here). A proof leads from ``old_root``, which is the root that the
larger log has at the smaller size, to the root that the larger checkpoint signs. Where it holds and the smaller
checkpoint signs another root, whoever signed both has told two histories.

Source: DESIGN section 9; docs/spec/equivocation.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from ledger import canon
from ledger.canon import Json
from ledger.checkpoint import Checkpoint
from ledger.errors import CanonError, NoteError
from ledger.note import MAX_SIZE as MAX_NOTE_BYTES
from ledger.policy import Policy
from ledger.proof import ConsistencyProof, TwinConsistency
from verify.continuation import Prefix
from verify.errors import ContinuationFormError, EquivocationFormError, InclusionError
from verify.expect import expect_sizes
from verify.inclusion import check_consistency, check_twin_consistency

FORMAT: Final = "tallystick-equivocation"
VERSION: Final = 1
MAX_BYTES: Final = 2**20

Verdict: TypeAlias = Literal["PROVEN", "CLAIMED", "FAILED"]
Kind: TypeAlias = Literal["two-roots", "fork", "rollback", "unproven", "none"]

_FORK: Final = "fork "
_KEYS: Final = ("blake3", "first", "format", "second", "sha256", "v")


@dataclass(frozen=True, slots=True)
class Equivocation:
    """Two checkpoints, and what is said of the smaller within the larger.

    Attributes:
        first: the signed note that was seen first.
        second: the signed note that was shown later.
        blake3: the log's own tree; None where nothing was given or nothing is needed.
        sha256: the RFC 6962 tree; None likewise.
    """

    first: bytes
    second: bytes
    blake3: Prefix[ConsistencyProof] | None = None
    sha256: Prefix[TwinConsistency] | None = None

    def to_bytes(self) -> bytes:
        """Give the one spelling of the file."""
        value: dict[str, Json] = {
            "format": FORMAT,
            "v": VERSION,
            "first": self.first.decode(),
            "second": self.second.decode(),
            "blake3": None if self.blake3 is None else self.blake3.to_json(),
            "sha256": None if self.sha256 is None else self.sha256.to_json(),
        }
        return canon.encode(value) + b"\n"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a file shows.

    Attributes:
        verdict: PROVEN to anybody who has the log's key; CLAIMED by whoever wrote the file; FAILED, it shows nothing.
        kind: of contradiction.
        why: one line.
        first: the checkpoint that was seen first, or None where a note does not open.
        second: the checkpoint that was shown later, or None likewise.
    """

    verdict: Verdict
    kind: Kind
    why: str
    first: Checkpoint | None = None
    second: Checkpoint | None = None


def parse_equivocation(data: bytes) -> Equivocation:
    """Read the bytes of a file; whether it shows anything is for `check_equivocation` to say.

    Raises:
        EquivocationFormError: something else than such a file.
    """
    if len(data) > MAX_BYTES:
        raise EquivocationFormError(f"an equivocation file has at most {MAX_BYTES} bytes")
    try:
        fields = canon.decode_object(data.removesuffix(b"\n"))
        if fields.get("format") != FORMAT:
            raise EquivocationFormError("this is JSON, but no equivocation file: tally watch writes them")
        _check_keys("an equivocation file", fields, _KEYS)
        if not data.endswith(b"\n") or type(fields["v"]) is not int or fields["v"] != VERSION:
            raise EquivocationFormError(f"not one line of version {VERSION}")
        own, twin = fields["blake3"], fields["sha256"]
        return Equivocation(
            _note(fields["first"]),
            _note(fields["second"]),
            None if own is None else Prefix.from_json(own, ConsistencyProof),
            None if twin is None else Prefix.from_json(twin, TwinConsistency),
        )
    except (CanonError, ContinuationFormError, UnicodeEncodeError) as error:
        raise EquivocationFormError(f"not an equivocation file: {error}") from error


def check_equivocation(equivocation: Equivocation, policy: Policy) -> Finding:
    """Tell what the two checkpoints show of the keys that the policy trusts."""
    # The log's word alone is judged: whoever spoils a witness's line must not spoil the evidence with it.
    logs = Policy(policy.logs, (), ())
    try:
        first, second = (logs.open(note).checkpoint for note in (equivocation.first, equivocation.second))
    except NoteError as error:
        return Finding("FAILED", "none", f"a checkpoint is not one of the policy's logs: {error}")
    verdict, kind, why = _judge(equivocation, first, second)
    return Finding(verdict, kind, why, first, second)


def _judge(equivocation: Equivocation, first: Checkpoint, second: Checkpoint) -> tuple[Verdict, Kind, str]:
    if first.origin != second.origin:
        return "FAILED", "none", f"the checkpoints are of two logs: {first.origin} and {second.origin}"
    return _one_size(first, second) if first.size == second.size else _two_sizes(equivocation, first, second)


def _one_size(first: Checkpoint, second: Checkpoint) -> tuple[Verdict, Kind, str]:
    trees = list(_two_roots(first, second))
    if trees:
        return "PROVEN", "two-roots", f"two {' and '.join(trees)} roots are signed for size {first.size}"
    return "FAILED", "none", "the checkpoints say the same"


def _two_sizes(equivocation: Equivocation, first: Checkpoint, second: Checkpoint) -> tuple[Verdict, Kind, str]:
    small, large = sorted((first, second), key=lambda checkpoint: checkpoint.size)
    told = (_twin(equivocation.sha256, small, large), _own(equivocation.blake3, small, large))
    outcomes = [outcome for outcome in told if outcome is not None]
    forked = " and ".join(outcome.removeprefix(_FORK) for outcome in outcomes if outcome.startswith(_FORK))
    if forked:
        why = f"the log of size {large.size} has another {forked} root at size {small.size} than was signed for it"
        return "PROVEN", "fork", why
    if first.size > second.size:
        return "CLAIMED", "rollback", f"size {second.size} was shown after size {first.size}: the writer's word"
    faults = [outcome for outcome in outcomes if outcome]
    if faults:
        return "CLAIMED", "unproven", f"nothing shows that size {large.size} continues size {small.size}: {faults[0]}"
    if not outcomes:
        return "FAILED", "none", f"no proof was given: without one size {large.size} does not contradict {small.size}"
    return "FAILED", "none", f"size {large.size} continues size {small.size}: the checkpoints do not contradict"


def _two_roots(first: Checkpoint, second: Checkpoint) -> Iterator[str]:
    if first.sha256_root != second.sha256_root:
        yield "SHA-256"
    if None not in {first.blake3_root, second.blake3_root} and first.blake3_root != second.blake3_root:
        yield "BLAKE3"


def _twin(prefix: Prefix[TwinConsistency] | None, small: Checkpoint, large: Checkpoint) -> str | None:
    """Say what the RFC 6962 tree shows: a fork, nothing at all, or why nothing is proven; None without a proof."""
    if prefix is None:
        return None
    sizes = {"old_size": small.size, "new_size": large.size}
    try:
        check_twin_consistency(prefix.old_root, large.sha256_root, prefix.proof, **sizes)
    except InclusionError as error:
        return f"the SHA-256 proof does not hold ({error})"
    return "" if prefix.old_root == small.sha256_root else f"{_FORK}SHA-256"


def _own(prefix: Prefix[ConsistencyProof] | None, small: Checkpoint, large: Checkpoint) -> str | None:
    """Say the same of the log's own tree."""
    if prefix is None or small.blake3_root is None or large.blake3_root is None:
        return None
    try:
        expect_sizes((prefix.proof.old_size, prefix.proof.new_size), (small.size, large.size))
        check_consistency(prefix.old_root, large.blake3_root, prefix.proof)
    except InclusionError as error:
        return f"the BLAKE3 proof does not hold ({error})"
    return "" if prefix.old_root == small.blake3_root else f"{_FORK}BLAKE3"


def _note(value: Json) -> bytes:
    if not isinstance(value, str) or len(value) > MAX_NOTE_BYTES:
        raise EquivocationFormError("a checkpoint is a text, and no longer than a note may be")
    return value.encode()


def _check_keys(what: str, fields: Mapping[str, Json], keys: Sequence[str]) -> None:
    if fields.keys() != set(keys):
        raise EquivocationFormError(f"{what} has exactly the fields {', '.join(keys)}")
