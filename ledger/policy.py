r"""The policy file: which logs and witnesses a verifier trusts, and how many of the witnesses must have spoken.

Lines, in any order but that a name stands before it is used; fields are parted by spaces and tabs::

    # a comment
    log <vkey> [<url>]
    witness <name> <vkey> [<url>]       the vkey is of type 0x04 or 0x06
    group <name> <any|all|k> <member>...
    quorum <name|none>

Exactly one line is the quorum. A log's key name is its origin. Each name is defined once and is a member of one
group at most; no two logs, no two witnesses, and no log and witness share a public key. Stricter than C2SP in three
points: the file is UTF-8, a log and a witness may not share a key, and numbers have no leading zeros.

Source: C2SP tlog-policy; DESIGN section 9.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from ledger.checkpoint import Checkpoint, open_cosigned
from ledger.cosignature import COSIGNING
from ledger.errors import NoteError, PolicyFileError, UnknownLogError
from ledger.note import ED25519, VerifierKey, parse_note

NONE = "none"
MAX_SIZE = 2**18

_SPACES = re.compile(r"[ \t]+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_COUNT = re.compile(r"[1-9][0-9]{0,8}")
_ALLOWED = (
    "a line is 'log <vkey> [<url>]', 'witness <name> <vkey> [<url>]', 'group <name> <any|all|k> <member>...', "
    "'quorum <name|none>', or a comment after '#'"
)


@dataclass(frozen=True, slots=True)
class PolicyLog:
    """A log whose checkpoints are accepted."""

    key: VerifierKey
    url: str | None = None


@dataclass(frozen=True, slots=True)
class PolicyWitness:
    """A witness, by the name that it has in this file."""

    name: str
    key: VerifierKey
    url: str | None = None


@dataclass(frozen=True, slots=True)
class PolicyGroup:
    """Members of which at least so many must have witnessed."""

    name: str
    threshold: int
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Witnessed:
    """A checkpoint that a log of the policy has signed.

    Attributes:
        checkpoint: what was signed.
        log: the key that signed it.
        witnesses: the policy's names of the witnesses whose cosignatures hold, each with its POSIX time.
    """

    checkpoint: Checkpoint
    log: VerifierKey
    witnesses: dict[str, int]


@dataclass(frozen=True, slots=True)
class Policy:
    """Whom a verifier trusts: what a policy file says."""

    logs: tuple[PolicyLog, ...]
    witnesses: tuple[PolicyWitness, ...]
    groups: tuple[PolicyGroup, ...]
    quorum: str = NONE

    def satisfied(self, verified: Collection[str]) -> bool:
        """Tell whether the witnesses of these names, whose cosignatures were verified, make the quorum."""
        if self.quorum == NONE:
            return True
        met = {witness.name for witness in self.witnesses if witness.name in verified}
        for group in self.groups:  # a group names only what stands before it
            if sum(member in met for member in group.members) >= group.threshold:
                met.add(group.name)
        return self.quorum in met

    def counted(self) -> frozenset[str]:
        """Name the witnesses that lead to the quorum; the others are optional."""
        wanted = {self.quorum}
        for group in reversed(self.groups):  # a group names only what stands before it
            if group.name in wanted:
                wanted.update(group.members)
        return frozenset(witness.name for witness in self.witnesses if witness.name in wanted)

    def open(self, data: bytes) -> Witnessed:
        """Open a checkpoint that one of the logs has signed, and verify the witnesses' lines.

        Whether the witnesses suffice is `satisfied`.

        Raises:
            NoteError: malformed, or a line of a known key does not hold.
            CheckpointError: no checkpoint.
            UnknownLogError: none of the logs has signed it.
        """
        _, lines = parse_note(data)
        signers = {(line.name, line.key_id) for line in lines}
        log = next((log.key for log in self.logs if (log.key.name, log.key.key_id) in signers), None)
        if log is None:
            names = {name for name, _ in signers}
            raise UnknownLogError(next((log.key.name for log in self.logs if log.key.name in names), None))
        return self.open_under(data, log)

    def open_under(self, data: bytes, log: VerifierKey) -> Witnessed:
        """Open a checkpoint that a log's key has signed, whether or not the policy names it, with the witnesses' lines.

        Raises:
            NoteError: malformed, or not signed by that key, or a line of a known key does not hold.
            CheckpointError: no checkpoint.
        """
        checkpoint, cosignatures = open_cosigned(data, log, [witness.key for witness in self.witnesses])
        times = {cosignature.key: cosignature.time for cosignature in cosignatures}
        return Witnessed(
            checkpoint, log, {witness.name: times[witness.key] for witness in self.witnesses if witness.key in times}
        )

    def text(self) -> str:
        """Spell the policy file."""
        lines = [_join("log", log.key.text(), log.url) for log in self.logs]
        lines += [_join("witness", witness.name, witness.key.text(), witness.url) for witness in self.witnesses]
        lines += [_join("group", group.name, str(group.threshold), *group.members) for group in self.groups]
        return "\n".join([*lines, f"quorum {self.quorum}"]) + "\n"


def parse_policy(data: bytes) -> Policy:
    """Read a policy file.

    Raises:
        PolicyFileError: the message names the line and says what may stand there.
    """
    if len(data) > MAX_SIZE:
        raise PolicyFileError(f"a policy file has at most {MAX_SIZE} bytes")
    *lines, rest = data.split(b"\n")
    if rest:
        raise PolicyFileError(f"line {len(lines) + 1} does not end in a newline: the file may be cut off")
    draft = _Draft()
    for number, line in enumerate(lines, start=1):
        try:
            draft.read(line)
        except (PolicyFileError, NoteError) as error:
            raise PolicyFileError(f"line {number} of the policy: {error}") from error
    if draft.quorum is None:
        raise PolicyFileError("the policy has no quorum line; where no witness is demanded, write 'quorum none'")
    return Policy(tuple(draft.logs), tuple(draft.witnesses), tuple(draft.groups), draft.quorum)


@dataclass(slots=True)
class _Draft:
    """What the lines so far have defined."""

    logs: list[PolicyLog] = field(default_factory=list)
    witnesses: list[PolicyWitness] = field(default_factory=list)
    groups: list[PolicyGroup] = field(default_factory=list)
    quorum: str | None = None
    names: set[str] = field(default_factory=lambda: {NONE})
    members: set[str] = field(default_factory=lambda: {NONE})
    keys: set[bytes] = field(default_factory=set)

    def read(self, line: bytes) -> None:
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            raise PolicyFileError("not UTF-8") from error
        if _CONTROL.search(text):
            raise PolicyFileError("a control character other than tab (does the file have Windows line ends?)")
        match _SPACES.split(text.strip(" \t")):
            case [first, *_] if not first or first.startswith("#"):
                return
            case ["log", vkey, *url] if len(url) <= 1:
                self.logs.append(PolicyLog(self._key(vkey, {ED25519}), *url))
            case ["witness", name, vkey, *url] if len(url) <= 1:
                key = self._key(vkey, COSIGNING)
                self.witnesses.append(PolicyWitness(self._define(name), key, *url))
            case ["group", name, threshold, *members] if members:
                self._group(name, threshold, members)
            case ["quorum", name]:
                self._quorum(name)
            case _:
                raise PolicyFileError(_ALLOWED)

    def _key(self, vkey: str, algorithms: Collection[int]) -> VerifierKey:
        key = VerifierKey.parse(vkey)
        if key.algorithm not in algorithms:
            raise PolicyFileError(
                f"the vkey's type is 0x{key.algorithm:02x}; a log's is 0x01, a witness's is 0x04 or 0x06"
            )
        if key.public_key in self.keys:
            raise PolicyFileError("this public key stands in the file already")
        self.keys.add(key.public_key)
        return key

    def _define(self, name: str) -> str:
        if name in self.names:
            raise PolicyFileError(f"the name {name!r} is taken")
        self.names.add(name)
        return name

    def _group(self, name: str, threshold: str, members: list[str]) -> None:
        for member in members:
            if member == NONE or member not in self.names:
                raise PolicyFileError(f"{member!r} is no witness or group defined above")
            if member in self.members:
                raise PolicyFileError(f"{member!r} is a member of a group already")
            self.members.add(member)
        words = {"any": 1, "all": len(members)}
        count = int(threshold) if _COUNT.fullmatch(threshold) else words.get(threshold, 0)
        if not 1 <= count <= len(members):
            raise PolicyFileError(f"the threshold is 'any', 'all' or 1 to {len(members)}, not {threshold!r}")
        self.groups.append(PolicyGroup(self._define(name), count, tuple(members)))

    def _quorum(self, name: str) -> None:
        if self.quorum is not None:
            raise PolicyFileError("a second quorum")
        if name not in self.names:
            raise PolicyFileError(f"{name!r} is no witness or group defined above, nor 'none'")
        self.quorum = name


def _join(*fields: str | None) -> str:
    return " ".join(item for item in fields if item is not None)
