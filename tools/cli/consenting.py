"""How a human is asked to consent: what the ledger knows first, the statement, and the agent's own text last of all.

Source: DESIGN sections 8 and 11; policy cases E01, E07.
"""

from collections.abc import Callable

import click

from grants.issue import Prepared, append_signed
from ledger.event import Event
from ledger.log import Snapshot
from tools.cli.output import say
from tools.cli.params import Act, Signing, actor, check_act, find_key, signed
from tools.cli.session import interactive
from tools.errors import DeclinedError, UnattendedError
from tools.ledger import OpenLedger
from tools.show.statement import statement_text


def sign_consent(ledger: OpenLedger, signing: Signing, act: Act, *, asked: Callable[[], str]) -> Event:
    """Prepare a consent, show it with what was asked, ask, sign, and append it.

    Args:
        ledger: the open ledger.
        signing: how it is to be signed.
        act: prepares the consent.
        asked: tells who asks, for what, and what was received.

    Raises:
        AuthorityError: this principal or key may not do this.
        UnattendedError: nobody is there to be asked.
        DeclinedError: the person said no.
    """
    # Before the question: nobody reads a text that can't be signed afterwards.
    key = find_key(signing.key)

    def prepare(snapshot: Snapshot) -> Prepared:
        prepared = act(snapshot, actor(snapshot, signing.by))
        check_act(snapshot, prepared, key)
        return prepared

    prepared = ledger.log.read(prepare)
    say("This will be signed:")
    say(statement_text(prepared))
    say(asked())
    _ask(yes=signing.yes)
    draft = signed(prepared, key.open())
    return ledger.log.transact(lambda tx: append_signed(tx, draft))


def _ask(*, yes: bool) -> None:
    if yes:
        return
    if not interactive():
        raise UnattendedError("nobody is here to confirm this: run it at a terminal, or add --yes to sign as it stands")
    if not click.confirm("Sign?", err=True):
        raise DeclinedError("not signed; nothing was written")
