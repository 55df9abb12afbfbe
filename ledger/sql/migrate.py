"""Runs the Alembic scripts of the package ``migrations``, from inside whatever it is installed in.

Only what is asked to migrate does: a log that is opened is compared with `ledger.sql.schema.REVISION` and refused.
"""

from importlib.resources import files

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

from ledger.errors import StoreError
from ledger.sql.engine import migrator, place
from ledger.sql.failure import translated
from ledger.sql.revision import found_revision


def upgrade(engine: sa.Engine, to: str = "head") -> tuple[str | None, str]:
    """Bring the database to a revision, the newest unless another is named, in one transaction.

    Returns:
        The revision before, None where there were no tables, and the revision after.

    Raises:
        StoreError: the database can't be written, or its revision is none that this version knows.
    """
    name = place(engine)
    with translated(name), migrator(engine).begin() as connection:
        before = found_revision(connection)
        scripts = ScriptDirectory.from_config(configuration())
        if before is not None and before not in {script.revision for script in scripts.walk_revisions()}:
            raise StoreError(
                f"{name}: tables of revision {before}, which this version does not know: install the version that made "
                "them, or a newer one"
            )
        run(connection, to)
        return before, found_revision(connection) or to


def run(connection: sa.Connection, to: str = "head") -> None:
    """Run the scripts on a connection that is within a transaction of its own."""
    with translated(place(connection.engine)):
        command.upgrade(configuration(connection), to)


def configuration(connection: sa.Connection | None = None) -> Config:
    """Give Alembic's configuration; ``migrations/env.py`` takes the connection from it."""
    config = Config()
    # Alembic reads its options through configparser, which reads % as the start of a reference.
    config.set_main_option("script_location", str(files("migrations")).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
