"""gh: issues, pull requests and releases of a code forge.

What only looks is a run of the program; everything else sends. Whatever it takes from files is read. ``gh
api``, ``gh auth`` and extensions are opaque.

Source: GitHub CLI 2 manual.
"""

from collections.abc import Callable, Mapping

from decisions.reducers.errors import UnreadableError
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.commands.subcommands import name_of, parsed_as_pflag
from decisions.reducers.shell.options import names, options
from decisions.reducers.shell.word import Word

_LOOKS: Mapping[str, frozenset[str]] = {
    "pr": names("list view status diff checks"),
    "issue": names("list view status"),
    "repo": names("list view"),
    "run": names("list view watch"),
    "workflow": names("list view"),
    "release": names("list view"),
    "label": names("list"),
    "search": names("repos issues prs code commits"),
    "gist": names("list view"),
}
_SENDS: Mapping[str, frozenset[str]] = {
    "pr": names("create edit comment close reopen merge review ready"),
    "issue": names("create edit comment close reopen"),
    "run": names("rerun cancel"),
    "workflow": names("run enable disable"),
    "label": names("create edit delete"),
    "release": names("create upload edit delete"),
    "gist": names("create"),
    "repo": names("create edit archive delete fork"),
}
_TABLE = options(
    "-R= -L= -s= -l= -a= -A= -q= -t= -b= -B= -H= -m -r -d -S= -w= -F=< -f= -c -n= -e= -u= -p --repo= --limit= "
    "--state= --label= "
    "--assignee= --author= --json --jq= --template= --title= --body= --body-file=< --base= --head= --draft --fill "
    "--fill-first --reviewer= --milestone= --search= --web --comments --squash --merge --rebase --delete-branch --auto "
    "--admin --approve --request-changes --comment --branch= --workflow= --status= --event= --user= --log --log-failed "
    "--job= --exit-status --interval= --watch --required --name-only --patch --color= --notes= --notes-file=< "
    "--target= "
    "--prerelease --latest=? --generate-notes --yes --public --private --confirm --description= --desc= "
    "--reason= --failed "
    "--add-label= --remove-label= --add-assignee= --add-reviewer= --clobber --owner= --language= --field= --ref=",
    globs=False,
)
_FILES = {("release", "create"): 1, ("release", "upload"): 1, ("gist", "create"): 0}
"""Operations whose operands from this place on are files that are sent."""


def _gh(call: Call) -> None:
    if len(call.words) == 1 and call.words[0].literal in {"--version", "--help", "version", "status"}:
        call.run()
        return
    if len(call.words) < 2:  # noqa: PLR2004  (a group and a subcommand)
        raise UnreadableError("gh without a subcommand")
    group, name = name_of(call.words[0], "a subcommand"), name_of(call.words[1], "a subcommand")
    if (group, name) in {("pr", "checkout"), ("repo", "clone")}:
        _into_files(call, name)
        return
    looks = name in _LOOKS.get(group, ())
    if not looks and name not in _SENDS.get(group, ()):
        raise UnreadableError(f"a subcommand of gh that isn't known: {group[:30]} {name[:30]}")
    parsed = parsed_as_pflag(call, _TABLE, call.words[2:])
    if (group, name) in _FILES:
        call.files("read", parsed.operands[_FILES[group, name] :])
    if not looks:
        call.directory("read")
    call.run(egress=not looks)


_CHECKOUT = options(
    "-f -b= --force --detach --branch= --recurse-submodules -R= --repo= -u= --upstream-remote-name=", globs=False
)


def _into_files(call: Call, name: str) -> None:
    """What the forge holds comes here: over the files of this repository, or as a new one."""
    parsed = parsed_as_pflag(call, _CHECKOUT, call.words[2:])
    if name == "checkout":
        for verb in ("read", "write", "delete"):
            call.directory(verb)
        call.run(code_origin="file")
        return
    if not 1 <= len(parsed.operands) <= 2:  # noqa: PLR2004  (a repository, and a directory)
        raise UnreadableError("gh repo clone without a repository")
    source = name_of(parsed.operands[0], "a repository").rstrip("/").rpartition("/")[2].removesuffix(".git")
    call.files("write", parsed.operands[1:] or [Word.of(f"./{source}")], many=True, dash=False)
    call.run()


COMMANDS: dict[str, Callable[[Call], None]] = {"gh": _gh}
