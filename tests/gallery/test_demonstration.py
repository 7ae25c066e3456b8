"""Errors measured in a test, beside those that are observed: SPEC G3."""

from __future__ import annotations

import numpy as np
import pytest

import bertillon as bt
from bertillon.core import InputError
from bertillon.gallery import demonstrate


def test_observed_errors_lie_where_they_were_measured(tmp_path):
    """Over several doors together the rates observed are those measured, within three standard errors.

    Everybody comes once, so that the trials of a rate are of different people and the binomial holds.
    """
    found = [demonstrate(tmp_path / str(seed), seed=seed) for seed in range(3) if not (tmp_path / str(seed)).mkdir()]
    for name in ("FMR", "FNMR", "FPIR", "FNIR"):
        rows = [row for one in found for row in one.rows if row[0] == name]
        measured = sum(row[1].value for row in rows) / len(rows)
        before = sum((row[1].high - row[1].low) / 3.92 for row in rows) / len(rows) / len(rows) ** 0.5
        errors, trials = sum(row[2].errors for row in rows), sum(row[2].trials for row in rows)
        chance = (measured * (1 - measured) / trials + before**2) ** 0.5
        assert abs(errors / trials - measured) < 3 * chance, name
        assert all(row[2].errors == round(row[2].value * row[2].trials) for row in rows)
        assert all(row[1].low <= row[2].high and row[2].low <= row[1].high for row in rows), name
    assert all(len(one.policies) == 2 and one.people == 200 for one in found)


def test_the_same_seed_has_the_same_outcome(tmp_path):
    first, second = ((tmp_path / name) for name in ("a", "b"))
    first.mkdir()
    second.mkdir()
    assert demonstrate(first, seed=1).to_dict() == demonstrate(second, seed=1).to_dict()


def test_templates_of_photos_stand_in_for_simulated_ones(tmp_path):
    """Half the photos make the test; three quarters of the people enrol with one and come with the others."""
    rng = np.random.default_rng(2)
    owner = np.repeat(np.arange(40), 10)
    vectors = 3 * rng.normal(size=(40, 8))[owner] + 0.5 * rng.normal(size=(400, 8))
    table = bt.TemplateTable(vectors.astype(np.float32), owner.astype(str), source="album")
    found = demonstrate(tmp_path, templates=table)
    assert (found.people, found.source) == (30, "album")
    trials = {name: seen.trials for name, _, seen in found.rows}
    assert trials == {"FMR": 50, "FNMR": 120, "FPIR": 50, "FNIR": 120}
    assert found.policies[1].gallery_size == 30
    with pytest.raises(InputError, match="expected 8 people with 4 photos or more"):
        demonstrate(tmp_path / "few", templates=table.take(np.arange(30)))
