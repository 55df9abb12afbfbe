"""Commands that read or list files.

Source: their manuals (GNU coreutils 9, ripgrep 14, less); policy case A07.
"""

from collections.abc import Callable

from decisions.reducers.errors import UnreadableError
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.options import options
from decisions.reducers.shell.word import Piece, joined

_READERS = {
    "cat": options("-AbeEnstTuv --number --number-nonblank --show-all --show-ends --show-tabs --squeeze-blank"),
    "tac": options("-br -s= --before --separator="),
    "head": options("-qvz -n= -c= --lines= --bytes= --quiet --verbose", numbers=True),
    "tail": options(
        "-qvzfF -n= -c= -s= --lines= --bytes= --quiet --verbose --follow=? --retry --pid= --sleep-interval=",
        numbers=True,
    ),
    "wc": options("-clmwL --bytes --chars --lines --words --max-line-length"),
    "nl": options("-p -b= -d= -f= -h= -i= -l= -n= -s= -v= -w="),
    "rev": options(""),
    "od": options("-bcdfiloxsv -A= -j= -N= -t= -w=?"),
    "hexdump": options("-bcdoxCv -n= -s= -e="),
    "strings": options("-afo -n= -t= -e= --bytes= --radix= --encoding="),
    "md5sum": options("-btz"),
    "sha1sum": options("-btz"),
    "sha256sum": options("-btz --tag"),
    "sha512sum": options("-btz --tag"),
    "b3sum": options("--no-names --raw"),
    "b2sum": options("-btz --tag -l="),
    "cksum": options("-a= --algorithm="),
    "cmp": options("-bls -i= -n= --bytes= --silent --quiet --verbose"),
    "comm": options("-123z --check-order --nocheck-order --total --output-delimiter="),
    "cut": options(
        "-snz -b= -c= -d= -f= --bytes= --characters= --delimiter= --fields= --complement --only-delimited "
        "--output-delimiter="
    ),
    "paste": options("-sz -d= --delimiters= --serial"),
    "join": options("-iz -a= -e= -j= -o= -t= -v= -1= -2= --header"),
    "fold": options("-bs -w= --width= --spaces"),
    "shuf": options("-erz -i= -n= -o=> --echo --input-range= --head-count= --output=> --repeat --random-source=<"),
    "iconv": options("-cls -f= -t= -o=> --from-code= --to-code= --output=> --list --silent"),
    "xmllint": options(
        "--format --noout --nonet --recover --html --xpath= --encode= --nowarning --pretty= --c14n -o=> --output=>",
        globs=False,
    ),
    "fmt": options("-cstu -w= -p= --width="),
    "column": options("-tnxe -s= -c= -N= -o= --table --separator="),
    "expand": options("-i -t= --tabs="),
    "unexpand": options("-a -t= --tabs="),
    "base64": options("-di -w= --decode --wrap= --ignore-garbage"),
    "base32": options("-di -w= --decode --wrap="),
    "zcat": options("-f"),
    "bzcat": options("-s"),
    "xzcat": options(""),
    "file": options("-bhiLkNnrsvz0 --brief --mime --mime-type --mime-encoding --dereference --no-pad"),
    "stat": options("-Lft -c= --format= --printf= --dereference --file-system --terse"),
    "readlink": options("-femnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline"),
    "realpath": options("-emLPqsz --relative-to= --relative-base= --canonicalize-existing --canonicalize-missing"),
    "du": options(
        "-0abcDhHklLmsSx -d= -B= -t= --all --apparent-size --block-size= --bytes --human-readable --max-depth= "
        "--exclude= --one-file-system --summarize --total --si"
    ),
    "less": options("-eEfFgGiIJmMnNqQrRsSuUwWX", globs=False),
    "more": options("-dflcpsu -n=", numbers=True),
}

_LISTERS = {
    "ls": options(
        "-1AaBbCcDdFfGgHhiklLmNnopqQrRsStuUvxXZ -w= -T= -I= --all --almost-all --author --classify=? --color=? "
        "--directory --file-type --format= --full-time --group-directories-first --hide= --human-readable "
        "--ignore= --indicator-style= --inode --no-group --numeric-uid-gid --recursive --reverse --si --size "
        "--sort= --time= --time-style= --width= --zero"
    ),
    "dir": options("-1AaCcdFhlnRrStu --all --color=? --recursive"),
    "vdir": options("-1AaCcdFhlnRrStu --all --color=? --recursive"),
    "tree": options(
        "-adfhilpsugDFqNQrtCAS -L= -I= -P= --dirsfirst --gitignore --noreport --prune --du --sort=", globs=False
    ),  # -o writes
}

_XXD = options("-abBEeipur -c= -g= -l= -o= -s=", globs=False)
_MAN = options("-fkwaiI", globs=False)
_DIFF = options(
    "-abBcdeilnNpqrstTuwyZ -C= -U= -F= -I= -W= -x= -X=< --brief --color=? --context=? --exclude= --expand-tabs "
    "--ignore-all-space --ignore-blank-lines --ignore-case --ignore-space-change --ignore-trailing-space --label= "
    "--minimal --new-file --no-dereference --normal --recursive --report-identical-files --side-by-side "
    "--strip-trailing-cr --suppress-common-lines --text --unified=? --width="
)


_COMMANDING = {"less": ("+",), "more": ("+",), "strings": ("@",), "xmllint": ("http:", "https:", "ftp:")}


def _read(call: Call) -> None:
    parsed = call.parse(_READERS[call.name])
    # `less +!command` runs, and `strings @file` takes options from the file.
    if any(word.prefix.startswith(_COMMANDING.get(call.name, ())) for word in parsed.operands):
        raise UnreadableError(f"an operand of {call.name} that may be a command or an option")
    if call.name == "zcat":
        call.files("read", [joined([*word.pieces, Piece("text", ".gz")]) for word in parsed.operands if word.literal])
    call.files("read", parsed.operands, many=call.name == "du")


def _man(call: Call) -> None:
    """A page is no file of ours, unless a path names it; other options name a pager, which runs."""
    call.files("read", [word for word in call.parse(_MAN).operands if not word.is_known or "/" in word.shown()])


def _xxd(call: Call) -> None:
    operands = call.parse(_XXD).positional
    call.files("read", operands[:1])
    call.files("write", operands[1:])


def _list(call: Call) -> None:
    parsed = call.parse(_LISTERS[call.name])
    many = call.name == "tree" or parsed.has("-R", "--recursive")
    if parsed.operands:
        call.files("list", parsed.operands, many=many, dash=False)
    else:
        call.directory("list", many=many)


def _diff(call: Call) -> None:
    parsed = call.parse(_DIFF)
    call.files("read", parsed.operands, many=parsed.has("-r", "--recursive"))


COMMANDS: dict[str, Callable[[Call], None]] = {
    **dict.fromkeys(_READERS, _read),
    **dict.fromkeys(_LISTERS, _list),
    "diff": _diff,
    "man": _man,
    "xxd": _xxd,
}
