"""The report for programs: strict JSON by the published schema, and one table as CSV.

Conventions: JSON is what `--json` writes: one system as one object, several as a list under "systems", several modes
each under its name; systems that were tested against each other have "pairs". CSV has a row a measure of each system
with its interval, or where systems were tested a row a difference.

Holds `findings_json` and `findings_csv`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bertillon._version import __version__
from bertillon.errors import InputError
from bertillon.evaluation.answers import SCHEMA, Answers
from bertillon.report.class_exports import classes_json
from bertillon.report.classes import ClassReport
from bertillon.report.compared import compared_frame, pair_object
from bertillon.report.exports import json_text, search_json_text
from bertillon.report.findings import Findings

if TYPE_CHECKING:
    import polars as pl

MODES = ("verification", "identification", "classification")


def findings_json(findings: Findings) -> str:
    """What was found, by the schema of version `SCHEMA`."""
    parts = {mode: _part(findings, mode) for mode in MODES if getattr(findings, mode)}
    if not parts:
        raise InputError("nothing was evaluated, so there is nothing to report; give at least one evaluation")
    whole: dict[str, Any] = {"bertillon": __version__, "schema": SCHEMA, "mode": "modes"} | parts
    if len(parts) == 1:
        whole = next(iter(parts.values()))
    if findings.versus:
        whole["pairs"] = [pair_object(versus) for versus in findings.versus]
    return json.dumps(whole, indent=2, allow_nan=False, ensure_ascii=False) + "\n"


def findings_csv(findings: Findings) -> str:
    """One table: measures with intervals, or differences."""
    if findings.versus:
        return compared_frame(findings.versus).write_csv()
    return measures_frame([*findings.verification, *findings.identification, *findings.classification]).write_csv()


def measures_frame(evaluations: Sequence[Answers]) -> pl.DataFrame:
    """One row a measure of each system; what is not known is null."""
    import polars as pl

    frames = [
        one.to_frame().select(pl.lit(one.language.mode).alias("mode"), pl.lit(one.name).alias("system"), pl.all())
        for one in evaluations
    ]
    if not frames:
        raise InputError("nothing was evaluated, so there is nothing to report; give at least one evaluation")
    whole = pl.concat(frames, how="diagonal")
    wanted = {"low": pl.Float64, "high": pl.Float64, "level": pl.Float64, "method": pl.String}
    missing = [pl.lit(None, dtype=kind).alias(name) for name, kind in wanted.items() if name not in whole.columns]
    first = ["mode", "system", "name", "value", *wanted]
    ordered = whole.with_columns(missing).select(*first, pl.exclude(first))
    return ordered.with_columns(pl.col(pl.Float64).fill_nan(None))


def _part(findings: Findings, mode: str) -> dict[str, Any]:
    """The systems of one mode as `--json` has them."""
    if mode == "verification":
        text = json_text(findings.verification)
    elif mode == "identification":
        text = search_json_text(findings.identification)
    else:
        text = classes_json([ClassReport(one, {}) for one in findings.classification])
    part: dict[str, Any] = json.loads(text)
    for system in part.get("systems", [part]):
        if system.get("decision"):
            system["decision"]["chosen_here"] = None  # how a threshold was chosen, findings do not say
    return part
