"""An answer as people read it: the verdict, why, what spoke, and what would change it.

Source: DESIGN section 10; issue 2 section 7.
"""

from collections.abc import Iterator, Sequence

from decisions.answer import Answer
from decisions.constitution.model import Constitution
from decisions.events import DecidedAction, DecisionMade
from decisions.shadow import NOT_ENFORCED
from grants.identifier import code_points
from tools.cli.output import safe
from tools.show.asker import AskedBy
from tools.show.escape import masked
from tools.show.explanation import article_lines, told
from tools.show.need import need_lines
from tools.show.reason import why


def answer_text(answer: Answer, constitution: Constitution | None, asker: AskedBy | None = None) -> str:
    """Show an answer.

    Args:
        answer: what the decision point said.
        constitution: the one that it applied, or None where there is none to be read.
        asker: what is known of who asked; None for what stands in the answer.
    """
    known = asker or AskedBy(answer.body.subject if answer.body else ())
    return "\n".join(_lines(answer, constitution, known))


def headline(answer: Answer) -> str:
    """Give the verdict, its reason and its number on one line."""
    where = "not recorded" if answer.decision is None else f"decision {answer.decision}"
    again = ", told again: the effect must not run a second time" if answer.repeated else ""
    return f"{answer.outcome.upper()}  {answer.reason}  ({where}{again})"


def _lines(answer: Answer, constitution: Constitution | None, asker: AskedBy) -> Iterator[str]:
    spoken = told(answer, constitution)
    titles = {article.number: article.title for article in constitution.articles} if constitution else {}
    yield headline(answer)
    yield why(answer, spoken, titles)
    body = answer.body
    if body is None:
        return
    yield ""
    yield f"Asked by    {asker.text()}"
    yield from _actions(body, [one.action.part for one in answer.descriptors])
    yield from (f"Unreadable  {p.code}: {masked(safe(p.detail))}" for p in answer.problems)
    if body.categories:
        yield f"Categories  {', '.join(body.categories)}"
    if len(body.reasons) > 1:
        yield f"Reasons     {', '.join(body.reasons)}"
    if body.shadow is not None:
        would = f"{body.shadow.outcome}, {body.shadow.reason}"
        yield f"Shadow      {NOT_ENFORCED}: the candidate of event {body.shadow.started} would have said {would}"
    if spoken:
        yield "Articles that spoke"
        yield from article_lines(spoken, constitution, several=len(body.actions) > 1)
    yield from need_lines(answer, constitution, asker)


def _actions(body: DecisionMade, parts: Sequence[str]) -> Iterator[str]:
    """Show the actions; of several, which part of the operation each comes from, as far as that is still known."""
    several = len(body.actions) > 1
    for index, action in enumerate(body.actions, start=1):
        number = f"{index}. " if several else ""
        origin = f", {safe(parts[index - 1])}" if several and index <= len(parts) else ""
        yield f"{'Would do' if index == 1 else '':<12}{number}{action_text(action)}{origin}"


def action_text(action: DecidedAction) -> str:
    """Show one action with what classifies it."""
    known = "not registered" if action.registration is None else f"as {_as(action)}, version {action.version}"
    return f"{action.kind} {action.verb} {code_points(action.target)}  ({known})"


def _as(action: DecidedAction) -> str:
    return "registered" if action.registration == action.target else code_points(action.registration or "")
