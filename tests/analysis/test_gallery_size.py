"""D1: false alarms, misses and thresholds by the size of the gallery; D6: their bounds of one side."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bertillon as bt
from bertillon.analysis import GallerySizes
from bertillon.core import ScoreMatrix
from bertillon.counting import NOBODY, GalleryOrders, SearchWalk, count_best, running_best
from bertillon.trials import draw_galleries

EXAMPLES = Path(__file__).parents[2] / "examples"


def world(seed: int, *, probes: int = 40, people: int = 25, templates: int = 40) -> dict[str, np.ndarray]:
    """Small whole scores, so that ties are common; some failed, some probes of nobody in the gallery."""
    rng = np.random.default_rng(seed)
    owner = np.concatenate([np.arange(people), rng.integers(0, people, templates - people)])
    own = np.where(rng.random(probes) < 0.3, NOBODY, rng.integers(0, people, probes))
    scores = rng.integers(0, 30, (probes, templates)).astype(float)
    scores[rng.random(scores.shape) < 0.1] = np.nan
    position = np.stack([rng.permutation(people) for _ in range(3)])
    return {
        "owner": owner,
        "own": own,
        "scores": scores,
        "position": position,
        "group": rng.integers(0, 5, people),
    }


def best_by_hand(drawn: dict[str, np.ndarray], probe: int, draw: int, size: int) -> list[tuple[float, int]]:
    """The best score with each of the first so many others, and whose group it is of."""
    order = [person for person in np.argsort(drawn["position"][draw]) if person != drawn["own"][probe]]
    found = []
    for person in order[:size]:
        scores = drawn["scores"][probe, drawn["owner"] == person]
        known = scores[~np.isnan(scores)]
        found.append((float(known.max()) if known.size else -math.inf, int(drawn["group"][person])))
    return found


@pytest.mark.parametrize("seed", range(3))
def test_D1_one_walk_agrees_with_searching_every_gallery_by_hand(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole, and without each group of people, in tiles smaller than the matrix."""
    monkeypatch.setattr(running_best, "COLUMNS", 16)
    monkeypatch.setattr(running_best, "ROWS", 7)
    drawn = world(seed)
    scores = drawn["scores"]
    nobody = np.full(len(scores), NOBODY)
    walk = SearchWalk(drawn["own"], drawn["owner"], nobody, drawn["group"])
    orders = GalleryOrders(drawn["position"], (1, 4, 11, 24))
    found = count_best(lambda rows, columns: scores[rows, columns], walk, orders, thresholds=[20.0])
    for i, size in enumerate(orders.sizes):
        for draw in range(3):
            for probe in range(len(scores)):
                for kept, number in ((found.others, size), (found.rivals, size - 1)):
                    people = best_by_hand(drawn, probe, draw, number)
                    best = max((score for score, _ in people), default=-math.inf)
                    assert kept.score[i, draw, probe] == best
                    for group in range(5):
                        left = max((score for score, of in people if of != group), default=-math.inf)
                        assert kept.without(group)[i, draw, probe] == left
    others = np.where(drawn["owner"][None] == drawn["own"][:, None], np.nan, scores)
    assert found.passing == {20.0: int((others >= 20).sum())}
    assert int(found.histogram.sum()) == int((~np.isnan(others)).sum())
    mates = [scores[p, drawn["owner"] == own] for p, own in enumerate(drawn["own"])]
    known = [mate[~np.isnan(mate)] for mate in mates]
    assert found.mate.tolist() == pytest.approx([k.max() if k.size else math.nan for k in known], nan_ok=True)


def matrix_of(scores: np.ndarray, probe: object = None, gallery: object = None) -> ScoreMatrix:
    rows, columns = scores.shape
    names = [np.array([f"p{n:03}" for n in range(size)]) for size in (rows, columns)]
    return ScoreMatrix(
        scores, names[0] if probe is None else np.asarray(probe), names[1] if gallery is None else np.asarray(gallery)
    )


@given(st.integers(0, 10_000))
def test_D1_rates_agree_with_their_definitions_and_are_monotone(seed: int) -> None:
    """FPIR and DIR of galleries in id order, counted search by search; FPIR rises with N, DIR falls."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 12, (14, 9)).astype(float)
    found = bt.fpir_by_gallery(matrix_of(scores), [1, 3, 8], thresholds=[9.0], targets=[0.25], order="ids")
    for point in found.points:
        alarms = detected = 0
        for probe in range(14):
            others = [scores[probe, person] for person in range(9) if person != probe]
            alarms += max(others[: point.size]) >= point.threshold
            rivals = others[: point.size - 1]
            if probe < 9:
                detected += scores[probe, probe] >= point.threshold and all(scores[probe, probe] > r for r in rivals)
        assert point.fpir.value == pytest.approx(alarms / 14)
        assert point.dir.value == pytest.approx(detected / 9)
        assert point.fnir.value == pytest.approx(np.mean(scores.diagonal() < point.threshold))
    fixed = [point for point in found.points if point.target is None]
    assert np.all(np.diff([point.fpir.value for point in fixed]) >= 0)
    assert np.all(np.diff([point.dir.value for point in fixed]) <= 0)
    targeted = [point for point in found.points if point.target is not None]
    assert all(point.fpir.value <= 0.25 for point in targeted)
    assert all(one.threshold <= other.threshold for one, other in pairwise(targeted))


def test_D1_a_distance_gives_what_the_negated_similarity_gives() -> None:
    scores = np.random.default_rng(3).normal(size=(30, 20))
    similar = bt.fpir_by_gallery(matrix_of(scores), [2, 10], thresholds=[1.0], seed=4)
    distant = bt.fpir_by_gallery(matrix_of(-scores), [2, 10], thresholds=[-1.0], seed=4, rule="distance")
    for one, other in zip(similar.points, distant.points, strict=True):
        assert one.threshold == -other.threshold
        assert one.fpir == other.fpir
        assert one.dir == other.dir


def test_D1_the_order_of_rows_and_columns_changes_nothing() -> None:
    """Draws go by people, not by where their templates stand."""
    rng = np.random.default_rng(5)
    scores, probe, gallery = rng.normal(size=(30, 40)), rng.integers(0, 25, 30), rng.integers(0, 20, 40)
    rows, columns = rng.permutation(30), rng.permutation(40)
    first = bt.fpir_by_gallery(matrix_of(scores, probe.astype(str), gallery.astype(str)), [2, 9], thresholds=[1.5])
    shuffled = matrix_of(scores[rows][:, columns], probe[rows].astype(str), gallery[columns].astype(str))
    other = bt.fpir_by_gallery(shuffled, [2, 9], thresholds=[1.5])
    assert first.to_dict() == other.to_dict() | {"name": first.name}


def test_D1_templates_are_searched_like_the_matrix_of_their_scores() -> None:
    """All against all, several templates of a person, and the mean of their scores."""
    rng = np.random.default_rng(6)
    subject = np.repeat([f"s{n:02}" for n in range(15)], 3)
    table = bt.TemplateTable(rng.normal(size=(45, 6)), subject)
    for fusion in ("best", "mean"):
        plan = bt.Comparing.plan(table, "cosine", fusion=fusion)
        scores = bt.matching.match(table, table, "cosine")
        from_matrix = bt.fpir_by_gallery(scores, [3, 14], thresholds=[0.5], fusion=fusion, seed=1)
        from_plan = bt.fpir_by_gallery(plan, [3, 14], thresholds=[0.5], seed=1)
        for one, other in zip(from_matrix.points, from_plan.points, strict=True):
            assert one.fpir.value == pytest.approx(other.fpir.value)
            assert one.dir.value == pytest.approx(other.dir.value)


def test_D1_the_whole_gallery_gives_what_the_search_of_it_gives() -> None:
    """The largest size is the search that `identify` makes: the same DIR and threshold at a target FPIR."""
    rng = np.random.default_rng(7)
    centre = rng.normal(size=(60, 8))
    table = bt.TemplateTable(
        np.repeat(centre, 2, axis=0) + rng.normal(size=(120, 8)), np.repeat([f"{n:02}" for n in range(60)], 2)
    )
    plan = bt.Comparing.plan(table, "cosine")
    point = bt.fpir_by_gallery(plan, [59], targets=[0.1], draws=2).points[0]
    whole = bt.evaluate(bt.evaluation.search_trials(plan), ["DIR@FPIR=0.1,k=1"])["DIR@FPIR=0.1,k=1"]
    assert point.dir.value == pytest.approx(whole.value)
    assert point.threshold == pytest.approx(whole.threshold)


def test_D1_the_model_stands_beside_the_measurement() -> None:
    """1 - (1 - FMR)^N, of all comparisons with others."""
    scores = np.random.default_rng(8).normal(size=(50, 40))
    point = bt.fpir_by_gallery(matrix_of(scores), [10], thresholds=[1.0], targets=[]).points[0]
    others = scores[~np.eye(50, 40, dtype=bool)]
    assert point.model == pytest.approx(1 - (1 - np.mean(others >= 1.0)) ** 10)
    assert "model" in bt.fpir_by_gallery(matrix_of(scores), [10]).to_dict()["model"]


def test_D6_bounds_of_one_side_are_nearer_than_those_of_both() -> None:
    scores = np.random.default_rng(9).normal(size=(60, 50))
    found = {
        side: bt.fpir_by_gallery(matrix_of(scores), [10], thresholds=[2.0], targets=[], side=side).points[0].fpir
        for side in ("both", "upper", "lower")
    }
    assert found["upper"].interval.low == 0.0
    assert found["lower"].interval.high == 1.0
    assert found["upper"].interval.high < found["both"].interval.high
    assert found["lower"].interval.low > found["both"].interval.low


def crowd(rng: np.random.Generator, people: int) -> ScoreMatrix:
    """Two probes of everybody; some alarm more than others, and some are taken for others more often."""
    wolf, lamb, probe = rng.normal(size=people), rng.normal(size=people), np.repeat(np.arange(people), 2)
    scores = 0.45 * wolf[probe][:, None] + 0.45 * lamb + 0.77 * rng.normal(size=(probe.size, people))
    scores[np.arange(probe.size), probe] += 2.5
    names = np.array([f"{n:04}" for n in range(people)])
    return ScoreMatrix(scores, names[probe], names)


@pytest.mark.slow
def test_D1_draws_that_are_all_alike_have_no_spread_at_all() -> None:
    """Of 80 people 79 are left to every search, whatever the order."""
    plan = bt.Comparing.plan(bt.read_templates(EXAMPLES / "faces.npz"), "cosine")
    small, whole = bt.fpir_by_gallery(plan, [10, 79], thresholds=[0.5], targets=[]).points
    assert small.spread > 0.001
    assert whole.spread == 0.0


def test_D1_intervals_hold_the_true_rate_as_often_as_they_say() -> None:
    """Of a crowd of 120 people, against the rates of a crowd of thousands."""
    rng, sizes, times = np.random.default_rng(0), [5, 60], 150
    large = [bt.fpir_by_gallery(crowd(rng, 1000), sizes, thresholds=[2.0], targets=[], draws=30) for _ in range(4)]
    true = [np.mean([found.points[i].fpir.value for found in large]) for i in range(2)]
    held = np.zeros(2)
    for seed in range(times):
        found = bt.fpir_by_gallery(crowd(rng, 120), sizes, thresholds=[2.0], targets=[], seed=seed)
        ends = [point.fpir.interval for point in found.points]
        held += [end.low <= rate <= end.high for end, rate in zip(ends, true, strict=True)]
    assert np.all(held / times >= 0.92)


def found_with(**how: object) -> GallerySizes:
    scores = np.random.default_rng(2).normal(size=(300, 200))
    return bt.fpir_by_gallery(matrix_of(scores), [10, 40, 160], thresholds=[2.5], targets=[], **how)  # type: ignore[arg-type]


def test_D1_independent_people_are_extrapolated_along_a_slope_of_one() -> None:
    """The check against the largest measured size holds, and the true FPIR lies in the interval."""
    (beyond,) = found_with(extrapolate=[1000]).extrapolated
    assert beyond.slope == pytest.approx(1.0, abs=0.15)
    assert beyond.holds
    fmr = 0.5 * math.erfc(2.5 / math.sqrt(2))
    assert beyond.interval.low <= 1 - (1 - fmr) ** 1000 <= beyond.interval.high


def test_D1_without_false_alarms_there_is_no_line_to_extrapolate() -> None:
    scores = np.random.default_rng(2).normal(size=(30, 20))
    (beyond,) = bt.fpir_by_gallery(
        matrix_of(scores), [2, 4, 8], thresholds=[99.0], targets=[], extrapolate=[100]
    ).extrapolated
    assert math.isnan(beyond.fpir)
    assert "false alarms" in str(beyond.reason)


def test_D1_the_measured_curve_is_plain_values_for_others_to_read() -> None:
    """Sizes, thresholds, rates with intervals, and the FPIR of each draw."""
    written = found_with(extrapolate=[1000], draws=3).to_dict()
    assert written["sizes"] == [10, 40, 160]
    first = written["points"][0]
    assert first["threshold"] == 2.5
    assert len(first["draws"]) == 3
    assert first["fpir"]["interval"][0] < first["fpir"]["value"] < first["fpir"]["interval"][1]
    assert found_with().to_frame()["size"].to_list() == [10, 40, 160]
    (curve,) = written["measured"]
    assert set(curve) == {"threshold", "sizes", "fpir", "low", "high"}
    assert curve["fpir"] == [point["fpir"]["value"] for point in written["points"]]
    assert [curve["low"][0], curve["high"][0]] == first["fpir"]["interval"]


def test_D1_ids_that_are_numbers_stand_by_value() -> None:
    scores = np.eye(12) + np.arange(12)[None] / 100
    names = np.array([str(n) for n in range(12)])
    drawn = draw_galleries(matrix_of(scores, names, names), [2], order="ids")
    assert drawn.counted.others.score[0, 0, 5] == 0.01  # people 0 and 1, not 0 and 10


@pytest.mark.parametrize(
    ("how", "problem"),
    [
        ({"sizes": []}, "no gallery size is given"),
        ({"sizes": [0]}, "gallery size 0: expected a whole number, 1 or more"),
        ({"sizes": [20]}, "gallery size 20, and the gallery has 20 people; expected at most 19"),
        ({"draws": 0}, "0 draws of galleries; expected 1 or more"),
        ({"order": "age"}, "order is 'age'; expected drawn or ids"),
        ({"targets": [1.5]}, "target FPIR 1.5: expected a rate between 0 and 1"),
        ({"targets": [], "thresholds": []}, "neither a target FPIR nor a threshold"),
        ({"thresholds": [math.nan]}, "expected a number"),
        ({"extrapolate": [3]}, "extrapolation to 3 people, and 10 are measured"),
        ({"sizes": [10], "extrapolate": [50]}, "rests on 3 gallery sizes or more"),
        ({"fusion": "sum"}, "fusion is 'sum'"),
        ({"draws": 10**8}, "too much memory"),
    ],
)
def test_D1_what_cannot_be_is_refused(how: dict[str, object], problem: str) -> None:
    scores = np.random.default_rng(2).normal(size=(30, 20))
    given_how: dict[str, object] = {"sizes": [2, 5, 10]} | how
    with pytest.raises(bt.InputError, match=problem):
        bt.fpir_by_gallery(matrix_of(scores), given_how.pop("sizes"), **given_how)  # type: ignore[arg-type]


def test_D1_a_gallery_of_one_person_and_a_matrix_of_failures_are_refused() -> None:
    with pytest.raises(bt.InputError, match="1 person in the gallery; expected two or more"):
        bt.fpir_by_gallery(matrix_of(np.ones((3, 1))), [1])
    with pytest.raises(bt.InputError, match="no search gave a score"):
        bt.fpir_by_gallery(matrix_of(np.full((3, 3), np.nan)), [1])
    with pytest.raises(bt.InputError, match="not a mask of mated cells"):
        bt.fpir_by_gallery(ScoreMatrix(np.ones((2, 2)), np.array([]), np.array([])), [1])


def test_D1_failed_searches_are_left_out_and_counted() -> None:
    scores = np.random.default_rng(4).normal(size=(30, 20))
    scores[3] = np.nan
    found = bt.fpir_by_gallery(matrix_of(scores), [5], thresholds=[1.0], targets=[])
    assert (found.searches, found.failed) == (29, 1)
