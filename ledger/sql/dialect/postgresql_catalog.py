"""What PostgreSQL's catalogue says of a log's schema, held against what the migrations leave there.

Tables, with their columns, types, collations and constraints; triggers, whether they fire, and what their functions
say; and anything else that stands in the schema, which does not belong there. Names are compared without the schema's
own, under which every log has its own.

Source: https://www.postgresql.org/docs/current/catalogs.html.
"""

from collections.abc import Iterator, Mapping
from typing import Final

import sqlalchemy as sa

from ledger.sql.dialect import postgresql_triggers
from ledger.sql.schema import metadata

_DIALECT: Final[sa.Dialect] = sa.make_url("postgresql://").get_dialect()()
_PREPARER: Final = _DIALECT.identifier_preparer
_VERSION_TABLE: Final = "alembic_version"
_KINDS: Final = {"v": "view", "m": "view", "S": "sequence", "f": "foreign table", "p": "table", "c": "type"}

_TABLES: Final = """
SELECT relname, relkind::text, relpersistence::text, relrowsecurity
FROM pg_catalog.pg_class WHERE relnamespace = %(schema)s::regnamespace AND relkind NOT IN ('i', 'I', 't', 'c')
ORDER BY relname"""
_COLUMNS: Final = """
SELECT relname, attname || ' ' || format_type(atttypid, atttypmod)
  || CASE WHEN attcollation IN (0, 100) THEN '' ELSE ' COLLATE ' || (
       SELECT collname FROM pg_catalog.pg_collation WHERE oid = attcollation) END
  || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END
  || CASE WHEN atthasdef THEN ' DEFAULT' ELSE '' END || attidentity::text || attgenerated::text
FROM pg_catalog.pg_attribute JOIN pg_catalog.pg_class ON attrelid = pg_class.oid
WHERE relnamespace = %(schema)s::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
ORDER BY relname, attnum"""
_CONSTRAINTS: Final = """
SELECT relname, conname || ' ' || pg_get_constraintdef(pg_constraint.oid)
FROM pg_catalog.pg_constraint JOIN pg_catalog.pg_class ON conrelid = pg_class.oid
WHERE relnamespace = %(schema)s::regnamespace AND contype NOT IN ('n', 't') ORDER BY relname, conname COLLATE "C" """
_OTHERS: Final = """
SELECT indexrelid::regclass::text, 'INDEX' || CASE WHEN indisvalid THEN '' ELSE ' INVALID' END
FROM pg_catalog.pg_index JOIN pg_catalog.pg_class ON indrelid = pg_class.oid
WHERE relnamespace = %(schema)s::regnamespace AND (NOT indisvalid OR NOT EXISTS (
  SELECT FROM pg_catalog.pg_constraint WHERE conindid = indexrelid))
UNION ALL
SELECT rulename || ' on ' || relname, 'RULE'
FROM pg_catalog.pg_rewrite JOIN pg_catalog.pg_class ON ev_class = pg_class.oid
WHERE relnamespace = %(schema)s::regnamespace AND relkind = 'r'
UNION ALL
SELECT polname || ' on ' || relname, 'POLICY'
FROM pg_catalog.pg_policy JOIN pg_catalog.pg_class ON polrelid = pg_class.oid
WHERE relnamespace = %(schema)s::regnamespace
UNION ALL
SELECT oprname, 'OPERATOR' FROM pg_catalog.pg_operator WHERE oprnamespace = %(schema)s::regnamespace
UNION ALL
SELECT typname, 'TYPE' FROM pg_catalog.pg_type
WHERE typnamespace = %(schema)s::regnamespace AND typtype IN ('d', 'e', 'r', 'm') OR typrelid IN (
  SELECT oid FROM pg_catalog.pg_class WHERE relnamespace = %(schema)s::regnamespace AND relkind = 'c')"""
_TRIGGERS: Final = """
SELECT relname, tgname, pg_get_triggerdef(pg_trigger.oid), tgenabled::text
FROM pg_catalog.pg_trigger JOIN pg_catalog.pg_class ON tgrelid = pg_class.oid
WHERE relnamespace = %(schema)s::regnamespace AND NOT tgisinternal"""
_INTERNAL: Final = """
SELECT DISTINCT relname FROM pg_catalog.pg_trigger JOIN pg_catalog.pg_class ON tgrelid = pg_class.oid
WHERE relnamespace = %(schema)s::regnamespace AND tgisinternal AND tgenabled <> 'O'"""
_FUNCTIONS: Final = """
SELECT proname, CASE WHEN prokind IN ('f', 'p') THEN pg_get_functiondef(pg_proc.oid) ELSE 'AGGREGATE' END
FROM pg_catalog.pg_proc WHERE pronamespace = %(schema)s::regnamespace"""


def schema_of(connection: sa.Connection) -> str:
    """Name the schema that a connection looks into."""
    return str(connection.exec_driver_sql("SELECT current_schema()").scalar_one())


def faults(connection: sa.Connection) -> Iterator[tuple[str, str]]:
    """Name each object that is not as the migrations left it, and say what is wrong."""
    schema = schema_of(connection)
    look = _Look(connection, schema)
    expected = {table.name: _table(table) for table in metadata.sorted_tables}
    expected |= {name: look.plain(text) for name, text in postgresql_triggers.functions(schema).items()}
    expected |= {name: f"{look.plain(text)} ALWAYS" for name, text in postgresql_triggers.triggers(schema).items()}
    for name, text in look.everything():
        wanted = expected.pop(name, None)
        if wanted is None:
            yield name, "nothing of this name belongs here"
        elif text != wanted:
            yield name, "it is defined otherwise"
    for table in look.unguarded():
        yield table, "its foreign keys are switched off"
    for name in sorted(expected):
        yield name, "it is missing"


class _Look:
    def __init__(self, connection: sa.Connection, schema: str) -> None:
        self._connection = connection
        self._schema = schema
        self._own = (f'"{schema}".', f"{schema}.")

    def plain(self, text: str) -> str:
        """Give a text without the schema's name, and with single spaces."""
        for own in self._own:
            text = text.replace(own, "")
        return " ".join(text.split())

    def everything(self) -> Iterator[tuple[str, str]]:
        """Give everything that stands in the schema, as names and texts."""
        yield from self._tables()
        for table, name, text, enabled in self._rows(_TRIGGERS):
            # A trigger of an expected name on another table is a stranger there.
            own = name if postgresql_triggers.table_of(name) == table else f"{name} on {table}"
            yield own, f"{self.plain(text)} {'ALWAYS' if enabled == 'A' else enabled}"
        for name, text in self._rows(_FUNCTIONS):
            yield name, self.plain(text)
        yield from ((self.plain(name), text) for name, text in self._rows(_OTHERS))

    def unguarded(self) -> Iterator[str]:
        """Name the tables whose constraint triggers do not fire."""
        return (table for (table,) in self._rows(_INTERNAL))

    def _tables(self) -> Iterator[tuple[str, str]]:
        columns = self._gathered(_COLUMNS)
        constraints = self._gathered(_CONSTRAINTS)
        for name, kind, persistence, secured in self._rows(_TABLES):
            if name == _VERSION_TABLE and kind == "r":
                continue
            if kind != "r":
                yield name, _KINDS.get(kind, kind)
                continue
            oddities = [persistence] * (persistence != "p") + ["ROW SECURITY"] * bool(secured)
            yield name, "; ".join([*columns.get(name, []), *constraints.get(name, []), *oddities])

    def _gathered(self, statement: str) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for table, text in self._rows(statement):
            found.setdefault(table, []).append(self.plain(text))
        return found

    def _rows(self, statement: str) -> list[tuple[str, ...]]:
        rows = self._connection.exec_driver_sql(statement, {"schema": f'"{self._schema}"'})
        return [tuple(row) for row in rows]


def _table(table: sa.Table) -> str:
    """Say of a table what `_Look` says of the one in the catalogue."""
    columns = [f"{column.name} {_type(column)}{'' if column.nullable else ' NOT NULL'}" for column in table.columns]
    every = {*table.constraints, *(one for column in table.columns for one in column.constraints)}
    constraints = sorted(f"{_PREPARER.format_constraint(one)} {_constraint(one)}" for one in every)
    return "; ".join([*columns, *constraints])


def _type(column: sa.Column[object]) -> str:
    return column.type.compile(dialect=_DIALECT).lower().replace('collate "c"', "COLLATE C")


def _constraint(constraint: sa.Constraint) -> str:
    match constraint:
        case sa.ForeignKeyConstraint():
            own = ", ".join(column.name for column in constraint.columns)
            (other,) = {element.column.table.name for element in constraint.elements}
            theirs = ", ".join(element.column.name for element in constraint.elements)
            return f"FOREIGN KEY ({own}) REFERENCES {other}({theirs})"
        case sa.PrimaryKeyConstraint():
            return f"PRIMARY KEY ({', '.join(column.name for column in constraint.columns)})"
        case sa.CheckConstraint():
            return f"CHECK (({constraint.sqltext}))"
    raise TypeError(f"{type(constraint).__name__}: no constraint of a log's tables")
