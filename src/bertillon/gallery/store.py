"""Where a gallery is kept: rows of sealed templates, lines of the log, and a few entries beside them, in one file.

Conventions: one SQLite file with a write-ahead log. A transaction is there whole or not at all, whatever kills the
process; once it has returned it is on the disk. Writers wait for each other. What is deleted is overwritten with
zeros, also in the write-ahead log (`scrub`). Nothing in here is understood: what is sealed and marked is for
`records` to judge, so that any database can stand in its place (`Store`).

Holds `Store`, `SqliteStore`, and `Unavailable`, raised where a store cannot answer now.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Protocol

from bertillon.core.errors import InputError

FORMAT = b"bertillon gallery 1"
MAGIC = b"SQLite format 3\x00"
PATIENCE = 30.0  # seconds that a writer waits for the others
AT_ONCE = 50_000  # rows
SCHEMA = """
CREATE TABLE entry (name TEXT PRIMARY KEY, value BLOB NOT NULL, mark BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE template (row INTEGER PRIMARY KEY, person TEXT NOT NULL, sealed BLOB NOT NULL);
CREATE INDEX template_person ON template (person);
CREATE TABLE log (seq INTEGER PRIMARY KEY, line TEXT NOT NULL, mark BLOB NOT NULL);
"""

Entry = tuple[bytes, bytes]  # value and mark
Row = tuple[int, str, bytes]  # number, person, sealed template
Line = tuple[int, str, bytes]  # number, text, mark


class Unavailable(InputError):
    """A store that cannot read or write now: locked, full, or not reached. The same request may succeed later."""


class Store(Protocol):
    """What any database must do for a gallery."""

    name: str

    def make_tables(self) -> None:
        """Its tables, where there is nothing yet."""

    def again(self) -> Store:
        """Another connection to it."""

    def discard(self) -> None:
        """Close it, and leave nothing of one that was not finished."""

    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing; no other writer meanwhile."""

    def snapshot(self) -> AbstractContextManager[None]:
        """What is read within it was all there at one moment."""

    def entry(self, name: str) -> Entry | None: ...
    def put_entry(self, name: str, value: bytes, mark: bytes) -> None: ...
    def add_templates(self, rows: Sequence[Row]) -> None: ...
    def replace_templates(self, rows: Iterable[Row]) -> None:
        """Other bytes for rows that are there."""

    def delete_templates(self, person: str) -> list[int]:
        """The rows of a person, gone."""

    def templates(self, after: int = 0) -> Iterator[list[Row]]:
        """Rows above a number, in their order, some at a time."""

    def row_numbers(self) -> list[int]: ...
    def add_lines(self, lines: Sequence[Line]) -> None: ...
    def lines(self, after: int, upto: int) -> Iterator[Line]:
        """Lines of the log above a number, up to another, in their order."""

    def last_line(self) -> Line | None: ...
    def scrub(self) -> bool:
        """Overwrite what was deleted wherever it is still held; False where others are still reading it."""

    def close(self) -> None: ...


class SqliteStore:
    """A gallery in one file."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.name, self._connection = str(path), connection
        self.path = Path(os.path.abspath(path))  # wherever the process goes

    @classmethod
    def create(cls, path: str | os.PathLike[str]) -> SqliteStore:
        """A new file; one that is there is never replaced."""
        target = Path(path)
        try:
            os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            raise InputError(f"{path}: is there already; name a new file, or enrol people in this one") from None
        except OSError as error:
            raise InputError(f"{path}: cannot be written ({error.strerror})") from None
        return cls._connected(target)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> SqliteStore:
        target = Path(path)
        try:
            with open(target, "rb") as file:
                magic = file.read(len(MAGIC))
        except OSError as error:
            hint = "; 'bertillon gallery create' makes one" if isinstance(error, FileNotFoundError) else ""
            raise InputError(f"{path}: cannot be opened ({error.strerror}){hint}") from None
        if magic != MAGIC:
            raise InputError(f"{path}: is no gallery (an SQLite file was expected)")
        store = cls._connected(target)
        with store._explained("read"):
            tables = {name for (name,) in store._connection.execute("SELECT name FROM sqlite_master")}
        if not {"entry", "template", "log"} <= tables:
            raise InputError(f"{path}: is no gallery: it lacks its tables; 'bertillon gallery create' makes one")
        return store

    @classmethod
    def _connected(cls, path: Path) -> SqliteStore:
        connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        store = cls(path, connection)
        with store._explained("opened"):
            for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON", "trusted_schema=OFF"):
                connection.execute(f"PRAGMA {pragma}").fetchall()
        return store

    @contextmanager
    def _explained(self, doing: str) -> Iterator[None]:
        """What went wrong in the database, as a person can act on it."""
        try:
            yield
        except sqlite3.OperationalError as error:
            hints = {
                "locked": "another process holds it: try again",
                "full": "free some room",
                "I/O": "is the disk full?",
            }
            hint = next((f"; {said}" for word, said in hints.items() if word in str(error)), "")
            raise Unavailable(f"{self.name}: cannot be {doing} ({error}){hint}; nothing was changed") from error
        except sqlite3.DatabaseError as error:
            raise InputError(f"{self.name}: is damaged ({error}); restore it from a copy") from error

    def make_tables(self) -> None:
        for statement in filter(str.strip, SCHEMA.split(";")):
            self._connection.execute(statement)

    def again(self) -> SqliteStore:
        other = SqliteStore.open(self.path)
        other.name = self.name
        return other

    def discard(self) -> None:
        """A file that others have enrolled people in meanwhile stays."""
        with suppress(InputError):  # why it is discarded is what matters to who asked
            if self.row_numbers():
                self.close()
                return
        self.close()
        for ending in ("", "-wal", "-shm"):
            Path(f"{self.path}{ending}").unlink(missing_ok=True)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._explained("written"):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        if self._connection.in_transaction:
            yield
            return
        with self._explained("read"):
            self._connection.execute("BEGIN")
            try:
                yield
            finally:
                self._connection.execute("COMMIT")

    def entry(self, name: str) -> Entry | None:
        with self._explained("read"):
            found = self._connection.execute("SELECT value, mark FROM entry WHERE name = ?", (name,)).fetchone()
        return None if found is None else (bytes(found[0]), bytes(found[1]))

    def put_entry(self, name: str, value: bytes, mark: bytes) -> None:
        self._connection.execute("INSERT OR REPLACE INTO entry VALUES (?, ?, ?)", (name, value, mark))

    def add_templates(self, rows: Sequence[Row]) -> None:
        self._connection.executemany("INSERT INTO template VALUES (?, ?, ?)", rows)

    def replace_templates(self, rows: Iterable[Row]) -> None:
        changed = ((sealed, row, person) for row, person, sealed in rows)
        self._connection.executemany("UPDATE template SET sealed = ? WHERE row = ? AND person = ?", changed)

    def delete_templates(self, person: str) -> list[int]:
        found = self._connection.execute("SELECT row FROM template WHERE person = ? ORDER BY row", (person,)).fetchall()
        self._connection.execute("DELETE FROM template WHERE person = ?", (person,))
        return [row for (row,) in found]

    def templates(self, after: int = 0) -> Iterator[list[Row]]:
        asked = "SELECT row, person, sealed FROM template WHERE row > ? ORDER BY row LIMIT ?"
        while True:
            with self._explained("read"):
                rows = self._connection.execute(asked, (after, AT_ONCE)).fetchall()
            if not rows:
                return
            yield rows
            after = rows[-1][0]

    def row_numbers(self) -> list[int]:
        with self._explained("read"):
            return [row for (row,) in self._connection.execute("SELECT row FROM template ORDER BY row")]

    def add_lines(self, lines: Sequence[Line]) -> None:
        self._connection.executemany("INSERT INTO log VALUES (?, ?, ?)", lines)

    def lines(self, after: int, upto: int) -> Iterator[Line]:
        asked = "SELECT seq, line, mark FROM log WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?"
        while True:
            with self._explained("read"):
                lines = self._connection.execute(asked, (after, upto, AT_ONCE)).fetchall()
            if not lines:
                return
            yield from lines
            after = lines[-1][0]

    def last_line(self) -> Line | None:
        with self._explained("read"):
            found = self._connection.execute("SELECT seq, line, mark FROM log ORDER BY seq DESC LIMIT 1").fetchone()
        return None if found is None else (found[0], found[1], bytes(found[2]))

    def scrub(self) -> bool:
        """What was deleted is zero in the file by now; the write-ahead log may hold it until it is emptied."""
        until = time.monotonic() + PATIENCE
        while True:
            with self._explained("written"):
                busy, *_ = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if not busy:
                return True
            if time.monotonic() > until:
                return False
            time.sleep(0.05)

    def close(self) -> None:
        self._connection.close()
