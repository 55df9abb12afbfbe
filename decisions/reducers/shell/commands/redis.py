"""redis-cli: commands on keys, each with what it does.

    db://redis@<host>:<port>/<number>/<key>

Source: Redis 7 command reference.
"""

from collections.abc import Callable, Mapping

from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.commands.subcommands import CURRENT, names_of, scope_for, value_of
from decisions.reducers.shell.options import names, options

_TABLE = options(
    "-h= -p= -n= -a= -u= -s= -i= -r= -2 -3 -x -c --raw --no-raw --csv --json --no-auth-warning --user= --pass= "
    "--tls --cacert=< "
    "--scan --pattern= --stat --latency --bigkeys --memkeys --hotkeys --version --help",
    ends_at_operand=True,
    globs=False,
)
_READS = names("""
    get mget getrange strlen exists ttl pttl type dump lrange llen lindex hget hgetall hmget hkeys hvals hlen hexists
    smembers scard sismember srandmember sinter sunion sdiff zrange zrevrange zrangebyscore zcard zscore zrank
    zcount xrange xlen
    getbit bitcount touch object geopos geodist hscan sscan zscan
    """)
_SEVERAL = names("mget exists del unlink touch sinter sunion sdiff")
_WHOLE = names("keys scan randomkey dbsize info ping time memory slowlog lastsave echo command")
_INSERTS = names("setnx lpush rpush sadd zadd xadd hsetnx lpushx rpushx pfadd geoadd")
_UPDATES = names("""
    set getset append incr decr incrby decrby incrbyfloat setex psetex setrange hset hmset hincrby expire
    pexpire expireat persist
    lset ltrim linsert setbit zincrby restore
    """)
_DELETES = names("del unlink getdel lpop rpop hdel srem spop lrem zrem zremrangebyrank zremrangebyscore xdel xtrim")
_PAIRS: Mapping[str, tuple[str, str]] = {
    "rename": ("delete", "update"), "renamenx": ("delete", "update"), "rpoplpush": ("delete", "update"),
    "lmove": ("delete", "update"), "smove": ("delete", "update"), "copy": ("read", "update"),
}  # fmt: skip


def _redis(call: Call) -> None:
    parsed = call.parse(_TABLE)
    if parsed.has("--version", "--help"):
        call.run()
        return
    if parsed.has("-u", "-s", "-x", "--cacert"):
        raise UnreadableError("a connection, or a value from standard input, that isn't read")
    host, port = value_of(parsed, "-h"), value_of(parsed, "-p", default="")
    place = CURRENT if host == CURRENT and not port else f"{host}:{port or '6379'}"
    root = f"db://redis@{place.lower()}"
    base = f"{root}/{value_of(parsed, '-n', default='0')}"
    texts = names_of(parsed.operands, "a key")
    if parsed.has("--scan", "--bigkeys", "--memkeys", "--hotkeys", "--stat", "--latency"):
        call.data("read", base, scope="all")
    elif texts:
        _command(call, root, base, texts)
    else:
        raise UnreadableError("commands on standard input that nobody has read")


def _command(call: Call, root: str, base: str, texts: list[str]) -> None:
    name, rest = texts[0].lower(), texts[1:]
    if name in {"flushall", "flushdb"}:
        call.data("delete", root if name == "flushall" else base, scope="all")
    elif name in _WHOLE:
        call.data("read", base, scope="many")
    elif name == "config" and rest and rest[0].lower() == "get":
        call.data("read", root, scope="many")
    elif name in {"mset", "msetnx"} and rest:
        for key in rest[::2]:
            call.data("update", _key(base, key), scope=scope_for(len(rest) // 2))
    elif name in _PAIRS and len(rest) > 1:
        for verb, key in zip(_PAIRS[name], rest, strict=False):
            call.data(verb, _key(base, key))
    else:
        verb = next((verb for known, verb in _VERBS if name in known), "")
        if not verb or not rest:
            raise UnreadableError(f"a command of redis that isn't known: {name[:40]}")
        keys = rest if name in _SEVERAL else rest[-1:] if name == "object" else rest[:1]
        for key in keys:
            call.data(verb, _key(base, key), scope=scope_for(len(keys)))


def _key(base: str, key: str) -> str:
    if "/" in key:
        raise unresolved(f"a key that may not stand in a reference: {key[:40]!a}")
    return f"{base}/{key}"


_VERBS = ((_READS, "read"), (_INSERTS, "insert"), (_UPDATES, "update"), (_DELETES, "delete"))
COMMANDS: dict[str, Callable[[Call], None]] = {"redis-cli": _redis}
