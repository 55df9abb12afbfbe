"""The command ``tally``: each command a small file, loaded when it is asked for.

Data goes to stdout, talk to stderr; ``--json`` stands on every command; nothing is asked without a terminal; exit
codes are those of DESIGN section 13 (``tally help exit-codes``).
"""


def main() -> None:
    """Run ``tally``."""
    from tools.cli.app import root  # noqa: PLC0415  (whoever imports the package pays for nothing)

    root.main(prog_name="tally")


__all__ = ["main"]
