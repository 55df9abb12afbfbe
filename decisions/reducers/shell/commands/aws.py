"""The AWS command line: requests to a cloud, by profile, service and the resource that the parameters name.

    aws://<profile>/<service>/<sort>/<name>     aws://<profile>/s3/<bucket>/<key>

What an operation does, the start of its name says (`aws_tables.PREFIXES`). What it does it to, the parameter says
whose name agrees with the operation's: ``terminate-instances --instance-ids i-1``. Where none does, it is one or many
things somewhere in the service. A name counts in all regions alike.

Source: AWS CLI 2 command reference.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.commands import aws_tables as tables
from decisions.reducers.shell.commands.buckets import Store, reduce_storage
from decisions.reducers.shell.commands.subcommands import CURRENT, below, name_of
from decisions.reducers.shell.word import Word

_OPTION = re.compile(r"--[a-z0-9][A-Za-z0-9-]*", re.ASCII)
_NAMING = re.compile(r"--(?:([a-z0-9-]+)-)?(identifier|id|name|arn|url|value)(s?)", re.ASCII)
_ARN = re.compile(r"arn:aws[a-z-]*:([a-z0-9-]+):[a-z0-9-]*:([0-9]*|aws):([A-Za-z0-9/_.:*@+=,-]+)", re.ASCII)
_QUEUE = re.compile(r"https://[a-z0-9.-]+/([0-9]+)/([A-Za-z0-9_.-]+)", re.ASCII)
_NAME = re.compile(r"[A-Za-z0-9/_.@+=,$ -]+", re.ASCII)
# What names a resource without saying that it is a name.
_BARE = frozenset(
    {"cluster", "clusters", "bucket", "service", "services", "target", "targets", "task-definition", "key"}
)


def _aws(call: Call) -> None:
    words = list(call.words)
    leading: list[Word] = []
    while words and words[0].prefix.startswith("--"):
        name = words[0].prefix.partition("=")[0]
        if name in {"--version", "--help"}:
            call.run()
            return
        if name not in tables.GLOBAL_FLAGS | tables.GLOBAL_VALUED:
            raise UnreadableError(f"an option that isn't known: {name[:40]}")
        leading.append(words.pop(0))
        if name in tables.GLOBAL_VALUED and "=" not in leading[-1].prefix and words:
            leading.append(words.pop(0))
    if len(words) < 2:  # noqa: PLR2004  (a service and an operation)
        raise UnreadableError("aws without an operation")
    service = name_of(words[0], "a service")
    operation = name_of(words[1], "an operation")
    if service == "s3":
        reduce_storage(call, S3, operation, [*words[2:], *leading])
        return
    if service not in tables.SERVICES:
        raise UnreadableError(f"a service that isn't known: {service[:40]}")
    _request(call, service, operation, _parameters([*leading, *words[2:]]))


S3 = Store("s3://", "aws", tables.S3, "--profile", "/s3")


def _parameters(words: Sequence[Word]) -> dict[str, list[Word]]:
    """Read ``--name value ...``: an option takes all words up to the next."""
    found: dict[str, list[Word]] = {}
    name = ""
    for word in words:
        if word.is_loose:
            raise unresolved("a word that only the shell knows, and that may become an option")
        match = _OPTION.match(word.prefix)
        if match is not None:
            name, equals, _ = word.prefix.partition("=")
            if name in found or (word.literal is None and not equals):
                raise UnreadableError(f"an option that is given twice, or that isn't known: {name[:40]}")
            found[name] = [word.after(len(name) + 1)] if equals else []
        elif not name or word.prefix.startswith("--"):
            raise UnreadableError("an operand of aws that isn't read")
        else:
            found[name].append(word)
    if found.keys() & tables.ELSEWHERE:
        raise unresolved("another server, or a request that lies elsewhere")
    return found


def verb_of(service: str, operation: str) -> str:
    """Say what an operation does.

    Raises:
        UnreadableError: its name tells nothing.
    """
    if (service, operation) in tables.OPERATIONS:
        return tables.OPERATIONS[service, operation]
    if (service, operation) in tables.CUSTOM:
        raise UnreadableError(f"what aws {service} {operation} does beside its request isn't read")
    parts = operation.split("-")
    for count in range(len(parts), 0, -1):
        verb = tables.PREFIXES.get("-".join(parts[:count]))
        if verb is not None:
            return verb
    raise UnreadableError(f"an operation that isn't known: {operation[:40]}")


def _request(call: Call, service: str, operation: str, found: Mapping[str, list[Word]]) -> None:
    if (service, operation) in _APART:
        _APART[service, operation](call, found)
        return
    verb = verb_of(service, operation)
    account = _one(found, "--profile", CURRENT)
    _read_files(call, found)
    egress = verb in {"create", "change", "run"}
    named = _named(account, service, operation, found)
    agreeing = [target for agrees, target in named if agrees]
    if operation == "wait" or not named:
        mild = verb in {"read", "list", "create"}
        call.infrastructure(verb, _root(account, service), scope="one" if mild else "many", egress=egress)
        return
    # Deleting a role's policy names the role as well: that one is changed.
    beside = {"delete": "change", "create": "read"}.get(verb, verb)
    for agrees, target in named:
        told = verb if agrees or (not agreeing and verb != "create") else beside
        scope = "many" if len(agreeing or named) > 1 else "one"
        call.infrastructure(told, target, scope=scope, egress=egress and told not in {"read", "list"})
    if verb == "create" and not agreeing:
        call.infrastructure(verb, _root(account, service), egress=True)


def _root(account: str, service: str) -> str:
    """Name a service: both of S3's are one."""
    return f"aws://{account}/{'s3' if service == 's3api' else service}"


def _one(found: Mapping[str, list[Word]], option: str, default: str) -> str:
    words = found.get(option)
    if words is None:
        return default
    if len(words) != 1:
        raise UnreadableError(f"an option with another number of values: {option}")
    return name_of(words[0], option)


def _read_files(call: Call, found: Mapping[str, list[Word]]) -> None:
    """Note the files whose contents become parameters: ``file://x``, anywhere behind a sign of equality too."""
    for option, words in found.items():
        for word in words:
            shown = word.shown()
            if option in {"--query", "--output", "--profile", "--region"} or "://" not in shown:
                continue
            for mark in ("file://", "fileb://"):
                if word.prefix.startswith(mark):
                    call.files("read", [word.after(len(mark))])
            if not word.prefix.startswith(("file://", "fileb://")) and ("file://" in shown or "fileb://" in shown):
                raise UnreadableError("a parameter that may name a file")


def _named(account: str, service: str, operation: str, found: Mapping[str, list[Word]]) -> list[tuple[bool, str]]:
    """Give what the parameters name, and whether it is what the operation acts on."""
    # What is restored is the new thing; what it is made from is only read.
    noun = "-".join(operation.split("-")[1:]).partition("-from-")[0]
    result: list[tuple[bool, str]] = []
    for option, words in found.items():
        sort = _sort(option, noun)
        if not sort or option in tables.GLOBAL_VALUED:
            continue
        agrees = bool(noun) and (noun.endswith(sort) or _singular(noun).endswith(sort))
        result += [(agrees, _target(account, service, sort, word)) for word in words]
    return result


def _sort(option: str, noun: str) -> str:
    """Say of what sort a parameter names something; an empty text for a parameter that names nothing."""
    if option.removeprefix("--") in _BARE:
        return _singular(option.removeprefix("--"))
    match = _NAMING.fullmatch(option)
    if match is None or match[2] == "value":
        return ""
    return match[1] or _singular(noun) or "resource"


def _singular(noun: str) -> str:
    if noun.endswith("ies"):
        return noun[:-3] + "y"
    return noun[:-1] if noun.endswith("s") and not noun.endswith(("ss", "us")) else noun


def _target(account: str, service: str, sort: str, word: Word) -> str:
    text = name_of(word, f"a {sort}")
    match = _ARN.fullmatch(text)
    if match is not None:
        return below(f"aws://{match[2] or account}/{match[1]}", match[3].replace(":", "/"))
    queue = _QUEUE.fullmatch(text)
    if queue is not None:
        return f"aws://{queue[1]}/sqs/queue/{queue[2]}"
    if not _NAME.fullmatch(text):
        raise unresolved(f"a name of another spelling: {text[:60]!a}")
    if service == "s3api":
        return f"aws://{account}/s3/{text}"
    return below(f"aws://{account}/{service}/{sort}", text)


def _object(call: Call, found: Mapping[str, list[Word]], verb: str) -> None:
    """``s3api put-object --bucket b --key k --body f``, and the same with its output in a file."""
    account, bucket = _one(found, "--profile", CURRENT), _one(found, "--bucket", "")
    if not bucket or "/" in bucket or ":" in bucket:
        raise UnreadableError("no name of a bucket", "ID_INVALID")
    body = found.get("--body", [])
    call.files("read", body)
    _read_files(call, {option: words for option, words in found.items() if option != "--body"})
    # The source of a copy stands in one word with its bucket.
    for source in found.get("--copy-source", []):
        call.infrastructure("read", below(f"aws://{account}/s3", name_of(source, "a source")))
    target = below(f"aws://{account}/s3/{bucket}", _one(found, "--key", ""))
    call.infrastructure(verb, target, egress=verb == "change")


def _put_object(call: Call, found: Mapping[str, list[Word]]) -> None:
    _object(call, found, "change")


def _delete_object(call: Call, found: Mapping[str, list[Word]]) -> None:
    _object(call, found, "delete")


def _delete_objects(call: Call, found: Mapping[str, list[Word]]) -> None:
    """Which objects go, a parameter lists."""
    account, bucket = _one(found, "--profile", CURRENT), _one(found, "--bucket", "")
    if not bucket or "/" in bucket or ":" in bucket:
        raise UnreadableError("no name of a bucket", "ID_INVALID")
    _read_files(call, found)
    call.infrastructure("delete", below(f"aws://{account}/s3", bucket), scope="many")


def _head_object(call: Call, found: Mapping[str, list[Word]]) -> None:
    _object(call, found, "read")


def _get_object(call: Call, found: Mapping[str, list[Word]]) -> None:
    """The last word is the file that it writes."""
    _object(call, _without_output(call, found), "read")


def _invoke(call: Call, found: Mapping[str, list[Word]]) -> None:
    rest = _without_output(call, found)
    _read_files(call, rest)
    account = _one(rest, "--profile", CURRENT)
    for agrees, target in _named(account, "lambda", "invoke-function", rest):
        if agrees:
            call.infrastructure("run", target, egress=True)


def _without_output(call: Call, found: Mapping[str, list[Word]]) -> dict[str, list[Word]]:
    *others, (option, words) = found.items()
    if len(words) < 2:  # noqa: PLR2004  (the option's own value, and the file)
        raise UnreadableError("the file that the answer is written to is not the last word")
    call.files("write", [words[-1]])
    return {**dict(others), option: words[:-1]}


_APART: Mapping[tuple[str, str], Callable[[Call, Mapping[str, list[Word]]], None]] = {
    ("s3api", "put-object"): _put_object,
    ("s3api", "copy-object"): _put_object,
    ("s3api", "delete-object"): _delete_object,
    ("s3api", "delete-objects"): _delete_objects,
    ("s3api", "head-object"): _head_object,
    ("s3api", "get-object"): _get_object,
    ("lambda", "invoke"): _invoke,
}
COMMANDS: dict[str, Callable[[Call], None]] = {"aws": _aws}
