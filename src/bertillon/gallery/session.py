"""A gallery at work: what stands in the store, who is enrolled in memory, and both kept in step.

Conventions: every process that works on a gallery reads its head before it decides, and takes over what others
changed: templates that are new are opened, those that are gone are forgotten. One object may be used by several
threads, one after the other.

Holds `Session`, the part of a `Gallery` that has no opinion; `store_of` and `key_of`.
"""

from __future__ import annotations

import os
from threading import Lock, RLock
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say, text_of
from bertillon.engine.jobs import NoProgress, Progress
from bertillon.extraction import FaceModel, Unusable, decode_photo, face_model, read_photo
from bertillon.gallery.approximate import ApproximateIndex
from bertillon.gallery.inputs import Vectors, vectors_of
from bertillon.gallery.policy import Policy, matcher_of
from bertillon.gallery.postgres import PostgresStore, is_address
from bertillon.gallery.records import CLIENT, SERVER, Head, Records, Tampered
from bertillon.gallery.sealing import Key
from bertillon.gallery.search import Index
from bertillon.gallery.store import SqliteStore, Store

if TYPE_CHECKING:
    from bertillon.gallery.server import ServerIndex

PathLike = str | os.PathLike[str]
Sample = ArrayLike | PathLike | bytes  # templates, or a photo: its file, or the bytes of one
DLIB = "dlib"  # makes templates of photos where the gallery states no model


class Session:
    """Records, and everybody enrolled in memory."""

    def __init__(self, records: Records, progress: Progress | None = None, index: str | None = None) -> None:
        self.records, self._lock, self._seen = records, RLock(), -1
        self._reading = Lock()  # held by an audit, and taken before `_lock` by whoever overwrites what it may read
        self._index_words: tuple[Message, ...] = (say("gallery.index.unmeasured", kind=index),) if index else ()
        self._known: tuple[Any, dict[str, Policy]] = (None, {})
        self._networks: dict[str, FaceModel] = {}  # that make templates of photos, by name
        self._seeing = Lock()  # nothing says that a network may run on several threads, and decisions go on meanwhile
        settings = records.settings
        matcher = matcher_of(settings.matcher)
        self._index: Index | ServerIndex
        if settings.search == SERVER:
            from bertillon.gallery.server import ServerIndex

            self._index = ServerIndex(records, matcher, settings.fusion, index)
        elif index is not None:
            self._index = ApproximateIndex(matcher, settings.fusion, index)
        else:
            self._index = Index(matcher, settings.fusion)
        self._refresh(progress)

    def close(self) -> None:
        self.records.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        """How many people are enrolled."""
        return len(self._index)

    @property
    def name(self) -> str:
        return self.records.store.name

    @property
    def templates(self) -> int:
        """How many templates are enrolled."""
        return self._index.templates

    @property
    def policies(self) -> dict[str, Policy]:
        """The policies in use, by mode."""
        return self.records.policies()

    def people(self) -> dict[str, int]:
        """Everybody who is enrolled, with the number of their templates, in the order of enrolment."""
        with self._lock:
            self._refresh()
            return self._index.counts()

    def _policy(self, mode: str, head: Head) -> Policy:
        policy = self._policies(head).get(mode)
        if policy is None:
            what, how = ("claims", "FMR=0.001") if mode == "verification" else ("searches", "FPIR=0.001")
            raise InputError(
                f"{self.name}: has no policy for {what}, and no decision is taken without one; measure the errors and "
                f"make it: bertillon policy --from evaluation.json --at {how} -o FILE, then bertillon gallery use"
            )
        return policy

    def _policies(self, head: Head) -> dict[str, Policy]:
        """Those in use, read again only where they were changed."""
        if self._known[0] != head.policies:
            self._known = (head.policies, self.records.policies(head))
        return self._known[1]

    def _refresh(self, progress: Progress | None = None) -> Head:
        """The head, and in memory who is enrolled there."""
        with self.records.store.snapshot():
            head = self.records.head()
            if head.changes == self._seen:
                return head
            if isinstance(self._index, Index):
                self._read(self._index, head, progress or NoProgress())
            else:
                self._index.forget()
            if self._index.templates != head.templates:
                found = f"{self._index.templates:,} templates are there, and {head.templates:,} were enrolled"
                raise Tampered(
                    f"{self.name}: {found}: some were taken out or put in from outside; see 'bertillon gallery check'"
                )
        self._seen = head.changes
        return head

    def _read(self, index: Index, head: Head, progress: Progress) -> None:
        """Take over into memory what is new, and forget what is gone."""
        held = index.row_numbers
        if self._seen >= 0:
            gone = np.setdiff1d(held, np.array(self.records.store.row_numbers(), np.int64))
            if gone.size:
                index.remove(gone.tolist())
        progress.begin(head.templates - index.templates, "opening")
        parts = [*self.records.templates(int(held.max(initial=0)), progress)]
        if parts:
            rows = np.array([row for some, _ in parts for row, _, _ in some], np.int64)
            people = [person for some, _ in parts for _, person, _ in some]
            index.add(rows, people, np.concatenate([vectors for _, vectors in parts]))

    def _templates(self, sample: Sample, what: str, model: str | None) -> tuple[Vectors, str | None]:
        """Templates as they are given, or that of a photo, and the model that made them."""
        if not isinstance(sample, str | bytes | os.PathLike):
            return vectors_of(sample, what), model
        name = model or self.records.settings.model or DLIB
        with self._seeing:
            if (network := self._networks.get(name)) is None:
                network = self._networks[name] = face_model(name)
            try:
                if isinstance(sample, bytes):
                    photo = decode_photo(sample, resize=network.size)
                else:
                    photo = read_photo(sample, resize=network.size)
                made = network.extract(photo).vector
            except Unusable as problem:
                why = text_of(Message(f"extraction.reason.{problem.reason}"))
                raise InputError(f"{what if isinstance(sample, bytes) else os.fspath(sample)}: {why}") from None
        return vectors_of(made, what), network.fingerprint

    def _require_current(self, head: Head) -> None:
        if head.changes != self._seen:
            self._refresh()


def key_of(key: Key | PathLike | None) -> Key:
    return key if isinstance(key, Key) else Key.read(key)


def store_of(path: PathLike, *, new: bool = False) -> Store:
    """The store of a path: one file, or a database where it is the address of one."""
    if is_address(path):
        return PostgresStore.create(str(path)) if new else PostgresStore.open(str(path))
    return SqliteStore.create(path) if new else SqliteStore.open(path)


def require_search(search: str, path: PathLike, matcher: str) -> None:
    """Refuse a search in a server that there is not, or that cannot compare."""
    if search not in (CLIENT, SERVER):
        raise InputError(f"search is {search!r}; expected {CLIENT!r} or {SERVER!r}")
    if search == SERVER:
        from bertillon.gallery.server import require_searchable

        if not is_address(path):
            raise InputError(f"{path}: a file has no server that searches; expected postgresql://..., or search client")
        require_searchable(matcher_of(matcher).name)
