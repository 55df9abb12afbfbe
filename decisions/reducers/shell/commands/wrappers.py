"""Commands that run the command among their arguments: what runs is found through any chain of them.

A wrapper that no table knows is an unknown program, or opaque where its arguments give it away.

Source: policy case A05.
"""

import re
from collections.abc import Callable, Sequence

from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.commands.interpreters import check_portable
from decisions.reducers.shell.options import OptionTable, names, options
from decisions.reducers.shell.state import State
from decisions.reducers.shell.targets import targets
from decisions.reducers.shell.word import Piece, Word, joined

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=", re.ASCII)
_STDIN = Word((Piece("split", "standard input"),))


def _table(line: str) -> OptionTable:
    return options(line, ends_at_operand=True, globs=False)


_ENV = _table("-i0v -u= -C= --ignore-environment --null --unset= --chdir= --debug")
_SUDO = _table(
    "-nEHkbSPA -u= -g= -p= -C= -T= --user= --group= --non-interactive --preserve-env=? --set-home --background --stdin"
)
_SU = options("-lmpPf -c= --command= --login --preserve-environment", globs=False)
_WATCH = _table("-dtbecgxpw -n= --interval= --differences=? --no-title --beep --errexit --color --chgexit --exec")
_XARGS = _table(
    "-0rtxop -n= -P= -I= -L= -d= -a=< -s= -E= --null --no-run-if-empty --verbose --exit --max-args= --max-procs= "
    "--max-lines=? --delimiter= --arg-file=< --max-chars= --interactive"
)
_TIMEOUT = _table("-vfp -s= -k= --signal= --kill-after= --preserve-status --foreground --verbose")
_PLAIN = {
    "nice": _table("-n= --adjustment="),
    "ionice": _table("-t -c= -n= --class= --classdata= --ignore"),
    "setsid": _table("-cfw --ctty --fork --wait"),
    "stdbuf": _table("-i= -o= -e= --input= --output= --error="),
    "busybox": _table(""),
    "toybox": _table(""),
    "chronic": _table(""),
    "caffeinate": _table("-dimsu"),
}
_NOHUP = options("", ends_at_operand=True, globs=False)
_OPAQUE = names(
    """
    at batch bwrap capsh chroot chrt cron dbus-run-session direnv dumb-init entr expect fakeroot
    firejail flock gdb gosu hyperfine ld.so ltrace nix nix-shell nsenter parallel perf prlimit rlwrap runuser
    screen script setarch setpriv start-stop-daemon strace sg su-exec systemd-run taskset tini tmux unbuffer
    unshare sudoedit valgrind visudo xvfb-run zsudo
    """
)


def _plain(call: Call) -> None:
    parsed = call.parse(_PLAIN[call.name])
    if parsed.operands:
        call.then(parsed.operands)


def _nohup(call: Call) -> None:
    """What a command prints at a terminal goes to a file: here, or in the home directory where that can't be."""
    operands = call.parse(_NOHUP).operands
    if not operands:
        return
    if not call.within.captured:
        call.files("write", [Word.of("./nohup.out")])
        if call.home is not None:
            call.files("write", [Word.of(f"{call.home}/nohup.out")])
    call.then(operands)


def _opaque(call: Call) -> None:
    raise UnreadableError(f"{call.name} runs a command in a way that isn't read")


def _env(call: Call) -> None:
    words = call.words[1:] if call.words and call.words[0].literal == "-" else call.words
    parsed = call.parse(_ENV, words)
    state = call.state
    if parsed.has("-i", "--ignore-environment") or words is not call.words:
        state = state.having("HOME", None)
    for option in parsed.options:
        if option.name in {"-u", "--unset"} and option.value is not None:
            call.assign(option.value.literal or "")
            state = state.having(option.value.literal or "", None)
        elif option.name in {"-C", "--chdir"} and option.value is not None:
            call.files("enter", [option.value], dash=False)
            state = state.at(frozenset(target.path for target in targets(option.value, state)))
    if not parsed.operands:
        call.prints("the environment")
    _assign_then(call, parsed.operands, state=state)


def _assign_then(call: Call, words: Sequence[Word], *, elevated: bool = False, state: State | None = None) -> None:
    """Note the assignments before a command, then reduce the command."""
    rest = list(words)
    while rest and "=" in rest[0].prefix:
        match = _ASSIGNMENT.match(rest[0].prefix)
        if match is None:
            raise UnreadableError("an assignment to something that is no variable")
        call.assign(match[1])
        state = (state or call.state).having(match[1], None)
        rest.pop(0)
    if rest:
        call.then(rest, elevated=elevated, state=state)


def _sudo(call: Call) -> None:
    parsed = call.parse(_SUDO)
    if parsed.operands:
        _assign_then(call, parsed.operands, elevated=True)
    else:
        call.run(elevated=True)


def _su(call: Call) -> None:
    parsed = call.parse(_SU)
    command = parsed.value("-c", "--command")
    if command is None or command.literal is None or len(parsed.operands) > 1:
        raise UnreadableError("su without a command that can be read")
    call.then([Word.of("sh"), Word.of("-c"), command], elevated=True)


def _timeout(call: Call) -> None:
    parsed = call.parse(_TIMEOUT)
    if parsed.operands and not parsed.operands[0].is_literal:
        raise unresolved("a duration that only the shell knows")
    if len(parsed.operands) > 1:
        call.then(parsed.operands[1:])


def _watch(call: Call) -> None:
    parsed = call.parse(_WATCH)
    if parsed.has("-x", "--exec"):
        call.then(parsed.operands)
        return
    texts = [word.literal for word in parsed.operands]
    if not texts or any(text is None for text in texts):
        raise UnreadableError("watch of text that only the shell knows")
    text = " ".join(text or "" for text in texts)
    check_portable(text)
    call.script(text, call.state.inherited())


def _xargs(call: Call) -> None:
    """What comes from standard input is unknown; commands that it can't make harmful stay readable."""
    parsed = call.parse(_XARGS)
    if not parsed.operands:
        return
    mark = parsed.value("-I")
    if mark is None:
        call.then([*parsed.operands, _STDIN])
    elif not mark.literal:
        raise UnreadableError("xargs -I with text that only the shell knows")
    else:
        call.then([replaced(word, mark.literal, Piece("unknown", "standard input")) for word in parsed.operands])


def replaced(word: Word, mark: str, *pieces: Piece) -> Word:
    """Put pieces in for a mark, wherever it stands in the literal text of a word."""
    result: list[Piece] = []
    for piece in word.pieces:
        first, *others = piece.text.split(mark) if piece.kind == "text" else [piece.text]
        result.append(Piece(piece.kind, first))
        for other in others:
            result += [*pieces, Piece("text", other)]
    return joined(result)


COMMANDS: dict[str, Callable[[Call], None]] = {
    **dict.fromkeys(_PLAIN, _plain),
    **dict.fromkeys(_OPAQUE, _opaque),
    "env": _env,
    "nohup": _nohup,
    "sudo": _sudo,
    "doas": _sudo,
    "pkexec": _sudo,
    "su": _su,
    "timeout": _timeout,
    "watch": _watch,
    "xargs": _xargs,
}
