"""How docker's objects are named, where its images come from, and what a mount lets a container at.

Source: Docker CLI 27 manual; the reference grammar of the OCI distribution specification.
"""

from decisions.reducers.errors import UnreadableError
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.commands.subcommands import below, name_of
from decisions.reducers.shell.word import Word

HUB = "docker.io"
"""The registry of images that name none."""


def object_at(host: str, sort: str, name: str) -> str:
    """Spell an object's reference; of an image its whole name, ``nginx`` being ``docker.io/library/nginx:latest``.

    Raises:
        UnreadableError: ID_INVALID.
    """
    if not name.isascii() or name.startswith(("/", "-")):
        raise UnreadableError(f"no name of a docker object: {name[:40]!a}", "ID_INVALID")
    if sort != "image":
        return below(f"{host}/{sort}", name)
    registry, path = registry_of(name)
    tagged, _, digest = name.partition("@")
    tag = tagged.rpartition("/")[2].partition(":")[2] or ("" if digest else "latest")
    return below(f"{host}/image/{registry}", path + (f":{tag}" if tag else "") + (f"@{digest}" if digest else ""))


def registry_of(image: str) -> tuple[str, str]:
    """Tell an image's registry and its path there, without tag and digest."""
    path = image.partition("@")[0]
    first, slash, rest = path.partition("/")
    if slash and ("." in first or ":" in first or first == "localhost"):
        registry, path = first, rest
    else:
        registry = HUB
    head, _, last = path.rpartition("/")
    if not head and registry == HUB:
        head = "library"
    return registry, f"{head}/{last.partition(':')[0]}".lstrip("/")


def mount(call: Call, host: str, value: Word) -> None:
    """Note what ``-v source:target:modes`` lets a container at."""
    if "\\" in value.shown():
        raise UnreadableError("a mount from another system's path", "ID_INVALID")
    source, colon, behind = value.prefix.partition(":")
    if not value.is_literal and not colon:
        # The first variable stands in the host's path.
        raise UnreadableError("a mount that only the shell knows", "TARGET_UNRESOLVED")
    if not colon:
        call.infrastructure("create", f"{host}/volume")
        return
    if not source.startswith(("/", ".", "~")):
        call.infrastructure("change", object_at(host, "volume", source))
        return
    modes = behind.partition(":")[2].split(",")
    _host_path(call, source, readable_only=value.is_literal and "ro" in modes)


def mount_by_fields(call: Call, host: str, value: Word) -> None:
    """Note what ``--mount type=bind,source=...`` lets a container at."""
    pairs = [field.partition("=") for field in name_of(value, "a mount").split(",")]
    fields = {key: text for key, _, text in pairs}
    source = fields.get("source", fields.get("src", ""))
    kind = fields.get("type", "volume")
    if kind == "bind" and source:
        _host_path(call, source, readable_only=bool({"readonly", "ro"} & fields.keys()))
    elif kind == "volume":
        call.infrastructure("change", object_at(host, "volume", source) if source else f"{host}/volume")
    elif kind != "tmpfs":
        raise UnreadableError("a mount that isn't read")


def _host_path(call: Call, path: str, *, readable_only: bool) -> None:
    for verb in ("read",) if readable_only else ("read", "write", "delete"):
        call.files(verb, [Word.of(path)], many=True, dash=False)
