"""``tally grant ratify|sign``: a standing grant, by one human or by several who sign one text.

Source: DESIGN section 11; docs/spec/grants.md; docs/guides/approve.md.
"""

from pathlib import Path
from typing import Final

import click

from decisions.appending import append_act
from decisions.law import law_in_force
from grants import acts
from grants.events import ConsentGranted, Cosigned, GrantRatified
from grants.issue import Prepared
from grants.standing import StandingTerms
from grants.together import for_signer, joined
from ledger import instant
from ledger.event import Draft, Event, SignedBody
from ledger.instant import Instant
from ledger.log import Snapshot
from tools.amending import opened_by
from tools.cli.asking import Span
from tools.cli.command import command
from tools.cli.output import emit, say
from tools.cli.params import Act, Signing, actor, check_act, find_key, sign_act, sign_all, signing_options
from tools.cli.session import opened
from tools.errors import InputError
from tools.files import read_bytes
from tools.home import write_new
from tools.ledger import OpenLedger
from tools.ratification import MOST, Ratification, parse_ratification
from tools.replacing import replace_file
from tools.rulebook.pages import difference_lines

_RATIFY: Final = """\
tally grant ratify --subject agent:ops-7 --kind file --verb write --targets 'file:///srv/app/**' \
--when 'environment == "dev"' --for 30d --reason 'daily work'"""
_INVOLVED: Final = "too involved to tell what it opens"
_PRIVATE: Final = 0o600


@command("ratify", example=_RATIFY)
@click.option("--subject", required=True, metavar="PRINCIPAL", help="Whom it is for.")
@click.option("--kind", "kinds", required=True, multiple=True, metavar="KIND", help="A kind of action; repeatable.")
@click.option("--verb", "verbs", required=True, multiple=True, metavar="VERB", help="A verb; repeatable.")
@click.option("--targets", required=True, metavar="REF", help="A reference, or a whole subtree with /** behind it.")
@click.option("--when", "selector", required=True, metavar="EXPR", help="A condition on trusted attributes.")
@click.option("--expires", metavar="INSTANT", help="When it ends by itself, as 2026-11-30T12:00:00.000000Z.")
@click.option("--for", "span", type=Span(), help="How long it holds, such as 30d; without either, until revoked.")
@click.option("--reason", required=True, help="Why.")
@click.option(
    "--to",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where the constitution asks for several humans: what is to be signed, with your signature, for the others.",
)
@signing_options
def ratify(  # noqa: PLR0913  (one argument for each option)
    *,
    subject: str,
    kinds: tuple[str, ...],
    verbs: tuple[str, ...],
    targets: str,
    selector: str,
    expires: str | None,
    span: int | None,
    reason: str,
    file: Path | None,
    signing: Signing,
) -> None:
    """Ratify a standing grant: a pattern that applies until it is revoked.

    It never selects what is irreversible in production. What it opens, and for which resources of today, is said before
    it is signed: it can open something, or nothing, and takes a human's signature either way. It takes as many as the
    constitution asks for where something opens (humans under [amending]): the others sign with tally grant sign.
    """
    with opened() as ledger:
        until = _until(ledger, expires, span)
        humans = ledger.log.read(lambda look: law_in_force(look, ledger.registry)).vocabulary.humans
        _check_file(file, humans)
        terms = StandingTerms(subject, kinds, verbs, targets, selector, until, humans)

        def act(look: Snapshot, by: str) -> Prepared:
            vocabulary = law_in_force(look, ledger.registry).vocabulary
            prepared = acts.ratify_grant(look, vocabulary, by=by, terms=terms, reason=reason)
            _tell(look, ledger, terms)
            return prepared

        if file is None:
            given(sign_act(ledger, signing, act), until)
            return
        prepared, one = _signature(ledger, signing, act)
        begun = Ratification(prepared, (one,))
        write_new(file, begun.to_bytes(), _PRIVATE)
    _waits(begun, file)


@command("sign", example="tally grant sign orders.grant")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@signing_options
def sign(file: Path, signing: Signing) -> None:
    """Sign the standing grant in FILE that another human has begun; the last who is needed puts it in force.

    What it opens today, and the text that the others have signed, are shown first. Whoever controls the subject is none
    of those who sign.
    """
    found = parse_ratification(read_bytes(file, MOST))
    with opened() as ledger:

        def act(look: Snapshot, by: str) -> Prepared:
            found.check(look, ledger.registry)
            _tell(look, ledger, found.terms)
            say(f"signed so far by {', '.join(one.by for one in found.signatures)}; {found.humans} must")
            return for_signer(look, found.prepared, by)

        _, one = _signature(ledger, signing, act)
        grown = found.signed_by(one)
        if len(grown.signatures) < grown.humans:
            replace_file(file, grown.to_bytes(), _PRIVATE)
            _waits(grown, file)
            return
        draft = joined(grown.prepared, grown.signatures)
        event = ledger.log.transact(lambda tx: append_act(tx, ledger.registry, draft))
    given(event, grown.terms.expires)


def given(event: Event, until: Instant | None) -> None:
    """Say that a grant stands."""
    body = event.body
    grant = body.grant if isinstance(body, ConsentGranted | GrantRatified) else ""
    ends = f"until {until}" if until else "until it is revoked"
    emit({"event": event.seq, "grant": grant, "expires": until}, f"Grant {grant} stands {ends} (event {event.seq}).")


def _until(ledger: OpenLedger, expires: str | None, span: int | None) -> Instant | None:
    if expires is not None and span is not None:
        raise click.UsageError("say --expires or --for, not both")
    if span is not None:
        return instant.later(ledger.now(), span)
    return None if expires is None else instant.parse(expires)


def _check_file(file: Path | None, humans: int) -> None:
    """Refuse before anybody signs what would lead to nothing."""
    if file is None and humans > 1:
        raise InputError(
            f"the constitution in force asks for the signatures of {humans} humans: say with --to into which FILE the "
            "text goes with yours, and let the others sign it with tally grant sign FILE"
        )
    if file is not None and humans == 1:
        raise InputError("one human's signature is enough here: run it without --to")
    if file is not None and file.exists():
        raise InputError(f"{file} is there already: name another file")


def _signature(ledger: OpenLedger, signing: Signing, act: Act) -> tuple[Prepared, Cosigned]:
    """Show the text, ask, and have it signed; nothing is appended."""
    key = find_key(signing.key)

    def prepare(look: Snapshot) -> Prepared:
        prepared = act(look, actor(look, signing.by))
        check_act(look, prepared, key)
        return prepared

    prepared = ledger.log.read(prepare)
    (draft,) = sign_all([prepared], key, yes=signing.yes)
    return prepared, _cosigned(draft)


def _cosigned(draft: Draft) -> Cosigned:
    body = draft.body
    if not isinstance(body, SignedBody):  # pragma: no cover
        raise TypeError(f"{body.type} is not signed")
    return Cosigned(by=draft.by, signed=body.signed)


def _tell(look: Snapshot, ledger: OpenLedger, terms: StandingTerms) -> None:
    opening = opened_by(look, ledger.registry, terms, ledger.now())
    say("\n".join(difference_lines(opening)) if opening else _INVOLVED)


def _waits(found: Ratification, file: Path) -> None:
    signed = [one.by for one in found.signatures]
    missing = found.humans - len(signed)
    emit(
        {"grant": found.prepared.fields["grant"], "file": str(file), "signed": [*signed], "missing": missing},
        f"Signed by {', '.join(signed)}; {missing} more must sign: tally grant sign {file}",
    )
