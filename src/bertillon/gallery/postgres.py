"""A gallery in PostgreSQL, for several machines at once: the same sealed rows, entries and lines as in a file.

Conventions: `postgresql://...` in place of a path; a database holds one gallery, in tables of its own. The server sees
sealed templates only: they are opened, and searched, in the memory of each client, which answers as a file does, unless
the gallery was made for searches in the server (`pgvector`, `server`). A writer holds an advisory lock: there is one at
a time. A connection that was lost is made again before anything else is asked; one that is lost on the way is
said, and what was being written is there whole or not at all. Needs the extra `[postgres]`.

Deleted rows are vacuumed by `scrub`: nothing finds them any more, and their room is free. The server overwrites it when
it needs it, and keeps the rows in its write-ahead log and backups: these are the administrator's.

Holds `PostgresStore` and `is_address`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from bertillon.core.errors import InputError
from bertillon.gallery.store import AT_ONCE, PATIENCE, Entry, Line, Row, Unavailable

NEEDED = "a gallery in PostgreSQL needs the package psycopg; install it with: pip install 'bertillon[postgres]'"
LOCK = 0x62657274  # of the writer
ROW = ("int8", "text", "bytea")  # types of its columns
SCHEMA = """
CREATE TABLE gallery_entry (name text PRIMARY KEY, value bytea NOT NULL, mark bytea NOT NULL);
CREATE TABLE gallery_template (row bigint PRIMARY KEY, person text NOT NULL, sealed bytea NOT NULL);
CREATE INDEX gallery_template_person ON gallery_template (person);
CREATE TABLE gallery_log (seq bigint PRIMARY KEY, line text NOT NULL, mark bytea NOT NULL);
"""
TABLES = "gallery_vector, gallery_entry, gallery_template, gallery_log"


def is_address(path: object) -> bool:
    """Is this the address of a database?

    >>> is_address("postgresql://door@server/people"), is_address("door.gallery")
    (True, False)
    """
    return str(path).startswith(("postgresql://", "postgres://"))


class PostgresStore:
    """A gallery in a database."""

    def __init__(self, address: str, connection: Any) -> None:
        self._address, self._connection = address, connection
        self._made: int | None = None  # the number that the server gave the table of entries made here
        self.name = f"postgresql://{connection.info.host}/{connection.info.dbname}"  # without user and password

    @classmethod
    def create(cls, address: str) -> PostgresStore:
        """New tables in a database; those that are there are never replaced."""
        store = cls._connected(address)
        if store._exists():
            store.close()
            raise InputError(f"{store.name}: holds a gallery already; name another database, or enrol people in it")
        return store

    @classmethod
    def open(cls, address: str) -> PostgresStore:
        store = cls._connected(address)
        if not store._exists():
            store.close()
            raise InputError(f"{store.name}: holds no gallery; 'bertillon gallery create' makes one")
        return store

    @classmethod
    def _connected(cls, address: str) -> PostgresStore:
        return cls(address, _connect(address))

    def make_tables(self) -> None:
        self.run(SCHEMA)
        self._made = self._found()

    def again(self) -> PostgresStore:
        return PostgresStore.open(self._address)

    def discard(self) -> None:
        """Tables that others made, or have enrolled people in meanwhile, stay; so does the extension pgvector."""
        with suppress(InputError):  # why it is discarded is what matters to who asked
            if self._made is not None:
                with self.transaction():
                    if self._found() == self._made and not self.row_numbers():
                        self.run(f"DROP TABLE IF EXISTS {TABLES}")
        self.close()

    def _ready(self) -> None:
        """A connection that answers; another where the server was restarted."""
        import psycopg

        try:
            self._connection.execute("SELECT 1")
        except psycopg.OperationalError:
            self._connection.close()
            self._connection = _connect(self._address)

    def _exists(self) -> bool:
        return self._found() is not None

    def _found(self) -> int | None:
        """The server's number of the table of entries that is there."""
        [(number,)] = self.run("SELECT to_regclass('gallery_entry')::oid")
        return None if number is None else int(number)

    def run(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._explained("the database did not do it"):
            cursor = self._connection.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else []

    def _run_many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        with self._connection.cursor() as cursor:
            cursor.executemany(statement, rows)

    def copy(self, table: str, types: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Many rows at once, in the server's own format."""
        with self._connection.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN (FORMAT BINARY)") as into:
            into.set_types(types)
            for row in rows:
                into.write_row(row)

    @contextmanager
    def _explained(self, what: str) -> Iterator[None]:
        """What went wrong in the database, as a person can act on it."""
        import psycopg

        try:
            yield
        except psycopg.Error as error:
            problem = f"{self.name}: {what} ({(str(error) or type(error).__name__).splitlines()[0]})"
            if self._connection.broken:
                raise Unavailable(
                    f"{problem}; the connection was lost: what was being written is there whole or not at all, which "
                    "'bertillon gallery list' shows; then try again"
                ) from error
            kind = Unavailable if isinstance(error, psycopg.OperationalError) else InputError  # locked, full
            raise kind(f"{problem}; nothing was changed") from error

    @contextmanager
    def transaction(self) -> Iterator[None]:
        self._ready()
        with self._explained("cannot be written"), self._connection.transaction():
            self.run("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
            yield

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        from psycopg.pq import TransactionStatus

        if self._connection.info.transaction_status in (TransactionStatus.INTRANS, TransactionStatus.ACTIVE):
            yield
            return
        self._ready()
        with self._explained("cannot be read"), self._connection.transaction():
            self.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield

    def entry(self, name: str) -> Entry | None:
        found = self.run("SELECT value, mark FROM gallery_entry WHERE name = %s", (name,))
        return (bytes(found[0][0]), bytes(found[0][1])) if found else None

    def put_entry(self, name: str, value: bytes, mark: bytes) -> None:
        kept = "ON CONFLICT (name) DO UPDATE SET value = excluded.value, mark = excluded.mark"
        self.run(f"INSERT INTO gallery_entry VALUES (%s, %s, %s) {kept}", (name, value, mark))

    def add_templates(self, rows: Sequence[Row]) -> None:
        self.copy("gallery_template", ROW, rows)

    def replace_templates(self, rows: Iterable[Row]) -> None:
        changed = [(sealed, row, person) for row, person, sealed in rows]
        self._run_many("UPDATE gallery_template SET sealed = %s WHERE row = %s AND person = %s", changed)

    def delete_templates(self, person: str) -> list[int]:
        gone = self.run("DELETE FROM gallery_template WHERE person = %s RETURNING row", (person,))
        return sorted(row for (row,) in gone)

    def templates(self, after: int = 0) -> Iterator[list[Row]]:
        asked = "SELECT row, person, sealed FROM gallery_template WHERE row > %s ORDER BY row LIMIT %s"
        while rows := [(row, person, bytes(sealed)) for row, person, sealed in self.run(asked, (after, AT_ONCE))]:
            yield rows
            after = rows[-1][0]

    def row_numbers(self) -> list[int]:
        return [row for (row,) in self.run("SELECT row FROM gallery_template ORDER BY row")]

    def add_lines(self, lines: Sequence[Line]) -> None:
        self.copy("gallery_log", ROW, lines)

    def lines(self, after: int, upto: int) -> Iterator[Line]:
        asked = "SELECT seq, line, mark FROM gallery_log WHERE seq > %s AND seq <= %s ORDER BY seq LIMIT %s"
        while lines := self.run(asked, (after, upto, AT_ONCE)):
            yield from ((seq, line, bytes(mark)) for seq, line, mark in lines)
            after = lines[-1][0]

    def last_line(self) -> Line | None:
        found = self.run("SELECT seq, line, mark FROM gallery_log ORDER BY seq DESC LIMIT 1")
        return (found[0][0], found[0][1], bytes(found[0][2])) if found else None

    def scrub(self) -> bool:
        asked = (
            "SELECT relname FROM pg_class WHERE oid IN (to_regclass('gallery_template'), to_regclass('gallery_vector'))"
        )
        for (table,) in self.run(asked):
            self.run(f"VACUUM {table}")
        return True

    def close(self) -> None:
        self._connection.close()


def _connect(address: str) -> Any:
    try:
        import psycopg
    except ImportError:
        raise InputError(NEEDED) from None
    try:
        connection = psycopg.connect(address, autocommit=True)
        connection.execute("SET synchronous_commit = on")  # what is acknowledged is on the disk
        connection.execute(f"SET lock_timeout = '{PATIENCE:g}s'")  # for other writers
    except psycopg.Error as error:
        raise Unavailable(f"the database cannot be reached ({str(error).splitlines()[0]})") from None
    return connection
