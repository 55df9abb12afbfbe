"""Every parser of untrusted bytes, by name; each has a target of its own: ``python -m tools.dev.fuzz NAME``."""

from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from decisions.constitution import default, load
from decisions.operation import FORMS, receive
from decisions.reducers import reduce_operation
from grants import allowed_signers, reference, sshkey, sshsig
from grants.errors import KeyFileError
from grants.expression import compile_expression
from ledger import canon
from ledger.checkpoint import Checkpoint
from ledger.cose import Receipt
from ledger.cosignature import TreeHead
from ledger.note import VerifierKey, parse_note
from ledger.policy import parse_policy
from ledger.proof import ConsistencyProof, InclusionProof, RangeProof, SetProof, TwinConsistency, TwinInclusion
from ledger.tlog_proof import TlogProof
from ledger.witness import AddCheckpoint, parse_lines, parse_size, spell_size
from tools.dev.fuzz import hooked, seeds, stored
from tools.dev.fuzz.parser import Parser
from tools.resources_file import read_resources
from verify.bundle.form import Bundle, parse_bundle
from verify.check import check_bundle
from verify.continuation import Continuation
from verify.equivocation import Equivocation, check_equivocation, parse_equivocation
from verify.links import LinksFile, parse_links
from verify.proof_file.check import check_proof_file
from verify.receipt import check_receipt
from verify.stamp import read_stamp
from verify.views import EVENTS
from verify.witness import read_request

_ATTRIBUTES = {name: attribute.type for name, attribute in default().attributes.items()}


def _text(read: Callable[[str], Any]) -> Callable[[bytes], Any]:
    """Let a parser of text read bytes: that they are UTF-8 is for its caller to see to."""

    def decoded(data: bytes) -> Any:
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise KeyFileError("not UTF-8") from error
        return read(text)

    return decoded


def _proof(kind: Any, seed: str) -> Parser:
    return Parser(
        lambda data: kind.from_json(canon.decode(data)),
        lambda: [seeds.PROOFS[seed]],
        lambda proof: canon.encode(proof.to_json()),
    )


def _spell_note(note: Any) -> bytes:
    text, lines = note
    return f"{text}\n{''.join(line.line() for line in lines)}".encode()


def _resources(suffix: str) -> Parser:
    def read(data: bytes) -> Any:
        with TemporaryDirectory() as folder:
            path = Path(folder) / f"resources{suffix}"
            path.write_bytes(data)
            return read_resources(path)

    return Parser(read, lambda: [seeds.RESOURCES[suffix]])


def _operation(form: str) -> Parser:
    def read(data: bytes) -> Any:
        operation = receive(form, data)
        return reduce_operation(operation.form, operation.payload, home="/home/a")

    return Parser(read, lambda: seeds.PAYLOADS[form])


def _links() -> list[bytes]:
    """Make the links of the golden bundles whose log had another key before."""
    bundles = [parse_bundle(data) for data in seeds.files("after-*.bundle")()]
    return [LinksFile(one.checkpoint, one.events, one.links).to_bytes() for one in bundles]


def _check_bundle(data: bytes) -> Any:
    policy = parse_policy((seeds.BUNDLES / "log.policy").read_bytes())
    signers = allowed_signers.parse((seeds.BUNDLES / "human.signers").read_bytes())
    return check_bundle(data, policy, signers, None)


PARSERS: Mapping[str, Parser] = {
    "canonical-json": Parser(canon.decode, seeds.events, canon.encode),
    "event": Parser(EVENTS.parse, seeds.events, lambda event: event.data),
    "note": Parser(parse_note, lambda: [seeds.NOTE], _spell_note),
    "checkpoint": Parser(
        _text(Checkpoint.parse), lambda: [seeds.CHECKPOINT.encode()], lambda checkpoint: checkpoint.text().encode()
    ),
    "verifier-key": Parser(
        _text(VerifierKey.parse), lambda: [seeds.SIGNER.verifier_key.text().encode()], lambda key: key.text().encode()
    ),
    "policy": Parser(parse_policy, seeds.files("*.policy")),
    "tree-head": Parser(_text(TreeHead.parse), lambda: [seeds.CHECKPOINT.encode()]),
    "witness-request": Parser(AddCheckpoint.parse, lambda: [seeds.WITNESS_REQUEST], AddCheckpoint.to_bytes),
    "witness-request-check": Parser(
        lambda data: read_request(data, [seeds.SIGNER.verifier_key]), lambda: [seeds.WITNESS_REQUEST]
    ),
    "witness-size": Parser(parse_size, lambda: [b"0\n", b"50\n"], spell_size),
    "witness-lines": Parser(parse_lines, lambda: [seeds.NOTE.rpartition(b"\n\n")[2]]),
    "continuation": Parser(Continuation.parse, lambda: [seeds.CONTINUATION.to_bytes()], Continuation.to_bytes),
    "equivocation": Parser(parse_equivocation, lambda: seeds.EQUIVOCATIONS, Equivocation.to_bytes),
    "equivocation-check": Parser(
        lambda data: check_equivocation(parse_equivocation(data), parse_policy(seeds.POLICY)),
        lambda: seeds.EQUIVOCATIONS,
    ),
    "inclusion-proof": _proof(InclusionProof, "inclusion"),
    "consistency-proof": _proof(ConsistencyProof, "consistency"),
    "twin-inclusion-proof": _proof(TwinInclusion, "twin inclusion"),
    "twin-consistency-proof": _proof(TwinConsistency, "twin consistency"),
    "set-proof": _proof(SetProof, "set"),
    "range-proof": _proof(RangeProof, "range"),
    "proof-file": Parser(
        lambda data: check_proof_file(BytesIO(data), parse_policy(seeds.POLICY)), lambda: seeds.PROOF_FILES
    ),
    "bundle": Parser(parse_bundle, seeds.files("*.bundle"), Bundle.to_bytes),
    "links": Parser(parse_links, _links, LinksFile.to_bytes),
    "bundle-check": Parser(_check_bundle, seeds.files("*.bundle")),
    "tlog-proof": Parser(TlogProof.parse, lambda: seeds.TLOG_PROOFS, TlogProof.to_bytes),
    "cose-receipt": Parser(Receipt.parse, seeds.receipts, Receipt.to_bytes),
    "receipt-check": Parser(
        lambda data: check_receipt(data, None, parse_policy(seeds.POLICY)),
        lambda: [*seeds.TLOG_PROOFS, *seeds.receipts()],
    ),
    "time-stamp": Parser(read_stamp, seeds.stamps),
    "sshsig": Parser(_text(sshsig.parse), seeds.signatures),
    "public-key": Parser(_text(sshkey.parse_line), lambda: [seeds.KEY_LINE]),
    "private-key-file": Parser(_text(sshkey.public_half), seeds.private_keys),
    "allowed-signers": Parser(allowed_signers.parse, seeds.files("*.signers")),
    "constitution": Parser(_text(load), seeds.files("constitution.toml")),
    "expression": Parser(_text(lambda text: compile_expression(text, _ATTRIBUTES)), lambda: seeds.EXPRESSIONS),
    "reference": Parser(
        _text(reference.parse), lambda: [b"db://prod/users/id=42", b"file:///etc/passwd"], lambda one: str(one).encode()
    ),
    "pattern": Parser(_text(reference.Pattern.parse), lambda: [b"db://prod/users/**"]),
    **stored.parsers(_text),
    **hooked.parsers(),
    **{f"resources{suffix}": _resources(suffix) for suffix in seeds.RESOURCES},
    **{f"operation-{form}": _operation(form) for form in FORMS},
}
