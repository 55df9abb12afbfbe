"""Small tools that read files, write them in place or list them, and keys for ssh.

Source: the manuals of gofmt, shfmt, dos2unix 7, fd 10, yq 4 (by Mike Farah) and OpenSSH 9.
"""

import re
from collections.abc import Callable, Mapping

from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.options import OptionTable, Parsed, names, options
from decisions.reducers.shell.word import Piece, Word, joined

_IN_PLACE: Mapping[str, tuple[OptionTable, tuple[str, ...]]] = {
    "gofmt": (options("-lwdse -r=", globs=False), ("-w",)),
    "goimports": (options("-lwdev -local=", globs=False), ("-w",)),
    "shfmt": (options("-lwds -i= -ln= --diff --list --write", globs=False), ("-w", "--write")),
    "dos2unix": (options("-qkfbs --quiet --keepdate --force --keep-bom", globs=False), ()),
    "unix2dos": (options("-qkfbs --quiet --keepdate --force --keep-bom", globs=False), ()),
}
"""Tools that write what they read, and the options with which they do; those without any always do."""

_FD = options(
    "-HIsigulapqL0 -e= -t= -d= -E= -S= -c= --hidden --no-ignore --case-sensitive --ignore-case --glob --absolute-path "
    "--full-path --extension= --type= --max-depth= --min-depth= --exact-depth= --exclude= --size= --changed-within= "
    "--changed-before= --color= --print0 --max-results= --quiet --list-details -1",
    globs=False,
)
_YQ = options(
    "-rnePcCMjs0 -i -p= -o= -I= --inplace --input-format= --output-format= --null-input --exit-status --prettyPrint "
    "--raw-output --unwrapScalar=? --indent= --colors --no-colors --no-doc",
    globs=False,
)
_YQ_WORDS = names("eval e eval-all ea")
_YQ_READS = re.compile(r"\b(?:load\w*|env\w*|strenv|eval|splitDoc|split_doc|filename|system)\b", re.ASCII)
_KEYGEN = options(
    "-lqyBeH -t= -b= -C= -N= -P= -f= -R= -F= -a= -E= -m= -p",
    globs=False,
)
_KEY_ADD = options("-lLDdqvkx -t= -c", globs=False)


def _in_place(call: Call) -> None:
    table, writing = _IN_PLACE[call.name]
    parsed = call.parse(table)
    call.files("read", parsed.operands, many=True)
    if not writing or parsed.has(*writing):
        call.files("write", parsed.operands, many=True)


def _fd(call: Call) -> None:
    """``fd PATTERN DIRECTORY...``; its options that run a command are not read."""
    roots = call.parse(_FD).operands[1:]
    call.files("list", roots or [Word.of(".")], many=True, dash=False)


def _yq(call: Call) -> None:
    parsed = call.parse(_YQ)
    operands = list(parsed.positional)
    if operands and operands[0].literal in _YQ_WORDS:
        operands.pop(0)
    if not operands:
        return
    program, *files = operands
    if program.literal is None or _YQ_READS.search(program.literal):
        raise UnreadableError("a program of yq's that may read other files, or the environment")
    if not files and ("/" in program.literal or program.literal.endswith((".yaml", ".yml", ".json"))):
        files = [program]
    call.files("read", files)
    if parsed.has("-i", "--inplace"):
        call.files("write", files)


def _keygen(call: Call) -> None:
    """Making a key writes two files; a fingerprint or the public half is read."""
    parsed = call.parse(_KEYGEN)
    if parsed.operands:
        raise UnreadableError("an operand of ssh-keygen that isn't read")
    known = parsed.has("-R", "-F", "-H")
    file = _key_file(call, parsed, known=known)
    call.files("read", [file], dash=False)
    looks = parsed.has("-l", "-y", "-B", "-e", "-F")
    if not looks or parsed.has("-R", "-p"):
        # The old file, or the public half, lies beside it.
        suffix = ".old" if known else ".pub"
        call.files("write", [file, joined([*file.pieces, Piece("text", suffix)])], dash=False)


def _key_file(call: Call, parsed: Parsed, *, known: bool) -> Word:
    file = parsed.value("-f")
    if file is not None:
        return file
    if not known:
        raise unresolved("a key that is asked for at the terminal: name it with -f")
    if call.home is None:
        raise unresolved("the known hosts of a home directory that isn't known")
    return Word.of(f"{call.home}/.ssh/known_hosts")


def _key_add(call: Call) -> None:
    """The agent that it hands keys to may be reached from other machines."""
    parsed = call.parse(_KEY_ADD)
    call.run()
    call.files("read", parsed.operands, dash=False)
    if not parsed.operands and not parsed.has("-l", "-L", "-D", "-d", "-x"):
        if call.home is None:
            raise unresolved("keys of a home directory that isn't known")
        call.files("read", [Word.of(f"{call.home}/.ssh")], many=True)


COMMANDS: dict[str, Callable[[Call], None]] = {
    **dict.fromkeys(_IN_PLACE, _in_place),
    "fd": _fd,
    "fdfind": _fd,
    "yq": _yq,
    "ssh-keygen": _keygen,
    "ssh-add": _key_add,
}
