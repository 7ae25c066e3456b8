"""Keys and what is done with them: templates sealed, lines and policies marked, a gallery's own keys kept.

    key file    32 random bytes as text; whoever has it can read the gallery. Also from BERTILLON_GALLERY_KEY (64 hex
                digits) or BERTILLON_GALLERY_KEY_FILE
    keyring     the gallery's own keys, drawn at random and sealed under the key: one for templates, one for its
                policies, one for the log. A new key draws all of them anew; old keys of the log stay, to check
                old lines

Conventions: AES-256-GCM with a random nonce of 12 bytes in front; what a sealed text belongs to (gallery, model, row,
person) is its associated data, so that it opens nowhere else. Marks are HMAC-SHA256. Keys for different purposes are
derived by the second step of HKDF (RFC 5869, one block). A mark is compared in constant time.

Holds `Key`, `Keyring`, `TemplateSealer`, `mark` and `is_marked`; for Ed25519 keys in PEM files `sign`, `public_key` and
`is_signed`.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bertillon.core.errors import InputError

KEY_LENGTH, NONCE_LENGTH = 32, 12
FIRST_LINE = "bertillon gallery key 1"
KEY_VARIABLE, KEY_FILE_VARIABLE = "BERTILLON_GALLERY_KEY", "BERTILLON_GALLERY_KEY_FILE"
NEEDED = "a gallery needs the package cryptography; install it with: pip install 'bertillon[gallery]'"


def _aead(secret: bytes) -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError:
        raise InputError(NEEDED) from None
    return AESGCM(secret)


def seal(secret: bytes, content: bytes, about: bytes) -> bytes:
    """The content sealed, bound to what it is about."""
    nonce = secrets.token_bytes(NONCE_LENGTH)
    return nonce + bytes(_aead(secret).encrypt(nonce, content, about))


def unseal(secret: bytes, sealed: bytes, about: bytes) -> bytes | None:
    """The content; None where a byte of it, of what it is about, or of the key is another."""
    opener = _aead(secret)  # says what is missing where the package is
    from cryptography.exceptions import InvalidTag

    try:
        return bytes(opener.decrypt(sealed[:NONCE_LENGTH], sealed[NONCE_LENGTH:], about))
    except (InvalidTag, ValueError):
        return None


def mark(secret: bytes, *parts: bytes) -> bytes:
    """HMAC-SHA256 of the parts, each with its length, so that they cannot be cut elsewhere."""
    made = hmac.new(secret, digestmod=hashlib.sha256)
    for part in parts:
        made.update(len(part).to_bytes(8, "big"))
        made.update(part)
    return made.digest()


def is_marked(secret: bytes, value: bytes, *parts: bytes) -> bool:
    return hmac.compare_digest(mark(secret, *parts), value)


@dataclass(frozen=True, slots=True)
class Key:
    """The key of a gallery, as its file holds it."""

    secret: bytes

    def __post_init__(self) -> None:
        if len(self.secret) != KEY_LENGTH:
            raise InputError(f"a gallery key has {KEY_LENGTH} bytes; found {len(self.secret)}")

    def __repr__(self) -> str:
        return f"<Key {self.id}>"  # never the secret

    @classmethod
    def draw(cls) -> Key:
        return cls(secrets.token_bytes(KEY_LENGTH))

    @classmethod
    def read(cls, path: str | os.PathLike[str] | None = None) -> Key:
        """From a file, or where none is named from the environment."""
        if path is None and KEY_VARIABLE in os.environ:
            return cls(_digits(os.environ[KEY_VARIABLE].strip(), f"variable {KEY_VARIABLE}"))
        named = path if path is not None else os.environ.get(KEY_FILE_VARIABLE)
        if named is None:
            raise InputError(
                f"no key: name its file with --key FILE (key= in Python), or set {KEY_FILE_VARIABLE} to the file or "
                f"{KEY_VARIABLE} to its 64 hexadecimal digits"
            )
        try:
            lines = Path(named).read_text(encoding="ascii").split("\n")
        except (OSError, ValueError) as error:
            problem = getattr(error, "strerror", None) or "not text"
            raise InputError(
                f"{named}: the key cannot be read ({problem}); 'bertillon gallery create' makes one"
            ) from None
        if lines[0].strip() != FIRST_LINE or len(lines) < 2:
            raise InputError(f"{named}: is no gallery key: its first line is not '{FIRST_LINE}'")
        read = cls(_digits(lines[1].strip(), str(named)))
        if os.name == "posix" and os.stat(named).st_mode & 0o077:
            warnings.warn(f"{named}: others than its owner can read or change this key: chmod 600", stacklevel=2)
        return read

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a new file that only its owner may read; a file that is there is never replaced."""
        text = f"{FIRST_LINE}\n{self.secret.hex()}\n"
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            raise InputError(f"{path}: is there already; a key is never overwritten: name a new file") from None
        except OSError as error:
            raise InputError(f"{path}: the key cannot be written ({error.strerror})") from None
        with os.fdopen(handle, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())

    def derive(self, purpose: str) -> bytes:
        """A key for one purpose."""
        return hmac.new(self.secret, f"bertillon {purpose}".encode() + b"\x01", hashlib.sha256).digest()

    @property
    def id(self) -> str:
        """Its name: tells keys apart and gives nothing of them away."""
        return self.derive("id").hex()[:16]


def _digits(text: str, where: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise InputError(f"{where}: the key is not {2 * KEY_LENGTH} hexadecimal digits") from None


@dataclass(frozen=True, slots=True, repr=False)
class Keyring:
    """The gallery's own keys."""

    template: bytes
    policy: bytes
    log: tuple[bytes, ...]  # one for each key the gallery has had; the last is in use

    @classmethod
    def draw(cls) -> Keyring:
        template, policy, log = (secrets.token_bytes(KEY_LENGTH) for _ in range(3))
        return cls(template, policy, (log,))

    def rotated(self) -> Keyring:
        """New keys, and the old ones of the log."""
        new = Keyring.draw()
        return replace(new, log=(*self.log, *new.log))

    def sealed(self, key: Key, gallery: str) -> bytes:
        held = {"template": self.template.hex(), "policy": self.policy.hex(), "log": [each.hex() for each in self.log]}
        return seal(key.derive("keyring"), json.dumps(held).encode(), gallery.encode())

    @classmethod
    def opened(cls, sealed: bytes, key: Key, gallery: str) -> Keyring | None:
        content = unseal(key.derive("keyring"), sealed, gallery.encode())
        if content is None:
            return None
        held = json.loads(content)
        log = tuple(map(bytes.fromhex, held["log"]))
        return cls(bytes.fromhex(held["template"]), bytes.fromhex(held["policy"]), log)


class TemplateSealer:
    """Seals templates of one gallery and one model, each bound to its row and its person."""

    def __init__(self, secret: bytes, gallery: str, model: str) -> None:
        aead = _aead(secret)
        self._encrypt: Callable[[bytes, bytes, bytes], bytes] = aead.encrypt
        self._decrypt: Callable[[bytes, bytes, bytes], bytes] = aead.decrypt
        names = (gallery.encode(), model.encode())
        self._prefix = b"".join(len(name).to_bytes(4, "big") + name for name in names)

    def seal(self, row: int, person: str, template: bytes) -> bytes:
        nonce = os.urandom(NONCE_LENGTH)
        return nonce + self._encrypt(nonce, template, self._prefix + b"%d|" % row + person.encode())

    def unseal(self, row: int, person: str, sealed: bytes) -> bytes:
        """The template; `Damaged` where anything about it was changed."""
        from cryptography.exceptions import InvalidTag

        about = self._prefix + b"%d|" % row + person.encode()
        try:
            return self._decrypt(sealed[:NONCE_LENGTH], sealed[NONCE_LENGTH:], about)
        except (InvalidTag, ValueError):
            raise Damaged(row, person) from None

    def unseal_all(self, rows: Sequence[tuple[int, str, bytes]]) -> bytes:
        """The templates of rows (number, person, sealed), one after the other.

        As `unseal`, at half its cost; several threads would be no faster, since Python's lock is held.
        """
        from cryptography.exceptions import InvalidTag

        decrypt, prefix, cut = self._decrypt, self._prefix, NONCE_LENGTH
        try:
            return b"".join(
                [
                    decrypt(sealed[:cut], sealed[cut:], prefix + b"%d|" % row + person.encode())
                    for row, person, sealed in rows
                ]
            )
        except (InvalidTag, ValueError):
            return b"".join([self.unseal(*row) for row in rows])  # names the one


class Damaged(Exception):
    """A sealed template that does not open: changed, or put where it does not belong."""

    def __init__(self, row: int, person: str) -> None:
        super().__init__(row, person)
        self.row, self.person = row, person


def sign(path: str | os.PathLike[str], content: bytes) -> tuple[str, str]:
    """The signature by a laboratory's private Ed25519 key in a PEM file, and its public key, both in hex."""
    serialization, ed25519 = _ed25519()
    try:
        private = serialization.load_pem_private_key(Path(path).read_bytes(), password=None)
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f"{path}: no private key can be read from it ({error})") from None
    if not isinstance(private, ed25519.Ed25519PrivateKey):
        raise InputError(f"{path}: holds a {type(private).__name__}; expected an Ed25519 private key in PEM")
    return private.sign(content).hex(), private.public_key().public_bytes_raw().hex()


def public_key(path: str | os.PathLike[str]) -> str:
    """A laboratory's public Ed25519 key from a PEM file, in hex."""
    serialization, ed25519 = _ed25519()
    try:
        public = serialization.load_pem_public_key(Path(path).read_bytes())
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: no public key can be read from it ({error})") from None
    if not isinstance(public, ed25519.Ed25519PublicKey):
        raise InputError(f"{path}: holds a {type(public).__name__}; expected an Ed25519 public key in PEM")
    return str(public.public_bytes_raw().hex())


def is_signed(public: str, signature: str, content: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature

    _, ed25519 = _ed25519()
    try:
        ed25519.Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), content)
    except (InvalidSignature, ValueError):
        return False
    return True


def _ed25519() -> tuple[Any, Any]:
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise InputError(NEEDED) from None
    return serialization, ed25519
