"""What is printed: lines for people, one JSON object for programs."""

import json
from collections.abc import Iterable, Sequence

import click

from ledger.canon import Json
from verify.check.report import Line
from verify.cli.exits import FAILED, INCOMPLETE, VERIFIED
from verify.text import visible


def print_json(value: dict[str, Json]) -> None:
    """Print one JSON object."""
    click.echo(json.dumps(value, sort_keys=True))


def print_lines(lines: Iterable[Line]) -> None:
    """Print one line for each check."""
    for line in lines:
        click.echo(f"{line.status:<12} {line.check:<18} {visible(line.why)}")


def conclude(lines: Sequence[Line], *, as_json: bool, strict: bool = False, **more: Json) -> int:
    """Print the lines of a check and its verdict, and give the exit code.

    Args:
        lines: how each part came out.
        as_json: print one JSON object.
        strict: a check that was not made counts.
        more: what the JSON object says beside.
    """
    bad = [line.check for line in lines if line.status == "FAIL"]
    left_out = [line.check for line in lines if line.status == "NOT-CHECKED"]
    if as_json:
        code = "failed" if bad else "verified"
        print_json({"code": code, "verified": not bad, "checks": [line.to_json() for line in lines], **more})
    else:
        print_lines(lines)
        click.echo(f"FAILED: {', '.join(bad)}. Do not rely on it." if bad else "VERIFIED.")
    if bad:
        return FAILED
    return INCOMPLETE if strict and left_out else VERIFIED


def print_verdict(what: str, lines: Sequence[Line], failed: Sequence[str], unchecked: Sequence[str]) -> bool:
    """Print the lines of a long check and what they come to; tell whether nothing failed.

    Args:
        what: what was checked: ``bundle``, ``export``.
        lines: how each part came out.
        failed: the checks that failed.
        unchecked: the checks that could not be made.
    """
    print_lines(lines)
    if failed:
        click.echo(f"FAILED: {', '.join(failed)}. Do not rely on this {what}.")
        return False
    not_checked = f"; not checked: {', '.join(unchecked)}" if unchecked else ""
    click.echo(f"VERIFIED: {len(lines) - len(unchecked)}/{len(lines)} checks made and passed{not_checked}.")
    return True
