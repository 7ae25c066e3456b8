"""Many files as one stream: parts that belong together, parts that do not, and what the stream says of itself."""

from __future__ import annotations

import builtins
import gzip
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from evaluation.streaming import tight

import bertillon as bt
from bertillon.io import LIMITS
from bertillon.trials import expand

ASKED = ["EER", "AUC", "FNMR@FMR=0.1", "FTA"]


def write(path: Path, rows: list[tuple[int, float]], header: str = "label,score") -> Path:
    path.write_text("\n".join([header, *(f"{label},{score}" for label, score in rows)]) + "\n")
    return path


@pytest.fixture
def parts(tmp_path):
    """The same system in three files."""
    one = write(tmp_path / "part-1.csv", [(1, 0.9), (0, 0.1), (0, 0.4)])
    two = write(tmp_path / "part-2.csv", [(1, 0.3), (0, 0.2)])
    three = write(tmp_path / "part-3.csv", [(0, float("nan")), (0, 0.35)])
    return [one, two, three]


TRUTH = bt.ScoreSet([0.9, 0.3], [0.1, 0.4, 0.2, float("nan"), 0.35])


def test_a_file_is_opened_no_more_often_than_it_is_read(parts, monkeypatch):
    """To see if it is packed, to recognise it (twice), and in the pass; the first one again for its columns and ids."""
    opened: Counter[str] = Counter()
    truly_open = builtins.open

    def counting(path, *how, **more):
        opened[Path(path).name] += 1
        return truly_open(path, *how, **more)

    monkeypatch.setattr(builtins, "open", counting)
    assert sum(part.size for part in bt.stream_scores(*parts)) == 6
    assert opened == {"part-1.csv": 6, "part-2.csv": 4, "part-3.csv": 4}


@pytest.mark.parametrize("how", ["paths", "glob"])
def test_parts_are_one_system(parts, tmp_path, how):
    stream = bt.stream_scores(*(parts if how == "paths" else [tmp_path / "part-*.csv"]))
    with tight():
        found = bt.evaluate(stream, ASKED)
    assert found.results == bt.evaluate(TRUTH, ASKED).results
    assert found.name == "part-1.csv ... part-3.csv"
    assert "3 files are parts of one system" in map(str, found.trials.notes)
    assert "column 'score' is the score" in map(str, found.trials.notes)
    assert [Path(one["name"]).name for one in found.to_dict()["counted"]["sources"]] == [path.name for path in parts]


def test_an_empty_part_is_told_and_only_empty_parts_are_refused(parts, tmp_path):
    write(tmp_path / "part-0.csv", [])
    found = bt.evaluate(bt.stream_scores(tmp_path / "part-*.csv"), ASKED)
    assert found.results == bt.evaluate(TRUTH, ASKED).results
    assert tuple(map(str, found.trials.warnings)) == (
        f"One of 4 parts holds no comparisons: {tmp_path / 'part-0.csv'}.",
    )
    with pytest.raises(bt.InputError, match="no scores; expected some"):
        bt.stream_scores(tmp_path / "part-0.csv")


def test_parts_with_other_columns_or_another_format_are_refused(parts, tmp_path):
    write(tmp_path / "part-4.csv", [(1, 0.5)], header="target,llr")
    with pytest.raises(
        bt.InputError, match=r"part-4.csv: understood as: .*'llr' is the score.* Parts of one system must"
    ):
        list(bt.stream_scores(*parts, tmp_path / "part-4.csv"))
    pl.DataFrame({"label": [1], "score": [0.5]}).write_parquet(tmp_path / "part-5.parquet")
    with pytest.raises(bt.InputError, match=r"part-5\.parquet"):
        bt.stream_scores(*parts, tmp_path / "part-5.parquet")


def test_a_part_that_calls_itself_a_distance_among_scores_is_refused(parts, tmp_path):
    write(tmp_path / "part-4.csv", [(1, 0.5)], header="label,distance")
    with pytest.raises(bt.InputError, match=r"part-4\.csv: understood as"):
        list(bt.stream_scores(*parts, tmp_path / "part-4.csv"))


def test_the_rule_is_that_of_the_file_unless_stated(tmp_path):
    path = write(tmp_path / "a.csv", [(1, 0.1), (0, 0.9)], header="label,distance")
    assert bt.stream_scores(path).rule is bt.AcceptRule.DISTANCE
    assert bt.stream_scores(path, rule="similarity").rule is bt.AcceptRule.SIMILARITY


def test_two_plain_lists_are_genuine_and_impostor_and_more_are_refused(tmp_path):
    for name, values in (("a.txt", "0.9\n0.3\n"), ("b.txt", "0.1\n0.4\nnan\n")):
        (tmp_path / name).write_text(values)
    with tight():
        found = bt.evaluate(bt.stream_scores(tmp_path / "a.txt", tmp_path / "b.txt"), ASKED)
    assert found.results == bt.evaluate(bt.ScoreSet([0.9, 0.3], [0.1, 0.4, float("nan")]), ASKED).results
    assert str(found.trials.notes[0]) == "a.txt holds the mated (genuine) scores, b.txt the non-mated (impostor) ones"
    with pytest.raises(bt.InputError, match=r"give two lists, genuine then impostor \(there are 1\)"):
        bt.stream_scores(tmp_path / "a.txt")


def test_what_tells_no_classes_apart_is_refused(tmp_path):
    (tmp_path / "a.txt").write_text("e1 t1 0.5\ne2 t2 0.25\n" * 3)
    with pytest.raises(bt.InputError, match="nothing says which comparisons are mated"):
        list(bt.stream_scores(tmp_path / "a.txt", format="kaldi"))
    (tmp_path / "b.txt").write_text("e1 t1 target\ne2 t2 nontarget\n" * 3)
    with pytest.raises(bt.InputError, match="a list of trials without scores is not read in parts"):
        bt.stream_scores(tmp_path / "b.txt", format="kaldi")


def test_a_pattern_that_matches_nothing_is_an_error(tmp_path):
    with pytest.raises(bt.InputError, match="matches no file; check the pattern"):
        bt.stream_scores(tmp_path / "*.parquet")
    with pytest.raises(bt.InputError, match="no file was given"):
        expand([])


@pytest.mark.parametrize("again", ["part-1.csv", "part-*.csv", "../{folder}/part-2.csv", "link.csv"])
def test_a_file_given_twice_is_refused(parts, tmp_path, monkeypatch, again):
    """As itself, among what a pattern matches, on another way, or through a link."""
    monkeypatch.chdir(tmp_path)
    Path("link.csv").symlink_to("part-3.csv")
    with pytest.raises(bt.InputError, match=r"is given twice( \(as .* too\))?; give it once"):
        bt.stream_scores(*(part.name for part in parts), again.format(folder=tmp_path.name))


def test_a_copy_of_a_part_is_told(parts, tmp_path):
    (tmp_path / "part-4.csv").write_bytes(parts[0].read_bytes())
    found = bt.evaluate(bt.stream_scores(tmp_path / "part-*.csv"), ["EER"])
    assert tuple(map(str, found.trials.warnings)) == (
        "One of 4 parts holds the same scores as another, so they count twice: "
        f"{tmp_path / 'part-4.csv'} those of {parts[0]}.",
    )
    with pytest.raises(bt.InputError, match=r"part-4\.csv: holds the same scores as .*part-1\.csv; each source"):
        bt.evaluation.count_scores(bt.stream_scores(tmp_path / "part-*.csv"))
    assert bt.evaluation.count_scores(bt.stream_scores(tmp_path / "part-*.csv"), repeats=True).total.mated == 3


def test_parts_that_cannot_be_read_are_named(parts, tmp_path):
    """0 bytes, a folder, a loop of links, a gzip file cut off in the middle, text that is not UTF-8."""
    packed = gzip.compress(parts[0].read_bytes() * 50)
    (tmp_path / "part-4.csv").write_bytes(b"")
    (tmp_path / "part-5.csv").mkdir()
    (tmp_path / "part-6.csv").symlink_to("part-6.csv")
    (tmp_path / "part-7.csv").write_bytes(packed[: len(packed) // 2])
    (tmp_path / "part-8.csv").write_bytes(parts[0].read_bytes() + b"1,0.5\n\xff\xfe,0.25\n")
    for number, words in {
        4: r"is empty \(0 bytes\)",
        5: r"is a folder; give the files in it, such as '.*part-5.csv/\*.parquet'",
        6: "is a loop of symbolic links",
        7: "the gzip file is cut off",
        8: "byte 0xff is not UTF-8",
    }.items():
        with pytest.raises(bt.InputError, match=rf"part-{number}\.csv(:6)?: {words}"):
            list(bt.stream_scores(*parts, tmp_path / f"part-{number}.csv"))


def test_a_pattern_that_goes_round_in_circles_ends(parts, tmp_path):
    (tmp_path / "again").symlink_to(tmp_path)
    assert len(expand([tmp_path / "**" / "part-*.csv"])) < 1000
    with pytest.raises(bt.InputError, match="is given twice"):
        bt.stream_scores(tmp_path / "*" / "part-1.csv", tmp_path / "part-1.csv")


def test_a_file_whose_name_looks_like_a_pattern_is_itself(tmp_path):
    path = write(tmp_path / "part[1].csv", [(1, 0.9), (0, 0.1)])
    assert expand([path]) == [path]


def test_a_file_that_changes_between_passes_is_refused(parts, monkeypatch):
    """It is read anew in the second pass, and its scores are not those of the first."""
    monkeypatch.setattr(LIMITS, "chunk_bytes", 40)
    stream = bt.stream_scores(*parts)
    seen = []

    def batches_of_a_growing_file():
        seen.append(1)
        if len(seen) == 2:
            write(parts[1], [(1, 0.3), (0, 0.2), (0, 0.8)])
        return iter(list(stream))

    grows = bt.trials.ScoreStream(batches_of_a_growing_file)
    with tight(bits=3), pytest.raises(bt.InputError, match=r"part-2.csv: gave 1 mated and 1 non-mated .* and 1 and 2"):
        bt.evaluate(grows, ASKED)


@pytest.mark.parametrize("packed", [False, True])
def test_every_kind_of_part_gives_the_scores_of_the_whole(tmp_path, monkeypatch, packed):
    """A few thousand scores in small batches, to the last bit as read whole (V and I rows read from files)."""
    monkeypatch.setattr(LIMITS, "chunk_bytes", 5000)
    monkeypatch.setattr(LIMITS, "batch_rows", 300)
    rng = np.random.default_rng(3)
    label, score = rng.random(4000) < 0.2, rng.normal(size=4000).round(3)
    frame = pl.DataFrame({"label": label.astype(int), "score": score})
    frame.write_parquet(tmp_path / "a.parquet", row_group_size=700)
    content = frame.write_csv().encode()
    (tmp_path / "a.csv").write_bytes(gzip.compress(content) if packed else content)
    truth = bt.evaluate(bt.read_scores(tmp_path / "a.parquet"), ASKED)
    for name in ("a.parquet", "a.csv"):
        with tight(block=512, gather=100, finer=64):
            found = bt.evaluate(bt.stream_scores(tmp_path / name), ASKED)
        assert found.results == truth.results
        assert found.signature["data"] == truth.signature["data"]


def test_how_many_scores_are_to_come_is_known_or_guessed_and_unknown_where_packed(parts, tmp_path):
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(parts[0].read_bytes()))
    assert bt.stream_scores(tmp_path / "a.csv.gz").expected is None
    pl.DataFrame({"label": [1, 0, 0], "score": [0.5, 0.1, 0.2]}).write_parquet(tmp_path / "a.parquet")
    assert bt.stream_scores(tmp_path / "a.parquet").expected == 3
    assert 3 <= bt.stream_scores(*parts).expected <= 20
