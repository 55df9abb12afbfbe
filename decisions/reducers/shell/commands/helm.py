"""helm: releases, as resources of a cluster.

A chart's templates decide what a release holds: installing one is a change of many things in its namespace. A chart
from a repository comes from wherever helm's settings say.

Source: Helm 3 manual.
"""

from collections.abc import Callable, Mapping, Sequence

from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.commands.subcommands import joined_table, name_of, names_of, parsed_as_pflag, value_of
from decisions.reducers.shell.options import OptionTable, Parsed, names, options
from decisions.reducers.shell.word import Word

_GLOBAL = options(
    "-n= --namespace= --kube-context= --kubeconfig= --kube-apiserver= --kube-token= --kube-as-user= --debug --help -h"
)
_ELSEWHERE = ("--kubeconfig", "--kube-apiserver", "--kube-token", "--kube-as-user")
_VALUES = (
    "-f=< --values=< --set= --set-string= --set-json= --set-file= --version= --devel --repo= --username= --dry-run=?"
)
_APPLY = (
    f"{_VALUES} -gi --install --generate-name --create-namespace --wait --wait-for-jobs --atomic --timeout= --force "
    "--reuse-values --reset-values --reset-then-reuse-values --cleanup-on-fail --history-max= --description= "
    "--no-hooks --skip-crds --dependency-update --replace --labels= -l= -o= --output= --skip-schema-validation"
)
_LOOKS: Mapping[str, OptionTable] = {
    "list": options("-Aaqdr -l= -o= -f= --all-namespaces --all --short --output= --filter= --selector= --max= --date "
                    "--deployed --failed --pending --uninstalled --superseded --reverse --time-format="),
    "status": options("-o= --output= --revision= --show-desc --show-resources"),
    "history": options("-o= --output= --max="),
    "get": options("-a -o= --all --output= --revision= --template="),
    "test": options("--logs --timeout= --filter="),
}  # fmt: skip
_CHARTS: Mapping[str, OptionTable] = {
    "template": options(f"{_VALUES} -s= --show-only= --include-crds --name-template= --release-name --no-hooks "
                        "--api-versions= --kube-version= --skip-tests --validate --is-upgrade"),
    "lint": options(f"{_VALUES} --strict --quiet --with-subcharts --kube-version="),
}  # fmt: skip
_REMOVE = options(
    "--keep-history --dry-run=? --wait --timeout= --no-hooks --cascade= --description= --ignore-not-found"
)
_ROLLBACK = options("--dry-run=? --wait --timeout= --force --cleanup-on-fail --no-hooks --recreate-pods --history-max=")
_PLAIN = {"version": options("--short --template= -c --client"), "env": options("")}
_SHOWN = options("--version= --devel --repo= --jsonpath=")
_PACKED = options("-d= -u --destination= --version= --app-version= --dependency-update")
_PULLED = options("-d= --destination= --version= --devel --repo= --untar --untardir=")
_DEPENDENCIES = options("--skip-refresh --max-col-width=")
_OTHER_NAMES = {
    "dep": "dependency",
    "inspect": "show",
    "fetch": "pull",
    "ls": "list",
    "del": "uninstall",
    "delete": "uninstall",
    "un": "uninstall",
    "hist": "history",
}
_PAIR = 2


def _helm(call: Call) -> None:
    parsed = call.parse(joined_table(_GLOBAL, ends_at_operand=True))
    if not parsed.operands:
        call.run()
        return
    name = name_of(parsed.operands[0], "a subcommand")
    name = _OTHER_NAMES.get(name, name)
    words = [*call.words[: len(call.words) - len(parsed.operands)], *parsed.operands[1:]]
    if name in _PLAIN:
        parsed_as_pflag(call, joined_table(_PLAIN[name], _GLOBAL), words)
        call.run()
    elif name in _LOOKS:
        _look(call, name, parsed_as_pflag(call, joined_table(_LOOKS[name], _GLOBAL), words))
    elif name in _CHARTS:
        inner = parsed_as_pflag(call, joined_table(_CHARTS[name], _GLOBAL), words)
        _chart(call, inner, inner.operands[-1:])
    elif name in {"install", "upgrade"}:
        _apply(call, name, parsed_as_pflag(call, joined_table(options(_APPLY), _GLOBAL), words))
    elif name in {"uninstall", "rollback"}:
        table = _REMOVE if name == "uninstall" else _ROLLBACK
        _remove(call, name, parsed_as_pflag(call, joined_table(table, _GLOBAL), words))
    elif name in _LOCAL:
        _LOCAL[name](call, words)
    else:
        raise UnreadableError(f"a subcommand of helm that isn't known: {name[:40]}")


def _space(parsed: Parsed) -> str:
    if parsed.has(*_ELSEWHERE):
        raise unresolved("another cluster, or another's rights, than those of a context")
    return f"k8s://{value_of(parsed, '--kube-context')}/{value_of(parsed, '-n', '--namespace')}"


def _look(call: Call, name: str, parsed: Parsed) -> None:
    space = _space(parsed)
    if name == "list":
        call.infrastructure(
            "list", space.rpartition("/")[0] if parsed.has("-A", "--all-namespaces") else f"{space}/helm"
        )
        return
    words = parsed.operands[1:] if name == "get" else parsed.operands
    for release in names_of(words[:1], "a release"):
        call.infrastructure("run" if name == "test" else "read", f"{space}/helm/{release}")


def _chart(call: Call, parsed: Parsed, words: Sequence[Word]) -> None:
    """Note where a chart comes from, and what files its values are read from."""
    for option in parsed.options:
        if option.name == "--set-file" and option.value is not None:
            for pair in name_of(option.value, "a value from a file").split(","):
                call.files("read", [Word.of(pair.partition("=")[2])])
    for word in words:
        text = name_of(word, "a chart")
        if parsed.has("--repo") or text.startswith(("oci://", "http://", "https://")):
            call.run(code_origin="untrusted")
        elif text.startswith(("./", "../", "/", "~", ".")) or text.endswith(".tgz"):
            call.files("read", [word], many=True)
        else:
            # `stable/nginx` is a directory, or a chart of a repository: only helm's settings know.
            call.run(code_origin="untrusted")


def _apply(call: Call, name: str, parsed: Parsed) -> None:
    generated = parsed.has("-g", "--generate-name")
    if len(parsed.operands) != (1 if generated else _PAIR):
        raise UnreadableError(f"helm {name} without a release and a chart")
    space = _space(parsed)
    _chart(call, parsed, parsed.operands[-1:])
    verb = "read" if parsed.has("--dry-run") else "create" if name == "install" else "change"
    release = f"{space}/helm" if generated else f"{space}/helm/{name_of(parsed.operands[0], 'a release')}"
    egress = verb != "read"
    call.infrastructure(verb, release, egress=egress)
    # What the chart brings lies in the release's namespace, and in the cluster.
    call.infrastructure(verb if verb == "read" else "change", space.rpartition("/")[0], scope="many", egress=egress)


def _remove(call: Call, name: str, parsed: Parsed) -> None:
    space = _space(parsed)
    verb = "read" if parsed.has("--dry-run") else "delete" if name == "uninstall" else "change"
    words = parsed.operands if name == "uninstall" else parsed.operands[:1]
    for release in names_of(words, "a release"):
        call.infrastructure(verb, f"{space}/helm/{release}")
        call.infrastructure(verb, space.rpartition("/")[0], scope="many")


def _table(call: Call, table: OptionTable, words: Sequence[Word]) -> Parsed:
    return parsed_as_pflag(call, joined_table(table, _GLOBAL), words)


def _second(words: Sequence[Word], known: frozenset[str]) -> tuple[str, Sequence[Word]]:
    name = name_of(words[0], "a subcommand") if words else ""
    if name not in known:
        raise UnreadableError(f"a subcommand of helm that isn't known: {name[:40]}")
    return name, words[1:]


def _show(call: Call, words: Sequence[Word]) -> None:
    _, rest = _second(words, names("all chart crds readme values"))
    parsed = _table(call, _SHOWN, rest)
    _chart(call, parsed, parsed.operands[:1])


def _package(call: Call, words: Sequence[Word]) -> None:
    parsed = _table(call, _PACKED, words)
    call.files("read", parsed.operands, many=True)
    call.files("write", [parsed.value("-d", "--destination") or Word.of(".")], many=True)
    if parsed.has("-u", "--dependency-update"):
        _fetched(call, parsed)


def _pull(call: Call, words: Sequence[Word]) -> None:
    parsed = _table(call, _PULLED, words)
    for word in (parsed.value("-d", "--destination") or Word.of("."), parsed.value("--untardir")):
        call.files("write", [word] if word else [], many=True)
    call.run()


def _push(call: Call, words: Sequence[Word]) -> None:
    parsed = _table(call, options(""), words)
    call.files("read", parsed.operands[:1])
    call.run(egress=True)


def _dependency(call: Call, words: Sequence[Word]) -> None:
    name, rest = _second(words, names("build list ls up update"))
    parsed = _table(call, _DEPENDENCIES, rest)
    call.files("read", parsed.operands or [Word.of(".")], many=True)
    if name not in {"list", "ls"}:
        _fetched(call, parsed)


def _fetched(call: Call, parsed: Parsed) -> None:
    """Charts come from wherever the chart says, and lie in it then."""
    call.files("write", parsed.operands or [Word.of(".")], many=True)
    call.run(code_origin="untrusted")


def _repositories(call: Call, words: Sequence[Word]) -> None:
    """Looking only: what is added is what later commands fetch from."""
    _, rest = _second(words, names("list ls update up"))
    _table(call, options("-o= --output="), rest)
    call.run()


def _search(call: Call, words: Sequence[Word]) -> None:
    name, rest = _second(words, names("hub repo"))
    _table(call, options("-lr -o= --output= --versions --regexp --version= --devel --max-col-width="), rest)
    call.run(egress=name == "hub")


def _create(call: Call, words: Sequence[Word]) -> None:
    parsed = _table(call, options(""), words)
    call.files("write", parsed.operands, many=True)


_LOCAL: Mapping[str, Callable[[Call, Sequence[Word]], None]] = {
    "create": _create,
    "dependency": _dependency,
    "package": _package,
    "pull": _pull,
    "push": _push,
    "repo": _repositories,
    "search": _search,
    "show": _show,
}
"""What is about charts alone, and touches no cluster."""


COMMANDS: dict[str, Callable[[Call], None]] = {"helm": _helm}
