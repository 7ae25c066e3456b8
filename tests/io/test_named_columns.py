"""CSV and Parquet: which column is what."""

from __future__ import annotations

import math

import polars as pl
import pytest

from bertillon.core import AcceptRule, InputError
from bertillon.io import UNDERSTOOD, read

PAIRS = [tuple(pair.split("/")) for pair in UNDERSTOOD.split(", ")]


@pytest.mark.parametrize(("yes", "no"), [*PAIRS, ("TRUE", "FALSE"), ("Non-Target", "")[::-1], ("1.0", "0.0")])
def test_label_words(put, yes, no):
    yes = yes or "Target"
    table = read(put(f"label,score\n{yes},0.5\n{no},0.25\n{yes.upper()},0.75\n"))
    assert table.frame["mated"].to_list() == [True, False, True]


@pytest.mark.parametrize("text", ["genuine,0.5\nimpostor,0.2\n", "0.5,genuine\n0.2,impostor\n", "0.5 1\n0.2 -1\n"])
def test_label_and_score_without_names(put, text):
    table = read(put(text))
    assert table.format == "csv"
    assert table.frame["mated"].to_list() == [True, False]
    assert table.frame["score"].to_list() == [0.5, 0.2]


@pytest.mark.parametrize(
    ("values", "found"),
    [("maybe 1", "'maybe'"), ("0 -1 1", "'-1', '0', '1'"), ("2 1", "'2'"), ("1 1.5", "'1.5'")],
)
def test_labels_not_understood_are_listed(put, values, found):
    rows = "".join(f"{value},0.5\n" for value in values.split())
    with pytest.raises(InputError, match=rf"{found}.* not understood; understood are 1/0"):
        read(put("label,score\n" + rows))


def test_the_first_bad_label_is_located(put):
    with pytest.raises(InputError, match=r"scores.txt:4: column 'label': labels 'maybe'"):
        read(put("# hello\nlabel,score\n1,0.5\nmaybe,0.2\n"))


def test_a_missing_label_is_an_error(put):
    with pytest.raises(InputError, match=r":3: column 'label': 1 label is missing"):
        read(put("label,score\n1,0.5\n,0.2\n"))


@pytest.mark.parametrize(
    ("header", "roles"),
    [
        ("enroll,test,llr,target", ["reference", "probe", "score", "mated"]),
        ("Sample1,Sample2,Similarity,Is_Same", ["probe", "reference", "score", "mated"]),
        ("y_true,y_score", ["mated", "score"]),
        ("probe_id;gallery_id;score;genuine", ["probe", "reference", "score", "mated"]),
    ],
)
def test_synonyms(put, header, roles):
    separator = ";" if ";" in header else ","
    width = header.count(separator) + 1
    values = {"score": "0.5", "mated": "1", "probe": "p", "reference": "r"}
    row = separator.join(values[role] for role in roles)
    frame = read(put(f"{header}\n{row}\n")).frame
    assert frame.width == width
    expected = {"score": 0.5, "mated": True, "probe": "p", "reference": "r"}
    assert frame.to_dicts() == [{role: expected[role] for role in expected if role in roles}]


def test_the_most_exact_name_wins_and_is_said(put):
    table = read(put("llr,label,score\n9,1,0.5\n8,0,0.25\n"))
    assert table.frame["score"].to_list() == [0.5, 0.25]
    assert table.frame["llr"].to_list() == [9, 8]
    assert "column 'score' was chosen as score; 'llr' would also fit" in map(str, table.notes)


def test_a_distance_column_sets_the_rule(put):
    for name in ("distance", "Dist"):
        assert read(put(f"{name},label\n0.5,1\n0.7,0\n")).rule is AcceptRule.DISTANCE
    assert read(put("score,label\n0.5,1\n0.7,0\n")).rule is None
    stated = read(put("score,label\n0.5,1\n0.7,0\n"), columns={"distance": "score"})
    assert stated.rule is AcceptRule.DISTANCE
    assert "column 'score' is the distance" in map(str, stated.notes)


def test_subjects_tell_mated_where_there_is_no_label(put):
    table = read(put("score,probe_subject,reference_subject,age\n0.5,a,a,31\n0.7,a,b,40\n"))
    assert table.frame["mated"].to_list() == [True, False]
    assert table.frame["age"].to_list() == [31, 40]
    assert "mated where probe_subject and reference_subject are equal" in map(str, table.notes)


def test_an_empty_subject_is_neither_mated_nor_not(put):
    with pytest.raises(InputError, match="probe_subject is empty or unknown in 1 of 2 comparisons"):
        read(put("score,probe_subject,reference_subject\n0.5,,a\n0.7,a,b\n"))


def test_ids_are_kept_as_written(put):
    frame = read(put("probe,reference,score,label\n007,1e3,0.5,1\nNA,0x1,0.2,0\n")).frame
    assert frame["probe"].to_list() == ["007", "NA"]
    assert frame["reference"].to_list() == ["1e3", "0x1"]


def test_further_columns_keep_their_names_and_odd_types(put):
    rows = "".join(f"0.5,1,{place}\n" for place in range(1500))
    rows = rows.replace("\n", ",7,3.5,007\n")
    frame = read(put("score,label,batch,age,size,code\n" + rows + "0.5,0,x7,8,4,008\n")).frame
    assert frame["batch"][-1] == "x7"
    assert frame.row(0) == (0.5, True, "0", 7, 3.5, "007")


def test_columns_by_name_and_by_number(put):
    named = read(put("foo,bar,score\n1,0.5,7\n0,0.25,8\n"), columns={"mated": "foo", "score": "bar"})
    assert named.frame["score"].to_list() == [0.5, 0.25]
    assert named.frame["score (in file)"].to_list() == [7, 8]
    numbered = read(put("x 0.5 1 y\nz 0.25 0 w\n"), columns={"label": "3", "score": "2", "probe": "1"})
    assert numbered.frame.columns == ["score", "mated", "probe", "column 4"]
    assert numbered.frame.row(1) == (0.25, False, "z", "w")


def test_unknown_column_role_and_twice_the_same(put):
    path = put("score,label\n0.5,1\n")
    with pytest.raises(
        InputError, match=r"column 'scor' is unknown; did you mean 'score'\? Known are: 'score', 'label'"
    ):
        read(path, columns={"score": "scor"})
    with pytest.raises(InputError, match=r"role 'scores' is unknown; did you mean 'score'\?"):
        read(path, columns={"scores": "score"})
    with pytest.raises(InputError, match="name the same role twice"):
        read(path, columns={"score": "score", "distance": "label"})
    with pytest.raises(InputError, match=r"column '9' is unknown\. Known are: '1', '2'"):
        read(put("a 0.5\nb 0.7\n"), columns={"score": "9"})
    with pytest.raises(InputError, match=r"has no column 'nope'; name columns of the header, or number them"):
        read(put("1 0.5\n0 0.7\n"), columns={"score": "nope"})


def test_columns_only_where_columns_have_names(put):
    with pytest.raises(InputError, match=r"columns can be named for .*csv.* only, and this is read as kaldi"):
        read(put("a b 0.5\n"), format="kaldi", columns={"score": "3"})


def test_unknown_names_say_what_to_do(put):
    with pytest.raises(InputError, match=r"no column is known as a score or a label.*'foo', 'bar'.*score=NAME"):
        read(put("foo,bar\nx,0.5\ny,0.25\n"))


def test_one_named_column(put):
    table = read(put("score\n0.5\n\n0.25\n"))
    assert table.is_plain_list
    assert table.frame["score"].to_list() == [0.5, 0.25]


def test_an_index_column_without_name(put):
    frame = read(put(",score,label\n0,0.5,1\n1,0.25,0\n")).frame
    assert frame.columns == ["score", "mated", "column 1"]


def test_a_column_called_target_over_target_words(put):
    frame = read(put("model test target\nm1 t1 target\nm1 t2 nontarget\n")).frame
    assert frame["mated"].to_list() == [True, False]


def test_doubled_names(put):
    frame = read(put("score,score,label\n0.5,7,1\n0.25,8,0\n")).frame
    assert frame.columns == ["score", "mated", "score (column 2)"]
    frame = read(put("age (column 3),age,age,score,label\n1,2,3,0.5,1\n1,2,3,0.25,0\n")).frame
    assert frame.columns[2:] == ["age (column 3)", "age", "age (column 3) (column 3)"]


def test_very_many_columns_are_read(put):
    """Looked up one after the other in a list, their names took minutes."""
    names = ["score", "label", *(f"c{place}" for place in range(20_000))]
    text = ",".join(names) + "\n" + "".join(f"0.5,{row % 2}{',' * 20_000}\n" for row in range(4))
    assert read(put(text)).frame.height == 4


def test_quoted_separators_and_nulls_in_the_last_column(put):
    frame = read(put('score,label,probe,place\n0.5,1,"a, b",\n0.25,0,c,x\n')).frame
    assert frame["probe"].to_list() == ["a, b", "c"]


def test_bob_csv_columns(put):
    text = "probe_reference_id,probe_subject_id,bio_ref_reference_id,bio_ref_subject_id,score,probe_age\n"
    frame = read(put(text + "p1,ann,r1,ann,0.5,30\np2,bob,r1,ann,,31\n")).frame
    assert frame.columns[:6] == ["score", "mated", "probe", "reference", "probe_subject", "reference_subject"]
    assert frame.row(0) == (0.5, True, "p1", "r1", "ann", "ann", 30)
    assert math.isnan(frame["score"][1])


@pytest.mark.parametrize(
    "label", [pl.Series([1, 0]), pl.Series([True, False]), pl.Series([1.0, -1.0]), pl.Series(["genuine", "impostor"])]
)
def test_parquet(tmp_path, label):
    path = tmp_path / "x.parquet"
    pl.DataFrame({"label": label, "score": pl.Series([0.5, None], dtype=pl.Float32), "who": ["a", "b"]}).write_parquet(
        path
    )
    table = read(path)
    assert table.format == "parquet"
    assert table.frame.columns == ["score", "mated", "who"]
    assert table.frame["mated"].to_list() == [True, False]
    assert table.frame["score"][0] == 0.5
    assert math.isnan(table.frame["score"][1])
    assert read(path, ids=False).frame.columns == ["score", "mated"]
    assert read(path, columns={"probe": "who"}).frame["probe"].to_list() == ["a", "b"]


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"score": ["a", "b"], "label": [1, 0]}),
        pl.DataFrame({"score": [0.5, 0.2], "label": [1, 7]}),
        pl.DataFrame({"score": [True, False], "label": [1, 0]}),
        pl.DataFrame({"score": [0.5, 0.2], "label": [1, None]}),
        pl.DataFrame({"score": [0.5, 0.2], "label": [1.5, 0.0]}),
        pl.DataFrame({"score": [[0.5], [0.2]], "label": [1, 0]}),
        pl.DataFrame({"foo": [1.0], "bar": [2.0]}),
        pl.DataFrame({"score": [], "label": []}, schema={"score": pl.Float64, "label": pl.Int8}),
    ],
)
def test_parquet_with_bad_columns(tmp_path, frame):
    path = tmp_path / "x.parquet"
    frame.write_parquet(path)
    with pytest.raises(InputError, match=r"x\.parquet: "):
        read(path)


def test_line_breaks_in_quotes_are_no_faults_by_hand(put):
    """Neither beside an empty last field, which makes the reader look at every line, nor beside a faulty line."""
    found = read(put('score,label,probe,note\n0.5,1,"a\nb",x\n0.2,0,c,\n', "scores.csv"))
    assert found.frame["probe"].to_list() == ["a\nb", "c"]
    with pytest.raises(InputError) as caught:
        read(put('score,label,probe\n0.5,1,"a\nb"\nx,0,c\n', "scores.csv"))
    assert "scores.csv:4: score 'x' is not a number" in str(caught.value)
    assert "not closed" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "0,1\n.9,1\n.8,1\n.3,0\n.1,0\n",
        "0\t1\n.9\t1\n.8\t1\n.3\t0\n.1\t0\n",
        ",0,1\n0,.9,1\n1,.8,1\n2,.3,0\n3,.1,0\n",
        ",0,1\n"
        + "".join(
            f"{row},{score},{label}\n" for row, score, label in [(7, 0.9, 1), (9, 0.8, 1), (3, 0.3, 0), (4, 0.1, 0)]
        ),
    ],
)
def test_numbers_of_columns_are_no_line_of_data(put, text):
    """As pandas writes a table without names: its first line is no comparison, and its index no probe."""
    for stated in (None, "csv"):
        with pytest.raises(InputError, match=r":1: the first line .*numbers of columns.*label=1 --column score=0"):
            read(put(text), format=stated if text[0] == "0" else None)
    frame = read(put(text), columns={"label": "1", "score": "0"}).frame
    assert frame["score"].to_list() == [0.9, 0.8, 0.3, 0.1]
    assert frame["mated"].to_list() == [True, True, False, False]


def test_a_first_line_of_data_may_be_whole_by_hand(put):
    """One column, a label above whole scores, and a first line that counts no columns."""
    assert read(put("0\n1\n.5\n")).frame["score"].to_list() == [0, 1, 0.5]
    assert read(put("1 0\n1 .9\n0 .5\n")).frame["score"].to_list() == [0, 0.9, 0.5]
    assert read(put("0 1\n1 .9\n0 .5\n"), format="bob-2").frame["score"].to_list() == [1, 0.9, 0.5]
