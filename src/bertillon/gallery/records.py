"""What stands in a gallery, and that nobody changed it: entries, sealed templates, and the log with its chain of marks.

    entries     settings, policies and the head, each marked with a key of the gallery
    templates   sealed, bound to gallery, model, row and person
    log         each line's mark covers the line and the mark before it; the head knows the last one

The head also counts templates and names the settings and policies in use, so that a template taken out, an older
policy put back and a log cut short are noticed when the gallery is opened. Whoever puts back the whole file as it
once was shows a gallery that was right at that time: keep `head.mark` elsewhere to notice it (`bertillon gallery
audit` prints it).

Conventions: a line is one JSON object with sorted keys; it says what happened, when and to whom, and holds scores but
nothing of a template; `by`, where it was stated, says whose request an enrolment, update or erasure was. Every change
is one transaction with its lines and the new head.

Holds `Settings`, `Head`, `Records` with its `Change`, and `Tampered`, raised where something was changed.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.engine.jobs import NoProgress, Progress
from bertillon.gallery.policy import MODES, Policy, matcher_of
from bertillon.gallery.sealing import Damaged, Key, Keyring, TemplateSealer, is_marked, mark
from bertillon.gallery.store import FORMAT, Line, Row, Store

if TYPE_CHECKING:
    from bertillon.gallery.pgvector import VectorTable

Vectors = NDArray[np.float32]
START = b"\x00" * 32  # stands before the first line
CLIENT, SERVER = "client", "server"  # who searches


class Tampered(InputError):
    """Something in the gallery is not as the gallery wrote it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What all templates of a gallery have in common."""

    id: str
    matcher: str
    fusion: str
    model: str
    dimension: int  # 0 until the first template
    made: str
    search: str = CLIENT


@dataclass(frozen=True, slots=True)
class Head:
    """Where the log ends and what stands in the gallery there."""

    seq: int = 0
    mark: str = START.hex()
    next_row: int = 1
    templates: int = 0
    changes: int = 0  # to templates
    settings: str = ""
    policies: Mapping[str, str] = field(default_factory=dict)  # ids by mode


@dataclass(frozen=True, slots=True)
class Verified:
    """How far the chain of the log was followed: its last line there, and the lines after which another key marks."""

    seq: int = 0
    mark: bytes = START
    rotated: tuple[int, ...] = ()


def to_json(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Records:
    """A store read and written with the gallery's keys."""

    def __init__(self, store: Store, key: Key, keyring: Keyring, settings: Settings) -> None:
        self.store, self.key, self.keyring, self.settings = store, key, keyring, settings
        self._verified = Verified()

    @classmethod
    def create(cls, store: Store, key: Key, *, matcher: str, fusion: str, model: str, search: str = CLIENT) -> Records:
        settings = Settings(secrets.token_hex(8), matcher, fusion, model, 0, now(), search)
        records = cls(store, key, Keyring.draw(), settings)
        with store.transaction():
            store.make_tables()
            store.put_entry("format", FORMAT, b"")
            if search == SERVER:
                records.vectors.make()
            records._put_keys()
            records._write_settings()
            change = Change(records, Head(settings=records._settings_id))
            change.log("create", matcher=matcher, fusion=fusion, model=model)
            change.finish()
        return records

    @classmethod
    def open(cls, store: Store, key: Key) -> Records:
        format_, identity, known, sealed = (store.entry(name) for name in ("format", "id", "key", "keyring"))
        if format_ is None or format_[0] != FORMAT or identity is None or known is None or sealed is None:
            raise InputError(f"{store.name}: is no gallery of this version; expected {FORMAT.decode()!r}")
        if known[0].decode(errors="replace") != key.id:
            raise InputError(
                f"{store.name}: wrong key: the gallery has the key {known[0].decode(errors='replace')}, and the key "
                f"given is {key.id}; name the file of the right one (--key FILE)"
            )
        keyring = Keyring.opened(sealed[0], key, identity[0].decode(errors="replace"))
        if keyring is None:
            raise Tampered(
                f"{store.name}: the keyring was changed: it does not open with the right key; restore a copy"
            )
        records = cls(store, key, keyring, Settings("", "", "", "", 0, ""))
        records.settings = Settings(**json.loads(records._entry("settings")))
        records.head()
        return records

    def head(self) -> Head:
        """The head, checked against the end of the log, the settings and the policies."""
        with self.store.snapshot():
            return self._head()

    def _head(self) -> Head:
        known = self.store.entry("key")
        if known is None or known[0].decode(errors="replace") != self.key.id:
            raise InputError(f"{self.store.name}: its key was changed meanwhile; open it again with the new key")
        head = Head(**json.loads(self._entry("head", self.keyring.log[-1])))
        last = self.store.last_line()
        seq, marked = (0, START) if last is None else (last[0], last[2])
        if seq != head.seq or marked.hex() != head.mark:
            found = f"its last line is {seq:,}, and {head.seq:,} were written"
            raise Tampered(
                f"{self.store.name}: the log was changed: {found if seq != head.seq else 'its end is another'}"
            )
        if (
            head.settings != self._settings_id
        ):  # the first template of another process settled them, or they were changed
            self.settings = Settings(**json.loads(self._entry("settings")))
            if head.settings != self._settings_id:
                raise Tampered(f"{self.store.name}: its settings were changed: older ones were put back")
        return head

    def policies(self, head: Head | None = None) -> dict[str, Policy]:
        """The policies in use, by mode."""
        head, found = head or self.head(), {}
        for mode, policy_id in head.policies.items():
            policy = Policy.from_dict(json.loads(self._entry(f"policy.{mode}")), f"{self.store.name}: policy")
            if policy.id != policy_id:
                problem = f"the policy for {mode} was changed: {policy.id} stands where {policy_id} was set"
                raise Tampered(f"{self.store.name}: {problem}")
            found[mode] = policy
        return found

    def templates(self, after: int = 0, progress: Progress | None = None) -> Iterator[tuple[Sequence[Row], Vectors]]:
        """Rows above a number with their vectors, some at a time."""
        progress = progress or NoProgress()
        for rows in self.store.templates(after):
            vectors = self.opened(rows)
            progress.advance(len(rows))
            yield rows, vectors

    def opened(self, rows: Sequence[Row]) -> Vectors:
        """The vectors of sealed rows."""
        sealer = TemplateSealer(self.keyring.template, self.settings.id, self.settings.model)
        try:
            content = sealer.unseal_all(rows)
        except Damaged as damaged:
            problem = (
                f"the template in row {damaged.row} of {damaged.person!r} was changed or belongs to another person"
            )
            raise Tampered(f"{self.store.name}: {problem}; restore it from a copy, or erase and enrol again") from None
        return np.frombuffer(content, dtype=np.float32).reshape(len(rows), -1)

    @property
    def vectors(self) -> VectorTable:
        """What a server searches."""
        from bertillon.gallery.pgvector import VectorTable
        from bertillon.gallery.postgres import PostgresStore

        assert isinstance(self.store, PostgresStore)
        return VectorTable(self.store, matcher_of(self.settings.matcher).name, self.settings.fusion)

    def publish(self, rows: Sequence[int], people: Sequence[str], vectors: Vectors) -> None:
        """Let the server see these vectors, turned, where it searches."""
        if self.settings.search == SERVER:
            from bertillon.gallery.server import turned

            self.vectors.add(rows, people, turned(self.keyring.template, vectors))

    def lines(self) -> Iterator[dict[str, Any]]:
        """Every line of the log, the chain checked on the way."""
        return self._followed(Verified())

    def verify_new(self) -> None:
        """Check the chain from where it was last followed to its end: all of it the first time."""
        with self.store.snapshot():
            for _ in self._followed(self._verified):
                pass

    def lines_after(self, after: int, limit: int) -> list[dict[str, Any]]:
        """Some lines, each checked against the mark before it; of the others only those that are new are read."""
        with self.store.snapshot():
            self.verify_new()
            rotated, upto = self._verified.rotated, min(after + limit, self._verified.seq)
            at, contents = Verified(max(after - 1, 0), rotated=rotated), []
            for line in self.store.lines(after - 1, upto):
                if line[0] == after:  # its mark is what the next one is checked against
                    at = Verified(after, line[2], rotated)
                    continue
                at, content = self._checked(at, line)
                contents.append(content)
            return contents

    def _followed(self, at: Verified) -> Iterator[dict[str, Any]]:
        """Lines from where the chain was verified to its end, which is remembered."""
        head = self.head()  # lines that others write from here on are for the next time
        for line in self.store.lines(at.seq, head.seq):
            at, content = self._checked(at, line)
            if content["event"] == "rotate":  # the next line is marked with the next key
                at = Verified(at.seq, at.mark, (*at.rotated, at.seq))
            yield content
        if (at.seq, at.mark.hex()) != (head.seq, head.mark):
            raise Tampered(f"{self.store.name}: the log was changed: it ends at line {at.seq:,} of {head.seq:,}")
        self._verified = at

    def _checked(self, at: Verified, line: Line) -> tuple[Verified, dict[str, Any]]:
        """The line that follows, and what it says; `Tampered` where it is missing or another."""
        seq, text, marked = line
        if seq != at.seq + 1:
            raise Tampered(f"{self.store.name}: line {at.seq + 1:,} of the log is missing")
        key = min(sum(rotation < seq for rotation in at.rotated), len(self.keyring.log) - 1)
        if not is_marked(self.keyring.log[key], marked, at.mark, text.encode()):
            raise Tampered(f"{self.store.name}: line {seq:,} of the log was changed")
        return Verified(seq, marked, at.rotated), {"seq": seq, **json.loads(text)}

    @contextmanager
    def change(self) -> Iterator[Change]:
        """A change with its lines in the log: all of it, or nothing."""
        settings = self.settings
        try:
            with self.store.transaction():
                change = Change(self, self.head())
                yield change
                change.finish()
        except BaseException:
            self.settings = settings
            raise

    def rotate(self, key: Key) -> None:
        """Seal everything anew under new keys; the line that says so is the last marked with the old one."""
        old, had = self.key, self.keyring
        try:
            with self.store.transaction():
                held = [*self.templates()]
                change = Change(self, self.head())
                change.log("rotate", key=key.id)
                self.keyring, self.key = had.rotated(), key
                sealer = TemplateSealer(self.keyring.template, self.settings.id, self.settings.model)
                if self.settings.search == SERVER:
                    self.vectors.clear()
                for rows, vectors in held:
                    each = (
                        (row, person, vector.tobytes()) for (row, person, _), vector in zip(rows, vectors, strict=True)
                    )
                    self.store.replace_templates(
                        (row, person, sealer.seal(row, person, raw)) for row, person, raw in each
                    )
                    self.publish([row for row, _, _ in rows], [person for _, person, _ in rows], vectors)
                self._put_keys()
                self._write_settings()
                for mode in MODES:
                    if (policy := self.store.entry(f"policy.{mode}")) is not None:
                        self.put(f"policy.{mode}", policy[0])
                change.finish()
        except BaseException:
            self.key, self.keyring = old, had
            raise
        self.store.scrub()

    def put(self, name: str, value: bytes, secret: bytes | None = None) -> None:
        self.store.put_entry(name, value, mark(secret or self.keyring.policy, name.encode(), value))

    def _entry(self, name: str, secret: bytes | None = None) -> bytes:
        held = self.store.entry(name)
        if held is None:
            raise Tampered(f"{self.store.name}: its entry {name!r} is missing; restore it from a copy")
        if not is_marked(secret or self.keyring.policy, held[1], name.encode(), held[0]):
            raise Tampered(f"{self.store.name}: its entry {name!r} was changed; restore it from a copy")
        return held[0]

    def _put_keys(self) -> None:
        self.store.put_entry("id", self.settings.id.encode(), b"")
        self.store.put_entry("key", self.key.id.encode(), b"")
        self.store.put_entry("keyring", self.keyring.sealed(self.key, self.settings.id), b"")

    def _write_settings(self) -> None:
        self.put("settings", to_json(asdict(self.settings)))

    @property
    def _settings_id(self) -> str:
        return hashlib.sha256(to_json(asdict(self.settings))).hexdigest()


class Change:
    """What is changed in one transaction."""

    def __init__(self, records: Records, head: Head) -> None:
        self.records, self.head, self._lines = records, head, list[Line]()
        self._secret = records.keyring.log[-1]

    def log(self, event: str, **facts: Any) -> None:
        """A line of the log."""
        text = to_json({"event": event, "time": now(), **facts}).decode()
        marked = mark(self._secret, bytes.fromhex(self.head.mark), text.encode())
        self.head = replace(self.head, seq=self.head.seq + 1, mark=marked.hex())
        self._lines.append((self.head.seq, text, marked))

    def set_settings(self, **values: Any) -> None:
        """Settings that were open until the first template."""
        self.records.settings = replace(self.records.settings, **values)
        self.records._write_settings()
        self.head = replace(self.head, settings=self.records._settings_id)

    def set_policy(self, policy: Policy) -> None:
        self.records.put(f"policy.{policy.mode}", to_json(policy.to_dict()))
        self.head = replace(self.head, policies={**self.head.policies, policy.mode: policy.id})
        self.log("policy", mode=policy.mode, policy=policy.id, at=policy.at, threshold=policy.threshold)

    def add(self, people: Sequence[str], vectors: Vectors) -> list[int]:
        """Templates sealed and added; their rows."""
        records, first = self.records, self.head.next_row
        sealer = TemplateSealer(records.keyring.template, records.settings.id, records.settings.model)
        numbers, content = range(first, first + len(people)), np.ascontiguousarray(vectors, dtype=np.float32)
        records.store.add_templates(
            [
                (row, person, sealer.seal(row, person, vector.tobytes()))
                for row, person, vector in zip(numbers, people, content, strict=True)
            ]
        )
        records.publish(numbers, people, content)
        self._count(len(people))
        self.head = replace(self.head, next_row=first + len(people))
        return [*numbers]

    def remove(self, person: str) -> list[int]:
        """The templates of a person, gone; their rows."""
        rows = self.records.store.delete_templates(person)
        self._count(-len(rows))
        return rows

    def _count(self, more: int) -> None:
        self.head = replace(self.head, templates=self.head.templates + more, changes=self.head.changes + 1)

    def finish(self) -> None:
        """Write the lines and the head."""
        self.records.store.add_lines(self._lines)
        self.records.put("head", to_json(asdict(self.head)), self.records.keyring.log[-1])
