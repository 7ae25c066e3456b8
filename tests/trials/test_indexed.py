"""An approximate index that looks everywhere finds what the exact search finds. Against the exact search."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import bertillon as bt
from bertillon.core import InputError
from bertillon.evaluation import search_with_index
from bertillon.io import make_templates
from bertillon.matching import Partition, ProbeVersusGallery, matcher
from bertillon.trials import LIMITS, GalleryIndex, search
from bertillon.trials.search_job import _faiss

pytest.importorskip("faiss", reason="faiss is not installed")

EVERYWHERE = {"hnsw": 2000, "ivf": 2000}


def templates(people: int = 60, each: int = 3, zero: bool = False):
    rng = np.random.default_rng(5)
    owner = np.repeat(np.arange(people), each)
    vectors = (rng.normal(size=(people, 12))[owner] + 0.7 * rng.normal(size=(owner.size, 12))).astype(np.float32)
    if zero:
        vectors[[0, 4]] = 0
    return make_templates(vectors, owner)


def plan(how: str, *, all_against_all: bool, zero: bool = False) -> bt.Comparing:
    table = templates(zero=zero)
    if all_against_all:
        return bt.Comparing.plan(table, matcher(how))
    person = table.subject.astype(int)
    role = np.where((np.arange(len(table)) % 3 == 0) | (person % 4 == 0), "probe", "gallery")
    partition = Partition(table.sample, table.subject, role)
    return bt.Comparing.plan(table, matcher(how), ProbeVersusGallery(), partition=partition)


@pytest.mark.parametrize("kind", EVERYWHERE)
@pytest.mark.parametrize("how", ["cosine", "pearson", "euclidean", "squared-euclidean"])
@pytest.mark.parametrize("all_against_all", [False, True])
def test_an_index_that_looks_everywhere_against_the_exact_search(kind, how, all_against_all) -> None:
    comparing = plan(how, all_against_all=all_against_all)
    found, exact = GalleryIndex.build(comparing, kind).search(EVERYWHERE[kind], kept=5), search(comparing, kept=5)
    for name in ("enrolled", "n_better"):
        np.testing.assert_array_equal(
            getattr(found, name)[exact.n_better < 5], getattr(exact, name)[exact.n_better < 5], err_msg=name
        )
    for name in ("top_score", "top_other", "others"):
        np.testing.assert_allclose(getattr(found, name), getattr(exact, name), atol=2e-5, rtol=1e-5, err_msg=name)
    assert found.gallery_size == exact.gallery_size


def test_vectors_without_direction_fail_and_are_no_candidates() -> None:
    comparing = plan("cosine", all_against_all=True, zero=True)
    found, exact = GalleryIndex.build(comparing, "hnsw").search(2000, kept=5), search(comparing, kept=5)
    assert (found.failed_enrolled, found.failed_nonenrolled) == (exact.failed_enrolled, exact.failed_nonenrolled)
    np.testing.assert_allclose(found.top_score, exact.top_score, atol=1e-5)


def test_a_mate_that_is_not_returned_has_no_rank() -> None:
    found = GalleryIndex.build(plan("cosine", all_against_all=False), "ivf").search(1, kept=1)
    exact = search(plan("cosine", all_against_all=False))
    assert np.isinf(found.ranks()).any()
    assert not np.isinf(exact.ranks()).any()


def test_losses_are_those_of_the_sample_and_the_least_good_effort_is_used() -> None:
    comparing = plan("cosine", all_against_all=True)
    found = search_with_index(comparing, "hnsw", sample=100, seed=3)
    rows = np.sort(np.random.default_rng(3).choice(180, 100, replace=False))
    exact = bt.evaluate(search(comparing, rows=rows), ["RR"])["RR"].value
    for point in found.trade_off:
        assert point.rank_one + point.rank_one_loss == pytest.approx(exact)
        assert point.searches_a_second > 0
    good = [point.effort for point in found.trade_off if point.agreement >= 0.99]
    assert found.effort == min(good)
    assert "approximate. On 100 probes" in str(found.searches.notes[-1])
    assert not found.searches.warnings


def test_a_poor_index_is_warned_of(monkeypatch) -> None:
    monkeypatch.setattr("bertillon.trials.search_job.KINDS", {"ivf": (1,)})
    monkeypatch.setattr(LIMITS, "list_members", 5)
    found = search_with_index(plan("cosine", all_against_all=True), "ivf")
    assert found.trade_off[0].agreement < 0.99
    assert "approximate" in str(found.searches.warnings[0])


@pytest.mark.parametrize(
    ("how", "kind", "word"), [("cosine", "tree", "hnsw or ivf"), ("manhattan", "hnsw", "cosine, pearson, euclidean")]
)
def test_what_has_no_index_is_refused(how, kind, word) -> None:
    with pytest.raises(InputError, match=word):
        GalleryIndex.build(plan(how, all_against_all=True), kind)


def test_without_faiss_it_is_said_what_to_install(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(InputError, match=r"install 'bertillon\[search\]'"):
        _faiss()


def test_the_command_line_shows_and_writes_the_trade_off(tmp_path: Path, monkeypatch, capsys) -> None:
    from bertillon.cli import main

    table = templates()
    np.savez(tmp_path / "faces.npz", embeddings=table.templates, subject=table.subject)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["bertillon", "identify", "faces.npz", "--no-intervals", *arguments])
        with pytest.raises(SystemExit) as stopped:
            main()
        said = capsys.readouterr()
        return int(stopped.value.code or 0), said.out, said.err

    code, out, err = run("--index", "hnsw", "--csv", "out", "--figures", "out", "--figure-format", "svg")
    assert code == 0, err
    assert "hnsw index of" in Path("out/index.svg").read_text()
    assert "hnsw index of faces.npz" in out
    written = pl.read_csv("out/index.csv")
    assert written["used"].sum() == 1
    assert written["effort"].to_list() == [16, 32, 64, 128, 256, 512]
    code, out, _ = run("--index", "ivf", "--json", "-")
    assert json.loads(out)["counts"]["enrolled"] == 180
    assert run("--index", "tree")[0] == 2
    code, _, err = run("--index", "ivf", "--checkpoint", "kept")
    assert (code, "leave out --checkpoint" in err) == (2, True)


def test_a_gallery_in_which_nobody_can_be_compared_is_refused() -> None:
    """Of one number there is no correlation: neither kind of index can hold such a gallery."""
    table = make_templates(np.arange(6.0)[:, None], list("aabbcc"))
    for kind in ("hnsw", "ivf"):
        with pytest.raises(bt.InputError, match="none of 6 gallery templates can be compared"):
            GalleryIndex.build(bt.Comparing.plan(table, matcher("pearson")), kind)


def test_an_index_ranks_people_and_says_so_where_templates_are_asked_for() -> None:
    table = make_templates(np.arange(12.0).reshape(6, 2), list("aabbcc"))
    with pytest.raises(bt.InputError, match="fusion none is not supported; expected best"):
        GalleryIndex.build(bt.Comparing.plan(table, matcher("cosine"), fusion="none"), "hnsw")
