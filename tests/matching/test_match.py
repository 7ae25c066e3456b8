"""What holds for every matcher; the registry; blocks; functions of two templates; real embeddings."""

from __future__ import annotations

import csv
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matching.making import draw, table

from bertillon.core import AcceptRule, InputError, TemplateTable
from bertillon.counting import count_comparisons
from bertillon.io import read_templates
from bertillon.matching import MATCHERS, Comparing, from_function, match, matcher, matcher_options

OPTIONS = {
    "mahalanobis": {"covariance": np.diag(np.arange(1.0, 8.0))},
    "hamming": {"shifts": 2},
    "dtw": {"band": 3},
}
LAWFUL = [(name, {}) for name in MATCHERS if name != "mahalanobis"] + list(OPTIONS.items())
SCALED = ("manhattan", {"scaled": True})


def made(name, options):
    return matcher(name, **options)


def best(found) -> float:
    return 1.0 if found.rule is AcceptRule.SIMILARITY else 0.0


@pytest.mark.parametrize(("name", "options"), LAWFUL, ids=str)
@given(seed=st.integers(0, 2**32 - 1))
def test_symmetric_and_nobody_is_nearer_than_oneself(name, options, seed):
    """SPEC T1-T4: every matcher is symmetric, and a template against itself has the best score there is."""
    chosen = made(name, options)
    templates = draw(chosen.kinds[0], 4, np.random.default_rng(seed))
    found = match(templates, templates, chosen)
    np.testing.assert_allclose(found.scores, found.scores.T, rtol=1e-12, atol=1e-12)
    if name != "hamming" or not np.isnan(found.scores).any():
        np.testing.assert_allclose(found.scores.diagonal(), best(found), atol=1e-12)
    better = chosen.rule.orient(found.scores)
    assert (better <= chosen.rule.orient(best(found)) + 1e-12).all()


@pytest.mark.parametrize(("name", "options"), [*LAWFUL, SCALED], ids=str)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_T1_blocks_equal_the_whole(name, options, dtype):
    """SPEC T1: all in blocks over matrices of templates."""
    chosen, rng = made(name, options), np.random.default_rng(3)
    probes, gallery = draw(chosen.kinds[0], 13, rng, dtype), draw(chosen.kinds[0], 10, rng, dtype)
    whole = chosen.block(chosen.prepare(probes), chosen.prepare(gallery))
    near = 1e-13 if dtype == np.float64 else 1e-6
    assert whole.shape == (13, 10)
    for block in (1, 4, 1000):
        found = match(probes, gallery, chosen, block=block).scores
        assert found.dtype == whole.dtype
        np.testing.assert_allclose(found, whole, rtol=near, atol=near)


@pytest.mark.parametrize(("name", "options"), [*LAWFUL, SCALED], ids=str)
def test_one_pair_alone_scores_as_among_others(name, options):
    chosen, rng = made(name, options), np.random.default_rng(4)
    probes, gallery = draw(chosen.kinds[0], 5, rng), draw(chosen.kinds[0], 6, rng)
    whole = match(probes, gallery, chosen).scores
    ours, theirs = chosen.prepare(probes), chosen.prepare(gallery)
    np.testing.assert_allclose(chosen.block(ours[2:3], theirs[4:5]), whole[2:3, 4:5], rtol=1e-13, atol=1e-13)


def test_scores_know_whose_they_are():
    """SPEC T5: a gallery holds several templates for one person; the matrix says which columns are theirs."""
    gallery = table([[0.0], [5.0], [1.0]], ["anna", "bob", "anna"])
    found = match(table([[0.4]], ["anna"]), gallery, "euclidean")
    assert found.probe_subject.tolist() == ["anna"]
    assert found.reference_subject.tolist() == ["anna", "bob", "anna"]
    assert found.scores[0, found.reference_subject == "anna"].min() == 0.4
    assert found.ignored is None
    assert found.format == "euclidean"


def test_a_template_is_never_compared_with_itself():
    templates = table([[0.0], [1.0]])
    found = match(templates, templates, "euclidean")
    assert found.ignored is not None
    assert found.ignored.tolist() == [[True, False], [False, True]]


def test_every_matcher_declares_itself():
    assert {name for name, _ in LAWFUL} == set(MATCHERS)
    for name, one in MATCHERS.items():
        assert one.name == name
        assert isinstance(one.rule, AcceptRule)
        assert one.kinds
    assert set(matcher_options("mahalanobis")) == {"covariance", "training", "ridge"}


def test_a_function_of_two_templates_by_hand():
    chosen = from_function(lambda a, b: abs(a - b).max(), rule="distance")
    found = match(table([[1.0, 5.0]]), table([[1.0, 2.0], [9.0, 5.0]]), chosen)
    assert found.scores.tolist() == [[3.0, 8.0]]
    assert found.rule is AcceptRule.DISTANCE
    lengths = from_function(lambda a, b: None if len(a) > 2 else len(b), rule="similarity", name="lengths")
    series = table([np.zeros((2, 1)), np.zeros((3, 1))], kind="series")
    assert match(series, series, lengths).scores[0].tolist() == [2.0, 3.0]
    assert np.isnan(match(series, series, lengths).scores[1]).all()


def test_a_function_is_called_by_one_thread_at_a_time_also_where_tiles_are_counted_on_several(monkeypatch):
    monkeypatch.setattr("bertillon.engine.workers.available_cores", lambda: 3)
    busy, met = set(), []

    def slow(one, other):
        busy.add(threading.get_ident())
        time.sleep(1e-4)
        met.append(len(busy))
        busy.discard(threading.get_ident())
        return float(one[0] - other[0])

    templates = table([[float(n)] for n in range(16)], np.repeat(np.arange(8), 2))
    count_comparisons(Comparing.plan(templates, from_function(slow, rule="similarity")), tile=4)
    assert set(met) == {1}


def test_bad_functions_are_refused():
    with pytest.raises(InputError, match="expected 'similarity' or 'distance'"):
        from_function(min, rule="nearness")
    with pytest.raises(InputError, match="returned 'far'; a number is expected"):
        match(table([[1.0]]), table([[1.0]]), from_function(lambda a, b: "far", rule="distance"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: matcher("euclidian"), "did you mean 'euclidean'"),
        (lambda: matcher("manhattan", scale=True), "did you mean 'scaled'"),
        (lambda: matcher("cosine", scaled=True), "matcher cosine has no options"),
        (lambda: match(table([[1.0]]), table([[1.0]]), "cosine", block=0), "block must be 1 or more"),
        (
            lambda: match(table([[1.0]]), table([[1.0, 2.0]]), "cosine"),
            "a probe has 1 and a gallery template 2 numbers",
        ),
        (lambda: match(table([[1.0]]), table([[1.0]]), "dtw"), "dtw compares templates of kind series"),
    ],
)
def test_bad_requests_are_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_templates_made_by_hand_are_checked_too():
    odd = TemplateTable(np.array([[1.0, np.nan]]), np.array(["anna"]), np.array(["a1"]))
    with pytest.raises(InputError, match="1 of 1 templates hold values that are not finite; the first is sample 'a1'"):
        match(odd, odd, "euclidean")


def test_rows_of_a_table_can_be_taken():
    rng = np.random.default_rng(0)
    for kind in ("vector", "bits", "series"):
        whole = draw(kind, 5, rng)
        part = whole.take(np.array([3, 1]))
        assert part.sample.tolist() == ["3", "1"]
        assert part.subject.tolist() == whole.subject[[3, 1]].tolist()
        np.testing.assert_array_equal(part.templates[0], whole.templates[3])
        assert (part.masks is None) == (whole.masks is None)
        assert whole.take(np.array([True, False, False, True, False])).sample.tolist() == ["0", "3"]
    named = table([[1.0], [2.0]], metadata={"quality": [5, 6]})
    assert named.take(np.array([1])).metadata["quality"].to_list() == [6]


@pytest.mark.parametrize("module", ["bertillon", "bertillon.matching", "bertillon.io.templates"])
def test_importing_is_light(module):
    code = f"import sys, {module}; print(sorted({{'numba', 'scipy', 'polars', 'h5py'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.realdata
def test_T3_real_embeddings_read_without_options_against_the_published_distances(real_data):
    """SPEC T3: deep embeddings from .npz. The distances of the 6,000 LFW pairs were computed elsewhere."""
    faces = read_templates(real_data / "lfw_dlib" / "embeddings.npz")
    assert len(faces) == 7701
    assert len(np.unique(faces.subject)) == 4281
    with open(real_data / "lfw_dlib" / "pairs.csv") as file:
        pairs = list(csv.DictReader(file))
    probe, reference = (np.array([int(pair[name]) for pair in pairs]) for name in ("probe", "reference"))
    ours, theirs = np.unique(probe)[:1500], np.unique(reference)[:1500]
    found = match(faces.take(ours), faces.take(theirs), "euclidean")
    for pair in pairs:
        i, j = (np.searchsorted(one, int(pair[name])) for one, name in ((ours, "probe"), (theirs, "reference")))
        if i < len(ours) and j < len(theirs):
            assert found.scores[i, j] == pytest.approx(float(pair["distance"]), abs=5e-6)
            assert found.probe_subject[i] == pair["probe_subject"]
