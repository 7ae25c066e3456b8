"""A gallery tried out: what its policy measured beforehand, beside what really happens to people it never saw.

Conventions: templates are simulated, a person is a point and a template lies near it, so that the truth is known to be
the same for everybody. Some people make the test that the policy comes from; others are enrolled and come again, and
others are strangers. At the door everybody comes once: errors of one person stand or fall with the one template that
was enrolled, so that several visits of few people would be fewer trials than they look. Observed errors are counted
from the decisions, with the interval of so many trials.

With templates of photos in place of simulated ones the test has half the photos of everybody. Of the other half three
quarters of the people enrol with the first photo and come again with the others; the last quarter are strangers. The
people of the test are those at the door, and come several times, which is said.

Holds `demonstrate`, which gives a `Demonstration`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.tables import TemplateTable
from bertillon.evaluation import evaluate, search_trials, verification_trials
from bertillon.gallery.gallery import Gallery
from bertillon.gallery.making import policy_from
from bertillon.gallery.policy import GalleryFinding, MeasuredRate, Policy
from bertillon.gallery.sealing import Key
from bertillon.matching import Comparing, ProbeVersusGallery, split_gallery_probe
from bertillon.stats import proportion

WIDTH, NOISE = 32, 0.75  # numbers of a template, and how far it lies from its person
TESTED, ENROLLED, STRANGERS = 400, 200, 400  # people
IN_TEST, AT_DOOR = 4, 2  # templates of each
ENROLLING, LEAST = 0.75, 8  # share of the people of photos who enrol, and the fewest people
CLAIM, SEARCH = "FMR=0.01", "FPIR=0.05"
MODEL = "simulated"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Demonstration(GalleryFinding):
    """What was measured in the test and what was observed at the door, by rate."""

    people: int
    source: str  # of the photos; nothing where templates were simulated
    policies: tuple[Policy, ...]
    observed: dict[str, MeasuredRate]

    @property
    def rows(self) -> list[tuple[str, MeasuredRate, MeasuredRate]]:
        """Each rate as measured and as observed."""
        measured = {name: rate for policy in self.policies for name, rate in policy.ordered_rates.items()}
        return [(name, measured[name], seen) for name, seen in self.observed.items()]

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        rates = {
            name: {"measured": measured.value, "observed": seen.value, "errors": seen.errors, "trials": seen.trials}
            for name, measured, seen in self.rows
        }
        return {
            "people": self.people,
            "source": self.source,
            "policies": [policy.id for policy in self.policies],
            "rates": rates,
        }


@dataclass(frozen=True, slots=True)
class _Parts:
    """Who is tested, who enrols, who comes again, and who comes without being enrolled."""

    tested: TemplateTable
    first: TemplateTable
    again: TemplateTable
    strangers: TemplateTable

    @property
    def enrolled(self) -> int:
        return len(self.first)


def demonstrate(
    folder: str | os.PathLike[str], *, seed: int = 0, templates: TemplateTable | None = None
) -> Demonstration:
    """Test, make policies, enrol people in a gallery in the folder, and have them and strangers come.

    Parameters
    ----------
    folder
        Where the gallery is made.
    seed
        For another draw of people.
    templates
        Of photos, several of each person; simulated ones by default.
    """
    rng = np.random.default_rng(seed)
    parts = _simulated(rng) if templates is None else _of_photos(rng, templates)
    matcher, key = "cosine" if templates is None else "euclidean", Key.draw()
    policies = [policy.signed_by(key) for policy in _policies(parts, matcher)]
    with Gallery.create(Path(folder) / "door.gallery", key=key, policies=policies) as gallery:
        gallery.enrol_all(parts.first)
        observed = _observed(gallery, parts.again, parts.strangers)
    return Demonstration(parts.enrolled, "" if templates is None else templates.source, tuple(policies), observed)


def _simulated(rng: np.random.Generator) -> _Parts:
    tested, door = _people(rng, TESTED, IN_TEST, "tested"), _people(rng, ENROLLED, AT_DOOR, "person")
    first = np.arange(0, len(door), AT_DOOR)
    return _Parts(tested, door.take(first), door.take(first + 1), _people(rng, STRANGERS, 1, "stranger"))


def _of_photos(rng: np.random.Generator, templates: TemplateTable) -> _Parts:
    people = rng.permutation(np.unique(templates.subject))
    members = people[: max(1, round(ENROLLING * people.size))]
    tested, first, again, strangers = list[int](), list[int](), list[int](), list[int]()
    for person in people:
        own = np.flatnonzero(templates.subject == person).tolist()
        half = len(own) // 2
        if half < 2 or people.size < LEAST:
            raise InputError(
                f"{templates.source}: expected {LEAST} people with 4 photos or more each; {person!r} has {len(own)}, "
                f"of {people.size} people"
            )
        tested += own[:half]
        if person in members:
            first.append(own[half])
            again += own[half + 1 :]
        else:
            strangers += own[half:]
    return _Parts(*(templates.take(np.array(rows)) for rows in (tested, first, again, strangers)))


def _people(rng: np.random.Generator, number: int, templates: int, name: str) -> TemplateTable:
    owner = np.repeat(np.arange(number), templates)
    vectors = rng.normal(size=(number, WIDTH))[owner] + NOISE * rng.normal(size=(owner.size, WIDTH))
    model = pl.DataFrame({"model": [MODEL] * owner.size})
    people = np.array([f"{name} {n + 1}" for n in owner])
    return TemplateTable(vectors.astype(np.float32), people, metadata=model, source=name)


def _policies(parts: _Parts, matcher: str) -> Sequence[Policy]:
    """One for claims, and one for searches among as many people as will be enrolled."""
    tested = parts.tested
    claims = verification_trials(Comparing.plan(tested, matcher))
    share = parts.enrolled / np.unique(tested.subject).size
    partition = split_gallery_probe(tested, leave_out=1.0 - share, rng=0)
    searches = search_trials(Comparing.plan(tested, matcher, ProbeVersusGallery(), partition=partition))
    asked = ((claims, [f"FNMR@{CLAIM}"], CLAIM), (searches, [f"FNIR@{SEARCH},k=1", "RR"], SEARCH))
    return [policy_from(evaluate(trials, measures).with_intervals(), at) for trials, measures, at in asked]


def _observed(gallery: Gallery, mates: TemplateTable, strangers: TemplateTable) -> dict[str, MeasuredRate]:
    """The errors of claims and searches, counted."""
    enrolled = list(gallery.people())
    claimed = zip(np.resize(enrolled, len(strangers)), strangers.templates, strict=True)
    false = [gallery.claim(str(name), vector).accepted for name, vector in claimed]
    true = [gallery.claim(name, vector).accepted for name, vector in zip(mates.subject, mates.templates, strict=True)]
    alarms = [answer.person is not None for answer in gallery.identify_all(strangers.templates)]
    found = zip(gallery.identify_all(mates.templates), mates.subject.tolist(), strict=True)
    right = [answer.person == name for answer, name in found]
    return {
        "FMR": _rate(sum(false), len(false)),
        "FNMR": _rate(len(true) - sum(true), len(true)),
        "FPIR": _rate(sum(alarms), len(alarms)),
        "FNIR": _rate(len(right) - sum(right), len(right)),
    }


def _rate(errors: int, trials: int) -> MeasuredRate:
    interval = proportion(errors, trials)
    return MeasuredRate(errors / trials, interval.low, interval.high, interval.level, errors, trials)
