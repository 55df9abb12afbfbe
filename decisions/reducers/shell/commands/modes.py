"""Commands that change who may do what with a file, and that write blocks.

Source: their manuals (GNU coreutils 9).
"""

import re
from collections.abc import Callable

from decisions.reducers.errors import UnreadableError
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.commands.changes import inside
from decisions.reducers.shell.options import Parsed, options
from decisions.reducers.shell.word import Word

# ``chmod -x file``: a mode that looks like options.
_CHMOD = options(
    "-RvcfrwxXst --recursive --verbose --changes --silent --reference=< --preserve-root --no-preserve-root"
)
_CHOWN = options(
    "-RvcfhHLP --recursive --verbose --changes --silent --reference=< --from= --no-dereference --preserve-root "
    "--no-preserve-root"
)
_INSTALL = options(
    "-cdDpvCsT -m= -o= -g= -t= --directory --mode= --owner= --group= --target-directory= --no-target-directory "
    "--verbose --preserve-timestamps --compare"
)
_PLAIN_OCTAL = re.compile(r"0?[0-7]{1,3}", re.ASCII)
_SYMBOLIC = re.compile(r"[ugoa]*[-+=][rwxXugo]*(,[ugoa]*[-+=][rwxXugo]*)*", re.ASCII)
_DD_PLAIN = frozenset({"bs", "ibs", "obs", "cbs", "count", "skip", "seek", "conv", "status", "iflag", "oflag"})


def _raises_rights(mode: Word | None) -> bool:
    """Whether a mode may let a program run with its owner's rights: any that is not plainly without."""
    text = None if mode is None else mode.literal
    return text is None or not (_PLAIN_OCTAL.fullmatch(text) or _SYMBOLIC.fullmatch(text))


def _chmod(call: Call) -> None:
    parsed = call.parse(_CHMOD)
    operands = parsed.positional
    if parsed.has("--reference"):
        elevated = True
    elif any(option.name in {"-r", "-w", "-x", "-X", "-s", "-t"} for option in parsed.options):
        elevated = parsed.has("-s")
    else:
        elevated, operands = _raises_rights(operands[0] if operands else None), operands[1:]
    _set_mode(call, parsed, operands, elevated=elevated)


def _chown(call: Call) -> None:
    parsed = call.parse(_CHOWN)
    _set_mode(call, parsed, parsed.positional if parsed.has("--reference") else parsed.positional[1:], elevated=False)


def _set_mode(call: Call, parsed: Parsed, operands: tuple[Word, ...], *, elevated: bool) -> None:
    many = parsed.has("-R", "--recursive")
    if elevated:
        call.files("set_mode", operands, many=many, dash=False, elevated=True)
    else:
        call.files("set_mode", operands, many=many, dash=False)


def _install(call: Call) -> None:
    parsed = call.parse(_INSTALL)
    mode = parsed.value("-m", "--mode")
    elevated = mode is not None and _raises_rights(mode)
    directory = parsed.value("-t", "--target-directory")
    if parsed.has("-d", "--directory"):
        written, read = list(parsed.operands), []
    elif directory is not None:
        written, read = [inside(directory, source) for source in parsed.operands], list(parsed.operands)
    elif len(parsed.operands) > 1:
        *read, target = parsed.positional
        written = [target, *(inside(target, source) for source in read)]
    else:
        raise UnreadableError("install without a destination")
    call.files("read", read, dash=False)
    call.files("write", written, dash=False)
    _set_mode(call, parsed, tuple(written), elevated=elevated)


def _dd(call: Call) -> None:
    for word in call.words:
        name, equals, _ = word.prefix.partition("=")
        if not equals or word.is_loose or name not in {"if", "of", *_DD_PLAIN}:
            raise UnreadableError(f"an operand that isn't known: {word.shown()[:60]}")
        if name in {"if", "of"}:
            call.files("read" if name == "if" else "write", [word.after(len(name) + 1)], dash=False)


COMMANDS: dict[str, Callable[[Call], None]] = {
    "chmod": _chmod,
    "chown": _chown,
    "chgrp": _chown,
    "install": _install,
    "dd": _dd,
}
