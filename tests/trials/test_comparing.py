"""Every comparison of a protocol, made and kept: whose score is whose, against loops over the masks."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bertillon as bt
from bertillon.io import make_templates
from bertillon.matching import (
    LIMITS,
    AllAgainstAll,
    Comparing,
    PairList,
    Partition,
    ProbeVersusGallery,
    from_function,
    matcher,
)
from bertillon.trials import compare, matrix_of, table_of

NAMES = ("probe_subject", "reference_subject", "probe", "reference")
APART = from_function(lambda a, b: None if a[0] + b[0] == 5 else float(a[0] - 3 * b[0]), rule="distance", name="apart")
PAIRINGS = [
    AllAgainstAll(),
    AllAgainstAll(unique=True),
    AllAgainstAll(multiple=True),
    ProbeVersusGallery(),
    ProbeVersusGallery(multiple=True),
    PairList([0, 1, 2, 3, 0], [1, 3, 0, 0, 2]),
]


def kept(scores: bt.ScoreSet, kind: str) -> list[tuple]:
    """The comparisons of a class, one a tuple: score, whose, and of which samples."""
    ids = getattr(scores, f"{kind}_ids")
    values = getattr(scores, kind).tolist()
    columns = [[None] * len(values) if (ids_ := getattr(ids, name)) is None else ids_.tolist() for name in NAMES]
    return list(zip(values, *columns, strict=True))


def by_loops(planned: Comparing) -> dict[str, list[tuple]]:
    """The same, cell by cell; several templates of a person give the least distance."""
    table, made = planned.templates, {"mated": [], "nonmated": []}
    single = not planned.pairing.multiple
    _, ignored = planned.pairs.mask_block(slice(None), slice(None))
    for i, row in enumerate(planned.rows):
        cells: dict[str, list[float]] = {}
        for j, column in enumerate(planned.columns):
            if ignored[i, j]:
                continue
            score = planned.matcher.function(table.templates[row], table.templates[column])
            person = str(table.subject[column])
            key = str(table.sample[column]) if single else person
            cells.setdefault(f"{person}/{key}", []).append(math.nan if score is None else score)
        for key, scores in cells.items() if single else sorted(cells.items()):
            there = [score for score in scores if not math.isnan(score)]
            person, _, other = key.partition("/")
            owner = str(table.subject[row])
            if there:
                sample = other if single else None
                made["mated" if owner == person else "nonmated"].append(
                    (min(there), owner, person, str(table.sample[row]), sample)
                )
    return made


def planned(owners: list[str], pairing) -> Comparing:
    table = make_templates(np.arange(len(owners), dtype=float)[:, None], owners)
    partition = None
    if isinstance(pairing, ProbeVersusGallery):
        partition = Partition(
            table.sample, table.subject, np.array((["gallery", "probe"] * len(owners))[: len(owners)])
        )
    return Comparing.plan(table, APART, pairing, partition=partition)


@pytest.mark.parametrize("pairing", PAIRINGS, ids=lambda pairing: f"{type(pairing).__name__} {pairing.multiple}")
@given(st.lists(st.sampled_from("abc"), min_size=5, max_size=9), st.integers(1, 30))
@settings(deadline=None, max_examples=30)
def test_scores_and_their_owners_against_brute_force(pairing, owners, cells) -> None:
    """In strips of any height; failed comparisons are left out together with their ids."""
    owners = ["a", "a", "a", "b", "b", *owners]  # so that there are both classes
    every = planned(owners, pairing)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LIMITS, "strip_cells", cells)
        found = compare(every)
        table = table_of(every).frame
    counts, expected = every.counts, by_loops(every)
    assert found.size + found.failures.comparisons == counts.mated + counts.nonmated  # what is left out has not failed
    for kind in ("mated", "nonmated"):
        assert kept(found, kind) == expected[kind]
        rows = table.filter(table["mated"] == (kind == "mated"))
        names = [name for name in NAMES if name in rows.columns]
        assert ("reference" in names) is not pairing.multiple
        assert rows["score"].to_list() == getattr(found, kind).tolist()
        assert [rows[name].to_list() for name in names] == [
            getattr(getattr(found, f"{kind}_ids"), name).tolist() for name in names
        ]


def test_failed_comparisons_are_counted_in_the_notes_of_a_table_by_hand() -> None:
    every = planned(list("aabbcc"), AllAgainstAll())
    made, scores = table_of(every), compare(every)
    assert scores.failures.comparisons == 6  # 0 with 5, 1 with 4, 2 with 3, and back
    assert tuple(map(str, made.notes)) == (*map(str, every.words), "6 failed comparisons were left out.")
    assert len(made) == scores.size == 24


@pytest.mark.parametrize("name", ["manhattan", "hamming"])
def test_threads_and_one_block_agree_to_the_last_bit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    values = rng.integers(0, 256, (37, 5)).astype(np.uint8 if name == "hamming" else np.float32)
    table = make_templates(values, np.arange(37) // 3, kind="bits" if name == "hamming" else "vector")
    every = Comparing.plan(table, matcher(name))
    monkeypatch.setattr(LIMITS, "slow_strip_cells", 37 * 10)
    matrix = matrix_of(every)
    assert np.array_equal(matrix.scores, every.matcher.block(every.probes, every.gallery))
    assert matrix.scores.dtype == every.matcher.block(every.probes, every.gallery).dtype


def test_the_protocol_is_said_once_however_often_it_is_asked_for() -> None:
    every = planned(list("aabb"), AllAgainstAll())
    assert every.words is every.words
    assert str(every.words[-1]) == "Matcher: apart, a distance."
    alone = Comparing.plan(make_templates(np.eye(2), ["a", "a"]), matcher("cosine"))
    with pytest.raises(bt.InputError, match="no comparison is non-mated"):
        _ = alone.words


def test_how_templates_were_understood_is_said_before_they_are_compared() -> None:
    """A column of numbers that is no feature is taken for one: whoever reads the words sees it."""
    table = make_templates(np.eye(4), list("aabb"))
    plan = Comparing.plan(replace(table, notes=("read 2 columns: 'f1', 'age'", "samples numbered")), matcher("cosine"))
    assert "Templates: read 2 columns: 'f1', 'age'; samples numbered." in map(str, plan.words)
    found = bt.evaluation.search_trials(plan)
    assert str(found.notes[0]) == "memory: 4 templates of 2 people."
    assert {"Templates: read 2 columns: 'f1', 'age'; samples numbered.", "Matcher: cosine, a similarity."} <= set(
        map(str, found.notes)
    )


def test_searches_without_a_mate_say_their_protocol_too() -> None:
    table = make_templates(np.eye(2), ["a", "b"])
    roles = Partition(table.sample, table.subject, np.array(["gallery", "probe"]))
    found = bt.evaluation.search_trials(Comparing.plan(table, matcher("cosine"), ProbeVersusGallery(), partition=roles))
    assert "Every probe is compared with every gallery template." in map(str, found.notes)
    assert found.n_nonenrolled == 1


def test_a_list_of_pairs_makes_no_searches() -> None:
    """Every template would meet itself in the gallery, and be found at rank 1."""
    plan = planned(list("aabb"), PairList([0, 2], [1, 0]))
    with pytest.raises(bt.InputError, match="listed pairs are comparisons, not searches"):
        bt.evaluation.search_trials(plan)
