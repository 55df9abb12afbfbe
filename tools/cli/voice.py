"""The option ``--voice``, and a verdict told in one of its three voices.

Source: DESIGN section 10; docs/guides/explain.md.
"""

from typing import TYPE_CHECKING, Final

import click

from decisions.answer import Answer
from decisions.explanation.voices import Voice, agent, agent_text, heard_of, machine, machine_line
from tools.cli.output import say
from tools.cli.session import opened

if TYPE_CHECKING:
    from tools.explaining import Account

VOICE: Final = click.option(
    "--voice",
    type=click.Choice(["machine", "agent", "auditor"]),
    help="For a program (codes), for an agent (what to do next, nothing of the rules), or for an auditor (everything).",
)


def voiced(account: "Account", voice: Voice) -> tuple[object, str]:
    """Give an account in one voice: as data, and as people read it."""
    if voice == "machine":
        return machine(account.heard()), machine_line(account.heard())
    if voice == "agent":
        return agent(account.heard()), agent_text(account.heard())
    from tools.show.account import account_tree  # noqa: PLC0415  (start-up time: only an auditor needs them)
    from tools.show.account_json import account_json  # noqa: PLC0415  (as above)
    from tools.show.branch import drawn  # noqa: PLC0415  (as above)

    return account_json(account), drawn(account_tree(account))


def answered(answer: Answer, voice: Voice) -> tuple[object, str] | None:
    """Give a fresh answer in one voice; None where there is nothing to tell an auditor by: it was not recorded."""
    heard = heard_of(answer)
    if voice == "machine":
        return machine(heard), machine_line(heard)
    if voice == "agent":
        return agent(heard), agent_text(heard)
    return None if answer.decision is None else _audited(answer.decision)


def _audited(decision: int) -> tuple[object, str] | None:
    from tools.explaining import explain  # noqa: PLC0415  (start-up time: only an auditor needs it)

    try:
        with opened() as ledger:
            return voiced(explain(ledger, decision), "auditor")
    except Exception as error:  # noqa: BLE001  (the verdict stands and is told, whether or not it can be explained)
        say(f"tally: decision {decision} can't be explained now: {error}")
        return None
