"""Pairs drawn without bias: every non-mated comparison has the same chance."""

from __future__ import annotations

import numpy as np
import pytest
from engine.cases import plan, small_plan

import bertillon as bt
from bertillon.core import InputError
from bertillon.io import make_templates
from bertillon.matching import AllAgainstAll, Partition, ProbeVersusGallery, matcher
from bertillon.trials import compare, compare_sampled, draw_nonmated, mated_pairs

OWNERS = [0, 0, 0, 0, 1, 2, 2]  # people with many templates stand in more comparisons, and must do so in the sample
VALUES = np.random.default_rng(0).normal(size=(7, 4))


def against_gallery() -> bt.Comparing:
    table = make_templates(VALUES, OWNERS)
    partition = Partition(table.sample, table.subject, np.array(["probe", "gallery"] * 3 + ["probe"]))
    return bt.Comparing.plan(table, matcher("cosine"), ProbeVersusGallery(), partition=partition)


PLANS = {
    "both ways": plan(VALUES, OWNERS),
    "once": plan(VALUES, OWNERS, pairing=AllAgainstAll(unique=True)),
    "gallery": against_gallery(),
}


def nonmated_cells(comparing: bt.Comparing) -> set[tuple[int, int]]:
    """By brute force, from the masks of the pairing."""
    n, m = comparing.rows.size, comparing.columns.size
    mated, ignored = comparing.pairs.mask_block(slice(0, n), slice(0, m))
    return {(i, j) for i in range(n) for j in range(m) if not mated[i, j] and not ignored[i, j]}


@pytest.mark.parametrize("name", PLANS)
def test_every_pair_is_equally_likely_against_theory(name: str) -> None:
    """4 pairs drawn 3,000 times: how often each stands follows the hypergeometric law; chi-square within 5 sigma."""
    comparing = PLANS[name]
    cells = sorted(nonmated_cells(comparing))
    seen = dict.fromkeys(cells, 0)
    for seed in range(3000):
        drawn = list(zip(*(part.tolist() for part in draw_nonmated(comparing, 4, seed=seed)), strict=True))
        assert len(set(drawn)) == 4
        for cell in drawn:
            seen[cell] += 1  # a cell that is no non-mated comparison is no key
    share = 4 / len(cells)
    counts, expected = np.array(list(seen.values())), 3000 * share
    assert counts.sum() == 12_000
    chi_square = ((counts - expected) ** 2).sum() / (3000 * share * (1 - share)) * (len(cells) - 1) / len(cells)
    freedom = len(cells) - 1
    assert abs(chi_square - freedom) < 5 * np.sqrt(2 * freedom)


@pytest.mark.parametrize("name", PLANS)
def test_a_sample_of_everything_is_everything_against_brute_force(name: str) -> None:
    comparing = PLANS[name]
    cells = nonmated_cells(comparing)
    drawn = draw_nonmated(comparing, len(cells))
    assert set(zip(*(part.tolist() for part in drawn), strict=True)) == cells
    n, m = comparing.rows.size, comparing.columns.size
    mated, _ = comparing.pairs.mask_block(slice(0, n), slice(0, m))
    assert set(zip(*(part.tolist() for part in mated_pairs(comparing)), strict=True)) == set(
        zip(*np.nonzero(mated), strict=True)
    )
    kept, sampled = compare(comparing), compare_sampled(comparing, len(cells))
    np.testing.assert_allclose(np.sort(sampled.nonmated), np.sort(kept.nonmated), atol=1e-12)
    np.testing.assert_allclose(np.sort(sampled.mated), np.sort(kept.mated), atol=1e-12)


def test_scores_and_ids_belong_together() -> None:
    comparing = small_plan(people=20)
    found, table = compare_sampled(comparing, 200, seed=5), comparing.templates
    place = {sample: row for row, sample in enumerate(table.sample)}
    for scores, ids, same in ((found.mated, found.mated_ids, True), (found.nonmated, found.nonmated_ids, False)):
        rows, columns = ([place[one] for one in part] for part in (ids.probe, ids.reference))
        cells = comparing.matcher.block(comparing.probes, comparing.gallery)[rows, columns]
        np.testing.assert_allclose(scores, cells, atol=1e-6)
        assert (ids.probe_subject == table.subject[rows]).all()
        assert ((ids.probe_subject == ids.reference_subject) == same).all()


def test_the_rate_is_right_on_the_average_against_all() -> None:
    comparing = small_plan(people=20)
    whole = bt.evaluate(compare(comparing), ["FMR@t=0.5"])["FMR@t=0.5"].value
    rates = [bt.evaluate(compare_sampled(comparing, 300, seed=s), ["FMR@t=0.5"])["FMR@t=0.5"].value for s in range(40)]
    assert np.mean(rates) == pytest.approx(whole, abs=4 * np.std(rates) / np.sqrt(40))


def test_it_is_said_and_the_seed_decides() -> None:
    comparing = small_plan()
    one, again, other = (compare_sampled(comparing, 50, seed=seed) for seed in (1, 1, 2))
    assert any(
        "50 of 1,188 non-mated comparisons were drawn at random without replacement (seed 1)" in str(note)
        for note in one.notes
    )
    assert one.nonmated.tolist() == again.nonmated.tolist()
    assert one.nonmated_ids.probe.tolist() != other.nonmated_ids.probe.tolist()


@pytest.mark.parametrize("number", [0, -3, 1189])
def test_impossible_numbers_are_refused(number: int) -> None:
    with pytest.raises(InputError, match=r"of 1,188 non-mated comparisons; expected 1 to all"):
        compare_sampled(small_plan(), number)


def test_fused_templates_are_refused() -> None:
    with pytest.raises(InputError, match="only single templates"):
        compare_sampled(plan(VALUES, OWNERS, pairing=AllAgainstAll(multiple=True)), 3)
