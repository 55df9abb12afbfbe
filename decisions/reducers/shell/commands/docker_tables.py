"""Docker's subcommands with their options, as tables.

Source: Docker CLI 27 and Podman 5 manuals.
"""

from collections.abc import Mapping

from decisions.reducers.shell.options import OptionTable, names, options

GLOBAL = options("-D -H= -l= -c= --host= --context= --debug --log-level= --version --help -v", ends_at_operand=True)

_LIST = "-aqnls -f= --all --quiet --filter= --format= --no-trunc --last= --latest --size --digests --help"
_PLAIN_RUN = (
    "-ditP -h= -e= -u= -w= -p= -l= -m= -c= --detach --interactive --tty --rm --init --name= --hostname= --env= "
    "--env-file=< --user= --workdir= --publish= --publish-all --expose= --label= --label-file=< --memory= "
    "--memory-swap= --memory-reservation= --cpus= --cpu-shares= --cpuset-cpus= --entrypoint= --network= --net= "
    "--network-alias= --restart= --platform= --pull= --quiet --read-only --tmpfs= --shm-size= --stop-signal= "
    "--stop-timeout= --log-driver= --log-opt= --add-host= --dns= --dns-search= --ip= --mac-address= --link= "
    "--health-cmd= --health-interval= --health-retries= --health-timeout= --no-healthcheck --ulimit= --pids-limit= "
    "--gpus= --attach= -a= --sig-proxy=? --cap-drop= --domainname= --oom-score-adj= --help"
)
RISKY = "--privileged --cap-add= --device= --security-opt= --pid= --ipc= --uts= --userns= --cgroupns= --group-add="
"""Options with which a container gets at the machine under it."""

RUN = options(f"{_PLAIN_RUN} {RISKY} -v= --volume= --mount=", ends_at_operand=True, globs=False)
EXEC = options(
    "-dit -e= -u= -w= --detach --interactive --tty --env= --env-file=< --user= --workdir= --privileged",
    ends_at_operand=True,
    globs=False,
)
BUILD = options(
    "-q -f=< -t= -o= --file=< --tag= --build-arg= --target= --no-cache --pull --platform= --progress= --quiet "
    "--network= --label= --cache-from= --cache-to= --rm --force-rm --load --push --build-context= --provenance= "
    "--sbom= --iidfile=>",
    globs=False,
)

_NAMED: Mapping[str, str] = {
    "container": "attach commit cp create diff exec export inspect kill logs ls pause port prune rename restart rm run "
    "start stats stop top unpause update wait",
    "image": "build history inspect ls prune pull push rm save load tag",
    "volume": "create inspect ls prune rm",
    "network": "create connect disconnect inspect ls prune rm",
    "system": "df info prune events",
    "buildx": "build",
    "builder": "build prune",
    "context": "ls show inspect",
}
MANAGED: Mapping[str, frozenset[str]] = {sort: names(line) for sort, line in _NAMED.items()}
"""The subcommands of each sort of object: ``docker image rm``."""

SHORT: Mapping[str, tuple[str, str]] = {
    **{name: ("container", name) for name in _NAMED["container"].split() if name not in {"ls", "prune", "inspect"}},
    **{name: ("image", name) for name in ("build", "history", "pull", "push", "save", "load", "tag")},
    "ps": ("container", "ls"),
    "images": ("image", "ls"),
    "rmi": ("image", "rm"),
    "inspect": ("any", "inspect"),
    "info": ("system", "info"),
    "events": ("system", "events"),
    "version": ("system", "version"),
}
"""What the short forms stand for: ``docker rmi`` is ``docker image rm``."""

SIMPLE: Mapping[tuple[str, str], tuple[str, OptionTable]] = {
    ("container", "ls"): ("list", options(_LIST)),
    ("image", "ls"): ("list", options(_LIST)),
    ("volume", "ls"): ("list", options(_LIST)),
    ("network", "ls"): ("list", options(_LIST)),
    ("context", "ls"): ("look", options("-q --quiet --format=")),
    ("context", "show"): ("look", options("")),
    ("context", "inspect"): ("look", options("-f= --format=")),
    ("system", "df"): ("list", options("-v --verbose --format=")),
    ("system", "info"): ("list", options("-f= --format=")),
    ("system", "version"): ("list", options("-f= --format=")),
    ("system", "events"): ("list", options("-f= --filter= --format= --since= --until=")),
    ("container", "logs"): ("read", options("-ft -n= --follow --tail= --since= --until= --timestamps --details")),
    ("container", "top"): ("read", options("", ends_at_operand=True)),
    ("container", "port"): ("read", options("", ends_at_operand=True)),
    ("container", "diff"): ("read", options("")),
    ("container", "stats"): ("read", options("-a --all --no-stream --no-trunc --format=")),
    ("container", "wait"): ("read", options("")),
    ("container", "inspect"): ("read", options("-s -f= --format= --size --type=")),
    ("image", "inspect"): ("read", options("-f= --format=")),
    ("image", "history"): ("read", options("-qH --quiet --human --no-trunc --format=")),
    ("volume", "inspect"): ("read", options("-f= --format=")),
    ("network", "inspect"): ("read", options("-v -f= --format= --verbose")),
    ("any", "inspect"): ("read", options("-s -f= --format= --size --type=")),
    ("container", "start"): ("change", options("-ai --attach --interactive")),
    ("container", "restart"): ("change", options("-t= -s= --time= --timeout= --signal=")),
    ("container", "stop"): ("change", options("-t= -s= --time= --timeout= --signal=")),
    ("container", "kill"): ("change", options("-s= --signal=")),
    ("container", "pause"): ("change", options("")),
    ("container", "unpause"): ("change", options("")),
    ("container", "attach"): ("run", options("--no-stdin --sig-proxy=?")),
    ("container", "update"): ("change", options("-m= -c= --memory= --memory-swap= --cpus= --cpu-shares= --restart=")),
    ("container", "rename"): ("change", options("")),
    ("container", "rm"): ("delete", options("-fvl --force --volumes --link")),
    ("image", "rm"): ("delete", options("-f --force --no-prune")),
    ("volume", "rm"): ("delete", options("-f --force")),
    ("network", "rm"): ("delete", options("-f --force")),
    ("volume", "create"): ("create", options("-d= -o= --driver= --opt= --label= --name=")),
    ("network", "create"): (
        "create",
        options("-d= -o= --driver= --opt= --label= --subnet= --gateway= --ip-range= --internal --attachable --ipv6"),
    ),
    ("network", "connect"): ("change", options("--alias= --ip= --ip6= --link=")),
    ("network", "disconnect"): ("change", options("-f --force")),
}
"""What a subcommand does to each of the objects that it names."""

PRUNE = options("-fa --force --all --volumes --filter= --keep-storage=")
PULL = options("-aq --all-tags --quiet --platform= --disable-content-trust=?")
PUSH = options("-aq --all-tags --quiet --platform= --disable-content-trust=?")
SAVE = options("-o=> --output=>")
LOAD = options("-q -i=< --input=< --quiet")
COMMIT = options("-p -a= -m= -c= --author= --message= --pause=? --change=")
COPY = options("-aLq --archive --follow-link --quiet")
NONE = options("")
