"""What would change a verdict, each with the command that does it; split by who can: a human, or whoever knows a fact.

Source: DESIGN section 10.
"""

import shlex
from collections.abc import Iterator

from decisions.answer import Answer
from decisions.constitution.model import Constitution
from decisions.events import DecidedAction, Need
from decisions.needs import consent_mends
from grants.identifier import code_points
from tools.show.asker import AskedBy

_OTHER = {
    "standing_grant": "a standing grant for {about}",
    "registration": "register what it touches: tally resource add {quoted} ...",
    "attribute": "say {about}",
    "trust": "more earned trust, or a better reading ({about})",
    "amendment": "another constitution: rule {about} forbids it, and no consent lifts a forbid",
    "rewrite": "write the operation in a form that can be read",
}


def need_lines(answer: Answer, constitution: Constitution | None, known: AskedBy | None = None) -> Iterator[str]:
    """Give the nearest changes that would allow the operation, but for those that can't help this asker."""
    if answer.body is None:
        return
    asker = known or AskedBy(answer.body.subject)
    needs = [need for need in answer.body.needs if asker.hears(need.what)]
    if not needs:
        return
    yield "What would change it"
    for who, title in (("human", "needs a human"), ("facts", "needs facts")):
        own = list(dict.fromkeys(_told(answer, need, constitution, asker) for need in needs if need.who == who))
        if own:
            yield f"  {title}:"
            yield from (f"    - {line}" for line in own)


def _told(answer: Answer, need: Need, constitution: Constitution | None, asker: AskedBy) -> str:
    about = code_points(need.about)
    if need.what == "consent":
        return _consent(answer, about)
    body = answer.body
    if body is not None and need.action < len(body.actions):
        action = body.actions[need.action]
        if need.what == "standing_grant":
            return f"a standing grant: {_ratify(body.subject[0], action)}"
        if need.what == "attribute":
            return asker.cure(need.about) or _attribute(need.about, action, constitution)
        if need.what == "registration" and action.registration is not None and action.version is None:
            return f"say that it is gone and of no more concern: tally resource clear {shlex.quote(about)}"
        if need.what == "trust":
            who = f"--system {body.subject[0]} --counterpart {action.counterpart or '...'}"
            return f"more earned trust, or a better reading ({about}): tally trust show {who}"
    return _OTHER[need.what].format(about=about, quoted=shlex.quote(about))


def _consent(answer: Answer, about: str) -> str:
    if answer.outcome == "hold" and answer.request is not None:
        return f"consent to {about}: tally grant issue {answer.request} --for 2h --reason '...'"
    if answer.body is not None and consent_mends(answer.body.reasons):
        subject = "/".join(answer.body.subject)
        return (
            f"consent to {about}, in advance: tally grant issue --as {subject} <the operation> --for 2h --reason '...'"
        )
    return f"consent to {about}, once nothing forbids it"


def _ratify(subject: str, action: DecidedAction) -> str:
    target = shlex.quote(code_points(action.target))
    return (
        f"tally grant ratify --subject {subject} --kind {action.kind} --verb {action.verb} --targets {target} "
        "--when '...' --reason '...'"
    )


def _attribute(name: str, action: DecidedAction, constitution: Constitution | None) -> str:
    attribute = constitution.attributes.get(name) if constitution else None
    about = f" ({attribute.about})" if attribute else ""
    if attribute is not None and attribute.source != "store":
        return f"say {name} of {code_points(action.target)}{about}: it comes from the {attribute.source}"
    where = shlex.quote(code_points(action.registration or action.target))
    return f"say {name} of {where}{about}: tally resource reclassify {where} ..."
