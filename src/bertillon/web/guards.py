"""What every request meets before it is looked at: limits of size, time and number, and what every answer carries.

Conventions: this stands around the application as plain ASGI, so that nothing of a request that is too large, too slow
or one too many is parsed. Nothing but the page and the description of the service is answered without a token, and no
body is read without one; a body is counted as it arrives, whatever its length is said to be. Requests are counted by
token, and by address where the token is refused. Answers say nothing of what went wrong inside.

Holds `Limits`, `Rates`, `Guard`, `Refusal` and `note`.
"""

from __future__ import annotations

import asyncio
import json
import math
import sys
import time
import traceback
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

from bertillon.core import visible
from bertillon.web.tokens import Token, Tokens

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
INSIDE = "something went wrong in the service; its own log says what"
PUBLIC, STATIC = ("/", "/v1/openapi.json"), "/static/"
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
]


@dataclass(frozen=True, slots=True)
class Limits:
    """Each with the unit it counts in."""

    photo_bytes: int = 10_000_000
    photo_pixels: int = 25_000_000
    json_bytes: int = 1_000_000
    held_bytes: int = 200_000_000  # of all bodies that are being answered
    seconds: float = 15.0  # for a body to arrive
    waiting: int = 256  # requests at a time
    per_second: float = 20.0  # requests of a token, in the long run
    burst: float = 40.0  # and at once
    refusals_per_minute: float = 20.0  # of an address


class Rates:
    """A bucket of requests for each token or address, refilled at a constant rate: who finds it empty waits."""

    def __init__(self, per_second: float, burst: float, most: int = 10_000) -> None:
        self._per_second, self._burst, self._most = per_second, burst, most
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, who: str) -> float:
        """Take one; 0, or how many seconds to wait."""
        left, now = self._left(who)
        if left < 1.0:
            return (1.0 - left) / self._per_second
        self._buckets[who] = left - 1.0, now
        self._buckets.move_to_end(who)
        while len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        return 0.0

    def _left(self, who: str) -> tuple[float, float]:
        now = time.monotonic()
        left, then = self._buckets.get(who, (self._burst, now))
        return min(self._burst, left + (now - then) * self._per_second), now


class Refusal(Exception):
    """A request that is not looked at: the status, and why."""

    def __init__(self, status: int, why: str, retry: float | None = None) -> None:
        super().__init__(why)
        self.status, self.why, self.retry = status, why, None if retry is None else math.ceil(retry)


class Guard:
    """Stands around an application, to which it hands the token of a request in `scope["token"]`."""

    def __init__(self, app: App, tokens: Tokens, limits: Limits) -> None:
        self._app, self._tokens, self._limits = app, tokens, limits
        self._inside = self._held = 0  # requests, and bytes of their bodies
        self._rates = Rates(limits.per_second, limits.burst)
        self._refused = Rates(limits.refusals_per_minute / 60.0, limits.refusals_per_minute)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # nothing here speaks over a web socket
        begun, held = False, _Held()

        async def guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                own = [(name, value) for name, value in message.get("headers", ()) if name.lower() != b"server"]
                message = {**message, "headers": [*own, *HEADERS]}
            await send(message)

        self._inside += 1
        try:
            scope["token"] = self._admitted(scope)
            body = await asyncio.wait_for(self._body(scope, receive, held), self._limits.seconds)
            await self._app(scope, _replayed(body, receive), guarded)
        except Refusal as refusal:
            await refuse(guarded, refusal)
        except TimeoutError:
            await refuse(guarded, Refusal(408, f"the body took longer than {self._limits.seconds:g} seconds"))
        except Exception as error:
            if not begun:  # else the application has said so
                note(error)
                await refuse(guarded, Refusal(500, INSIDE))
        finally:
            self._inside -= 1
            self._held -= held.size

    def _admitted(self, scope: Scope) -> Token | None:
        """The token of a request; None for what needs none."""
        if self._inside > self._limits.waiting:
            raise Refusal(503, "too many requests are being answered; try again", 1)
        if scope["path"] in PUBLIC or scope["path"].startswith(STATIC):
            return None
        kind, _, presented = _header(scope, b"authorization").decode("latin-1").partition(" ")
        token = self._tokens.check(presented.strip()) if kind.lower() == "bearer" else None
        if token is None:
            if wait := self._refused.take(scope["client"][0] if scope.get("client") else ""):
                raise Refusal(429, "too many requests were refused", wait)
            raise Refusal(401, "a valid token is required: Authorization: Bearer TOKEN")
        if wait := self._rates.take(token.id):
            raise Refusal(429, "too many requests", wait)
        return token

    async def _body(self, scope: Scope, receive: Receive, held: _Held) -> bytes:
        photo = _header(scope, b"content-type").startswith(b"image/")
        most = 0 if scope["token"] is None else self._limits.photo_bytes if photo else self._limits.json_bytes
        too_large = Refusal(413, f"the body is larger than {most:,} bytes")
        stated, parts = _header(scope, b"content-length"), list[bytes]()
        if stated.isdigit() and int(stated) > most:
            raise too_large
        while True:
            message = await receive()
            part = message.get("body", b"")
            held.size += len(part)
            self._held += len(part)
            if held.size > most:
                raise too_large
            if self._held > self._limits.held_bytes:
                raise Refusal(503, "too much is being answered; try again", 1)
            parts.append(part)
            if not message.get("more_body"):  # also where who asked has gone
                return b"".join(parts)


@dataclass(slots=True)
class _Held:
    """How much of a body has arrived."""

    size: int = 0


def _header(scope: Scope, name: bytes) -> bytes:
    return next((bytes(value) for known, value in scope["headers"] if known == name), b"")


def _replayed(body: bytes, receive: Receive) -> Receive:
    """The body at once, then whatever comes."""
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def note(error: BaseException) -> None:
    """What went wrong inside, for who runs the service and not for who asks."""
    print(visible("".join(traceback.format_exception(error))), file=sys.stderr)


async def refuse(send: Send, refusal: Refusal) -> None:
    """An answer that says why not."""
    body = json.dumps({"error": refusal.why}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += [(b"retry-after", str(refusal.retry).encode())] if refusal.retry is not None else []
    headers += [(b"www-authenticate", b"Bearer")] if refusal.status == 401 else []
    headers.append((b"connection", b"close"))  # what is left of the body is not waited for
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
