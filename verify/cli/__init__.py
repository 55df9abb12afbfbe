"""``tally-verify``: one file for each command."""

from verify.cli.app import cli, main, run

__all__ = ["cli", "main", "run"]
