"""Object stores: what ``aws s3`` and ``gsutil`` copy, move, delete and list.

    aws://<profile>/s3/<bucket>/<key>     gcloud://<project>/storage/<bucket>/<object>

Source: AWS CLI 2 ``s3`` commands; gsutil 5.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.commands.subcommands import below, name_of, value_of
from decisions.reducers.shell.options import OptionTable, Parsed
from decisions.reducers.shell.word import Word

_WIDE = ("--recursive", "-r", "-R")
_PAIR = 2


@dataclass(frozen=True, slots=True)
class Store:
    """An object store's command.

    Attributes:
        mark: what an address in the store starts with.
        scheme: the scheme of its references.
        table: the options of its subcommands.
        account: the option that names the account.
        path: what stands between account and bucket in a reference.
    """

    mark: str
    scheme: str
    table: OptionTable
    account: str
    path: str

    def target(self, word: Word, parsed: Parsed) -> tuple[str, bool]:
        """Spell the reference of an address, and tell whether it is a whole bucket or prefix."""
        text = name_of(word, "an address").removeprefix(self.mark)
        if any(sign in text for sign in "*?[") or not text.partition("/")[0]:
            raise unresolved("an address that stands for several")
        root = f"{self.scheme}://{value_of(parsed, self.account)}{self.path}"
        return below(root, text), text.endswith("/") or "/" not in text

    def is_remote(self, word: Word) -> bool:
        """Whether a word is an address in the store."""
        return word.prefix.startswith(self.mark)


def reduce_storage(call: Call, store: Store, name: str, words: Sequence[Word]) -> None:
    """Note what a subcommand does.

    Args:
        call: the command.
        store: its store.
        name: the subcommand.
        words: its arguments.

    Raises:
        UnreadableError: an option or a subcommand that isn't known.
    """
    parsed = call.parse(store.table, words)
    if parsed.loose:
        raise unresolved("a word that only the shell knows, and that may become an option")
    if name in {"cp", "mv", "sync", "rsync"}:
        _copy(call, store, name, parsed)
    elif name in {"rm", "rb"}:
        _remove(call, store, name, parsed)
    elif name == "mb":
        for word in parsed.operands:
            call.infrastructure("create", store.target(word, parsed)[0])
    elif name in {"ls", "du", "stat", "cat"}:
        _look(call, store, name, parsed)
    else:
        raise UnreadableError(f"a subcommand that isn't known: {name[:40]}")


def _look(call: Call, store: Store, name: str, parsed: Parsed) -> None:
    verb = "read" if name == "cat" else "list"
    for word in parsed.operands:
        target, whole = store.target(word, parsed)
        # `ls s3://b/lo` lists whatever starts so.
        where = target if whole or verb == "read" else target.rpartition("/")[0]
        call.infrastructure(verb, where, scope="many" if parsed.has(*_WIDE) else "one")
    if not parsed.operands:
        call.infrastructure(verb, f"{store.scheme}://{value_of(parsed, store.account)}{store.path}")


def _remove(call: Call, store: Store, name: str, parsed: Parsed) -> None:
    verb = "list" if parsed.has("--dryrun", "--dry-run") else "delete"
    wide = parsed.has(*_WIDE) or parsed.has("--force")
    for word in parsed.operands:
        target, _ = store.target(word, parsed)
        bucket = "/" not in word.prefix.removeprefix(store.mark).rstrip("/")
        filtered = parsed.has("--exclude", "--include")
        scope = "one" if not wide else "all" if bucket and not filtered else "many"
        call.infrastructure(verb, target, scope=scope)
    if not parsed.operands:
        raise UnreadableError(f"{name} without an address")


def _copy(call: Call, store: Store, name: str, parsed: Parsed) -> None:
    if len(parsed.operands) != _PAIR:
        raise UnreadableError(f"{name} without a source and a destination")
    source, target = parsed.operands
    wide = name in {"sync", "rsync"} or parsed.has(*_WIDE)
    dry = parsed.has("--dryrun", "--dry-run")
    _from(call, store, source, parsed, wide=wide, moves=name == "mv" and not dry)
    scope = "many" if wide else "one"
    deletes = parsed.has("--delete", "-d") and not dry
    if store.is_remote(target):
        reference = store.target(target, parsed)[0]
        call.infrastructure("list" if dry else "change", reference, scope=scope, egress=not dry)
        if deletes:
            call.infrastructure("delete", reference, scope="many")
    elif target.literal != "-":
        call.files("list" if dry else "write", [target], many=True, dash=False)
        if deletes:
            call.files("delete", [target], many=True, dash=False)
    if not store.is_remote(source) and not store.is_remote(target):
        raise UnreadableError(f"{name} between two files")


def _from(call: Call, store: Store, source: Word, parsed: Parsed, *, wide: bool, moves: bool) -> None:
    if store.is_remote(source):
        reference = store.target(source, parsed)[0]
        call.infrastructure("read", reference, scope="many" if wide else "one")
        if moves:
            call.infrastructure("delete", reference, scope="many" if wide else "one")
        return
    call.files("read", [source], many=wide)
    if moves:
        call.files("delete", [source], many=wide, dash=False)
