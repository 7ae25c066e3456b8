"""A gallery tried out: what its policy measured beforehand, beside what really happens to people it never saw.

Conventions: templates are simulated, a person is a point and a template lies near it, so that the truth is known to be
the same for everybody. Some people make the test that the policy comes from; others are enrolled, come again, and are
strangers. Observed errors are counted from the decisions, with the interval of so many trials; people share trials, so
that it is a little too narrow.

Holds `demonstrate`, which gives a `Demonstration`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

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
TESTED, ENROLLED, STRANGERS, AGAIN = 200, 30, 60, 4  # people, and templates of each who comes again
CLAIM, SEARCH = "FMR=0.001", "FPIR=0.05"
MODEL = "simulated"


@dataclass(frozen=True, slots=True, eq=False)
class Demonstration(GalleryFinding):
    """What was measured in the test and what was observed at the door, by rate."""

    people: int
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
        return {"people": self.people, "policies": [policy.id for policy in self.policies], "rates": rates}


def demonstrate(folder: str | os.PathLike[str], *, seed: int = 0) -> Demonstration:
    """Test, make policies, enrol people in a gallery in the folder, and have them and strangers come."""
    rng = np.random.default_rng(seed)
    key = Key.draw()
    policies = [policy.signed_by(key) for policy in _policies(_people(rng, TESTED, "tested"))]
    door = _people(rng, ENROLLED, "person")
    strangers = _people(rng, STRANGERS, "stranger")
    first = np.arange(0, len(door), AGAIN)
    later = np.setdiff1d(np.arange(len(door)), first)
    with Gallery.create(Path(folder) / "door.gallery", key=key, policies=policies) as gallery:
        gallery.enrol_all(door.take(first))
        observed = _observed(gallery, door.take(later), strangers)
    return Demonstration(ENROLLED, tuple(policies), observed)


def _people(rng: np.random.Generator, number: int, name: str) -> TemplateTable:
    owner = np.repeat(np.arange(number), AGAIN)
    vectors = rng.normal(size=(number, WIDTH))[owner] + NOISE * rng.normal(size=(owner.size, WIDTH))
    model = pl.DataFrame({"model": [MODEL] * owner.size})
    people = np.array([f"{name} {n + 1}" for n in owner])
    return TemplateTable(vectors.astype(np.float32), people, metadata=model, source=name)


def _policies(tested: TemplateTable) -> Sequence[Policy]:
    """One for claims, and one for searches among as many people as will be enrolled."""
    claims = verification_trials(Comparing.plan(tested, "cosine"))
    enrolled = ENROLLED / TESTED
    partition = split_gallery_probe(tested, leave_out=1.0 - enrolled, rng=0)
    searches = search_trials(Comparing.plan(tested, "cosine", ProbeVersusGallery(), partition=partition))
    asked = ((claims, [f"FNMR@{CLAIM}"], CLAIM), (searches, [f"FNIR@{SEARCH},k=1", "RR"], SEARCH))
    return [policy_from(evaluate(trials, measures).with_intervals(), at) for trials, measures, at in asked]


def _observed(gallery: Gallery, mates: TemplateTable, strangers: TemplateTable) -> dict[str, MeasuredRate]:
    """The errors of claims and searches, counted."""
    enrolled = list(gallery.people())
    false = [gallery.claim(name, vector).accepted for vector in strangers.templates for name in enrolled[::10]]
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
