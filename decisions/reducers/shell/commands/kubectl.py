"""kubectl: the resources of one cluster, by context, namespace, kind and name.

    k8s://<context>/<namespace>/<kind>/<name>     k8s://<context>/_cluster/<kind>/<name>, of what lies in no namespace

Context and namespace are ``current`` where the command leaves them to its settings. What lies in a file is read by
kubectl alone, and it may name any namespace: such a change is one of many things anywhere in the cluster.
``kubectl config use-context`` changes what ``current`` means, so it is opaque.

Source: kubectl 1.31 manual.
"""

from collections.abc import Callable, Mapping, Sequence

from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.commands import kubectl_tables as tables
from decisions.reducers.shell.commands.kubectl_changes import CHANGES
from decisions.reducers.shell.commands.kubectl_cluster import (
    Cluster,
    cluster_of,
    from_files,
    is_dry,
    kind_of,
    note,
    resources,
)
from decisions.reducers.shell.commands.subcommands import (
    joined_table,
    name_of,
    parsed_as_pflag,
)
from decisions.reducers.shell.options import Parsed
from decisions.reducers.shell.word import Word

_SUBCOMMANDS = {name: joined_table(table, tables.GLOBAL) for name, table in tables.TABLES.items()}
_PAIR = 2


def _kubectl(call: Call) -> None:
    parsed = call.parse(joined_table(tables.GLOBAL, ends_at_operand=True))
    if not parsed.operands:
        call.run()
        return
    name = name_of(parsed.operands[0], "a subcommand")
    words = [*call.words[: len(call.words) - len(parsed.operands)], *parsed.operands[1:]]
    if name in tables.RUNNING:
        _running(call, name, words)
    elif name in _SUBCOMMANDS:
        inner = parsed_as_pflag(call, _SUBCOMMANDS[name], words)
        _DOES[name](call, cluster_of(inner), inner)
    else:
        raise UnreadableError(f"a subcommand of kubectl that isn't known: {name[:40]}")


def _get(call: Call, cluster: Cluster, parsed: Parsed) -> None:
    if from_files(call, cluster, "read", parsed):
        return
    found = resources(parsed.operands)
    shown = parsed.value("-o", "--output")
    if shown is not None and "file" in shown.shown():
        raise UnreadableError("a template from a file")
    whole = shown is not None and shown.literal not in {"wide", "name"}
    # A list of names tells nothing of what is in them; their contents do.
    note(call, cluster, "read" if whole or any(name for _, name in found) else "list", found, scope="many")


def _read(call: Call, cluster: Cluster, parsed: Parsed) -> None:
    if not from_files(call, cluster, "read", parsed):
        note(call, cluster, "read", resources(parsed.operands), scope="many")


def _logs(call: Call, cluster: Cluster, parsed: Parsed) -> None:
    if not parsed.operands:
        call.infrastructure("read", cluster.kind("pod"), scope="many")
        return
    call.infrastructure("read", _pod(cluster, parsed.operands[0]))


def _pod(cluster: Cluster, word: Word) -> str:
    """Spell what a command goes into: a pod's name, or ``deploy/web``."""
    kind, slash, name = name_of(word, "a pod").partition("/")
    return cluster.one(kind_of(kind), name) if slash else cluster.one("pod", kind)


def _looks(call: Call, cluster: Cluster, _parsed: Parsed) -> None:
    call.infrastructure("list", cluster.root)


def _top(call: Call, cluster: Cluster, parsed: Parsed) -> None:
    note(call, cluster, "read", resources(parsed.operands[:1]), scope="many")


def _copy(call: Call, cluster: Cluster, parsed: Parsed) -> None:
    if len(parsed.operands) != _PAIR:
        raise UnreadableError("kubectl cp without a source and a destination")
    source, target = parsed.operands
    if _is_inside(source) == _is_inside(target):
        raise UnreadableError("kubectl cp copies between a pod and the host")
    place = name_of(source if _is_inside(source) else target, "a pod").partition(":")[0]
    space, slash, pod = place.partition("/")
    where = Cluster(cluster.root, space) if slash else cluster
    reference = where.one("pod", pod if slash else space)
    if _is_inside(source):
        call.infrastructure("read", reference)
        call.files("write", [target], many=True, dash=False)
    else:
        call.files("read", [source], many=True, dash=False)
        call.infrastructure("change", reference, egress=True)


def _is_inside(word: Word) -> bool:
    name, colon, _ = word.prefix.partition(":")
    return bool(colon) and not name.startswith((".", "/"))


def _forward(call: Call, cluster: Cluster, parsed: Parsed) -> None:
    call.infrastructure("run", _pod(cluster, parsed.operands[0]) if parsed.operands else cluster.root)


def _proxy(call: Call, cluster: Cluster, _parsed: Parsed) -> None:
    call.infrastructure("run", cluster.root, scope="many")


def _kustomize(call: Call, _cluster: Cluster, parsed: Parsed) -> None:
    if any("://" in word.shown() for word in parsed.operands):
        raise UnreadableError("a kustomization from elsewhere")
    call.files("read", parsed.operands or [Word.of(".")], many=True)


def _config(call: Call, _cluster: Cluster, parsed: Parsed) -> None:
    name = name_of(parsed.operands[0], "a subcommand") if parsed.operands else ""
    if name not in {"view", "get-contexts", "current-context", "get-clusters", "get-users"}:
        raise UnreadableError(
            "it changes which cluster is the current one: name the context of each command, --context"
        )
    if call.home is None:
        raise unresolved("the home directory isn't known")
    call.file_at("read", f"{call.home}/.kube/config")


def _auth(call: Call, cluster: Cluster, parsed: Parsed) -> None:
    if not parsed.operands or parsed.operands[0].literal not in {"can-i", "whoami"}:
        raise UnreadableError("a subcommand that isn't known")
    call.infrastructure("list", cluster.root)


def _running(call: Call, name: str, words: Sequence[Word]) -> None:
    """Only what stands before ``--`` is kubectl's."""
    end = next((index for index, word in enumerate(words) if word.literal == "--"), len(words))
    parsed = parsed_as_pflag(call, tables.RUNNING[name], words[:end])
    cluster = cluster_of(parsed)
    if not parsed.operands:
        raise UnreadableError(f"kubectl {name} without its pod")
    kind, slash, rest = name_of(parsed.operands[0], "a pod").partition("/")
    if name == "run" and slash:
        raise UnreadableError("no name of a pod", "ID_INVALID")
    if name == "run" and is_dry(parsed):
        call.infrastructure("read", cluster.one("pod", kind))
        return
    if parsed.has("--privileged") or (name == "debug" and kind in {"node", "no", "nodes"}):
        call.run(elevated=True)
    if name == "run":
        call.infrastructure("create", cluster.one("pod", kind))
    target = cluster.one(kind_of(kind), rest) if slash else cluster.one("pod", kind)
    call.infrastructure("run", target, egress=True)


_DOES: Mapping[str, Callable[[Call, Cluster, Parsed], None]] = {
    **CHANGES,
    "api-resources": _looks,
    "api-versions": _looks,
    "auth": _auth,
    "cluster-info": _looks,
    "config": _config,
    "cp": _copy,
    "describe": _read,
    "diff": _read,
    "events": _looks,
    "explain": _looks,
    "get": _get,
    "kustomize": _kustomize,
    "logs": _logs,
    "port-forward": _forward,
    "proxy": _proxy,
    "top": _top,
    "version": _looks,
    "wait": _read,
}
COMMANDS: dict[str, Callable[[Call], None]] = {"kubectl": _kubectl}
