"""The same gallery in PostgreSQL: the same answers, and the same faults noticed (SPEC G6). A real server is started."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from gallery.conftest import DIMENSION, again

from bertillon.core import InputError
from bertillon.gallery import Gallery, Key, Tampered, Unavailable, check_gallery, postgres, records

psycopg = pytest.importorskip("psycopg")
pgserver = pytest.importorskip("pgserver")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """In a folder that other users may enter: the server of a root user runs as one of them."""
    with tempfile.TemporaryDirectory(prefix="gallery-") as folder:
        os.chmod(folder, 0o755)
        found = pgserver.get_server(Path(folder) / "data", cleanup_mode="stop")
        yield found.get_uri()
        found.cleanup()


@pytest.fixture
def address(server: str, request) -> Iterator[str]:
    """A database of its own for each test."""
    name = f"g{abs(hash(request.node.name))}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    yield server.replace("/postgres?", f"/{name}?")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def both(address: str, path: Path, key: Key, policies, faces) -> Iterator[tuple[Gallery, Gallery]]:
    """The same people in a file and in the database."""
    made = [Gallery.create(place, key=key, policies=policies()) for place in (path, address)]
    for gallery in made:
        gallery.enrol_all(faces)
    yield made[0], made[1]
    for gallery in made:
        gallery.close()


def test_the_answers_are_those_of_a_file(both, faces):
    """SPEC G6: decisions equal, scores to 1e-5."""
    file, database = both
    probes = np.vstack(
        [np.stack([again(faces, n) for n in range(20)]), np.random.default_rng(5).normal(size=(9, DIMENSION))]
    )
    for gallery in both:
        gallery.update("person 3", again(faces, 3))
        gallery.erase("person 4")
    for one, other in zip(file.identify_all(probes), database.identify_all(probes), strict=True):
        assert (one.decision, one.person, one.line) == (other.decision, other.person, other.line)
        assert [each.person for each in one.candidates] == [each.person for each in other.candidates]
        assert [each.score for each in one.candidates] == pytest.approx(
            [each.score for each in other.candidates], abs=1e-5
        )
    for person in ("person 1", "person 3", "person 4", "nobody"):
        one, other = (gallery.claim(person, again(faces, 3)) for gallery in both)
        assert (one.decision, one.score, one.comparisons) == (
            other.decision,
            pytest.approx(other.score, abs=1e-5),
            other.comparisons,
        )
    assert file.people() == database.people()
    assert [day.counts for day in file.audit().days] == [day.counts for day in database.audit().days]


def test_clients_see_what_the_others_did(both, address, key, faces):
    _, database = both
    with Gallery.open(address, key=key) as other:
        other.erase("person 3")
        other.enrol("new", again(faces, 3))
        assert database.identify(again(faces, 3)).person == "new"
        assert check_gallery(address, key).problems == ()


def test_what_is_changed_in_the_database_is_noticed(both, address, key):
    """SPEC G5."""
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("UPDATE gallery_template SET person = 'person 8' WHERE row = 5")
    with pytest.raises(Tampered, match="row 5 of 'person 8'"):
        Gallery.open(address, key=key)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DELETE FROM gallery_log WHERE seq > 20")
    with pytest.raises(Tampered, match="its last line is 20"):
        Gallery.open(address, key=key)


def test_a_changed_policy_line_or_template_is_noticed_and_named(both, address, key):
    """SPEC G5: a byte of each, put back after."""

    def change(table: str, column: str, which: str, value: str) -> str:
        with psycopg.connect(address, autocommit=True) as connection:
            [[old]] = connection.execute(f"SELECT {column}::text FROM {table} WHERE {which}").fetchall()
            connection.execute(f"UPDATE {table} SET {column} = {value} WHERE {which}")
        return old

    flip = "set_byte({0}, 20, get_byte({0}, 20) # 1)"
    for table, column, which, value, named in (
        ("gallery_template", "sealed", "row = 5", flip.format("sealed"), "row 5 of person 4"),
        ("gallery_entry", "value", "name = 'policy.verification'", flip.format("value"), "'policy.verification'"),
        ("gallery_log", "line", "seq = 6", "replace(line, 'person', 'nobody')", "line 6 of the log"),
    ):
        old = change(table, column, which, value)
        assert named in " ".join(map(str, check_gallery(address, key).problems))
        change(table, column, which, f"'{old}'")
        assert check_gallery(address, key).problems == ()


def test_names_are_only_names(both, faces):
    """SQL in a name is its letters."""
    _, database = both
    for name in ("'; DROP TABLE gallery_template; --", "$1", "%s", "{}", "\\", "Ünïcödé 名"):
        database.enrol(name, again(faces, 1, 3.0))
        assert database.claim(name, again(faces, 1, 3.0)).accepted
        assert name in database.people()
        database.erase(name)
    assert len(database) == 30


def test_another_key_seals_everything_anew(both, address, key, faces):
    _, database = both
    database.rotate_key(new := Key(bytes(32)))
    assert database.identify(again(faces, 2)).person == "person 2"
    assert check_gallery(address, new).problems == ()
    with pytest.raises(InputError, match="wrong key"):
        Gallery.open(address, key=key)


WRITER = """
import sys, numpy as np
from bertillon.gallery import Gallery, Key
rng = np.random.default_rng(int(sys.argv[2]))
with Gallery.open(sys.argv[1], key=Key(bytes(range(32)))) as door:
    print("ready", flush=True)
    sys.stdin.readline()
    for n in range(10):
        door.enrol(f"{sys.argv[2]}-{n}", rng.normal(size=16))
        door.identify(rng.normal(size=16))
"""


def test_two_processes_write_at_once(both, address, key):
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    processes = [subprocess.Popen([sys.executable, "-c", WRITER, address, str(n)], text=True, **pipes) for n in (1, 2)]
    for process in processes:
        assert process.stdout.readline() == "ready\n", process.communicate()
    for process in processes:  # both are open before either writes
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        _, problems = process.communicate(timeout=120)
        assert process.returncode == 0, problems
    assert check_gallery(address, key).problems == ()
    with Gallery.open(address, key=key) as gallery:
        assert len(gallery) == 30 + 20


def test_a_writer_that_keeps_the_others_waiting_is_said(both, address, monkeypatch):
    """The same request may succeed later, which a service answers with 503."""
    both[1].records.store.run("SET lock_timeout = '100ms'")
    with psycopg.connect(address) as other:
        other.execute("SELECT pg_advisory_xact_lock(%s)", (postgres.LOCK,))
        with pytest.raises(Unavailable, match="nothing was changed"):
            both[1].erase("person 3")
    assert both[1].erase("person 3") == 1


def test_nothing_is_left_of_a_gallery_that_could_not_be_made(address, key, monkeypatch):
    """Of one that is to be searched in a server without pgvector, say."""
    with monkeypatch.context() as patch:
        patch.setattr("bertillon.gallery.pgvector.SCHEMA", "CREATE EXTENSION no_such_extension")
        with pytest.raises(InputError, match="need the extension pgvector"):
            Gallery.create(address, key=key, matcher="cosine", search="server")
    Gallery.create(address, key=key, matcher="cosine", search="server").close()


@pytest.mark.parametrize("search", ["client", "server"])
def test_nothing_is_left_of_a_gallery_whose_policies_could_not_be_set(address, key, policies, monkeypatch, search):
    with monkeypatch.context() as patch:
        patch.setattr("bertillon.gallery.records.Change.set_policy", lambda change, policy: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            Gallery.create(address, key=key, policies=policies(), search=search)
    with psycopg.connect(address) as connection:
        left = connection.execute("SELECT relname FROM pg_class WHERE relname LIKE 'gallery%'").fetchall()
    assert left == []
    Gallery.create(address, key=key, policies=policies(), search=search).close()


def test_a_gallery_of_others_stays_where_one_is_discarded(address, key, policies, monkeypatch):
    """One that another process made first, and one that people were enrolled in before its policies were set."""
    slow = postgres.PostgresStore.create(address)
    with Gallery.create(address, key=key, matcher="cosine"):
        with pytest.raises(InputError, match="already exists"):
            records.Records.create(slow, key, matcher="cosine", fusion="best", model="")
        slow.discard()
    with Gallery.open(address, key=key) as other:
        assert len(other) == 0
    with psycopg.connect(address) as connection:
        connection.execute(f"DROP TABLE {postgres.TABLES.removeprefix('gallery_vector, ')}")

    def use(gallery, policy, *, laboratory=None):
        with Gallery.open(address, key=key) as other:
            other.enrol("ann", np.ones(3))
        raise InputError("the policy cannot be set")

    monkeypatch.setattr(Gallery, "use", use)
    with pytest.raises(InputError, match="cannot be set"):
        Gallery.create(address, key=key, policies=policies())
    with Gallery.open(address, key=key) as other:
        assert other.people() == {"ann": 1}


def test_a_gallery_is_never_replaced_and_none_is_said(both, address, server, key):
    with pytest.raises(InputError, match="holds a gallery already"):
        Gallery.create(address, key=key, matcher="cosine")
    with pytest.raises(InputError, match="holds no gallery"):
        Gallery.open(server, key=key)
    with pytest.raises(InputError, match="cannot be reached"):
        Gallery.open("postgresql://localhost:1/nothing?connect_timeout=2", key=key)
