"""The server that answers: which address, whether the line is encrypted, and how it ends.

Conventions: it listens on this machine alone unless told otherwise, and on other addresses only with TLS: a token and a
photo that pass in the open can be read and sent again by anybody on the way. Behind a proxy that ends TLS on the same
machine the address stays that of this machine.

Holds `serve` and `Listening`.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bertillon.core import InputError
from bertillon.extraction import Workers, face_model
from bertillon.web.guards import Limits
from bertillon.web.tokens import Tokens

PORT = 8750
PATIENCE = 30.0  # seconds for a photo
INSTALL = "install what the service needs with: pip install 'bertillon[serve]'"


@dataclass(frozen=True, slots=True)
class Listening:
    """Where, and with which certificate."""

    host: str = "127.0.0.1"
    port: int = PORT
    certificate: Path | None = None
    private_key: Path | None = None

    def __post_init__(self) -> None:
        if (self.certificate is None) != (self.private_key is None):
            raise InputError("--certificate and --private-key belong together; give both")
        if not 0 <= self.port <= 65_535:
            raise InputError(f"--port is {self.port}; expected 0 (any that is free) to 65535")
        if self.certificate is None and not self._is_loopback:
            raise InputError(
                f"--host {self.host}: tokens and photos would pass in the open; give --certificate and --private-key, "
                "or listen on 127.0.0.1 behind a proxy that speaks TLS"
            )
        for path in (self.certificate, self.private_key):
            if path is not None and not path.is_file():
                raise InputError(f"{path}: is not a file; a PEM file is expected")

    @property
    def _is_loopback(self) -> bool:
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def require_usable(self) -> None:
        """Refuse a certificate that cannot be read, and an address or a port that cannot be listened on."""
        if self.certificate is not None:
            try:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(self.certificate, self.private_key, password="")
            except (OSError, ValueError) as error:
                problem = f"are no certificate in PEM and its private key without a password ({error})"
                raise InputError(f"{self.certificate}, {self.private_key}: {problem}") from None
        try:
            family = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)[0][0]
            socket.create_server((self.host, self.port), family=family).close()
        except OSError as error:
            problem = f"cannot be listened on ({error.strerror}); name another --port or --host"
            raise InputError(f"{self.address}: {problem}") from None

    @property
    def address(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.certificate else 'http'}://{host}:{self.port}"


def serve(
    gallery: Any,
    *,
    listening: Listening | None = None,
    limits: Limits | None = None,
    tokens: Path | None = None,
    photos: bool = True,
    processes: int | None = None,
    ready: Callable[[Listening], object] | None = None,
) -> None:
    """Answer until the process is ended (Ctrl-C, SIGTERM); what has begun is finished.

    Parameters
    ----------
    gallery
        An open gallery with a policy.
    listening
        Where; by default http://127.0.0.1:8750.
    limits
        Of size, time and number.
    tokens
        The file of tokens; by default beside the gallery.
    photos
        Take photos too, if the gallery names a model.
    processes
        That make templates of photos; as many as there are cores by default.
    ready
        Called once it answers, with where it listens.
    """
    where, limits = listening or Listening(), limits or Limits()
    try:
        import uvicorn

        from bertillon.web.app import make_app
    except ImportError as error:
        raise InputError(f"the service needs {error.name}; {INSTALL}") from None
    known = Tokens.beside(gallery, tokens)
    if not known.all():
        raise InputError(f"{known.path}: there is no token; make one with 'bertillon token make'")
    if not gallery.policies:
        raise InputError(f"{gallery.name}: has no policy, and no decision is taken without one")
    where.require_usable()
    with ExitStack() as stack:
        workers = None
        model = gallery.records.settings.model
        if photos and model:
            size = _model(model).size
            most, patience = limits.photo_pixels, PATIENCE
            workers = Workers(model, resize=size, number=processes, max_pixels=most, patience=patience)
            stack.enter_context(workers)
        app = make_app(gallery, known, limits=limits, workers=workers)
        server = uvicorn.Server(uvicorn.Config(app, **_settings(where, limits)))
        begin = server.startup

        async def startup(*arguments: Any, **how: Any) -> None:
            await begin(*arguments, **how)
            if server.started and ready is not None:
                ready(replace(where, port=server.servers[0].sockets[0].getsockname()[1]))

        server.startup = startup  # type: ignore[method-assign]
        server.run()


def _settings(where: Listening, limits: Limits) -> dict[str, Any]:
    """Settings of uvicorn; no request is logged."""
    return {
        "host": where.host,
        "port": where.port,
        "ssl_certfile": where.certificate,
        "ssl_keyfile": where.private_key,
        "access_log": False,
        "log_level": "warning",
        "server_header": False,
        "proxy_headers": False,
        "timeout_keep_alive": 30,
        "limit_concurrency": 4 * limits.waiting,
        "lifespan": "on",
        "ws": "none",
        "loop": "asyncio",
        "http": _protocol(limits.seconds),
    }


def _protocol(seconds: float) -> Any:
    """HTTP as uvicorn speaks it, which waits for the head of a request only so long."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Impatient(H11Protocol):
        _late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._late = self.loop.call_later(seconds, transport.close)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            answering = self.cycle is not None and not self.cycle.response_complete
            if self._late is not None and answering:
                self._late.cancel()
                self._late = None
            elif self._late is None and not answering:  # a part of the next head
                self._late = self.loop.call_later(seconds, self.transport.close)

        def connection_lost(self, exc: Exception | None) -> None:
            if self._late is not None:
                self._late.cancel()
            super().connection_lost(exc)

    return Impatient


def _model(fingerprint: str) -> Any:
    """The gallery's model, which makes templates of photos."""
    try:
        return face_model(fingerprint)
    except InputError as error:
        raise InputError(f"{error}. To take templates only, say --no-photos") from None
