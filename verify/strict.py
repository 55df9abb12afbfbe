"""Command lines that say each thing once: for the auditor's command and the operator's alike."""

import click


class Strict(click.Command):
    """A command that takes each option once, but for those that may be repeated.

    Of an option that stands twice click takes the last: what stands before it would be judged by nobody, and whoever
    may only add to a command line could undo what it fixes.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words.

        Raises:
            UsageError: an option stands twice.
        """
        if not ctx.resilient_parsing:
            _, _, order = self.make_parser(ctx).parse_args(args=list(args))
            for option in (one for one in order if isinstance(one, click.Option)):
                if not option.multiple and not option.is_flag and order.count(option) > 1:
                    ctx.fail(f"{option.opts[0]} stands twice")
        return super().parse_args(ctx, args)
