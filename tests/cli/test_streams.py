"""`bertillon count` and `bertillon verify --stream`: many files of one system, counts of it, and every way it fails."""

from __future__ import annotations

import gzip
import json
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from evaluation.streaming import tight
from jsonschema import Draft202012Validator

import bertillon as bt


@pytest.fixture
def parts(tmp_path: Path) -> list[Path]:
    """Two Parquet files of one system."""
    rng = np.random.default_rng(5)
    paths = [tmp_path / "part-1.parquet", tmp_path / "part-2.parquet"]
    for path in paths:
        label = rng.random(3000) < 0.3
        frame = pl.DataFrame({"label": label.astype(int), "score": (rng.normal(size=3000) + 2 * label).round(3)})
        frame.write_parquet(path)
    return paths


def truth(paths: list[Path], asked: list[str]) -> bt.Evaluation:
    sets = [bt.read_scores(path) for path in paths]
    whole = bt.ScoreSet(*(np.concatenate([getattr(one, kind) for one in sets]) for kind in ("mated", "nonmated")))
    return bt.evaluate(whole, asked)


ROOT = Path(__file__).resolve().parents[2]
ASKED = ["EER", "FNMR@FMR=0.01", "AUC"]
OPTIONS = [word for name in ASKED for word in ("-m", name)]


def numbers(text: str) -> dict[str, tuple[float, float | None]]:
    return {one["name"]: (one["value"], one["threshold"]) for one in json.loads(text)["measures"]}


def follows_the_schema(text: str) -> bool:
    published = json.loads((ROOT / "docs" / "schema" / "bertillon-1.json").read_text())
    return Draft202012Validator(published).is_valid(json.loads(text))


def expected(paths: list[Path]) -> dict[str, tuple[float, float | None]]:
    return {name: (result.value, result.threshold) for name, result in truth(paths, ASKED).results.items()}


@pytest.mark.parametrize("how", ["paths", "glob"])
def test_parts_are_one_system_and_json_says_how_it_was_counted(bertillon, parts, how):
    files = parts if how == "paths" else ["part-*.parquet"]
    with tight(block=1000, gather=1000, finer=1000, keep=2500):
        ran = bertillon("verify", *files, "--stream", *OPTIONS, "--json", "-", "--no-intervals")
    assert ran.code == 0, ran.err
    assert numbers(ran.out) == expected(parts)
    assert follows_the_schema(ran.out)
    told = json.loads(ran.out)["counted"]
    assert told["how"] == f"counted in {told['passes']} passes"
    assert [Path(one["name"]).name for one in told["sources"]] == ["part-1.parquet", "part-2.parquet"]


def test_without_stream_the_same_files_are_two_systems(bertillon, parts):
    ran = bertillon("verify", *parts, *OPTIONS, "--json", "-", "--no-intervals")
    assert len(json.loads(ran.out)["systems"]) == 2


def test_a_large_file_is_read_in_parts_unasked_and_says_so(bertillon, parts, monkeypatch):
    monkeypatch.setattr("bertillon.cli.sources.LARGE", 1000)
    with tight(block=1000, gather=1000, finer=1000, keep=2500):
        ran = bertillon("verify", parts[0], *OPTIONS, "--no-intervals")
        both = bertillon("verify", *parts, *OPTIONS, "--no-intervals", "--json", "-")
        whole = bertillon("verify", parts[0], *OPTIONS, "--no-intervals", "--no-stream")
        explained = bertillon("verify", parts[0], *OPTIONS, "--no-intervals", "--explain")
    said = " ".join(ran.out.split())
    assert "larger than 1000 bytes, so read in parts (--no-stream holds it in memory)" in said
    assert "counted in 2 passes" in " ".join(explained.out.split())
    assert len(json.loads(both.out)["systems"]) == 2
    assert "counted in" not in whole.out


@pytest.mark.parametrize(("kind", "limit"), [("csv.gz", 1), ("npz", 2)])
def test_a_packed_file_is_large_if_what_it_holds_is(bertillon, tmp_path, kind, limit):
    label, score = np.arange(200_000) % 2, np.arange(200_000) % 7 / 7
    if kind == "npz":
        np.savez_compressed(tmp_path / "x.npz", label=label, score=score)
    else:
        content = "label,score\n" + "".join(f"{one},{other:.3f}\n" for one, other in zip(label, score, strict=True))
        (tmp_path / "x.csv.gz").write_bytes(gzip.compress(content.encode()))
    assert (tmp_path / f"x.{kind}").stat().st_size < 1 << 18
    ran = bertillon("verify", f"x.{kind}", "-m", "EER", "--no-intervals", "--max-memory", f"{limit}M")
    assert ran.code == 0, ran.err
    assert f"larger than {limit}.0 MiB, so read in parts" in " ".join(ran.out.split())
    held = bertillon("verify", f"x.{kind}", "-m", "EER", "--no-intervals", "--max-memory", f"{limit}M", "--no-stream")
    assert (held.code, held.out) == (2, "")
    assert f"at most {limit}.0 MiB are allowed (--max-memory)" in held.err
    whole = bertillon("verify", f"x.{kind}", "-m", "EER", "--no-intervals")
    assert "read in parts" not in whole.out


def test_two_large_lists_are_genuine_and_impostor_as_ever(bertillon, lists, monkeypatch):
    monkeypatch.setattr("bertillon.cli.sources.LARGE", 10)
    with tight():
        ran = bertillon("verify", *lists, "-m", "EER", "--no-intervals", "--json", "-")
    told = json.loads(ran.out)
    assert (told["name"], told["measures"][0]["value"]) == ("genuine.txt + impostor.txt", 0.2)
    assert told["counted"]["passes"] >= 1


def test_large_files_that_are_no_scores_are_read_as_ever(bertillon, tmp_path, monkeypatch):
    monkeypatch.setattr("bertillon.cli.sources.LARGE", 10)
    np.savez(tmp_path / "faces.npz", templates=np.random.default_rng(0).normal(size=(6, 4)), subject=list("aabbcc"))
    assert bertillon("verify", "faces.npz", "-m", "EER", "--no-intervals").code == 0


def test_counts_of_parts_give_the_answers_of_all_scores(bertillon, parts):
    for number, part in enumerate(parts):
        ran = bertillon("count", part, "-o", f"{number}.counts")
        assert ran.code == 0, ran.err
        assert f"counts written to {number}.counts" in ran.out
        assert "column 'score' is the score" in ran.out
    ran = bertillon("verify", "0.counts", "1.counts", *OPTIONS, "--json", "-", "--no-intervals")
    assert numbers(ran.out) == expected(parts)
    assert json.loads(ran.out)["counted"]["how"] == "added up from counts"
    assert follows_the_schema(ran.out)
    assert bertillon("count", "0.counts", "1.counts", "-o", "all.counts").code == 0
    assert numbers(bertillon("verify", "all.counts", *OPTIONS, "--json", "-").out) == expected(parts)
    mixed = bertillon("verify", "0.counts", parts[1], *OPTIONS, "--json", "-", "--no-intervals")
    assert numbers(mixed.out) == expected(parts)


def test_a_source_counted_twice_is_refused_unless_allowed(bertillon, parts):
    bertillon("count", parts[0], "-o", "a.counts")
    bertillon("count", *parts, "-o", "b.counts")
    ran = bertillon("verify", "a.counts", "b.counts")
    assert ran.code == 2
    assert "(in b.counts): holds the same scores as" in ran.err
    assert "--allow-repeats" in ran.err
    assert bertillon("verify", "a.counts", "b.counts", "--allow-repeats", "--no-intervals").code == 0


def test_what_is_said_of_scores_is_not_ignored_of_counts(bertillon, parts):
    bertillon("count", parts[0], "-o", "a.counts")
    for option, words in (
        (["--distance"], "a.counts: holds counts of a similarity, not of a distance"),
        (["--format", "csv"], "--format and --column are about files of scores"),
        (["--column", "score=llr"], "--format and --column are about files of scores"),
    ):
        ran = bertillon("verify", "a.counts", *option)
        assert ran.code == 2
        assert words in ran.err
    assert bertillon("verify", "a.counts", "--similarity", "--no-intervals").code == 0


def test_a_place_for_the_counts_is_looked_for_before_they_are_made(bertillon, parts):
    before = parts[0].read_bytes()
    ran = bertillon("count", *parts, "-o", parts[0])
    assert ran.code == 2
    assert "part-1.parquet: is one of the files of scores" in ran.err
    assert parts[0].read_bytes() == before
    ran = bertillon("count", *parts, "-o", "missing/a.counts")
    assert ran.code == 2
    assert "there is no folder missing; make it first" in ran.err
    assert bertillon("count", parts[0], "-o", "a.counts").code == 0
    assert bertillon("count", "a.counts", parts[1], "-o", "a.counts").code == 0  # what was counted goes on


def test_the_terminal_and_json_state_the_bounds_of_what_is_not_exact(bertillon, parts):
    with tight(bits=13, block=1000, keys=200, pending=100):
        bertillon("count", *parts, "-o", "a.counts")
        asked = ("verify", "a.counts", "-m", "AUC", "--resamples", "100")
        answer, shown = bertillon(*asked, "--json", "a.json"), bertillon(*asked, "--explain")
    low, high = json.loads(Path("a.json").read_text())["counted"]["bounds"]["AUC"]
    assert low < truth(parts, ["AUC"])["AUC"].value < high
    assert "the worse end is shown: AUC 0.893 to 0.934." in " ".join(answer.out.split())
    said = " ".join(shown.out.split())
    ends = re.findall(r"(?:the worse is shown: AUC|AUC: known only within bounds,) ([\d.]+) to ([\d.]+\d)", said)
    assert [tuple(map(float, pair)) for pair in ends] == [pytest.approx((low, high), abs=1e-5)] * 2


def test_counts_can_be_drawn_and_exported(bertillon, parts, tmp_path):
    bertillon("count", *parts, "-o", "a.counts")
    ran = bertillon("verify", "a.counts", "-m", "EER", "--csv", "tables", "--resamples", "100")
    assert ran.code == 0, ran.err
    curve = pl.read_csv(tmp_path / "tables" / "curve.csv")
    assert curve["false_match"][0] == truth(parts, []).counts["nonmated"]
    drawn = pl.read_csv(tmp_path / "tables" / "distributions.csv")
    assert drawn["mated"].sum() == truth(parts, []).counts["mated"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--stream", "--folds"], "--folds needs them"),
        (["--stream", "--matcher", "cosine"], "--stream counts scores that are there"),
        (["--stream", "--mask", "m.mtx"], "--mask goes with a BEE matrix"),
        (["--stream", "--name", "a", "--name", "b"], "2 names for 1 systems"),
        (["--stream", "--checkpoint", "dir"], "--checkpoint"),
    ],
)
def test_options_that_need_more_than_counts_are_refused(bertillon, parts, arguments, words):
    ran = bertillon("verify", *parts, *arguments)
    assert ran.code == 2
    assert words in ran.err


def test_a_stream_of_one_class_is_refused(bertillon, tmp_path):
    (tmp_path / "a.csv").write_text("label,score\n1,0.5\n1,0.25\n")
    ran = bertillon("verify", "a.csv", "--stream")
    assert ran.code == 2
    assert "no non-mated (impostor) scores among 2 comparisons" in ran.err


def test_damaged_counts_are_refused(bertillon, parts, tmp_path):
    bertillon("count", parts[0], "-o", "a.counts")
    content = (tmp_path / "a.counts").read_bytes()
    (tmp_path / "a.counts").write_bytes(content[: len(content) // 2])
    ran = bertillon("verify", "a.counts")
    assert (ran.code, ran.out) == (2, "")
    assert "a.counts: the counts are damaged or cut off" in ran.err


def test_other_rules_cannot_be_merged(bertillon, parts):
    bertillon("count", parts[0], "-o", "a.counts")
    bertillon("count", parts[1], "--distance", "-o", "b.counts")
    ran = bertillon("verify", "a.counts", "b.counts")
    assert ran.code == 2
    assert "its rule is distance" in ran.err
    assert bertillon("count", parts[0], "--distance", "--similarity", "-o", "c.counts").code == 2


def run(*arguments: object, cwd: Path, **how: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from bertillon.cli.app import main; main()", *map(str, arguments)]
    return subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)


def test_a_disk_that_fills_up_leaves_no_counts(parts, tmp_path):
    """A limit on the size of files, as a full disk would set it."""
    out = tmp_path / "out"
    out.mkdir()

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    process = run("count", *parts, "-o", out / "a.counts", cwd=tmp_path, preexec_fn=limit)
    _, told = process.communicate(timeout=120)
    assert process.returncode == 2, told
    assert "a.counts: cannot be written" in told
    assert list(out.iterdir()) == []


@pytest.mark.parametrize(
    "command", [["count", "x.csv", "-o", "a.counts"], ["verify", "x.csv", "--stream", "--json", "a"]]
)
def test_ctrl_c_ends_counting_without_a_trace_or_a_file(tmp_path, command):
    """A file that is read slowly, and a finger on the keys (Ctrl-C among the faults to survive)."""
    slow = (
        "import sys, time\n"
        "from bertillon import trials\n"
        "from bertillon.cli import app\n"
        "def batches():\n"
        "    while True:\n"
        "        print('counting', flush=True)\n"
        "        time.sleep(0.05)\n"
        "        yield [1.0] * 1000, [0.0] * 1000\n"
        "trials.stream_scores = lambda *a, **k: trials.ScoreStream(batches())\n"
        f"sys.argv = {['bertillon', *command]}\n"
        "app.main()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", slow], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert time.monotonic() - started < 30
    assert process.returncode == 130
    assert "Traceback" not in told
    assert list(tmp_path.iterdir()) == []


def test_help_names_what_counting_is_for(bertillon):
    ran = bertillon("count", "--help")
    assert ran.code == 0
    assert "bertillon verify" in ran.out
