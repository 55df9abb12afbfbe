"""``tally trust``: record what sensors observe, and show what was earned.

Source: DESIGN section 12.
"""

from pathlib import Path

import click

from decisions.constitution import parse_fraction, spell_fraction
from decisions.errors import ConstitutionError
from decisions.law import law_in_force
from decisions.observe import Observed, Seen, observe, prepare_observation, recorded_interaction
from ledger import instant
from tools.cli.command import group
from tools.cli.output import emit, table
from tools.cli.params import key_option, load_signer
from tools.cli.session import opened
from tools.ledger import OpenLedger
from tools.trusting import HEADER, ladder, standings

_OBSERVE = """\
tally trust observe --as sensor:desk --key desk.key --system agent:companion --counterpart person:reader-31 \
--domain library --interaction 2026-11-30-0412 --c-inst 0.88 --qualifying"""


@group("trust", example="tally trust show --system agent:companion --counterpart person:reader-31")
def command() -> None:
    """Record what sensors observe, and show what was earned."""


@command.command("observe", example=_OBSERVE)
@click.option("--as", "sensor", required=True, metavar="SENSOR", help="The registered sensor that observed it.")
@key_option
@click.option("--system", required=True, metavar="PRINCIPAL", help="The agent or service that is trusted or not.")
@click.option("--counterpart", required=True, metavar="ID", help="The person, as person:<opaque id>, or the operator.")
@click.option("--domain", required=True, metavar="NAME", help="The trust domain.")
@click.option("--interaction", required=True, metavar="ID", help="The interaction's own id: it counts once.")
@click.option("--c-inst", "reading", metavar="DECIMAL", help="The reading, from 0 to 1, such as 0.88.")
@click.option("--missing", is_flag=True, help="There is no reading; it counts as 0.")
@click.option("--qualifying/--not-qualifying", default=False, help="Whether it earns trust.  [default: it does not]")
@click.option("--taken", metavar="INSTANT", help="When the reading was taken; else now.")
def observed(  # noqa: PLR0913  (one argument for each option)
    *,
    sensor: str,
    key: Path,
    system: str,
    counterpart: str,
    domain: str,
    interaction: str,
    reading: str | None,
    missing: bool,
    qualifying: bool,
    taken: str | None,
) -> None:
    """Record one interaction and the sensor's reading of it, signed by the sensor."""
    c_inst = _reading(reading, missing=missing)
    with opened() as ledger:
        seen = Seen(
            system,
            counterpart,
            domain,
            interaction,
            qualifying,
            c_inst,
            ledger.now() if taken is None else instant.parse(taken),
        )
        found = record(ledger, sensor, key, seen)
    _print(found, interaction)


def record(ledger: OpenLedger, sensor: str, key: Path, seen: Seen) -> Observed:
    """Sign and append an observation, or find the one that stands for the interaction."""
    standing = ledger.log.read(
        lambda snapshot: recorded_interaction(
            snapshot,
            ledger.registry,
            system=seen.system,
            counterpart=seen.counterpart,
            domain=seen.domain,
            interaction=seen.interaction,
        )
    )
    if standing is not None:
        return standing
    prepared = ledger.log.read(lambda snapshot: prepare_observation(snapshot, by=sensor, seen=seen))
    draft = prepared.sign(load_signer(key))
    return ledger.log.transact(lambda tx: observe(tx, ledger.registry, draft))


@command.command("show", example="tally trust show --system agent:companion --counterpart person:reader-31")
@click.option("--system", metavar="PRINCIPAL", help="Only this agent or service.")
@click.option("--counterpart", metavar="ID", help="Only this person or operator.")
@click.option("--domain", metavar="NAME", help="Only this domain.")
def show(system: str | None, counterpart: str | None, domain: str | None) -> None:
    """Show what was earned, and which classes of action it opens now."""
    with opened() as ledger:
        at = ledger.now()
        law, found = ledger.log.read(
            lambda snapshot: (
                law := law_in_force(snapshot, ledger.registry),
                standings(snapshot, law.constitution, at, system=system, counterpart=counterpart, domain=domain),
            )
        )
    data = [one.to_json() for one in found]
    if not found:
        emit(data, "Nothing was observed: what is not always open is closed.")
        return
    emit(data, table(HEADER, [one.row() for one in found]))
    if len(found) == 1:
        emit([], table(("class", "opens", "now", "verbs"), ladder(law.constitution, found[0].earned.c_eff)))


def _reading(text: str | None, *, missing: bool) -> int | None:
    """Read the decimal exactly; what is none is recorded as missing only if that is said."""
    if missing:
        return None
    if text is None:
        raise click.UsageError("give the reading with --c-inst, or say with --missing that there is none")
    try:
        return parse_fraction(text)
    except ConstitutionError as error:
        raise click.UsageError(f"--c-inst: {error}; if there is no reading, say --missing") from error


def _print(found: Observed, interaction: str) -> None:
    update = found.update
    data = {
        "event": found.event.seq,
        "interaction": interaction,
        "repeated": found.repeated,
        "counted": update.counted,
        "n": update.n[1],
        "c_ctx": update.c_ctx[1],
    }
    if found.repeated:
        text = f"Interaction {interaction} was recorded by event {found.event.seq}; it counts once."
    else:
        counts = "it counts" if update.counted else "it does not count"
        text = (
            f"Recorded as event {found.event.seq}; {counts}: n {update.n[1]}, c_ctx {spell_fraction(update.c_ctx[1])}."
        )
    emit(data, text)
