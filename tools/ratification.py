"""A file with a standing grant that several humans sign, one after the other, before it is appended.

    {"fields":{...},"format":"tallystick-ratification","reason":{"salt":"<base64url>","value":"why"},
     "signatures":[{"by":"human:ada","signed":{"armour":"...","key":"SHA256:..."}}],"v":1}

(broken into lines here; the file is canonical JSON and a newline). ``fields`` is the body of the event without its
signatures, so that everybody is shown and signs the same text. The reason stands in the open; whoever carries the file
reads it.

Source: DESIGN section 11; docs/spec/grants.md; docs/adr/0025.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from pydantic import ValidationError

from decisions.law import law_in_force
from decisions.ratifying import check_fresh
from grants.authority import check_cosigned
from grants.errors import AuthorityError, GrantError
from grants.events import Cosigned, GrantRatifiedTogether
from grants.issue import Prepared, rehearsed
from grants.standing import StandingTerms, check_selector
from ledger import canon, disclosure
from ledger.canon import Json
from ledger.disclosure import Opening
from ledger.errors import LedgerError
from ledger.event import Registry
from ledger.log import Snapshot
from tools.errors import InputError

FORMAT: Final = "tallystick-ratification"
VERSION: Final = 1
MOST: Final = 2**20
_KEYS: Final = frozenset({"fields", "format", "reason", "signatures", "v"})


@dataclass(frozen=True, slots=True)
class Ratification:
    """A text, and who has signed it so far.

    Attributes:
        prepared: the text; by the first who signed.
        signatures: in the order in which they came, one at least.
    """

    prepared: Prepared
    signatures: tuple[Cosigned, ...]

    @property
    def humans(self) -> int:
        """How many must sign."""
        return int(str(self.prepared.fields["humans"]))

    @property
    def terms(self) -> StandingTerms:
        """What it covers, as if all had signed."""
        body = self._body()
        return StandingTerms(
            body.subject, body.kinds, body.verbs, body.targets, body.selector, body.expires, self.humans
        )

    def to_bytes(self) -> bytes:
        """Give the content of the file."""
        (reason,) = self.prepared.openings
        fields = {name: value for name, value in self.prepared.fields.items() if name != "cosigned"}
        value: dict[str, Json] = {
            "format": FORMAT,
            "v": VERSION,
            "fields": fields,
            "reason": {"salt": canon.to_base64url(reason.salt), "value": reason.value},
            "signatures": [one.model_dump(mode="json") for one in self.signatures],
        }
        return canon.encode(value) + b"\n"

    def signed_by(self, one: Cosigned) -> "Ratification":
        """Give it with one more signature.

        Raises:
            AuthorityError: this human has signed it.
        """
        if one.by in {other.by for other in self.signatures}:
            raise AuthorityError(f"{one.by} has signed it already: another human must")
        return replace(self, signatures=(*self.signatures, one))

    def check(self, look: Snapshot, registry: Registry) -> None:
        """Check that it may still come into force, and that each signature so far was given by right.

        Raises:
            DecisionError: no constitution is in force, or another than the signers saw.
            GrantError: a signature does not hold, or the grant may not be ratified so, or stands already.
        """
        law = law_in_force(look, registry)
        body = self._body()
        check_fresh(body, law.adopted.seq)
        check_selector(law.vocabulary, self.terms)
        rehearsed(look, self.prepared)
        for one in self.signatures:
            check_cosigned(look, body, one, look.head.size)

    def _body(self) -> GrantRatifiedTogether:
        body = self.prepared.draft({"key": "", "armour": ""}).body
        if not isinstance(body, GrantRatifiedTogether):  # pragma: no cover
            raise TypeError(f"{body.type} is no grant that several sign")
        return body


def parse_ratification(data: bytes) -> Ratification:
    """Read the content of a file.

    Raises:
        InputError: it is no such file, or breaks its form.
    """
    try:
        return _read(canon.decode_object(data.removesuffix(b"\n")))
    except (LedgerError, GrantError, ValidationError, TypeError, KeyError) as error:
        told = str(error).partition("\n")[0]
        raise InputError(f"this is no ratification that tally grant ratify --to has begun: {told}") from error


def _read(value: Mapping[str, Json]) -> Ratification:
    fields, reason, signatures = (value.get(name) for name in ("fields", "reason", "signatures"))
    if value.keys() != _KEYS or (value["format"], value["v"]) != (FORMAT, VERSION):
        raise TypeError(f"a {FORMAT} of version {VERSION} is wanted")
    if not isinstance(fields, dict) or not isinstance(reason, dict) or not isinstance(signatures, list):
        raise TypeError("fields, reason and signatures are wanted")
    signed = tuple(Cosigned.model_validate(one) for one in signatures)
    if not signed or "cosigned" in fields:
        raise TypeError("one signature at least is wanted, and each among the signatures")
    opening = Opening("/reason", canon.from_base64url(str(reason["salt"])), reason["value"])
    first = signed[0].by
    prepared = Prepared(GrantRatifiedTogether, {**fields, "cosigned": []}, first, frozenset(), (opening,))
    disclosure.check(prepared.draft({"key": "", "armour": ""}).body, opening)
    return Ratification(prepared, signed)
