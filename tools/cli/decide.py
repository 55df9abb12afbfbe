"""``tally decide``: decide an operation, record the decision, and tell it.

Exit codes: 0 allowed, 4 denied, 5 held; 1 only where no record could be written, and the answer is still deny. With
``--once`` a repeated allow exits 4, for callers that go by the exit code alone.

Source: DESIGN sections 10 and 13; docs/guides/agents.md.
"""

from collections.abc import Sequence
from typing import Any, Final

import click

from decisions.answer import Answer, conflicting, unavailable
from decisions.errors import RequestConflictError
from decisions.explanation.voices import Voice
from decisions.law import law_in_force
from decisions.operation import Operation
from grants.identifier import code_points
from grants.spelling import suggestion
from tools.cli.asking import Asked, operation_of, operation_options
from tools.cli.command import command as declare
from tools.cli.failure import DENIED, DONE, FAILED, HELD, told
from tools.cli.output import emit, say
from tools.cli.session import opened
from tools.cli.voice import VOICE, answered
from tools.deciding import asker_of, constitution_of, decide
from tools.errors import InputError
from tools.ledger import OpenLedger
from tools.show.answer import answer_text

_CODES: Final = {"allow": DONE, "deny": DENIED, "hold": HELD}

_EXAMPLE: Final = """\
tally decide --as agent:ops-7 --shell 'rm -rf build'
tally decide --as agent:ops-7 --sql 'DELETE FROM users WHERE id = 42' --database prod
tally decide --as agent:ops-7 --shell 'git push -f' --voice agent
tally decide --as agent:ops-7 --tool-call - --request call-17 --json < call.json"""


@declare("decide", example=_EXAMPLE)
@click.option("--as", "claimed", metavar="SUBJECT", help="Who asks, agent:ops-7 or agent:ops-7/part; else your user.")
@click.option("--request", metavar="ID", help="The asker's own id for this request: asked twice, it is answered once.")
@click.option("--once", is_flag=True, help="Exit 4 on an allow that was given before: its effect must not run again.")
@VOICE
@operation_options
def command(
    claimed: str | None,
    request: str | None,
    once: bool,
    voice: Voice | None,
    **options: Any,  # noqa: ANN401  (the fields of Asked)
) -> int:
    """Decide an operation, and record the decision.

    Whatever can't be read is denied, with a record. Without a record the answer is deny all the same.

    Exit codes: 0 allowed, 4 denied, 5 held until a human consents, 1 no record could be written (and the answer is
    deny).
    """
    operation = operation_of(Asked(**options))
    answer, explained = _answer(operation, claimed, request, options["attributes"])
    emit(*((answered(answer, voice) if voice else None) or (answer.to_json(), explained)))
    if answer.decision is None:
        say(f"tally: error: {answer.trouble}")
        return FAILED
    return DENIED if once and answer.repeated and answer.outcome == "allow" else _CODES[answer.outcome]


def _answer(
    operation: Operation, claimed: str | None, request: str | None, attributes: Sequence[str]
) -> tuple[Answer, str]:
    """Give the answer, and what people read of it."""
    answer: Answer | None = None
    try:
        with opened() as ledger:
            _check_declared(ledger, attributes)
            answer = decide(ledger.log, ledger.registry, operation, claimed=claimed, request=request)
            constitution = constitution_of(ledger.log, ledger.registry, answer)
            return answer, answer_text(answer, constitution, asker_of(ledger.log, ledger.registry, answer))
    except InputError:
        raise
    except RequestConflictError as error:
        answer = conflicting(str(error))
        return answer, answer_text(answer, None)
    except Exception as error:  # noqa: BLE001  (whatever it is: without a record nothing is allowed, and that is said)
        if answer is None:
            failure = told(error)
            answer = unavailable(failure.message if failure else str(error))
        return answer, answer_text(answer, None)


def _check_declared(ledger: OpenLedger, attributes: Sequence[str]) -> None:
    """Refuse a claim that is misspelt on the command line: it would be a warning that nobody hears."""
    if not attributes:
        return
    law = ledger.log.read(lambda snapshot: law_in_force(snapshot, ledger.registry))
    for name in (text.partition("=")[0] for text in attributes):
        if name not in law.constitution.attributes:
            declared = law.constitution.attributes
            raise InputError(f'--attribute: unknown attribute "{code_points(name)}"{suggestion(name, declared)}')
