"""PostgreSQL stopped without warning and started again, between and during what a gallery does (SPEC G6)."""

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
from bertillon.gallery import Gallery, check_gallery

pytest.importorskip("psycopg")
pgserver = pytest.importorskip("pgserver")

WRITER = """
import sys, numpy as np
from bertillon.core import InputError
from bertillon.gallery import Gallery, Key
rng = np.random.default_rng(1)
with Gallery.open(sys.argv[1], key=Key(bytes(range(32)))) as door:
    for n in range(100_000):
        try:
            door.enrol(f"new {n}", rng.normal(size=16))
        except InputError as problem:
            print("problem", problem, flush=True)
            break
        print("enrolled", f"new {n}", flush=True)
"""


@pytest.fixture
def running() -> Iterator[object]:
    """A server of its own, which a test may stop."""
    with tempfile.TemporaryDirectory(prefix="gallery-") as folder:
        os.chmod(folder, 0o755)
        found = pgserver.get_server(Path(folder) / "data", cleanup_mode="stop")
        yield found
        found.ensure_postgres_running()
        found.cleanup()


def crash(server) -> None:
    """As after a loss of power: nothing is written down any more, and the next start recovers from the log."""
    from pgserver._commands import pg_ctl

    pg_ctl(["-m", "immediate", "-w", "stop"], pgdata=server.pgdata, user=server.system_user)


@pytest.mark.parametrize("search", ["client", "server"])
def test_a_restart_between_operations_is_not_noticed(running, key, policies, faces, search):
    address = running.get_uri()
    with Gallery.create(address, key=key, policies=policies(), search=search) as door:
        door.enrol_all(faces)
        crash(running)
        with pytest.raises(InputError, match="cannot be reached"):
            door.identify(again(faces, 3))
        with pytest.raises(InputError, match="cannot be reached"):
            door.enrol("new", np.ones(DIMENSION))
        running.ensure_postgres_running()
        assert door.identify(again(faces, 3)).person == "person 3"
        door.enrol("new", np.ones(DIMENSION))
        assert len(door) == 31
    assert check_gallery(address, key).problems == ()


@pytest.mark.slow
def test_what_was_acknowledged_outlives_crashes_of_the_server(running, key, policies, faces):
    """Stopped five times while somebody is enrolled: whoever was acknowledged is there, and nobody by half."""
    address = running.get_uri()
    for round_ in range(5):
        if not round_:
            with Gallery.create(address, key=key, policies=policies(), search="server") as door:
                door.enrol_all(faces)
        with Gallery.open(address, key=key) as door:
            before = [person for person in door.people() if person.startswith("new")]
            for person in before:
                door.erase(person)
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, address], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        said = [writer.stdout.readline() for _ in range(3 + 2 * round_)]
        crash(running)
        said += writer.stdout  # `communicate` knows nothing of what reading lines left in the buffer
        _, errors = writer.communicate(timeout=60)
        assert writer.returncode == 0, errors
        assert "problem" in said[-1]
        assert "connection was lost" in said[-1] or "cannot be reached" in said[-1]
        acknowledged = {line.split(" ", 1)[1].strip() for line in said if line.startswith("enrolled")}
        running.ensure_postgres_running()
        assert check_gallery(address, key).problems == ()
        with Gallery.open(address, key=key) as door:
            there = {person for person in door.people() if person.startswith("new")}
            assert acknowledged <= there
            assert len(there) <= len(acknowledged) + 1  # one may have been written whose acknowledgement was lost
            assert door.identify(again(faces, 3)).person == "person 3"
