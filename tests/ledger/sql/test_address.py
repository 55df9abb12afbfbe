"""Where a database is: what can be written, and what is refused before anything is opened."""

from pathlib import Path

import pytest

from ledger.errors import StoreError
from ledger.sql.address import PostgresAddress, parse_address, parse_url


@pytest.mark.parametrize(
    ("text", "schema", "shown"),
    [
        ("postgresql+psycopg://ada@db/records", "tallystick", "postgresql+psycopg://ada@db/records?schema=tallystick"),
        ("postgresql://ada@db/records?schema=t", "t", "postgresql+psycopg://ada@db/records?schema=t"),
        ("postgres://db:5433/r?schema=_a1", "_a1", "postgresql+psycopg://db:5433/r?schema=_a1"),
        ("postgresql:///?service=tally", "tallystick", "postgresql+psycopg:///?schema=tallystick&service=tally"),
        (
            "postgresql://db/r?sslmode=verify-full&schema=s",
            "s",
            "postgresql+psycopg://db/r?schema=s&sslmode=verify-full",
        ),
    ],
)
def test_a_url_names_a_schema_in_a_database(text, schema, shown):
    """The schema has a default, and the address is written in one way, which reads back to the same."""
    address = parse_url(text)
    assert (address.schema, str(address)) == (schema, shown)
    assert "schema" not in address.url.query
    assert parse_address(shown) == address


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://ada:secret@db/records",
        "postgresql://ada:@db/records",
        "postgresql://ada@db/records?password=secret",
        "postgresql://ada@db/records?sslpassword=secret",
    ],
)
def test_a_password_is_refused_and_not_repeated(text):
    """It would be shown in messages and kept in a file."""
    with pytest.raises(StoreError, match="PGPASSWORD") as refused:
        parse_url(text)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "schema", ["A", "1a", "pg_tally", "a-b", "a.b", 'a"b', "a b", "é", "a" * 64, "a;drop", "x&schema=y"]
)
def test_a_schema_that_can_not_be_is_refused(schema):
    """One plain name."""
    with pytest.raises(StoreError, match="the schema of a log is one name"):
        parse_url(f"postgresql://db/records?schema={schema}")


@pytest.mark.parametrize("text", ["mysql://db/records", "sqlite:///log.db", "https://db/records"])
def test_another_database_is_refused(text):
    """Only what a log is kept in."""
    with pytest.raises(StoreError, match="no database that a log is kept in"):
        parse_address(text)


@pytest.mark.parametrize("text", ["postgresql+psycopg//db", "://", "postgresql://db:port/x", "postgresql://[::1/x"])
def test_what_is_no_url_is_one_error(text):
    """Whatever stands there is not repeated: it may hold a password."""
    with pytest.raises(StoreError, match="can't be read: write it like"):
        parse_url(text)


def test_a_path_is_a_path():
    """Everything without the mark of a URL."""
    assert parse_address("/srv/tally/ledger.db") == Path("/srv/tally/ledger.db")
    assert not isinstance(parse_address("postgresql"), PostgresAddress)
