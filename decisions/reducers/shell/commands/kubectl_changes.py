"""What kubectl creates, changes and deletes.

Source: kubectl 1.31 manual.
"""

from collections.abc import Callable, Mapping, Sequence

from decisions.reducers.errors import UnreadableError
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.commands import kubectl_tables as tables
from decisions.reducers.shell.commands.kubectl_cluster import (
    FILES,
    Cluster,
    from_files,
    is_dry,
    kind_of,
    note,
    resources,
)
from decisions.reducers.shell.commands.subcommands import name_of, names_of, scope_for, value_of
from decisions.reducers.shell.options import Parsed
from decisions.reducers.shell.word import Word

_STARTED = frozenset({"job", "cronjob", "deployment"})
_SELECTS = ("-l", "--selector", "--field-selector")


def _change(call: Call, cluster: Cluster, parsed: Parsed) -> None:
    verb = "read" if is_dry(parsed) else "change"
    if from_files(call, cluster, verb, parsed):
        if parsed.has("--prune") and verb == "change":
            call.infrastructure("delete", cluster.root, scope="many")
        if parsed.has("--force") and verb == "change":
            call.infrastructure("delete", cluster.root, scope="many")
        return
    raise UnreadableError("a change of nothing that is named")


def _create(call: Call, cluster: Cluster, parsed: Parsed) -> None:
    verb = "read" if is_dry(parsed) else "create"
    if from_files(call, cluster, verb, parsed):
        return
    texts = names_of(parsed.operands, "a resource")
    kind = kind_of(texts[0]) if texts else ""
    rest = texts[1:]
    if kind in tables.MADE:
        if not rest or rest[0] not in tables.MADE[kind]:
            raise UnreadableError("something to create that isn't known")
        rest = rest[1:]
    if kind in _STARTED and len(rest) > 1:
        # Behind the name stands what the containers run.
        rest = rest[:1]
    if len(rest) != 1 or kind == "all":
        raise UnreadableError("something to create that isn't known")
    for option in parsed.options:
        if option.name == "--from-file" and option.value is not None:
            _, equals, behind = option.value.prefix.partition("=")
            path = option.value.after(len(option.value.prefix) - len(behind)) if equals else option.value
            call.files("read", [path], many=True)
    call.infrastructure(verb, cluster.one(kind, rest[0]), egress=verb == "create")


def _delete(call: Call, cluster: Cluster, parsed: Parsed) -> None:
    verb = "read" if is_dry(parsed) else "delete"
    if from_files(call, cluster, verb, parsed):
        return
    found = resources(parsed.operands)
    named = all(name is not None for _, name in found)
    if not found or (not named and not parsed.has("--all", *_SELECTS)):
        raise UnreadableError("a deletion of nothing that is named")
    for kind, name in found:
        if kind == "namespace" and name is not None and verb == "delete":
            # With a namespace goes whatever is in it.
            call.infrastructure(verb, cluster.one(kind, name), scope="all")
    note(call, cluster, verb, found, scope="all" if parsed.has("--all") else "many")


def _altered(call: Call, cluster: Cluster, parsed: Parsed, words: Sequence[Word]) -> None:
    verb = "read" if is_dry(parsed) or parsed.has("--list") else "change"
    found = resources(words)
    if not found or parsed.has(*FILES):
        raise UnreadableError("a change of nothing that is named")
    note(call, cluster, verb, found, scope="all" if parsed.has("--all") else "many")


def _scale(call: Call, cluster: Cluster, parsed: Parsed) -> None:
    _altered(call, cluster, parsed, parsed.operands)


def _second(call: Call, cluster: Cluster, parsed: Parsed) -> None:
    """``rollout restart deployment/web``, ``set image deployment/web a=b``."""
    if not parsed.operands:
        raise UnreadableError("a subcommand that is missing")
    words = [word for word in parsed.operands[1:] if "=" not in word.prefix]
    name = name_of(parsed.operands[0], "a subcommand")
    if name in {"status", "history"}:
        note(call, cluster, "read", resources(words), scope="many")
    elif name in {
        "restart",
        "undo",
        "pause",
        "resume",
        "image",
        "env",
        "resources",
        "selector",
        "serviceaccount",
        "subject",
    }:
        _altered(call, cluster, parsed, words)
    else:
        raise UnreadableError(f"a subcommand that isn't known: {name[:40]}")


def _labels(call: Call, cluster: Cluster, parsed: Parsed) -> None:
    """``label pod web a=b c-``: behind the resources stand the labels."""
    words = [word for word in parsed.operands if "=" not in word.prefix and not word.prefix.endswith("-")]
    _altered(call, cluster, parsed, words)


def _nodes(call: Call, cluster: Cluster, parsed: Parsed) -> None:
    texts = [text.removeprefix("node/") for text in names_of(parsed.operands, "a node")]
    verb = "read" if is_dry(parsed) else "change"
    for text in texts:
        call.infrastructure(verb, cluster.one("node", text), scope=scope_for(len(texts)))
    if not texts:
        call.infrastructure(verb, cluster.kind("node"), scope="many")


def _drain(call: Call, cluster: Cluster, parsed: Parsed) -> None:
    """Whatever runs on the node goes."""
    _nodes(call, cluster, parsed)
    if not is_dry(parsed):
        call.infrastructure("delete", cluster.root, scope="many")


def _expose(call: Call, cluster: Cluster, parsed: Parsed) -> None:
    named = value_of(parsed, "--name", default="")
    for kind, name in resources(parsed.operands):
        call.infrastructure("read", cluster.one(kind, name or ""))
        call.infrastructure("read" if is_dry(parsed) else "create", cluster.one("service", named or name or ""))


def _autoscale(call: Call, cluster: Cluster, parsed: Parsed) -> None:
    named = value_of(parsed, "--name", default="")
    for _, name in resources(parsed.operands):
        call.infrastructure("create", cluster.one("horizontalpodautoscaler", named or name or ""))


CHANGES: Mapping[str, Callable[[Call, Cluster, Parsed], None]] = {
    "annotate": _labels,
    "apply": _change,
    "autoscale": _autoscale,
    "cordon": _nodes,
    "create": _create,
    "delete": _delete,
    "drain": _drain,
    "expose": _expose,
    "label": _labels,
    "patch": _scale,
    "replace": _change,
    "rollout": _second,
    "scale": _scale,
    "set": _second,
    "taint": _labels,
    "uncordon": _nodes,
}
"""The subcommands that change something."""
