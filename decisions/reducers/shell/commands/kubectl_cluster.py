"""Where kubectl's resources lie, and how they are named.

Source: kubectl 1.31 manual.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.commands import kubectl_tables as tables
from decisions.reducers.shell.commands.subcommands import names_of, scope_for, value_of
from decisions.reducers.shell.options import Parsed
from decisions.reducers.shell.word import Word

_ALL = ("-A", "--all-namespaces")
FILES = ("-f", "--filename", "-k", "--kustomize")


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where a command's resources lie.

    Attributes:
        root: reference of the cluster.
        namespace: the namespace, or None for all of them.
    """

    root: str
    namespace: str | None

    def kind(self, kind: str) -> str:
        """Spell the reference of all resources of a kind."""
        if kind == "namespace":
            return self.root
        if kind in tables.CLUSTERWIDE:
            return f"{self.root}/_cluster/{kind}"
        inside = self.root if self.namespace is None else f"{self.root}/{self.namespace}"
        return inside if self.namespace is None or kind == "all" else f"{inside}/{kind}"

    def one(self, kind: str, name: str) -> str:
        """Spell a resource's reference.

        Raises:
            UnreadableError: it can't be named without its namespace.
        """
        if self.namespace is None and kind not in tables.CLUSTERWIDE | {"namespace"}:
            raise UnreadableError("a name in all namespaces")
        return f"{self.kind(kind)}/{name}"


def cluster_of(parsed: Parsed) -> Cluster:
    """Tell where a command's resources lie.

    Raises:
        UnreadableError: its options lead to another cluster than its context's, or to another's rights.
    """
    if parsed.has(*tables.ELSEWHERE):
        raise unresolved("another cluster, or another's rights, than those of a context")
    namespace = value_of(parsed, "-n", "--namespace")
    return Cluster(f"k8s://{value_of(parsed, '--context')}", None if parsed.has(*_ALL) else namespace)


_GROUPS = frozenset({"apps", "batch", "autoscaling", "policy", "networking.k8s.io", "rbac.authorization.k8s.io"})
"""The cluster's own groups, by which a kind may be named in full."""


def kind_of(text: str) -> str:
    """Give the one name of a kind of resource.

    Raises:
        UnreadableError: it isn't known.
    """
    name, _, group = text.lower().partition(".")
    if name not in tables.KINDS or (group and group.removeprefix("v1.") not in _GROUPS):
        raise unresolved(f"a kind of resource that isn't known: {text[:40]}")
    return tables.KINDS[name]


def resources(words: Sequence[Word]) -> list[tuple[str, str | None]]:
    """Read ``pod web``, ``pod/web deploy/api`` and ``pods,svc``: each kind, with a name or for all of them."""
    texts = names_of(words, "a resource")
    if not texts:
        return []
    if any("/" in text for text in texts):
        pairs = [text.partition("/") for text in texts]
        if any(not name or "/" in name for _, _, name in pairs):
            raise UnreadableError("resources in two spellings")
        return [(kind_of(kind), name) for kind, _, name in pairs]
    kinds = [kind_of(kind) for kind in texts[0].split(",")]
    found: list[tuple[str, str | None]] = [(kind, name) for kind in kinds for name in texts[1:]]
    return found or [(kind, None) for kind in kinds]


def note(call: Call, cluster: Cluster, verb: str, found: Sequence[tuple[str, str | None]], *, scope: str) -> None:
    """Note an action on each resource; one without a name stands for all of its kind."""
    for kind, name in found:
        if name is None:
            call.infrastructure(verb, cluster.kind(kind), scope=scope, egress=verb == "change")
        else:
            call.infrastructure(verb, cluster.one(kind, name), scope=scope_for(len(found)), egress=verb == "change")


def from_files(call: Call, cluster: Cluster, verb: str, parsed: Parsed) -> bool:
    """Note what files name: anything in the cluster. Tell whether there were any."""
    if not parsed.has(*FILES):
        return False
    for option in parsed.options:
        if option.value is None:
            continue
        if option.name in {"-f", "--filename"} and "://" in option.value.shown():
            call.web("fetch", option.value)
        elif option.name in FILES:
            # A name without a known ending may be a directory's: all files in it are read.
            one = option.name in {"-f", "--filename"} and option.value.prefix.endswith((".yaml", ".yml", ".json"))
            whole = not one or parsed.has("-R", "--recursive")
            call.files("read", [option.value], many=whole)
    call.infrastructure(verb, cluster.root, scope="many", egress=verb not in {"read", "delete"})
    return True


def is_dry(parsed: Parsed) -> bool:
    """Whether a command only says what it would do."""
    value = parsed.value("--dry-run")
    return parsed.has("--dry-run") and (value is None or value.literal in {"client", "server"})
