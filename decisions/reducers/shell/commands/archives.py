"""Archives: what is packed is read, and unpacking writes anything below the directory.

Source: their manuals (GNU tar 1.35, Info-ZIP, gzip); policy case A07.
"""

import re
from collections.abc import Callable, Sequence

from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.options import Parsed, options
from decisions.reducers.shell.targets import targets
from decisions.reducers.shell.word import Piece, Word, joined

_TAR = options(
    "-xctruzjJZavpkmhOSl -f= -C= -X=< --extract --get --create --list --append --update --gzip --bzip2 --xz "
    "--zstd --auto-compress --verbose --file= --directory= --exclude= --exclude-from=< --exclude-vcs "
    "--strip-components= --no-same-owner --no-same-permissions --same-permissions --keep-old-files --overwrite "
    "--owner= --group= --mtime= --mode= --sort= --numeric-owner --to-stdout --dereference --totals --wildcards "
    "--one-file-system",
    globs=False,
)
_BUNDLE = re.compile(r"[A-Za-z]+", re.ASCII)
_ZIP = options("-rqjumovyX0123456789 --recurse-paths --quiet --junk-paths --move --symlinks", globs=False)
_UNZIP = options("-onqjltvpuaLZ1 -d=", globs=False)
_GZIP = options(
    "-dkfcvqtlnr0123456789T -S= --decompress --uncompress --keep --force --stdout --to-stdout --verbose --quiet "
    "--test --list --recursive --best --fast --no-name --rm",
    globs=False,
)
# Behind another suffix, unpacking makes or takes a file of another name.
_SUFFIXES = {"gzip": ".gz", "bzip2": ".bz2", "xz": ".xz", "zstd": ".zst"}
_UNPACKERS = {"gunzip": "gzip", "bunzip2": "bzip2", "unxz": "xz", "unzstd": "zstd"}


def _tar(call: Call) -> None:
    words = list(call.words)
    bundle = words[0].literal if words else None
    if bundle is not None and _BUNDLE.fullmatch(bundle):
        if re.search("[fCX].", bundle):
            raise UnreadableError("old-style tar options whose values stand apart")
        words[0] = Word.of("-" + bundle)
    parsed = call.parse(_TAR, words)
    archive = _archive(call, parsed)
    modes = [
        parsed.has("-x", "--extract", "--get"),
        parsed.has("-c", "--create", "-r", "--append", "-u", "--update"),
        parsed.has("-t", "--list"),
    ]
    if sum(modes) != 1:
        raise UnreadableError("tar without one mode")
    call.files("write" if modes[1] else "read", [archive])
    if sum(option.name in {"-C", "--directory"} for option in parsed.options) > 1:
        raise unresolved("tar -C more than once")
    if parsed.operands and call.parse(_TAR, words[words.index(parsed.operands[0]) + 1 :]).has("-C", "--directory"):
        raise unresolved("tar -C behind a file")
    if modes[1]:
        _pack(call, parsed)
    elif modes[0] and not parsed.has("-O", "--to-stdout"):
        call.files("write", [parsed.value("-C", "--directory") or Word.of(".")], many=True, dash=False)


def _archive(call: Call, parsed: Parsed) -> Word:
    archive = parsed.value("-f", "--file")
    if archive is None:
        if not parsed.has("-x", "--extract", "--get", "-t", "--list"):
            raise UnreadableError("tar without -f")
        # It reads standard input, or what a variable names.
        call.take("TAPE")
        return Word.of("-")
    if ":" in (archive.literal or ""):
        raise UnreadableError("an archive on another host")
    return archive


def _pack(call: Call, parsed: Parsed) -> None:
    directory = parsed.value("-C", "--directory")
    if directory is None:
        call.files("read", parsed.operands, many=True, dash=False)
        return
    for target in targets(directory, call.state):
        base = Word.of(target.path.rstrip("/") + "/")
        within = [
            word if word.prefix.startswith("/") else joined([*base.pieces, *word.pieces]) for word in parsed.operands
        ]
        call.files("read", within, many=True, dash=False)


def _zip(call: Call) -> None:
    parsed = call.parse(_ZIP)
    if not parsed.operands:
        raise UnreadableError("zip without its archive")
    archive, *files = parsed.positional
    name = archive.literal
    if name is not None and "." not in name.rpartition("/")[2] and name != "-":
        archive = Word.of(name + ".zip")
    call.files("write", [archive])
    call.files("read", files, many=True)
    if parsed.has("-m", "--move"):
        call.files("delete", files, many=True)


def _unzip(call: Call) -> None:
    parsed = call.parse(_UNZIP)
    archives = parsed.operands[:1]
    if archives and any(sign in _text(archives[0]) for sign in "*?[") and archives[0].is_literal:
        raise UnreadableError("a pattern that unzip itself matches with file names")
    call.files("read", archives, dash=False)
    if archives and not _text(archives[0]).endswith(".zip"):
        call.files("read", [joined([*archives[0].pieces, Piece("text", ".zip")])], dash=False)
    if not parsed.has("-l", "-t", "-v", "-p", "-Z"):
        call.files("write", [parsed.value("-d") or Word.of(".")], many=True, dash=False)


def _compress(call: Call) -> None:
    parsed = call.parse(_GZIP)
    many = parsed.has("-r", "--recursive")
    tool = _UNPACKERS.get(call.name, call.name)
    unpacks = call.name in _UNPACKERS or parsed.has("-d", "--decompress", "--uncompress")
    suffix = _SUFFIXES[tool]
    if unpacks and not many and any(not _text(file).endswith((suffix, "-")) for file in parsed.operands):
        raise UnreadableError(f"an archive without the suffix {suffix}")
    call.files("read", parsed.operands, many=many)
    if parsed.has("-c", "--stdout", "--to-stdout", "-t", "--test", "-l", "--list"):
        return
    if parsed.has("-S"):
        raise UnreadableError("an archive under another suffix")
    call.files("write", _partners(parsed.operands, suffix, unpacks=unpacks), many=many)
    if many:
        # Of a directory, what is made lies in it.
        call.files("write", parsed.operands, many=True)
    if not parsed.has("-k", "--keep"):
        call.files("delete", parsed.operands, many=many)


def _text(word: Word) -> str:
    return "".join(piece.text for piece in word.pieces)


def _partners(files: Sequence[Word], suffix: str, *, unpacks: bool) -> list[Word]:
    """Spell the files that packing or unpacking makes."""
    if not unpacks:
        return [joined([*file.pieces, Piece("text", suffix)]) for file in files if file.literal != "-"]
    made = []
    for file in files:
        if file.literal == "-":
            continue
        text = file.literal
        made.append(Word.of(text.removesuffix(suffix)) if text is not None and text.endswith(suffix) else file)
    return made


COMMANDS: dict[str, Callable[[Call], None]] = {
    "tar": _tar,
    "zip": _zip,
    "unzip": _unzip,
    **dict.fromkeys([*_SUFFIXES, *_UNPACKERS], _compress),
}
