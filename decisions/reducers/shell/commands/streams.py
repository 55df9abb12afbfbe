"""Commands that transform text, and may hold code or write beside their output: sed, awk, sort, uniq, jq.

Source: their manuals (GNU sed 4.9, gawk 5, GNU coreutils 9, jq 1.7); POSIX.1-2024 sed; policy case A07.
"""

import re
from collections.abc import Callable, Sequence

from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.options import options
from decisions.reducers.shell.word import Piece, Word, joined

_SED = options(
    "-nErsuz -l= -e= -i=? --in-place=? --expression= --quiet --silent --regexp-extended --separate --unbuffered "
    "--null-data --line-length= --posix --debug --sandbox",
    globs=False,
)
_AWK = options("-F= -v= -f=< --field-separator= --assign= --file=<", ends_at_operand=True, globs=False)
_SORT = options(
    "-bcCdfghimMnrRsuVz -k= -o=> -S= -t= -T=> --key= --output=> --field-separator= --buffer-size= --parallel= "
    "--temporary-directory=> --check=? --unique --reverse --numeric-sort --general-numeric-sort --human-numeric-sort "
    "--version-sort --random-sort --ignore-case --ignore-leading-blanks --dictionary-order --month-sort --merge "
    "--stable --zero-terminated --debug",
    globs=False,
)
_UNIQ = options(
    "-cduiDz -f= -s= -w= --count --repeated --unique --ignore-case --skip-fields= --skip-chars= --check-chars="
)
_JQ = options(
    "-rcnsSeMCjaR -f=< --raw-output --compact-output --null-input --slurp --sort-keys --exit-status "
    "--monochrome-output --color-output --join-output --ascii-output --raw-input --tab --indent= --from-file=<",
    globs=False,
)
_TR = options("-cCdst --complement --delete --squeeze-repeats --truncate-set1")

# A sed script that only edits the stream: no w, r, e, and no flag that writes or runs.
_ADDRESS = r"(?:\d+|\$|/(?:[^/\\\n\[]|\\.)+/)"
_RANGE = rf"(?:{_ADDRESS}(?:,[+~]?{_ADDRESS})?[ ]*!?[ ]*)?"


def _substitution(delimiter: str) -> str:
    mark = re.escape(delimiter)
    searched = rf"(?:[^{mark}\\\n\[]|\\.|\[\^?(?:[^{mark}\]\\\n\[]|\\[tn]|\[:[a-z]+:\])+\])*"
    return rf"s{mark}{searched}{mark}(?:[^{mark}\\\n]|\\.)*{mark}[gpiI0-9]*"


_EDITS = "|".join([
    *(_substitution(delimiter) for delimiter in "/|#,@:!%"), r"[pdqQDPnNgGhHx=]", r"[qQ]\d+",
    r"y/(?:[^/\\\n]|\\.)*/(?:[^/\\\n]|\\.)*/",
    # Text that is put in goes on to the end of its line, whatever stands in it.
    r"[aic][ ]*[^ \\\n][^\\\n]*(?=\n|\Z)",
])  # fmt: skip
_SCRIPT = re.compile(rf"[ ]*{_RANGE}(?:{_EDITS})[ ]*(?:[;\n]+[ ]*{_RANGE}(?:{_EDITS})[ ]*)*[;\n ]*", re.ASCII)
_SUFFIX = re.compile(r"[A-Za-z0-9._~-]*", re.ASCII)
_LONGEST_SCRIPT = 1000
_OPERANDS_OF_ARG = 2
_MODULES = re.compile(
    r"\b(?:import|include|input_filename|get_search_list|modulemeta)\b|\$ENV\b|(?<![.\w$])env\b", re.ASCII
)
_VARIABLE = re.compile(r"[A-Za-z_]\w*=", re.ASCII)


def _sed(call: Call) -> None:
    parsed = call.parse(_SED)
    scripts = [option.value for option in parsed.options if option.name in {"-e", "--expression"}]
    files: Sequence[Word] = parsed.operands
    if not scripts:
        scripts, files = list(files[:1]), files[1:]
    for script in scripts:
        text = None if script is None else script.literal
        if text is None or len(text) > _LONGEST_SCRIPT or not _SCRIPT.fullmatch(text):
            raise UnreadableError("a sed script that may do more than edit its input")
    call.files("read", files)
    if parsed.has("-i", "--in-place"):
        suffix = parsed.value("-i", "--in-place") or Word.of("")
        if suffix.literal is None or not _SUFFIX.fullmatch(suffix.literal):
            raise UnreadableError("a suffix for backups that isn't plain")
        call.files("write", files)
        if suffix.literal:
            call.files("write", [joined([*file.pieces, Piece("text", suffix.literal)]) for file in files])


def _awk(call: Call) -> None:
    """A program of awk's can run commands and write files: it is code."""
    parsed = call.parse(_AWK)
    from_file = parsed.has("-f", "--file")
    if not from_file and (not parsed.operands or parsed.operands[0].has_glob):
        raise UnreadableError("awk without its program")
    call.run(code_origin="file" if from_file else "inline")
    files = parsed.operands if from_file else parsed.operands[1:]
    call.files("read", [file for file in files if not _VARIABLE.match(file.prefix)])


def _sort(call: Call) -> None:
    call.files("read", call.parse(_SORT).operands)


def _uniq(call: Call) -> None:
    operands = call.parse(_UNIQ).positional
    call.files("read", operands[:1])
    call.files("write", operands[1:])


def _without_variables(words: Sequence[Word]) -> list[Word]:
    """Leave out ``--arg name value``, which sets a variable of the program's."""
    rest = list(words)
    kept: list[Word] = []
    while rest:
        if rest[0].literal in {"--arg", "--argjson"} and len(rest) > _OPERANDS_OF_ARG:
            if any(word.has_glob or any(piece.kind == "split" for piece in word.pieces) for word in rest[1:3]):
                raise unresolved("a variable of jq's that only the shell knows: quote it")
            del rest[: _OPERANDS_OF_ARG + 1]
            continue
        if rest[0].literal == "--":
            return kept + rest
        kept.append(rest.pop(0))
    return kept


def _jq(call: Call) -> None:
    parsed = call.parse(_JQ, _without_variables(call.words))
    from_file = parsed.has("-f", "--from-file")
    program = parsed.positional[0].literal if parsed.positional and not from_file else ""
    if program is None or _MODULES.search(program):
        raise UnreadableError("a program of jq's that may read other files, or the environment")
    call.files("read", parsed.positional if from_file else parsed.positional[1:])


def _tr(call: Call) -> None:
    call.parse(_TR)


COMMANDS: dict[str, Callable[[Call], None]] = {
    "sed": _sed,
    "awk": _awk,
    "gawk": _awk,
    "mawk": _awk,
    "nawk": _awk,
    "sort": _sort,
    "uniq": _uniq,
    "jq": _jq,
    "tr": _tr,
}
