"""Who may not, what is too large, too much or too slow, and what is forged: each refused, and nothing told."""

from __future__ import annotations

import errno
import json
import os
import queue
import socket
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import uvicorn
from gallery.conftest import changed
from web.conftest import new_gallery

import bertillon as bt
from bertillon.gallery import Key
from bertillon.web import Limits, Listening, Token, Tokens, make_app, serve

ANNA = {"template": [200.0, 10.0, 10.0]}
WAYS = {
    "operator": [("POST", "/v1/identify"), ("POST", "/v1/watch?list=alarm"), ("POST", "/v1/claim?person=anna")],
    "steward": [("GET", "/v1/people"), ("POST", "/v1/people?person=new"), ("DELETE", "/v1/people?person=bob")],
    "auditor": [("GET", "/v1/log"), ("GET", "/v1/audit")],
}


@pytest.mark.parametrize("role", WAYS)
def test_each_role_may_do_its_own_and_nothing_else(service, role):
    for owner, ways in WAYS.items():
        for method, path in ways:
            answer = service.ask(method, path, ANNA if method == "POST" else None, role=role)
            assert (answer.status < 300) == (owner == role), (path, answer.body)
            assert owner == role or answer.status == 403


def test_nothing_is_answered_without_a_token(service):
    for method, path in [way for ways in WAYS.values() for way in ways] + [("GET", "/v1/gallery"), ("GET", "/nothing")]:
        answer = service.ask(method, path)
        assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer"), path


def forged(secret: str, other: str) -> list[str]:
    prefix, id, rest = secret.split("-", 2)
    other_id = other.split("-")[1]
    return [
        "",
        "x" * 100_000,
        secret[:-1],
        secret + "A",
        secret.upper(),
        f"{prefix}-{id}-",
        f"{prefix}-{id}",
        f"{prefix}-{other_id}-{rest}",  # the id of another role
        f"{prefix}-000000000000-{rest}",
        "é" + secret[1:],
        f"{prefix}-{id}-{rest}\u0000",
    ]


def test_forged_tokens_are_refused(service):
    for text in forged(service.secrets["operator"], service.secrets["steward"]):
        assert service.tokens.check(text) is None
    assert (
        service.ask("GET", "/v1/gallery", headers={"Authorization": f"Basic {service.secrets['operator']}"}).status
        == 401
    )
    assert service.ask("GET", f"/v1/gallery?token={service.secrets['operator']}").status == 401
    assert service.ask("GET", "/v1/gallery", headers={"Cookie": f"token={service.secrets['operator']}"}).status == 401


def test_a_hash_is_kept_and_not_the_token(service):
    kept = service.tokens.path.read_text()
    for secret in service.secrets.values():
        assert secret not in kept
        assert secret.split("-", 2)[2] not in kept
    assert os.stat(service.tokens.path).st_mode & 0o077 == 0
    assert "hash" not in repr(service.tokens.all()[0])


def test_a_token_that_was_revoked_is_refused_at_once_by_a_service_that_runs(service):
    assert service.ask("GET", "/v1/gallery", role="operator").status == 200
    elsewhere = Tokens.beside(service.gallery)
    [operator] = [token for token in elsewhere.all() if token.role == "operator"]
    elsewhere.revoke(operator.id)
    assert service.ask("GET", "/v1/gallery", role="operator").status == 401
    assert service.ask("GET", "/v1/gallery", role="steward").status == 200


def test_a_token_that_has_ended_is_refused(tmp_path):
    now = [datetime(2026, 1, 1, tzinfo=UTC)]
    tokens = Tokens(tmp_path / "t", b"secret", "gallery", clock=lambda: now[0])
    text = tokens.make("operator", "desk", days=1)
    assert tokens.check(text) is not None
    now[0] += timedelta(days=1)
    assert tokens.check(text) is None


def test_a_token_that_ended_or_is_of_another_gallery_opens_nothing_over_the_wire(start):
    """SPEC G5: refused like one that was never made."""
    service, other = start(), start()
    role = "operator"
    assert service.ask("GET", "/v1/gallery", token=other.secrets[role]).status == 401
    service.tokens._clock = lambda: datetime.now(UTC) + timedelta(days=90)
    answers = [service.ask("GET", "/v1/gallery", token=text) for text in (service.secrets[role], "nonsense")]
    assert [(answer.status, answer.body) for answer in answers] == [(401, answers[1].body)] * 2
    service.tokens._clock = lambda: datetime.now(UTC) + timedelta(days=89)
    assert service.ask("GET", "/v1/gallery", role=role).status == 200


def test_a_request_that_is_replayed_is_one_more_line_of_its_token_until_that_is_revoked(service):
    """SPEC G5: the channel is for TLS; what was overheard is answered again, and the log says by which token."""
    body = json.dumps(ANNA).encode()
    head = ["POST /v1/identify HTTP/1.1", "Host: x", f"Authorization: Bearer {service.secrets['operator']}"]
    overheard = "\r\n".join([*head, "Content-Type: application/json", f"Content-Length: {len(body)}", "", ""]).encode()
    [operator] = [token.id for token in service.tokens.all() if token.role == "operator"]

    def replay() -> bytes:
        with socket.create_connection(("127.0.0.1", service.port), timeout=10) as line:
            line.sendall(overheard + body)
            return line.recv(12)

    assert [replay() for _ in range(3)] == [b"HTTP/1.1 200"] * 3
    lines = service.ask("GET", "/v1/log?limit=1000", role="auditor").json["lines"]
    assert [line["probe"] for line in lines if line["event"] == "identify"] == [f"{operator}:probe"] * 3
    service.tokens.revoke(operator)
    assert replay() == b"HTTP/1.1 401"


def test_a_token_of_another_gallery_is_refused(tmp_path):
    ours, theirs = (Tokens(tmp_path / name, b"secret", name) for name in ("a", "b"))
    text = ours.make("operator", "desk")
    theirs.make("operator", "desk")
    assert theirs.check(text) is None
    (tmp_path / "b").write_bytes((tmp_path / "a").read_bytes())
    with pytest.raises(bt.InputError, match="of another gallery or of a key it had before"):
        theirs.check(text)


@pytest.mark.parametrize("change", ["role", "ends", "hash", "more", "text", "mark"])
def test_a_file_of_tokens_that_was_changed_is_noticed(tmp_path, change):
    tokens = Tokens(tmp_path / "t", b"secret", "gallery")
    text = tokens.make("operator", "desk")
    held = json.loads((tmp_path / "t").read_text())
    if change == "more":
        held["tokens"].append({**held["tokens"][0], "id": "0" * 12})
    elif change == "mark":
        held["mark"] = "0" * 64
    else:
        held["tokens"][0][change] = "steward"
    (tmp_path / "t").write_text("{" if change == "text" else json.dumps(held))
    with pytest.raises(bt.InputError, match="the tokens were changed"):
        tokens.check(text)


def test_a_service_whose_tokens_were_changed_answers_nobody_and_says_nothing(service, capsys):
    service.tokens.path.write_text("{}")
    answer = service.ask("GET", "/v1/gallery", role="operator")
    assert answer.status == 500
    assert str(service.tokens.path) not in answer.body.decode()
    assert "the tokens were changed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("role", "name", "days"), [("root", "a", 1), ("operator", "", 1), ("operator", "a\n", 1), ("operator", "a", 0)]
)
def test_tokens_that_cannot_be_made(tmp_path, role, name, days):
    with pytest.raises(bt.InputError):
        Tokens(tmp_path / "t", b"secret", "gallery").make(role, name, days)
    assert not (tmp_path / "t").exists()


def test_tokens_are_compared_in_constant_time(monkeypatch, tmp_path):
    """Known and unknown ids alike go through one comparison of digests."""
    import hmac

    compared = []
    monkeypatch.setattr(hmac, "compare_digest", lambda a, b: compared.append((len(a), len(b))) or a == b)
    tokens = Tokens(tmp_path / "t", b"secret", "gallery")
    text = tokens.make("operator", "desk")
    tokens.check(text)
    compared.clear()
    for presented in (text, text[:-1], "bertillon-000000000000-x", "nonsense", ""):
        tokens.check(presented)
    assert compared == [(64, 64)] * 5


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/tokens.py",
        "/static/page.html",
        "/static/",
        "/static//etc/passwd",
    ],
)
def test_no_path_leads_out(service, path):
    answer = service.ask("GET", path)
    assert answer.status == 404
    assert b"import" not in answer.body


def test_names_are_data_and_nothing_else(service):
    for person in ("../../etc/passwd", "'; DROP TABLE template; --", "a%00b", "<script>alert(1)</script>"):
        from urllib.parse import quote

        path = f"/v1/people?person={quote(person)}"
        assert service.ask("POST", path, {"template": [90.0, 90.0, 9.0]}, role="steward").status == 201
        assert service.ask("DELETE", path, role="steward").json["templates"] == 1
    assert service.ask("POST", "/v1/people?person=a%0Ab", ANNA, role="steward").status == 400
    assert service.ask("POST", "/v1/people?person=", ANNA, role="steward").status == 422
    assert service.ask("POST", f"/v1/people?person={'x' * 201}", ANNA, role="steward").status == 422


def test_a_body_is_counted_whatever_its_length_is_said_to_be(start):
    service = start(limits=Limits(json_bytes=1000, photo_bytes=2000, per_second=1e4, burst=1e4))
    small = json.dumps(ANNA).encode()
    kinds = {"application/json": 1000, "image/png": 2000}
    for kind, most in kinds.items():
        headers = {"Content-Type": kind}
        assert (
            service.ask("POST", "/v1/identify", small.ljust(most + 1), role="operator", headers=headers).status == 413
        )
        assert service.ask("POST", "/v1/identify", small.ljust(most), role="operator", headers=headers).status != 413
    lines = ["POST /v1/identify HTTP/1.1", "Host: x", f"Authorization: Bearer {service.secrets['operator']}"]
    lines += ["Content-Type: application/json", "Transfer-Encoding: chunked", "", ""]
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as line:
        line.sendall("\r\n".join(lines).encode())
        for _ in range(3):
            line.sendall(b"200\r\n" + b" " * 512 + b"\r\n")
        assert b" 413 " in line.recv(100)


def test_nothing_is_read_of_who_has_no_token(service):
    lines = ["POST /v1/identify HTTP/1.1", "Host: x", "Content-Type: image/png", "Content-Length: 5000000", "", ""]
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as line:
        line.sendall("\r\n".join(lines).encode())
        assert b" 401 " in line.recv(100), "before a byte of the body was sent"


def test_a_body_that_never_comes_is_not_waited_for(start):
    service = start(limits=Limits(seconds=0.3))
    lines = ["POST /v1/identify HTTP/1.1", "Host: x", f"Authorization: Bearer {service.secrets['operator']}"]
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as line:
        line.sendall("\r\n".join([*lines, "Content-Type: application/json", "Content-Length: 100", "", "{"]).encode())
        assert b" 408 " in line.recv(100)


def test_bodies_that_arrive_are_counted_together(start):
    """Each within its own limit, and together more than the service holds."""
    service = start(limits=Limits(photo_bytes=10_000, held_bytes=15_000, seconds=5.0, per_second=1e4, burst=1e4))
    lines = ["POST /v1/identify HTTP/1.1", "Host: x", f"Authorization: Bearer {service.secrets['operator']}"]
    head = "\r\n".join([*lines, "Content-Type: image/png", "Content-Length: 10000", "", ""]).encode()
    first, second = (socket.create_connection(("127.0.0.1", service.port), timeout=10) for _ in range(2))
    with first, second:
        first.sendall(head + b"x" * 9000)
        time.sleep(0.3)
        second.sendall(head + b"x" * 9000)
        assert b" 503 " in second.recv(100)
        first.sendall(b"x" * 1000)
        assert b" 415 " in first.recv(100)
    assert service.ask("POST", "/v1/identify", ANNA, role="operator").status == 200


def test_who_connects_and_says_nothing_is_not_waited_for(tmp_path):
    """Neither at first nor between two requests: else a thousand such connections would keep everybody out."""
    ports, server, whole = queue.Queue(), [], b"GET /static/icon.svg HTTP/1.1\r\nHost: x\r\n\r\n"
    run, keep = uvicorn.Server.run, server.append
    with pytest.MonkeyPatch.context() as patch, new_gallery(tmp_path) as gallery:
        patch.setattr(uvicorn.Server, "run", lambda self: (keep(self), run(self)))
        Tokens.beside(gallery).make("operator", "desk")
        how = {"listening": Listening(port=0), "limits": Limits(seconds=0.3), "photos": False, "ready": ports.put}
        thread = threading.Thread(target=serve, args=(gallery,), kwargs=how)
        thread.start()
        place = ("127.0.0.1", ports.get(timeout=20).port)
        try:
            for before in (b"", b"GET / HT", whole):
                with socket.create_connection(place, timeout=10) as line:
                    line.sendall(before)
                    if before == whole:
                        assert b" 200 " in line.recv(100_000)
                        time.sleep(0.5)
                        line.sendall(whole)  # it is not closed where somebody is answered
                        time.sleep(0.1)
                        assert b" 200 " in line.recv(100_000)
                        line.sendall(b"GET / HT")
                    while line.recv(100_000):  # until it is closed, or the ten seconds are over
                        pass
        finally:
            server[0].should_exit = True
            thread.join()


def test_a_token_revoked_while_another_is_made_does_not_come_back(tmp_path):
    """Many processes change one file: nothing that one of them did is undone by another."""
    path = tmp_path / "t"
    tokens = Tokens(path, b"secret", "gallery")
    old = [tokens.make("operator", str(n)).split("-")[1] for n in range(10)]

    def work(n: int) -> None:
        own = Tokens(path, b"secret", "gallery")
        own.revoke(old[n])
        own.make("auditor", f"new {n}")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(token.name for token in tokens.all()) == sorted(f"new {n}" for n in range(10))


def test_a_link_to_the_file_of_tokens_is_locked_where_it_leads(tmp_path):
    """Who names the file and who names the link wait for each other."""
    fcntl = pytest.importorskip("fcntl")
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    (tmp_path / "here" / "t").symlink_to(tmp_path / "there" / "t")
    tokens = Tokens(tmp_path / "here" / "t", b"secret", "gallery")
    folder = os.open(tmp_path / "there", os.O_RDONLY)
    try:
        with tokens._locked(), pytest.raises(BlockingIOError):
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    finally:
        os.close(folder)
    text = tokens.make("operator", "desk")
    assert Tokens(tmp_path / "there" / "t", b"secret", "gallery").check(text) is not None


def test_tokens_in_a_folder_that_is_missing_or_cannot_be_locked_are_refused(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")
    with pytest.raises(bt.InputError, match=r"locked \(No such file or directory\)"):
        Tokens(tmp_path / "missing" / "t", b"secret", "gallery").make("operator", "desk")

    def refused(*of):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refused)
    with pytest.raises(bt.InputError, match=r"locked \(No locks available\); nothing was changed"):
        Tokens(tmp_path / "t", b"secret", "gallery").make("operator", "desk")
    assert list(tmp_path.iterdir()) == []


def test_a_token_that_asks_too_often_waits_and_the_others_do_not(start):
    service = start(limits=Limits(per_second=1.0, burst=3.0))
    statuses = [service.ask("GET", "/v1/gallery", role="operator").status for _ in range(5)]
    assert statuses[:3] == [200] * 3
    assert 429 in statuses[3:]
    assert int(service.ask("GET", "/v1/gallery", role="operator").headers.get("retry-after", "1")) == 1
    assert service.ask("GET", "/v1/gallery", role="steward").status == 200


def test_guessing_is_slow_and_locks_nobody_out(start):
    service = start(limits=Limits(refusals_per_minute=3.0))
    statuses = [service.ask("GET", "/v1/gallery", token="guess").status for _ in range(5)]
    assert statuses == [401, 401, 401, 429, 429]
    assert service.ask("GET", "/v1/gallery", role="operator").status == 200


def test_too_many_at_a_time_are_told_to_come_again(start):
    service = start(limits=Limits(waiting=0))
    answer = service.ask("GET", "/v1/gallery", role="operator")
    assert (answer.status, answer.headers["retry-after"]) == (503, "1")


def test_what_goes_wrong_inside_is_not_told(service, monkeypatch, capsys):
    monkeypatch.setattr(type(service.gallery), "identify_all", lambda *_, **__: 1 / 0)
    answer = service.ask("POST", "/v1/identify", ANNA, role="operator")
    assert answer.status == 500
    assert answer.json == {"error": "something went wrong in the service; its own log says what"}
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_a_log_that_was_changed_is_named_to_auditors_and_never_served(service, capsys):
    """SPEC G4, G5: by line; who asks for other lines or for a search is answered until the service is begun again."""
    changed(Path(service.gallery.name), "UPDATE log SET line = replace(line, 'anna', 'anne') WHERE seq = 4")
    for path in ("/v1/log", "/v1/audit"):
        answer = service.ask("GET", path, role="auditor")
        assert (answer.status, answer.json["error"]) == (500, "line 4 of the log was changed")
    assert "line 4 of the log was changed" in capsys.readouterr().err
    assert service.ask("GET", "/v1/log?after=4", role="auditor").status == 200
    assert service.ask("POST", "/v1/identify", ANNA, role="operator").status == 200
    key = Path(service.gallery.name).with_suffix(".key")
    with (
        bt.Gallery.open(service.gallery.name, key=key) as again,
        pytest.raises(bt.InputError, match="line 4 of the log was changed"),
    ):
        make_app(again, service.tokens)


def test_errors_do_not_name_files(service):
    answer = service.ask("DELETE", "/v1/people?person=nobody", role="steward")
    assert answer.status == 400
    assert "door.gallery" not in answer.json["error"]


def test_every_answer_has_the_headers_that_keep_a_browser_safe(service):
    for path, status in (("/", 200), ("/static/app.js", 200), ("/v1/gallery", 401), ("/nothing", 401)):
        answer = service.ask("GET", path)
        assert answer.status == status
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert "server" not in answer.headers


@pytest.mark.parametrize(
    ("how", "problem"),
    [
        ({"host": "0.0.0.0"}, "would pass in the open"),
        ({"host": "example.org"}, "would pass in the open"),
        ({"port": 70_000}, "expected 0"),
        ({"certificate": "x"}, "belong together"),
    ],
)
def test_it_listens_on_this_machine_alone_unless_the_line_is_encrypted(how, problem):
    with pytest.raises(bt.InputError, match=problem):
        Listening(**how)
    assert Listening(host="::1").address == "http://[::1]:8750"


def test_where_it_cannot_listen_and_what_is_no_certificate_is_said(tmp_path):
    """Before any process is started for photos."""
    (tmp_path / "x.pem").write_text("hello")
    with new_gallery(tmp_path) as gallery, socket.create_server(("127.0.0.1", 0)) as other:
        Tokens.beside(gallery).make("operator", "desk")
        taken = other.getsockname()[1]
        with pytest.raises(bt.InputError, match=rf"127\.0\.0\.1:{taken}: cannot be listened on .* name another --port"):
            serve(gallery, listening=Listening(port=taken))
        with pytest.raises(bt.InputError, match=r"x\.pem: are no certificate in PEM and its private key"):
            serve(gallery, listening=Listening(port=0, certificate=tmp_path / "x.pem", private_key=tmp_path / "x.pem"))


def test_a_service_without_tokens_or_policies_does_not_begin(tmp_path):
    with new_gallery(tmp_path) as gallery, pytest.raises(bt.InputError, match="there is no token"):
        serve(gallery)
    bare = bt.Gallery.create(tmp_path / "bare.gallery", key=Key.draw(), matcher="euclidean")
    with bare:
        Tokens.beside(bare).make("operator", "desk")
        with pytest.raises(bt.InputError, match="has no policy"):
            serve(bare)


def test_a_token_ends_when_it_says():
    token = Token("id", "operator", "desk", "", "", "2026-01-01T00:00:00+00:00")
    assert token.has_ended(datetime(2026, 1, 1, tzinfo=UTC))
    assert not token.has_ended(datetime(2025, 12, 31, 23, 59, tzinfo=UTC))
