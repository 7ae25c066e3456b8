"""`bertillon serve` and `bertillon token`, as processes: how they begin, what they print, and how they end."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from web.conftest import new_gallery

import bertillon as bt

BERTILLON = [sys.executable, "-u", "-c", "from bertillon.cli import main; main()"]


@pytest.fixture
def door(tmp_path: Path) -> Path:
    """A gallery in a file, with its key beside it."""
    new_gallery(tmp_path).close()
    return tmp_path


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def run(door: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [*BERTILLON, *arguments, "--key", "door.key"]
    return subprocess.run(command, capture_output=True, text=True, cwd=door, env=environment())


def make(door: Path, role: str = "operator") -> str:
    ran = run(door, "token", "make", "door.gallery", "--role", role, "--holder", "desk")
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()[-1]


@contextmanager
def served(door: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], int, str]]:
    """The process, its port, and a token of an operator."""
    secret = make(door)
    command = [*BERTILLON, "serve", "door.gallery", "--key", "door.key", "--port", "0", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=door, env=environment())
    assert process.stdout is not None
    line = process.stdout.readline()
    port = int(re.search(r"https?://127\.0\.0\.1:(\d+)", line)[1])
    yield process, port, secret
    process.kill()
    process.wait()
    process.stdout.close()


@pytest.fixture
def running(door: Path) -> Iterator[tuple[subprocess.Popen[str], int, str]]:
    with served(door) as found:
        yield found


def search(port: int, secret: str, trusted: ssl.SSLContext | None = None) -> dict:
    line = {"timeout": 10} if trusted is None else {"timeout": 10, "context": trusted}
    connection = (http.client.HTTPSConnection if trusted else http.client.HTTPConnection)("127.0.0.1", port, **line)
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    connection.request("POST", "/v1/identify", json.dumps({"template": [200.0, 10.0, 10.0]}), headers)
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer


def test_it_answers_and_ends_as_it_is_told(running, door):
    process, port, secret = running
    assert search(port, secret)["person"] == "anna"
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=20) in (0, 128 + signal.SIGTERM, -signal.SIGTERM)
    with bt.Gallery.open(door / "door.gallery", key=door / "door.key") as gallery:
        assert gallery.check().problems == ()


def certified(folder: Path) -> ssl.SSLContext:
    """A certificate of this machine and its key in the folder, and who trusts no other."""
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key, now = generate_private_key(SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "door")])
    place = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    made = made.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    made = made.add_extension(place, critical=False).sign(key, SHA256())
    (folder / "tls.crt").write_bytes(made.public_bytes(Encoding.PEM))
    (folder / "tls.key").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return ssl.create_default_context(cafile=folder / "tls.crt")


def test_an_encrypted_line_answers_and_says_nothing_in_the_open(door):
    """SPEC G5: TLS is what stands against replay on the channel."""
    trusted = certified(door)
    with served(door, "--certificate", "tls.crt", "--private-key", "tls.key") as (_, port, secret):
        assert search(port, secret, trusted)["person"] == "anna"
        with pytest.raises((OSError, http.client.HTTPException)):
            search(port, secret)
        with pytest.raises(ssl.SSLCertVerificationError):
            search(port, secret, ssl.create_default_context())


def test_what_was_answered_before_it_was_killed_stands_in_the_log(running, door):
    """SPEC G4: an answer is given once its line is on the disk."""
    process, port, secret = running
    lines = [search(port, secret)["line"] for _ in range(5)]
    process.kill()
    process.wait()
    with bt.Gallery.open(door / "door.gallery", key=door / "door.key") as gallery:
        kept = [line["seq"] for line in gallery.records.lines() if line["event"] == "identify"]
        assert kept == lines


def test_tokens_are_listed_and_revoked(door):
    secret = make(door, "auditor")
    listed = run(door, "token", "list", "door.gallery").stdout
    assert re.match(r"[0-9a-f]{12}  auditor   \d{4}-\d\d-\d\d  desk\n", listed)
    assert secret not in listed
    assert run(door, "token", "revoke", "door.gallery", listed[:12]).returncode == 0
    assert run(door, "token", "list", "door.gallery").stdout == ""
    again = run(door, "token", "revoke", "door.gallery", listed[:12])
    assert again.returncode == 2
    assert "is unknown" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["serve", "door.gallery"], "there is no token"),
        (["serve", "door.gallery", "--host", "0.0.0.0"], "would pass in the open"),
        (["serve", "nothing.gallery"], "cannot be opened"),
        (["serve", "door.key"], "is no gallery"),
        (["token", "make", "door.gallery", "--role", "king", "--holder", "x"], "king"),
    ],
)
def test_what_cannot_be_served_is_refused_before_it_begins(door, arguments, problem):
    ran = run(door, *arguments)
    assert ran.returncode == 2
    assert problem in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_gallery_of_a_model_that_is_not_installed_can_serve_templates_alone(tmp_path):
    new_gallery(tmp_path, model="net 1.0").close()
    make(tmp_path)
    ran = run(tmp_path, "serve", "door.gallery", "--port", "0")
    assert ran.returncode == 2
    assert "--no-photos" in ran.stderr
