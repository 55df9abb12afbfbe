"""The option tables of git's subcommands, and what each does to the repository.

Source: git 2.47 manuals; policy case A07.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from decisions.reducers.shell.options import OptionTable, options

GLOBAL = options(
    "-P -C= --no-pager --version --help --no-optional-locks --literal-pathspecs",
    ends_at_operand=True,
    globs=False,
)

SHOWN = (
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


PLAIN: Mapping[str, Subcommand] = {
    "log": _reads(
        SHOWN,
    ),
    "show": _reads(
        SHOWN,
    ),
    "diff": _reads(
        SHOWN,
    ),
    "whatchanged": _reads(
        SHOWN,
    ),
    "shortlog": _reads(
        SHOWN.replace("-n= ", "-n ") + " -e -c --summary --numbered --email",
    ),
    "reflog": _reads(
        SHOWN,
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
        SHOWN + " --objects --parents",
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
        drops=True,
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
        "-qvfni --interactive --abort --continue --skip --quit --onto= --root --autostash --no-autostash --autosquash "
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
    "fsck": _reads(
        "-v --full --strict --unreachable --dangling --no-dangling --connectivity-only --verbose --progress "
        "--no-progress --root --tags --cache --no-reflogs",
    ),
    "archive": _reads(
        "-lv -o=> --format= --output=> --prefix= --list --verbose --worktree-attributes",
    ),
    "update-index": _writes(
        "-q --assume-unchanged --no-assume-unchanged --skip-worktree --no-skip-worktree --chmod= --add --remove "
        "--force-remove --refresh --really-refresh",
    ),
    "sparse-checkout": _writes(
        "--cone --no-cone --sparse-index --no-sparse-index --skip-checks",
        drops=True,
    ),
    "show-ref": _reads("-dqs --head --tags --heads --verify --dereference --hash=? --quiet"),
    "var": _reads("-l"),
}

BRANCH = options(
    "-avrdDmMclfqtu --all --verbose --remotes --list --delete --move --copy --force --quiet --show-current "
    "--contains=? --merged=? --no-merged=? --sort= --format= --track=? --no-track --set-upstream-to= "
    "--unset-upstream --points-at= --column=? --no-color --color=?",
    globs=False,
)
STASH = options(
    "-upqka -m= --include-untracked --keep-index --quiet --message= --all --index --stat --patch",
    globs=False,
)
REMOTE = options(
    "-v --verbose",
    globs=False,
)
SUBMODULE = options(
    "-q --quiet --init --recursive --remote --force -f --merge --checkout --depth= --jobs= -j= --all --cached --files",
    globs=False,
)
FORMAT_PATCH = options(
    "-knsNvpq -o= -v= --output-directory= --stdout --cover-letter --numbered --no-numbered --signoff "
    "--subject-prefix= --start-number= --root --no-stat --quiet --zero-commit --rfc",
    numbers=True,
    globs=False,
)
BUNDLE = options("-q --quiet --progress --all --branches --tags --version=", globs=False)
BISECT = options("--no-checkout --first-parent --term-old= --term-new=", globs=False)
CONFIG = options(
    "-lz --list --get --get-all --get-regexp --show-origin --show-scope --name-only --global --local --system "
    "--null --bool --int --type= --default=",
    globs=False,
)
NETWORK = options(
    "-unqvfp46 -b= -j= --all --tags --force --force-with-lease=? --force-if-includes --delete --set-upstream "
    "--dry-run --quiet --verbose --prune --mirror --follow-tags --no-verify --atomic --porcelain --progress "
    "--no-progress --depth= --shallow-since= --unshallow --branch= --single-branch --no-single-branch --bare "
    "--no-checkout --no-tags --recurse-submodules=? "
    "--shallow-submodules --rebase=? --no-rebase --ff-only --no-ff --ff --squash --autostash --heads --refs "
    "--get-url --exit-code --sort= --filter= --origin= --jobs= --no-recurse-submodules",
    globs=False,
)
