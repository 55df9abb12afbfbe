"""Programs that write a database out, bring it back, make it or drop it.

    db://<database>@<host>:<port>, as for psql and mysql

Source: the manuals of PostgreSQL 17 and MySQL 8.4.
"""

from collections.abc import Callable

from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.commands.databases import CLIENTS, database_of, note_unread
from decisions.reducers.shell.options import Parsed, options

_POSTGRES = "-h= -p= -U= -wW --host= --port= --username= --no-password --password --version --help -V -v --verbose"
_PG_DUMP = options(
    f"{_POSTGRES} -d= -f=> -F= -t= -T= -n= -N= -j= -Z= -S= -E= -a -b -c -C -O -s -x --dbname= --file=> "
    "--format= --table= "
    "--exclude-table= --schema= --exclude-schema= --jobs= --compress= --data-only --clean --create --no-owner "
    "--schema-only --no-privileges --no-acl --if-exists --inserts --column-inserts --exclude-table-data= --encoding=",
    globs=False,
)
_PG_DUMPALL = options(
    f"{_POSTGRES} -f=> -l= -a -c -g -O -r -s -t -x --file=> --data-only --clean --globals-only --no-owner --roles-only "
    "--schema-only --tablespaces-only --no-privileges --no-acl --if-exists --exclude-database=",
    globs=False,
)
_PG_RESTORE = options(
    f"{_POSTGRES} -d= -f=> -F= -t= -n= -j= -L=< -a -c -C -e -l -O -s -x -1 --dbname= --file=> --format= "
    "--table= --schema= "
    "--jobs= --data-only --clean --create --exit-on-error --list --no-owner --schema-only --no-privileges --no-acl "
    "--if-exists --single-transaction --use-list=<",
    globs=False,
)
_MAKE = options(f"{_POSTGRES} -e -O= -T= -E= -l= -D= --echo --owner= --template= --encoding= --locale=", globs=False)
_DROP = options(f"{_POSTGRES} -e -i -f --echo --interactive --force --if-exists", globs=False)
_MYSQLDUMP = options(
    "-h= -P= -u= -p=? -r=> -w= -t -d -R -q -C -n -v -V --host= --port= --user= --password=? --result-file=> --where= "
    "--no-create-info --no-data --routines --triggers --events --quick --compress --no-create-db --single-transaction "
    "--lock-tables --skip-lock-tables --add-drop-table --skip-add-drop-table --hex-blob --set-gtid-purged= "
    "--no-tablespaces "
    "--column-statistics= --default-character-set= --ignore-table= --complete-insert --extended-insert --opt "
    "--version --help",
    globs=False,
)


def _asks(call: Call, parsed: Parsed) -> bool:
    if parsed.loose:
        raise unresolved("a word that only the shell knows, and that may become an option")
    if not parsed.has("--version", "--help", "-V"):
        return False
    call.run()
    return True


def _pg_dump(call: Call) -> None:
    parsed = call.parse(_PG_DUMP)
    form, file = parsed.value("-F", "--format"), parsed.value("-f", "--file")
    if file is not None and form is not None and not form.prefix.startswith(("p", "c", "t")):
        # The format of a directory: a file for each table.
        call.files("write", [file], many=True)
    if not _asks(call, parsed):
        call.data("read", f"db://{database_of(CLIENTS['psql'], parsed)}", scope="all")


def _pg_dumpall(call: Call) -> None:
    """All databases of a server, and who may log in to it."""
    parsed = call.parse(_PG_DUMPALL)
    if _asks(call, parsed):
        return
    if parsed.operands:
        raise UnreadableError("an operand of pg_dumpall")
    call.data("read", f"db://{database_of(CLIENTS['psql'], parsed)}", scope="all")


def _mysqldump(call: Call) -> None:
    """Behind the database stand its tables; ``--all-databases`` is opaque."""
    parsed = call.parse(_MYSQLDUMP)
    if _asks(call, parsed):
        return
    if not parsed.operands:
        raise UnreadableError("mysqldump without its database")
    narrow = Parsed(parsed.options, parsed.operands[:1])
    call.data("read", f"db://{database_of(CLIENTS['mysql'], narrow)}", scope="all")


def _pg_restore(call: Call) -> None:
    """A dump holds statements: bringing it back into a database runs them."""
    parsed = call.parse(_PG_RESTORE)
    if _asks(call, parsed):
        return
    call.files("read", parsed.operands)
    if parsed.has("-d", "--dbname"):
        note_unread(call, database_of(CLIENTS["psql"], Parsed(parsed.options, ())), "file")


def _made(call: Call) -> None:
    drops = call.name == "dropdb"
    parsed = call.parse(_DROP if drops else _MAKE)
    if _asks(call, parsed):
        return
    if len(parsed.operands) != 1 and (drops or parsed.operands):
        raise UnreadableError(f"{call.name} without one database")
    target = f"db://{database_of(CLIENTS['psql'], parsed)}"
    call.data("drop" if drops else "define", target, scope="all" if drops else "one")


COMMANDS: dict[str, Callable[[Call], None]] = {
    "createdb": _made,
    "dropdb": _made,
    "mysqldump": _mysqldump,
    "mariadb-dump": _mysqldump,
    "pg_dump": _pg_dump,
    "pg_dumpall": _pg_dumpall,
    "pg_restore": _pg_restore,
}
