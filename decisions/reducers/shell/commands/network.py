"""Commands that fetch from or send to other machines.

A request that follows redirections goes to places that nobody can read from the command: its targets are unresolved
(policy case B13: each hop is a decision of its own). Hosts reached over ssh are no web resources: the program runs,
and data may leave.

Source: their manuals (curl 8, GNU Wget 1.24, OpenSSH 9, rsync 3.2); policy cases A07, B13.
"""

import re
from collections.abc import Callable, Mapping

from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.options import Option, OptionTable, Parsed, names, options
from decisions.reducers.shell.word import Word

_CURL = options(
    "-sSfiIvkgGN46O#L -o=> -X= -H= -A= -e= -m= -w= -u= -b= -c=> -d= -F= -T= -r= --silent --show-error --fail "
    "--fail-with-body --include --head --verbose --insecure --globoff --get --no-buffer --compressed "
    "--location --remote-name --no-progress-meter --progress-bar --ipv4 --ipv6 --http1.1 --http2 --output=> "
    "--request= --header= --user-agent= --referer= --max-time= --write-out= --user= --cookie= --cookie-jar=> "
    "--data= --data-raw= --data-binary= --data-ascii= --data-urlencode= --form= --form-string= --upload-file= "
    "--json= --range= --url= --retry= --retry-delay= --retry-max-time= --connect-timeout= --max-filesize= "
    "--cacert=< --cert=< --key=< -C= --continue-at= -x= --proxy= "
    "-D=> --dump-header=> --trace=> --trace-ascii=> --stderr=> --create-dirs --no-keepalive --ssl-reqd --path-as-is",
    globs=False,
)
_BODIES = names(
    "-d -F -T --data --data-raw --data-binary --data-ascii --data-urlencode --form --form-string --upload-file --json"
)
_SENT = names("-H -A -e -u -b -r -X --header --user-agent --referer --user --cookie --range --request")
_FORMS = frozenset({"-F", "--form"})
_NAME = re.compile("[@=]")
# Quotes around names, and headers or parts that come from files.
_FORM_EXTRA = re.compile(r'["\\]|;\s*(?:headers|encoder)|=\(', re.IGNORECASE)
_AS_THEY_STAND = frozenset({"--data-raw", "--form-string"})
_OTHER_PROTOCOLS = ("ftp.", "dict.", "ldap.", "imap.", "smtp.", "pop3.")
_READ_ONLY = frozenset({"GET", "HEAD", "OPTIONS"})

_WGET = options(
    "-qcSNv46 -O=> -P= -T= -t= -U= --quiet --no-verbose --continue --server-response --spider --timestamping "
    "--output-document=> --directory-prefix= --timeout= --tries= --user-agent= --header= --post-data= "
    "--post-file=< --method= --body-data= --body-file=< --no-check-certificate --max-redirect= --show-progress "
    "--progress= --no-clobber",
    globs=False,
)
_SSH = options("-vqTtnN46xaCf -p= -i=< -l= -L= -R= -D= -J= -W= -o=", ends_at_operand=True, globs=False)
# What may be set beside: nothing that names a program or a file.
_SSH_SETTING = re.compile(
    r"(?:StrictHostKeyChecking|ConnectTimeout|BatchMode|ServerAliveInterval|ServerAliveCountMax|LogLevel|User|Port"
    r"|PasswordAuthentication|IdentitiesOnly|PreferredAuthentications|Compression|RequestTTY|ConnectionAttempts"
    r"|ExitOnForwardFailure|TCPKeepAlive|PubkeyAuthentication)[= ][A-Za-z0-9,_.-]+|UserKnownHostsFile[= ]/dev/null",
    re.ASCII | re.IGNORECASE,
)
_OVER_SSH = re.compile(r"ssh(?: -p ?[0-9]+| -[46qCT])*", re.ASCII)
_COPY = options(
    "-avzrlLptgoDnuhPqcixHC46WmAXSO -e= -B= --archive --verbose --compress --recursive --links --perms --times "
    "--group --owner --dry-run --update --human-readable --partial --progress --quiet --checksum "
    "--itemize-changes --hard-links --delete --delete-after --delete-before --delete-during --delete-excluded "
    "--exclude= --include= --stats --info= --bwlimit= --size-only --ignore-existing --mkpath --relative "
    "--remove-source-files --prune-empty-dirs --exclude-from=< --include-from=< --inplace --timeout= --whole-file "
    "--numeric-ids --acls --xattrs --sparse --omit-dir-times --delete-delay --chmod= --no-perms --no-owner --no-group",
    globs=False,
)
_SCP = options("-rpqCvB346OTR -P= -i=< -l= -c= -J= -o=", globs=False)
_COPY_ID = options("-fn -i=< -p= -o=", globs=False)
_NETCAT = options("-46bdhklnNtuvz -I= -i= -m= -O= -p= -q= -s= -T= -w=", globs=False)
_OPAQUE = names("""
    ncat socat telnet ftp sftp lftp tftp aria2c axel httpie http https xh curlie mail mailx mutt
    msmtp sendmail
    swaks rclone sshfs lynx w3m elinks links xdg-open s3cmd s4cmd mc restic borg duplicity croc
    wormhole ngrok
    cloudflared mosquitto_pub mosquitto_sub kcat kafkacat websocat wscat grpcurl heroku flyctl fly vercel
    netlify firebase
    doctl az oc eksctl vault consul nomad pulumi op bw hub glab irssi tor torsocks proxychains openvpn snmpwalk snmpset
    """)

_LOOKUPS: Mapping[str, OptionTable] = {
    "dig": options("-46qbmruvh -x= -t= -c= -p= -k=< -y= -f=<", globs=False),
    "nslookup": options("", globs=False),
    "host": options("-aCdlnrsTvVw46 -c= -N= -R= -t= -W= -m=", globs=False),
    "ping": options("-46AbBdDfLnOqrRUvV -c= -i= -I= -l= -m= -M= -p= -Q= -s= -S= -t= -T= -w= -W=", globs=False),
    "ping6": options("-46AbBdDfLnOqrRUvV -c= -i= -I= -l= -m= -M= -p= -Q= -s= -S= -t= -T= -w= -W=", globs=False),
    "traceroute": options("-46dFnrvUITAe -f= -g= -i= -m= -N= -p= -q= -w= -z=", globs=False),
    "tracepath": options("-46nb -l= -m= -p=", globs=False),
    "whois": options("-Hl -h= -p=", globs=False),
    "ssh-keyscan": options("-46cDHqv -f=< -p= -T= -t=", globs=False),
    "mtr": options("-46brwnzojxCTu -c= -i= -s= --report --report-cycles= --no-dns --json --csv", globs=False),
}


def _opaque(call: Call) -> None:
    raise UnreadableError(f"what {call.name} sends and fetches isn't read")


def _lookup(call: Call) -> None:
    """A question asked of other machines: the names in it leave."""
    words = [word for word in call.words if not word.prefix.startswith("+")] if call.name == "dig" else call.words
    if call.name == "nslookup":
        words = [word for word in words if not word.prefix.startswith("-")]
    call.parse(_LOOKUPS[call.name], words)
    call.run(egress=True)


def _curl(call: Call) -> None:
    parsed = call.parse(_CURL)
    urls = [*parsed.operands, *(option.value for option in parsed.options if option.name == "--url" and option.value)]
    if not urls:
        raise UnreadableError("curl without an address")
    if parsed.has("-L", "--location"):
        call.refuse(unresolved("curl -L goes on to addresses that the answer names"))
    _proxy(call, parsed.value("-x", "--proxy"))
    bodies = [option for option in parsed.options if option.name in _BODIES]
    for option in parsed.options:
        _curl_value(call, option)
    method = parsed.value("-X", "--request")
    fetches = (not bodies or parsed.has("-G", "--get")) and (method is None or method.literal in _READ_ONLY)
    leaves = bool(bodies) or any(option.name in _SENT and _from_elsewhere(option) for option in parsed.options)
    for url in urls:
        if parsed.has("-O", "--remote-name"):
            _save(call, url, None)
        _curl_url(call, url, fetches=fetches, leaves=leaves)


def _proxy(call: Call, word: Word | None) -> None:
    """All that is asked for goes by way of another machine."""
    if word is not None:
        with_scheme = word if word.literal is None or "://" in word.literal else Word.of("http://" + word.literal)
        call.web("send", with_scheme, egress=True)


def _from_elsewhere(option: Option) -> bool:
    """Whether what an option sends does not stand in the command: a file, or what only the shell knows."""
    text = option.value.literal if option.value is not None else ""
    cookies = option.name in {"-b", "--cookie"} and "=" not in (text or "")
    return text is None or text.startswith("@") or cookies


def _curl_url(call: Call, url: Word, *, fetches: bool, leaves: bool) -> None:
    text = url.literal or ""
    if any(sign in text for sign in "{}[]"):
        raise UnreadableError("an address that stands for several")
    if text and "://" not in text:
        if text.lower().startswith(_OTHER_PROTOCOLS):
            raise UnreadableError("a host whose name makes curl speak another protocol")
        url = Word.of("http://" + text)
    call.web("fetch" if fetches else "send", url, egress=leaves or not fetches)


def _curl_value(call: Call, option: Option) -> None:
    """Note the files that a value names: ``@file``, and ``<file`` in a form."""
    if option.value is None:
        return
    text = option.value.literal
    name = option.name
    if name in {"-w", "--write-out"} and (text is None or text.startswith("@") or "%output" in text):
        raise UnreadableError("a format of curl's that isn't read")
    if name in {"-T", "--upload-file"} and any(sign in option.value.prefix for sign in "{["):
        raise UnreadableError("an upload of several files by a pattern")
    if name in {"-T", "--upload-file"} or (name in {"-b", "--cookie"} and (text is None or "=" not in text)):
        call.files("read", [option.value])
    elif name in {"-H", "--header"} and option.value.prefix[:1] in {"@", ""}:
        call.files("read", [option.value.after(1) if option.value.prefix else option.value])
    elif name in _BODIES - _AS_THEY_STAND:
        _curl_body(call, name, option.value)


def _curl_body(call: Call, name: str, value: Word) -> None:
    """Note the files that a body is read from.

    ``@file`` at the start; behind ``name=`` in a form, where ``<`` reads as well and commas part several; behind a
    name where the rest is to be encoded.
    """
    if name in _FORMS:
        shown = "".join(piece.text for piece in value.pieces)
        if _FORM_EXTRA.search(shown):
            raise UnreadableError("a part of a form that may name more files")
        head, equals, _ = value.prefix.partition("=")
        value, marks = value.after(len(head + equals)), "@<"
    elif name == "--data-urlencode":
        head = _NAME.split(value.prefix, maxsplit=1)[0]
        value, marks = value.after(len(head)), "@"
    else:
        marks = "@"
    if value.prefix[:1] in marks and value.prefix:
        named = value.after(1)
        texts = [named] if named.literal is None else map(Word.of, named.literal.partition(";")[0].split(","))
        call.files("read", texts)
    elif not value.prefix and not value.is_literal:
        raise unresolved("a body that may name a file")


def _save(call: Call, url: Word, directory: Word | None) -> None:
    """Note the file that a download is saved to under its own name."""
    name = (url.literal or "").partition("?")[0].partition("#")[0].rpartition("/")[2]
    if not name or name in {".", ".."} or "://" + name in (url.literal or ""):
        raise unresolved("a download whose file name only the server knows")
    if directory is None:
        call.files("write", [Word.of("./" + name)], dash=False)
    elif directory.literal is None:
        raise unresolved("a download into a directory that only the shell knows")
    else:
        call.files("write", [Word.of(f"{directory.literal}/{name}")], dash=False)


def _wget(call: Call) -> None:
    parsed = call.parse(_WGET)
    most = parsed.value("--max-redirect")
    if most is None or most.literal != "0":
        call.refuse(unresolved("wget goes on to addresses that the answer names: say --max-redirect=0"))
    method = parsed.value("--method")
    sends = parsed.has("--post-data", "--post-file", "--body-data", "--body-file")
    fetches = not sends and (method is None or method.literal in _READ_ONLY)
    leaves = not fetches or any(
        option.value is not None and option.value.literal is None
        for option in parsed.options
        if option.name in {"--header", "--user-agent", "-U", "--method"}
    )
    for url in parsed.operands:
        if not parsed.has("-O", "--output-document", "--spider"):
            if any(sign in (url.literal or "") for sign in "?%"):
                raise unresolved("a download whose name wget makes of the address")
            _save(call, url, parsed.value("-P", "--directory-prefix"))
        with_scheme = url if url.literal is None or "://" in url.literal else Word.of("http://" + url.literal)
        call.web("fetch" if fetches else "send", with_scheme, egress=leaves)


def _ssh(call: Call) -> None:
    parsed = call.parse(_SSH)
    if not parsed.operands:
        raise UnreadableError("ssh without a host")
    # Options may stand behind the host as well.
    _check_settings(parsed, call.parse(_SSH, parsed.operands[1:]))
    call.run(egress=True, code_origin="inline" if len(parsed.operands) > 1 else "untrusted")


def _check_settings(*found: Parsed) -> None:
    for option in (option for parsed in found for option in parsed.options if option.name == "-o"):
        text = option.value.literal if option.value is not None else None
        if text is None or not _SSH_SETTING.fullmatch(text):
            raise UnreadableError("a setting of ssh's that may name a program or a file")


def _copy_id(call: Call) -> None:
    """Whose keys it takes where none is named, nobody can read; they are put where a login is let in by them."""
    parsed = call.parse(_COPY_ID)
    _check_settings(parsed)
    if len(parsed.operands) != 1:
        raise UnreadableError("ssh-copy-id without one host")
    if not parsed.has("-i"):
        call.files("read", [Word.of(f"{call.home}/.ssh")] if call.home else [], many=True)
        if call.home is None:
            raise unresolved("keys of a home directory that isn't known")
    call.run(egress=True, code_origin="inline")


def _netcat(call: Call) -> None:
    """What stands on its input goes to the other side, whichever of both began to listen."""
    if not call.parse(_NETCAT).operands:
        raise UnreadableError(f"{call.name} without an address")
    call.run(egress=True)


def _remote_copy(call: Call) -> None:
    parsed = call.parse(_SCP if call.name == "scp" else _COPY)
    shell = parsed.value("-e")
    odd = shell is not None and not _OVER_SSH.fullmatch(shell.literal or "")
    _check_settings(parsed)
    if odd or len(parsed.operands) < 2:  # noqa: PLR2004  (a source and a destination)
        raise UnreadableError(f"a way to use {call.name} that isn't read")
    *sources, target = parsed.positional
    many = call.name == "rsync" or parsed.has("-r")
    remote = [source for source in sources if _is_remote(source)]
    call.files("read", [source for source in sources if not _is_remote(source)], many=many, dash=False)
    if parsed.has("--remove-source-files"):
        call.files("delete", [source for source in sources if not _is_remote(source)], many=True, dash=False)
    if _is_remote(target) or remote:
        call.run(egress=_is_remote(target))
    if not _is_remote(target):
        _local(call, target, parsed, many=many)


def _local(call: Call, target: Word, parsed: Parsed, *, many: bool) -> None:
    # Under which names the files arrive, the sources decide: anything below the directory may be written.
    call.files("write", [target], many=True, dash=False)
    if any(option.name.startswith("--delete") for option in parsed.options):
        call.files("delete", [target], many=many, dash=False)


def _is_remote(word: Word) -> bool:
    text = "".join(piece.text for piece in word.pieces) if word.is_known else ""
    host, colon, _ = text.partition(":")
    return bool(colon) and "/" not in host


COMMANDS: dict[str, Callable[[Call], None]] = {
    **dict.fromkeys(_OPAQUE, _opaque),
    **dict.fromkeys(_LOOKUPS, _lookup),
    "curl": _curl,
    "wget": _wget,
    "ssh": _ssh,
    "ssh-copy-id": _copy_id,
    "nc": _netcat,
    "netcat": _netcat,
    "scp": _remote_copy,
    "rsync": _remote_copy,
}
