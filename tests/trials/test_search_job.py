"""Searches in strips and tiles, against the same from one whole matrix. SPEC P5, O5."""

from __future__ import annotations

import numpy as np
import pytest
from engine.cases import bits_of_searches, plan, small_plan
from hypothesis import given, settings
from hypothesis import strategies as st

import bertillon as bt
from bertillon.core import InputError, ScoreMatrix
from bertillon.engine import jobs, workers
from bertillon.io import make_templates
from bertillon.matching import AllAgainstAll, Partition, ProbeVersusGallery, from_function, matcher
from bertillon.trials import (
    LIMITS,
    SearchJob,
    search,
    search_blocks,
    search_job,
    searches_from_blocks,
    searches_from_matrix,
)


@st.composite
def plans(draw) -> bt.Comparing:
    owners = [0, 0, 1, *draw(st.lists(st.integers(0, 5), min_size=3, max_size=16)), 6]
    cells = st.lists(st.tuples(*[st.integers(-2, 2)] * 2), min_size=len(owners), max_size=len(owners))
    table = make_templates(np.array(draw(cells), dtype=draw(st.sampled_from([np.float32, np.float64]))), owners)
    how, fusion = draw(st.sampled_from(["manhattan", "cosine"])), draw(st.sampled_from(["best", "mean", "none", "min"]))
    if draw(st.booleans()):
        return bt.Comparing.plan(table, matcher(how), fusion=fusion)
    role = [
        "gallery",
        "probe",
        *draw(st.lists(st.sampled_from(["gallery", "probe"]), min_size=len(owners) - 2, max_size=len(owners) - 2)),
    ]
    partition = Partition(table.sample, table.subject, np.array(role))
    return bt.Comparing.plan(table, matcher(how), ProbeVersusGallery(), partition=partition, fusion=fusion)


def whole(comparing: bt.Comparing) -> bt.SearchSet:
    """The same from one block; made cell by cell, so that no score depends on the shape of a product."""
    subject = comparing.templates.subject
    rows, columns = np.arange(comparing.rows.size), np.arange(comparing.columns.size)
    block = comparing.matcher.block(comparing.probes, comparing.gallery)
    return searches_from_blocks(
        [(rows, columns, block)],
        subject[comparing.rows],
        subject[comparing.columns],
        rule=comparing.rule,
        fusion=comparing.fusion,
        all_against_all=isinstance(comparing.pairing, AllAgainstAll),
    )


@given(
    comparing=plans(), width=st.integers(1, 6), fewest=st.integers(1, 5), compiled_from=st.sampled_from([0, 1 << 26])
)
def test_tiles_of_any_size_against_one_block(comparing, width, fewest, compiled_from) -> None:
    """Scores are rounded, so that they do not hang on the shape of a product."""
    with pytest.MonkeyPatch.context() as patch:
        original = type(comparing.matcher).block
        patch.setattr(
            type(comparing.matcher), "block", lambda self, p, g: np.round(original(self, p, g).astype(float), 6)
        )
        patch.setattr(LIMITS, "search_tile_width", width)
        patch.setattr(LIMITS, "fewest_probes", fewest)
        patch.setattr(LIMITS, "search_compiled_from", compiled_from)
        found, expected = search(comparing), whole(comparing)
    for name in ("enrolled", "n_better", "n_equal"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)
    for name in ("mate_score", "top_score", "top_other", "others"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-12, err_msg=name)
    assert found.probe_subject.tolist() == expected.probe_subject.tolist()
    assert (found.failed, found.gallery_size, found.notes) == (expected.failed, expected.gallery_size, expected.notes)


@settings(max_examples=25)
@given(comparing=plans(), width=st.integers(1, 6))
def test_any_number_of_workers_and_a_checkpoint_give_the_same_bits(comparing, width, tmp_path_factory) -> None:
    answers = []
    for cores in (1, 2):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(LIMITS, "search_tile_width", width)
            patch.setattr(LIMITS, "fewest_probes", 2)
            for place in (workers, jobs):
                patch.setattr(place, "available_cores", lambda cores=cores: cores)
            folder = tmp_path_factory.mktemp("kept")
            answers += [search(comparing), search(comparing, checkpoint=folder), search(comparing, checkpoint=folder)]
    assert len({bits_of_searches(one) for one in answers}) == 1


def test_some_probes_search_as_they_would_among_all() -> None:
    comparing = small_plan(people=30, how="manhattan")
    rows = np.array([50, 3, 17])
    some, everybody = search(comparing, rows=rows), search(comparing)
    assert some.n_better[some.enrolled].tolist() == everybody.n_better[everybody.enrolled][rows].tolist()
    np.testing.assert_array_equal(some.others, everybody.others[rows])


def test_nothing_is_held_once_the_mates_have_gone_by(monkeypatch) -> None:
    """20 people in tiles of 4: the two probes of a strip have mates in one tile, so no other is held."""
    monkeypatch.setattr(LIMITS, "search_tile_width", 4)
    monkeypatch.setattr(LIMITS, "fewest_probes", 2)
    values = np.arange(40, dtype=np.float64)[:, None]
    owners = [*range(20), *np.random.default_rng(1).permutation(20)]
    table = make_templates(values, owners)
    partition = Partition(table.sample, table.subject, np.repeat(["gallery", "probe"], 20))
    comparing = bt.Comparing.plan(table, matcher("manhattan"), ProbeVersusGallery(), partition=partition)
    job = SearchJob.of(comparing, None, kept=3)
    most = 0
    original = search_blocks.SearchCounter.add

    def add(counter, *block) -> None:
        nonlocal most
        original(counter, *block)
        most = max([most, *(len(tile.held) for tile in counter.tiles if tile is not None)])

    monkeypatch.setattr(search_blocks.SearchCounter, "add", add)
    for piece in range(job.sizes.size):
        job.do(job.begin(), piece)
    assert job.sizes.size == 10
    assert most <= 1


def test_a_checkpoint_of_other_searches_is_refused(tmp_path, monkeypatch) -> None:
    search(small_plan(), checkpoint=tmp_path)
    with pytest.raises(InputError, match="its templates is"):
        search(small_plan(seed=4), checkpoint=tmp_path)
    with pytest.raises(InputError, match="its kept is"):
        search(small_plan(), kept=2, checkpoint=tmp_path)
    monkeypatch.setattr(search_job, "__version__", "99")
    with pytest.raises(InputError, match="here it is 99"):
        search(small_plan(), checkpoint=tmp_path)


def test_a_checkpoint_of_another_function_or_of_other_series_is_refused_and_of_the_same_goes_on(tmp_path) -> None:
    """A function is known by its name and its scores, not by its place in memory, which no other run knows."""

    def planned(factor: float, shift: float = 0.0) -> bt.Comparing:
        series = [np.array([[float(n)], [n + 1.0]]) for n in range(5)]
        table = make_templates([*series, np.array([[9.0], [9.0 + shift]])], [0, 0, 1, 1, 2, 3], kind="series")
        return bt.Comparing.plan(table, from_function(lambda a, b: factor * abs(a - b).sum(), rule="distance"))

    first = search(planned(1.0), checkpoint=tmp_path)
    assert bits_of_searches(search(planned(1.0), checkpoint=tmp_path)) == bits_of_searches(first)
    with pytest.raises(InputError, match="its first scores is"):
        search(planned(2.0), checkpoint=tmp_path)
    with pytest.raises(InputError, match="its templates is"):
        search(planned(1.0, shift=0.5), checkpoint=tmp_path)


def test_vectors_without_direction_are_failed_searches() -> None:
    values = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float32)
    found = search(plan(values, [0, 0, 1, 1]))
    assert (found.failed_enrolled, found.failed_nonenrolled) == (1, 1)


@given(comparing=plans(), width=st.integers(1, 6), compiled_from=st.sampled_from([0, 1 << 26]))
def test_average_precision_from_templates_against_the_matrix(comparing, width, compiled_from) -> None:
    """The matrix path looks at whole rows; here every tile is counted and let go."""
    rounded = from_function(lambda a, b: round(float(np.abs(a - b).sum()), 6), rule="distance")
    comparing = bt.Comparing.plan(
        comparing.templates,
        rounded,
        comparing.pairing,
        partition=comparing.partition,
        fusion=comparing.fusion,
    )
    subject = comparing.templates.subject
    scores = comparing.matcher.block(comparing.probes, comparing.gallery)
    twice = isinstance(comparing.pairing, AllAgainstAll)
    matrix = ScoreMatrix(scores, subject[comparing.rows], subject[comparing.columns], rule=comparing.rule)
    expected = searches_from_matrix(matrix, fusion=comparing.fusion, all_against_all=twice)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LIMITS, "search_tile_width", width)
        patch.setattr(LIMITS, "search_compiled_from", compiled_from)
        found = search(comparing)
    assert found.average_precision is not None
    assert expected.average_precision is not None
    np.testing.assert_allclose(found.average_precision, expected.average_precision, rtol=1e-12)


def test_map_is_defined_from_templates_with_several_a_person() -> None:
    rng = np.random.default_rng(0)
    owners = np.repeat(np.arange(20), 4)
    table = make_templates(rng.normal(size=(20, 8))[owners] + rng.normal(size=(80, 8)), owners)
    comparing = bt.Comparing.plan(table, matcher("euclidean"))
    found = bt.evaluate(bt.evaluation.search_trials(comparing), ["mAP"])["mAP"]
    matrix = ScoreMatrix(comparing.matcher.block(comparing.probes, comparing.gallery), table.subject, table.subject)
    direct = searches_from_matrix(matrix, rule="distance", all_against_all=True)
    assert found.value == pytest.approx(bt.evaluate(direct, ["mAP"])["mAP"].value, rel=1e-12)
    assert 0.2 < found.value < 1
