"""``tally hook``: answers an agent's host before a tool runs, and reports after it.

It exits with 0 where the host is to read stdout, and with 2 for everything else, which blocks the call: any other code
would let it through.

Source: DESIGN sections 10 and 13; docs/guides/enforce.md; policy cases F01, F03, F07, F09.
"""

import os
from typing import TYPE_CHECKING, Final, cast

import click

from tools.cli.command import group
from tools.cli.failure import told
from tools.cli.output import emit
from tools.cli.session import home, session
from tools.hooking import watch, wire

if TYPE_CHECKING:
    from tools.hooking.judge import OnAllow, OnHold
    from tools.hooking.watch import Decided

_LONGEST: Final = 300.0
_EXAMPLE = """\
tally hook --as agent:ops-7 < call.json
tally hook install --as agent:ops-7"""


def _options(function: click.decorators.FC) -> click.decorators.FC:
    for option in (
        click.option(
            "--deadline",
            type=click.FloatRange(0.1, _LONGEST),
            default=watch.DEADLINE,
            show_default=True,
            metavar="SECONDS",
            help="How long an answer may take; whatever is not there by then is a deny.",
        ),
        click.option(
            "--on-hold",
            type=click.Choice(["deny", "defer"]),
            default="deny",
            show_default=True,
            help="What a host is told of a hold. A host with a person at it ignores defer and goes ahead.",
        ),
        click.option(
            "--on-allow",
            type=click.Choice(["say", "host"]),
            default="say",
            show_default=True,
            help="Say allow, or nothing, which leaves it to the host's own permissions.",
        ),
        click.option("--as", "claimed", metavar="SUBJECT", help="For whom it asks; else your user."),
    ):
        function = option(function)
    return function


@group("hook", example=_EXAMPLE, invoke_without_command=True)
@_options
@click.pass_context
def command(context: click.Context, *, claimed: str | None, on_allow: str, on_hold: str, deadline: float) -> int:
    """Answer an agent's host before a tool runs, and report after it.

    The host's call is read from stdin as JSON. PreToolUse is decided, and answered in the host's form; PostToolUse and
    PostToolUseFailure report what became of it. Whatever goes wrong is a deny, in time.

    Exit codes: 0 the host reads the answer, 2 the call is blocked. There is no other: it would let the call through.
    """
    if context.invoked_subcommand is not None:
        return wire.HEARD
    heard = watch.open_streams()

    def decide() -> "Decided":
        try:
            from tools.hooking.judge import Ways  # noqa: PLC0415  (the process that answers needs none of it)
            from tools.hooking.wiring import Asking  # noqa: PLC0415  (as above)

            text = _stdin()
            ways = Ways(cast("OnAllow", on_allow), cast("OnHold", on_hold))
            return Asking(home(ask=False), claimed, ways, session().confirm_clock).run(text)
        except Exception as error:  # noqa: BLE001  (whatever it is: nothing is allowed, and that is said)
            failure = told(error)
            return wire.fault(f"DENY  {failure.message if failure else error}"), lambda _: None

    return watch.answer_in_time(decide, deadline, watch.say if heard else _unheard)


@command.command("install", example="tally hook install --as agent:ops-7")
@_options
@click.option("--sudo", "keeper", metavar="USER", help="The system user that keeps the ledger, asked by sudo.")
def install(*, claimed: str | None, on_allow: str, on_hold: str, deadline: float, keeper: str | None) -> None:
    """Print the settings that make a host ask; no file is written.

    Put them where the agent can't change them: in the settings that the host's administrator manages.
    """
    from tools.hooking.settings import Wired, program, settings_of  # noqa: PLC0415  (the answering process needs none)

    wired = Wired(
        program=program(),
        ledger=home(ask=False).path,
        claimed=claimed,
        on_allow=on_allow,
        on_hold=on_hold,
        deadline=deadline,
        keeper=keeper,
    )
    emit(settings_of(wired), _pretty(settings_of(wired)))


def _pretty(value: object) -> str:
    import json  # noqa: PLC0415  (as above)

    return json.dumps(value, indent=2)


def _stdin() -> bytes:
    """Read the host's call, and one byte more than is taken."""
    data = bytearray()
    while len(data) <= wire.MOST and (chunk := os.read(0, wire.MOST + 1 - len(data))):
        data += chunk
    return bytes(data)


def _unheard(spoken: wire.Spoken) -> bool:
    """Tell that nobody can hear: stdout is closed."""
    watch.say(wire.Spoken("", spoken.stderr or "tally: stdout is closed, and nothing is allowed unheard\n"))
    return False
