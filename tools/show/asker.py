"""How it stands with the one who asked, where that decides: a mere claim, somebody suspended, nobody at all.

Source: DESIGN sections 7 and 10.
"""

from dataclasses import dataclass

from grants.principals import UNKNOWN
from tools.cli.output import safe

_ONLY_FOR_THE_ESTABLISHED = frozenset({"consent", "standing_grant"})


@dataclass(frozen=True, slots=True)
class AskedBy:
    """What the ledger says of an asker.

    Attributes:
        chain: the subject, from the principal down to the part that acts.
        established: whether it is known that it was this one.
        registered: whether a principal of this id is registered.
        suspended: the event that suspended it before the decision, or None.
        via: the service that spoke for it, or None.
        confirmed: false where the log was restored and nobody has said since that the principal stands.
    """

    chain: tuple[str, ...]
    established: bool = True
    registered: bool = True
    suspended: int | None = None
    via: str | None = None
    confirmed: bool = True

    def text(self) -> str:
        """Name it, and say why it counts for nothing where it does."""
        name = safe("/".join(self.chain)) + (f" through {self.via}" if self.via else "")
        if self.suspended is not None:
            return f"{name}, suspended by event {self.suspended}"
        if not self.confirmed:
            return f"{name}, not confirmed since the log was restored"
        if self.established:
            return name
        if self.chain == (UNKNOWN,):
            return f"{name}: your system user is no principal of this ledger, and --as names none"
        if not self.registered:
            return f"{name}, claimed: nobody of this id is registered"
        return f"{name}, claimed: not established on this machine"

    def hears(self, what: str) -> bool:
        """Tell whether a change of this kind could help; no grant is looked at for somebody who merely claims."""
        return self.established or what not in _ONLY_FOR_THE_ESTABLISHED

    def cure(self, attribute: str) -> str | None:
        """Say what to do about an attribute of the session, or None where it is none."""
        who = safe(self.chain[0])
        match attribute:
            case "owned" if self.established:
                return f"no human answers for {who} any more, and its owner stays: register another id with --owner"
            case "authenticated" | "owned":
                return self._authentication(who)
            case "correlated":
                return "give the request an id of its own: --request ID"
        return None

    def _authentication(self, who: str) -> str:
        if self.suspended is not None:
            return f"{who} was suspended and does not come back: register another id with tally principal add"
        if not self.confirmed:
            return f"say that {who} still stands: tally principal confirm {who}"
        if who == UNKNOWN:
            return "say who asks with --as, and ask as the system user of that principal: tally principal list"
        if not self.registered:
            return f"register {who}: tally principal add {who} --owner human:NAME --uid USER"
        return (
            f"run it as the system user that {who} is registered with (tally principal show {who}), "
            "or through a registered service: tally principal add service:NAME --owner human:NAME --uid USER "
            f"--speaks-for {who}"
        )
