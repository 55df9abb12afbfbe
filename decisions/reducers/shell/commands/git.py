"""git, subcommand by subcommand.

What a repository's own configuration and hooks make git run is not in the command: commands that run hooks are
noted as running git as well. ``-c``, ``--git-dir`` and the like, which bring configuration, are not in the tables, so
they are opaque; so is a subcommand that no table has, since it may be an alias.

Source: git 2.47 manuals; policy cases A07, A11, A17.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from decisions.reducers.errors import UnreadableError
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.options import OptionTable, Parsed, options
from decisions.reducers.shell.targets import targets
from decisions.reducers.shell.word import Word

_GLOBAL = options(
    "-P -C= --no-pager --version --help --no-optional-locks --literal-pathspecs",
    ends_at_operand=True,
    globs=False,
)

_SHOWN = (
    "-puszbwtRa -n= -S= -G= -L= -U= -M=? -C=? -O=< --oneline --stat=? --numstat --shortstat --name-only "
    "--name-status --patch --no-patch --graph --all --decorate=? --no-decorate --abbrev-commit --abbrev=? "
    "--author= --committer= --grep= --since= --after= --until= --before= --max-count= --skip= --format= "
    "--pretty=? --date= --reverse --follow --merges --no-merges --first-parent --cached --staged --color=? "
    "--no-color --word-diff=? --unified= --ignore-all-space --ignore-space-change --ignore-blank-lines "
    "--diff-filter= --find-renames=? --summary --raw --full-index --no-renames --branches=? --tags=? "
    "--remotes=? --no-ext-diff --no-textconv --check --exit-code --quiet --left-right --cherry-pick --cherry "
    "--count --topo-order --date-order --merge-base --relative=? --output=> --no-prefix --minimal --patience "
    "--histogram --text --source --show-signature --use-mailmap --no-mailmap --invert-grep --regexp-ignore-case"
)


@dataclass(frozen=True, slots=True)
class Subcommand:
    """What one subcommand does, on the repository that the command stands in.

    Attributes:
        table: its options.
        writes: whether it changes the repository.
        drops: whether it may throw away what is nowhere else.
        hooks: whether it runs hooks.
        drops_on: options with which it may throw away in any case.
        spared_on: options with which it throws away nothing otherwise.
        dry: options with which it changes nothing.
    """

    table: OptionTable
    writes: bool = False
    drops: bool = False
    hooks: bool = False
    drops_on: tuple[str, ...] = ()
    spared_on: tuple[str, ...] = ()
    dry: tuple[str, ...] = ()


def _reads(line: str) -> Subcommand:
    return Subcommand(options(line, numbers=True, globs=False))


def _writes(
    line: str, *, drops: bool = False, hooks: bool = False, drops_on: str = "", spared_on: str = "", dry: str = ""
) -> Subcommand:
    return Subcommand(
        options(line, numbers=True, globs=False),
        writes=True,
        drops=drops,
        hooks=hooks,
        drops_on=tuple(drops_on.split()),
        spared_on=tuple(spared_on.split()),
        dry=tuple(dry.split()),
    )


_PLAIN: Mapping[str, Subcommand] = {
    "log": _reads(
        _SHOWN,
    ),
    "show": _reads(
        _SHOWN,
    ),
    "diff": _reads(
        _SHOWN,
    ),
    "whatchanged": _reads(
        _SHOWN,
    ),
    "shortlog": _reads(
        _SHOWN + " -e -c --summary --numbered --email",
    ),
    "reflog": _reads(
        _SHOWN,
    ),
    "status": _reads(
        "-sbuvz -u=? --short --branch --porcelain=? --untracked-files=? --ignored=? --long --verbose --show-stash",
    ),
    "blame": _reads(
        "-lstfnwpe -L= -M=? -C=? --porcelain --line-porcelain --show-email --date= --since= --root --abbrev=",
    ),
    "rev-parse": _reads(
        "--short=? --abbrev-ref=? --verify --quiet --show-toplevel --git-dir --is-inside-work-tree "
        "--show-prefix --all --symbolic-full-name --absolute-git-dir --show-cdup",
    ),
    "rev-list": _reads(
        _SHOWN + " --objects --parents",
    ),
    "ls-files": _reads(
        "-cdmoiskuzt --cached --deleted --modified --others --ignored --stage --exclude-standard --full-name "
        "--error-unmatch --directory -x= --exclude=",
    ),
    "ls-tree": _reads(
        "-drtlz --name-only --name-status --full-name --full-tree --long",
    ),
    "cat-file": _reads(
        "-etsp --batch-check",
    ),
    "describe": _reads(
        "--all --tags --long --always --dirty=? --abbrev= --match= --exclude= --exact-match --contains",
    ),
    "for-each-ref": _reads(
        "--format= --sort= --count= --points-at= --merged=? --no-merged=? --contains=?",
    ),
    "merge-base": _reads(
        "-a --all --is-ancestor --fork-point --octopus",
    ),
    "name-rev": _reads(
        "--tags --name-only --all --always",
    ),
    "count-objects": _reads(
        "-vH --verbose --human-readable",
    ),
    "grep": _reads(
        "-niIwvhHlLcoqEGFPpaW -e= -A= -B= -C= -f=< --cached --untracked --no-index --name-only --count "
        "--heading --break --ignore-case --word-regexp --files-with-matches --line-number --and --or --not",
    ),
    "check-ignore": _reads(
        "-vqn --verbose --quiet --non-matching --no-index",
    ),
    "add": _writes(
        "-AunfvpN --all --update --dry-run --force --verbose --intent-to-add --no-all --ignore-errors --chmod= "
        "--renormalize",
        dry="-n --dry-run",
    ),
    "mv": _writes(
        "-fknv --force --dry-run --verbose",
        dry="-n --dry-run",
    ),
    "rm": _writes(
        "-rfnq --cached --force --dry-run --quiet --ignore-unmatch",
        drops=True,
        dry="-n --dry-run",
    ),
    "commit": _writes(
        "-apqsvnez -m= -F=< -C= -c= -S=? -u=? --all --message= --file=< --amend --no-edit --edit --no-verify "
        "--signoff --quiet --verbose --allow-empty --allow-empty-message --author= --date= --fixup= --squash= "
        "--dry-run --short --only --include --reset-author --no-gpg-sign --gpg-sign=? --trailer= "
        "--reuse-message=",
        hooks=True,
    ),
    "tag": _writes(
        "-aslfdn -m= -F=< -u= --annotate --sign --list --force --delete --message= --sort= --contains=? "
        "--points-at= --format= --merged=? --cleanup=",
        drops_on="-d --delete -f --force",
        dry="-l --list",
    ),
    "switch": _writes(
        "-cCdqtf -m --create= --force-create= --detach --quiet --track=? --no-track --guess --orphan= "
        "--discard-changes --force --merge",
        hooks=True,
        drops_on="-f --force --discard-changes -C --force-create",
    ),
    "checkout": _writes(
        "-bBqftdpm -l --quiet --force --track=? --no-track --detach --orphan= --ours --theirs --merge --patch "
        "--no-guess",
        drops=True,
        hooks=True,
        drops_on="-f --force",
        spared_on="-b",
    ),
    "restore": _writes(
        "-SWqp -s= --source= --staged --worktree --quiet --ours --theirs --patch",
        drops=True,
        drops_on="-W --worktree",
        spared_on="-S --staged",
    ),
    "reset": _writes(
        "-qpN --soft --mixed --hard --merge --keep --quiet --patch",
        drops_on="--hard --merge --keep",
    ),
    "clean": _writes(
        "-dfnqxXi -e= --dry-run --force --quiet --exclude= --interactive",
        drops=True,
        dry="-n --dry-run",
    ),
    "merge": _writes(
        "-mnqve -m= -s= -X= --abort --continue --quit --ff --no-ff --ff-only --squash --no-commit --commit "
        "--no-edit --quiet --verbose --message= --strategy= --strategy-option= --no-verify "
        "--allow-unrelated-histories",
        hooks=True,
    ),
    "rebase": _writes(
        "-qvfn --abort --continue --skip --quit --onto= --root --autostash --no-autostash --autosquash "
        "--keep-empty --no-verify --quiet --force-rebase --rebase-merges=? --update-refs",
        drops=True,
        hooks=True,
    ),
    "cherry-pick": _writes(
        "-nxse -m= --abort --continue --skip --quit --no-commit --mainline= --signoff --allow-empty",
        hooks=True,
    ),
    "revert": _writes(
        "-nse -m= --abort --continue --skip --quit --no-commit --no-edit --mainline= --signoff",
        hooks=True,
    ),
    "init": _writes(
        "-qb -b= --quiet --bare --initial-branch=",
    ),
    "apply": _writes(
        "-vR3 -p= -C= --check --stat --numstat --summary --index --cached --reverse --reject --verbose --3way "
        "--whitespace= --exclude= --include= --recount",
        drops=True,
        dry="--check --stat --numstat --summary",
    ),
    "am": _writes(
        "-3sku --abort --continue --skip --quit --signoff --3way --keep-cr",
        hooks=True,
    ),
    "gc": _writes(
        "-q --auto --quiet --prune=? --aggressive",
        drops=True,
    ),
    "worktree": _writes(
        "-bBfdqv --force --detach --porcelain --quiet --verbose",
        drops=True,
        hooks=True,
    ),
    "notes": _writes(
        "-mf -m= -F=< --ref=",
    ),
}

_BRANCH = options(
    "-avrdDmMclfqtu --all --verbose --remotes --list --delete --move --copy --force --quiet --show-current "
    "--contains=? --merged=? --no-merged=? --sort= --format= --track=? --no-track --set-upstream-to= "
    "--unset-upstream --points-at= --column=? --no-color --color=?",
    globs=False,
)
_STASH = options(
    "-upqkam -m= --include-untracked --keep-index --quiet --message= --all --index --stat --patch",
    globs=False,
)
_REMOTE = options(
    "-v --verbose",
    globs=False,
)
_CONFIG = options(
    "-lz --list --get --get-all --get-regexp --show-origin --show-scope --name-only --global --local --system "
    "--null --bool --int --type= --default=",
    globs=False,
)
_NETWORK = options(
    "-unqvfp46 -b= -j= --all --tags --force --force-with-lease=? --force-if-includes --delete --set-upstream "
    "--dry-run --quiet --verbose --prune --mirror --follow-tags --no-verify --atomic --porcelain --progress "
    "--no-progress --depth= --shallow-since= --unshallow --branch= --single-branch --no-single-branch --bare "
    "--no-checkout --no-tags --rebase=? --no-rebase --ff-only --no-ff --ff --squash --autostash --heads --refs "
    "--get-url --exit-code --sort= --filter= --origin= --jobs= --no-recurse-submodules",
    globs=False,
)
_SENDS = frozenset({"push"})
_FETCHES = frozenset({"fetch", "pull", "clone", "ls-remote"})
_OUTSIDE = re.compile(r"/|~|(?:.*/)?\.\.(?:/|$)")
_DRY = ("-n", "--dry-run")


def _git(call: Call) -> None:
    parsed = call.parse(_GLOBAL)
    if not parsed.operands:
        call.run()
        return
    for option in parsed.options:
        if option.name == "-C" and option.value is not None:
            found = targets(option.value, call.state)
            call.state = call.state.at(frozenset(target.path for target in found))
            call.files("enter", [Word.of(".")], dash=False)
    name = parsed.operands[0].literal or ""
    words = parsed.operands[1:]
    if name in _PLAIN:
        _plain(call, name, _PLAIN[name], words)
    elif name in _SENDS or name in _FETCHES:
        _network(call, name, call.parse(_NETWORK, words))
    elif name in _OTHERS:
        _OTHERS[name](call, words)
    else:
        raise UnreadableError(f"a subcommand of git that isn't known: {parsed.operands[0].shown()[:40]}")


def _plain(call: Call, name: str, subcommand: Subcommand, words: tuple[Word, ...]) -> None:
    parsed = call.parse(subcommand.table, words)
    idle = parsed.has(*subcommand.dry) or (name == "tag" and not parsed.operands)
    drops = parsed.has(*subcommand.drops_on) or (subcommand.drops and not parsed.has(*subcommand.spared_on))
    _effects(call, replace(subcommand, writes=subcommand.writes and not idle, drops=drops and not idle))
    outside = [word for word in parsed.operands if _OUTSIDE.match(word.prefix) or not word.is_known]
    call.files("read", outside)
    if name in {"mv", "apply", "worktree", "init"}:
        call.files("write", outside, many=name != "mv")


def _effects(call: Call, subcommand: Subcommand) -> None:
    call.directory("read")
    if subcommand.writes:
        call.directory("write")
    if subcommand.drops:
        call.directory("delete")
    if subcommand.hooks:
        call.run(code_origin="file")


def _network(call: Call, name: str, parsed: Parsed) -> None:
    """Sending to or fetching from a repository: by its address, or by a name that its configuration knows."""
    if any("::" in (word.literal or "::") or word.prefix.startswith("-") for word in parsed.operands):
        raise UnreadableError("a repository that only the shell, or a helper of git's, knows")
    sends = name in _SENDS
    wide = parsed.has("--all", "--mirror", "--delete", "--force", "-f", "--tags") or any(
        word.prefix.startswith(("+", ":")) for word in parsed.operands
    )
    address = parsed.operands[0] if parsed.operands else None
    if address is not None and (address.literal or "").startswith(("http://", "https://")):
        call.web("send" if sends else "fetch", address, egress=sends)
    call.run(egress=sends, scope="many" if wide else "one")
    if sends:
        call.directory("read")
    elif name == "clone":
        _clone(call, parsed)
    elif name != "ls-remote":
        call.directory("write")
    if name == "pull":
        call.run(code_origin="file")


def _clone(call: Call, parsed: Parsed) -> None:
    source, *rest = parsed.operands or (Word.of(""),)
    text = (source.literal or "").rstrip("/")
    if "://" not in text and ":" not in text:
        call.files("read", [source], many=True, dash=False)
    name = text.rpartition("/")[2].rpartition(":")[2].removesuffix(".git")
    if not rest and not name:
        raise UnreadableError("git clone without a repository")
    call.files("write", rest[:1] or [Word.of("./" + name)], many=True, dash=False)


def _branch(call: Call, words: tuple[Word, ...]) -> None:
    parsed = call.parse(_BRANCH, words)
    drops = parsed.has("-d", "-D", "--delete", "-M", "-f", "--force")
    writes = drops or bool(parsed.operands) or parsed.has("-m", "--move", "-c", "--copy", "-u", "--set-upstream-to")
    _effects(call, Subcommand(_BRANCH, writes=writes and not parsed.has("--list", "-l"), drops=drops))


def _stash(call: Call, words: tuple[Word, ...]) -> None:
    parsed = call.parse(_STASH, words)
    action = parsed.operands[0].literal if parsed.operands else "push"
    if action not in {"push", "save", "list", "show", "pop", "apply", "drop", "clear", "branch"}:
        raise UnreadableError("an action of git stash that isn't known")
    _effects(call, Subcommand(_STASH, writes=action not in {"list", "show"}, drops=action in {"drop", "clear", "pop"}))


def _remote(call: Call, words: tuple[Word, ...]) -> None:
    parsed = call.parse(_REMOTE, words)
    if parsed.operands and parsed.operands[0].literal != "get-url":
        raise UnreadableError("git remote that contacts or changes a remote")
    _effects(call, Subcommand(_REMOTE))


def _config(call: Call, words: tuple[Word, ...]) -> None:
    """Reading only: what git's configuration sets may be code."""
    parsed = call.parse(_CONFIG, words)
    first = parsed.operands[0].literal if parsed.operands else None
    reads = parsed.has("-l", "--list", "--get", "--get-all", "--get-regexp") or first in {"list", "get"}
    if not reads and len(parsed.operands) != 1:
        raise UnreadableError("git config that sets something, which may be code")
    _effects(call, Subcommand(_CONFIG))


_OTHERS: Mapping[str, Callable[[Call, tuple[Word, ...]], None]] = {
    "branch": _branch,
    "stash": _stash,
    "remote": _remote,
    "config": _config,
}

COMMANDS: dict[str, Callable[[Call], None]] = {"git": _git}
