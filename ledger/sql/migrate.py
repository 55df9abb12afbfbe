"""Runs the Alembic scripts of the package ``migrations``, from inside whatever it is installed in.

Only what is asked to migrate does: a log that is opened is compared with `ledger.sql.schema.REVISION` and refused.
"""

from importlib.resources import files

import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from ledger.sql.engine import place, writer
from ledger.sql.failure import translated


def upgrade(engine: sa.Engine) -> None:
    """Bring the database to the newest revision, in one transaction.

    Raises:
        StoreError: the database can't be written.
    """
    with translated(place(engine)), writer(engine).begin() as connection:
        command.upgrade(configuration(connection), "head")


def configuration(connection: sa.Connection | None = None) -> Config:
    """Give Alembic's configuration; ``migrations/env.py`` takes the connection from it."""
    config = Config()
    # Alembic reads its options through configparser, which reads % as the start of a reference.
    config.set_main_option("script_location", str(files("migrations")).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
