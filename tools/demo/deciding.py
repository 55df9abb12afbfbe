"""Chapters 1 to 7: the agent at work, and the human who is asked.

Source: issue 2 section 7.
"""

from decisions.answer import Answer
from grants import acts
from grants.book.consents import CONSENT
from grants.book.states import ConsentState
from grants.events import ConsentGranted
from grants.reading import read_state
from ledger.log import Snapshot
from tools.demo import Scene, scene
from tools.demo.page import Page
from tools.demo.stage import ADA, HOUR, MINUTE, RESOURCES, Stage
from tools.show.answer import headline
from tools.show.asked import readable, request_text
from tools.show.escape import quoted
from tools.show.explanation import article_lines, told
from tools.show.need import need_lines
from tools.show.reason import why
from tools.show.statement import statement_text


def begin(stage: Stage, page: Page) -> None:
    """Open the ledger."""
    founded = stage.found()
    stage.populate()
    size = stage.ledger.log.read(lambda snapshot: snapshot.head.size)
    page.tell("Ada, who is on call, begins a ledger with a fresh ssh key and adopts the constitution that ships.")
    page.tell("She registers two agents that she answers for, the gateway that asks in their names, a sensor with a")
    page.tell("key of its own, and what the things are that operations touch. Each of these acts carries a signature.")
    page.show(
        [
            f"human        {ADA}   {stage.signer(ADA).public_key.fingerprint}",
            f"log          {founded.log_key}",
            *(f"resource     {resource}   {_few(attributes)}" for resource, attributes in RESOURCES.items()),
        ]
    )
    page.expect(f"{size} events stand, and the first checkpoint is signed", size > len(RESOURCES) and founded.size > 0)
    page.facts["events"] = size


def work(stage: Stage, page: Page) -> None:
    """Let ordinary work through."""
    page.tell("Ordinary work needs nobody: disposable things and versioned source may be changed outside production.")
    for name in ("fixture-delete", "source-edit"):
        _play(stage, page, scene(name))


def wipe(stage: Stage, page: Page) -> None:
    """Stop the accident."""
    one = scene("users-wipe")
    answer = _play(stage, page, one, whole=True)
    needs = {(need.what, need.about) for need in answer.body.needs} if answer.body else set[tuple[str, str]]()
    page.expect("no consent lifts that: it would take another constitution", ("amendment", "IX.all") in needs)


def held(stage: Stage, page: Page) -> None:
    """Hold what a human must decide."""
    answer = _play(stage, page, scene("user-row-delete"), whole=True)
    page.expect("a request waits for a human", answer.request is not None)
    stage.told["request"] = answer.request or 0


def consent(stage: Stage, page: Page) -> None:
    """Let a human consent, and use the consent."""
    number = stage.told["request"]
    stage.clock.go(5 * MINUTE)

    def asked(snapshot: Snapshot) -> str:
        event = stage.ledger.registry.parse(snapshot.event_bytes(number) or b"")
        return request_text(event, event.body, snapshot.openings(number))  # type: ignore[arg-type]  # it is a request

    page.tell("Ada looks at the request. What she signs is this text; the agent's own words come last.")
    prepared = stage.prepare(
        lambda snapshot: acts.grant_request(
            snapshot,
            stage.ledger.registry,
            by=ADA,
            request=number,
            reason="the user has asked to be deleted, ticket 9182",
            expires=stage.after(2 * HOUR),
        )
    )
    page.show(statement_text(prepared).splitlines())
    page.show(stage.ledger.log.read(asked).splitlines())
    event = stage.append(prepared)
    page.expect("her signature makes it event " + str(event.seq), isinstance(event.body, ConsentGranted))
    page.tell("The agent asks again, and this time it may.")
    answer = _decide(stage, scene("user-row-delete"), "row-2")
    _tell(page, answer, stage)
    stage.told["allowed"] = answer.decision or 0
    page.expect(
        "allowed by that consent", answer.outcome == "allow" and answer.to_json()["grant"] == _grant(event.body)
    )
    page.expect("the one use is spent in the same transaction", _used(stage, _grant(event.body)) == (1,))


def again(stage: Stage, page: Page) -> None:
    """Refuse the second use."""
    page.tell("The same operation, the same consent, a second time.")
    answer = _decide(stage, scene("user-row-delete"), "row-3")
    _tell(page, answer, stage)
    page.expect("not allowed: CONSENT_CONSUMED", answer.outcome != "allow" and answer.reason == "CONSENT_CONSUMED")
    repeat = _decide(stage, scene("user-row-delete"), "row-2")
    page.tell("And the request that was allowed, sent again under its old id, as a network does:")
    page.show([headline(repeat)])
    page.expect("the recorded answer, marked as repeated: the effect must not run again", repeat.repeated)


def attacks(stage: Stage, page: Page) -> None:
    """Deny what an injected agent tries."""
    for name in ("attack-pipe-to-shell", "attack-elevation", "attack-home-wipe", "attack-own-settings"):
        _play(stage, page, scene(name))


def _play(stage: Stage, page: Page, one: Scene, *, whole: bool = False) -> Answer:
    """Decide a scene, tell it, and check what it must come to."""
    page.tell(one.about)
    page.show(quoted(readable(one.operation.content["payload"])))
    answer = _decide(stage, one, one.name)
    _tell(page, answer, stage, whole=whole)
    spoken = {rule.rule for rule in answer.body.rules} if answer.body else set[str]()
    found = (answer.outcome, answer.reason)
    page.expect(
        f"{one.outcome}, {one.reason}, and {', '.join(sorted(one.rules))} spoke",
        found == (one.outcome, one.reason) and one.rules <= spoken and answer.decision is not None,
    )
    page.facts.setdefault("decisions", []).append(answer.decision)  # type: ignore[union-attr]  # a list of numbers
    return answer


def _decide(stage: Stage, one: Scene, request: str) -> Answer:
    stage.clock.go(MINUTE)
    return stage.decide(one, request)


def _tell(page: Page, answer: Answer, stage: Stage, *, whole: bool = False) -> None:
    constitution = stage.constitution
    spoken = told(answer, constitution)
    titles = {article.number: article.title for article in constitution.articles}
    page.show([headline(answer), why(answer, spoken, titles)])
    if whole:
        page.show(article_lines(spoken, constitution, several=False))
        page.show(need_lines(answer, constitution))


def _used(stage: Stage, grant: str) -> tuple[int, ...]:
    row = stage.ledger.log.read(lambda snapshot: read_state(snapshot, CONSENT, grant, ConsentState))
    return row.used if row else ()


def _grant(body: object) -> str:
    return body.grant if isinstance(body, ConsentGranted) else ""


def _few(attributes: dict[str, object]) -> str:
    words = (str(attributes[name]) for name in ("asset", "environment", "reversibility") if name in attributes)
    return ", ".join(words)
