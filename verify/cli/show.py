"""``tally-verify show``: what a bundle says."""

import click

from verify.bundle.form import MAX_BYTES, parse_bundle
from verify.cli.exits import VERIFIED
from verify.cli.files import PLACE, read
from verify.cli.output import print_json
from verify.show import tell, told
from verify.strict import Strict


@click.command("show", cls=Strict)
@click.argument("file", metavar="FILE", type=PLACE)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(file: str, as_json: bool) -> int:
    """Tell what a bundle says, in prose. Nothing is verified.

    FILE is the bundle, or - for standard input.
    """
    parsed = parse_bundle(read(file, MAX_BYTES))
    if as_json:
        print_json(told(parsed))
    else:
        click.echo("\n".join(tell(parsed)))
    return VERIFIED
