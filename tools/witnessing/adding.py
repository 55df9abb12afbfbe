"""Adding a witness to a policy file: the lines that stand are left as they are, comments and all.

Witnesses that count are members of one group, `GROUP`, which is the quorum. Where the file has another quorum it was
written by hand, and only optional witnesses are added here.

Source: C2SP tlog-policy; docs/spec/checkpoint.md.
"""

from typing import Final

from ledger.errors import PolicyFileError
from ledger.policy import NONE, Policy, PolicyGroup, PolicyWitness, parse_policy
from tools.errors import InputError

GROUP: Final = "witnesses"


def with_witness(data: bytes, witness: PolicyWitness, *, optional: bool, quorum: str | None) -> bytes:
    """Give the policy file with a witness more.

    Args:
        data: the file.
        witness: whom to add.
        optional: whether nobody waits for it.
        quorum: how many of the witnesses that count must have spoken: ``any``, ``all`` or a number; None keeps what the
            file says, which is ``all`` in the beginning.

    Raises:
        PolicyFileError: the file breaks its form, or would: the message says how.
        InputError: the file has a quorum of another kind.
    """
    policy = parse_policy(data)
    if optional and quorum is not None:
        raise InputError("an optional witness changes no quorum: leave out --quorum")
    if not optional and policy.quorum not in {NONE, GROUP}:
        raise InputError(
            f"the policy's quorum is {policy.quorum!r}, which was written by hand: add the witness by hand too, "
            "or with --optional"
        )
    lines = [line for line in data.decode().split("\n")[:-1] if optional or not _replaced(line)]
    line = " ".join(part for part in ("witness", witness.name, witness.key.text(), witness.url) if part)
    at = next((number for number, text in enumerate(lines) if text.split()[:1] == ["quorum"]), len(lines))
    tail = [line] if optional else [line, *_quorum(policy, witness, quorum)]
    changed = ("\n".join([*lines[:at], *tail, *lines[at:]]) + "\n").encode()
    parsed = parse_policy(changed)
    if witness not in parsed.witnesses:
        raise PolicyFileError(f"a policy file can't hold the witness {witness.name!r}: no name or URL with spaces")
    return changed


def _quorum(policy: Policy, witness: PolicyWitness, quorum: str | None) -> list[str]:
    group = next((one for one in policy.groups if one.name == GROUP), PolicyGroup(GROUP, 0, ()))
    if any(GROUP in one.members for one in policy.groups):
        raise InputError(f"the group {GROUP!r} is a member of another group: add the witness by hand")
    members = (*group.members, witness.name)
    kept = "all" if group.threshold == len(group.members) else str(group.threshold)
    return [f"group {GROUP} {quorum or kept} {' '.join(members)}", f"quorum {GROUP}"]


def _replaced(line: str) -> bool:
    """Tell the lines that are written anew: the quorum, and its group."""
    fields = line.split()
    return fields[:1] == ["quorum"] or fields[:2] == ["group", GROUP]
