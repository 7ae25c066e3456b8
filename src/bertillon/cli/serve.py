"""`bertillon serve`: a gallery over HTTP."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from bertillon.cli import options
from bertillon.cli import outputs as out
from bertillon.cli.declare import option
from bertillon.cli.rooms import web
from bertillon.cli.token import GALLERY, AccessOptions
from bertillon.core import say


@dataclass(frozen=True, slots=True)
class ServiceOptions:
    """Where the service listens, and what it takes."""

    host: str = option(
        default="127.0.0.1", metavar="ADDRESS", help="Address to listen on; any other than the default needs TLS."
    )
    port: int = option(default=8750, help="Port to listen on.")
    certificate: Path | None = option(help="Certificate of the service (PEM).")
    private_key: Path | None = option(help="Private key of the certificate (PEM).")
    photos: bool = option("--photos/--no-photos", default=True, help="Accept photos, if the gallery names a model.")
    processes: int | None = option(
        help="Number of processes that extract templates from photos; by default one per core."
    )
    rate: float = option(default=20.0, metavar="NUMBER", help="Requests per second allowed for each token.")


def serve(
    path: Annotated[str, GALLERY],
    access: AccessOptions,
    service: ServiceOptions,
    outputs: options.Language,  # noqa: ARG001 - the terminal speaks it
) -> None:
    """Run the HTTP service of a gallery: searches, claims, enrolment, and a page for the operator.

    Example: bertillon serve door.gallery --key door.key
    """
    where = web.Listening(service.host, service.port, service.certificate, service.private_key)
    limits = web.Limits(per_second=service.rate, burst=2 * service.rate)
    with access.opened(path) as (gallery, _):
        web.serve(
            gallery,
            listening=where,
            limits=limits,
            tokens=access.tokens,
            photos=service.photos,
            processes=service.processes,
            ready=lambda where: out.print_lines(say("web.serving", address=where.address)),
        )
