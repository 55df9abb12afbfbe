"""What belongs to a machine as a whole: users, mounts, jobs by the clock, the firewall, its power.

    host://current/user/<name>     host://current/crontab/<user>     host://current/mount/<path>
    host://current/firewall        host://current/network            host://current/power

Source: the manuals of shadow 4, util-linux 2.40, cronie, iptables, ufw, iproute2, procps.
"""

import re
from collections.abc import Callable, Mapping

from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.commands.subcommands import below, name_of, names_of, scope_for, value_of
from decisions.reducers.shell.options import OptionTable, names, options

_HOST = "host://current"
_ACCOUNTS: Mapping[str, tuple[str, str, OptionTable]] = {
    "useradd": ("create", "user", options("-mMrNUoDl -u= -g= -G= -d= -s= -c= -e= -p= -k= --create-home --system --uid= "
                "--gid= --groups= --home-dir= --shell= --comment= --no-create-home --user-group --password=")),
    "adduser": ("create", "user", options("--system --disabled-password --disabled-login --gecos= --home= "
    "--shell= --uid= "
                "--ingroup= --group --no-create-home --quiet -D -S -H -G= -s= -h= -u= -g=")),
    "usermod": ("change", "user", options("-aLUmo -u= -g= -G= -d= -s= -c= -e= -l= -p= --append --lock --unlock "
    "--groups= "
                "--shell= --home= --move-home --login= --comment= --expiredate=")),
    "userdel": ("delete", "user", options("-f --force")),
    "deluser": ("delete", "user", options("--quiet --system")),
    "groupadd": ("create", "group", options("-rfo -g= --system --force --gid=")),
    "groupmod": ("change", "group", options("-o -g= -n= --gid= --new-name=")),
    "groupdel": ("delete", "group", options("-f --force")),
    "passwd": ("change", "user", options("-dlueSa -n= -x= -w= -i= --delete --lock --unlock --expire --status")),
    "chage": ("change", "user", options("-l -d= -E= -I= -m= -M= -W= --list --lastday= --expiredate=")),
    "chsh": ("change", "user", options("-s= --shell=")),
    "gpasswd": ("change", "group", options("-a= -d= -A= -M= -r -R --add= --delete=")),
}  # fmt: skip
_CRONTAB = options("-lrei -u=", globs=False)
_MOUNT = options(
    "-arwvn -t= -o= -L= -U= -l -f --bind --rbind --all --types= --options= --read-only --make-private --mkdir=?"
)
_UMOUNT = options("-aflnrvR -t= --all --force --lazy --recursive --types=")
_IPTABLES = options(
    "-nvxLSFXZPADINRE -t= -p= -s= -d= -i= -o= -j= -m= -w=? --list --flush --append= --delete= --insert= --table= "
    "--numeric "
    "--verbose --line-numbers --dport= --sport= --dports= --state= --ctstate= --to-destination= --to-source= --jump= "
    "--protocol= --source= --destination= --in-interface= --out-interface= --match= --policy= --comment= --limit= "
    "--icmp-type= --reject-with= --log-prefix= --to-ports= --delete-chain= --new-chain= --wait=?",
    globs=False,
)
_SYSCTL = options("-anqwpe --all --names --values --quiet --write")
_PKILL = options("-fxnovci -u= -t= -P= -g= -s= -U= --full --exact --signal= --newest --oldest -e --echo")
_IP = options("-46jpsdoN -c=? -br -brief -json -color=? --json")
_IP_OBJECTS = names("addr address a link l route r neigh neighbor rule netns maddr tunnel")
_IP_LOOKS = names("show list ls get")
_SIGNAL = re.compile(r"-(?:[A-Z]+[0-9]?|[0-9]+)", re.ASCII)
_ONE_WORD = 2


def _account(call: Call) -> None:
    verb, sort, table = _ACCOUNTS[call.name]
    parsed = call.parse(table)
    texts = names_of(parsed.operands, "an account")
    if parsed.has("-S", "-l", "--status", "--list") and call.name in {"passwd", "chage"} and not parsed.has("-d"):
        verb = "read" if call.name == "chage" or not parsed.has("-l") else verb
    for text in texts[-1:] if verb != "delete" else texts:
        call.infrastructure(verb, f"{_HOST}/{sort}/{text}", scope=scope_for(len(texts) if verb == "delete" else 1))
    if not texts:
        call.infrastructure(verb, f"{_HOST}/{sort}")


def _chpasswd(call: Call) -> None:
    """Whose password it is stands in its input."""
    call.infrastructure("change", f"{_HOST}/user", scope="many")


def _crontab(call: Call) -> None:
    parsed = call.parse(_CRONTAB)
    if parsed.has("-e"):
        raise UnreadableError("an editor decides what crontab -e changes")
    target = f"{_HOST}/crontab/{value_of(parsed, '-u')}"
    if parsed.has("-l"):
        call.infrastructure("read", target)
    elif parsed.has("-r"):
        call.infrastructure("delete", target, scope="all")
    else:
        read = bool(parsed.operands) and parsed.operands[0].literal != "-"
        call.files("read", parsed.operands[:1])
        call.infrastructure("change", target, scope="all")
        # What it holds runs later, by the clock.
        call.run(code_origin="file" if read else "untrusted")


def _mount(call: Call) -> None:
    parsed = call.parse(_MOUNT)
    if not parsed.operands and not parsed.has("-a", "--all"):
        call.infrastructure("list", f"{_HOST}/mount")
        return
    if not parsed.operands:
        call.infrastructure("change", f"{_HOST}/mount", scope="many")
        return
    place = name_of(parsed.operands[-1], "a mount point")
    if not place.startswith("/"):
        raise unresolved("a mount point that isn't absolute")
    if parsed.has("--bind", "--rbind") or parsed.operands[0].prefix.startswith("/"):
        call.files("read", parsed.operands[:1], many=True)
    call.files("write", [parsed.operands[-1]], many=True)
    call.infrastructure("change", below(f"{_HOST}/mount", place))


def _umount(call: Call) -> None:
    parsed = call.parse(_UMOUNT)
    texts = names_of(parsed.operands, "a mount point")
    for text in texts:
        call.infrastructure("change", below(f"{_HOST}/mount", text), scope=scope_for(len(texts)))
    if not texts:
        call.infrastructure("change", f"{_HOST}/mount", scope="all")


def _iptables(call: Call) -> None:
    parsed = call.parse(_IPTABLES)
    if parsed.has("-L", "-S", "--list") and not parsed.has("-F", "-Z", "-X", "--flush"):
        call.infrastructure("list", f"{_HOST}/firewall")
    elif parsed.has("-F", "-X", "--flush", "--delete-chain"):
        call.infrastructure("delete", f"{_HOST}/firewall", scope="all")
    else:
        call.infrastructure("change", f"{_HOST}/firewall")


def _ufw(call: Call) -> None:
    texts = [text for text in names_of(call.words, "a rule") if text not in {"--force", "--dry-run"}]
    first = texts[0] if texts else ""
    if first in {"status", "version", "show", "app"}:
        call.infrastructure("list", f"{_HOST}/firewall")
    elif first in {"disable", "reset"}:
        call.infrastructure("delete", f"{_HOST}/firewall", scope="all")
    elif first in {
        "allow",
        "deny",
        "reject",
        "limit",
        "insert",
        "delete",
        "enable",
        "reload",
        "default",
        "logging",
        "route",
    }:
        call.infrastructure("change", f"{_HOST}/firewall")
    else:
        raise UnreadableError("a subcommand of ufw that isn't known")


def _power(call: Call) -> None:
    """``shutdown -c`` takes an order back; whatever else stands there orders."""
    call.infrastructure("change", f"{_HOST}/power", scope="all")


def _sysctl(call: Call) -> None:
    parsed = call.parse(_SYSCTL)
    if parsed.has("-p"):
        call.files("read", parsed.operands)
        call.infrastructure("change", f"{_HOST}/kernel", scope="many")
        return
    for text in names_of(parsed.operands, "a setting"):
        name, equals, _ = text.partition("=")
        call.infrastructure("change" if equals or parsed.has("-w") else "read", below(f"{_HOST}/kernel", name))
    if not parsed.operands:
        call.infrastructure("list", f"{_HOST}/kernel")


def _pkill(call: Call) -> None:
    words = [word for word in call.words if word.literal is None or not _SIGNAL.fullmatch(word.literal)]
    parsed = call.parse(_PKILL, words)
    texts = names_of(parsed.operands, "a process")
    for text in texts:
        call.infrastructure("change", below(f"{_HOST}/process", text), scope="many")
    if not texts:
        call.infrastructure("change", f"{_HOST}/process", scope="many")


def _ip(call: Call) -> None:
    words = [word for word in call.words if word.literal not in {"-br", "-brief", "-json", "-details", "-stats"}]
    parsed = call.parse(_IP, words)
    texts = names_of(parsed.operands, "an object")
    if not texts or texts[0] not in _IP_OBJECTS:
        raise UnreadableError("an object of ip's that isn't known")
    if texts[0] == "netns":
        raise UnreadableError("ip netns runs commands")
    looks = len(texts) < _ONE_WORD or texts[1] in _IP_LOOKS
    call.infrastructure("list" if looks else "change", f"{_HOST}/network")


_DISKS = names("""
    fdisk sfdisk gdisk sgdisk parted wipefs mkswap swapon swapoff mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs
    mkfs.vfat mkfs.fat mkfs.ntfs mkfs.f2fs mke2fs tune2fs resize2fs fsck e2fsck xfs_repair lvcreate lvremove lvextend
    vgcreate vgremove pvcreate pvremove cryptsetup losetup blkdiscard hdparm mdadm zpool zfs btrfs modprobe insmod rmmod
    kexec efibootmgr grub-install update-grub dmsetup nft iptables-restore ip6tables-restore firewall-cmd visudo vipw
    """)


def _disk(call: Call) -> None:
    raise UnreadableError(f"what {call.name} does to the machine isn't read")


COMMANDS: dict[str, Callable[[Call], None]] = {
    **dict.fromkeys(_DISKS, _disk),
    **dict.fromkeys(_ACCOUNTS, _account),
    **dict.fromkeys(("reboot", "shutdown", "poweroff", "halt"), _power),
    **dict.fromkeys(("pkill", "killall"), _pkill),
    **dict.fromkeys(("iptables", "ip6tables"), _iptables),
    "chpasswd": _chpasswd,
    "crontab": _crontab,
    "ip": _ip,
    "mount": _mount,
    "sysctl": _sysctl,
    "ufw": _ufw,
    "umount": _umount,
}
