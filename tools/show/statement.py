"""The exact statement that a human signs a consent by, with the opened values under their commitments.

Source: DESIGN section 8; policy case E01.
"""

from grants.issue import Prepared
from ledger import canon
from tools.cli.output import safe


def statement_text(prepared: Prepared) -> str:
    """Spell the statement; under a commitment its opened value, but for the agent's own text, which is shown last."""
    lines = []
    for line in prepared.statement.decode().splitlines():
        lines.append(f"  | {safe(line)}")
        name = line.partition(":")[0]
        lines += [
            f"      {o.path} is {safe(canon.encode(o.value).decode())}"
            for o in prepared.openings
            if o.path.split("/")[1] == name and o.path != "/args"
        ]
        if name == "args":
            lines.append("      /args is the operation, shown at the end")
    return "\n".join(lines)
