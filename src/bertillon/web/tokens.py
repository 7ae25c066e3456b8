"""Who may do what at the service: tokens, each with one role.

    operator   searches and claims
    steward    enrols, updates and erases people, and lists them
    auditor    reads the log and has it verified

A token is 256 random bits, shown once, when it is made. The file beside the gallery keeps only a hash of it, bound to
the gallery, with role, name and the day it ends; the whole file is marked with a key derived from the gallery's, so
that who can write the file and has no key can neither make a token nor change a role nor bring back one that was
revoked. (Who puts back an older copy of the whole file brings back what was revoked since: keep it to yourself.)

Conventions: a token is found by its id and compared in constant time, and an unknown id is compared with something too.
A token of another gallery, one that ended and one that was revoked are refused alike.

Holds `Tokens`, `Token` and `ROLES`.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bertillon.core import InputError, write_whole
from bertillon.core.errors import unknown

ROLES = ("operator", "steward", "auditor")
PREFIX = "bertillon"
VERSION = 1
DAYS = 90
MOST_DAYS = 3650
LONGEST = 200  # characters of what is presented; a token has fewer
NOBODY = hashlib.sha256(b"nobody").hexdigest()
Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Token:
    """What is kept of a token."""

    id: str
    role: str
    name: str
    hash: str = field(repr=False)
    made: str
    ends: str

    def has_ended(self, now: datetime) -> bool:
        return now >= datetime.fromisoformat(self.ends)


class Tokens:
    """The tokens of a gallery, in a file of their own."""

    def __init__(self, path: Path, secret: bytes, gallery: str, clock: Clock = lambda: datetime.now(UTC)) -> None:
        self.path, self._secret, self._gallery, self._clock = path, secret, gallery, clock
        self._known: dict[str, Token] = {}
        self._stamp: tuple[int, int, int] | None = None
        self._refresh()

    @classmethod
    def beside(cls, gallery: Any, path: Path | None = None) -> Tokens:
        """Those of an open gallery, in the file beside it unless another one is named."""
        records = gallery.records
        if path is None and not Path(gallery.name).is_file():
            raise InputError("the gallery is in a database, and its tokens are in a file: name it with --tokens FILE")
        return cls(path or Path(f"{gallery.name}.tokens"), records.key.derive("tokens"), records.settings.id)

    def make(self, role: str, name: str, days: int = DAYS) -> str:
        """A new token; this is the only time it is seen."""
        if role not in ROLES:
            raise InputError(unknown("role", role, ROLES))
        if not name or len(name) > LONGEST or not name.isprintable():
            raise InputError(f"a token's name is {name!r}; expected 1 to {LONGEST} printable characters")
        if not 1 <= days <= MOST_DAYS:
            raise InputError(f"a token lasts {days} days; expected 1 to {MOST_DAYS:,}")
        id, now = secrets.token_hex(6), self._clock()
        text = f"{PREFIX}-{id}-{base64.urlsafe_b64encode(secrets.token_bytes(32)).decode().rstrip('=')}"
        ends = (now + timedelta(days=days)).isoformat(timespec="seconds")
        kept = Token(id, role, name, self._hash(text), now.isoformat(timespec="seconds"), ends)
        with self._locked():
            self._write({**self._known, id: kept})
        return text

    def revoke(self, id: str) -> Token:
        """Refuse a token from now on."""
        with self._locked():
            if id not in self._known:
                raise InputError(unknown(f"{self.path}: token", id, self._known))
            kept = dict(self._known)
            revoked = kept.pop(id)
            self._write(kept)
        return revoked

    def all(self) -> list[Token]:
        """Every token, in the order they were made."""
        self._refresh()
        return list(self._known.values())

    def check(self, presented: str) -> Token | None:
        """The token that was presented, if it is valid."""
        self._refresh()
        text = presented if len(presented) <= LONGEST and presented.isascii() else ""
        parts = text.split("-", 2)
        known = self._known.get(parts[1]) if len(parts) == 3 else None
        same = hmac.compare_digest(self._hash(text), known.hash if known else NOBODY)
        return known if known is not None and same and not known.has_ended(self._clock()) else None

    def _hash(self, text: str) -> str:
        return hashlib.sha256(f"bertillon token\0{self._gallery}\0{text}".encode()).hexdigest()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """The file as it is now, and no other process writes it meanwhile: a token revoked there would come back."""
        try:
            from fcntl import LOCK_EX, flock
        except ImportError:  # Windows
            self._refresh()
            yield
            return
        with ExitStack() as kept:
            try:
                folder = os.open(os.path.dirname(os.path.realpath(self.path)), os.O_RDONLY)  # where it is written
                kept.callback(os.close, folder)
                flock(folder, LOCK_EX)
            except OSError as error:
                problem = f"its folder cannot be opened and locked ({error.strerror or error})"
                raise InputError(f"{self.path}: {problem}; nothing was changed") from None
            self._refresh()
            yield

    def _refresh(self) -> None:
        """Read the file again where it was changed: a token that is revoked is refused at once."""
        try:
            found = self.path.stat()
        except FileNotFoundError:
            self._known, self._stamp = {}, None
            return
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read ({error.strerror})") from None
        stamp = found.st_mtime_ns, found.st_size, found.st_ino
        if stamp != self._stamp:
            self._known, self._stamp = self._read(), stamp

    def _read(self) -> dict[str, Token]:
        try:
            held = json.loads(self.path.read_text(encoding="utf-8"))
            whole = held["version"] == VERSION and hmac.compare_digest(held["mark"], self._mark(held["tokens"]))
            tokens = [Token(**kept) for kept in held["tokens"]] if whole else []
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read ({error.strerror})") from None
        except (ValueError, KeyError, TypeError):
            whole = False
        if not whole:
            raise InputError(
                f"{self.path}: the tokens were changed, or are of another gallery or of a key it had before; remove "
                "the file and make new ones with 'bertillon token make'"
            )
        return {token.id: token for token in tokens}

    def _write(self, tokens: dict[str, Token]) -> None:
        kept = [asdict(token) for token in tokens.values()]
        text = json.dumps({"version": VERSION, "tokens": kept, "mark": self._mark(kept)}, indent=1)
        write_whole(self.path, lambda file: file.write(text.encode()), private=True)
        self._known, self._stamp = tokens, None

    def _mark(self, tokens: Any) -> str:
        content = json.dumps([self._gallery, tokens], sort_keys=True, separators=(",", ":")).encode()
        return hmac.new(self._secret, content, hashlib.sha256).hexdigest()
