"""Commands that create, copy, move and delete files.

Where a copy's destination may be a directory, what lies in it under the source's name is written as well: nobody but
the file system knows which. A link lets later writes through to what it points at, so that is written too.

Source: their manuals (GNU coreutils 9); policy cases A09, B05.
"""

from collections.abc import Callable, Sequence

from decisions.reducers.errors import UnreadableError
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.options import options
from decisions.reducers.shell.word import Piece, Word, joined

_RM = options(
    "-rRfidvI --recursive --force --verbose --dir --interactive=? --one-file-system --preserve-root=? "
    "--no-preserve-root"
)
_RMDIR = options("-pv --parents --verbose --ignore-fail-on-non-empty")
_UNLINK = options("")
_SHRED = options("-fuvzx -n= -s= --force --iterations= --size= --remove=? --verbose --exact --zero")
_MKDIR = options("-pv -m= --parents --verbose --mode=")
_TOUCH = options("-acmhf -d= -t= -r=< --date= --time= --reference=< --no-create --no-dereference")
_TRUNCATE = options("-co -s= -r=< --size= --reference=< --no-create --io-blocks")
_TEE = options("-aip --append --ignore-interrupts --output-error=?")
_MKTEMP = options("-dqu -p= --directory --dry-run --quiet --suffix= --tmpdir=?")
_COPY = options(
    "-aRrdfinpuvxLPHT -t= --archive --dereference --force --interactive --no-clobber --no-dereference --preserve=? "
    "--no-preserve= --recursive --target-directory= --no-target-directory --update=? --verbose --one-file-system "
    "--reflink=? --sparse= --parents"
)
_MOVE = options(
    "-finuvT -t= --force --interactive --no-clobber --target-directory= --no-target-directory --update=? --verbose"
)
_LINK = options(
    "-sfinvrLPT -t= --symbolic --force --interactive --no-dereference --verbose --relative --logical --physical "
    "--target-directory= --no-target-directory"
)
_CSPLIT = options(
    "-kqsz -b= -f= -n= --keep-files --quiet --silent --elide-empty-files --prefix= --digits=", globs=False
)
_SPLIT = options("-dx -a= -b= -C= -l= -n= --bytes= --lines= --suffix-length= --numeric-suffixes=? --additional-suffix=")


def _delete(call: Call) -> None:
    parsed = call.parse(_RM)
    many = parsed.has("-r", "-R", "--recursive")
    call.files("delete", parsed.operands, many=many, dash=False)


def _delete_one(call: Call) -> None:
    parsed = call.parse(_RMDIR if call.name == "rmdir" else _UNLINK)
    call.files("delete", parsed.operands, dash=False)
    if parsed.has("-p", "--parents"):
        # The directories above go as well, as far as they stand in the operand.
        for word in parsed.operands:
            above = (word.literal or "").rstrip("/")
            while above := above.rpartition("/")[0].rstrip("/"):
                call.files("delete", [Word.of(above)], dash=False)


def _shred(call: Call) -> None:
    parsed = call.parse(_SHRED)
    call.files("write", parsed.operands)
    call.files("delete", parsed.operands)


def _write(call: Call) -> None:
    table = {"mkdir": _MKDIR, "touch": _TOUCH, "truncate": _TRUNCATE, "tee": _TEE}[call.name]
    call.files("write", call.parse(table).operands, dash=call.name in {"tee", "touch"})


def _mktemp(call: Call) -> None:
    parsed = call.parse(_MKTEMP)
    directory = parsed.value("-p", "--tmpdir")
    if directory is None and (not parsed.operands or parsed.has("--tmpdir")):
        directory = Word.of("/tmp")  # noqa: S108  (what mktemp does, not we)
    if directory is not None:
        call.files("write", [directory], many=True)
    else:
        call.files("write", [_made_of(template) for template in parsed.operands])


def _made_of(template: Word) -> Word:
    """Spell what a template of mktemp's may turn into."""
    text = template.literal
    return template if text is None else Word((Piece("text", text.partition("XXX")[0]), Piece("glob", "*")))


def _copy(call: Call) -> None:
    parsed = call.parse(_COPY)
    sources, target = _ends(call, parsed.positional, parsed.value("-t", "--target-directory"))
    many = parsed.has("-r", "-R", "-a", "--recursive", "--archive")
    call.files("read", sources, many=many, dash=False)
    if parsed.has("--parents"):
        call.files("write", [target], many=True, dash=False)
        return
    _into(call, sources, target, many=many, certain=parsed.has("-T", "--no-target-directory"))


def _move(call: Call) -> None:
    parsed = call.parse(_MOVE)
    sources, target = _ends(call, parsed.positional, parsed.value("-t", "--target-directory"))
    call.files("read", sources, dash=False)
    call.files("delete", sources, dash=False)
    _into(call, sources, target, many=False, certain=parsed.has("-T", "--no-target-directory"))


def _link(call: Call) -> None:
    parsed = call.parse(_LINK)
    operands = parsed.positional
    if len(operands) == 1 and not parsed.has("-t", "--target-directory"):
        operands = (operands[0], Word.of("."))
    sources, target = _ends(call, operands, parsed.value("-t", "--target-directory"))
    certain = parsed.has("-T", "--no-target-directory")
    call.files("write", sources, dash=False)
    if parsed.has("-s", "--symbolic") and not parsed.has("-r", "--relative"):
        call.files("write", _from_links(sources, target, certain=certain), dash=False)
    _into(call, sources, target, many=False, certain=certain)
    inner = [] if certain else [inside(target, source) for source in sources]
    call.link([word for word in inner if not word.has_glob])
    if not (target.literal or "/").endswith(("/", ".")):
        call.link([target])


def _from_links(sources: Sequence[Word], target: Word, *, certain: bool) -> list[Word]:
    """Spell what relative links point at: that is seen from where they lie."""
    text = target.literal
    if text is None:
        return []
    parent = text.rstrip("/").rpartition("/")
    places = {"".join(parent[:2]), *([] if certain else [text.rstrip("/") + "/"])} - {""}
    relative = [source for source in sources if source.prefix and not source.prefix.startswith("/")]
    return [joined([Piece("text", place), *source.pieces]) for place in sorted(places) for source in relative]


def _ends(call: Call, operands: Sequence[Word], directory: Word | None) -> tuple[Sequence[Word], Word]:
    """Tell sources from destination."""
    if directory is not None:
        return operands, directory
    if len(operands) < 2:  # noqa: PLR2004  (a source and a destination)
        raise UnreadableError(f"{call.name} without a destination")
    return operands[:-1], operands[-1]


def _into(call: Call, sources: Sequence[Word], target: Word, *, many: bool, certain: bool) -> None:
    """Note the writes to a destination and, unless it is certain to be no directory, to what it would hold."""
    call.files("write", [target], many=many, dash=False)
    if certain or not target.is_known:
        return
    for source in sources:
        call.files("write", [inside(target, source)], many=many, dash=False)


def inside(directory: Word, source: Word) -> Word:
    """Spell the file of a directory that has the source's name; any file, where that name isn't literal."""
    name = (source.literal or "").rstrip("/").rpartition("/")[2]
    known = name not in {"", ".", ".."}
    return joined([*directory.pieces, Piece("text", "/"), Piece("text", name) if known else Piece("glob", "*")])


def _split(call: Call) -> None:
    parsed = call.parse(_SPLIT)
    call.files("read", parsed.operands[:1])
    if parsed.operands and parsed.operands[0].has_glob:
        call.files("write", parsed.operands[:1])
    prefix = parsed.operands[1] if len(parsed.operands) > 1 else Word.of("x")
    call.files("write", [joined([*prefix.pieces, Piece("glob", "*")])], dash=False)


def _csplit(call: Call) -> None:
    parsed = call.parse(_CSPLIT)
    call.files("read", parsed.operands[:1])
    prefix = parsed.value("-f", "--prefix") or Word.of("xx")
    if prefix.literal is None or parsed.has("-b"):
        raise UnreadableError("csplit with names that aren't read")
    call.files("write", [joined([*prefix.pieces, Piece("glob", "*")])], dash=False)


# What these write, their options or their input decide.
_OPAQUE = ("7z", "7za", "ar", "cpio", "gpg", "patch", "pax", "rename", "sponge", "unrar")


def _opaque(call: Call) -> None:
    raise UnreadableError(f"what {call.name} writes isn't read")


COMMANDS: dict[str, Callable[[Call], None]] = {
    **dict.fromkeys(_OPAQUE, _opaque),
    "rm": _delete,
    "rmdir": _delete_one,
    "unlink": _delete_one,
    "shred": _shred,
    "mkdir": _write,
    "touch": _write,
    "truncate": _write,
    "tee": _write,
    "mktemp": _mktemp,
    "cp": _copy,
    "mv": _move,
    "ln": _link,
    "split": _split,
    "csplit": _csplit,
}
