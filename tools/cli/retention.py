"""``tally retention``: how long disclosable fields must be kept, and may be kept.

Source: DESIGN section 8; docs/spec/erasure.md.
"""

import re
from typing import Final

import click

from grants import holding
from grants.book.retention import RETENTION, RULES
from grants.book.states import RetentionState
from grants.events import RetentionRule
from grants.events.retention import MAX_DAYS
from grants.issue import Prepared
from grants.reading import read_state
from ledger.log import Snapshot
from tools.cli.command import group
from tools.cli.output import counted, emit, table
from tools.cli.params import Signing, sign_act, signing_options
from tools.cli.session import opened
from tools.errors import InputError

_SET: Final = """\
tally retention set --rule 'decision.made:/args=30..180' --rule '*:*=..3650' --reason 'agreed with the works council'
tally retention set --none --reason 'the agreement has ended'"""

_RULE: Final = re.compile(r"([^:=]+):([^:=]+)=(\d{1,5})?\.\.(\d{1,5})?", re.ASCII)
_HEADER: Final = ("TYPE", "PATH", "AT LEAST (DAYS)", "AT MOST (DAYS)")


class Rule(click.ParamType[RetentionRule]):
    """A rule: ``TYPE:PATH=LEAST..MOST``, in days; either may be left out."""

    name = "rule"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> RetentionRule:
        """Read it."""
        if isinstance(value, RetentionRule):
            return value
        try:
            return parse_rule(str(value))
        except InputError as error:
            self.fail(str(error), param, ctx)


def parse_rule(text: str) -> RetentionRule:
    """Read a rule as it is written on the command line.

    Raises:
        InputError: it is none.
    """
    match = _RULE.fullmatch(text)
    if match is None or not (match[3] or match[4]):
        raise InputError(f"{text[:60]!a} is no rule such as decision.made:/args=30..180 or *:*=..3650")
    least, most = (None if days is None else int(days) for days in match.group(3, 4))
    if max(least or 0, most or 0) > MAX_DAYS:
        raise InputError(f"{text[:60]!a}: {MAX_DAYS} days are the most")
    if least is not None and most is not None and least > most:
        raise InputError(f"{text[:60]!a}: what is kept at least so long can't be kept shorter at most")
    return RetentionRule(type=match[1], path=match[2], at_least=least, at_most=most)


@group("retention", example="tally retention set --rule 'decision.made:/args=30..180' --reason 'agreed'")
def command() -> None:
    """Say how long disclosable fields must be kept, and may be kept."""


@command.command("set", example=_SET)
@click.option(
    "--rule",
    "rules",
    type=Rule(),
    multiple=True,
    metavar="TYPE:PATH=LEAST..MOST",
    help="Days from the event on; * is every type, or every field; repeatable.",
)
@click.option("--none", "nothing", is_flag=True, help="Set no rules: nothing must be kept, nothing is due.")
@click.option("--reason", required=True, help="Why.")
@signing_options
def set_rules(*, rules: tuple[RetentionRule, ...], nothing: bool, reason: str, signing: Signing) -> None:
    """Set the rules; they take the place of all earlier ones.

    Nothing is erased earlier than the least. What is older than the most is due: tally erase --due shows it, asks, and
    erases it. A path covers what lies below it. Of several rules that cover a field the strictest counts, either way.
    """
    if bool(rules) is nothing:
        raise click.UsageError("give the rules with --rule, or say --none")
    with opened() as ledger:

        def act(look: Snapshot, by: str) -> Prepared:
            return holding.set_retention(look, ledger.registry, by=by, rules=rules, reason=reason)

        event = sign_act(ledger, signing, act)
    verb = "is" if len(rules) == 1 else "are"
    told = f"{counted(len(rules), 'retention rule')} {verb} in force" if rules else "No retention rules are in force"
    emit({"event": event.seq, "rules": [_data(rule) for rule in rules]}, f"{told} (event {event.seq}).")


@command.command("show", example="tally retention show")
def show() -> None:
    """Show the rules in force."""
    with opened() as ledger:
        row = ledger.log.read(lambda look: read_state(look, RETENTION, RULES, RetentionState))
    rules = row.rules if row else ()
    rows = [(rule.type, rule.path, rule.at_least, rule.at_most) for rule in rules]
    data = {"event": row.seq if row else None, "rules": [_data(rule) for rule in rules]}
    emit(data, table(_HEADER, rows) if rows else "No rules are in force: nothing must be kept, and nothing is due.")


def _data(rule: RetentionRule) -> dict[str, object]:
    return {"type": rule.type, "path": rule.path, "at_least": rule.at_least, "at_most": rule.at_most}
