"""How authority is made: an act is prepared, shown, signed, and appended.

`prepare` renders the statement of an act and rehearses it against what stands, so that nobody is asked for a
passphrase for what would be refused. `Prepared.sign` has the text signed as it was shown, and `append_signed` checks
the signature and the signer once more inside the writer transaction. `grants.acts` has a function for each act.

Source: DESIGN sections 7 and 11; docs/spec/statements.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import ValidationError

from grants import authority
from grants.book import VIEWS
from grants.book.states import GenesisState
from grants.errors import AuthorityError, IssueError
from grants.events import FORMER
from grants.principals import log_state
from grants.signer import Signer
from ledger.canon import Json
from ledger.disclosure import Disclosable, Opening
from ledger.errors import LedgerError, ViewError
from ledger.event import Draft, Event, SignedBody, seal, statement
from ledger.events import LedgerOpened
from ledger.instant import from_microseconds
from ledger.log import Snapshot, Transaction
from ledger.view import StateRow, step


@dataclass(frozen=True, slots=True)
class Prepared:
    """An act that is ready to be read and signed.

    Attributes:
        body_type: the type of event that it will be.
        fields: the body without its signature.
        by: whose act it is.
        keys: fingerprints of the keys that may sign it.
        openings: what opens the commitments of the fields.
        causes: the events that led to it.
    """

    body_type: type[SignedBody]
    fields: dict[str, Json]
    by: str
    keys: frozenset[str]
    openings: tuple[Opening, ...] = ()
    causes: tuple[int, ...] = ()

    @property
    def statement(self) -> bytes:
        """The exact text to read and sign."""
        return statement(self.body_type, self.fields)

    @property
    def namespace(self) -> str:
        """The namespace to sign it in."""
        return self.body_type.namespace()

    def sign(self, signer: Signer) -> Draft:
        """Have the statement signed.

        Raises:
            AuthorityError: the key is none of those that may sign.
            KeyFileError: the key can't be used.
        """
        fingerprint = signer.public_key.fingerprint
        if fingerprint not in self.keys:
            raise AuthorityError(f"{fingerprint} is no key of {self.by}; its keys are {', '.join(sorted(self.keys))}")
        return self.draft({"key": fingerprint, "armour": signer.sign(self.statement, self.namespace)})

    def draft(self, signed: dict[str, Json]) -> Draft:
        """Make the draft with a signature that was made elsewhere; it is verified when it is appended.

        Raises:
            IssueError: a field breaks the schema.
        """
        try:
            body = self.body_type.model_validate({**self.fields, "signed": signed})
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            field = ".".join(str(part) for part in first["loc"]) or "fields"
            raise IssueError(f"{self.body_type.type}: {field}: {first['msg']}") from error
        return Draft(body, self.by, "signature", openings=self.openings, causes=self.causes)


def prepare(
    snapshot: Snapshot,
    body_type: type[SignedBody],
    fields: dict[str, Json],
    *,
    by: str,
    openings: Sequence[Opening] = (),
    causes: Sequence[int] = (),
) -> Prepared:
    """Prepare an act against the log as it stands.

    Args:
        snapshot: the log that the signer has seen.
        body_type: the type of event.
        fields: the body without size, signature, and without the top-level fields that openings fill; without origin
            too, unless the act begins another.
        by: the principal whose act it is.
        openings: of the disclosable fields; each one directly in the body fills its field.
        causes: the events that led to it.

    Raises:
        AuthorityError: this principal may not do this.
        IssueError: it breaks its schema, or contradicts what stands.
    """
    begun = log_state(snapshot)
    if begun is None:
        raise IssueError("this log was not opened yet: run tally init")
    live = live_keys(snapshot, begun, body_type, by)
    whole = {"origin": begun.origin, **fields, **_filled(openings), "log_size": snapshot.head.size}
    return rehearsed(snapshot, Prepared(body_type, whole, by, live, tuple(openings), tuple(causes)))


def live_keys(snapshot: Snapshot, begun: GenesisState, body_type: type[SignedBody], by: str) -> frozenset[str]:
    """Give the fingerprints of the keys by which a principal may sign an act now.

    Raises:
        AuthorityError: this principal may not do this.
    """
    size = snapshot.head.size
    signer = authority.check_signer(snapshot, body_type, by, size)
    restored = begun.restored(size)
    return frozenset(fingerprint for fingerprint, key in signer.keys.items() if key.holds_at(size, restored))


def prepare_genesis(
    snapshot: Snapshot, fields: dict[str, Json], *, by: str, fingerprint: str, openings: Sequence[Opening]
) -> Prepared:
    """Prepare the first event of an empty log.

    Raises:
        IssueError: it breaks its schema, or the log has begun.
    """
    whole = {**fields, **_filled(openings), "log_size": 0}
    return rehearsed(snapshot, Prepared(LedgerOpened, whole, by, frozenset({fingerprint}), tuple(openings)))


_JUDGED: Final = "decisions.appending.append_act"
_DOORS: Final = {
    # Holds and retention are looked at.
    "fields.erased": "grants.erasing.append_erasure",
    # The votes are counted, and the class of the change is worked out again.
    "amendment.proposed": _JUDGED,
    "amendment.voted": _JUDGED,
    "amendment.adopted": _JUDGED,
    "amendment.rejected": _JUDGED,
    "constitution.adopted": _JUDGED,
    # What the labels open is worked out again.
    "resource.registered": _JUDGED,
    "resource.reclassified": _JUDGED,
    "resource.cleared": _JUDGED,
    # The signatures are counted.
    "grant.ratified": _JUDGED,
}
"""Of the types for which more has to hold than the signature, the one function that looks at it and appends them."""


def append_signed(tx: Transaction, draft: Draft) -> Event:
    """Check the signature and the signer of a draft as of now, and append it.

    Raises:
        AuthorityError: the signer may not do this, or more has to hold than the signature: it has a door of its own.
        SignatureError: the signature does not hold.
        AppendError: it contradicts what stands, or repeats what can be done once.
    """
    if isinstance(draft.body, FORMER):
        raise AuthorityError(f"{draft.body.type} has another schema now: what is of schema 1 is read, and not appended")
    door = _DOORS.get(draft.body.type)
    if door is not None:
        raise AuthorityError(f"{draft.body.type} is appended by {door} alone: more has to hold than its signature")
    return append_checked(tx, draft)


def append_checked(tx: Transaction, draft: Draft) -> Event:
    """Do what `append_signed` does, for one who has checked what else there is to check.

    Raises:
        AuthorityError: the signer may not do this.
        SignatureError: the signature does not hold.
        AppendError: it contradicts what stands, or repeats what can be done once.
    """
    if not isinstance(draft.body, SignedBody) or draft.auth != "signature":
        raise AuthorityError(f"{draft.body.type} is not an act that somebody signed")
    authority.check_signed(tx, draft.body, draft.by, tx.head.size)
    return tx.append(draft)


def plain(value: Disclosable) -> Json:
    """Spell a commitment as it stands in an event."""
    return {"sd": value.sd}


def _filled(openings: Sequence[Opening]) -> dict[str, Json]:
    return {o.path[1:]: plain(o.commitment()) for o in openings if o.path.count("/") == 1}


def rehearsed(snapshot: Snapshot, prepared: Prepared) -> Prepared:
    """Fold the act, unsigned, into what stands, without keeping anything.

    Raises:
        IssueError: it contradicts what stands.
    """
    # Which of the keys will sign is not known yet; a view may look at which it is, and at nothing else of a signature.
    draft = prepared.draft({"key": min(prepared.keys, default=""), "armour": ""})
    at = snapshot.head.at or from_microseconds(0)
    try:
        event = seal(draft, snapshot.head.size, at)
        for key in event.claims():
            holder = snapshot.claimed(key)
            if holder is not None:
                raise IssueError(_taken(key, holder))
        for view in VIEWS:
            for key in view.keys(event):
                row: StateRow | None = snapshot.state(view.name, key)
                step(view, key, row, event)
    except ViewError as error:
        raise IssueError(error.why or str(error)) from error
    except LedgerError as error:
        raise IssueError(str(error)) from error
    return prepared


_TAKEN: Final = {
    "answer": "request {} was answered already, by event {}",
    "erased": "{} was erased already, by event {}",
    "key": "the key {} is registered already, by event {}: each principal has keys of its own",
    "principal": "{} is registered already, by event {}",
    "resource": "{} is registered already, by event {}: reclassify it",
    "statement": "this very act is on record already: statement {}, event {}",
    "uid": "system user {} is a principal already, by event {}, and stays it",
}


def _taken(claim: str, holder: int) -> str:
    """Say in words that a unique key is taken."""
    kind, _, rest = claim.partition(":")
    told = _TAKEN.get(kind)
    return told.format(rest, holder) if told else f"{claim} is already taken by event {holder}"
