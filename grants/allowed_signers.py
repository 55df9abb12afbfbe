"""Files of trusted signers, in the syntax that ``ssh-keygen -Y verify -f`` reads.

A line is ``<principals> [<options>] <algorithm> <base64> [<comment>]``::

    ada@example.com,human:ada namespaces="tallystick-*",valid-before="20270101Z" ssh-ed25519 AAAA... laptop

Principals and namespaces are lists of patterns parted by commas: ``*`` and ``?`` stand for any and for one
character, and a match of a pattern after ``!`` refuses. Times are ``YYYYMMDD[HHMM[SS]]Z``: we have no time zone to
guess by, so the ``Z`` is demanded. Both ends of a validity count as valid. Certificates are not accepted. A line that
can't be read refuses the file; it is never skipped.

Source: ssh-keygen(1), "ALLOWED SIGNERS"; DESIGN sections 9 and 11.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from grants import sshsig
from grants.errors import KeyFileError, SignatureError
from grants.sshkey import ALGORITHMS, PublicKey, parse_line
from ledger import instant
from ledger.instant import Instant

MAX_SIZE = 2**20

_SPACES = re.compile(r"[ \t]+")
_OPTION = re.compile(r'(namespaces|valid-after|valid-before)="([^"\\ ]+)"')
_OPTIONS = re.compile(rf"{_OPTION.pattern}(?:,{_OPTION.pattern})*")
_TIME = re.compile(r"\d{8}(?:\d{4}(?:\d{2})?)?Z", re.ASCII)
_TIME_FORMS = {9: "%Y%m%dZ", 13: "%Y%m%d%H%MZ", 15: "%Y%m%d%H%M%SZ"}
_PATTERNS = re.compile(r"!?[^,!\"]+(?:,!?[^,!\"]+)*")


@dataclass(frozen=True, slots=True)
class AllowedSigner:
    """One line: whose key it is, for what, and from when to when.

    Attributes:
        line: the number of the line.
        principals: a list of patterns.
        key: the public key.
        namespaces: a list of patterns; None stands for all.
        valid_after: the first moment; None stands for always.
        valid_before: the last moment; None stands for ever.
    """

    line: int
    principals: str
    key: PublicKey
    namespaces: str | None = None
    valid_after: Instant | None = None
    valid_before: Instant | None = None

    def refusal(self, namespace: str, at: Instant) -> str | None:
        """Say why the key can't sign in the namespace at the moment; None if it can."""
        if self.namespaces is not None and not matches(self.namespaces, namespace):
            return f"line {self.line} allows the key for {self.namespaces!r} only"
        if self.valid_after is not None and at < self.valid_after:
            return f"line {self.line} allows the key from {self.valid_after} on"
        if self.valid_before is not None and at > self.valid_before:
            return f"line {self.line} allows the key until {self.valid_before}"
        return None


@dataclass(frozen=True, slots=True)
class AllowedSigners:
    """All lines of a file."""

    lines: tuple[AllowedSigner, ...]

    def lookup(self, fingerprint: str, namespace: str, at: Instant, principal: str | None = None) -> AllowedSigner:
        """Find the first line that allows the key, and for the principal if one is given.

        Raises:
            SignatureError: no line does; the message says why the nearest does not.
        """
        lines = [line for line in self.lines if line.key.fingerprint == fingerprint]
        if principal is not None:
            lines = [line for line in lines if matches(line.principals, principal)]
        refusals = []
        for line in lines:
            refusal = line.refusal(namespace, at)
            if refusal is None:
                return line
            refusals.append(refusal)
        whose = "" if principal is None else f" for {principal}"
        raise SignatureError(refusals[0] if refusals else f"the key {fingerprint} is not listed{whose}")

    def keys(self, principal: str, namespace: str, at: Instant) -> tuple[PublicKey, ...]:
        """Give the keys with which the principal can sign in the namespace at the moment."""
        lines = (line for line in self.lines if matches(line.principals, principal))
        return tuple(dict.fromkeys(line.key for line in lines if line.refusal(namespace, at) is None))

    def verify(
        self, armoured: str, message: bytes, namespace: str, at: Instant, principal: str | None = None
    ) -> AllowedSigner:
        """Verify a signature by a listed key, and give the line that allows it.

        Raises:
            SignatureError: the signature does not hold, or no line allows its key.
        """
        key = sshsig.parse(armoured).public_key
        sshsig.verify(armoured, message, namespace, key)
        return self.lookup(key.fingerprint, namespace, at, principal)


def parse(data: bytes) -> AllowedSigners:
    """Read a file of allowed signers.

    Raises:
        KeyFileError: a line can't be read; the message has its number.
    """
    if len(data) > MAX_SIZE:
        raise KeyFileError(f"a file of allowed signers has at most {MAX_SIZE} bytes")
    lines = []
    for number, raw in enumerate(data.split(b"\n"), start=1):
        try:
            line = raw.decode().strip(" \t")
            if line and not line.startswith("#"):
                lines.append(_parse_line(number, line))
        except (KeyFileError, UnicodeDecodeError) as error:
            reason = error if isinstance(error, KeyFileError) else "not UTF-8"
            raise KeyFileError(f"line {number} of the allowed signers: {reason}") from error
    return AllowedSigners(tuple(lines))


def matches(patterns: str, text: str) -> bool:
    """Tell whether a list of patterns allows the text: one must match, and none after ``!``."""
    result = False
    for pattern in patterns.split(","):
        if _glob(pattern.removeprefix("!"), text):
            if pattern.startswith("!"):
                return False
            result = True
    return result


def _parse_line(number: int, line: str) -> AllowedSigner:
    if not line.isprintable() and not line.replace("\t", "").isprintable():
        raise KeyFileError("a control character (does the file have Windows line ends?)")
    principals, _, rest = _SPACES.sub(" ", line).partition(" ")
    if not _PATTERNS.fullmatch(principals):
        raise KeyFileError(f"not a list of principals: {principals[:80]!r}")
    options: dict[str, str] = {}
    if rest.partition(" ")[0] not in ALGORITHMS:
        options, rest = _parse_options(rest)
    start, end = (_moment(options[name]) if name in options else None for name in ("valid-after", "valid-before"))
    if start is not None and end is not None and end <= start:
        raise KeyFileError("the validity ends before it starts")
    return AllowedSigner(number, principals, parse_line(rest), options.get("namespaces"), start, end)


def _parse_options(rest: str) -> tuple[dict[str, str], str]:
    match = _OPTIONS.match(rest)
    if match is None or rest[match.end() : match.end() + 1] != " ":
        raise KeyFileError(
            'after the principals stands the key, or options of the form namespaces="...", valid-after="...", '
            'valid-before="...", parted by commas'
        )
    pairs = _OPTION.findall(match[0])
    options = dict(pairs)
    if len(options) != len(pairs):
        raise KeyFileError("an option stands twice")
    if not _PATTERNS.fullmatch(options.get("namespaces", "*")):
        raise KeyFileError(f"not a list of namespaces: {options['namespaces'][:80]!r}")
    return options, rest[match.end() + 1 :]


def _moment(text: str) -> Instant:
    try:
        if _TIME.fullmatch(text):
            moment = datetime.strptime(text, _TIME_FORMS[len(text)]).replace(tzinfo=UTC)
            return instant.from_microseconds(int(moment.timestamp()) * 1_000_000)
    except ValueError as error:
        raise KeyFileError(f"no such time: {text}") from error
    raise KeyFileError(f"a time is YYYYMMDDZ, YYYYMMDDHHMMZ or YYYYMMDDHHMMSSZ: {text[:40]!r}")


def _glob(pattern: str, text: str) -> bool:
    # Two marks instead of recursion: no pattern makes this slower than pattern times text.
    at = position = resume = 0
    star = -1
    while position < len(text):
        if at < len(pattern) and pattern[at] == "*":
            star, resume, at = at, position, at + 1
        elif at < len(pattern) and pattern[at] in {"?", text[position]}:
            at, position = at + 1, position + 1
        elif star >= 0:
            resume += 1
            at, position = star + 1, resume
        else:
            return False
    return not pattern[at:].strip("*")
