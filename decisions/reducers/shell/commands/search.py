"""grep, ripgrep and find.

``find -exec`` runs a command on whatever lies below its roots: the command is reduced with ``<root>/*`` in place of
``{}``.

Source: their manuals (GNU grep 3, ripgrep 14, GNU findutils 4.9); policy case A07.
"""

import re
from collections.abc import Callable, Iterator

from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.commands.wrappers import replaced
from decisions.reducers.shell.options import names, options
from decisions.reducers.shell.state import State
from decisions.reducers.shell.targets import may_become, targets
from decisions.reducers.shell.word import Piece, Word

_GREP = options(
    "-EFGPivwxcLlqsonHhabUzZTrRIy -e= -f=< -m= -A= -B= -C= -d= -D= --extended-regexp --fixed-strings "
    "--basic-regexp --perl-regexp --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp "
    "--count --color=? --colour=? --files-without-match --files-with-matches --max-count= --only-matching "
    "--quiet --silent --no-messages --byte-offset --with-filename --no-filename --label= --line-number "
    "--initial-tab --null --after-context= --before-context= --context= --text --binary-files= --exclude= "
    "--exclude-from=< --exclude-dir= --include= --recursive --dereference-recursive --regexp= --file=< "
    "--null-data --line-buffered",
    numbers=True,
)
_RG = options(
    "-FPUHIisSvwxcnNolquapLz. -e= -f=< -g= -t= -T= -A= -B= -C= -m= -r= -j= -M= -d= --regexp= --file=< --glob= "
    "--iglob= --type= --type-not= --after-context= --before-context= --context= --max-count= --replace= "
    "--threads= --max-columns= --max-depth= --fixed-strings --pcre2 --multiline --ignore-case --case-sensitive "
    "--smart-case --invert-match --word-regexp --line-regexp --count --count-matches --line-number "
    "--no-line-number --only-matching --files-with-matches --files-without-match --files --quiet "
    "--unrestricted --text --pretty --follow --hidden --no-ignore --no-heading --heading --color= --colors= "
    "--json --sort= --stats --trim --vimgrep --with-filename --no-filename --column --null --no-messages "
    "--no-config",
    globs=False,  # --pre runs a program
)

_FIND_GLOBAL = re.compile(r"-[HLP]|-O\d", re.ASCII)
_FIND_BARE = names("""
    -true -false -empty -print -print0 -prune -depth -mount -xdev -daystart -noleaf -ls -quit -nouser -nogroup -readable
    -writable -executable -o -or -a -and -not ! ( ) , -follow -ignore_readdir_race -warn -nowarn
    """)
_FIND_VALUED = re.compile(
    "-(?:i?name|i?path|wholename|iwholename|i?regex|regextype|x?type|size|[acm](?:time|min)|used|newer(?:[aBcm][aBcmt])?"
    "|[ac]newer|perm|user|group|uid|gid|links|inum|samefile|maxdepth|mindepth|fstype|printf|i?lname)",
    re.ASCII,
)
_FIND_WRITES = {"-fprint": 1, "-fprint0": 1, "-fls": 1, "-fprintf": 2}
_FIND_RUNS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_SIGNS = ("-", "(", "!", ",", ")")


def _grep(call: Call) -> None:
    parsed = call.parse(_GREP)
    given = parsed.has("-e", "-f", "--regexp", "--file")
    files = parsed.positional if given else parsed.positional[1:]
    recursive = parsed.has("-d", "-r", "-R", "--recursive", "--dereference-recursive")
    if files:
        call.files("read", files, many=recursive)
    elif recursive:
        call.directory("read")


def _rg(call: Call) -> None:
    parsed = call.parse(_RG)
    given = parsed.has("-e", "-f", "--regexp", "--file", "--files")
    files = parsed.positional if given else parsed.positional[1:]
    if files:
        call.files("read", files, many=True)
    else:
        call.directory("read")


def _find(call: Call) -> None:
    words = list(call.words)
    follows = False
    while words and words[0].literal is not None and _FIND_GLOBAL.fullmatch(words[0].literal):
        follows = follows or words.pop(0).literal == "-L"
    roots: list[Word] = []
    while words and not words[0].prefix.startswith(_SIGNS):
        if words[0].is_loose:
            raise unresolved(f"a word that only the shell knows: {words[0].shown()[:60]}")
        roots.append(words.pop(0))
    roots = roots or [Word.of(".")]
    call.files("list", roots, many=True, dash=False)
    follows = follows or any(word.literal == "-follow" for word in words)
    rest = iter(words)
    for word in rest:
        _expression(call, word, rest, roots, follows=follows)


def _expression(call: Call, word: Word, rest: Iterator[Word], roots: list[Word], *, follows: bool) -> None:
    name = word.literal
    if name is None:
        raise unresolved(f"a word that only the shell knows: {word.shown()[:60]}")
    if name == "-delete" or name in _FIND_RUNS:
        if follows:
            raise unresolved("find that follows links out of its roots")
        if name == "-delete":
            call.files("delete", roots, many=True, dash=False)
        else:
            # -execdir runs in whichever directory the file lies in.
            state = call.state.at(None) if name.endswith("dir") else call.state
            _run(call, list(_until_end(rest)), roots, state)
    elif name in _FIND_WRITES:
        values = [_value(name, rest) for _ in range(_FIND_WRITES[name])]
        call.files("write", values[:1], dash=False)
    elif _FIND_VALUED.fullmatch(name):
        _value(name, rest)
    elif name not in _FIND_BARE:
        raise UnreadableError(f"an expression of find that isn't known: {name[:60]}")


def _value(name: str, rest: Iterator[Word]) -> Word:
    word = next(rest, None)
    if word is None or any(piece.kind == "split" for piece in word.pieces):
        raise UnreadableError(f"an expression of find without its value: {name}")
    if any(may_become(word, acting) for acting in ("-delete", *_FIND_RUNS, *_FIND_WRITES)):
        raise UnreadableError(f"file names that may turn into expressions of find's, behind {name}: quote it")
    return word


def _until_end(rest: Iterator[Word]) -> Iterator[Word]:
    """Take the command of ``-exec``, up to ``;`` or to ``+`` behind ``{}``."""
    before = ""
    for word in rest:
        if word.literal == ";" or (word.literal == "+" and before == "{}"):
            return
        before = word.literal or ""
        yield word
    raise UnreadableError("find -exec without its end")


def _run(call: Call, command: list[Word], roots: list[Word], state: State) -> None:
    for root in roots:
        for target in targets(root, call.state):
            below = (Piece("text", target.path.rstrip("/") + "/"), Piece("glob", "*"))
            call.then([replaced(word, "{}", *below) for word in command], state=state)


COMMANDS: dict[str, Callable[[Call], None]] = {
    "grep": _grep,
    "egrep": _grep,
    "fgrep": _grep,
    "rg": _rg,
    "find": _find,
}
