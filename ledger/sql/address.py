"""Where a log's database is: the path of a SQLite file, or a schema in a PostgreSQL database.

    /srv/tally/ledger.db
    postgresql+psycopg://ada@db.example:5432/records?schema=tallystick

One database file, or one schema, holds one log. A password never stands in an address: an address is shown in
messages and kept in files.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError

from ledger.errors import StoreError

DEFAULT_SCHEMA: Final = "tallystick"
DRIVER: Final = "postgresql+psycopg"
_DRIVERS: Final = {DRIVER, "postgresql", "postgres"}
_SCHEMA: Final = re.compile(r"(?!pg_)[a-z_][a-z0-9_]{0,62}")
_SECRETS: Final = ("password", "sslpassword")


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    """A schema in a PostgreSQL database.

    Attributes:
        url: where the database is, as SQLAlchemy spells it, without the schema.
        schema: the schema that holds the log.
    """

    url: sa.URL
    schema: str = DEFAULT_SCHEMA

    def __str__(self) -> str:
        return self.url.update_query_dict({"schema": self.schema}).render_as_string()


Address: TypeAlias = Path | PostgresAddress


def parse_address(text: str) -> Address:
    """Read what names a database: a URL, or else a path.

    Raises:
        StoreError: it is a URL that can't be; see `parse_url`.
    """
    return parse_url(text) if "://" in text else Path(text)


def parse_url(text: str) -> PostgresAddress:
    """Read the URL of a PostgreSQL database, ``?schema=NAME`` included.

    Raises:
        StoreError: it is none, names another kind of database or a schema that can't be, or holds a password.
    """
    try:
        url = sa.make_url(text)
    except (ArgumentError, ValueError) as error:
        # The text itself may hold a password, so it is not repeated.
        raise StoreError(f"the database's URL can't be read: write it like {DRIVER}://user@host/database") from error
    if url.drivername not in _DRIVERS:
        raise StoreError(f"{url.drivername}: no database that a log is kept in; write {DRIVER}://user@host/database")
    if url.password is not None or any(name in url.query for name in _SECRETS):
        raise StoreError(
            "a password stands in the database's URL, where messages and files would show it: leave it out, and "
            "keep it in ~/.pgpass, in PGPASSWORD, or in a service file"
        )
    schema = url.query.get("schema", DEFAULT_SCHEMA)
    if not isinstance(schema, str) or not _SCHEMA.fullmatch(schema):
        raise StoreError(
            "the schema of a log is one name of up to 63 characters a-z, 0-9 and _, which does not begin with a digit "
            "or pg_: ?schema=tallystick"
        )
    return PostgresAddress(url.difference_update_query(["schema"]).set(drivername=DRIVER), schema)
