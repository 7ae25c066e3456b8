"""SPEC G6: a service of a gallery in PostgreSQL answers as one of a file, and outlives restarts of both."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gallery.test_postgres import address, server  # noqa: F401 - fixtures
from gallery.test_server_restarts import crash, running  # noqa: F401 - fixtures
from web.conftest import PEOPLE, Running, Start, new_gallery
from web.test_page import choose, opened, sign_in  # noqa: F401 - fixtures
from web.test_photos import MODULE, photo
from web.test_serve import BERTILLON, environment

import bertillon as bt
from bertillon.extraction import Workers, face_model

ANNA, STRANGER = [201.0, 11.0, 10.0], [120.0, 120.0, 120.0]


def alike(one: Any, other: Any) -> None:
    """Equal, numbers to 1e-5; the galleries have keys of their own, and so their policies have ids of their own."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for name in one.keys() - {"policy", "id", "made", "time"}:
            alike(one[name], other[name])
    elif isinstance(one, list):
        assert len(one) == len(other)
        for each, its in zip(one, other, strict=True):
            alike(each, its)
    else:
        assert one == (pytest.approx(other, abs=1e-5) if isinstance(one, float) else other)


@pytest.mark.parametrize("search", ["client", "server"])
def test_G6_a_service_of_a_database_answers_as_one_of_a_file(start: Start, address: str, search: str):  # noqa: F811
    """Searches, claims, both lists, enrolment, erasure and the log: the same statuses, decisions and lines."""
    services = [start(), start(address=address, search=search)]
    rng = np.random.default_rng(6)
    probes = [*PEOPLE.values(), STRANGER, *(rng.uniform(0, 255, (20, 3)) + 1).tolist()]

    def both(method: str, path: str, body: Any = None, role: str = "operator") -> None:
        made = [service.ask(method, path, body, role=role) for service in services]
        assert made[0].status == made[1].status, made[1].body
        alike(*(answer.json for answer in made))

    for round_ in range(2):
        for probe in probes:
            body = {"template": probe, "name": "door"}
            for path in ("identify", "identify?closed=true&best=2", "watch?list=allow", "watch?list=alarm"):
                both("POST", f"/v1/{path}", body)
            for person in ("anna", "bob", "nobody"):
                both("POST", f"/v1/claim?person={person}", body)
        if not round_:
            both("POST", "/v1/people?person=carl", {"template": [100.0, 100.0, 0.0]}, "steward")
            both("POST", "/v1/people?person=carl&more=true", {"template": [100.0, 0.0, 100.0]}, "steward")
            both("DELETE", "/v1/people?person=bob", None, "steward")
            both("DELETE", "/v1/people?person=bob", None, "steward")  # refused by both
    both("GET", "/v1/people", None, "steward")
    both("GET", "/v1/gallery", None, "auditor")
    both("GET", "/v1/log?after=0&limit=1", None, "auditor")
    counts = [service.ask("GET", "/v1/audit", role="auditor").json["days"][0] for service in services]
    assert counts[0] == counts[1]


class Process:
    """`bertillon serve` as a process of its own; it may be killed and begun again."""

    def __init__(self, folder: Path, place: str) -> None:
        self.folder, self.place, self.port = folder, place, 0
        ran = self._command("token make", "--role", "operator", "--holder", "desk").communicate(timeout=60)
        self.secret = ran[0].splitlines()[-1]
        self.begin()

    def _command(self, name: str, *options: str) -> subprocess.Popen[str]:
        command = [*BERTILLON, *name.split(), self.place, "--key", "door.key", "--tokens", "door.tokens", *options]
        how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(command, cwd=self.folder, env=environment(), **how)

    def begin(self) -> None:
        self.process = self._command("serve", "--rate", "100000", "--port", str(self.port))
        found = re.search(r"http://127\.0\.0\.1:(\d+)", self.process.stdout.readline())
        assert found, self.process.stderr.read()
        self.port = int(found[1])
        self.said: list[str] = []
        self._reader = threading.Thread(target=lambda: self.said.extend(self.process.stderr))
        self._reader.start()

    def end(self, how: signal.Signals) -> None:
        self.process.send_signal(how)
        self.process.wait(timeout=30)
        self._reader.join()
        self.process.stdout.close()
        self.process.stderr.close()


def ask(port: int, secret: str, name: str) -> tuple[int, dict[str, Any]]:
    """The status of a search and its answer; 0 where the line was cut."""
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
        connection.request("POST", "/v1/identify", json.dumps({"template": ANNA, "name": name}), headers)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    except (OSError, http.client.HTTPException):
        return 0, {}
    finally:
        connection.close()


class Load:
    """Four clients that ask until they are stopped; what they were answered so far."""

    def __init__(self, port: int, secret: str) -> None:
        self.found: list[tuple[int, dict[str, Any]]] = []
        self._port, self._secret, self._stopped = port, secret, threading.Event()
        self._threads = [threading.Thread(target=self._ask, args=(number,)) for number in range(4)]
        for thread in self._threads:
            thread.start()

    def _ask(self, number: int) -> None:
        count = 0
        while not self._stopped.is_set():
            count += 1
            self.found.append(ask(self._port, self._secret, f"{number}-{count}"))

    def wait_for_more(self, status: int, number: int) -> None:
        """Until so many more were answered with this status."""
        before, until = self._count(status), time.monotonic() + 30.0
        while self._count(status) < before + number:
            assert time.monotonic() < until, {status for status, _ in self.found}
            time.sleep(0.02)

    def _count(self, status: int) -> int:
        return sum(each == status for each, _ in self.found)

    def stop(self) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join()


def require_kept(place: Any, folder: Path, found: list[tuple[int, dict[str, Any]]]) -> None:
    """Every answer that was given stands in the log, in the line that it names, and the chain is whole."""
    answers = [answer for status, answer in found if status == 200]
    with bt.Gallery.open(place, key=folder / "door.key") as gallery:
        assert gallery.check().problems == ()
        lines = {line["seq"]: line for line in gallery.records.lines()}
    assert len({answer["line"] for answer in answers}) == len(answers)
    for answer in answers:
        line = lines[answer["line"]]
        assert (line["event"], line["probe"].partition(":")[2]) == ("identify", answer["probe"])
        assert (answer["decision"], answer["person"]) == ("identified", "anna")


@pytest.mark.parametrize("search", ["client", "server"])
def test_G6_a_database_that_is_restarted_under_load(running, tmp_path, search):  # noqa: F811
    """Meanwhile 503 and nothing of where the database is; then answers again, from the same service."""
    place = running.get_uri()
    new_gallery(tmp_path, address=place, search=search).close()
    service = Process(tmp_path, place)
    load = Load(service.port, service.secret)
    try:
        for _ in range(3):
            load.wait_for_more(200, 20)
            crash(running)
            load.wait_for_more(503, 5)
            running.ensure_postgres_running()
        load.wait_for_more(200, 20)
    finally:
        load.stop()
        service.end(signal.SIGTERM)
    assert {status for status, _ in load.found} == {200, 503}
    told = {answer["error"] for status, answer in load.found if status == 503}
    assert told == {"the gallery cannot be read or written now; try again"}
    assert any("connection was lost" in line or "cannot be reached" in line for line in service.said)
    require_kept(place, tmp_path, load.found)


@pytest.mark.parametrize("kind", ["file", pytest.param("database", marks=pytest.mark.slow)])
def test_G4_a_service_that_is_killed_and_begun_again_under_load(kind, request, tmp_path):
    """kill -9 three times while four clients ask: nothing that was answered is lost."""
    place = "door.gallery" if kind == "file" else request.getfixturevalue("address")
    new_gallery(tmp_path, address=place if kind == "database" else "").close()
    service = Process(tmp_path, place)
    load = Load(service.port, service.secret)
    try:
        for _ in range(3):
            load.wait_for_more(200, 20)
            service.end(signal.SIGKILL)
            service.begin()
        load.wait_for_more(200, 20)
    finally:
        load.stop()
        service.end(signal.SIGTERM)
    assert {status for status, _ in load.found} <= {200, 0}
    require_kept(tmp_path / "door.gallery" if kind == "file" else place, tmp_path, load.found)


def test_a_service_of_a_database_says_what_it_needs(address: str, tmp_path: Path):  # noqa: F811
    """Its tokens have no file to stand beside."""
    new_gallery(tmp_path, address=address).close()

    def run(*more: str) -> str:
        command = [*BERTILLON, "serve", address, "--key", "door.key", "--port", "0", *more]
        ran = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment())
        assert ran.returncode == 2
        assert "Traceback" not in ran.stderr
        return " ".join(ran.stderr.split())

    assert "name it with --tokens FILE" in run()
    assert "there is no token" in run("--tokens", "door.tokens")


@pytest.fixture
def pictured(start: Start, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:  # noqa: F811
    """As of the page's own tests, in a database that searches."""
    (tmp_path / "colouring.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    model = face_model("colouring:colour").fingerprint
    with Workers(model, number=1) as workers:
        yield start(address=address, search="server", model=model, workers=workers)


def test_the_operator_page_of_a_database(opened, pictured):  # noqa: F811
    page = opened()
    sign_in(page, pictured)
    choose(page, photo(200, 10, 12))
    page.wait_for_selector("#decision.found")
    assert page.inner_text("#decision") == "Identified: anna"
    assert page.locator("#candidates tr").all_inner_texts()[0].split("\t") == ["1", "anna", "2", "18", "yes"]
    choose(page, photo(120, 120, 120), name="other.png")
    page.wait_for_selector("#decision.none")
    assert page.inner_text("#decision") == "Not in gallery"
