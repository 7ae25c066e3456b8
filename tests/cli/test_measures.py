"""`bertillon measures`: every language, or one of them."""

from __future__ import annotations

import pytest

from bertillon.measures import CLASSIFICATION, IDENTIFICATION, MEASURES


def test_all_languages_are_listed(bertillon) -> None:
    lines = bertillon("measures").out.splitlines()
    for definitions in (MEASURES, IDENTIFICATION.definitions, CLASSIFICATION.definitions):
        assert {one.example for one in definitions.values()} <= set(lines)


@pytest.mark.parametrize("mode", ["verification", "identification", "classification"])
def test_one_language_by_its_mode(bertillon, mode) -> None:
    ran = bertillon("measures", mode)
    assert ran.code == 0
    lines = set(ran.out.splitlines())
    assert ("EER" in lines) == (mode == "verification")
    assert ("RR" in lines) == (mode == "identification")
    assert ("LogLoss" in lines) == (mode == "classification")


def test_places_are_explained(bertillon) -> None:
    assert "Precision (at least x)" in bertillon("measures", "classification").out
    assert "FMR=x means at most x" in bertillon("measures", "verification").out


def test_an_unknown_mode_is_refused(bertillon) -> None:
    ran = bertillon("measures", "clustering")
    assert ran.code == 2
    assert "verification, identification, classification" in ran.err
