"""Handing out files of links: what leads those who trust a former key of the log to the one that signs now.

Source: DESIGN section 9; docs/spec/links.md.
"""

from pathlib import Path

from grants.principals import log_state
from ledger.policy import Policy, PolicyLog
from tools.checkpointing import Signed
from tools.errors import EvidenceError, InputError
from tools.home import write_new
from tools.ledger import OpenLedger
from tools.proving import covering
from verify.check.log import Anchor
from verify.errors import VerifyError
from verify.links import SUFFIX, follow_links, make_links


def links_now(ledger: OpenLedger) -> tuple[bytes, Signed]:
    """Make the links to a checkpoint under the key in force; one is signed where none covers the last change of key.

    Raises:
        EvidenceError: something in them does not hold, and they are not handed out.
        HomeError: the key or the mark can't be used, where a checkpoint is signed.
    """
    signed = covering(ledger, max((reign.until for reign in ledger.genesis.former), default=0))
    return links_to(ledger, signed), signed


def links_to(ledger: OpenLedger, signed: Signed) -> bytes:
    """Make the links to a checkpoint, and check them.

    Raises:
        EvidenceError: something in them does not hold, and they are not handed out.
    """
    try:
        data = ledger.log.read(lambda look: make_links(look, signed.note))
        follow_links(data, Anchor(Policy((PolicyLog(signed.key),), (), ()), None, None))
    except VerifyError as error:
        raise EvidenceError(f"the links do not hold and are not handed out: {error}") from error
    return data


def is_led_to(ledger: OpenLedger, signed: Signed) -> bool:
    """Tell whether the log had another name or key before a checkpoint: then its readers may need links."""
    state = ledger.log.read(log_state)
    return state is not None and any(reign.until < signed.checkpoint.size for reign in state.former)


def beside(file: Path) -> Path:
    """Give the place of the links that go with a file.

    Raises:
        InputError: something stands there.
    """
    path = file.with_name(f"{file.name}{SUFFIX}")
    if path.exists():
        raise InputError(f"{path} is there already and is left as it is: name another file with -o")
    return path


def keep_beside(ledger: OpenLedger, signed: Signed, file: Path) -> Path | None:
    """Write the links that go with a file, where its readers may need them.

    Raises:
        EvidenceError: something in them does not hold.
        InputError: something stands there.
    """
    if not is_led_to(ledger, signed):
        return None
    path = beside(file)
    try:
        write_new(path, links_to(ledger, signed))
    except FileExistsError as error:
        raise InputError(f"{path} is there already and is left as it is: name another file with -o") from error
    return path
