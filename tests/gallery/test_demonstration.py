"""Errors measured in a test, beside those that are observed: SPEC G3."""

from __future__ import annotations

from bertillon.gallery import demonstrate


def test_observed_errors_lie_where_they_were_measured(tmp_path):
    """Over several doors together the rates observed are those measured, but for chance."""
    found = [demonstrate(tmp_path / str(seed), seed=seed) for seed in range(3) if not (tmp_path / str(seed)).mkdir()]
    for name in ("FMR", "FNMR", "FPIR", "FNIR"):
        rows = [row for one in found for row in one.rows if row[0] == name]
        measured = sum(row[1].value for row in rows) / len(rows)
        errors, trials = sum(row[2].errors for row in rows), sum(row[2].trials for row in rows)
        assert abs(errors / trials - measured) < 0.1
        assert all(row[2].errors == round(row[2].value * row[2].trials) for row in rows)
    assert all(len(one.policies) == 2 and one.people == 30 for one in found)


def test_the_same_seed_has_the_same_outcome(tmp_path):
    first, second = ((tmp_path / name) for name in ("a", "b"))
    first.mkdir()
    second.mkdir()
    assert demonstrate(first, seed=1).to_dict() == demonstrate(second, seed=1).to_dict()
