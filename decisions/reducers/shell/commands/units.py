"""systemctl, service, journalctl: the units of a service manager, and its journal.

    systemd://<host>/<unit>     systemd://<host>/user/<unit>     systemd://<host>/journal/<unit>

Source: systemd 256 manuals.
"""

from collections.abc import Callable, Mapping

from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.commands.subcommands import name_of, names_of, scope_for, value_of
from decisions.reducers.shell.options import Parsed, names, options

_SYSTEMCTL = options(
    "-alqfi -t= -p= -n= -o= -s= -H= --all --full --quiet --force --type= --state= --property= --lines= --output= "
    "--signal= "
    "--no-pager --no-block --no-legend --plain --now --user --system --failed --value --wait --runtime --no-reload "
    "--recursive --reverse --after --before --show-types --kill-who= --kill-whom= --host= --message= --no-wall "
    "--legend=",
    globs=False,
)
_JOURNALCTL = options(
    "-xefrakq -n=? -u= -b=? -S= -U= -p= -o= -t= -g= -F= -D=< --unit= --user-unit= --boot=? --since= --until= "
    "--priority= --output= --identifier= --grep= --field= --follow --reverse --lines=? --no-pager --pager-end "
    "--catalog --dmesg --all "
    "--quiet --utc --no-hostname --no-full --list-boots --disk-usage --verify --header --directory=< --file=< --user "
    "--system --merge -m --cursor= --after-cursor= --show-cursor --no-tail --case-sensitive=? --vacuum-size= "
    "--vacuum-time= --vacuum-files= --rotate --flush --sync --output-fields= --facility=",
    globs=False,
)
_VERBS: Mapping[str, str] = {
    **dict.fromkeys(names("status show cat is-active is-enabled is-failed list-dependencies help"), "read"),
    **dict.fromkeys(names("list-units list-unit-files list-timers list-sockets list-jobs list-machines "
        "is-system-running "
                          "get-default show-environment list-paths list-automounts"), "list"),
    **dict.fromkeys(names("start stop restart reload try-restart reload-or-restart try-reload-or-restart enable "
        "disable "
                          "reenable mask unmask preset kill reset-failed set-property revert freeze thaw clean "
                          "daemon-reload daemon-reexec"), "change"),
}  # fmt: skip
_POWER = names(
    "reboot poweroff halt suspend hibernate hybrid-sleep kexec soft-reboot rescue emergency default isolate exit"
)
_SUFFIX = names("service socket target timer mount automount path slice scope device swap")
_ACTIONS = names("start stop restart reload force-reload try-restart condrestart")


def unit_of(text: str) -> str:
    """Give a unit's whole name: ``nginx`` is ``nginx.service``.

    Raises:
        UnreadableError: it stands for several, or is a path.
    """
    if any(sign in text for sign in "*?[/"):
        raise unresolved(f"a unit that isn't written out: {text[:40]}")
    return text if text.rpartition(".")[2] in _SUFFIX and "." in text else f"{text}.service"


def _root(parsed: Parsed) -> str:
    host = value_of(parsed, "-H", "--host")
    return f"systemd://{host}/user" if parsed.has("--user") else f"systemd://{host}"


def _systemctl(call: Call) -> None:
    parsed = call.parse(_SYSTEMCTL)
    root = _root(parsed)
    if not parsed.operands:
        call.infrastructure("list", root)
        return
    name = name_of(parsed.operands[0], "a subcommand")
    texts = names_of(parsed.operands[1:], "a unit")
    if name in _POWER:
        if name == "isolate" or not parsed.has("--user"):
            call.infrastructure("change", f"host://{value_of(parsed, '-H', '--host')}/power", scope="all")
            return
        raise UnreadableError("an end of the user's session")
    verb = _VERBS.get(name)
    if verb is None:
        raise UnreadableError(f"a subcommand of systemctl that isn't known: {name[:40]}")
    texts = texts[:1] if name == "set-property" else texts
    if verb == "list" or not texts:
        whole = verb == "change" and not name.startswith("daemon-")
        call.infrastructure(verb, root, scope="all" if whole else "one")
        return
    for text in texts:
        call.infrastructure(verb, f"{root}/{unit_of(text)}", scope=scope_for(len(texts)))


def _service(call: Call) -> None:
    texts = names_of(call.words, "a service")
    if texts == ["--status-all"]:
        call.infrastructure("list", "systemd://current")
    elif len(texts) == 2 and (texts[1] == "status" or texts[1] in _ACTIONS):  # noqa: PLR2004  (a unit and an action)
        verb = "read" if texts[1] == "status" else "change"
        call.infrastructure(verb, f"systemd://current/{unit_of(texts[0])}")
    else:
        raise UnreadableError("an action of a service that isn't known")


def _journalctl(call: Call) -> None:
    parsed = call.parse(_JOURNALCTL)
    names_of(parsed.operands, "a field")
    journal = "systemd://current/user/journal" if parsed.has("--user") else "systemd://current/journal"
    if parsed.has("--vacuum-size", "--vacuum-time", "--vacuum-files"):
        call.infrastructure("delete", journal, scope="many")
    elif parsed.has("--rotate", "--flush", "--sync"):
        call.infrastructure("change", journal)
    elif not parsed.has("-D", "--directory", "--file"):
        units = [option.value for option in parsed.options if option.name in {"-u", "--unit", "--user-unit"}]
        texts = names_of([word for word in units if word is not None], "a unit")
        for text in texts:
            call.infrastructure("read", f"{journal}/{unit_of(text)}")
        if not texts:
            call.infrastructure("read", journal, scope="many")


COMMANDS: dict[str, Callable[[Call], None]] = {
    "systemctl": _systemctl,
    "service": _service,
    "journalctl": _journalctl,
}
