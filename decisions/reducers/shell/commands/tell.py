"""Programs that say something of the machine, of the time, or of their arguments, and change nothing.

Those that tell what is on the machine, such as other processes with their arguments, are a reading of it.

Source: the manuals of GNU coreutils 9, procps 4, util-linux 2.40.
"""

from collections.abc import Callable, Mapping

from decisions.reducers.errors import UnreadableError
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.environment import NAME
from decisions.reducers.shell.options import OptionTable, names, options, parse

# These print their arguments, or a plain fact; where operands would set or read something, there is none.
_WORDS: Mapping[str, OptionTable] = {
    "basename": options("-az -s= --multiple --suffix= --zero"),
    "dirname": options("-z --zero"),
    "expr": options(""),
    "seq": options("-w -f= -s= --format= --separator= --equal-width", numbers=True),
    "sleep": options(""),
    "yes": options(""),
    "numfmt": options("-d= -z --from= --to= --format= --suffix= --padding= --field= --header=? --round= --grouping"),
    "factor": options("-h"),
    "tput": options("-T=", numbers=True),
    "getconf": options("-a"),
    "uuidgen": options("-rtmsx -n= -N="),
    "cal": options("-13ymsjw -n=", numbers=True),
    "clear": options("-x"),
    "pathchk": options("-pP"),
    "nproc": options("--all --ignore="),
    "id": options("-gGnruzZ --group --groups --name --user --real"),
    "groups": options(""),
    "locale": options("-amkcv"),
    "cygpath": options("-uwm"),
}
_ALONE: Mapping[str, OptionTable] = {
    "date": options(
        "-uR -d= -I=? -r=< -f=< --date= --utc --universal --iso-8601=? --rfc-3339= --rfc-email --reference=< --file=<"
    ),
    "uname": options("-asnrvmpio --all --kernel-name --nodename --kernel-release --machine --operating-system"),
    "arch": options(""),
    "whoami": options(""),
    "logname": options(""),
    "tty": options("-s"),
    "hostname": options("-adfiIsAy --all-ip-addresses --fqdn --short --domain --long"),
    "uptime": options("-ps --pretty --since"),
    "hostid": options(""),
}
# What these tell of lies on the machine: its processes, users, devices and messages.
_MACHINE: Mapping[str, tuple[str, OptionTable]] = {
    "ps": ("process", options("-AaedfFljLmMnNTuvwxXZcH -C= -G= -g= -o= -O= -p= -q= -s= -t= -U= --forest "
    "--no-headers --headers "
                              "--sort= --pid= --ppid= --user= --format= --cols=")),
    "pgrep": ("process", options("-aflcnoxvLi -u= -P= -g= -s= -t= -U= -d= -F=< --full --list-full --list-name "
    "--exact --newest "
                                 "--oldest --count --delimiter= --parent=")),
    "pidof": ("process", options("-scqx -o= -S=")),
    "pstree": ("process", options("-aAcghlnNpsStuUzZ -H=")),
    "top": ("process", options("-bcHiSs -d= -n= -o= -p= -u= -U= -w=?")),
    "lsof": ("process", options("-nPtlabhOoRUV -i=? -p= -u= -c= -d= +D= -s=?")),
    "who": ("session", options("-abdHlmpqrstTuw --all")),
    "w": ("session", options("-hsfoip")),
    "last": ("session", options("-adFiwxR -n= -s= -t= -p=", numbers=True)),
    "df": ("mount", options("-ahHiklmPT -t= -x= -B= --all --human-readable --inodes --local --total --type= "
    "--output=? --si")),
    "free": ("memory", options("-bkmghltwv -s= -c= --human --mega --giga --total --wide --si")),
    "vmstat": ("memory", options("-adDfmnstwS -S=")),
    "lsblk": ("device", options("-abdfhiJlmnOpPrStvz -o= -e= -I= -x= --json --output= --all --fs --paths "
    "--noheadings")),
    "lscpu": ("device", options("-abceJpsxy --json --all")),
    "lsmod": ("kernel", options("")),
    "lspci": ("device", options("-knvmDtqx -s= -d=")),
    "lsusb": ("device", options("-vt -s= -d= -D=")),
    "dmesg": ("kernel", options("-HkLTtuwxP -f= -l= -n= --human --level= --facility= --follow --ctime --nopager "
    "--color=?")),
    "ss": ("network", options("-HnrlatmopieuwxbK46sOZ0 -f= -A= --numeric --listening --tcp --udp --all "
    "--processes --summary")),
    "netstat": ("network", options("-rinalptuvecs46WoMFCgNx --numeric --listening --tcp --udp --all --programs "
    "--route")),
    "ifconfig": ("network", options("-as")),
    "nmcli": ("network", options("-tgpeac -f= -m= --terse --get-values --fields= --pretty")),
    "getent": ("user", options("-i -s=")),
    "ipcs": ("memory", options("-aqmstlpucb -i=")),
    "iostat": ("device", options("-cdhkmNptxyz --human --pretty -j= -o=")),
    "mpstat": ("device", options("-AuVT -I= -N= -P= -o=")),
    "findmnt": ("mount", options("-aACcDeflkinrRsSuvyJhm -t= -T= -o= -O= -S= -M= --json --target= --output= --df")),
}  # fmt: skip

_NMCLI = names("device d connection c status show general radio wifi list")


def _words(call: Call) -> None:
    """Whatever words the shell makes, none of these does any harm with them."""
    parse(call.words, _WORDS[call.name])
    call.run()


def _alone(call: Call) -> None:
    """An operand would set what is told."""
    parsed = call.parse(_ALONE[call.name])
    if any(call.name != "date" or not word.prefix.startswith("+") for word in parsed.operands):
        raise UnreadableError(f"{call.name} that may set something")
    call.run()


def _machine(call: Call) -> None:
    sort, table = _MACHINE[call.name]
    words = call.words
    if call.name in {"ps", "netstat"}:
        # `ps aux`: options of one letter, without their dash.
        words = tuple(word for word in words if word.literal is None or not word.literal.isalpha())
    parsed = call.parse(table, words)
    if parsed.has("-K") or (call.name == "ifconfig" and len(parsed.operands) > 1):
        raise UnreadableError(f"{call.name} that changes something")
    if call.name == "nmcli" and not all(word.literal in _NMCLI for word in parsed.operands):
        raise UnreadableError("nmcli that changes something")
    if call.name == "top" and not parsed.has("-b"):
        raise UnreadableError("top takes commands from its user: say top -b")
    call.infrastructure("read" if sort in {"process", "kernel"} else "list", f"host://current/{sort}")


def _printenv(call: Call) -> None:
    parsed = call.parse(options("-0 --null"))
    for word in parsed.operands:
        if word.literal is None or not NAME.fullmatch(word.literal):
            raise UnreadableError("a variable that only the shell knows")
        call.take(word.literal)
    if not parsed.operands:
        call.prints("the environment")
    call.run()


COMMANDS: dict[str, Callable[[Call], None]] = {
    **dict.fromkeys(_WORDS, _words),
    **dict.fromkeys(_ALONE, _alone),
    **dict.fromkeys(_MACHINE, _machine),
    "printenv": _printenv,
}
