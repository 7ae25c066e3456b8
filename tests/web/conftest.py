"""A gallery of three people, and a service of it that answers on this machine."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import uvicorn

import bertillon as bt
from bertillon.gallery import Key, MeasuredRate, Policy
from bertillon.web import ROLES, Limits, Tokens, make_app

MODEL = "colours:colour"
PEOPLE = {"anna": [200.0, 10.0, 10.0], "bob": [10.0, 200.0, 10.0], "<b>zoë</b>": [10.0, 10.0, 200.0]}


def policies(model: str, gallery_size: int = 100, target: float | None = None) -> list[Policy]:
    """One of each mode: a distance of at most 20 passes."""
    rates = {
        name: MeasuredRate(value, value / 2, 2 * value, 0.95)
        for name, value in (("FMR", 0.01), ("FNMR", 0.02), ("FPIR", 0.01), ("FNIR", 0.03), ("RR", 0.99))
    }
    how = {"threshold": 20.0, "rule": "distance", "matcher": "euclidean", "fusion": "best", "model": model}
    claims = Policy("verification", "t=20", rates=rates, gallery_size=None, data="test", made="2026-01-02T03", **how)
    about = {"gallery_size": gallery_size, "data": "test", "made": "2026", "target": target}
    searches = Policy("identification", "t=20", rates=rates, **about, **how)
    return [claims, searches]


def new_gallery(
    folder: Path,
    *,
    address: str = "",
    search: str = "client",
    model: str = "",
    people: dict[str, list[float]] = PEOPLE,
    **how: Any,
) -> bt.Gallery:
    """In a file of the folder, or in the database of an address; the key is in the folder."""
    key = Key.draw()
    key.write(folder / "door.key")
    ready = [policy.signed_by(key) for policy in policies(model, **how)]
    gallery = bt.Gallery.create(address or folder / "door.gallery", key=key, policies=ready, search=search)
    for person, template in people.items():
        gallery.enrol(person, template, model=model)
    return gallery


@dataclass
class Answered:
    """What came back."""

    status: int
    body: bytes
    headers: dict[str, str]

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Running:
    """A service that answers, with a token of each role."""

    port: int
    gallery: bt.Gallery
    tokens: Tokens
    secrets: dict[str, str] = field(default_factory=dict)

    def ask(
        self, method: str, path: str, body: Any = None, *, role: str = "", token: str = "", headers: Any = None
    ) -> Answered:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        sent = dict(headers or {})
        if role or token:
            sent["Authorization"] = f"Bearer {token or self.secrets[role]}"
        if body is not None and not isinstance(body, bytes | str):
            body, sent["Content-Type"] = json.dumps(body), "application/json"
        try:
            connection.request(method, path, body=body, headers=sent)
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Answered(response.status, response.read(), found)
        finally:
            connection.close()

    def search(self, template: Any, role: str = "operator", path: str = "/v1/identify", **more: Any) -> Answered:
        return self.ask("POST", path, {"template": np.asarray(template).tolist(), **more}, role=role)


Start = Callable[..., Running]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """`start(model=..., workers=..., limits=...)` makes a gallery and answers for it."""
    running: list[tuple[uvicorn.Server, threading.Thread, bt.Gallery]] = []

    def begin(*, limits: Limits | None = None, workers: Any = None, **how: Any) -> Running:
        folder = tmp_path / f"gallery {len(running)}" if running else tmp_path
        folder.mkdir(exist_ok=True)
        gallery = new_gallery(folder, **how)
        tokens = Tokens.beside(gallery, folder / "door.tokens" if "address" in how else None)
        secrets = {role: tokens.make(role, f"the {role}") for role in ROLES}
        generous = Limits(per_second=1e4, burst=1e4, refusals_per_minute=1e4)
        app = make_app(gallery, tokens, limits=limits or generous, workers=workers)
        config = uvicorn.Config(app, port=0, log_level="error", access_log=False, ws="none", server_header=False)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run)
        thread.start()
        while not server.started:
            assert thread.is_alive()
            thread.join(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        running.append((server, thread, gallery))
        return Running(port, gallery, tokens, secrets)

    yield begin
    for server, thread, gallery in running:
        server.should_exit = True
        thread.join()
        gallery.close()


@pytest.fixture
def service(start: Start) -> Running:
    return start()
