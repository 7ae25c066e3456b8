"""The gallery: people enrolled, claims and searches decided by a policy, and every step of it in a log.

Conventions: whatever changes or decides is one transaction with its line in the log, and answered once it is on the
disk. A decision is taken by the policy in use: one of verification for claims, one of identification for searches.
Several processes may work on one gallery: each notices what the others changed before it decides. One object may be
used by several threads, one after the other.

Holds `Gallery`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, nullcontext
from typing import Any, Self, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from bertillon.core.arguments import Keywords
from bertillon.core.errors import InputError
from bertillon.core.tables import TemplateTable
from bertillon.engine.jobs import Progress
from bertillon.gallery.answers import ALARM, ALLOW, Answer, Claim, Identification, Watch
from bertillon.gallery.approximate import ApproximateIndex, IndexLoss, measure_loss
from bertillon.gallery.audit import AuditReport, CheckReport, audited, checked
from bertillon.gallery.deciding import Draft, claimed, searched
from bertillon.gallery.inputs import Vectors, model_of, requested_by, require_name, settings_of, vectors_of
from bertillon.gallery.policy import Policy, read_policy
from bertillon.gallery.records import CLIENT, Change, Records
from bertillon.gallery.sealing import Key
from bertillon.gallery.search import comparable
from bertillon.gallery.session import PathLike, Sample, Session, key_of, require_search, store_of

CANDIDATES = 10
ATTEMPTS = 100  # at a decision, while others keep changing who is enrolled


class Asked(TypedDict, total=False):
    """What is said of one probe of a search."""

    name: str
    best: int
    model: str | None


class AskedAll(TypedDict, total=False):
    """What is said of several probes of a search."""

    names: Sequence[str] | None
    best: int
    model: str | None


ASKED = Keywords(Asked, name="probe", best=CANDIDATES, model=None)
ASKED_ALL = Keywords(AskedAll, names=None, best=CANDIDATES, model=None)


class Gallery(Session):
    """People enrolled with their templates, and the decisions about those who come.

    Made by `Gallery.create` and `Gallery.open`; it closes at the end of a `with`.

    Parameters
    ----------
    records
        What stands in the gallery.
    progress
        Receives how many of the templates were read.

    Examples
    --------
    >>> import tempfile, bertillon as bt
    >>> from bertillon.gallery import Key, MeasuredRate, Policy
    >>> rate, key = MeasuredRate(0.001, 0.0, 0.002, 0.95), Key.draw()
    >>> policy = Policy("verification", "t=0.5", 0.5, "similarity", "cosine", "best", "", {"FMR": rate}, None, "test")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with bt.Gallery.create(f"{folder}/door.gallery", key=key, policies=[policy.signed_by(key)]) as door:
    ...         door.enrol("ann", [0.6, 0.8])
    ...         print(door.claim("ann", [0.8, 0.6]).decision, door.claim("bob", [0.8, 0.6]).decision)
    accepted rejected
    """

    @classmethod
    def create(
        cls,
        path: PathLike,
        *,
        key: Key | PathLike | None = None,
        policies: Sequence[Policy | PathLike] = (),
        matcher: str | None = None,
        fusion: str | None = None,
        model: str | None = None,
        laboratory: PathLike | None = None,
        search: str = CLIENT,
    ) -> Self:
        """A new gallery.

        Parameters
        ----------
        path
            The file to make, or the address of a database.
        key
            The key, or its file; from the environment by default.
        policies
            For claims, for searches, or both; signed. They say the matcher, the fusion and the model.
        matcher, fusion, model
            The same where there is no policy yet; without a model that of the first template.
        laboratory
            The public key (PEM) of the laboratory that signed the policies.
        search
            "client": everybody is opened into the memory of who asks. "server": a database with pgvector compares
            turned vectors, and only candidates are opened.
        """
        known = key_of(key)
        ready = [policy if isinstance(policy, Policy) else read_policy(policy) for policy in policies]
        for policy in ready:
            policy.require_signature(known, laboratory=laboratory)
        settings = settings_of(ready, {"matcher": matcher, "fusion": fusion, "model": model})
        require_search(search, path, settings["matcher"])
        store = store_of(path, new=True)
        try:
            gallery = cls(Records.create(store, known, search=search, **settings))
            for policy in ready:
                gallery.use(policy, laboratory=laboratory)
        except BaseException:
            store.discard()
            raise
        return gallery

    @classmethod
    def open(
        cls,
        path: PathLike,
        *,
        key: Key | PathLike | None = None,
        progress: Progress | None = None,
        index: str | None = None,
    ) -> Self:
        """A gallery that is there; every template is opened once, and anything that was changed is named.

        `index` searches approximately: "hnsw", or "ivf" in memory; `measure_index` says what that loses.
        """
        known = key_of(key)
        store = store_of(path)
        try:
            return cls(Records.open(store, known), progress, index)
        except BaseException:
            store.close()
            raise

    def use(self, policy: Policy | PathLike, *, laboratory: PathLike | None = None) -> None:
        """Decide by this policy from now on; one that is for another matcher or model is refused."""
        ready = policy if isinstance(policy, Policy) else read_policy(policy)
        ready.require_signature(self.records.key, laboratory=laboratory)
        with self._lock, self.records.change() as change:
            settings = self.records.settings
            for what in ("matcher", "fusion", "model"):
                own, other = getattr(settings, what), getattr(ready, what)
                if own != other and not (what == "model" and not own and not change.head.templates):
                    problem = f"the policy was measured for {what} {other or 'not stated'!r}, and the gallery has"
                    raise InputError(f"{self.name}: {problem} {own or 'none stated'!r}; make a policy for this gallery")
            if ready.model != settings.model:
                change.set_settings(model=ready.model)
            change.set_policy(ready)

    # Enrolment

    def enrol(self, person: str, templates: Sample, *, model: str | None = None, by: str | None = None) -> None:
        """Enrol a person with one template or several; somebody who is enrolled is updated instead.

        Parameters
        ----------
        person
            The name; up to 200 characters.
        templates
            One template, or one per row; or a photo (its path, or its bytes), of which the surest face counts.
        model
            The fingerprint of the model that made them. Photos are made templates by it, by default by that of the
            gallery, or dlib's where it has none yet.
        by
            Whose request it is, for the log: a service names the id of the token.
        """
        vectors, model = self._templates(templates, person, model)
        self._enrol([person] * len(vectors), vectors, model, new=True, by=by)

    def enrol_all(self, templates: TemplateTable, *, model: str | None = None) -> int:
        """Enrol everybody in a table of templates, all or nobody; how many people."""
        return self._enrol_table(templates, model, new=True)

    def update(
        self,
        person: str,
        templates: Sample,
        *,
        model: str | None = None,
        replace: bool = False,
        by: str | None = None,
    ) -> None:
        """Further templates or a photo for somebody who is enrolled, or others in place of theirs."""
        vectors, model = self._templates(templates, person, model)
        self._enrol([person] * len(vectors), vectors, model, new=False, replace=replace, by=by)

    def update_all(self, templates: TemplateTable, *, model: str | None = None, replace: bool = False) -> int:
        """The same for everybody in a table of templates, all or nobody; how many people."""
        return self._enrol_table(templates, model, new=False, replace=replace)

    def erase(self, person: str, *, by: str | None = None) -> int:
        """Take a person's templates out of the file, its log of writes and memory; how many there were.

        It waits for an audit that another thread has begun, which still reads what is to be overwritten.
        """
        request = requested_by(by)
        with self._reading, self._lock:
            self._refresh()
            with self.records.change() as change:
                rows = change.remove(person)
                if not rows:
                    raise InputError(f"{self.name}: {person!r} is not enrolled, so there is nothing to erase")
                change.log("erase", person=person, rows=rows, **request)
            self._index.remove(rows)
            self._seen = change.head.changes
            self._scrub(f"{person!r} is erased")
            return len(rows)

    def _scrub(self, done: str) -> None:
        """Overwrite what was taken out, or say what was done and that its sealed bytes are still there."""
        if not self.records.store.scrub():
            raise InputError(
                f"{self.name}: {done}, but another process still reads the write-ahead log, which "
                "holds the sealed bytes until the last process that works on the gallery has closed it"
            )

    def _enrol_table(self, table: TemplateTable, model: str | None, *, new: bool, replace: bool = False) -> int:
        people, stated = table.subject.astype(str).tolist(), model if model is not None else model_of(table)
        self._enrol(people, vectors_of(table.templates, table.source), stated, new=new, replace=replace)
        return len(set(people))

    def _enrol(
        self,
        people: list[str],
        vectors: Vectors,
        model: str | None,
        *,
        new: bool,
        replace: bool = False,
        by: str | None = None,
    ) -> None:
        request = requested_by(by)
        for person in dict.fromkeys(people):
            require_name(person)
        with self._reading if replace else nullcontext(), self._lock:
            self._refresh()
            with self.records.change() as change:
                self._require_current(change.head)
                self._require_kind(change, vectors, model or "")
                gone: dict[str, list[int]] = {}
                there = self._index.enrolled([*dict.fromkeys(people)])
                for person in dict.fromkeys(people):
                    if (person in there) == new:
                        state = "is enrolled already; update or erase" if new else "is not enrolled; enrol"
                        raise InputError(f"{self.name}: {person!r} {state} them instead; nothing was changed")
                    if replace:
                        gone[person] = change.remove(person)
                rows = change.add(people, comparable(self._index.matcher, vectors, "templates"))
                event, owned = ("enrol" if new else "update"), dict[str, list[int]]()
                for person, row in zip(people, rows, strict=True):
                    owned.setdefault(person, []).append(row)
                for person, own in owned.items():
                    replaced = {"gone": gone[person]} if replace else {}
                    change.log(event, person=person, rows=own, **replaced, **request)
            if gone:
                self._index.remove([row for rows in gone.values() for row in rows])
            self._index.add(np.array(rows), people, vectors)
            self._seen = change.head.changes
            if gone:
                self._scrub(f"templates of {len(gone):,} people are replaced")

    def _require_kind(self, change: Change, vectors: Vectors, model: str) -> None:
        """Templates of the gallery's model and length; the first ones settle both where they are open."""
        settings, first = self.records.settings, change.head.templates == 0
        if settings.model != model and not (first and not settings.model):
            raise InputError(
                f"{self.name}: holds templates of the model {settings.model or 'not stated'!r}, and these are of "
                f"{model or 'not stated'!r}; scores of two models cannot be compared: make the templates again"
            )
        if settings.dimension not in (0, vectors.shape[1]):
            found = f"{vectors.shape[1]} numbers, and those of the gallery {settings.dimension}"
            raise InputError(f"{self.name}: a template has {found}; are they of another model?")
        if settings.dimension == 0 or settings.model != model:
            change.set_settings(dimension=vectors.shape[1], model=model)

    # Decisions

    def claim(self, person: str, probe: Sample, *, name: str = "probe", model: str | None = None) -> Claim:
        """Is this the person it claims to be? By the policy for claims.

        Parameters
        ----------
        person
            Who it claims to be, enrolled or not.
        probe
            Its template, or a photo.
        name
            What the log calls it.
        model
            The fingerprint of the model that made it.
        """
        vector = self._probe(*self._templates(probe, name, model), name)[0]
        [answer] = self._decide("verification", lambda policy: [claimed(self._index, policy, person, vector, name)])
        assert isinstance(answer, Claim)
        return answer

    @ASKED
    def identify(self, probe: Sample, *, closed: bool = False, **asked: Unpack[Asked]) -> Identification:
        """Who is this? Nobody, where no score passes the threshold; in a closed set always the most alike.

        Parameters
        ----------
        probe
            Its template, or a photo.
        closed
            It is known to be somebody enrolled; the policy must say how often that name is right.
        **asked
            `name`, what the log calls it; `best`, how many candidates are listed; `model`, the fingerprint of the
            model that made it.
        """
        [answer] = self.identify_all(closed=closed, **self._alone(probe, **asked))
        return answer

    @ASKED_ALL
    def identify_all(
        self, probes: ArrayLike, *, closed: bool = False, **asked: Unpack[AskedAll]
    ) -> list[Identification]:
        """The same of several probes, one a row, in one transaction."""
        return list(self._search(Identification, probes, "identify", {"closed": closed}, **asked))

    @ASKED
    def watch(self, probe: Sample, *, list: str = ALARM, **asked: Unpack[Asked]) -> Watch:
        """Is this somebody on the list? A white list allows, a black list gives an alarm.

        Parameters
        ----------
        probe
            Its template, or a photo.
        list
            "allow" for a white list, "alarm" for a black list.
        **asked
            As of `identify`.
        """
        [answer] = self.watch_all(list=list, **self._alone(probe, **asked))
        return answer

    @ASKED_ALL
    def watch_all(self, probes: ArrayLike, *, list: str = ALARM, **asked: Unpack[AskedAll]) -> list[Watch]:
        """The same of several probes, one a row, in one transaction."""
        if list not in (ALLOW, ALARM):
            raise InputError(f"list is {list!r}; expected {ALLOW!r} (a white list) or {ALARM!r} (a black list)")
        return [*self._search(Watch, probes, list, {"list": list}, **asked)]

    def _search(
        self, kind: type[Any], probes: ArrayLike, decided: str, facts: dict[str, Any], **asked: Unpack[AskedAll]
    ) -> Iterator[Any]:
        vectors, names, best = vectors_of(probes, "probes"), asked["names"], asked["best"]
        vectors = self._probe(vectors, asked["model"], "probes")
        called = [f"probe {number}" for number in range(1, len(vectors) + 1)] if names is None else [*names]
        if len(called) != len(vectors):
            raise InputError(f"{len(vectors):,} probes and {len(called):,} names; expected one name each")
        if best < 1:
            raise InputError(f"best is {best}; expected 1 candidate or more")
        yield from self._decide(
            "identification", lambda policy: searched(self._index, policy, vectors, called, best, kind, decided, facts)
        )

    def _alone(self, probe: Sample, **asked: Unpack[Asked]) -> dict[str, Any]:
        """A search of one probe as a search of several."""
        vectors, model = self._templates(probe, asked["name"], asked["model"])
        return {"probes": vectors, "names": [asked["name"]], "best": asked["best"], "model": model}

    def _decide(self, mode: str, decide: Callable[[Policy], list[Draft]]) -> list[Answer]:
        """Take decisions and log them; again where somebody was enrolled or erased meanwhile."""
        with self._lock:
            for _ in range(ATTEMPTS):
                head = self._refresh()
                policy = self._policy(mode, head)
                made = decide(policy)
                with self.records.change() as change:
                    if (change.head.changes, change.head.policies) != (head.changes, head.policies):
                        continue
                    made = [draft.warned(self._index_words) for draft in made] if mode != "verification" else made
                    return [draft.logged(change, policy, len(self)) for draft in made]
        raise InputError(f"{self.name}: people are enrolled and erased faster than one decision takes; try again")

    def _probe(self, vectors: Vectors, model: str | None, name: str) -> Vectors:
        """The vectors, if they can be compared with those of the gallery."""
        settings = self.records.settings
        if model is not None and model != settings.model:
            problem = f"{name}: made by the model {model!r}, and the gallery's templates by"
            raise InputError(
                f"{self.name}: {problem} {settings.model or 'not stated'!r}; scores of two models mean nothing"
            )
        if settings.dimension not in (0, vectors.shape[1]):
            found = f"{vectors.shape[1]} numbers, and the gallery's templates have {settings.dimension}"
            raise InputError(f"{self.name}: {name}: {found}; from another model?")
        return comparable(self._index.matcher, vectors, name)

    def measure_index(self, probes: ArrayLike) -> IndexLoss:
        """What the index this gallery was opened with loses on such probes; it searches with the effort found here."""
        from bertillon.gallery.server import ServerIndex

        vectors = self._probe(vectors_of(probes, "probes"), None, "probes")
        with self._lock:
            policy, index = self._policy("identification", self._refresh()), self._index
            if not isinstance(index, ApproximateIndex | ServerIndex) or index.kind is None:
                raise InputError(f"{self.name}: was opened without an index, so there is no loss; open it with one")
            loss = measure_loss(index, vectors, policy.accepts)
            self._index_words = (loss.message,)
            return loss

    # Keeping

    def export(self) -> TemplateTable:
        """All templates in the open, with their people; the log says that they were taken out."""
        with self._lock:
            with self.records.store.snapshot():
                parts = [*self.records.templates()]
            people = [person for rows, _ in parts for _, person, _ in rows]
            with self.records.change() as change:
                change.log("export", people=len(set(people)), templates=len(people))
            if not people:
                raise InputError(f"{self.name}: nobody is enrolled, so there is nothing to export")
            sample = np.array([str(row) for rows, _ in parts for row, _, _ in rows])
            vectors = np.concatenate([vectors for _, vectors in parts])
            model = self.records.settings.model
            return TemplateTable(vectors, np.array(people), sample, source=self.name, model=model)

    def check(self) -> CheckReport:
        """Read everything that stands in the gallery and compare it with the log."""
        with self._lock:
            return checked(self.records)

    def audit(self) -> AuditReport:
        """Verify the log, and report it: decisions by day, near misses, and scores unlike those of the test.

        It reads through a connection of its own, so that other threads may decide meanwhile; those that erase or
        replace templates wait for its end.
        """
        with self._reading, closing(self.records.store.again()) as store:
            return audited(Records.open(store, self.records.key))

    def rotate_key(self, key: Key | PathLike) -> None:
        """Seal everything anew under another key, in one transaction; the old key opens nothing any more."""
        with self._reading, self._lock:
            self.records.rotate(key_of(key))
