"""gcloud and gsutil: a cloud's resources, by project, group and name.

    gcloud://<project>/<group>/<name>     gcloud://<project>/storage/<bucket>/<object>

``gcloud config set project`` changes what later commands mean: it is opaque.

Source: Google Cloud CLI reference.
"""

from collections.abc import Callable, Mapping, Sequence

from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.commands.buckets import Store, reduce_storage
from decisions.reducers.shell.commands.subcommands import below, name_of, names_of, scope_for, value_of
from decisions.reducers.shell.options import Parsed, names, options
from decisions.reducers.shell.word import Word

_GROUPS = names("""
    compute/instances compute/disks compute/snapshots compute/images compute/networks compute/firewall-rules
    compute/addresses compute/instance-groups compute/instance-templates compute/forwarding-rules compute/routers
    container/clusters container/node-pools sql/instances sql/databases sql/users sql/backups storage/buckets
    run/services run/jobs functions app/versions app/services projects iam/service-accounts iam/roles pubsub/topics
    pubsub/subscriptions secrets kms/keys kms/keyrings logging/sinks dns/managed-zones dns/record-sets redis/instances
    artifacts/repositories services builds dataflow/jobs scheduler/jobs
    """)
_VERBS: Mapping[str, str] = {
    **dict.fromkeys(names("list"), "list"),
    **dict.fromkeys(names("describe get-iam-policy get-value read logs"), "read"),
    **dict.fromkeys(names("create"), "create"),
    **dict.fromkeys(names("update start stop reset resize patch enable disable restart suspend resume "
        "add-iam-policy-binding "
                          "remove-iam-policy-binding set-iam-policy add-labels remove-labels add-tags remove-tags "
                          "add-metadata remove-metadata set-machine-type attach-disk detach-disk"), "change"),
    **dict.fromkeys(names("delete"), "delete"),
    **dict.fromkeys(names("execute call ssh"), "run"),
}  # fmt: skip
_TABLE = options(
    "-q --quiet --project= --zone= --region= --format= --filter= --limit= --sort-by= --page-size= --verbosity= --async "
    "--machine-type= --image= --image-family= --image-project= --num-nodes= --size= --type= --tier= "
    "--database-version= "
    "--member= --role= --network= --subnet= --tags= --labels= --metadata= --allow= --source-ranges= --memory= --cpu= "
    "--location= --cluster= --instance= --global --flatten= --uri --replication-policy= --topic= --host= --password= "
    "--description= --display-name= --boot-disk-size= --preemptible --min-instances= --max-instances= --timeout= "
    "--service-account= --scopes= --keyring= --purpose= --data= --wait --keep-disks= --delete-disks= --storage-class= "
    "--source= --runtime= --trigger-http --entry-point= --allow-unauthenticated --no-allow-unauthenticated --tag= "
    "--secret= --port= --concurrency= --set-env-vars= --max-instances= --config= --no-promote --version= --no-traffic",
    globs=False,
)
_STORAGE = Store(
    "gs://",
    "gcloud",
    options("-rRnmdclaLhq --recursive --project= --quiet --dry-run --delete", globs=False),
    "--project",
    "/storage",
)
_TELLS = frozenset({("config", "list"), ("config", "get"), ("config", "get-value"), ("auth", "list")})
_DEPLOYS: Mapping[tuple[str | None, ...], tuple[str, bool]] = {
    ("app", "deploy"): ("app", True),
    ("builds", "submit"): ("builds", True),
    ("functions", "deploy"): ("functions", True),
    ("run", "deploy"): ("run/services", False),
}
"""What is deployed: its group, and whether the directory is sent where no source is named."""


def _gcloud(call: Call) -> None:
    words = list(call.words)
    if words and words[0].literal in {"version", "--version", "info", "help", "--help"}:
        call.run()
        return
    if (
        len(words) > 1
        and words[0].literal == "storage"
        and words[1].literal in {"cp", "mv", "rm", "ls", "rsync", "cat", "du"}
    ):
        reduce_storage(call, _STORAGE, name_of(words[1], "a subcommand"), words[2:])
        return
    parsed = call.parse(_TABLE)
    texts = tuple(word.literal for word in parsed.operands[:2])
    if texts in _TELLS:
        call.run()
        return
    if _deploy(call, parsed, texts):
        return
    if parsed.loose:
        raise unresolved("a word that only the shell knows, and that may become an option")
    group, rest = _group(parsed.operands)
    verb = _VERBS.get(name_of(rest[0], "a subcommand")) if rest else None
    if verb is None:
        raise UnreadableError("a subcommand of gcloud that isn't known")
    _act(call, parsed, group, verb, rest[1:])


def _deploy(call: Call, parsed: Parsed, texts: tuple[str | None, ...]) -> bool:
    """Sources go up and run there. Tell whether it was one of these."""
    root = f"gcloud://{value_of(parsed, '--project')}"
    rest = parsed.operands[2:]
    if texts == ("secrets", "versions"):
        if [word.literal for word in rest[:1]] != ["access"]:
            return False
        call.infrastructure("read", below(f"{root}/secrets", value_of(parsed, "--secret")))
        return True
    if texts not in _DEPLOYS:
        return False
    group, reads = _DEPLOYS[texts]
    source = parsed.value("--source")
    if reads or source is not None:
        call.files("read", [source] if source else [Word.of(".")], many=True)
    if texts == ("builds", "submit") and rest:
        call.files("read", rest, many=True)
        rest = ()
    for text in names_of(rest[:1], "a resource") if texts[0] != "app" else [""]:
        call.infrastructure("change", below(f"{root}/{group}", text), scope="one" if text else "many", egress=True)
    if not rest and texts[0] != "app":
        call.infrastructure("change", f"{root}/{group}", scope="many", egress=True)
    return True


def _group(words: Sequence[Word]) -> tuple[str, Sequence[Word]]:
    texts = names_of(words[:2], "a subcommand")
    for count in (2, 1):
        group = "/".join(texts[:count])
        if group in _GROUPS:
            return group, words[count:]
    raise UnreadableError("a group of gcloud that isn't known")


def _act(call: Call, parsed: Parsed, group: str, verb: str, words: Sequence[Word]) -> None:
    root = f"gcloud://{value_of(parsed, '--project')}/{group}"
    texts = names_of(words[:1] if verb in {"run", "change"} else words, "a resource")
    egress = verb in {"create", "change", "run"}
    if any("://" in text for text in texts):
        raise unresolved("a resource by its address")
    for text in texts:
        call.infrastructure(verb, below(root, text), scope=scope_for(len(texts)), egress=egress)
    if not texts:
        mild = verb in {"list", "read", "create"}
        call.infrastructure(verb, root, scope="one" if mild else "many", egress=egress)


def _gsutil(call: Call) -> None:
    words = list(call.words)
    while words and words[0].literal in {"-m", "-q"}:
        words.pop(0)
    if not words:
        call.run()
        return
    reduce_storage(call, _STORAGE, name_of(words[0], "a subcommand"), words[1:])


COMMANDS: dict[str, Callable[[Call], None]] = {"gcloud": _gcloud, "gsutil": _gsutil}
