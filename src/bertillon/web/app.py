"""The service itself: what may be asked over HTTP, by whom, and what is answered.

    GET  /                 the operator's page
    GET  /v1/gallery       operator, steward, auditor: how many people, the policies and their warnings
    POST /v1/identify      operator: who is this? With ?closed=true somebody enrolled for certain
    POST /v1/watch         operator: is this somebody on the list? ?list=allow or alarm
    POST /v1/claim         operator: is this ?person=NAME
    GET  /v1/people        steward: everybody enrolled, with the number of templates
    POST /v1/people        steward: enrol ?person=NAME; ?more=true for further templates
    DELETE /v1/people      steward: erase ?person=NAME
    GET  /v1/log           auditor: lines ?after=N, these and the new ones verified
    GET  /v1/audit         auditor: the whole log verified, and what it tells

Conventions: the body is a photo (Content-Type image/...), or JSON with a template: `{"template": [...], "model": ...}`.
A photo is made a template by the gallery's model, in processes of its own, and then forgotten. No answer holds a
template or a photo, and no request names a file. Decisions are the gallery's: this neither compares nor judges.

Holds `make_app`, and `page_of`, the operator's page: its words in one language, its script and style beside it.
"""

from __future__ import annotations

import asyncio
import math
from contextlib import asynccontextmanager
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np
from fastapi import Depends, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from bertillon._version import __version__
from bertillon.core import LANGUAGES, InputError, Message, catalogue, say, text_of
from bertillon.extraction import Unusable, Workers
from bertillon.gallery import Tampered, Unavailable
from bertillon.web.desk import Desk
from bertillon.web.guards import INSIDE, Guard, Limits, note
from bertillon.web.tokens import ROLES, Tokens

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bertillon.gallery import Gallery

UNAVAILABLE = "the gallery cannot be read or written now; try again"
MOST_NUMBERS = 65_536  # of a template
MOST_LINES = 1000
MOST_CANDIDATES = 50
STATIC = {
    "app.js": "text/javascript; charset=utf-8",
    "style.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
NAME = 200
WORDS = (
    *("title", "token", "sign_in", "sign_out", "refused", "drop", "template", "searching"),
    *("identified", "not_in_gallery", "candidates", "rank", "person", "score", "margin", "passes", "threshold"),
    *("reliability", "reliable", "unreliable", "unknown", "policy", "people", "warning", "faces", "failed", "line"),
    *("measured", "yes", "no", "language", "offline", "interval"),
)
LANGUAGE_NAMES = {"en": "English", "it": "Italiano", "es": "Español", "zh": "中文"}


class Sample(BaseModel):
    """A template, and the model that made it."""

    model_config = ConfigDict(extra="forbid")
    template: list[float] = Field(min_length=1, max_length=MOST_NUMBERS)
    model: str | None = Field(default=None, max_length=500)
    name: str = Field(default="probe", min_length=1, max_length=NAME)


class Problem(BaseModel):
    """Why a request was not answered."""

    error: str


PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": why}
    for status, why in {
        400: "The gallery refuses this.",
        401: "There is no valid token.",
        403: "The token is of another role.",
        413: "The body is too large.",
        422: "The request, or the photo in it, cannot be used.",
        429: "Too many requests; Retry-After says when to come again.",
        503: "The gallery cannot answer now; try again.",
    }.items()
}


def make_app(
    gallery: Gallery, tokens: Tokens, *, limits: Limits | None = None, workers: Workers | None = None
) -> Guard:
    """The service as an ASGI application.

    Parameters
    ----------
    gallery
        An open gallery; it is used by one thread of the service from now on.
    tokens
        Who may do what.
    limits
        Of size, time and number.
    workers
        Processes with the gallery's model, for photos; without them only templates are taken.

    Returns
    -------
    Guard
        The application with its limits around it.
    """
    limits = limits or Limits()
    service = _Service(gallery, workers)
    return Guard(service.app, tokens, limits)


class _Service:
    """The routes, and what they share."""

    def __init__(self, gallery: Gallery, workers: Workers | None) -> None:
        self.gallery, self.workers = gallery, workers
        gallery.records.verify_new()  # a service never begins on a log that was changed
        self.desk, self.auditing = Desk(gallery), asyncio.Lock()
        self.app = FastAPI(
            title="bertillon",
            version=__version__,
            description="A gallery of people; decisions by a policy whose errors were measured.",
            docs_url=None,  # they would fetch scripts from elsewhere
            redoc_url=None,
            openapi_url="/v1/openapi.json",
            lifespan=self._lifespan,
            responses=PROBLEMS,
        )
        self._handle_errors()
        self._add_page()
        self._add_searches()
        self._add_people()
        self._add_log()
        described = self.app.openapi()
        described["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        described["security"] = [{"token": []}]

    @asynccontextmanager
    async def _lifespan(self, app: FastAPI) -> AsyncIterator[None]:
        yield
        self.desk.close()

    async def sample(self, request: Request) -> tuple[np.ndarray, str | None, str, dict[str, Any]]:
        """The template of a request with its model and name, and what is known of a photo."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        body = await request.body()
        if kind.startswith("image/"):
            found = await self._extracted(body)
            size = None if math.isnan(found.face_size) else round(found.face_size)
            about = {"faces": found.faces, "quality": _number(found.quality), "face_size": size}
            return found.vector, None, "photo", {"photo": about}
        if kind != "application/json":
            raise HTTPException(415, "expected a photo (Content-Type: image/...) or JSON with a template")
        try:
            given = Sample.model_validate_json(body)
        except ValueError as error:
            raise RequestValidationError(getattr(error, "errors", list)()) from None
        if not given.name.isprintable():
            raise HTTPException(422, "name: expected printable characters")
        return np.array(given.template, dtype=np.float64), given.model, given.name, {}

    async def _extracted(self, photo: bytes) -> Any:
        if self.workers is None:
            raise HTTPException(415, "this service takes templates only: its gallery names no model for photos")
        try:
            return await asyncio.to_thread(self.workers.extract, photo)
        except Unusable as error:
            about = {"reason": error.reason, "error": text_of(Message(f"extraction.reason.{error.reason}"))}
            raise _Refused(422, about) from None

    def _handle_errors(self) -> None:
        app = self.app

        @app.exception_handler(HTTPException)
        async def refused(_: Request, error: HTTPException) -> Response:
            return JSONResponse({"error": error.detail}, error.status_code, error.headers)

        @app.exception_handler(_Refused)
        async def unusable(_: Request, error: _Refused) -> Response:
            return JSONResponse(error.about, error.status)

        @app.exception_handler(RequestValidationError)
        async def invalid(_: Request, error: RequestValidationError) -> Response:
            faults = [f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors()[:5]]
            return JSONResponse({"error": "; ".join(faults) or "the request cannot be read"}, 422)

        @app.exception_handler(Exception)
        async def inside(_: Request, error: Exception) -> Response:
            note(error)
            return JSONResponse({"error": INSIDE}, 500)

        @app.exception_handler(Unavailable)
        async def unavailable(_: Request, error: Unavailable) -> Response:
            note(error)
            return JSONResponse({"error": UNAVAILABLE}, 503, {"retry-after": "1"})

        @app.exception_handler(InputError)
        async def wrong(_: Request, error: InputError) -> Response:
            tampered = isinstance(error, Tampered)
            if tampered:
                note(error)
            text = str(error).removeprefix(f"{self.gallery.name}: ")
            return JSONResponse({"error": text.replace(self.gallery.name, "the gallery")}, 500 if tampered else 400)

    def _add_page(self) -> None:
        app, static = self.app, files("bertillon.web") / "static"
        parts = {name: (static / name).read_bytes() for name in STATIC}

        @app.get("/", include_in_schema=False)
        async def page(lang: str = Query("en", max_length=2)) -> Response:
            words = lang if lang in LANGUAGES else "en"
            return Response(page_of(words, photos=self.workers is not None), media_type="text/html; charset=utf-8")

        @app.get("/static/{name}", include_in_schema=False)
        async def part(name: str) -> Response:
            if name not in parts:
                raise HTTPException(404, "there is no such part of the page")
            return Response(parts[name], media_type=STATIC[name])

        @app.get("/v1/gallery", dependencies=_for(*ROLES), tags=["gallery"])
        async def about(request: Request, lang: str = "en") -> Response:
            """How many people are enrolled, and the policies with the errors measured for them."""
            return _answer(
                await self.desk.do(lambda gallery: _about(gallery, lang)) | {"role": request.scope["token"].role}
            )

    def _add_searches(self) -> None:
        app = self.app
        best: Any = Query(10, ge=1, le=MOST_CANDIDATES)

        @app.post("/v1/identify", dependencies=_for("operator"), tags=["search"], openapi_extra=BODY)
        async def identify(request: Request, closed: bool = False, best: int = best, lang: str = "en") -> Response:
            """Who is this? "not in gallery" where no score passes the threshold."""
            return await self._searched(request, lang, closed=closed, best=best)

        @app.post("/v1/watch", dependencies=_for("operator"), tags=["search"], openapi_extra=BODY)
        async def watch(
            request: Request, list: str = Query(pattern="^(allow|alarm)$"), best: int = best, lang: str = "en"
        ) -> Response:
            """Is this somebody on the list? A white list allows, a black list gives an alarm."""
            return await self._searched(request, lang, list=list, best=best)

        @app.post("/v1/claim", dependencies=_for("operator"), tags=["search"], openapi_extra=BODY)
        async def claim(request: Request, person: str = Query(max_length=NAME), lang: str = "en") -> Response:
            """Is this the person it claims to be? The answer to an unknown name is the same as to a wrong one."""
            probe, model, name, known = await self.sample(request)
            called = f"{request.scope['token'].id}:{name}"
            answer = await self.desk.do(lambda gallery: gallery.claim(person, probe, name=called, model=model))
            shown = {key: value for key, value in _shown(answer, lang).items() if key not in ("known", "comparisons")}
            if not answer.accepted:  # a score would tell who is enrolled; the log has it
                shown |= {"score": None, "margin": None}
            return _answer(shown | known)

    async def _searched(self, request: Request, lang: str, **how: Any) -> Response:
        probe, model, name, known = await self.sample(request)
        await self._require_fitting(probe, model, name)
        answer = await self.desk.search(probe, f"{request.scope['token'].id}:{name}", **how)
        return _answer(_shown(answer, lang) | known)

    async def _require_fitting(self, probe: np.ndarray, model: str | None, name: str) -> None:
        """Refuse what cannot be searched for before it is put together with others."""
        settings = self.gallery.records.settings
        if model is not None and model != settings.model:
            raise HTTPException(
                409, f"the template was made by the model {model!r}, the gallery's by {settings.model!r}"
            )
        if settings.dimension and probe.size != settings.dimension:
            raise HTTPException(422, f"{name}: has {probe.size} numbers; the gallery's templates {settings.dimension}")
        if not np.isfinite(probe).all() or not probe.any():
            raise HTTPException(422, f"{name}: a template holds finite numbers, not all of them 0")

    def _add_people(self) -> None:
        app = self.app
        named: Any = Query(min_length=1, max_length=NAME)

        @app.get("/v1/people", dependencies=_for("steward"), tags=["people"])
        async def people() -> Response:
            """Everybody who is enrolled, with the number of templates."""
            return _answer({"people": await self.desk.do(lambda gallery: gallery.people())})

        @app.post("/v1/people", dependencies=_for("steward"), tags=["people"], status_code=201, openapi_extra=BODY)
        async def enrol(request: Request, person: str = named, more: bool = False) -> Response:
            """Enrol a person, or give somebody who is enrolled a further template."""
            probe, model, _, known = await self.sample(request)
            made_by, by = self.gallery.records.settings.model if known else model, request.scope["token"].id

            def work(gallery: Gallery) -> None:
                (gallery.update if more else gallery.enrol)(person, probe, model=made_by, by=by)

            await self.desk.do(work)
            return _answer({"person": person, **known}, 201)

        @app.delete("/v1/people", dependencies=_for("steward"), tags=["people"])
        async def erase(request: Request, person: str = named) -> Response:
            """Erase a person: the templates are gone from the file and from memory."""
            async with self.auditing:  # an erasure waits for an audit, and the desk would wait with it
                by = request.scope["token"].id
                erased = await self.desk.do(lambda gallery: gallery.erase(person, by=by))
            return _answer({"person": person, "templates": erased})

    def _add_log(self) -> None:
        app = self.app

        @app.get("/v1/log", dependencies=_for("auditor"), tags=["log"])
        async def log(after: int = Query(0, ge=0), limit: int = Query(100, ge=1, le=MOST_LINES)) -> Response:
            """Lines of the log, each verified, and the chain where it grew; /v1/audit verifies all of it."""
            return _answer({"lines": await self.desk.do(lambda gallery: gallery.records.lines_after(after, limit))})

        @app.get("/v1/audit", dependencies=_for("auditor"), tags=["log"])
        async def audit() -> Response:
            """Whether the log is whole, and what it shows: decisions by day, near misses, drift of scores."""
            async with self.auditing:  # a long log takes long, and searches go on meanwhile
                found = (await asyncio.to_thread(self.gallery.audit)).to_dict()
            return _answer({name: value for name, value in found.items() if name != "gallery"})


def _for(*roles: str) -> list[Any]:
    """What a route needs to be for tokens of these roles alone."""

    async def required(request: Request) -> None:
        role = request.scope["token"].role
        if role not in roles:
            raise HTTPException(403, f"the token is of the role {role}; this is for {' or '.join(roles)}")

    return [Depends(required)]


class _Refused(Exception):
    """A request that cannot be answered, with more to say than a sentence."""

    def __init__(self, status: int, about: dict[str, Any]) -> None:
        super().__init__(about)
        self.status, self.about = status, about


def _about(gallery: Gallery, lang: str) -> dict[str, Any]:
    """What anybody with a token may know of the gallery."""
    policies = {}
    for mode, policy in gallery.policies.items():
        outgrown = policy.outgrown(len(gallery))
        warnings = [*policy.warnings, *([outgrown] if outgrown else [])]
        policies[mode] = {
            "id": policy.id,
            "at": policy.at,
            "threshold": policy.threshold,
            "rule": policy.rule,
            "matcher": policy.matcher,
            "gallery_size": policy.gallery_size,
            "made": policy.made,
            "rates": {
                name: {"value": rate.value, "low": rate.low, "high": rate.high, "level": rate.level}
                for name, rate in policy.ordered_rates.items()
            },
            "warnings": [_words(warning, lang) for warning in warnings],
        }
    settings = gallery.records.settings
    return {"people": len(gallery), "templates": gallery.templates, "model": settings.model, "policies": policies}


def _shown(answer: Any, lang: str) -> dict[str, Any]:
    """An answer ready for JSON, its messages in a language; no template is in it."""
    shown: dict[str, Any] = answer.to_dict()
    shown["warnings"] = [_words(warning, lang) for warning in answer.warnings]
    if getattr(answer, "reliability", None) is not None and answer.reliability.reason is not None:
        shown["reliability"]["reason"] = _words(answer.reliability.reason, lang)
    shown["probe"] = shown["probe"].partition(":")[2]  # without the id of the token
    return shown


def _words(message: Message, lang: str) -> str:
    return catalogue(lang if lang in LANGUAGES else "en").text(message)


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _plain(value: Any) -> Any:
    """Ready for JSON, which knows no NaN."""
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, dict):
        return {name: _plain(held) for name, held in value.items()}
    return [_plain(held) for held in value] if isinstance(value, list | tuple) else value


def _answer(content: dict[str, Any], status: int = 200) -> Response:
    return JSONResponse(_plain(content), status)


BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "image/*": {"schema": {"type": "string", "format": "binary"}},
            "application/json": {"schema": Sample.model_json_schema()},
        },
    }
}


@cache
def page_of(lang: str, *, photos: bool) -> str:
    """The page in a language; without photos it takes templates only."""
    from jinja2 import Environment, StrictUndefined

    source = (files("bertillon.web") / "static" / "page.html").read_text(encoding="utf-8")
    made = Environment(autoescape=True, undefined=StrictUndefined).from_string(source)
    words = {name: catalogue(lang).text(say(f"web.{name}")) for name in WORDS}
    return made.render(
        lang=lang, words=words, photos=photos, languages={code: LANGUAGE_NAMES[code] for code in LANGUAGES}
    )
