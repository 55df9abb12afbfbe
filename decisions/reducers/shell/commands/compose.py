"""docker compose: the services that a directory's compose file describes.

A project is named by its directory, or by ``-p``. What its file mounts and runs is not in the command: bringing it up
runs code that lies in a file.

Source: Docker Compose 2 manual.
"""

from collections.abc import Callable, Mapping, Sequence

from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.commands.subcommands import below, name_of, parsed_as_pflag, value_of
from decisions.reducers.shell.options import OptionTable, Parsed, names, options
from decisions.reducers.shell.targets import targets
from decisions.reducers.shell.word import Word

_GLOBAL = options(
    "-f=< -p= --file=< --project-name= --profile= --env-file=< --project-directory= --ansi= --progress= "
    "--compatibility "
    "--version --help",
    ends_at_operand=True,
)
_RUNS = names("up create run build pull")
_SUBCOMMANDS: Mapping[str, tuple[str, OptionTable]] = {
    "up": ("run", options(
        "-dV --detach --build --force-recreate --no-recreate --no-deps --no-build --no-start --remove-orphans --wait "
        "--wait-timeout= --pull= --scale= --renew-anon-volumes --timeout= -t= --quiet-pull --abort-on-container-exit "
        "--exit-code-from= --attach= --no-log-prefix --watch"
    )),
    "create": ("create", options("--build --force-recreate --no-recreate --no-build --pull= --remove-orphans")),
    "run": ("run", options(
        "-dTP -e= -p= -u= -w= --rm --detach --no-deps --name= --env= --entrypoint= --user= --workdir= --service-ports "
        "--no-TTY --publish= --build --quiet-pull", ends_at_operand=True
    )),
    "exec": ("run", options("-dT -e= -u= -w= --detach --env= --user= --workdir= --index= --no-TTY",
                            ends_at_operand=True)),
    "build": ("create", options("-q --no-cache --pull --quiet --build-arg= --progress= --parallel "
    "--with-dependencies")),
    "pull": ("create", options("-q --quiet --ignore-pull-failures --include-deps --policy=")),
    "down": ("delete", options("-v -t= --volumes --remove-orphans --rmi= --timeout=")),
    "rm": ("delete", options("-fsv --force --stop --volumes")),
    "start": ("change", options("--wait")),
    "stop": ("change", options("-t= --timeout=")),
    "restart": ("change", options("-t= --timeout= --no-deps")),
    "kill": ("change", options("-s= --signal= --remove-orphans")),
    "pause": ("change", options("")),
    "unpause": ("change", options("")),
    "ps": ("list", options("-aq --all --quiet --services --filter= --format= --status= --no-trunc --orphans=?")),
    "ls": ("list", options("-aq --all --quiet --filter= --format=")),
    "images": ("list", options("-q --quiet --format=")),
    "logs": ("read", options("-ft -n= --follow --tail= --since= --until= --timestamps --no-color --no-log-prefix "
    "--index=")),
    "top": ("read", options("")),
    "port": ("read", options("--protocol= --index=")),
    "config": ("read", options("-q --quiet --services --volumes --images --profiles --format= --hash=")),
    "version": ("read", options("-f= --format= --short")),
}  # fmt: skip


def compose(call: Call, host: str, words: Sequence[Word]) -> None:
    """Note what ``docker compose`` does.

    Args:
        call: the command.
        host: reference of the docker host.
        words: what stands behind ``compose``.

    Raises:
        UnreadableError: an option or a subcommand that isn't known.
    """
    parsed = parsed_as_pflag(call, _GLOBAL, words)
    if parsed.has("--version", "--help") or not parsed.operands:
        call.run()
        return
    name = name_of(parsed.operands[0], "a subcommand")
    if name not in _SUBCOMMANDS:
        raise UnreadableError(f"a subcommand of docker compose that isn't known: {name[:40]}")
    verb, table = _SUBCOMMANDS[name]
    inner = parsed_as_pflag(call, table, parsed.operands[1:])
    whole = not inner.operands or verb in {"run", "read", "list"}
    for project in _projects(call, host, parsed):
        call.infrastructure(verb, project, scope=_scope(name, inner, whole=whole), egress=verb == "run")
    if name in _RUNS:
        call.run(code_origin="file")
    if name == "config":
        # It prints the file with the variables of its environment file put in.
        call.directory("read")
    elif name == "pull":
        # Which images these are, the file says.
        call.infrastructure("create", f"{host}/image", scope="many")


def _scope(name: str, parsed: Parsed, *, whole: bool) -> str:
    if name in {"exec", "ls"}:
        return "one"
    if name == "down" and parsed.has("-v", "--volumes", "--rmi"):
        return "all"
    return "many" if whole or len(parsed.operands) > 1 else "one"


def _projects(call: Call, host: str, parsed: Parsed) -> list[str]:
    named = value_of(parsed, "-p", "--project-name", default="")
    if named:
        return [below(f"{host}/project", named)]
    files = [option.value for option in parsed.options if option.name in {"-f", "--file"} and option.value]
    if parsed.has("--project-directory"):
        raise UnreadableError("a project whose directory isn't read")
    if not files and call.state.directories is None:
        raise unresolved("a project whose directory only the shell knows")
    where = targets(files[0], call.state) if files else targets(Word.of("./compose.yaml"), call.state)
    if any(target.many for target in where):
        raise unresolved("a project whose file only the shell knows")
    return [below(f"{host}/compose", target.path.rpartition("/")[0]) for target in where]


def _standalone(call: Call) -> None:
    compose(call, "docker://current", call.words)


COMMANDS: dict[str, Callable[[Call], None]] = {"docker-compose": _standalone}
