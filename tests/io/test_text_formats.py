"""Each format whose columns are known by place, by hand."""

from __future__ import annotations

import math

import pytest

import bertillon as bt
from bertillon.core import ComparisonTable, InputError
from bertillon.io import read, sniff

CASES = {
    "bob-2": "1 0.9\n-1 0.25\n",
    "bob-4": "ann ann a1 0.9\nann bob b1 0.25\n",
    "bob-5": "ann m1 ann a1 0.9\nann m1 bob b1 0.25\n",
    "kaldi": "m1 t1 0.9 target\nm1 t2 0.25 nontarget\n",
    "csv": "mated,score\ntrue,0.9\nfalse,0.25\n",
    "tsv": "label\tscore\n1\t0.9\n0\t0.25\n",
    "bob-csv": "probe_subject_id,bio_ref_subject_id,score\nann,ann,0.9\nann,bob,0.25\n",
    "nist-1to1": "enrollTempl verifTempl simScore returnCode\ne1 v1 0.9 0\ne1 v2 0.25 0\n",
    "voxceleb-scores": "0.9 id1/a.wav id1/b.wav\n0.25 id1/a.wav id2/c.wav\n",
    "pyeer": "a1 0.9\nb1 0.25\n",
    "scores": "0.9\n0.25\n",
}
LABELLED = ["bob-2", "bob-4", "bob-5", "kaldi", "csv", "tsv", "bob-csv"]


def table_of(path, **options) -> ComparisonTable:
    table = read(path, **options)
    assert isinstance(table, ComparisonTable)
    return table


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("packed", [False, True])
def test_each_format_is_recognised_and_read(put, name, packed):
    path = put(CASES[name], "wrong-suffix.npy", packed=packed)
    assert sniff(path) == name
    table = table_of(path)
    assert table.format == name
    assert table.frame["score"].to_list() == [0.9, 0.25]
    assert table.notes
    assert table.source == str(path)


@pytest.mark.parametrize("name", LABELLED)
def test_labels_by_hand(put, name):
    assert table_of(put(CASES[name])).frame["mated"].to_list() == [True, False]


@pytest.mark.parametrize("name", CASES)
def test_without_ids_only_score_and_mated_are_read(put, name):
    frame = table_of(put(CASES[name]), ids=False).frame
    assert frame.columns == (["score", "mated"] if name in LABELLED else ["score"])
    assert frame["score"].to_list() == [0.9, 0.25]


@pytest.mark.parametrize("name", [name for name in CASES if name not in ("csv", "bob-csv", "tsv")])
@pytest.mark.parametrize(
    "mangle",
    [
        lambda text: text.replace(" ", "\t"),
        lambda text: text.replace(" ", " \t  "),
        lambda text: text.replace("\n", "  \n"),
        lambda text: "  " + text.replace("\n", "\n  ").rstrip(),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: "\ufeff" + text,
        lambda text: text.rstrip("\n"),
        lambda text: "# a comment, with 3 words\n\n" + text.replace("\n", "\n\n# 1 2 3\n", 1) + "\n\n",
    ],
    ids=["tabs", "runs", "trailing", "leading", "crlf", "cr", "bom", "no-newline", "comments"],
)
def test_blanks_line_ends_and_comments_do_not_matter(put, name, mangle):
    plain, mangled = table_of(put(CASES[name])), table_of(put(mangle(CASES[name]), "mangled"))
    assert mangled.frame.equals(plain.frame)
    assert mangled.format == plain.format


@pytest.mark.parametrize(
    "mangle",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.rstrip("\n"),
        lambda text: "# a comment\n" + text.replace("\n", "\n\n#x\n", 1) + "\n \n",
        lambda text: text.replace(",", ", "),
        lambda text: text.replace(",", " ,"),
        lambda text: text.replace(",", ";"),
        lambda text: text.replace(",", "|"),
        lambda text: text.replace(",", "\t"),
        lambda text: text.replace(",", "   "),
        lambda text: '"' + text.replace(",", '","').replace("\n", '"\n"').removesuffix('"'),
    ],
    ids=["crlf", "bom", "no-newline", "comments", "blank-after", "blank-before", ";", "|", "tab", "blanks", "quoted"],
)
def test_csv_line_ends_separators_and_quotes_do_not_matter(put, mangle):
    text = "probe,score,reference,label\np1,0.5,r1,1\np2,-1e-3,r2,0\n"
    plain, mangled = table_of(put(text)), table_of(put(mangle(text), "mangled"))
    assert mangled.frame.equals(plain.frame)
    assert plain.frame.row(1) == (-0.001, False, "p2", "r2")


@pytest.mark.parametrize("word", ["nan", "NaN", "NA", "n/a", "-nan"])
def test_failed_comparisons_are_nan(put, word):
    scores = table_of(put(f"1 {word}\n-1 0.5\n")).frame["score"].to_list()
    assert math.isnan(scores[0])
    assert scores[1] == 0.5


def test_an_empty_field_is_a_failed_comparison(put):
    for text in ("label,score\n1,\n0,0.5\n", "score,label\n,1\n0.5,0\n", 'label,score\n1,""\n0,0.5\n'):
        scores = table_of(put(text)).frame["score"].to_list()
        assert math.isnan(scores[0])
        assert scores[1] == 0.5


@pytest.mark.parametrize(
    ("word", "value"),
    [("inf", math.inf), ("-inf", -math.inf), ("Infinity", math.inf), ("+1", 1.0), ("1e-3", 0.001), (".5", 0.5)],
)
def test_spellings_of_numbers(put, word, value):
    assert table_of(put(f"1 0.2\n1 {word}\n")).frame["score"].to_list() == [0.2, value]


def test_one_line_only(put):
    assert table_of(put("ann bob b1 0.25")).frame["mated"].to_list() == [False]
    assert table_of(put("0.25")).frame["score"].to_list() == [0.25]


def test_one_line_with_many_scores(put):
    assert table_of(put("0.1 0.2 0.3\n")).frame["score"].to_list() == [0.1, 0.2, 0.3]
    assert table_of(put("1, 2, 3, 4, 5, 6, 7")).frame["score"].to_list() == [1, 2, 3, 4, 5, 6, 7]


def test_one_long_line_beyond_the_head(put):
    numbers = [f"{place}.5" for place in range(200_000)]
    assert len(table_of(put("\t".join(numbers)))) == len(numbers)


def test_bob_columns_by_hand(put):
    frame = table_of(put(CASES["bob-5"])).frame
    assert frame.columns == ["score", "mated", "probe", "reference", "probe_subject", "reference_subject"]
    assert frame.row(1) == (0.25, False, "b1", "m1", "bob", "ann")


def test_bob_2_accepts_zero_for_non_mated_and_other_separators(put):
    for text in ("1 0.9\n0 0.2\n", "1,0.9\n-1,0.2\n", "1;0.9\n0;0.2\n"):
        table = table_of(put(text))
        assert table.format == "bob-2"
        assert table.frame["mated"].to_list() == [True, False]


def test_kaldi_without_label_or_without_score(put):
    scores = table_of(put("m1 t1 0.9\nm1 t2 0.25\n"))
    assert scores.format == "kaldi"
    assert scores.frame.columns == ["score", "probe", "reference"]
    trials = table_of(put("m1 t1 target\nm1 t2 nontarget\n", "trials"))
    assert trials.is_trial_list
    assert trials.frame["mated"].to_list() == [True, False]
    numbered = table_of(put("m1 t1 0.9 1\nm1 t2 0.25 0\n", "numbered"))
    assert numbered.format == "kaldi"
    assert numbered.frame["mated"].to_list() == [True, False]


def test_voxceleb_trials(put):
    table = table_of(put("1 id1/a.wav id1/b.wav\n0 id1/a.wav id2/c.wav\n"))
    assert table.format == "voxceleb-trials"
    assert table.is_trial_list
    assert table.frame.row(1) == (False, "id2/c.wav", "id1/a.wav")


def test_pyeer_is_a_plain_list(put):
    table = table_of(put("s1 x 7 y t 3 0.9\ns2 x 7 y t 4 0.2\n"))
    assert table.format == "pyeer"
    assert table.is_plain_list


def test_nist_return_codes_are_failures(put):
    text = CASES["nist-1to1"] + "e2 v3 -1 8\n"
    table = table_of(put(text))
    scores = table.frame["score"].to_list()
    assert scores[:2] == [0.9, 0.25]
    assert math.isnan(scores[2])
    assert table.frame.row(0)[1:] == ("v1", "e1", 0)
    assert "one comparison with a return code other than 0 counts as failed" in map(str, table.notes)
    assert math.isnan(table_of(put(text), ids=False).frame["score"][2])


PAIRS = "2\t1\nAnn\t1\t2\nAnn\t3\tBob\t1\nCid\t1\t10\nBob\t1\tCid\t4\n"


def test_lfw_pairs_by_hand(put):
    table = table_of(put(PAIRS))
    assert table.format == "lfw-pairs"
    assert table.is_trial_list
    assert table.frame["mated"].to_list() == [True, False, True, False]
    assert table.frame["fold"].to_list() == [0, 0, 1, 1]
    assert table.frame.row(1) == (False, "Ann_0003", "Bob_0001", "Ann", "Bob", 0)


def test_lfw_pairs_without_folds(put):
    table = table_of(put("1\nAnn 1 2\nAnn 3 Bob 1\n"))
    assert table.frame["fold"].to_list() == [0, 0]
    assert table_of(put("1\nAnn 1 2\nAnn 3 Bob 1\n"), ids=False).frame.columns == ["mated"]


def test_lfw_pairs_bad(put):
    with pytest.raises(InputError, match=r"has 3 pairs, but its first line states 4"):
        read(put(PAIRS.removesuffix("Bob\t1\tCid\t4\n")))
    with pytest.raises(InputError, match=r":3: is no pair; expected `name n1 n2`"):
        read(put(PAIRS.replace("Bob\t1\n", "Bob\tx\n")))
    with pytest.raises(InputError, match="first line of LFW pairs"):
        read(put("Ann 1 2\n"), format="lfw-pairs")


@pytest.mark.parametrize(
    "text",
    ["1 2 3\n4 5 6\n", "1 1 1\n0 2 3\n"],
)
def test_ambiguous_columns_name_the_candidates(put, text):
    with pytest.raises(InputError, match=r"fits several formats: .*kaldi.*voxceleb.*--format"):
        read(put(text))


@pytest.mark.parametrize("text", ["0.1 0.2 0.3\n0.4 0.5 0.6\n", "1 id1/a id1/b 0.5\n0 id1/a id2/c 0.2\n", "a b\nc d\n"])
def test_what_fits_nothing_says_what_to_do(put, text):
    with pytest.raises(InputError, match=r"matches no known format for certain.*--column score=3 --column label=1"):
        read(put(text))


@pytest.mark.parametrize("text", ["1 1\n0 0\n", "1,1\n0,1\n", "0,53\n1,71\n", "1,53\n0,12\n"])
def test_two_unnamed_columns_that_may_both_be_labels(put, text):
    with pytest.raises(InputError, match=r"not clear which is the label.*--column label=1 --column score=2"):
        read(put(text))
    table = table_of(put(text), columns={"label": "1", "score": "2"})
    assert table.frame.columns == ["score", "mated"]


def test_a_stated_format_is_obeyed(put):
    path = put("1 2 3\n4 5 6\n")
    assert table_of(path, format="kaldi").frame["score"].to_list() == [3, 6]
    assert table_of(path, format="voxceleb-scores").frame["score"].to_list() == [1, 4]
    assert table_of(path, format="pyeer").frame["score"].to_list() == [3, 6]


@pytest.mark.parametrize("sign", [",", ";", "|"])
def test_ids_may_hold_signs_that_separate_elsewhere_where_the_format_is_stated(put, sign):
    """In a file that is cut at blanks they are letters like others."""
    path = put(f"x{sign}y x{sign}y p1 0.5\nx{sign}y ann p2 0.25\n")
    found = read(path, format="bob-4").frame
    assert found["score"].to_list() == [0.5, 0.25]
    assert found["probe_subject"].to_list() == [f"x{sign}y", "ann"]
    assert found["mated"].to_list() == [True, False]


@pytest.mark.parametrize(
    ("text", "format", "row"),
    [
        ("1001 2002 target\n1001 2003 nontarget\n", "kaldi", (True, "2002", "1001")),
        ("1001 2002 target\n1001 2003 target\n", "kaldi", (True, "2002", "1001")),
        ("12 34 0.5 target\n12 35 0.25 nontarget\n", "kaldi", (0.5, True, "34", "12")),
        ("12 34 56 target\n12 35 78 nontarget\n", "kaldi", (56.0, True, "34", "12")),
        ("0.5 12 34\n0.25 12 35\n", "voxceleb-scores", (0.5, "34", "12")),
        ("12 34 0.5\n12 35 0.25\n", "kaldi", (0.5, "34", "12")),
    ],
)
def test_numbers_may_be_ids_beside_words_or_fractions(put, text, format, row):
    """Words that are labels are no ids, so nothing else fits."""
    table = table_of(put(text))
    assert table.format == format
    assert table.frame.row(0) == row


@pytest.mark.parametrize(
    "text", ["12 target 0.5\n13 nontarget 0.25\n", "a b target 0.5\na c nontarget 0.25\n", "12 34 56 1\n12 35 78 0\n"]
)
def test_labels_are_never_taken_for_ids_or_scores(put, text):
    with pytest.raises(InputError, match="matches no known format for certain"):
        read(put(text))


def test_the_nearest_formats_are_named_with_what_speaks_against_each(put):
    with pytest.raises(InputError) as caught:
        read(put("a b x1\na c x2\n"))
    text = str(caught.value)
    assert "kaldi (Kaldi scores, but column 3 (score) holds 'x1', no number)" in text
    assert "`bertillon formats` lists them" in text
    assert "parquet" not in text
    assert len(text) < 600


def test_candidate_lists_without_ranks(put):
    path = put("search,candidate,score,mate\ns1,a,0.9,a\ns1,b,0.4,a\ns2,b,0.2,\n")
    table = table_of(path)
    assert table.format == "candidates"
    assert table.frame.columns == ["score", "probe", "probe_subject", "reference_subject", "failed"]
    searches = bt.trials.searches_from_candidates(table)
    assert searches.enrolled.tolist() == [True, False]
    assert table_of(put("probe,templateId,score,label\np,r,0.5,1\nq,r,0.25,0\n")).format == "csv"


@pytest.mark.parametrize(
    "trials",
    [
        "a1 a2 1\na1 b1 0\nb1 b2 1\n",
        "a1 a2 1\na1 b1 -1\nb1 b2 1\n",
        "1 a1 a2\n-1 a1 b1\n1 b1 b2\n",
        "target a1 a2\nnontarget a1 b1\ntarget b1 b2\n",
    ],
)
def test_lists_of_trials_beside_their_scores_by_hand(put, trials):
    table = table_of(put(trials, "trials.txt"))
    assert "score" not in table.frame.columns
    assert table.frame["mated"].to_list() == [True, False, True]
    scores = bt.read_scores(put("a1 b1 0.25\nb1 b2 0.5\na1 a2 0.75\n"), put(trials, "trials.txt"))
    assert (sorted(scores.mated.tolist()), scores.nonmated.tolist()) == ([0.5, 0.75], [0.25])


def test_digits_are_labels_or_scores_by_all_lines_of_the_file(put):
    """The first lines may be all mated, or scores that are all 0 and 1."""
    mated = "".join(f"a{place} b{place} 1\n" for place in range(1500))
    assert table_of(put(mated + "a1 b2 0\n")).frame["mated"].sum() == 1500
    saturated = "".join(f"a{place} b{place} {place % 2}\n" for place in range(1500))
    assert table_of(put(saturated + "a1 b2 0.5\n")).frame["score"].to_list()[-1] == 0.5
    assert "mated" not in table_of(put(mated)).frame.columns


def test_a_label_before_the_score_is_no_probe_of_bob(put):
    lines = "a1 a2 1 .7\na1 a1 1 1.0\na1 b1 0 .2\nb1 b2 1 .6\n"
    with pytest.raises(
        InputError, match=r"matches no known format.*bob-4 \(if column 3 .*--column label=3 --column sc"
    ):
        read(put(lines))
    frame = table_of(put(lines), columns={"label": "3", "score": "4"}).frame
    assert (frame["mated"].to_list(), frame["score"].to_list()) == ([True, True, False, True], [0.7, 1.0, 0.2, 0.6])
    assert table_of(put(lines), format="bob-4").frame["probe"].to_list() == ["1", "1", "0", "1"]


@pytest.mark.parametrize("packed", [False, True])
def test_lines_taken_as_comments_are_counted(put, packed):
    """Perhaps they are ids: #12 is one in some databases."""
    table = table_of(put("#1 t1 0.5\nm1 t1 0.9\n#2 t1 0.25\nm1 t#2 0.25\n", packed=packed))
    assert table.frame["score"].to_list() == [0.9, 0.25]
    assert "2 lines that begin with '#' were read as comments" in map(str, table.notes)
    marked = table_of(put("\ufeff# made by hand\n0.9\n0.25\n", packed=packed))
    assert "one line that begins with '#' was read as a comment" in map(str, marked.notes)
    assert not any("comment" in str(note) for note in table_of(put("m1 t#1 0.5\nm2 t#2 0.25\n")).notes)
