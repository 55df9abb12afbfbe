"""Programs that run code: from a file, from an argument, or from wherever standard input comes.

Code in an argument is ``inline`` unless it is shell text, which is reduced itself. Code from standard input is
``untrusted``: a pipe, a here-document and a terminal look alike from here.

Source: their manuals (CPython 3.13, Node 22, Ruby 3, Perl 5, PHP 8, bash 5.2); policy cases A11, A15, D05.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from decisions.reducers.errors import UnreadableError
from decisions.reducers.paths import is_sink
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.options import OptionTable, options
from decisions.reducers.shell.targets import targets
from decisions.reducers.shell.word import Word

_VERSIONED = re.compile(r"(python|pip|ruby|perl|php|node|lua)[0-9]+(?:\.[0-9]+)*", re.ASCII)


_CODE_FILE = re.compile(r"[^-:][^:]*\.[A-Za-z][A-Za-z0-9]{0,7}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Interpreter:
    """How an interpreter takes its code.

    Attributes:
        table: its options.
        inline: the options whose value is code.
        informs: the options that make it print something of itself and leave.
    """

    table: OptionTable
    inline: frozenset[str]
    informs: frozenset[str] = frozenset({"--version", "--help"})


def _interpreter(line: str, inline: str, informs: str = "--version --help") -> Interpreter:
    table = options(f"{line} --version --help", ends_at_operand=True, globs=False)
    return Interpreter(table, frozenset(inline.split()), frozenset(informs.split()))


_TABLE: Mapping[str, Interpreter] = {
    "python": _interpreter("-BEIOPsSuvqbdVh -W= -X= -c=! -m=!", "-c", "-V -h --version --help"),
    "node": _interpreter(
        "-vhc -e=! -p=! --eval=! --print=! --check --no-warnings --trace-warnings --test --enable-source-maps",
        "-e -p --eval --print",
        "-v -h --version --help",
    ),
    "ruby": _interpreter("-vwcW -e=!", "-e", "--version --help"),
    "perl": _interpreter("-wWcnplaT -e=! -E=! -0=? -i=? -F= -v", "-e -E", "-v --version --help"),
    "php": _interpreter("-vqn -r=! -f=!", "-r", "-v --version --help"),
    "lua": _interpreter("-vE -e=!", "-e", "-v"),
}
_SHELL = options(
    "-ceuxvlrn -o= +o= --norc --noprofile --posix --login --verbose --version --help",
    ends_at_operand=True,
    globs=False,
)
_SERVER = options("-d= -b= -p= --directory= --bind= --protocol= --cgi", globs=False)
_ONLY_BASH = re.compile(r"\{[^}\s]*,|\$'|\$\"|\+=|\[\[|<<<|&>|\|&")
_SHELLS = ("bash", "sh", "dash", "ksh")
# Programs whose arguments or input are code of one kind or another.
_CODE = (
    "bc", "clisp", "dc", "deno", "ed", "elixir", "emacs", "erl", "ex", "fish", "gforth", "ghci", "groovy",
    "guile", "irb", "iex", "java", "jshell", "julia", "kotlin", "m4", "nano", "ocaml", "octave", "osascript",
    "powershell", "pwsh", "R", "Rscript", "scala", "scheme", "swift", "tclsh", "ts-node", "tsx", "vi", "view", "vim",
    "nvim", "wish", "csh", "tcsh", "zsh", "raku", "ash", "bpython", "gnuplot", "ipython", "ipython3", "jruby", "luajit",
    "mksh", "nodejs", "pypy", "pypy3", "rbash", "runghc", "runhaskell", "sbcl", "yash",
)  # fmt: skip
_DATABASES = ("sqlite", "duckdb", "sqlcmd", "mongosh", "mongo", "cqlsh")


def unversioned(name: str) -> str:
    """Take the version off an interpreter's name."""
    match = _VERSIONED.fullmatch(name)
    return match[1] if match else name


def _interpret(call: Call) -> None:
    interpreter = _TABLE[unversioned(call.name)]
    parsed = call.parse(interpreter.table)
    if any(option.name in interpreter.inline for option in parsed.options):
        call.run(code_origin="inline")
    elif any(option.name in interpreter.informs for option in parsed.options) and not parsed.operands:
        call.run()
    elif parsed.has("-m"):
        _module(call, parsed.value("-m"), parsed.operands)
    elif parsed.has("-f"):
        _script(call, parsed.value("-f"))
    elif parsed.has("--test"):
        call.run(code_origin="file")
    else:
        _script(call, parsed.operands[0] if parsed.operands else None)


def _module(call: Call, module: Word | None, arguments: tuple[Word, ...]) -> None:
    """Run a module: the tools that install, as themselves; any other as code that lies in files."""
    name = None if module is None else module.literal
    if name is None:
        raise UnreadableError("a module that only the shell knows")
    if name in {"pip", "pytest", "unittest", "venv", "ensurepip"}:
        call.then([Word.of(name), *arguments])
    files = [word for word in arguments if not word.prefix.startswith("-")]
    if name == "json.tool":
        call.files("read", files[:1])
        call.files("write", files[1:])
    elif name == "venv":
        call.files("write", files, many=True)
    elif name == "http.server":
        _serve(call, arguments)
        return
    call.run(code_origin="file")


def _serve(call: Call, arguments: Sequence[Word]) -> None:
    """A directory is given out to whoever asks for it."""
    parsed = call.parse(_SERVER, arguments)
    call.files("read", [parsed.value("-d", "--directory") or Word.of(".")], many=True)
    call.run(code_origin="file", egress=True)


def _script(call: Call, script: Word | None) -> None:
    """Run the code of a file, or of standard input."""
    if script is None or script.literal == "-":
        call.run(code_origin="untrusted")
        return
    for target in targets(script, call.state):
        if is_sink(target.path) or target.path.startswith(("/proc/", "/dev/")):
            call.run(code_origin="untrusted")
        elif target.many:
            raise UnreadableError("a script that file names decide")
        else:
            call.file_at("read", target.path)
            call.run(code_origin="file")


def _shell(call: Call) -> None:
    parsed = call.parse(_SHELL)
    first = parsed.operands[0].prefix if parsed.operands else ""
    if first.startswith("+") or (first == "-" and (parsed.has("-c") or len(parsed.operands) > 1)):
        raise UnreadableError("an option of the shell's that isn't known")
    if parsed.has("-c"):
        # -c takes no value: the text is the first operand, behind whatever options follow.
        text = parsed.operands[0].literal if parsed.operands else None
        if text is None:
            raise UnreadableError("shell text that only the shell knows")
        if call.name != "bash":
            check_portable(text)
        call.script(text, call.state.inherited())
    elif parsed.has("--version", "--help"):
        call.run()
    else:
        _script(call, parsed.operands[0] if parsed.operands else None)


def check_portable(text: str) -> None:
    """Hold that shells other than bash read the text in the same way: many know no braces and no ``$'...'``.

    Raises:
        UnreadableError: they may not.
    """
    if _ONLY_BASH.search(text):
        raise UnreadableError("text that shells read in different ways")


def _code(call: Call) -> None:
    # Which of the arguments holds the code, each of these programs tells in a way of its own.
    files = [word for word in call.words if _CODE_FILE.fullmatch(word.literal or "")]
    call.files("read", files)
    call.run(code_origin="inline" if call.words else "untrusted")


def _database(call: Call) -> None:
    raise UnreadableError(f"{call.name} in a shell isn't read: send the statement as an operation of the form sql")


COMMANDS: dict[str, Callable[[Call], None]] = {
    **dict.fromkeys(_TABLE, _interpret),
    **dict.fromkeys(_SHELLS, _shell),
    **dict.fromkeys(_CODE, _code),
    **dict.fromkeys(_DATABASES, _database),
}
