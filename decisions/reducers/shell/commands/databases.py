r"""psql, mysql and sqlite3: the statement goes to the SQL reducer, with the dialect and the database of the command.

    db://<database>@<host>:<port>/...     db://<database>@current/...     db://sqlite/<path>/...

What stands on standard input, and what the command takes from its settings (``PGHOST``, ``~/.my.cnf``), is not in the
command: host and database are then called ``current``. The commands of the tools themselves, ``\copy`` and ``.shell``,
are opaque but for those that list.

Source: the manuals of psql 17, mysql 8.4, sqlite3 3.46.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.commands.subcommands import CURRENT, below, name_of, value_of
from decisions.reducers.shell.options import OptionTable, Parsed, options
from decisions.reducers.shell.targets import targets
from decisions.reducers.shell.word import Word

_PSQL = options(
    "-AabeEHnqsStxwWX1l -h= -p= -U= -d= -c= -f= -v= -F= -P= -R= -T= -o=> -L=> --host= --port= --username= --dbname= "
    "--command= --file= --set= --variable= --quiet --tuples-only --no-align --expanded --csv --html --no-psqlrc --list "
    "--no-password --password --single-transaction --echo-all --echo-queries --pset= --field-separator= --output=> "
    "--version --help -V -?",
    globs=False,
)
_MYSQL = options(
    "-sNBtHXEvqrACf -h= -P= -u= -p=? -D= -e= -S= --host= --port= --user= --password=? --database= --execute= --socket= "
    "--silent --skip-column-names --batch --table --html --xml --vertical --verbose --quick --raw --force "
    "--default-character-set= --ssl-mode= --protocol= --version --help -V",
    globs=False,
)
_SQLITE = (
    "header", "noheader", "csv", "json", "line", "list", "column", "html", "markdown", "table", "tabs", "box", "quote",
    "readonly", "bail", "batch", "safe", "version",
)  # fmt: skip
_PLAIN = re.compile(r"[A-Za-z0-9_.-]+", re.ASCII)
_LISTS = re.compile(r"\\(?:d[tvimsn]?\+?|l\+?|du|dn|conninfo|timing(?: o(?:n|ff))?)(?: [A-Za-z0-9_.*]+)?", re.ASCII)
_SQLITE_LISTS = re.compile(r"\.(?:tables|schema|databases|indexes|dump)(?: [A-Za-z0-9_]+)?", re.ASCII)
_MYSQL_SHOWS = re.compile(
    r"\s*(?:SHOW\s+(?:FULL\s+)?(?:DATABASES|TABLES|PROCESSLIST|STATUS|VARIABLES|GRANTS|ENGINES|WARNINGS|(?:COLUMNS|INDEX)"
    r"\s+FROM\s+[A-Za-z0-9_]+|CREATE\s+TABLE\s+[A-Za-z0-9_]+)|DESC(?:RIBE)?\s+[A-Za-z0-9_]+)\s*;?\s*",
    re.ASCII | re.IGNORECASE,
)
_PORTS = {"postgres": "5432", "mysql": "3306"}


@dataclass(frozen=True, slots=True)
class Client:
    """How a database's client takes its statement and its connection.

    Attributes:
        dialect: the dialect of its statements.
        table: its options.
        statement, database, host, port: the options that say so.
    """

    dialect: str
    table: OptionTable
    statement: tuple[str, str]
    database: tuple[str, str]
    host: tuple[str, str]
    port: tuple[str, str]


CLIENTS: Mapping[str, Client] = {
    "psql": Client("postgres", _PSQL, ("-c", "--command"), ("-d", "--dbname"), ("-h", "--host"), ("-p", "--port")),
    "mysql": Client("mysql", _MYSQL, ("-e", "--execute"), ("-D", "--database"), ("-h", "--host"), ("-P", "--port")),
}


def _client(call: Call) -> None:
    client = CLIENTS["psql" if call.name == "psql" else "mysql"]
    parsed = call.parse(client.table)
    if parsed.has("--version", "--help", "-V", "-?"):
        call.run()
        return
    if parsed.loose or parsed.has("-S", "--socket") or "--protocol" in {option.name for option in parsed.options}:
        raise unresolved("a connection that only the shell knows")
    if any(
        option.use == "write" and option.value and option.value.prefix[:1] in {"|", ""} for option in parsed.options
    ):
        raise UnreadableError("output that goes to a command, or to what only the shell knows")
    database = database_of(client, parsed)
    files = [
        option.value for option in parsed.options if option.name in {"-f", "--file"} and client.dialect == "postgres"
    ]
    statements = [option.value for option in parsed.options if option.name in client.statement]
    for word in files:
        _file(call, word, database)
    for word in statements:
        _statement(call, word, database, client.dialect)
    if parsed.has("-l", "--list") and client.dialect == "postgres":
        call.data("read", f"db://{database}", scope="many")
    elif not files and not statements:
        note_unread(call, database, "untrusted")


def database_of(client: Client, parsed: Parsed) -> str:
    """Name the database: by its option, else by the first operand, else the current one.

    Raises:
        UnreadableError: only the shell knows it, or its name has another spelling.
    """
    named = value_of(parsed, *client.database, default="")
    operands = [name_of(word, "a database") for word in parsed.operands]
    if named and operands and client.dialect == "mysql":
        raise UnreadableError("two databases")
    if not named and operands:
        named = operands[0]
    host, port = value_of(parsed, *client.host), value_of(parsed, *client.port, default="")
    if "://" in named:
        named, host, port = _address(named)
    if host == "localhost" and client.dialect == "mysql" and not port:
        place = "localhost"
    else:
        place = host if host == CURRENT and not port else f"{host}:{port or _PORTS[client.dialect]}"
    named = named or CURRENT
    if not _PLAIN.fullmatch(named) or not re.fullmatch(r"[A-Za-z0-9_.:\[\]-]+", place, re.ASCII):
        raise unresolved("a database by a name of another spelling")
    return f"{named}@{place.lower()}"


def _address(text: str) -> tuple[str, str, str]:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise UnreadableError("no address of a database", "ID_INVALID") from error
    if parts.scheme not in {"postgres", "postgresql"} or "," in parts.netloc or "host=" in parts.query:
        raise unresolved("an address of a database that isn't read")
    if "dbname=" in parts.query or "port=" in parts.query or "service=" in parts.query:
        raise unresolved("an address of a database that isn't read")
    return unquote(parts.path.removeprefix("/")), parts.hostname or CURRENT, str(port or "")


def _file(call: Call, word: Word | None, database: str) -> None:
    if word is None or word.literal == "-":
        note_unread(call, database, "untrusted")
        return
    call.files("read", [word])
    note_unread(call, database, "file")


def note_unread(call: Call, database: str, origin: str) -> None:
    """Note statements that nobody has read: anything may happen to the database."""
    call.run(code_origin=origin, egress=True)
    for verb in ("read", "insert", "update", "delete", "define", "drop", "authorize"):
        call.data(verb, f"db://{database}", scope="all")


def _statement(call: Call, word: Word | None, database: str, dialect: str) -> None:
    text = None if word is None else word.literal
    if text is None:
        raise unresolved("a statement that only the shell knows")
    if dialect == "postgres" and text.lstrip().startswith("\\"):
        if not _LISTS.fullmatch(text.strip()):
            raise UnreadableError("a command of psql's own that isn't read")
        call.data("read", f"db://{database}", scope="many")
        return
    if dialect == "mysql" and re.search(
        r"\\[A-Za-z!.]|^\s*(?:source|system|tee|delimiter|pager|edit|connect|use)\b", text, re.IGNORECASE | re.MULTILINE
    ):
        raise UnreadableError("a command of mysql's own that isn't read")
    if dialect == "mysql" and _MYSQL_SHOWS.fullmatch(text):
        call.data("read", f"db://{database}", scope="many")
        return
    call.sql(text, database, dialect)


def _sqlite(call: Call) -> None:
    words = list(call.words)
    if words and words[0].literal in {"-version", "--version"}:
        call.run()
        return
    commands = _sqlite_options(words)
    file, *rest = _sqlite_operands(words)
    for target in targets(file, call.state):
        database = below("sqlite", target.path)
        for word in [*commands, *rest]:
            _sqlite_statement(call, word, file, database)
        if not rest and not commands:
            call.files("write", [file], dash=False)
            note_unread(call, database, "untrusted")


def _sqlite_options(words: list[Word]) -> list[Word]:
    """Take the options off; give the commands among them."""
    commands: list[Word] = []
    while words and words[0].prefix.startswith("-"):
        name = name_of(words.pop(0), "an option").lstrip("-")
        if name == "cmd" and words:
            commands.append(words.pop(0))
        elif name in {"separator", "nullvalue", "newline"} and words:
            words.pop(0)
        elif name not in _SQLITE:
            raise UnreadableError(f"an option that isn't known: {name[:40]}")
    return commands


def _sqlite_operands(words: list[Word]) -> list[Word]:
    if not words or words[0].is_loose or words[0].has_glob:
        raise unresolved("a database that only the shell knows")
    if any(word.prefix.startswith("-") for word in words[1:]) or words[0].prefix.startswith("file:"):
        raise UnreadableError("options behind the database, or a database by its address")
    if words[0].literal in {":memory:", ""}:
        raise UnreadableError("a database that is gone when its command ends")
    return words


def _sqlite_statement(call: Call, word: Word, file: Word, database: str) -> None:
    if word.literal is None:
        raise unresolved("a statement that only the shell knows")
    text = word.literal
    if any(line.lstrip().startswith(".") for line in text.splitlines()):
        if not _SQLITE_LISTS.fullmatch(text.strip()):
            raise UnreadableError("a command of sqlite3's own that isn't read")
        call.files("read", [file], dash=False)
        call.data("read", f"db://{database}", scope="many")
        return
    changes = call.sql(text, database, "sqlite")
    call.files("write" if changes else "read", [file], dash=False)


COMMANDS: dict[str, Callable[[Call], None]] = {
    "psql": _client,
    "mysql": _client,
    "mariadb": _client,
    "sqlite3": _sqlite,
}
