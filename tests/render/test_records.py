"""The report for programs: JSON by the schema, and one table."""

from __future__ import annotations

import csv
import io
import json

import pytest
from render.cases import FINDINGS, NASTY, classified, scored, searched

from bertillon.analysis import forecasts, judge, operating_regions
from bertillon.core import InputError
from bertillon.matching import FoldAccuracy
from bertillon.render import WRITERS, report_json
from bertillon.views import ClassReport, ReportContent


def rows(kind: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(WRITERS[".csv"](FINDINGS[kind], "en"))))


def test_one_row_a_measure_with_its_interval_by_hand() -> None:
    found = rows("several systems")
    assert [row["name"] for row in found[:5]] == ["EER", "FNMR@FMR=0.01", "ZeroFMR", "GFAR@t=0.5", "dprime[sum]"]
    assert {row["system"] for row in found} == {NASTY, "other"}
    assert (found[0]["low"], found[0]["high"], found[0]["level"]) == ("0.12345", "0.23456", "0.95")
    assert found[0]["method"] == "by hand"
    assert found[3]["value"] == ""
    assert "enrol" in found[3]["reason"]


def test_the_columns_are_the_same_without_intervals_and_in_every_mode() -> None:
    heads = {tuple(rows(kind)[0]) for kind in FINDINGS if kind != "tested"}
    assert len(heads) == 1
    assert rows("one system without intervals")[0]["low"] == ""
    assert {row["mode"] for row in rows("modes")} == {"verification", "identification"}


def test_tested_systems_have_a_row_a_difference() -> None:
    (row,) = rows("tested")
    assert (row["first_system"], row["second_system"], row["name"]) == ("first", "second", "EER")
    assert float(row["low"]) <= float(row["difference"]) <= float(row["high"])


def test_json_is_one_object_or_a_list_of_systems_or_of_modes() -> None:
    one, many, modes, tested = (
        json.loads(WRITERS[".json"](FINDINGS[kind], "en"))
        for kind in ("one system", "several systems", "modes", "tested")
    )
    assert (one["mode"], one["name"], one["schema"]) == ("verification", "plain", 1)
    assert [system["name"] for system in many["systems"]] == [NASTY, "other"]
    assert modes["identification"]["counts"]["gallery"] == 20
    assert tested["pairs"][0]["measures"][0]["name"] == "EER"


def test_json_has_all_that_was_asked_beside_the_measures() -> None:
    one, other = scored("one"), scored("other", seed=2)
    folds = FoldAccuracy((0.9, 0.92), (1.0, 1.1), 0.91, 0.01)
    content = ReportContent(
        [one, other],
        expected=[forecasts(each, genuine=10, impostor=90) for each in (one, other)],
        folds=[folds, folds],
        development=[judge(other.trials, each, level=0.95) for each in (one, other)],
    )
    first, second = json.loads(report_json(content))["systems"]
    assert first["folds"]["mean"] == second["folds"]["mean"] == 0.91
    assert first["expected"][0]["point"] == "EER"
    assert first["development"]["name"] == "other"
    assert first["expected"] != second["expected"]


def test_regions_go_with_their_searches() -> None:
    one = searched()
    regions = operating_regions(one.tally.watch_list_curve, passers=1000, minutes=15)
    document = json.loads(report_json(ReportContent(identification=[one], regions=[regions])))
    assert [region["name"] for region in document["regions"]] == [str(region.name) for region in regions]


def test_how_a_threshold_was_chosen_is_said_where_it_is_known() -> None:
    one = classified()
    alone = json.loads(report_json(ReportContent(classification=[one])))
    told = json.loads(report_json(ReportContent(classification=[one], class_reports=[ClassReport(one, {})])))
    assert (alone["decision"]["chosen_here"], told["decision"]["chosen_here"]) == (None, False)


@pytest.mark.parametrize("suffix", WRITERS)
def test_nothing_to_report_is_said(suffix: str) -> None:
    with pytest.raises(InputError, match="nothing was evaluated"):
        WRITERS[suffix](ReportContent(), "en")
