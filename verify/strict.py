"""Command lines that say each thing once, and name no path by nothing: for the auditor's command and the operator's."""

from collections.abc import Mapping
from pathlib import PurePath

import click


class Strict(click.Command):
    """A command that takes each option once, but for those that may be repeated.

    Of an option that stands twice click takes the last: what stands before it would be judged by nobody, and whoever
    may only add to a command line could undo what it fixes.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words.

        Raises:
            UsageError: an option stands twice, or a path is empty or no file's where a file is wanted.
        """
        if not ctx.resilient_parsing:
            given, _, order = self.make_parser(ctx).parse_args(args=list(args))
            for option in (one for one in order if isinstance(one, click.Option)):
                if not option.multiple and not option.is_flag and order.count(option) > 1:
                    ctx.fail(f"{option.opts[0]} stands twice")
            self._check_paths(ctx, given)
        return super().parse_args(ctx, args)

    def _check_paths(self, ctx: click.Context, given: Mapping[str, object]) -> None:
        """Refuse what Python would take for the present directory, and a directory's way in the place of a file's."""
        for param in (one for one in self.params if isinstance(one.type, click.Path)):
            value = given.get(param.name or "")
            for text in value if isinstance(value, list | tuple) else (value,):
                if text == "":
                    ctx.fail(f"{_said(param)} is empty: name a path")
                elif isinstance(text, str) and (param.metavar or "").startswith("FILE") and not PurePath(text).name:
                    ctx.fail(f"{_said(param)} {text} names no file")


def _said(param: click.Parameter) -> str:
    return param.opts[0] if isinstance(param, click.Option) else param.human_readable_name
