"""A verdict in two of its three voices: codes for a machine, and the next step for an agent.

The agent is told what to do next and nothing of the rules: no rule, no article, no threshold, no condition, and no
value that would satisfy one. Whoever wants to know more asks as an auditor.

Source: DESIGN section 10; docs/guides/explain.md.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from decisions.answer import Answer
from decisions.events import Need, Outcome, Reason
from decisions.needs import consent_mends
from grants.identifier import code_points
from ledger.canon import Json

Voice: TypeAlias = Literal["machine", "agent", "auditor"]

Do: TypeAlias = Literal[
    "run_once",
    "do_not_run_again",
    "wait_for_consent",
    "ask_for_consent",
    "ask_for_registration",
    "ask_for_facts",
    "identify",
    "correlate",
    "earn_trust",
    "rewrite",
    "stop",
    "try_later",
]
_MACHINE_KEYS: Final = ("outcome", "reason", "decision", "request", "repeated")


@dataclass(frozen=True, slots=True)
class Heard:
    """What the caller of the decision point heard, as far as voices need it.

    Attributes:
        decision: number of the decision, or None where no record could be written.
        request: number of the request for consent that a human can answer, or None.
        repeated: the request was answered before.
        needs: the recorded needs.
        targets: the actions' targets, by place.
        problems: (code, detail) of what could not be read, as far as it is still known.
    """

    outcome: Outcome
    reason: Reason
    reasons: tuple[Reason, ...]
    decision: int | None
    request: int | None = None
    repeated: bool = False
    needs: tuple[Need, ...] = ()
    targets: tuple[str, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do next: a word for programs, a sentence for whoever reads."""

    do: Do
    text: str


def machine(heard: Heard) -> dict[str, Json]:
    """Give codes alone: every name stands in the documentation and stays."""
    values: Mapping[str, Json] = {name: getattr(heard, name) for name in _MACHINE_KEYS}
    needs: list[Json] = [
        {"who": who, "what": what} for who, what in dict.fromkeys((need.who, need.what) for need in heard.needs)
    ]
    problems: list[Json] = list(dict.fromkeys(code for code, _ in heard.problems))
    return {**values, "reasons": list(heard.reasons), "problems": problems, "needs": needs}


def machine_line(heard: Heard) -> str:
    """Give the codes on one line."""
    codes = " ".join(heard.reasons)
    needs = ",".join(dict.fromkeys(f"{need.who}:{need.what}" for need in heard.needs))
    numbers = [("decision", heard.decision), ("request", heard.request)]
    told = "".join(f" {name}={number}" for name, number in numbers if number is not None)
    return f"{heard.outcome} {codes}{told}{' repeated' if heard.repeated else ''}{f' needs={needs}' if needs else ''}"


def agent(heard: Heard) -> dict[str, Json]:
    """Give what to do next as one JSON object."""
    steps: list[Json] = [{"do": step.do, "text": step.text} for step in steps_of(heard)]
    may_run = heard.outcome == "allow" and not heard.repeated
    return {"outcome": heard.outcome, "may_run": may_run, "decision": heard.decision, "next": steps}


def agent_text(heard: Heard) -> str:
    """Give what to do next in sentences."""
    steps = steps_of(heard)
    first = {"allow": "Allowed.", "hold": "Not yet: it waits for a human.", "deny": "Denied."}[heard.outcome]
    return "\n".join([first, *(f"- {step.text}" for step in steps)])


def steps_of(heard: Heard) -> tuple[Step, ...]:
    """List what an agent can do next, each thing once."""
    return tuple(dict.fromkeys(_steps(heard)))


def _steps(heard: Heard) -> Iterator[Step]:
    if heard.outcome == "allow":
        if heard.repeated:
            yield Step("do_not_run_again", "This was answered before. Don't run it a second time.")
        else:
            yield Step("run_once", "Run it now, once, as it was asked, and report what came of it.")
        return
    yield Step("stop", "Don't run it, in this form or in another that does the same.")
    if heard.decision is None:
        yield Step("try_later", "No record can be written now, and without one nothing may run. Ask again later.")
        return
    if heard.reason == "POLICY_ERROR":
        yield Step("stop", f"It could not be judged. Tell your operator: decision {heard.decision}.")
    for code, detail in heard.problems:
        said = f": {code_points(detail)}" if detail else ""
        yield Step("rewrite", f"Ask for it in a form that can be read ({code}{said}).")
    if any(need.what == "amendment" for need in heard.needs):
        # Whatever else is lacking, it would not help.
        yield Step("stop", "No consent changes this. Look for another way to the goal, or ask your operator.")
        return
    for need in heard.needs:
        yield from _step(need, heard)


def _step(need: Need, heard: Heard) -> Iterator[Step]:
    target = code_points(heard.targets[need.action]) if need.action < len(heard.targets) else "it"
    match need.what:
        case "consent" if heard.outcome == "hold" and heard.request is not None:
            yield Step(
                "wait_for_consent",
                f"A human must agree: request {heard.request} is open. Once it is granted, ask again under a new "
                "request id.",
            )
        case "consent" if consent_mends(heard.reasons):
            yield Step("ask_for_consent", f"A human can agree to it in advance: ask your operator about {target}.")
        case "consent":
            yield Step("ask_for_consent", f"A human would have to agree too, once the rest is settled: {target}.")
        case "registration":
            yield Step("ask_for_registration", f"Nobody has registered {target}: ask whoever keeps the store to do it.")
        case "attribute" if need.about in _OF_THE_ASKER:
            yield _OF_THE_ASKER[need.about]
        case "attribute":
            yield Step("ask_for_facts", f"Something isn't known of {target}: ask for its {need.about} to be recorded.")
        case "trust":
            yield Step("earn_trust", "This takes more trust than there is now. Do less, or hand over to a person.")
        case "rewrite" if not heard.problems:
            yield Step("rewrite", "Ask for it in a form that can be read, one plain operation at a time.")
        case _:
            return


_OF_THE_ASKER: Final[Mapping[str, Step]] = {
    "authenticated": Step("identify", "Ask as somebody whom the ledger knows."),
    "owned": Step("identify", "A human must answer for you: ask your operator."),
    "actor_kind": Step("identify", "This is not for you to ask: leave it to a human."),
    "spoken_for": Step("identify", "Ask through your own enforcement point, or directly, whichever you did not."),
    "correlated": Step("correlate", "Give the request an id of its own."),
}


def heard_of(answer: Answer) -> Heard:
    """Give what the caller of the decision point heard."""
    body = answer.body
    return Heard(
        answer.outcome,
        answer.reason,
        body.reasons if body else (answer.reason,),
        answer.decision,
        answer.request,
        repeated=answer.repeated,
        needs=body.needs if body else (),
        targets=tuple(action.target for action in body.actions) if body else (),
        problems=tuple((problem.code, problem.detail) for problem in answer.problems),
    )
