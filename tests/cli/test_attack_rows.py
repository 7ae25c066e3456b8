"""R5: attacks among the trials of `verify` are no impostors, and `attacks` finds them in the same files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import bertillon as bt

RNG = np.random.default_rng(5)
N = 60
MATED, NONMATED, ATTACKS = (np.round(RNG.normal(mean, 1.0, N), 5) for mean in (3.0, 0.0, 2.0))
TRUE = bt.evaluate(bt.ScoreSet(MATED, NONMATED), ["EER"])["EER"].value
POOLED = bt.evaluate(bt.ScoreSet(MATED, np.concatenate([NONMATED, ATTACKS])), ["EER"])["EER"].value
SPECIES = ["print" if number % 2 else "mask" for number in range(N)]


def rows(*layouts: str, header: str = "") -> str:
    """Lines of mated, non-mated and attack scores, each in its layout."""
    lines = [
        layout.format(score=score, id=f"s{number}", species=SPECIES[number])
        for layout, scores in zip(layouts, (MATED, NONMATED, ATTACKS), strict=True)
        for number, score in enumerate(scores)
    ]
    return "\n".join([*([header] if header else []), *lines]) + "\n"


LAYOUTS = {
    "words in the label": rows("target,{score}", "nontarget,{score}", "spoof,{score}", header="label,score"),
    "numbered attacks": rows("bonafide,{score}", "nontarget,{score}", "A07,{score}", header="key,score"),
    "a column of species": rows("1,,{score}", "0,,{score}", "0,{species},{score}", header="label,attack_type,score"),
    "bob csv": rows(
        "{id},{id},,{score}",
        "{id},x,,{score}",
        "{id},{id},{species},{score}",
        header="probe_subject_id,bio_ref_subject_id,probe_attack_type,score",
    ),
    "bob with a real id": rows("{id} {id} p {score}", "x {id} p {score}", "{id} attack p {score}"),
}
SPECIES_OF = {
    "words in the label": {"spoof"},
    "numbered attacks": {"A07"},
    "a column of species": {"print", "mask"},
    "bob csv": {"print", "mask"},
    "bob with a real id": {"attack"},
}


def test_the_attacks_would_change_the_answer() -> None:
    assert POOLED > 2 * TRUE


@pytest.mark.parametrize("layout", LAYOUTS)
def test_R5_verify_leaves_attacks_out_and_says_so(bertillon, tmp_path: Path, layout: str) -> None:
    Path("s.txt").write_text(LAYOUTS[layout])
    ran = bertillon("verify", "s.txt", "-m", "EER", "--json", "-", "--no-intervals")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["measures"][0]["value"] == TRUE
    shown = bertillon("verify", "s.txt", "-m", "EER", "--no-intervals").out
    assert "60 attacks (" in shown
    assert "left out; measure them with: bertillon attacks s.txt" in " ".join(shown.split())


@pytest.mark.parametrize("layout", LAYOUTS)
def test_R5_attacks_finds_the_species_in_the_same_file(bertillon, tmp_path: Path, layout: str) -> None:
    Path("s.txt").write_text(LAYOUTS[layout])
    ran = bertillon("attacks", "s.txt", "-t", "1.5", "--json", "-")
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    assert {one["species"] for one in found["species"]} == SPECIES_OF[layout]
    assert sum(one["trials"] for one in found["species"]) == N
    accepted = sum(round(one["value"] * one["trials"]) for one in found["species"])
    assert accepted == int((ATTACKS >= 1.5).sum())


@pytest.mark.parametrize("write", ["parquet", "npz"])
def test_R5_streams_leave_attacks_out_too(bertillon, tmp_path: Path, write: str) -> None:
    labels = ["target"] * N + ["nontarget"] * N + ["spoof"] * N
    scores = np.concatenate([MATED, NONMATED, ATTACKS])
    if write == "parquet":
        pl.DataFrame({"label": labels, "score": scores}).write_parquet("s.parquet")
    else:
        np.savez("s.npz", label=np.array(labels), score=scores)
    ran = bertillon("verify", f"s.{write}", "--stream", "-m", "EER", "--json", "-", "--no-intervals")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["measures"][0]["value"] == pytest.approx(TRUE)


def test_R5_a_person_called_attack_is_a_person(tmp_path: Path) -> None:
    path = tmp_path / "s.txt"
    path.write_text("ann ann p1 0.9\nattack attack p2 0.8\nann attack p3 0.1\nattack ann p4 0.2\n")
    found = bt.read_scores(path)
    assert (found.mated.size, found.nonmated.size) == (2, 2)


def test_R5_an_attack_detector_is_sent_to_the_right_command(bertillon, tmp_path: Path) -> None:
    Path("pad.csv").write_text("label,score\n" + "bonafide,0.9\n" * 3 + "spoof,0.1\n" * 4)
    ran = bertillon("verify", "pad.csv")
    assert ran.code == 2
    assert "3 bona fide presentations and 4 attacks, and no impostors" in ran.err
    assert "bertillon attacks --pad pad.csv" in ran.err
    Path("only.csv").write_text("species,score\nprint,0.9\nmask,0.1\n")
    ran = bertillon("verify", "only.csv")
    assert (ran.code, "holds 2 attacks and nothing else" in ran.err) == (2, True)


def test_R5_labels_that_mean_the_contrary_are_noticed(bertillon, tmp_path: Path) -> None:
    Path("pad.csv").write_text("label,species,score\n" + "0,,0.9\n" * 30 + "1,print,0.1\n" * 30)
    ran = bertillon("attacks", "pad.csv", "--pad")
    assert (ran.code, "--values attack=1,bonafide=0" in ran.err) == (2, True)
    ran = bertillon("attacks", "pad.csv", "--pad", "--values", "attack=1,bonafide=0", "--json", "-")
    assert json.loads(ran.out)["BPCER"]["value"] == 0.0


def test_R5_a_detector_that_runs_the_other_way_is_suspected(bertillon, tmp_path: Path) -> None:
    Path("pad.csv").write_text("label,score\n" + "bonafide,0.1\n" * 30 + "spoof,0.9\n" * 30)
    assert "! Bona fide scores are below attacks: use --distance, or" in bertillon("attacks", "pad.csv", "--pad").out
    shown = " ".join(bertillon("attacks", "pad.csv", "--pad", "--explain").out.split())
    assert "Bona fide presentations score lower than attacks (AUC 0.000). Either a lower score means bona fide" in shown
    right = " ".join(bertillon("attacks", "pad.csv", "--pad", "--distance", "--explain").out.split())
    assert "score lower than attacks" not in right
    assert "score higher than attacks" not in right


@pytest.mark.parametrize("lang", ["it", "es", "zh"])
def test_R5_the_suspicion_is_translated(tmp_path: Path, lang: str) -> None:
    from bertillon.advice import attack_warnings
    from bertillon.core import catalogue

    for rule in ("similarity", "distance"):
        low, high = ([0.1] * 30, [0.9] * 30) if rule == "similarity" else ([0.9] * 30, [0.1] * 30)
        rates = bt.analysis.pad_rates(low, {"mask": high}, rule=rule)
        warning = attack_warnings(rates)[0]
        assert catalogue(lang).text(warning) != str(warning)
        assert f"{rates.auc:.3f}" in catalogue(lang).text(warning)


def asvspoof(kind: str) -> tuple[list[str], list[str]]:
    """Scores in another order than the key, of a countermeasure (cm) or of a whole system (sasv)."""
    scores, key = [], []
    for number, score in enumerate(np.concatenate([MATED, NONMATED, ATTACKS])):
        utterance, word = f"LA_E_{1000000 + number}", ("target", "nontarget", "spoof")[number // N]
        if kind == "sasv":
            scores.append(f"LA_0001 {utterance} {score} {word}")
        elif word != "nontarget":
            scores.append(f"{utterance} {score}")
            species, cm = ("A07", "spoof") if word == "spoof" else ("-", "bonafide")
            key.append(f"LA_0001 {utterance} alaw ita_tx {species} {cm} notrim eval")
    return scores[::-1], key


def test_R5_a_shuffled_asvspoof_score_file_is_joined_with_its_key(bertillon, tmp_path: Path) -> None:
    scores, key = asvspoof("cm")
    Path("scores.txt").write_text("\n".join(scores) + "\n")
    Path("key.txt").write_text("\n".join(key) + "\n")
    ran = bertillon("attacks", "--pad", "scores.txt", "key.txt", "-t", "1.5", "--json", "-")
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    assert found["BPCER"]["value"] == (MATED < 1.5).mean()
    assert found["species"][0]["species"] == "A07"
    assert found["species"][0]["value"] == (ATTACKS >= 1.5).mean()
    assert "no impostors" in bertillon("verify", "scores.txt", "key.txt").err
    assert "bertillon attacks --pad scores.txt key.txt" in bertillon("inspect", "scores.txt", "key.txt").out


def test_R5_sasv_scores_are_of_three_kinds(bertillon, tmp_path: Path) -> None:
    Path("sasv.txt").write_text("\n".join(asvspoof("sasv")[0]) + "\n")
    ran = bertillon("verify", "sasv.txt", "-m", "EER", "--json", "-", "--no-intervals")
    assert json.loads(ran.out)["measures"][0]["value"] == TRUE
