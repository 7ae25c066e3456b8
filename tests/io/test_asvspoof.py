"""Keys and scores of ASVspoof and SASV, by hand: who is bona fide, which rows are attacks, of which species."""

from __future__ import annotations

import pytest

import bertillon as bt
from bertillon.core import InputError
from bertillon.io import read, sniff

A, B, C = "LA_E_1000001", "LA_E_1000002", "LA_E_1000003"
CASES = {  # text, then score, mated, attack, probe, reference, probe_subject of each row
    "2019 countermeasure key": (
        f"LA_0079 {A} - - bonafide\nLA_0080 {B} - A11 spoof\n",
        [(None, True, None, A, None, "LA_0079"), (None, False, "A11", B, None, "LA_0080")],
    ),
    "2019 verifier key": (
        f"m1 {A} bonafide target\nm1 {B} bonafide nontarget\nm2 {C} A07 spoof\n",
        [
            (None, True, None, A, "m1", None),
            (None, False, None, B, "m1", None),
            (None, False, "A07", C, "m2", None),
        ],
    ),
    "2019 verifier scores": (
        "bonafide target 3.5\nbonafide nontarget -3\nA07 spoof 1.25\n",
        [
            (3.5, True, None, None, None, None),
            (-3.0, False, None, None, None, None),
            (1.25, False, "A07", None, None, None),
        ],
    ),
    "2019 countermeasure scores": (
        f"{A} A11 spoof 0.25\n{B} - bonafide 0.75\n",
        [(0.25, False, "A11", A, None, None), (0.75, True, None, B, None, None)],
    ),
    "2021 LA countermeasure key": (
        f"LA_0009 {A} alaw ita_tx A07 spoof notrim eval\nLA_0020 {B} g722 loc_tx bonafide bonafide notrim eval\n",
        [(None, False, "A07", A, None, "LA_0009"), (None, True, None, B, None, "LA_0020")],
    ),
    "2021 LA verifier key": (
        f"LA_0015-alaw {A} alaw ita_tx bonafide nontarget notrim eval\nm {B} alaw ita_tx A07 spoof notrim eval\n",
        [(None, False, None, A, "LA_0015-alaw", None), (None, False, "A07", B, "m", None)],
    ),
    "2021 PA key": (
        f"PA_0010 {A} R3 M3 d4 r1 m1 s4 c4 spoof notrim eval\nPA_0010 {B} R3 M3 d4 - - - - bonafide notrim eval\n",
        [(None, False, "spoof", A, None, "PA_0010"), (None, True, None, B, None, "PA_0010")],
    ),
    "2021 DF key": (
        f"x {A} nocodec asvspoof A14 spoof notrim eval traditional_vocoder - - - -\n"
        f"y {B} nocodec asvspoof - bonafide notrim eval bonafide - - - -\n",
        [(None, False, "A14", A, None, "x"), (None, True, None, B, None, "y")],
    ),
    "2021 key with scores": (
        f"x {A} alaw ita_tx A07 spoof notrim eval -5.5\nx {B} g722 loc_tx bonafide bonafide notrim eval 2\n",
        [(-5.5, False, "A07", A, None, "x"), (2.0, True, None, B, None, "x")],
    ),
    "2021 scores": (f"{A} -0.5\n{B} 0.25\n", [(-0.5, None, None, A, None, None), (0.25, None, None, B, None, None)]),
    "ASVspoof 5 track 1": (
        f"T_1\t{A}\tF\t-\t-\t-\tAC3\tA05\tspoof\t-\nT_2\t{B}\tM\t-\t-\t-\t-\tbonafide\tbonafide\t-\n",
        [(None, False, "A05", A, None, "T_1"), (None, True, None, B, None, "T_2")],
    ),
    "ASVspoof 5 track 2": (
        f"E_1 {A} M bonafide target\nE_1 {B} M A18 spoof\n",
        [(None, True, None, A, "E_1", None), (None, False, "A18", B, "E_1", None)],
    ),
    "SASV scores": (
        f"m1 {A} 6.5 target\nm1 {B} 6.25 nontarget\nm2 {C} -2.5 spoof\n",
        [
            (6.5, True, None, A, "m1", None),
            (6.25, False, None, B, "m1", None),
            (-2.5, False, "spoof", C, "m2", None),
        ],
    ),
    "SASV trials": (
        f"m1 {A} target\nm2 {B} spoof\n",
        [(None, True, None, A, "m1", None), (None, False, "spoof", B, "m2", None)],
    ),
    "utterance and key": (
        "a.wav bonafide\nb.wav spoof\n",
        [(None, True, None, "a.wav", None, None), (None, False, "spoof", "b.wav", None, None)],
    ),
    "ASVspoof 5 scores": (
        f"filename\tcm-score\n{A}\t0.5\n{B}\t0.25\n",
        [(0.5, None, None, A, None, None), (0.25, None, None, B, None, None)],
    ),
    "ASVspoof 5 key": (
        f"filename\tcm-label\n{A}\tbonafide\n{B}\tspoof\n",
        [(None, True, None, A, None, None), (None, False, "spoof", B, None, None)],
    ),
    "ASVspoof 5 SASV key": (
        f"spk\tfilename\tcm-label\tasv-label\nm\t{A}\tspoof\tspoof\nm\t{B}\tbonafide\tnontarget\n",
        [(None, False, "spoof", A, "m", None), (None, False, None, B, "m", None)],
    ),
}
ROLES = ("score", "mated", "attack", "probe", "reference", "probe_subject")


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("packed", [False, True])
def test_each_layout_by_hand(put, name, packed):
    text, expected = CASES[name]
    path = put(text, packed=packed)
    assert sniff(path) == ("asvspoof-tsv" if name.startswith("ASVspoof 5 ") and "track" not in name else "asvspoof")
    frame = read(path).frame
    assert [tuple(row.get(role) for role in ROLES) for row in frame.to_dicts()] == expected


@pytest.mark.parametrize("name", CASES)
def test_without_ids_attacks_are_still_with_distinct_names(put, name):
    text, expected = CASES[name]
    frame = read(put(text), ids=False).frame
    assert set(frame.columns) <= {"score", "mated", "attack"}
    assert [row.get("attack") for row in frame.to_dicts()] == [row[2] for row in expected]


def test_a_key_keeps_what_else_it_says(put):
    frame = read(put(CASES["2021 LA countermeasure key"][0])).frame
    assert frame["codec"].to_list() == ["alaw", "g722"]
    assert frame["subset"].to_list() == ["eval", "eval"]


def test_several_subsets_are_named(put):
    text = CASES["2021 LA countermeasure key"][0].replace("eval\n", "progress\n", 1)
    assert "all subsets are read: 'eval', 'progress'" in map(str, read(put(text)).notes)


def test_a_spoof_beyond_the_first_lines_is_an_attack_too(put):
    """The head of the file looks like Kaldi scores."""
    text = "m t 0.5 target\nm u 0.25 nontarget\n" * 1000 + "m v 0.125 spoof\n"
    path = put(text)
    assert sniff(path) == "kaldi"
    frame = read(path).frame
    assert frame["attack"].null_count() == 2000
    assert frame.row(-1, named=True)["attack"] == "spoof"


def test_attacks_are_not_counted_as_non_mated_in_parts(put):
    path = put("m t 0.5 target\nm u 0.25 nontarget\n" * 1000 + "m v 0.125 spoof\n")
    with pytest.raises(InputError, match=r"holds attacks, which are not counted in parts; read it whole"):
        bt.evaluation.count_scores(bt.stream_scores(path))


def test_an_id_that_holds_the_word_is_no_attack(put):
    frame = read(put("spoof1 t 0.5 genuine\nspoof1 u 0.25 impostor\n")).frame
    assert "attack" not in frame.columns
    assert frame["mated"].to_list() == [True, False]


def test_three_scores_are_named_and_one_is_chosen(put):
    text = f"spk\tfilename\tcm-score\tasv-score\tsasv-score\nm\t{A}\t1\t2\t3\n"
    table = read(put(text))
    assert table.frame["score"].to_list() == [3.0]
    assert str(table.notes[-1]) == "score is 'sasv-score'; also present: 'asv-score', 'cm-score' (--column score=NAME)"
    for options in ({}, {"format": "asvspoof-tsv"}):
        chosen = read(put(text), columns={"score": "asv-score"}, **options)
        assert chosen.format == "asvspoof-tsv"
        assert chosen.frame.row(0) == (2.0, A, "m")


def test_two_scores_without_a_label_that_tells_are_refused(put):
    with pytest.raises(InputError, match=r"say which with --column score=asv-score or --column score=cm-score"):
        read(put(f"filename\tcm-score\tasv-score\n{A}\t1\t2\n"))
    frame = read(put(f"filename\tcm-score\tasv-score\tcm-label\n{A}\t1\t2\tspoof\n")).frame
    assert frame["score"].to_list() == [1.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x a - - bonafide\nx b - A1 spoof\nx c - A1 spoofed\n", r":3: key 'spoofed' in column 5; expected bonafide"),
        ("filename\tcm-label\na\tbonafide\nb\tyes\n", r":3: key 'yes' in column 2; expected bonafide, spoof"),
        ("filename\tcm-score\na\tx1\n", r"score 'x1' is not a number"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(put, text, message):
    with pytest.raises(InputError, match=message):
        read(put(text))


def test_a_stated_format_says_what_it_expects(put):
    with pytest.raises(InputError, match="are no ASVspoof or SASV file"):
        read(put("a b c\nd e f\n"), format="asvspoof")
    with pytest.raises(InputError, match="begins with names such as filename"):
        read(put("a b c\nd e f\n"), format="asvspoof-tsv")
    assert read(put("a.wav 0.5\nb.wav 1\n"), format="asvspoof").frame["probe"].to_list() == ["a.wav", "b.wav"]


def test_attack_detection_reads_the_scores_of_a_countermeasure(put):
    bona_fide, attacks = bt.trials.read_pad(put(CASES["2019 countermeasure scores"][0]))
    assert bona_fide.scores.tolist() == [0.75]
    assert [(one.name, one.scores.tolist()) for one in attacks.species] == [("A11", [0.25])]
