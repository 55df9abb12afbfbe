"""The exact statement that a human signs a consent by, with the opened values under their commitments.

Source: DESIGN section 8; policy case E01.
"""

from grants.events import Relabelling
from grants.issue import Prepared
from ledger import canon
from ledger.canon import Json
from tools.cli.output import counted, safe


def relabels_text(said: Json) -> str:
    """Say in words what a change of labels does."""
    if not isinstance(said, dict):
        return "nobody had said what it is, and nothing inherits from it"
    change = Relabelling.model_validate(said)
    if change.direction == "unjudged":
        return "what it opens could not be worked out: a human answers for it"
    what = {"equivalent": "it changes nothing", "mixed": "it opens and closes"}
    cells = f"it opens {counted(change.opened, 'cell')}, for {counted(change.resources, 'resource')} today, and closes"
    return f"{cells} {change.closed}: {what.get(change.direction, f'a {change.direction}')}"


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
        if name == "relabels":
            lines.append(f"      {relabels_text(prepared.fields[name])}")
        if name == "args":
            lines.append("      /args is the operation, shown at the end")
    return "\n".join(lines)
