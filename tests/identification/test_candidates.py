"""Candidate lists: read as NIST writes them, and turned into the same searches as the whole matrix."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from identification.cases import cases

import bertillon as bt
from bertillon.core import ComparisonTable
from bertillon.evaluation import evaluate
from bertillon.io import CANDIDATES, FORMATS, Request, fits, head_of, look, open_source
from bertillon.trials import searches_from_candidates

NIST = """searchId candidateRank searchRetCode isAssigned templateId score decision
s1 0 0 1 ann 0.9 1
s1 1 0 1 bob 0.5 0
s2 0 0 1 bob 0.7 1
s2 1 0 1 ann 0.7 1
s3 0 0 1 cat 0.4 0
s3 1 0 0 NA -1 0
s4 0 0 0 NA -1 0
s5 0 2 0 NA -1 0
"""


def read(tmp_path, text: str) -> ComparisonTable:
    path = tmp_path / "lists.txt"
    path.write_text(text)
    source = open_source(path)
    return CANDIDATES.reader(source, look(source), Request("candidates"))


def test_lists_as_nist_writes_them_by_hand(tmp_path):
    table = read(tmp_path, NIST)
    assert table.frame.columns == ["score", "probe", "reference_subject", "rank", "failed"]
    assert len(table) == 8
    assert table.frame["reference_subject"].null_count() == 3
    found = searches_from_candidates(table, mates={"s1": "ann", "s2": "ann", "s5": "bob"}, gallery_size=10)
    assert found.enrolled.tolist() == [True, True, False, False]
    assert found.ranks().tolist() == [1, 2]
    assert found.ranks("optimistic").tolist() == [1, 1]
    np.testing.assert_array_equal(found.top_score, [0.9, 0.7, 0.4, math.nan])
    assert (found.failed_enrolled, found.failed_nonenrolled) == (1, 0)
    assert found.gallery_size == 10
    np.testing.assert_array_equal(found.others, [[0.4, math.nan], [math.nan, math.nan]])
    evaluation = evaluate(found, ["FPIR@t=0.4", "FPIR@t=0.5", "RR", "SEL@t=0.1"])
    assert evaluation["FPIR@t=0.4"].value == 0.5  # a list that came back empty is a search without an alarm
    assert evaluation["FPIR@t=0.5"].value == 0
    assert evaluation["SEL@t=0.1"].value == 0.5


def test_mates_in_a_column_and_distances_by_hand(tmp_path):
    table = read(tmp_path, "search,rank,candidate,distance,mate\n1,1,7,0.5,8\n1,2,8,0.6,8\n2,1,8,0.4,\n3,1,8,0.1,9\n")
    assert table.rule is bt.AcceptRule.DISTANCE
    found = searches_from_candidates(table)
    assert found.ranks().tolist() == [2, math.inf]
    assert found.mate_score[found.found].tolist() == [0.6]
    assert found.top_score.tolist() == [0.5, 0.4, 0.1]
    assert found.gallery_size == 3
    assert "not stated" in str(found.notes[-1])
    evaluation = evaluate(found, ["CMS@2", "MeanRank", "DIR@t=0.6,k=2"])
    assert evaluation["CMS@2"].value == 0.5
    assert str(evaluation["MeanRank"].reason) == "1 of 2 mates are not among the candidates and have no rank"
    assert evaluation["DIR@t=0.6,k=2"].value == 0.5


def test_an_eer_that_empty_lists_keep_out_of_reach_is_undefined():
    """Both enrolled searches miss; of two strangers one alarms: FNIR is above FPIR at every threshold."""
    frame = pl.DataFrame(
        {
            "probe": list("abcd"),
            "reference_subject": ["x", "x", "x", None],
            "score": [0.5, 0.5, 0.5, None],
            "probe_subject": ["m", "n", None, None],
        }
    )
    found = evaluate(searches_from_candidates(ComparisonTable(frame)), ["EERopen", "AUCopen"])
    assert "even when no candidate is rejected" in str(found["EERopen"].reason)
    assert found["AUCopen"].value == 0


@given(cases(all_against_all=False, fusions=["best"]))
def test_full_lists_against_the_whole_matrix(case):
    """A list of everybody is the matrix, template by template, the best of each person counting."""
    people = set(case.gallery)
    cells = [
        (str(i), case.gallery[j], float(case.scores[i, j]), case.probes[i] if case.probes[i] in people else None)
        for i in range(len(case.probes))
        for j in range(len(case.gallery))
    ]
    lost = {i for i in range(len(case.probes)) if np.isnan(case.scores[i]).all()}
    cells = [(*cell, int(cell[0]) in lost) for cell in cells]
    columns = {"probe": str, "reference_subject": str, "score": float, "probe_subject": str, "failed": bool}
    table = ComparisonTable(pl.DataFrame(cells, schema=columns, orient="row"))
    found, whole = searches_from_candidates(table, rule=case.rule, gallery_size=len(people)), case.searches()
    if not case.gallery:
        return  # searches that met nobody stand in no candidate list
    for name in ("enrolled", "mate_score", "n_better", "n_equal", "top_score", "top_other"):
        np.testing.assert_array_equal(getattr(found, name), getattr(whole, name), err_msg=name)
    assert (found.failed_enrolled, found.failed_nonenrolled) == (whole.failed_enrolled, whole.failed_nonenrolled)


def test_what_is_refused_and_what_is_said(tmp_path):
    with pytest.raises(bt.InputError, match="nothing says who the searches are of"):
        searches_from_candidates(read(tmp_path, NIST))
    with pytest.raises(bt.InputError, match="begins with names such as searchId"):
        read(tmp_path, "a b c\n1 2 3\n")
    frame = pl.DataFrame({"probe": ["1", "1"], "reference_subject": ["a", "b"], "score": [1.0, 2.0]})
    with pytest.raises(bt.InputError, match="'1' names more than one mate"):
        searches_from_candidates(ComparisonTable(frame.with_columns(probe_subject=pl.Series(["a", "b"]))))
    with pytest.raises(bt.InputError, match="no column 'score'"):
        searches_from_candidates(ComparisonTable(frame.drop("score")))


@pytest.mark.parametrize("header", ["probe,reference,score", "score,label", "rank,score", "search,rank,score"])
def test_other_tables_are_not_taken_for_candidate_lists(header):
    assert not fits(head_of(f"{header}\n1,2,3\n".encode()))
    assert fits(head_of(NIST.encode()))


def test_no_other_format_of_the_same_rank_takes_a_candidate_list():
    head = head_of(NIST.encode())
    rivals = [one.name for one in FORMATS.values() if one.rank <= 1 and one.suits(head)]
    assert rivals in ([], ["candidates"])


@pytest.mark.parametrize(("rule", "warned"), [("similarity", True), ("distance", False)])
def test_ranks_that_run_against_the_scores_are_warned_of_by_hand(rule, warned) -> None:
    """Distances taken for similarities put every mate last."""
    frame = pl.DataFrame(
        {
            "probe": ["s1", "s1", "s1", "s2", "s2", "s3"],
            "rank": [1, 2, 3, 1, 2, 1],
            "reference_subject": ["a", "b", "c", "b", "c", "a"],
            "score": [0.1, 0.5, 0.9, 0.2, 0.2, 0.3],
            "probe_subject": ["a", "a", "a", "b", "b", None],
        }
    )
    found = searches_from_candidates(ComparisonTable(frame), rule=rule)
    assert bool(found.warnings) is warned
    if warned:
        assert "In 1 of 1 lists the first candidate is less similar" in str(found.warnings[0])
        assert "seem to be a distance" in str(found.warnings[0])


PAIRS = "q1 a 0.9\nq1 b 0.4\nq2 a 0.6\nq2 b 0.5\n"


@pytest.mark.parametrize("text", ["q1 a\nq2 b\n", "search,mate\nq1,a\nq2,b\n", "q1\ta\nq2\tb\nq2\tb\n"])
def test_mates_from_a_file_by_hand(tmp_path, text):
    """The mate of q1 comes first, that of q2 second; pairs of scores are lists, whichever id stands first."""
    (tmp_path / "mates").write_text(text)
    mates = bt.trials.read_mates(tmp_path / "mates")
    assert mates == {"q1": "a", "q2": "b"}
    for pairs in (
        PAIRS,
        "".join(f"{line.split()[1]} {line.split()[0]} {line.split()[2]}\n" for line in PAIRS.splitlines()),
    ):
        (tmp_path / "scores").write_text(pairs)
        searches = bt.trials.searches_from_candidates(bt.io.read(tmp_path / "scores"), mates=mates)
        assert searches.n_better.tolist() == [0, 1]
        assert searches.enrolled.all()


@pytest.mark.parametrize(
    ("mates", "message"),
    [
        ("q1 a\nq1 b\n", "search 'q1' has more than one mate"),
        ("q1 a x\n", "has 3 columns; mates are given as a search and its mate"),
        ("q9 a\n", "neither id of the pairs holds all of the searches"),
    ],
)
def test_mates_that_do_not_fit_say_why(tmp_path, mates, message):
    (tmp_path / "mates").write_text(mates)
    (tmp_path / "scores").write_text(PAIRS)
    with pytest.raises(bt.InputError, match=message):
        bt.trials.searches_from_candidates(
            bt.io.read(tmp_path / "scores"), mates=bt.trials.read_mates(tmp_path / "mates")
        )


def test_ranks_against_pyeer():
    pyeer = pytest.importorskip("pyeer")
    from pyeer.cmc_stats import get_cmc_curve, load_scores_from_file

    folder = Path(pyeer.__file__).parent / "example_files" / "cmc"
    expected = get_cmc_curve(load_scores_from_file(folder / "exp1_scores.txt", folder / "exp1_tp.txt"), 20)
    table, mates = bt.io.read(folder / "exp1_scores.txt"), bt.trials.read_mates(folder / "exp1_tp.txt")
    ranks = (1, 2, 5, 20)
    found = evaluate(bt.trials.searches_from_candidates(table, mates=mates), [f"CMS@{k}" for k in ranks])
    assert [found[f"CMS@{k}"].value for k in ranks] == pytest.approx([expected[k - 1] for k in ranks])


@pytest.mark.parametrize("direction", ["similarity", "distance"])
def test_a_candidate_that_stands_several_times_counts_once_by_hand(tmp_path, direction):
    scores = {"similarity": (0.9, 0.9, 0.8, 0.7), "distance": (0.1, 0.1, 0.2, 0.3)}[direction]
    best, threshold = scores[0], 0.5
    lines = [f"s1,{rank},ann,{score},\n" for rank, score in enumerate(scores)]
    lines += [f"s2,{rank},{who},{score},bob\n" for rank, (who, score) in enumerate(zip("ccbb", scores, strict=True))]
    text = "searchId,rank,candidate,score,mateId\n" + "".join(lines).replace(",b,", ",bob,")
    found = searches_from_candidates(read(tmp_path, text), rule=direction)
    np.testing.assert_array_equal(found.others, [[best, math.nan, math.nan, math.nan]])
    assert found.ranks().tolist() == [2]  # after one other candidate, not two
    assert found.gallery_size == 3
    assert evaluate(found, [f"SEL@t={threshold}"])[f"SEL@t={threshold}"].value == 1.0


@pytest.mark.parametrize("word", ["unknown", "Stranger", "nobody", "not enrolled", "not_enrolled", "NA", ""])
def test_words_for_strangers_are_no_mates_by_hand(tmp_path, word):
    lists = f"search,rank,candidate,score,mate\ns1,1,ann,0.9,ann\ns2,1,bob,0.4,{word}\ns3,1,bob,0.3,dan\n"
    table = read(tmp_path, lists)
    found = searches_from_candidates(table)
    assert found.enrolled.tolist() == [True, False, True]
    assert "1 of 2 mates occur in no candidate list" in map(str, found.notes)
    mates = tmp_path / "mates.csv"
    mates.write_text(f"search,mate\ns1,ann\ns2,{word}\ns3,dan\n")
    assert bt.trials.read_mates(mates) == {"s1": "ann", "s3": "dan"}


def test_given_mates_are_not_said_to_be_missing(tmp_path):
    table = read(tmp_path, NIST)
    assert any("the mates are unknown" in str(note) for note in table.notes)
    found = searches_from_candidates(table, mates={"s1": "ann", "s2": "ann"})
    assert not any("the mates are unknown" in str(note) or "in no candidate list" in str(note) for note in found.notes)
