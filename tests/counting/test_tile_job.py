"""Counting in tiles is the same to the last bit whoever does the tiles, and in whichever order. Against keeping all."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from counting.asking_streams import Heard
from counting.few_kept import keep_few
from engine.cases import OneByOne, against_gallery, bits_of, plan, small_plan
from hypothesis import given, settings
from hypothesis import strategies as st

import bertillon as bt
from bertillon import counting, engine
from bertillon.core import InputError
from bertillon.counting import TileJob, count_comparisons
from bertillon.counting.tiles import comparisons
from bertillon.engine import jobs, workers
from bertillon.matching import AllAgainstAll, PairList, matcher
from bertillon.trials import compare

MEASURES = ["EER", "FNMR@FMR=0.1", "FMR@t=0.5", "ZeroFMR", "AUC", "KS", "dprime"]


@st.composite
def plans(draw) -> bt.Comparing:
    """Small whole numbers, so that ties are common; zero vectors, whose comparisons fail; both protocols."""
    owners = draw(st.lists(st.integers(0, 4), min_size=4, max_size=14))
    owners = [0, 0, 1, 1, *owners]
    values = draw(
        st.lists(st.tuples(*[st.integers(-1, 2)] * 2), min_size=len(owners), max_size=len(owners)).map(np.array)
    )
    values[0] = values[1] = (1, 1)
    dtype = draw(st.sampled_from([np.float32, np.float64, np.int8, np.float16]))
    how = draw(st.sampled_from(["cosine", "euclidean", "manhattan"]))
    if draw(st.booleans()):
        pairing = AllAgainstAll(unique=draw(st.booleans()))
        return plan(values.astype(dtype), owners, how, pairing)
    return against_gallery(values.astype(dtype), owners, how)


@settings(max_examples=25)
@given(comparing=plans(), tile=st.integers(1, 6), everybody=st.booleans())
def test_any_engine_and_any_order_give_the_same_bits(comparing, tile, everybody, tmp_path_factory) -> None:
    """Also where only some of the comparisons are kept with their people."""
    with pytest.MonkeyPatch.context() as patch:
        if not everybody:
            keep_few(patch, kept=4, share=0.3, tail=5, sampled=10)
        _require_same_bits(comparing, tile, tmp_path_factory)


def _require_same_bits(comparing, tile, tmp_path_factory) -> None:
    answers = []
    for cores in (1, 2):
        with pytest.MonkeyPatch.context() as patch:
            for place in (workers, jobs):
                patch.setattr(place, "available_cores", lambda cores=cores: cores)
            answers.append(bits_of(count_comparisons(comparing, [0.5], tile=tile)))
            folder = tmp_path_factory.mktemp("kept")
            answers.append(bits_of(count_comparisons(comparing, [0.5], tile=tile, checkpoint=folder)))
            answers.append(bits_of(count_comparisons(comparing, [0.5], tile=tile, checkpoint=folder)))
    answers.append(bits_of(count_comparisons(comparing, [0.5], tile=tile, engine=OneByOne())))
    assert len(set(answers)) == 1


@given(comparing=plans(), tile=st.integers(1, 6), most=st.integers(1, 40))
def test_counts_against_keeping_every_score(comparing, tile, most) -> None:
    """Scores of a product of another shape may differ in their last bits, so the scores are rounded to 6 digits."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine.LIMITS, "max_pieces", most)
        original = type(comparing.matcher).raw_block
        patch.setattr(
            type(comparing.matcher), "raw_block", lambda self, p, g: np.round(original(self, p, g).astype(float), 6)
        )
        counted = bt.evaluate(count_comparisons(comparing, [0.5], tile=tile), MEASURES)
        kept = bt.evaluate(compare(comparing), MEASURES)
    assert counted.counts == kept.counts
    for measure in MEASURES:
        assert counted[measure].value == pytest.approx(kept[measure].value, rel=1e-6, abs=1e-6, nan_ok=True), measure


def test_the_sample_is_of_non_mated_scores_from_everywhere(monkeypatch) -> None:
    comparing = small_plan(people=40)
    kept = compare(comparing)
    monkeypatch.setattr(engine.LIMITS, "max_pieces", 10)
    monkeypatch.setattr(counting.LIMITS.tiles, "drawn_scores", 1000)
    monkeypatch.setattr(counting.LIMITS.tiles, "kept_comparisons", 100)
    monkeypatch.setattr(counting.LIMITS.tiles, "sampled_comparisons", 2000)
    sample = count_comparisons(comparing, tile=16).sample
    assert 500 < sample.size < 1500
    assert np.isin(np.round(sample, 4), np.round(kept.nonmated, 4)).all()
    assert sample.mean() == pytest.approx(kept.nonmated.mean(), abs=0.1)


def test_the_tile_size_is_in_the_notes_and_in_the_signature() -> None:
    evaluation = bt.evaluate(count_comparisons(small_plan(), tile=7), ["EER"])
    assert any("tiles of 7 x 7" in str(note) for note in evaluation.trials.notes)
    assert evaluation.signature["tile"] == 7


def test_templates_that_fail_are_counted_as_failed(tmp_path) -> None:
    """A zero vector has no direction: its row of scores is NaN. 2 of 4 mated and 4 of 8 others fail."""
    values = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float32)
    comparing = plan(values, [0, 0, 1, 1])
    for options in ({}, {"checkpoint": tmp_path}, {"engine": OneByOne()}):
        counted = count_comparisons(comparing, tile=2, **options)
        assert (counted.failures.mated, counted.failures.nonmated) == (2, 4)
        assert counted.tally.errors.n_nonmated == 4


def test_templates_that_are_not_finite_are_refused_before_anything_is_compared() -> None:
    with pytest.raises(InputError, match="1 of 4 templates hold values that are not finite"):
        plan([[1, 0], [np.nan, 1], [1, 1], [0, 1]], [0, 0, 1, 1])


def test_a_job_is_cut_into_few_pieces_however_large() -> None:
    owners = np.arange(3_000_000)
    job = TileJob(None, None, None, owners, owners, None, 1024, False, True, None)
    assert len(job.pieces) <= 1 << 16
    assert int(job.sizes.sum()) >= owners.size * (owners.size - 1) // 2


def test_whose_the_mated_scores_are_is_kept_against_keeping_everything() -> None:
    comparing = small_plan()
    counted, kept = count_comparisons(comparing, tile=8), compare(comparing)
    ours = sorted(zip(counted.people.ids[counted.people.mated], np.round(counted.mated, 5), strict=True))
    theirs = sorted(zip(kept.mated_ids.probe_subject, np.round(kept.mated, 5), strict=True))
    assert ours == theirs


@given(comparing=plans(), tile=st.integers(1, 6))
def test_kept_people_against_keeping_every_score(comparing, tile) -> None:
    """Every non-mated comparison once, or once for both ways; the people of those that failed are counted."""
    counted, kept = count_comparisons(comparing, tile=tile), compare(comparing)
    people = counted.people
    assert people.complete
    found = _sorted_pairs(people.ids[people.kept.first], people.ids[people.kept.second], people.times)
    assert found == _sorted_pairs(kept.nonmated_ids.probe_subject, kept.nonmated_ids.reference_subject, 1)
    assert people.failed.sum() == 2 * counted.failures.nonmated
    ends = np.concatenate([kept.nonmated_ids.probe_subject, kept.nonmated_ids.reference_subject])
    seen = [int((ends == person).sum()) for person in people.ids]
    assert (people.planned.of_person - people.failed).tolist() == seen


def _sorted_pairs(first, second, times: int) -> list:
    pairs = [tuple(sorted(pair)) for pair in zip(first.tolist(), second.tolist(), strict=True)]
    return sorted(pairs * times)


def test_what_is_kept_of_many_is_the_highest_and_a_part_of_the_rest(monkeypatch) -> None:
    for name, number in (("kept_comparisons", 100), ("tail_share", 0.05), ("sampled_comparisons", 1000)):
        monkeypatch.setattr(counting.LIMITS.tiles, name, number)
    comparing = small_plan(people=40)
    people, kept = count_comparisons(comparing, tile=16).people, compare(comparing)
    highest = people.kept.score >= people.above
    assert people.times * int(highest.sum()) == int((kept.nonmated >= people.above).sum())
    assert set(people.chance[highest]) == {1.0}
    rest = int((kept.nonmated < people.above).sum()) / 2
    assert int((~highest).sum()) / rest == pytest.approx(people.chance[~highest][0], rel=0.15)
    assert 0.1 < people.chance[~highest][0] < 0.2


def test_the_sample_of_few_is_all_of_them_against_keeping_every_score() -> None:
    """Each comparison once, though it counts both ways."""
    comparing = small_plan()
    sample, kept = count_comparisons(comparing, tile=8).sample, compare(comparing)
    assert np.sort(np.repeat(sample, 2)) == pytest.approx(np.sort(kept.nonmated), abs=1e-6)


@pytest.mark.parametrize(
    ("rows", "columns", "people"), [([0, 0], [0], 1), ([], [], 0), ([0, 3], [1], 4), ([0], [2], 3)]
)
def test_how_many_people_there_are_by_hand(rows, columns, people) -> None:
    owners = np.array(rows, dtype=np.int64), np.array(columns, dtype=np.int64)
    job = TileJob(None, None, None, *owners, None, 8, False, False, None)
    assert job.people == people


@pytest.mark.parametrize(("how", "blocks"), [("manhattan", [(3, 3)] * 12), ("cosine", [(36, 36)])])
def test_no_comparison_is_made_twice_where_each_is_dear_by_hand(how, blocks, monkeypatch) -> None:
    """Twelve people of three templates: only a matcher that rests on products compares several people at once."""
    comparing, asked = small_plan(how=how), []
    block = type(comparing.matcher).raw_block
    monkeypatch.setattr(
        type(comparing.matcher), "raw_block", lambda self, p, g: asked.append((len(p), len(g))) or block(self, p, g)
    )
    count_comparisons(comparing, tile=64)
    assert asked == [*blocks, (36, 36)]  # the last is the tile of all


@given(cells=st.lists(st.sampled_from([1, 4, 9, 400, 900, 4096, 5000]), max_size=12), together=st.booleans())
def test_people_share_a_block_as_long_as_they_fit_by_hand(cells, together) -> None:
    """Everybody once and in order; several people have 64 templates a side at most, and with the next one more."""
    found = list(comparisons._groups(np.array(cells, dtype=np.int64), together=together))
    assert [place for first, last in found for place in range(first, last)] == list(range(len(cells)))
    sides = [math.isqrt(cell) if cell < 5000 else 71 for cell in cells]
    for first, last in found:
        assert last == first + 1 or (together and sum(sides[first:last]) <= 64)
        assert last == len(cells) or not together or sum(sides[first : last + 1]) > 64


def test_probes_are_compared_with_the_gallery_where_both_stand_alike_against_keeping_every_score() -> None:
    """Everybody's templates stand in the same order on either side, and yet are others."""
    values = np.array([[1, 0], [1, 1], [0, 1], [2, -1], [3, 1], [0, 2]], dtype=np.float32)
    comparing = against_gallery(values, np.repeat(["a", "b", "c"], 2), "cosine")
    counted, kept = count_comparisons(comparing), compare(comparing)
    assert np.sort(counted.mated) == pytest.approx(np.sort(kept.mated), abs=1e-6)
    assert counted.mated.max() < 0.9


def test_progress_is_told_of_every_comparison_by_hand() -> None:
    """36 templates in one tile."""
    heard = Heard()
    count_comparisons(small_plan(), progress=heard)
    assert (heard.begun, heard.done) == ([(36 * 36, "comparing")], 36 * 36)


def test_what_is_kept_of_comparisons_has_a_file_and_a_full_disk_is_told_by_hand(tmp_path, monkeypatch) -> None:
    table = replace(small_plan().templates, source="faces.npy")
    comparing = bt.Comparing.plan(table, matcher("cosine"))
    counted = count_comparisons(comparing, checkpoint=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["comparisons.npz"]
    assert (counted.name, counted.warnings, count_comparisons(comparing).warnings) == (comparing.name, (), ())
    assert "faces" in counted.name

    def full(path, fill) -> None:
        raise InputError("No space left")

    monkeypatch.setattr("bertillon.engine.jobs.write_whole", full)
    told = count_comparisons(comparing, checkpoint=tmp_path / "other").warnings
    assert [*map(str, told)] == ["the last checkpoint was not written: No space left"]


@pytest.mark.parametrize("pairing", [AllAgainstAll(multiple=True), PairList([0], [1])])
def test_only_single_templates_are_counted_in_tiles(pairing) -> None:
    comparing = replace(small_plan(), pairing=pairing)
    with pytest.raises(InputError, match=r"^only single templates, all against all or probes against a gallery, are"):
        count_comparisons(comparing)


def test_people_who_could_not_be_enrolled_are_added_to_the_failures_by_hand() -> None:
    counted = count_comparisons(plan(np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float32), [0, 0, 1, 1]))
    found = counted.with_enrolments(3, 12)
    assert found.failures == bt.Failures(2, 4, enrolments=3, enrolment_attempts=12)
    assert counted.failures == bt.Failures(2, 4)
    assert bt.evaluate(found, ["FTE"])["FTE"].value == 0.25
    assert found.tally.errors is counted.tally.errors
