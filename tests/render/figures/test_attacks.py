"""R5: the figure of three populations shows what was measured."""

from __future__ import annotations

import numpy as np
import pytest

import bertillon as bt
from bertillon.core import InputError
from bertillon.render import figures_of, save_all
from bertillon.views import populations_data

RNG = np.random.default_rng(1)
SCORES = bt.ScoreSet(RNG.normal(3, 1, 200), RNG.normal(0, 1, 400), name="lab")
ATTACKS = {"print": RNG.normal(0, 1, 50), "mask": RNG.normal(2, 1, 50)}
RATES = bt.analysis.attack_rates(SCORES, ATTACKS, threshold=2.0)


def test_R5_every_density_has_the_area_of_its_scores_worst_species_first() -> None:
    data = populations_data(RATES)
    assert [one.label.split()[0] for one in data.populations] == ["mated", "non-mated", "mask", "print"]
    for one in data.populations:
        assert float((one.density * np.diff(data.edges)).sum()) == pytest.approx(1.0)
    assert (data.threshold, data.fixed_by, data.accepts_above, data.notes) == (2.0, "", True, ())


def test_R5_what_cannot_be_shown_is_said() -> None:
    many = {f"species {number}": [0.5, float("nan")] for number in range(9)} | {"inf": [np.inf]}
    data = populations_data(bt.analysis.attack_rates(SCORES, many, threshold=99.0))
    assert len(data.populations) == 7
    assert data.notes == (
        "5 more species not shown",
        "1 infinite or far-off score not shown",
        "threshold 99 is off this axis",
    )
    assert data.threshold is None


def test_R5_populations_and_threshold_are_drawn(tmp_path) -> None:
    axes = bt.plot.attacks(RATES)
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels[:2] == ["mated (200)", "non-mated (400)"]
    assert labels[2].startswith("mask (50): IAPAR ")
    assert axes.lines[0].get_xdata()[0] == 2.0
    assert [text.get_text().split() for text in axes.texts] == [["accepted", "→", "t", "=", "2"]]
    detector = bt.analysis.pad_rates(-SCORES.mated, {"_$x$": -ATTACKS["mask"]}, rule="distance")
    drawn = bt.plot.attacks(detector)
    assert [text.get_text().split()[0] for text in drawn.get_legend().get_texts()] == ["bona", "_$x$"]
    assert any("← accepted" in text.get_text() for text in drawn.texts)
    assert [path.name for path in save_all(figures_of("attack-rates", [RATES]), tmp_path, formats=["svg"])] == [
        "attacks.svg"
    ]


def test_R5_a_species_without_any_score_is_left_out() -> None:
    rates = bt.analysis.attack_rates(SCORES, {"mask": [1.0], "silent": [float("nan")]}, threshold=2.0)
    assert len(bt.plot.attacks(rates).get_legend().get_texts()) == 3


def test_R5_anything_else_is_refused() -> None:
    with pytest.raises(InputError, match=r"plot\.attacks: ScoreSet cannot be drawn"):
        bt.plot.attacks(SCORES)  # type: ignore[arg-type]
