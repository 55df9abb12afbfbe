"""The binding digest: what a consent is bound to, as one number.

    {"args":{"sd":"..."},"audience":"<origin>","domain":"...","kind":"data",
     "operands":[{"content":{"sd":"..."},"reference":"file:///srv/app/s.sh"}],
     "subject":["agent:ops-7"],"target":"db://prod/users/42","v":1,"verb":"delete","version":7}

is written in canonical bytes (one line; broken here to be read) and hashed with the ``binding`` context. Change any
of it, the version of the resource, one byte of the arguments or of a script, the part of the agent that acts, the log
that is asked, and the digest is another. Arguments and operands stand as commitments, so that the digest of a
guessable value does not survive its erasure.

>>> to = BindingTo("tally.example/log", ("agent:ops-7",), "", Disclosable(sd="A" * 43), ())
>>> first, rest = document(to, "data", "delete", "db://prod/users/42", 7).split(b',"kind":')
>>> first
b'{"args":{"sd":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},"audience":"tally.example/log","domain":""'
>>> rest
b'"data","operands":[],"subject":["agent:ops-7"],"target":"db://prod/users/42","v":1,"verb":"delete","version":7}'
>>> binding(to, "data", "delete", "db://prod/users/42", 7)
'70eF3nK5xNK480cIws6P0QebXLwxaOB0PXu_GGBmK30'

Source: DESIGN section 11; policy cases D05, D07, D19.
"""

from dataclasses import dataclass

from grants.events import Operand
from ledger import canon, digest
from ledger.canon import Json
from ledger.disclosure import Disclosable

VERSION = 1


@dataclass(frozen=True, slots=True)
class BindingTo:
    """What all items of one operation are bound to alike.

    Attributes:
        audience: origin of the log that is asked.
        subject: the chain from the principal that asks down to the part that acts.
        domain: the trust domain, or an empty text.
        args: commitment to the operation as received.
        operands: content that the operation will use.
    """

    audience: str
    subject: tuple[str, ...]
    domain: str
    args: Disclosable
    operands: tuple[Operand, ...]


def document(to: BindingTo, kind: str, verb: str, target: str, version: int) -> bytes:
    """Give the canonical bytes that the digest of one item is made from."""
    operands: list[Json] = [operand.model_dump(mode="json") for operand in to.operands]
    return canon.encode(
        {
            "v": VERSION,
            "audience": to.audience,
            "subject": list(to.subject),
            "domain": to.domain,
            "kind": kind,
            "verb": verb,
            "target": target,
            "version": version,
            "args": to.args.model_dump(mode="json"),
            "operands": operands,
        }
    )


def binding(to: BindingTo, kind: str, verb: str, target: str, version: int) -> str:
    """Give the binding digest of one item, base64url."""
    return canon.to_base64url(digest.binding(document(to, kind, verb, target, version)))
