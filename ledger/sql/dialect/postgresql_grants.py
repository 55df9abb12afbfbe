"""What a role may do with a log's schema: as much as appending and deciding take, and nothing that changes the past.

The owner of the tables makes the schema, migrates it, and is nobody's everyday role. An application's role reads and
appends; it may change the head, the states and their generation, and delete what the triggers let go. An auditor's
role reads. Neither may truncate a table, change one, or switch a trigger off.
"""

from typing import Final

from ledger.errors import StoreError
from ledger.sql.schema import APPEND_ONLY, head, metadata, projections, states

_LONGEST: Final = 63


def grants(schema: str, role: str, *, read_only: bool) -> list[str]:
    """Give the statements that the owner runs for a role; those before them are taken back.

    Raises:
        StoreError: that is no name of a role.
    """
    if not 0 < len(role.encode()) <= _LONGEST or not role.isprintable():
        raise StoreError(f"a role's name has 1 to {_LONGEST} bytes that can be printed")
    to = '"' + role.replace('"', '""') + '"'
    own = f'"{schema}"'
    every = ", ".join(f"{own}.{name}" for name in (*metadata.tables, "alembic_version"))
    statements = [
        f"REVOKE ALL ON SCHEMA {own} FROM PUBLIC, {to}",
        f"REVOKE ALL ON ALL TABLES IN SCHEMA {own} FROM PUBLIC, {to}",
        f"REVOKE ALL ON ALL FUNCTIONS IN SCHEMA {own} FROM PUBLIC, {to}",
        f"GRANT USAGE ON SCHEMA {own} TO {to}",
        f"GRANT SELECT ON {every} TO {to}",
    ]
    if not read_only:
        added = ", ".join(f"{own}.{table.name}" for table in (*APPEND_ONLY, states))
        moved = ", ".join(column.name for column in head.columns if not column.primary_key)
        statements += [
            f"GRANT INSERT ON {added} TO {to}",
            f"GRANT UPDATE ({moved}) ON {own}.{head.name} TO {to}",
            f"GRANT UPDATE (generation) ON {own}.{projections.name} TO {to}",
            f"GRANT UPDATE, DELETE ON {own}.{states.name} TO {to}",
            # A trigger lets only those go that an event has erased.
            f"GRANT DELETE ON {own}.disclosures TO {to}",
        ]
    return statements
