"""The shell's own commands. Every builtin of bash stands in one of these tables, so that none is taken for a program.

Those that define code to run later, or change how the shell reads what follows, are opaque.

Source: bash 5.2 builtins; policy cases A11, A15.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.paths import is_sink
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.environment import NAME
from decisions.reducers.shell.options import options
from decisions.reducers.shell.state import Ends, both
from decisions.reducers.shell.targets import targets
from decisions.reducers.shell.word import Piece, Word

_CD = options("-LPe@", globs=False)
_READ = options("-rse -p= -t= -n= -N= -d= -u=", globs=False)
_COMMAND = options("-pvV", ends_at_operand=True, globs=False)
_EXEC = options("-cl -a=", ends_at_operand=True, globs=False)
_TIME = options("-p", ends_at_operand=True, globs=False)
_SETTABLE = re.compile(r"[-+][euxv]+|[-+][euxv]*o", re.ASCII)
_LAST_JOB = Word((Piece("unknown", "$!"),))
_JOBS = options("-lnprs", globs=False)
_ASSIGNING_FORMAT = re.compile(r"%[-+ #0'*.0-9]*[hlLjzt]*n", re.ASCII)
_NAMED_SETTINGS = frozenset({"pipefail", "errexit", "nounset", "xtrace", "verbose"})
_SHOPT = frozenset({"-s", "-u", "-q", "globstar", "dotglob", "failglob", "nocaseglob", "inherit_errexit"})
_COMMAND_NAME = re.compile(r"[A-Za-z0-9_.+/\[:-]+", re.ASCII)

_HARMLESS = (
    "true", "false", "echo", "pwd", "exit", "fg", "bg",
    "disown", "times", "kill", "logout", "suspend", "caller", "help", "dirs", "umask", "ulimit",
)  # fmt: skip
_OPAQUE = (
    "alias", "unalias", "hash", "enable", "bind", "complete", "compgen", "compopt", "mapfile", "readarray",
    "coproc", "fc", "getopts", "let", "declare", "typeset", "local", "export", "readonly", "unset", "unsetenv",
)  # fmt: skip
# In command position these are the shell's grammar, wherever the syntax tree takes one for a name.
_RESERVED = (
    "!", "((", "[[", "]]", "case", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in", "select",
    "then", "until", "while", "{", "}",
)  # fmt: skip


def _harmless(call: Call) -> None:
    call.run()


def _true(call: Call) -> None:
    call.run("program:true")


def _jump(call: Call) -> None:
    call.jump()
    call.run()


def _shift(call: Call) -> None:
    call.ends = both(call.state.shifted())
    call.run()


def _trap(call: Call) -> None:
    """What a trap runs is reduced where it is set, in a state of which nothing is known: it runs whenever it runs."""
    words = call.words[1:] if call.words and call.words[0].literal == "--" else call.words
    texts = [word.literal for word in words]
    if any(text is None for text in texts):
        raise UnreadableError("a trap of text that only the shell knows")
    if len(texts) < 2 or texts[0] in {"-", "", "-p", "-l"} or (texts[0] or "").isdigit():  # noqa: PLR2004  (text, signal)
        call.run()
        return
    before = replace(call.state.forgotten(), functions=call.state.functions)
    call.trap()
    after = call.script(texts[0] or "", before).either
    if not after.ended and after != before:
        raise UnreadableError("a trap that changes what the shell knows")


def _wait(call: Call) -> None:
    """``wait -p`` assigns, and computes an index as it does."""
    if any((word.is_loose and word != _LAST_JOB) or word.prefix.startswith("-") for word in call.words):
        raise UnreadableError("an option of wait that isn't known")
    call.run()


def _jobs(call: Call) -> None:
    """``jobs -x`` runs a command."""
    call.parse(_JOBS)
    call.run()


def _reserved(call: Call) -> None:
    raise UnreadableError(f"grammar of the shell's that isn't read: {call.name}")


def _history(call: Call) -> None:
    """What was typed before is printed; whatever has an option may change it."""
    if any(not (word.literal or "").isdigit() for word in call.words):
        raise UnreadableError("history with an option or an operand that isn't read")
    call.prints("the history")


def _opaque(call: Call) -> None:
    raise UnreadableError(f"{call.name} changes how the shell reads or runs what follows")


def _cd(call: Call) -> None:
    parsed = call.parse(_CD)
    if len(parsed.operands) > 1:
        raise UnreadableError("cd takes one directory")
    if parsed.operands and parsed.operands[0].literal == "-":
        _lost(call)
    word = parsed.operands[0] if parsed.operands else _home(call)
    if call.name == "pushd" and (not parsed.operands or word.prefix.startswith("+")):
        _lost(call)
    if "CDPATH" in call.state.variables and not word.prefix.startswith(("/", "./", "../")):
        _lost(call)
    if word.literal == "":
        call.run()
        return
    call.ends = Ends(call.state.at(None), call.state)
    found = targets(word, call.state)
    call.files("enter", [word], dash=False)
    if not any(target.many for target in found):
        call.ends = Ends(call.state.at(frozenset(target.path for target in found)), call.state)


def _home(call: Call) -> Word:
    known = call.state.variables.get("HOME", None if call.home is None else Word.of(call.home))
    if known is None:
        call.ends = Ends(call.state.at(None), call.state)
        raise unresolved("the home directory isn't known")
    return known


def _lost(call: Call) -> None:
    call.ends = Ends(call.state.at(None), call.state)
    raise unresolved("a directory that only the shell knows")


def _eval(call: Call) -> None:
    texts = [word.literal for word in call.words]
    if not texts or any(text is None for text in texts):
        raise UnreadableError("eval of text that only the shell knows")
    call.ends = call.script(" ".join(text or "" for text in texts))


def _source(call: Call) -> None:
    if not call.words or call.words[0].prefix.startswith("-"):
        raise UnreadableError("source without its file")
    call.ends = Ends(call.state.forgotten(), call.state.forgotten())
    for target in targets(call.words[0], call.state):
        if is_sink(target.path) or target.many:
            call.run("program:bash", code_origin="untrusted")
        else:
            call.file_at("read", target.path)
            call.run("file://" + target.path, code_origin="file")


def _command(call: Call) -> None:
    parsed = call.parse(_COMMAND)
    if parsed.has("-v", "-V"):
        _check_names(call, parsed.operands)
    elif parsed.operands:
        call.ends = call.then(parsed.operands)


def _builtin(call: Call) -> None:
    if not call.words or call.words[0].literal not in COMMANDS:
        raise UnreadableError("a builtin that isn't known")
    call.ends = call.then(call.words)


def _exec(call: Call) -> None:
    parsed = call.parse(_EXEC)
    if parsed.operands:
        call.then(parsed.operands)


def _time(call: Call) -> None:
    if call.words and call.words[0].literal == "--":
        raise UnreadableError("time -- counts as grammar or as a command, by its quotes")
    parsed = call.parse(_TIME)
    if parsed.operands and parsed.operands[0].literal in call.state.functions:
        raise UnreadableError("time of a function")
    if parsed.operands:
        call.ends = call.then(parsed.operands)


def _type(call: Call) -> None:
    _check_names(call, call.words)


def _check_names(call: Call, words: Sequence[Word]) -> None:
    """Look names up: a path of another system is no name (policy case A19)."""
    for word in words:
        if word.literal is None or not _COMMAND_NAME.fullmatch(word.literal):
            raise UnreadableError(f"not the name of a command: {word.shown()[:60]}", "ID_INVALID")
    call.run()


def _printf(call: Call) -> None:
    """``printf -v`` and the format ``%n`` assign, and the first computes an index as it does."""
    if call.words and (call.words[0].is_loose or call.words[0].starts_with_glob):
        raise unresolved("a format that only the shell knows: write printf -- ...")
    if call.words and call.words[0].prefix.startswith("-") and call.words[0].literal not in {"--", "-"}:
        raise UnreadableError("an option of printf that isn't known")
    text, *values = [word for word in call.words[:1] if word.literal != "--"] + list(call.words[1:]) or [Word.of("")]
    if values and (text.literal is None or _ASSIGNING_FORMAT.search(text.literal)):
        raise UnreadableError("a format that may assign to a variable")
    call.run()


def _test(call: Call) -> None:
    if any(word.literal in {"-v", "-R"} or any(p.kind == "split" for p in word.pieces) for word in call.words):
        raise UnreadableError("a test of a variable by its name, or of unquoted text")
    if any(left.is_loose and "[" in (right.literal or "[") for left, right in pairwise(call.words)):
        raise UnreadableError("a test whose operator only the shell knows")
    call.run("program:test")


def _read(call: Call) -> None:
    state = call.state
    for word in call.parse(_READ).operands:
        name = word.literal
        if name is None or not NAME.fullmatch(name):
            raise UnreadableError("read into something that is no variable")
        call.assign(name, exported=False)
        state = state.having(name, None)
    state = state.having("REPLY", None)
    call.ends = Ends(state, state)


def _set(call: Call) -> None:
    if not call.words:
        call.prints("the environment")
    texts = [word.literal for word in call.words]
    named = False
    for text in texts:
        if text is None or not (text in _NAMED_SETTINGS if named else _SETTABLE.fullmatch(text)):
            raise UnreadableError("a setting of the shell that isn't known")
        named = not named and text.endswith("o")
    call.run()


def _shopt(call: Call) -> None:
    if not all(word.literal in _SHOPT for word in call.words):
        raise UnreadableError("a setting of the shell that isn't known")
    call.run()


COMMANDS: dict[str, Callable[[Call], None]] = {
    **dict.fromkeys(_HARMLESS, _harmless),
    **dict.fromkeys(_OPAQUE, _opaque),
    **dict.fromkeys(_RESERVED, _reserved),
    **dict.fromkeys(("return", "break", "continue"), _jump),
    ":": _true,
    "shift": _shift,
    "trap": _trap,
    "jobs": _jobs,
    "wait": _wait,
    "cd": _cd,
    "history": _history,
    "pushd": _cd,
    "popd": _lost,
    "eval": _eval,
    "source": _source,
    ".": _source,
    "command": _command,
    "builtin": _builtin,
    "exec": _exec,
    "time": _time,
    "type": _type,
    "which": _type,
    "printf": _printf,
    "test": _test,
    "[": _test,
    "read": _read,
    "set": _set,
    "shopt": _shopt,
}
