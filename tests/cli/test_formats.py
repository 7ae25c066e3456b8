"""Formats at the command line: what is read says how, and what cannot be said of it is refused."""

from __future__ import annotations

import json


def test_identify_takes_the_true_pairs_of_pyeer(bertillon, tmp_path):
    (tmp_path / "scores.txt").write_text("q1 a 0.9\nq1 b 0.4\nq2 a 0.6\nq2 b 0.5\n")
    (tmp_path / "pairs.txt").write_text("q1 a\nq2 b\n")
    ran = bertillon("identify", "scores.txt", "--mates", "pairs.txt", "--explain")
    assert ran.code == 0
    assert "read as candidate lists: 2 searches, known by the mates given" in ran.out
    ran = bertillon("identify", "scores.txt", "--mates", "pairs.txt", "--json", "-")
    assert {one["name"]: one["value"] for one in json.loads(ran.out)["measures"]}["RR"] == 0.5


def test_mates_are_for_lists_of_candidates(bertillon, tmp_path):
    (tmp_path / "matrix.csv").write_text(",a,b\na,1,2\nb,3,4\n")
    (tmp_path / "pairs.txt").write_text("a a\n")
    ran = bertillon("identify", "matrix.csv", "--mates", "pairs.txt")
    assert ran.code == 2
    assert "holds a matrix; --mates is for lists of candidates" in ran.err


CURVE = "threshold,FAR,FRR\n0.1,.25,.001\n0.2,.1,.005\n0.3,.05,.015\n0.4,.02,.035\n0.5,.01,.07\n0.6,.005,.15\n"


def test_verify_answers_what_a_curve_can(bertillon, tmp_path):
    (tmp_path / "curve.csv").write_text(CURVE)
    ran = bertillon("verify", "curve.csv", "--explain")
    assert ran.code == 0
    assert "2.9 %" in ran.out
    assert "0.37" in ran.out
    assert "read as a curve of 6 points: threshold, FAR, FRR" in ran.out
    assert "the number of comparisons is unknown" in ran.out
    ran = bertillon("verify", "curve.csv", "-m", "dprime", "-x", "0.02", "--json", "-")
    rows = {one["name"]: one for one in json.loads(ran.out)["measures"]}
    assert rows["dprime"]["reason"] == "the file holds a curve, not scores"
    assert rows["FNMR@FMR=0.02"]["value"] == 0.035


def test_options_that_need_scores_are_refused_for_a_curve(bertillon, tmp_path):
    (tmp_path / "curve.csv").write_text(CURVE)
    (tmp_path / "scores.csv").write_text("label,score\n1,0.5\n0,0.25\n")
    for options in (
        ("--people",),
        ("--groups", "people.csv"),
        ("--distance",),
        ("--figures", "out"),
        ("--level", "0.9"),
    ):
        ran = bertillon("verify", "curve.csv", *options)
        assert ran.code == 2
        assert f"holds an error curve, not scores; {options[0]} needs scores" in ran.err
    ran = bertillon("verify", "curve.csv", "scores.csv")
    assert ran.code == 2
    assert "holds an error curve, and scores.csv does not" in ran.err


def test_a_curve_without_intervals_needs_no_scores(bertillon, tmp_path):
    (tmp_path / "curve.csv").write_text("threshold,FMR,FNMR\n0.1,0.5,0.1\n0.5,0.2,0.2\n0.9,0.1,0.5\n")
    ran = bertillon("verify", tmp_path / "curve.csv", "-m", "EER", "--no-intervals")
    assert ran.code == 0, ran.err
    assert "20 %" in ran.out


def test_templates_where_scores_are_expected_are_told_how_to_be_read(bertillon, tmp_path):
    rows = "".join(f"{who},{who}{place},{place + 0.5},{ord(who)}\n" for who in "ab" for place in range(3))
    (tmp_path / "templates.csv").write_text("subject,sample,f0,f1\n" + rows)
    ran = bertillon("verify", tmp_path / "templates.csv", "-m", "EER", "--no-intervals")
    assert ran.code == 2
    assert "if these are templates, say --kind vector" in " ".join(ran.err.split())
    ran = bertillon("verify", tmp_path / "templates.csv", "-m", "EER", "--no-intervals", "--kind", "vector")
    assert ran.code == 0, ran.err
