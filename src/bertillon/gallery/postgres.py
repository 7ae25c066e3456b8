"""A gallery in PostgreSQL, for several machines at once: the same sealed rows, entries and lines as in a file.

Conventions: `postgresql://...` in place of a path; a database holds one gallery, in tables of its own. The server sees
sealed templates only: they are opened, and searched, in the memory of each client, which answers as a file does. A
writer holds an advisory lock, so that there is one at a time. Needs the extra `[postgres]`.

Deleted rows stay in the pages of a table until they are vacuumed, and in the server's write-ahead log and backups:
`scrub` vacuums; what the server keeps elsewhere is its administrator's.

Holds `PostgresStore` and `is_address`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from bertillon.core.errors import InputError
from bertillon.gallery.store import AT_ONCE, Entry, Line, Row

NEEDED = "a gallery in PostgreSQL needs the package psycopg; install it with: pip install 'bertillon[postgres]'"
LOCK = 0x62657274  # of the writer
SCHEMA = """
CREATE TABLE gallery_entry (name text PRIMARY KEY, value bytea NOT NULL, mark bytea NOT NULL);
CREATE TABLE gallery_template (row bigint PRIMARY KEY, person text NOT NULL, sealed bytea NOT NULL);
CREATE INDEX gallery_template_person ON gallery_template (person);
CREATE TABLE gallery_log (seq bigint PRIMARY KEY, line text NOT NULL, mark bytea NOT NULL);
"""


def is_address(path: object) -> bool:
    """Is this the address of a database?

    >>> is_address("postgresql://door@server/people"), is_address("door.gallery")
    (True, False)
    """
    return str(path).startswith(("postgresql://", "postgres://"))


class PostgresStore:
    """A gallery in a database."""

    def __init__(self, address: str, connection: Any) -> None:
        self._connection = connection
        self.name = f"postgresql://{connection.info.host}/{connection.info.dbname}"  # without user and password

    @classmethod
    def create(cls, address: str) -> PostgresStore:
        """New tables in a database; those that are there are never replaced."""
        store = cls._connected(address)
        if store._exists():
            store.close()
            raise InputError(f"{store.name}: holds a gallery already; name another database, or enrol people in it")
        with store.transaction():
            store._run(SCHEMA)
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
        try:
            import psycopg
        except ImportError:
            raise InputError(NEEDED) from None
        try:
            return cls(address, psycopg.connect(address, autocommit=True))
        except psycopg.Error as error:
            raise InputError(f"the database cannot be reached ({str(error).splitlines()[0]})") from None

    def _exists(self) -> bool:
        [found] = self._run("SELECT to_regclass('gallery_entry') IS NOT NULL")
        return bool(found[0])

    def _run(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        import psycopg

        try:
            cursor = self._connection.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else []
        except psycopg.Error as error:
            problem = f"the database did not do it ({str(error).splitlines()[0]})"
            raise InputError(f"{self.name}: {problem}; nothing was changed") from error

    def _run_many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        with self._connection.cursor() as cursor:
            cursor.executemany(statement, rows)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        import psycopg

        try:
            with self._connection.transaction():
                self._run("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
                yield
        except psycopg.Error as error:
            problem = f"cannot be written ({str(error).splitlines()[0]})"
            raise InputError(f"{self.name}: {problem}; nothing was changed") from error

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        from psycopg.pq import TransactionStatus

        if self._connection.info.transaction_status != TransactionStatus.IDLE:
            yield
            return
        with self._connection.transaction():
            self._run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield

    def entry(self, name: str) -> Entry | None:
        found = self._run("SELECT value, mark FROM gallery_entry WHERE name = %s", (name,))
        return (bytes(found[0][0]), bytes(found[0][1])) if found else None

    def put_entry(self, name: str, value: bytes, mark: bytes) -> None:
        kept = "ON CONFLICT (name) DO UPDATE SET value = excluded.value, mark = excluded.mark"
        self._run(f"INSERT INTO gallery_entry VALUES (%s, %s, %s) {kept}", (name, value, mark))

    def add_templates(self, rows: Sequence[Row]) -> None:
        self._run_many("INSERT INTO gallery_template VALUES (%s, %s, %s)", rows)

    def replace_templates(self, rows: Iterable[Row]) -> None:
        changed = [(sealed, row, person) for row, person, sealed in rows]
        self._run_many("UPDATE gallery_template SET sealed = %s WHERE row = %s AND person = %s", changed)

    def delete_templates(self, person: str) -> list[int]:
        gone = self._run("DELETE FROM gallery_template WHERE person = %s RETURNING row", (person,))
        return sorted(row for (row,) in gone)

    def templates(self, after: int = 0) -> Iterator[list[Row]]:
        asked = "SELECT row, person, sealed FROM gallery_template WHERE row > %s ORDER BY row LIMIT %s"
        while rows := [(row, person, bytes(sealed)) for row, person, sealed in self._run(asked, (after, AT_ONCE))]:
            yield rows
            after = rows[-1][0]

    def row_numbers(self) -> list[int]:
        return [row for (row,) in self._run("SELECT row FROM gallery_template ORDER BY row")]

    def add_lines(self, lines: Sequence[Line]) -> None:
        self._run_many("INSERT INTO gallery_log VALUES (%s, %s, %s)", lines)

    def lines(self, upto: int) -> Iterator[Line]:
        asked, after = "SELECT seq, line, mark FROM gallery_log WHERE seq > %s AND seq <= %s ORDER BY seq LIMIT %s", 0
        while lines := self._run(asked, (after, upto, AT_ONCE)):
            yield from ((seq, line, bytes(mark)) for seq, line, mark in lines)
            after = lines[-1][0]

    def last_line(self) -> Line | None:
        found = self._run("SELECT seq, line, mark FROM gallery_log ORDER BY seq DESC LIMIT 1")
        return (found[0][0], found[0][1], bytes(found[0][2])) if found else None

    def scrub(self) -> bool:
        self._run("VACUUM gallery_template")
        return True

    def close(self) -> None:
        self._connection.close()
