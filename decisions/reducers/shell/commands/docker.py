"""docker, podman and nerdctl: containers, images, volumes and networks of one host.

A container runs whatever its image holds, so running one is an action on the image. What is mounted into it is read
and written. ``docker context use`` and ``docker login`` change what later commands mean, or hand out a password: they
are opaque.

Source: Docker CLI 27 and Podman 5 manuals.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from decisions.reducers.errors import UnreadableError
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.commands import docker_tables as tables
from decisions.reducers.shell.commands.docker_names import HUB, mount, mount_by_fields, object_at, registry_of
from decisions.reducers.shell.commands.subcommands import (
    CURRENT,
    name_of,
    names_of,
    parsed_as_pflag,
    scope_for,
    value_of,
)
from decisions.reducers.shell.options import Parsed, names
from decisions.reducers.shell.word import Word

_ADDRESS = re.compile(r"(tcp|ssh)://([A-Za-z0-9_.@\[\]:-]+)", re.ASCII)
_RISKY = names(tables.RISKY.replace("=", ""))
_SORTS = ("container", "image", "volume", "network")
_PAIR = 2


def host_of(parsed: Parsed) -> str:
    """Name the host that the global options lead to."""
    context = value_of(parsed, "-c", "--context")
    host = value_of(parsed, "-H", "--host")
    if host == CURRENT:
        return f"docker://{context}"
    match = _ADDRESS.fullmatch(host)
    if match is None or context != CURRENT:
        raise UnreadableError("a host that isn't read")
    return f"docker://{match[1]}:{match[2]}"


def _docker(call: Call) -> None:
    parsed = call.parse(tables.GLOBAL)
    if parsed.has("--version", "--help", "-v") or not parsed.operands:
        call.run()
        return
    host = host_of(parsed)
    name, *words = parsed.operands
    first = name_of(name, "a subcommand")
    if first == "compose":
        from decisions.reducers.shell.commands.compose import compose  # noqa: PLC0415  (they need each other)

        compose(call, host, words)
        return
    if first in tables.MANAGED:
        if not words or words[0].literal not in tables.MANAGED[first]:
            raise UnreadableError(f"a subcommand of docker {first} that isn't known")
        act(call, host, first, name_of(words[0], "a subcommand"), words[1:])
    elif first in tables.SHORT:
        act(call, host, *tables.SHORT[first], words)
    else:
        raise UnreadableError(f"a subcommand of docker that isn't known: {first[:40]}")


def act(call: Call, host: str, sort: str, name: str, words: Sequence[Word]) -> None:
    """Note what one subcommand does.

    Args:
        call: the command.
        host: reference of the docker host.
        sort: of what it acts on.
        name: the subcommand.
        words: its arguments.
    """
    if (sort, name) in tables.SIMPLE:
        _simple(call, host, sort, name, words)
    elif name == "prune":
        _prune(call, host, sort, words)
    else:
        _SPECIAL[name](call, host, words)


def _simple(call: Call, host: str, sort: str, name: str, words: Sequence[Word]) -> None:
    verb, table = tables.SIMPLE[sort, name]
    parsed = parsed_as_pflag(call, table, words)
    if verb == "look":
        call.run()
    elif verb == "list":
        call.infrastructure("list", host if sort == "system" else f"{host}/{sort}")
    else:
        _each(call, host, sort, verb, parsed.operands[:1] if name in {"top", "port"} else parsed.operands)


def _each(call: Call, host: str, sort: str, verb: str, words: Sequence[Word]) -> None:
    found = names_of(words, "a docker object")
    if not found:
        scope = "all" if verb not in {"read", "create"} else "many"
        call.infrastructure(verb, host if sort == "any" else f"{host}/{sort}", scope=scope)
    for one in found:
        for kind in _SORTS if sort == "any" else (sort,):
            call.infrastructure(verb, object_at(host, kind, one), scope=scope_for(len(found)))


def _prune(call: Call, host: str, sort: str, words: Sequence[Word]) -> None:
    parsed = parsed_as_pflag(call, tables.PRUNE, words)
    sorts = {"system": ("container", "image", "network"), "builder": ("cache",)}.get(sort, (sort,))
    if parsed.has("--volumes"):
        sorts = (*sorts, "volume")
    for one in sorts:
        every = parsed.has("-a", "--all") or one == "volume"
        call.infrastructure("delete", f"{host}/{one}", scope="all" if every else "many")


def _run(call: Call, host: str, words: Sequence[Word]) -> None:
    _start(call, host, words, "run")


def _create(call: Call, host: str, words: Sequence[Word]) -> None:
    _start(call, host, words, "create")


def _start(call: Call, host: str, words: Sequence[Word], verb: str) -> None:
    parsed = parsed_as_pflag(call, tables.RUN, words)
    if not parsed.operands:
        raise UnreadableError("a container without its image")
    image = name_of(parsed.operands[0], "an image")
    if parsed.has(*_RISKY):
        # It gets at the machine under it with the rights of its root.
        call.run(elevated=True)
    _environment(call, parsed)
    for option in parsed.options:
        if option.value is not None and option.name in {"-v", "--volume"}:
            mount(call, host, option.value)
        elif option.value is not None and option.name == "--mount":
            mount_by_fields(call, host, option.value)
    named = value_of(parsed, "--name", default="")
    call.infrastructure("create", object_at(host, "container", named) if named else f"{host}/container")
    if verb == "run":
        call.infrastructure("run", object_at(host, "image", image), egress=True)
    if value_of(parsed, "--pull", default="missing") != "never":
        _fetch(call, image)


def _fetch(call: Call, image: str) -> None:
    registry, path = registry_of(image)
    if call.name == "podman" and registry == HUB and not image.startswith(HUB):
        raise UnreadableError("an image whose registry only podman's settings know", "TARGET_UNRESOLVED")
    call.web("fetch", Word.of(f"https://{registry}/{path}"))


def _environment(call: Call, parsed: Parsed) -> None:
    """``-e NAME`` hands the variable on as it is here."""
    for option in parsed.options:
        name = option.value.literal if option.value is not None and option.name in {"-e", "--env"} else None
        if name and "=" not in name:
            call.take(name)


def _pull(call: Call, host: str, words: Sequence[Word]) -> None:
    for image in names_of(parsed_as_pflag(call, tables.PULL, words).operands, "an image"):
        _fetch(call, image)
        call.infrastructure("create", object_at(host, "image", image))


def _push(call: Call, host: str, words: Sequence[Word]) -> None:
    for image in names_of(parsed_as_pflag(call, tables.PUSH, words).operands, "an image"):
        registry, path = registry_of(image)
        call.infrastructure("read", object_at(host, "image", image))
        call.web("send", Word.of(f"https://{registry}/{path}"), egress=True)


def _build(call: Call, host: str, words: Sequence[Word]) -> None:
    parsed = parsed_as_pflag(call, tables.BUILD, words)
    if len(parsed.operands) != 1 or parsed.has("-o", "--build-context", "--cache-to"):
        raise UnreadableError("a way to build that isn't read")
    context = parsed.operands[0]
    remote = "://" in context.shown() or context.shown().startswith(("git@", "github.com/"))
    if context.literal == "-" or remote:
        call.run(code_origin="untrusted")
    else:
        call.files("read", [context], many=True)
        call.run(code_origin="file")
    tags = [option.value for option in parsed.options if option.name in {"-t", "--tag"} and option.value]
    for image in names_of(tags, "an image"):
        call.infrastructure("create", object_at(host, "image", image))
        if parsed.has("--push"):
            _push(call, host, [Word.of(image)])
    if not tags:
        call.infrastructure("create", f"{host}/image")


def _exec(call: Call, host: str, words: Sequence[Word]) -> None:
    parsed = parsed_as_pflag(call, tables.EXEC, words)
    _environment(call, parsed)
    if len(parsed.operands) < _PAIR:
        raise UnreadableError("docker exec without a container and a command")
    call.infrastructure("run", object_at(host, "container", name_of(parsed.operands[0], "a container")), egress=True)


def _copy(call: Call, host: str, words: Sequence[Word]) -> None:
    parsed = parsed_as_pflag(call, tables.COPY, words)
    if len(parsed.operands) != _PAIR:
        raise UnreadableError("docker cp without a source and a destination")
    source, target = parsed.operands
    if _is_inside(source) == _is_inside(target):
        raise UnreadableError("docker cp copies between a container and the host")
    container = name_of(source if _is_inside(source) else target, "a container").partition(":")[0]
    if _is_inside(source):
        call.infrastructure("read", object_at(host, "container", container))
        call.files("write", [target], many=True)
    else:
        call.files("read", [source], many=True)
        call.infrastructure("change", object_at(host, "container", container), egress=True)


def _is_inside(word: Word) -> bool:
    name, colon, _ = word.prefix.partition(":")
    return bool(colon) and "/" not in name and not name.startswith(".")


def _tag(call: Call, host: str, words: Sequence[Word]) -> None:
    parsed = parsed_as_pflag(call, tables.NONE, words)
    source, target = names_of(parsed.operands[:_PAIR], "an image")
    call.infrastructure("read", object_at(host, "image", source))
    call.infrastructure("create", object_at(host, "image", target))


def _save(call: Call, host: str, words: Sequence[Word]) -> None:
    _each(call, host, "image", "read", parsed_as_pflag(call, tables.SAVE, words).operands)


def _export(call: Call, host: str, words: Sequence[Word]) -> None:
    _each(call, host, "container", "read", parsed_as_pflag(call, tables.SAVE, words).operands)


def _load(call: Call, host: str, words: Sequence[Word]) -> None:
    parsed_as_pflag(call, tables.LOAD, words)
    call.infrastructure("create", f"{host}/image", scope="many")


def _commit(call: Call, host: str, words: Sequence[Word]) -> None:
    operands = names_of(parsed_as_pflag(call, tables.COMMIT, words).operands, "a container or image")
    call.infrastructure("read", object_at(host, "container", operands[0] if operands else ""))
    call.infrastructure("create", object_at(host, "image", operands[1]) if operands[1:] else f"{host}/image")


_SPECIAL: Mapping[str, Callable[[Call, str, Sequence[Word]], None]] = {
    "build": _build,
    "commit": _commit,
    "cp": _copy,
    "create": _create,
    "exec": _exec,
    "export": _export,
    "load": _load,
    "pull": _pull,
    "push": _push,
    "run": _run,
    "save": _save,
    "tag": _tag,
}
COMMANDS: dict[str, Callable[[Call], None]] = dict.fromkeys(("docker", "podman", "nerdctl"), _docker)
