"""`bertillon token`: who may ask the service of a gallery."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from bertillon.cli import options
from bertillon.cli import outputs as out
from bertillon.cli.declare import argument, option
from bertillon.cli.outputs import Bar
from bertillon.cli.policy import key_option
from bertillon.cli.rooms import galleries, web
from bertillon.core import say

if TYPE_CHECKING:
    from bertillon.gallery import Gallery

GALLERY = argument("GALLERY", "The gallery: a file, or postgresql://...")


@dataclass(frozen=True, slots=True)
class AccessOptions:
    """The key of the gallery, and its tokens."""

    key: Path | None = key_option()
    tokens: Path | None = option(help="File of tokens; by default GALLERY.tokens.", updates=True)

    @contextmanager
    def opened(self, path: str) -> Iterator[tuple[Gallery, web.Tokens]]:
        with Bar() as bar, galleries.Gallery.open(path, key=self.key, progress=bar) as gallery:
            bar.close()
            yield gallery, web.Tokens.beside(gallery, self.tokens)


@dataclass(frozen=True, slots=True)
class NewToken:
    """Whose token it is, what it may be used for, and how long."""

    role: Literal["operator", "steward", "auditor"] = option(
        required=True, help="operator: search; steward: enrol and erase; auditor: read the log."
    )
    holder: str = option(required=True, metavar="NAME", help="Name of the holder.")
    days: int = option(default=90, help="Days until the token expires.")


def make(
    path: Annotated[str, GALLERY],
    access: AccessOptions,
    new: NewToken,
    outputs: options.Language,  # noqa: ARG001 - the terminal speaks it
) -> None:
    """Create a token for the service; it is shown once, and only its hash is stored.

    Example: bertillon token make door.gallery --key door.key --role operator --holder "front desk"
    """
    with access.opened(path) as (_, tokens):
        text = tokens.make(new.role, new.holder, new.days)
        made = tokens.check(text)
        assert made is not None
        out.print_lines(say("web.token.made", name=made.name, role=made.role, ends=made.ends[:10]), text)


def list(
    path: Annotated[str, GALLERY],
    access: AccessOptions,
    outputs: options.Language,  # noqa: ARG001 - the terminal speaks it
) -> None:
    """List the tokens: id, role, expiry date and holder.

    Example: bertillon token list door.gallery --key door.key
    """
    with access.opened(path) as (_, tokens):
        for token in tokens.all():
            out.print_lines(f"{token.id}  {token.role:<8}  {token.ends[:10]}  {token.name}")


def revoke(
    path: Annotated[str, GALLERY],
    id: Annotated[str, argument("ID", "ID of the token, as shown by 'bertillon token list'.")],
    access: AccessOptions,
    outputs: options.Language,  # noqa: ARG001 - the terminal speaks it
) -> None:
    """Revoke a token at once, also in a running service.

    Example: bertillon token revoke door.gallery 3f2a91c07b5e --key door.key
    """
    with access.opened(path) as (_, tokens):
        revoked = tokens.revoke(id)
        out.print_lines(say("web.token.revoked", id=revoked.id, name=revoked.name))
