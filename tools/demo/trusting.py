"""Chapter 8: the library reader's bad night.

Source: DESIGN section 12; issue 2 section 5; policy case I01.
"""

from typing import Final

from decisions.answer import Answer
from decisions.constitution import ONE, spell_fraction
from decisions.earned import Parties
from decisions.observe import Observed, Seen, observe, prepare_observation
from decisions.operation import Operation
from tools.demo import Scene, scene
from tools.demo.page import Page
from tools.demo.stage import COMPANION, DOMAIN, HOUR, MINUTE, READER, SENSOR, Stage
from tools.trusting import Standing, standing

VISITS: Final = 140
GOOD: Final = 88 * ONE // 100
BAD: Final = 5 * ONE // 100
ALWAYS: Final = frozenset({"referral", "grounding", "handoff"})

_BETWEEN: Final = 40 * MINUTE


def bad_night(stage: Stage, page: Page) -> None:
    """Let trust grow, fall in one moment, and be there again."""
    page.tell(f"A reader comes to the library's companion. {VISITS} talks, each observed by the reading room's sensor,")
    page.tell("each observation signed by the sensor's key: trust grows with what was shared, and with nothing else.")
    for visit in range(VISITS):
        stage.clock.go(_BETWEEN)
        see(stage, f"visit-{visit + 1}", GOOD)
    now = _standing(stage)
    page.show(_numbers(now))
    page.expect(
        f"{VISITS} interactions counted, c_ctx is at its cap of 0.70",
        (now.n, now.earned.c_ctx) == (VISITS, 7 * ONE // 10),
    )
    befriend = scene("reader-befriend")
    answer = stage.decide(befriend, "evening-befriend")
    page.expect("at c_inst 0.88 the companion may speak as a friend", answer.outcome == "allow")

    page.tell("Then a bad night: the sensor reads 0.05.")
    stage.clock.go(_BETWEEN)
    see(stage, "visit-bad", BAD)
    page.show(_numbers(_standing(stage)))
    answers = {verb: stage.decide(_speech(befriend, verb), f"night-{verb}") for verb in _verbs(stage)}
    page.show(f"{verb:<10} {one.outcome:<5} {one.reason}" for verb, one in answers.items())
    opened = {verb for verb, one in answers.items() if one.outcome == "allow"}
    page.expect("exactly referral, grounding and handoff are open", opened == ALWAYS)
    page.expect("everything else is denied with TRUST_FLOOR", all(map(_floor, _rest(answers))))

    page.tell("An hour later the sensor reads 0.88 again. Nothing that was earned is lost, and nothing is remembered")
    page.tell("of having been closed: c_eff is the lesser of two numbers, for each decision afresh.")
    stage.clock.go(HOUR)
    see(stage, "visit-after", GOOD)
    answer = stage.decide(befriend, "after-befriend")
    page.show(_numbers(_standing(stage)))
    page.expect("the ladder is open again", answer.outcome == "allow")
    page.facts.update(n=_standing(stage).n, open_at_night=[*sorted(opened)])


def see(stage: Stage, interaction: str, c_inst: int) -> Observed:
    """Record one interaction, signed by the sensor."""
    seen = Seen(COMPANION, READER, DOMAIN, interaction, True, c_inst, stage.ledger.now())
    ledger = stage.ledger
    prepared = ledger.log.read(lambda snapshot: prepare_observation(snapshot, by=SENSOR, seen=seen))
    draft = prepared.sign(stage.signer(SENSOR))
    return ledger.log.transact(lambda tx: observe(tx, ledger.registry, draft))


def _standing(stage: Stage) -> Standing:
    parties = Parties(COMPANION, READER, DOMAIN)
    at = stage.ledger.now()
    return stage.ledger.log.read(lambda snapshot: standing(snapshot, stage.constitution, parties, at))


def _numbers(now: Standing) -> list[str]:
    e = now.earned
    numbers = f"n {now.n}, c_ctx {spell_fraction(e.c_ctx)}, c_inst {spell_fraction(e.c_inst)}"
    return [f"{numbers}, so c_eff {spell_fraction(e.c_eff)}; open: {', '.join(now.open)}"]


def _verbs(stage: Stage) -> tuple[str, ...]:
    return tuple(stage.constitution.kinds["conversation"])


def _speech(one: Scene, verb: str) -> Scene:
    payload = {**one.operation.payload, "class": verb}
    operation = Operation(one.operation.form, payload, domain=one.operation.domain)
    return Scene(verb, one.about, one.subject, operation, "", "", frozenset())


def _rest(answers: dict[str, Answer]) -> list[Answer]:
    return [answer for verb, answer in answers.items() if verb not in ALWAYS]


def _floor(answer: Answer) -> bool:
    return (answer.outcome, answer.reason) == ("deny", "TRUST_FLOOR")
