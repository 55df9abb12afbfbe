"""Compilers, formatters and make: what they run lies in files; what their arguments name is read, and written.

Their options are not read one by one. Each runs code of the project's, or its settings and plug-ins, so that a run
from a file is noted whatever the options are; beside it stand the files that the arguments name.

Source: the manuals of GCC 14, Clang 18, rustc, javac 21, GNU make 4.4, ruff, black 24, isort 5, Prettier 3, ESLint 9.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.options import names
from decisions.reducers.shell.word import Word

_COMPILERS = names("cc gcc g++ c++ clang clang++ ld rustc javac")
_OUTPUTS = ("-o", "-d", "-h", "-s", "-MF", "-Map", "--out-dir")
_HANDED_ON = (
    "-X",
    "-Wp,",
    "-Wa,",
    "-Wl,-Map",
    "-Wl,-o",
    "-Wl,--output",
    "-aux-info",
    "-fdump",
    "-fprofile-dir",
    "-wrapper",
)
_BESIDE = ("-M", "-save-temps", "-ftime-trace", "-gsplit-dwarf", "--coverage", "-fprofile", "--emit", "-C", "-dump")
_MAKES = ("make", "gmake")


@dataclass(frozen=True, slots=True)
class Formatter:
    """When a formatter writes the files that it is given.

    Attributes:
        words: the subcommands that it must have, with what makes each write; an empty one is no subcommand at all.
        unless: options with which it only looks.
    """

    words: Mapping[str, tuple[str, ...]]
    unless: tuple[str, ...] = ()


_ALWAYS: tuple[str, ...] = ("",)
_FORMATTERS: Mapping[str, Formatter] = {
    "ruff": Formatter(
        {"format": _ALWAYS, "check": ("--fix", "--fix-only", "--unsafe-fixes", "--add-noqa", "-o", "--output-file")},
        ("--diff", "--check"),
    ),
    "black": Formatter({"": _ALWAYS}, ("--check", "--diff")),
    "isort": Formatter({"": _ALWAYS}, ("-c", "--check", "--check-only", "--diff", "-d")),
    "prettier": Formatter({"": ("--write", "-w")}),
    "eslint": Formatter({"": ("--fix", "-o", "--output-file")}),
    "flake8": Formatter({"": ("--output-file",)}),
    "pylint": Formatter({"": ("--output",)}),
}  # fmt: skip


def _compile(call: Call) -> None:
    call.run(code_origin="file")
    _check_known(call)
    if any(word.prefix.startswith(_HANDED_ON) or word.prefix.count("=") > 1 for word in call.words):
        call.refuse(UnreadableError("an option that is handed on, or that names a file within it"))
    inputs, outputs = _files(call.words)
    call.files("read", inputs)
    call.files("write", outputs, many=call.name in {"javac", "rustc"})
    beside = any(word.prefix.startswith(_BESIDE) for word in call.words)
    if beside or not outputs:
        call.directory("write")
    if beside:
        # What is made beside an output lies in its directory.
        parents = [(word.literal or "").rpartition("/")[0] for word in outputs]
        call.files("write", [Word.of(parent) for parent in parents if parent], many=True)


def _check_known(call: Call) -> None:
    """Note words that only the shell knows: they may be files, or the option that names what is written."""
    for word in call.words:
        if not word.is_known:
            call.refuse(unresolved(f"a file or an option that only the shell knows: {word.shown()[:60]}"))


def _files(words: Sequence[Word]) -> tuple[list[Word], list[Word]]:
    """Tell what a compiler reads and what it writes, of the words that are known."""
    inputs: list[Word] = []
    outputs: list[Word] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        glued = next(
            (name for name in ("--out-dir=", "-o", "-MF") if word.prefix.startswith(name) and word.literal != name),
            None,
        )
        if word.literal in _OUTPUTS and rest:
            outputs.append(rest.pop(0))
        elif glued is not None and word.is_known:
            outputs.append(word.after(len(glued)))
        elif word.prefix.startswith("@"):
            inputs.append(word.after(1))
        elif word.is_known and not word.prefix.startswith("-"):
            inputs.append(word)
    return inputs, [word for word in outputs if word.is_known]


def _format(call: Call) -> None:
    call.run(code_origin="file")
    _check_known(call)
    formatter = _FORMATTERS[call.name]
    texts = [word.literal or "" for word in call.words]
    operands = [word for word in call.words if word.is_known and not word.prefix.startswith("-")]
    first = operands[0].literal or "" if operands else ""
    if "" not in formatter.words:
        if first not in formatter.words:
            return
        operands.pop(0)
    for name in ("--output-file=", "--output="):
        call.files("write", [word.after(len(name)) for word in call.words if word.prefix.startswith(name)])
    marks = formatter.words.get("", formatter.words.get(first, ()))
    marked = marks == _ALWAYS or any(text.partition("=")[0] in marks for text in texts)
    writes = marked and not any(text.partition("=")[0] in formatter.unless for text in texts)
    for verb in ("read", "write") if writes else ("read",):
        call.files(verb, operands or [Word.of(".")], many=True)


def _make(call: Call) -> None:
    """A makefile that is named, and the directory that it is run in."""
    call.run(code_origin="file")
    rest = list(call.words)
    while rest:
        word = rest.pop(0)
        if word.literal in {"-f", "--file", "--makefile"} and rest:
            call.files("read", [rest.pop(0)])
        elif word.prefix.startswith(("--file=", "--makefile=")):
            call.files("read", [word.after(word.prefix.index("=") + 1)])
        elif word.prefix.startswith("-f") and word.is_known:
            call.files("read", [word.after(2)])


COMMANDS: dict[str, Callable[[Call], None]] = {
    **dict.fromkeys(_COMPILERS, _compile),
    **dict.fromkeys(_FORMATTERS, _format),
    **dict.fromkeys(_MAKES, _make),
}
