r"""An agent's own text, made fit to be read by the human who is asked: escaped, masked, measured.

>>> print(masked('curl -H "Authorization: Bearer s3cr3tk3y9" https://api.example/v1?token=abcdefgh1234'))
curl -H "Authorization: Bearer ****(10)" https://api.example/v1?token=****(12)

Secrets are masked, and with them nothing else: what is masked is one run of letters and digits, so no host, path or
command can hide in it.

Source: DESIGN section 11; policy cases E01, E07.
"""

import re
from collections.abc import Iterator

from tools.cli.output import safe

_WIDTH = 100

_NAMED = re.compile(
    r"(?i)((?:token|passwd|password|passphrase|secret|api[_-]?key|access[_-]?key|bearer|basic)"
    r"[\"']?(?:\s*[:=]\s*|\s+)[\"']?)([A-Za-z0-9_+~-]{8,}={0,2})"
)
_TOKEN = re.compile(r"\b(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.)([A-Za-z0-9_-]{8,})")


def masked(text: str) -> str:
    """Replace what looks like a secret by its length."""
    hidden = _TOKEN.sub(_mask, text)
    return _NAMED.sub(_mask, hidden)


def quoted(text: str, *, most: int = 60) -> Iterator[str]:
    """Give an untrusted text as lines behind a bar, escaped, cut into widths, and cut off after so many lines."""
    lines = [chunk for line in text.split("\n") for chunk in _chunks(safe(line))]
    yield from (f"  | {line}" for line in lines[:most])
    if len(lines) > most:
        yield f"  ... {len(lines) - most} more lines"


def _chunks(line: str) -> list[str]:
    return [line[start : start + _WIDTH] for start in range(0, len(line), _WIDTH)] or [""]


def _mask(match: re.Match[str]) -> str:
    return f"{match[1]}****({len(match[2])})"
