"""Inputs that the parsers accept: where the search begins."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from ledger import canon
from ledger.checkpoint import Checkpoint
from ledger.cose import Receipt
from ledger.note import NoteSigner
from ledger.proof import ConsistencyProof, InclusionProof, RangeProof, SetProof, TwinConsistency, TwinInclusion
from ledger.tlog_proof import TlogProof
from ledger.witness import AddCheckpoint
from tools.audit.memo import Memo, Remembered
from verify.bundle.form import parse_bundle
from verify.continuation import Continuation, Prefix
from verify.equivocation import Equivocation
from verify.proof_file.form import ProofHead
from verify.proven import Roots
from verify.views import EVENTS, VIEWS

VECTORS = Path(__file__).parents[3] / "tests" / "vectors"
BUNDLES = VECTORS / "bundles"
EXPORT = VECTORS / "exports" / "golden"

SIGNER = NoteSigner("example.com/log", Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
CHECKPOINT = Checkpoint("example.com/log", 3, bytes(32), bytes(32)).text()
NOTE = SIGNER.sign(CHECKPOINT)
KEY_LINE = b"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAOhB7/zzhC+HXDdGOdLwJln5OYwm6UNXx3chmQSVTG4 ada\n"
POLICY = f"log {SIGNER.verifier_key.text()}\nquorum none\n".encode()

_HASHES = tuple(bytes([number]) * 32 for number in range(4))

WITNESS_REQUEST = AddCheckpoint(2, _HASHES[:1], NOTE).to_bytes()
CONTINUATION = Continuation(
    Prefix(_HASHES[3], ConsistencyProof(2, 3, _HASHES[:1], ((),), _HASHES[2:3])),
    Prefix(_HASHES[3], TwinConsistency(2, 3, _HASHES[:1])),
)
EQUIVOCATIONS = [
    Equivocation(NOTE, NOTE, CONTINUATION.blake3, CONTINUATION.sha256).to_bytes(),
    Equivocation(NOTE, SIGNER.sign(Checkpoint("example.com/log", 3, b"r" * 32, bytes(32)).text())).to_bytes(),
]

EXPRESSIONS = [
    b"environment == 'prod' and not (about_people or sensitivity != 'public')",
    b"environment in ('prod', 'test')",
    b"present(stated_purpose)",
]
RESOURCES = {
    ".jsonl": b'{"reference": "db://prod/users", "environment": "prod", "absent": ["purpose"]}\n',
    ".toml": b'[[resource]]\nreference = "db://prod/users"\nabsent = ["purpose"]\n',
    ".csv": b"reference,environment,absent\ndb://prod/users,prod,purpose\n",
}
PAYLOADS: Mapping[str, list[bytes]] = {
    "tool_call": [
        b'{"tool_name":"Bash","tool_input":{"command":"rm -rf /"}}',
        b'{"tool_name":"Write","tool_input":{"file_path":"a","content":"b"}}',
    ],
    "shell": [
        b'{"command":"for f in $(ls); do cat <<E | tee \\"$f\\" && rm $f; done\\nE\\n","cwd":"/tmp"}',
        b'{"command":"a=$((1+2)) b <(c) >d 2>&1"}',
    ],
    "sql": [
        b'{"sql":"WITH a AS (DELETE FROM b RETURNING *) SELECT * FROM a WHERE id = 4 OR true","database":"prod"}',
    ],
    "exec": [b'{"argv":["rm","-rf","x"],"cwd":"/srv","env":{"LD_PRELOAD":"./x.so","CI":null}}'],
    "file": [b'{"verb":"move","path":"../x","to":"/y","cwd":"/srv","recursive":true}'],
    "http": [
        b'{"method":"POST","url":"https://x.example/a","headers":{"Accept":"*/*"},"body":"x","redirected_from":1}'
    ],
    "mcp": [b'{"server":"a","method":"tools/call","params":{"name":"b"},"definition":{"name":"b","inputSchema":{}}}'],
    "typed": [b'{"verb":"delete","target":"db://prod/users"}', b'{"actions":[{"verb":"read","target":"file:///a"}]}'],
    "conversation": [b'{"class":"empathy","person":"p","domain":"grief"}'],
    "unreadable": [b'{"text":"a","bytes":1,"why":"b"}'],
}
PROOFS: Mapping[str, bytes] = {
    "inclusion": canon.encode(InclusionProof(5, 1, _HASHES[:2], _HASHES[2:3]).to_json()),
    "consistency": canon.encode(ConsistencyProof(2, 3, _HASHES[:1], ((),), _HASHES[2:3]).to_json()),
    "twin inclusion": canon.encode(TwinInclusion(3, 2, _HASHES[:1]).to_json()),
    "twin consistency": canon.encode(TwinConsistency(2, 3, _HASHES[:1]).to_json()),
    "set": canon.encode(SetProof(5, (1, 3), _HASHES[:3]).to_json()),
    "range": canon.encode(RangeProof(5, 1, 2, _HASHES[:1], _HASHES[1:3]).to_json()),
}
_ROOTS = Roots(3, _HASHES[0], _HASHES[1])
PROOF_FILES = [
    ProofHead(
        NOTE, _ROOTS, InclusionProof(3, 0, _HASHES[:1], _HASHES[2:3]), TwinInclusion(3, 0, _HASHES[:2])
    ).to_bytes()
    + b'{"seq":0}\n',
    ProofHead(NOTE, _ROOTS, SetProof(3, (0, 2), _HASHES[:1]), SetProof(3, (0, 2), _HASHES[:1])).to_bytes()
    + b'{"seq":0}\n{"seq":2}\n',
    ProofHead(
        NOTE,
        _ROOTS,
        ConsistencyProof(2, 3, _HASHES[:1], ((),), _HASHES[2:3]),
        TwinConsistency(2, 3, _HASHES[:1]),
        old=Roots(2, _HASHES[1], _HASHES[2]),
    ).to_bytes(),
]
TLOG_PROOFS = [TlogProof(2, _HASHES[:2], NOTE, b'{"seq":2}').to_bytes(), TlogProof(0, (), NOTE).to_bytes()]

SETTINGS = [b"", b"[checkpoint]\nseconds = 60\nevents = 1_000\n", b"# ours\ncheckpoint = { seconds = 0x3c }\n"]
RULES = [b"decision.made:/args=30..180", b"*:*=..3650", b"consent.granted:*=7.."]
ADDRESSES = [
    b"postgresql+psycopg://ada@db.example:5432/records?schema=ledger",
    b"postgres://[::1]/records?sslmode=verify-full&application_name=a%20b",
    b"postgresql:///records?host=/run/postgresql",
]
RECORD = Remembered(
    start=0,
    stop=3,
    peaks=((_HASHES[0], _HASHES[1]), (_HASHES[2], _HASHES[3])),
    digest=_HASHES[1],
    first_at="2026-11-30T12:00:00.000000Z",
    last_at="2026-11-30T12:00:01.000000Z",
    lives=1,
    claims=(2, 0x1F),
    tags=(4, 0xABC),
    acts=0b101,
    openings=1,
)


def files(pattern: str) -> Callable[[], list[bytes]]:
    """Take the golden files of a kind."""
    return lambda: [path.read_bytes() for path in sorted(BUNDLES.glob(pattern))]


def events() -> list[bytes]:
    """Take every event of the golden bundles."""
    return [event.data for data in files("*.bundle")() for event in parse_bundle(data).events]


def signatures() -> list[bytes]:
    """Take the signatures that hold."""
    names = sorted((VECTORS / "sshsig").glob("valid-*.json"))
    return [json.loads(path.read_text())["signature"].encode() for path in names]


def private_keys() -> list[bytes]:
    """Spell a key as ssh-keygen keeps it."""
    return [SIGNER.private_key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())]


def receipts() -> list[bytes]:
    """Encode a receipt."""
    return [Receipt("example.com/log", "event/2", b"1234", TwinInclusion(3, 2, _HASHES[:1]), bytes(64)).to_bytes()]


def stamps() -> list[bytes]:
    """Take a time stamp."""
    return [(VECTORS / "stamps" / "example.tsr").read_bytes()]


def exported(kind: str) -> list[bytes]:
    """Take the files of a kind of the golden export."""
    return [path.read_bytes() for path in sorted((EXPORT / kind).iterdir())]


def exported_lines(kind: str) -> list[bytes]:
    """Take the lines of these files, without their newlines."""
    return [line for data in exported(kind) for line in data.splitlines()]


def progress() -> list[bytes]:
    """Let an audit remember a range, as it does when it is interrupted."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "progress"
        memo = Memo(path, EVENTS, VIEWS)
        memo.keep(RECORD)
        memo.close()
        return [path.read_bytes()]
