"""`--vocabulary` on every table, and warnings of mistakes. SPEC R3, K12."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

FACES = Path(__file__).resolve().parents[2] / "examples" / "faces.npz"


def rows(ran) -> list[list[str]]:
    assert ran.code == 0, ran.err
    return [line.split() for line in ran.out.splitlines() if line.strip()]


def test_R3_tables_of_verify(bertillon, lists) -> None:
    """R3: FNMR@FMR = FNR@FPR; the biometric names are the usual ones; `both` shows them side by side."""
    asked = ("verify", *lists, "-m", "FNMR@FMR=0.2", "-m", "EER", "-x", 0.25, "--volume", "genuine=10,impostor=5")
    asked = (*asked, "--no-intervals")  # the sentences about them keep the canonical names
    usual, biometric, ml, both = (
        bertillon(*asked, *option)
        for option in ((), ("--vocabulary", "biometric"), ("--vocabulary", "ml"), ("--vocabulary", "both"))
    )
    assert usual.out == biometric.out
    assert "FRR@FAR=0.2" in usual.out
    assert "FPR" not in usual.out
    for words in ("FNR@FPR=0.2", "FPR(FNR=x)", "threshold FNR=x"):
        assert words in ml.out
    tables = ml.out.split("\n! ")[0]
    assert "FNMR" not in tables
    assert "FAR" not in tables
    assert next(row for row in rows(both) if row[0] == "FNMR@FMR=0.2")[-1] == "FNR@FPR=0.2"
    assert all(name in both.out for name in ("FAR = FPR", "FMR=x = FPR=x"))
    assert [row[2:4] for row in rows(ml) if row[0] == "EER"] == [row[2:4] for row in rows(usual) if row[0] == "EER"]


def test_R3_json_keeps_the_canonical_names(bertillon, lists) -> None:
    asked = ("verify", *lists, "-m", "FPR@t=0.5", "-m", "EER", "--json", "-")
    assert bertillon(*asked, "--vocabulary", "ml").out == bertillon(*asked).out
    assert [row["name"] for row in json.loads(bertillon(*asked).out)["measures"]] == ["FMR@t=0.5", "EER"]


def test_R3_tables_of_identify_and_modes(bertillon) -> None:
    """R3: closed-set identification is top-k accuracy over people."""
    asked = ("identify", FACES, "--leave-out", 0.25, "-m", "RR", "-m", "DIR@FPIR=0.1,k=1")
    ml = bertillon(*asked, "--volume", "passers=100", "--vocabulary", "ml")
    assert {"Top@1", "Recall@FPR=0.1,k=1"} <= {row[0] for row in rows(ml)}
    both = bertillon(*asked, "--vocabulary", "both")
    assert next(row for row in rows(both) if row[0] == "RR")[-1] == "Top@1"
    modes = bertillon("modes", FACES, "--leave-out", 0.25, "--vocabulary", "both", "--all")
    found = {row[0]: row[-1] for row in rows(modes)}
    assert found["FNMR@FMR=0.01"] == "FNR@FPR=0.01"
    assert found["CMS@5"] == "Top@5"
    assert found["DIR@FPIR=0.01,k=1"] == "Recall@FPR=0.01,k=1"


def test_R3_tables_of_classify(bertillon, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("y_true,p\n1,0.9\n1,0.4\n0,0.6\n0,0.1\n1,0.7\n")
    asked = ("classify", "p.csv", "-m", "Recall", "-m", "FPR", "-m", "F1")
    usual, biometric = bertillon(*asked), bertillon(*asked, "--vocabulary", "biometric")
    assert {"Recall", "FPR", "F1"} <= {row[0] for row in rows(usual)}
    assert {"TMR", "FMR", "F1"} <= {row[0] for row in rows(biometric)}
    both = bertillon(*asked, "--vocabulary", "both")
    assert next(row for row in rows(both) if row[0] == "Recall" and "%" in row)[-1] == "TMR"
    complete = bertillon("classify", "p.csv", "--vocabulary", "biometric").out
    assert "TM 2" in complete
    assert "TP" not in complete.split("AUC")[0]


def test_R3_tables_of_several_classes(bertillon, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("y_true,y_pred\na,a\nb,b\nb,c\nc,c\n")
    assert "Recall" in bertillon("classify", "m.csv").out
    shown = bertillon("classify", "m.csv", "--vocabulary", "biometric", "--no-intervals").out.split("Recommended")[0]
    assert "TMR" in shown
    assert "Recall" not in shown


@pytest.mark.parametrize("command", ["verify", "identify", "modes", "classify"])
def test_an_unknown_vocabulary_is_refused(bertillon, command: str) -> None:
    ran = bertillon(command, FACES, "--vocabulary", "both-of-them")
    assert ran.code == 2
    assert "Traceback" not in ran.err
    for word in ("biometric", "ml", "both"):
        assert word in ran.err


def test_K12_mistakes_are_told_on_the_terminal_and_in_json(bertillon, lists) -> None:
    """003 10.5: one number alone, and a threshold chosen where it is judged."""
    alone = bertillon("verify", *lists, "-m", "EER")
    assert "! EER alone hides the trade-off. Report FNMR@FMR=0.001 as well." in alone.out
    cost = ("verify", *lists, "-m", "EER", "--cost", "fa=500,fr=2", "--prior", "impostor=0.01")
    assert "! The threshold was tuned on these data, so the result is optimistic." in bertillon(*cost).out
    explained = bertillon(*cost, "--explain").out
    assert "minCost(cfa=500,cfr=2,impostor=0.01): this threshold was tuned on the same data" in explained
    said = json.loads(bertillon(*cost, "--json", "-").out)["warnings"]
    assert any("tuned on the same data" in sentence for sentence in said)
    usual = bertillon("verify", *lists).out
    assert "alone" not in usual
    assert "chose its" not in usual


def test_K12_accuracy_over_folds_of_skewed_pairs(bertillon, tmp_path: Path) -> None:
    lines = [f"{int(i % 20 == 0)},{(i % 20 == 0) + i / 100:g},{i // 20}" for i in range(60)]
    (tmp_path / "pairs.csv").write_text("label,score,fold\n" + "\n".join(lines) + "\n")
    ran = bertillon("verify", "pairs.csv", "--folds")
    assert "! 95.0 % of the comparisons are non-mated: do not rely on accuracy." in ran.out
    explained = bertillon("verify", "pairs.csv", "--folds", "--explain").out
    assert "! 95.0 % of the comparisons are non-mated: rejecting all of them would" in explained
    answer = json.loads(bertillon("verify", "pairs.csv", "--folds", "--json", "-").out)
    assert any(sentence.startswith("95.0 % of the comparisons") for sentence in answer["warnings"])


def test_K12_systems_measured_on_different_comparisons(bertillon, table: Path) -> None:
    other = table.with_name("other.csv")
    other.write_text(table.read_text() + "0,0.33\n")
    words = "scores.csv was measured on 5 + 10 comparisons, other.csv on 5 + 11 comparisons"
    assert "! scores.csv and other.csv were measured on different data." in bertillon("verify", table, other).out
    assert words in bertillon("verify", table, other, "--explain").out
    assert words in json.loads(bertillon("verify", table, other, "--json", "-").out)["warnings"][0]
    assert "was measured on" not in bertillon("verify", table, table, "--name", "a", "--name", "b").out
