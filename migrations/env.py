"""Alembic's entry: runs the scripts on the connection that `ledger.sql.migrate` hands in."""

from alembic import context

from ledger.sql.schema import metadata

connection = context.config.attributes.get("connection")
if connection is None:
    raise RuntimeError("migrations run through ledger.sql.migrate, which brings the connection")
context.configure(connection=connection, target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
