"""What a human reads before consenting: who asks, for what exactly, and last, as it came in, the agent's own text.

The items come from what the decision point read, never from the agent's prose. The agent's text stands at the end,
named untrusted, with every control character escaped, its length and its digest beside it, and secrets masked; hosts,
paths and targets are never masked.

Source: DESIGN section 11; policy cases E01, E07.
"""

from collections.abc import Iterator, Sequence

from grants.events import ConsentRequested, Item, Operand
from grants.identifier import code_points
from ledger import canon, digest
from ledger.canon import Json
from ledger.disclosure import Opening
from ledger.event import Event
from tools.cli.output import safe
from tools.show.escape import masked, quoted


def request_text(event: Event, body: ConsentRequested, openings: Sequence[Opening]) -> str:
    """Show a request for consent."""
    via = f" through {event.via}" if event.via else ""
    opened = {opening.path: opening.value for opening in openings}
    lines = [
        f"Request {event.seq}, of {event.at}, from decision {body.decision}",
        f"Asks        {safe('/'.join(body.subject))}{via}",
        *item_lines(body.items),
        *operand_lines(body.operands, opened),
    ]
    if body.domain:
        lines.append(f"In domain   {code_points(body.domain)}")
    return "\n".join([*lines, *received_lines(opened.get("/args"))])


def item_lines(items: Sequence[Item]) -> Iterator[str]:
    """Show what is asked for, item by item."""
    for index, item in enumerate(items):
        label = "For" if index == 0 else ""
        yield f"{label:<12}{index + 1}. {item.kind} {item.verb} {code_points(item.target)}  (version {item.version})"


def operand_lines(operands: Sequence[Operand], opened: dict[str, Json]) -> Iterator[str]:
    """Show what content the operation would use."""
    for index, operand in enumerate(operands):
        content = opened.get(f"/operands/{index}/content", "erased or withheld")
        yield f"{'With' if index == 0 else '':<12}{code_points(operand.reference)}  content {safe(str(content))}"


def received_lines(args: Json, *, foreseen: bool = False) -> Iterator[str]:
    """Show the operation as it was received.

    Args:
        args: the operation, or None where it was erased or withheld.
        foreseen: whether the human herself said it, and no agent has asked for it yet.
    """
    if args is None:
        yield "As received: erased or withheld; nobody can tell any more what was asked"
        return
    data = canon.encode(args)
    name = canon.to_base64url(digest.document(data))
    whose = "As foreseen, in the words of the human" if foreseen else "As received, UNTRUSTED, written by the agent"
    yield f"{whose} ({len(data)} bytes, digest {name}):"
    yield from quoted(masked(readable(args)))


def readable(args: Json, indent: str = "") -> str:
    """Spell a JSON value one field a line, texts as they are."""
    if isinstance(args, dict):
        return "\n".join(f"{indent}{name}:{_inner(inner, indent)}" for name, inner in args.items())
    if isinstance(args, list):
        return "\n".join(f"{indent}-{_inner(inner, indent)}" for inner in args)
    return f"{indent}{args if isinstance(args, str) else canon.encode(args).decode()}"


def _inner(value: Json, indent: str) -> str:
    if isinstance(value, dict | list) and value:
        return "\n" + readable(value, indent + "  ")
    return f" {value if isinstance(value, str) else canon.encode(value).decode()}"
