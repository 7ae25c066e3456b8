"""Formats at the command line: what is read says how, and what cannot be said of it is refused."""

from __future__ import annotations

import json


def test_identify_takes_the_true_pairs_of_pyeer(bertillon, tmp_path):
    (tmp_path / "scores.txt").write_text("q1 a 0.9\nq1 b 0.4\nq2 a 0.6\nq2 b 0.5\n")
    (tmp_path / "pairs.txt").write_text("q1 a\nq2 b\n")
    ran = bertillon("identify", "scores.txt", "--mates", "pairs.txt")
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
