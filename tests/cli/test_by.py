"""`verify --by`: published conditions, what is written, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from jsonschema import Draft202012Validator

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = json.loads((ROOT / "docs" / "schema" / "bertillon-1.json").read_text())
FEW = ("--resamples", "50")


@pytest.mark.realdata
def test_d5_ru2009_by_tcond(bertillon, real_data: Path) -> None:
    """D5, STANDARDS 10: TS1 EER 10.2675 %, Cllr .37012; TS2 5.2500 %, .20959; pooled 7.7708 %."""
    how = ("--by", "tcond", "-m", "EER", "-m", "Cllr", *FEW, "--json", "-")
    ran = bertillon("verify", real_data / "ru2009" / "ru.2009.table.gz", *how)
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)["conditions"]
    values = {one["condition"]: {m["name"]: m["value"] for m in one["measures"]} for one in found["conditions"]}
    assert values["TS1"]["EER"] == pytest.approx(0.102675, abs=5e-7)
    assert values["TS1"]["Cllr"] == pytest.approx(0.37012, abs=5e-6)
    assert values["TS2"]["EER"] == pytest.approx(0.052500, abs=5e-7)
    assert values["TS2"]["Cllr"] == pytest.approx(0.20959, abs=5e-6)
    assert found["pooled"][0]["value"] == pytest.approx(0.077708, abs=5e-7)
    assert found["equal_weight_mean"]["EER"]["value"] == pytest.approx((0.102675 + 0.0525) / 2, abs=5e-7)
    assert found["worst"]["EER"]["condition"] == "TS1"
    difference = found["differences"][0]
    assert difference["interval"][1] < 0 < -difference["difference"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    rows = []
    for person in range(30):
        for other in (person, (person + 1) % 30, (person + 5) % 30):
            for age in range(6):
                score = rng.normal(3 - 0.3 * age if person == other else 0, 1)
                rows.append((f"p{person}", f"p{other}", round(score, 4), age, "in" if age % 2 else "out"))
    columns = ["probe_subject", "reference_subject", "score", "years", "place"]
    pl.DataFrame(rows, schema=columns, orient="row").write_csv(tmp_path / "aging.csv")
    return tmp_path / "aging.csv"


def test_d5_bins_crossed_with_a_column_in_every_kind_of_report(bertillon, table) -> None:
    reports = [part for suffix in ("html", "md", "tex") for part in ("--report", f"out.{suffix}")]
    more = ("--csv", "csv", "--figures", "figures", "--figure-format", "png", "--json", "out.json")
    by = ("--by", "years:0,3,6", "--by", "place")
    ran = bertillon("verify", table, *by, "-m", "EER", "-m", "FNMR@FMR=0.1", *FEW, *reports, *more)
    assert ran.code == 0, ran.err
    document = json.loads(Path("out.json").read_text(), parse_constant=pytest.fail)
    assert list(Draft202012Validator(PUBLISHED).iter_errors(document)) == []
    names = [one["condition"] for one in document["conditions"]["conditions"]]
    assert names == ["[0, 3), in", "[0, 3), out", "[3, 6], in", "[3, 6], out"]
    for text in (ran.out, *(Path(f"out.{suffix}").read_text() for suffix in ("html", "md", "tex"))):
        assert "[3, 6], out" in text
        assert "equal-weight mean" in text
        assert "worst: [3, 6]" in text
    written = pl.read_csv("csv/conditions.csv")
    assert set(written["kind"]) == {"condition", "pooled", "equal-weight mean", "worst"}
    assert all(Path(f"figures/{name}.png").stat().st_size > 5_000 for name in ("conditions", "condition-differences"))


def test_d5_a_difference_without_an_interval_says_why(bertillon, table) -> None:
    """One condition has no impostors: that is the reason, not too few errors."""
    frame = pl.read_csv(table)
    mated = pl.col("probe_subject") == pl.col("reference_subject")
    frame.filter((pl.col("place") == "in") | mated).write_csv("lacking.csv")
    flat = " ".join(bertillon("verify", "lacking.csv", "--by", "place", "-m", "FMR@t=1", *FEW, "--explain").out.split())
    assert "No interval for FMR@t=1: in out, no non-mated scores." in flat


@pytest.mark.parametrize("lang", ["it", "es", "zh"])
def test_conditions_in_other_languages(bertillon, table, lang) -> None:
    ran = bertillon("verify", table, "--by", "place", "-m", "EER", *FEW, "--lang", lang)
    assert ran.code == 0, ran.err
    assert "equal-weight" not in ran.out


@pytest.mark.parametrize(
    ("by", "fault"),
    [
        (("--by", "years:0,2,4"), "the bins of years leave out 90 of 540 comparisons, which lie from 0 to 5"),
        (("--by", "years:0,2,6,9"), "no comparisons are in the bin [6, 9] of years; they lie from 0 to 5"),
        (("--by", "place", "--by", "place"), "condition 'place' is given twice"),
        (("--by", "years:0,nan"), "two or more ends of bins that rise"),
        (("--by", "year"), "did you mean 'years'"),
        (("--by", "score"), "different values; expected at most 100: give bins"),
        (("--by", "place", "--by", "years", "--by", "score"), "one, or two that are crossed"),
    ],
)
def test_what_cannot_be_divided_is_refused(bertillon, table, by, fault) -> None:
    ran = bertillon("verify", table, *by, *FEW)
    assert (ran.code, fault in ran.err) == (2, True), ran.err


@pytest.mark.parametrize("written", ["", "nan"])
def test_a_comparison_without_a_condition_is_refused(bertillon, written) -> None:
    rows = ["probe_subject,reference_subject,score,years", "a,a,0.9,1", "b,b,0.8,1", f"a,b,0.1,{written}", "b,a,0.2,2"]
    Path("few.csv").write_text("\n".join(rows) + "\n")
    ran = bertillon("verify", "few.csv", "--by", "years:0,1,3", *FEW)
    assert (ran.code, "1 of 4 comparisons have no years" in ran.err) == (2, True), ran.err


def test_lists_have_no_conditions(bertillon, lists) -> None:
    ran = bertillon("verify", *lists, "--by", "place")
    assert ran.code == 2
    assert "has no column" in ran.err or "needs a table" in ran.err


@pytest.fixture
def faces(tmp_path: Path) -> Path:
    """Sixty people, six templates each, of which every second was taken at night and is worse."""
    rng = np.random.default_rng(1)
    centre = rng.normal(size=(60, 16))
    dark = np.tile([False, True], 180)
    vectors = centre.repeat(6, axis=0) + rng.normal(0, 1, (360, 16)) * np.where(dark, 1.5, 0.9)[:, None]
    columns = {"light": np.where(dark, "night", "day"), "years": np.tile(range(6), 60)}
    np.savez(tmp_path / "faces.npz", embeddings=vectors, subject=np.repeat(range(60), 6), **columns)
    return tmp_path / "faces.npz"


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    rng = np.random.default_rng(2)
    truth, site = rng.integers(0, 2, 300), rng.choice(["north", "south"], 300)
    p = 1 / (1 + np.exp(-3 * (truth - 0.5 + rng.normal(0, np.where(site == "north", 0.5, 1.0)))))
    p[::50] = np.nan
    pl.DataFrame({"y_true": truth, "p": p, "site": site, "age": range(300)}).write_csv(tmp_path / "samples.csv")
    return tmp_path / "samples.csv"


def in_every_report(bertillon, *command: str | Path) -> dict:
    """What JSON says by the schema, after every other kind of report was seen to say it, too."""
    reports = [part for suffix in ("html", "md", "tex") for part in ("--report", f"out.{suffix}")]
    more = ("--csv", "csv", "--figures", "figures", "--figure-format", "png", "--json", "out.json")
    ran = bertillon(*command, *FEW, *reports, *more)
    assert ran.code == 0, ran.err
    document = json.loads(Path("out.json").read_text(), parse_constant=pytest.fail)
    assert list(Draft202012Validator(PUBLISHED).iter_errors(document)) == []
    for text in (ran.out, *(Path(f"out.{suffix}").read_text() for suffix in ("html", "md", "tex"))):
        assert "equal-weight mean" in text
        assert "worst: " in text
    assert all(f'id="chart-conditions-0-{name}-chart"' in Path("out.html").read_text() for name in ("0", "apart-0"))
    assert set(pl.read_csv("csv/conditions.csv")["kind"]) == {"condition", "pooled", "equal-weight mean", "worst"}
    assert all(Path(f"figures/{name}.png").stat().st_size > 5_000 for name in ("conditions", "condition-differences"))
    return document["conditions"]


def test_d5_searches_by_the_condition_of_the_probe_in_every_kind_of_report(bertillon, faces) -> None:
    how = ("--leave-out", "0.3", "--by", "light", "-m", "RR", "-m", "FNIR@FPIR=0.1")
    found = in_every_report(bertillon, "identify", faces, *how)
    counts = {one["condition"]: one["counts"] for one in found["conditions"]}
    assert (sum(c["enrolled"] for c in counts.values()), sum(c["nonenrolled"] for c in counts.values())) == (210, 108)
    assert found["worst"]["RR"]["condition"] == "night"
    values = [{m["name"]: m for m in one["measures"]}["RR"] for one in found["conditions"]]
    wrong, searched = (sum(value[key] for value in values) for key in ("errors", "trials"))
    assert 1 - wrong / searched == pytest.approx(found["pooled"][0]["value"])
    assert found["at_global_threshold"]["FNIR@FPIR=0.1,k=1"]["measures"][1].startswith("FPIR@t=")


def test_d5_templates_by_the_conditions_of_both_in_every_kind_of_report(bertillon, faces) -> None:
    """Sixty people, three templates by day and three by night: of each 6, 18 and 6 ordered mated pairs."""
    found = in_every_report(bertillon, "verify", faces, "--by", "light", "-m", "EER", "-m", "FNMR@FMR=0.1")
    counts = {one["condition"]: one["counts"] for one in found["conditions"]}
    assert list(counts) == ["day", "day/night", "night"]
    assert [one["mated"] for one in counts.values()] == [60 * n for n in (6, 18, 6)]
    assert [one["nonmated"] for one in counts.values()] == [60 * 59 * n for n in (9, 18, 9)]
    assert found["worst"]["EER"]["condition"] == "night"


def test_d5_samples_by_columns_of_the_table_in_every_kind_of_report(bertillon, samples) -> None:
    how = ("--by", "site", "--by", "age:0,150,300", "-m", "Recall", "-m", "AUC")
    found = in_every_report(bertillon, "classify", samples, *how)
    assert len(found["conditions"]) == 4
    assert sum(one["counts"]["failed"] for one in found["conditions"]) == 6
    assert sum(one["counts"]["samples"] for one in found["conditions"]) == 294
    ran = bertillon("classify", samples, "--by", "site", *FEW)
    assert "F1 by site" in ran.out  # what every group of samples is asked


def test_d5_comparisons_that_are_searches_and_candidates_by_condition(bertillon, tmp_path) -> None:
    rng = np.random.default_rng(3)
    rows = []
    for probe in range(40):
        for other in range(20):
            score = rng.normal(3 if probe % 30 == other else 0, 1)
            light = "day" if probe % 3 else "night"
            rows.append((f"i{probe}", f"p{probe % 30}", f"p{other}", round(score, 3), light))
    columns = ["probe", "probe_subject", "reference_subject", "score", "light"]
    pl.DataFrame(rows, schema=columns, orient="row").write_csv("pairs.csv")
    ran = bertillon("identify", "pairs.csv", "--by", "light", "-m", "RR", *FEW, "--json", "-")
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    assert sum(one["counts"]["enrolled"] for one in found["conditions"]["conditions"]) == found["counts"]["enrolled"]


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        (("identify", "faces.npz", "--by", "ligth"), "did you mean 'light'"),
        (("identify", "faces.npz", "--by", "years:0,2"), "the bins of years leave out 360 of 720 searches"),
        (("verify", "faces.npz", "--by", "ligth"), "did you mean 'light'"),
        (("verify", "faces.npz", "--by", "years:0,2"), "the bins of years leave out 180 of 360 templates"),
        (("verify", "faces.npz", "--by", "years:0,6,9"), "no templates are in the bin [6, 9] of years"),
        (("verify", "faces.npz", "--by", "light", "--multiple"), "templates were fused"),
        (("identify", "faces.npz", "--by", "light", "--no-intervals"), "leave out --no-intervals"),
        (("identify", "faces.npz", "--by", "light", "--mates", "m.csv"), "put the mates into it"),
        (("classify", "samples.csv", "--by", "sites"), "did you mean 'site'"),
        (("classify", "samples.csv", "--by", "age:0,100"), "the bins of age leave out 199 of 300 samples"),
        (("classify", "samples.csv", "--by", "site", "--no-intervals"), "leave out --no-intervals"),
    ],
)
def test_searches_and_samples_that_cannot_be_divided_are_refused(bertillon, faces, samples, command, fault) -> None:
    ran = bertillon(*command, *FEW)
    assert (ran.code, fault in ran.err) == (2, True), ran.err


def test_a_matrix_has_no_conditions(bertillon, tmp_path) -> None:
    pl.DataFrame({"": ["a", "b"], "a": [0.9, 0.1], "b": [0.2, 0.8], "c": [0.3, 0.4]}).write_csv("m.csv")
    ran = bertillon("identify", "m.csv", "--by", "light")
    assert (ran.code, "which says nothing of its probes" in ran.err) == (2, True), ran.err
