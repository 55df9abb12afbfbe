"""``tally resource list`` and ``tally resource show``: what is registered, and what a decision reads of it.

Source: DESIGN section 10.
"""

import click

from decisions.errors import DecisionError
from decisions.law import law_in_force
from grants.book import resources
from grants.book.states import ResourceState
from grants.errors import GrantError
from grants.identifier import code_points
from grants.reference import Pattern
from ledger.canon import Json
from ledger.event import Registry
from ledger.log import Snapshot
from tools.cli.command import command as declare
from tools.cli.output import emit, fields, table
from tools.cli.session import opened
from tools.labelling import Known, known, label_data, label_rows, spelled


@declare("list", example="tally resource list --under db://prod")
@click.option("--under", metavar="REFERENCE", help="Only what is registered at or below this.")
@click.option("--retired", is_flag=True, help="Those that were retired as well.")
def list_(under: str | None, retired: bool) -> None:
    """List what is registered."""
    root = Pattern.parse(under.removesuffix("/**") + "/**") if under else None
    with opened() as ledger:
        rows = ledger.log.read(
            lambda snapshot: [
                (row.key, ResourceState.model_validate(row.state)) for row in snapshot.states(resources.NAME)
            ]
        )
    rows = [
        (key, state)
        for key, state in rows
        if (retired or not state.retired) and (root is None or root.covers(Pattern.parse(key).reference))
    ]
    emit(
        [row_data(key, state) for key, state in rows],
        table(
            ("RESOURCE", "VERSION", "STATUS", "ATTRIBUTES"),
            [(key, s.version, _status(s) or "", spelled(s.attributes)) for key, s in rows],
        ),
    )


@declare("show", example="tally resource show file:///srv/app/main.py")
@click.argument("reference")
def show(reference: str) -> None:
    """Show what a decision about a resource would read.

    The nearest registration applies: of the resource itself, else of the smallest subtree around it. What that leaves
    unset comes from the subtrees around it, and from the further places that it lies in; each value is shown with the
    event that it is of. A name beyond ASCII is shown with its code points, so that look-alikes differ.
    """
    Pattern.parse(reference)
    with opened() as ledger:
        found = ledger.log.read(
            lambda snapshot: known(snapshot, reference, inherit=_inherits(snapshot, ledger.registry))
        )
    registration = found.labels.registration or next((key for key in found.looked if key not in found.passed), None)
    entry = found.entry
    data: dict[str, object] = {
        "reference": reference,
        "looked": list(found.looked),
        "registration": row_data(_applies(found), entry) if entry else None,
        "version": found.labels.version,
        "labels": label_data(found.labels),
        "passed": list(found.passed),
    }
    emit(data, fields(_pairs(reference, found)))
    if registration is not None and found.labels.labels:
        emit([], table(("attribute", "value", "since", "said of"), label_rows(found.labels)))


def row_data(key: str, state: ResourceState) -> dict[str, Json]:
    """Give an entry as one JSON object."""
    return {"resource": key, **state.json_form()}


def _pairs(reference: str, found: Known) -> list[tuple[str, object]]:
    pairs: list[tuple[str, object]] = [("reference", reference)]
    if not reference.isascii():
        pairs.append(("code points", code_points(reference)))
    if found.entry is None:
        pairs.append(("applies", "no registration: everything about it is unknown"))
    else:
        own = f" (its own {found.entry.version})" if found.labels.version not in {None, found.entry.version} else ""
        version = "" if found.labels.version is None else f"{found.labels.version}{own}"
        pairs += [
            ("applies", _applies(found)),
            ("status", _status(found.entry)),
            ("version", version or None),
            ("changed", f"event {found.entry.changed}"),
            ("within", ", ".join(found.entry.within) or None),
        ]
    pairs.append(("looked at", ", ".join(found.looked)))
    pairs.append(("passed over", ", ".join(f"{key} (cleared)" for key in found.passed) or None))
    return pairs


def _applies(found: Known) -> str:
    return found.labels.registration or next(key for key in found.looked if key not in found.passed)


def _status(state: ResourceState) -> str | None:
    if not state.retired:
        return None
    if state.cleared is not None:
        return f"cleared by event {state.cleared}: it hides nothing"
    return "retired: everything about it is unknown"


def _inherits(snapshot: Snapshot, registry: Registry) -> bool:
    try:
        return law_in_force(snapshot, registry).constitution.inherit
    except (DecisionError, GrantError):
        return False
