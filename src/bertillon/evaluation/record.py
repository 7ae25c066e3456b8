"""An evaluation as plain values for JSON; also what a policy of a recogniser reads of it.

Conventions: an undefined number is None with its reason, an infinity is "inf". Points for a policy are written only of
trials made from templates, whose matcher is known: the threshold of each measure asked for, with both error rates at
exactly this threshold: FMR and FNMR of comparisons, FPIR and FNIR of searches; a rate at a fixed threshold has an
interval by a formula, so that nothing is resampled. The scores of the test are kept as quantiles, to see later whether
scores in use still look like them.

Holds `evaluation_record` and `SCHEMA`, its version; `plain`; and `policy_record` of `tested_system`, `operating_rates`
and `score_quantiles`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from bertillon._version import __version__
from bertillon.core.messages import Message, record
from bertillon.measures.base import Result
from bertillon.stats.intervals import intervals_of

SCHEMA = 1  # of the JSON that is written; it is described in docs/schema
MADE = "protocol.matcher."  # the note in which a protocol says which matcher compared
RATES = {"verification": ("FMR@t={t!r}", "FNMR@t={t!r}"), "identification": ("FPIR@t={t!r}", "FNIR@t={t!r},k=1")}
QUANTILES = 21  # of each class of scores, the least and the greatest among them


def evaluation_record(evaluation: Any) -> dict[str, Any]:
    """All answers with their intervals, the signature, and what a policy reads."""
    whole = {
        "bertillon": __version__,
        "schema": SCHEMA,
        "mode": evaluation.kind,
        "name": evaluation.name,
        "rule": evaluation.rule.value,
        "counts": evaluation.counts,
        "measures": [_measure_row(evaluation, name) for name in evaluation.results],
        "signature": plain(record(evaluation.signature)),
        **plain(policy_record(evaluation)),
    }
    return whole | {"counted": _counted(evaluation)} if evaluation.trials.form == "streamed" else whole


def _measure_row(evaluation: Any, name: str) -> dict[str, Any]:
    """A measure as JSON shows it."""
    row = {"name": name, **plain(record(evaluation.results[name]))}
    interval = evaluation.intervals.get(name)
    if interval is None:
        return row
    ends = None if math.isnan(interval.low) else [interval.low, interval.high]
    more: dict[str, Any] = {"interval": ends, "level": interval.level, "method": str(interval.method)}
    more |= {"naive": interval.naive} | interval.side_record
    more |= {"threshold_interval": interval.threshold} if interval.threshold is not None else {}
    more |= {"interval_reason": str(interval.reason)} if interval.reason else {}
    return row | {key: plain(value) for key, value in more.items()}


def _counted(evaluation: Any) -> dict[str, Any]:
    """How the scores of a stream were counted, and what is known within bounds only."""
    return {
        "how": str(evaluation.trials.way),
        "passes": evaluation.trials.passes,
        "bounds": {name: plain(list(ends)) for name, ends in evaluation.bounds.items()},
        "sources": [
            {"name": source.name, "mated": source.mated, "nonmated": source.nonmated, "data": source.fingerprint}
            for source in evaluation.trials.sources
        ],
    }


def plain(value: Any) -> Any:
    """A value, or a dict or list of values, as strict JSON allows it."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value


def policy_record(evaluation: Any) -> dict[str, Any]:
    """The keys that a policy reads, or none where nobody knows which matcher made the scores."""
    system = tested_system(evaluation)
    if system is None or evaluation.kind not in RATES:
        return {}
    return {"system": system, "points": operating_rates(evaluation), "scores": score_quantiles(evaluation.trials)}


def tested_system(evaluation: Any) -> dict[str, str] | None:
    """The matcher, how templates of a person were fused, and the fingerprint of the model that made the templates."""
    notes = getattr(evaluation.trials, "notes", ())
    made = [note for note in notes if isinstance(note, Message) and note.key.startswith(MADE)]
    if not made:
        return None
    values = made[0].values
    fusion = getattr(evaluation.trials, "fusion", "") or values.get("fusion", "")  # searches say it themselves
    return {"matcher": str(values["matcher"]), "fusion": str(fusion), "model": str(values.get("model", ""))}


def operating_rates(evaluation: Any) -> list[dict[str, Any]]:
    """Both error rates at the threshold of every measure that has one, with intervals where the evaluation has them."""
    found: dict[str, Result] = evaluation.results
    known = [(name, _threshold(evaluation, name, result)) for name, result in found.items()]
    places = [(name, threshold) for name, threshold in known if math.isfinite(threshold)]
    spelled = {t: [form.format(t=float(t)) for form in RATES[evaluation.kind]] for _, t in places}
    measures = evaluation.measure_set.parse_all([name for names in spelled.values() for name in names])
    estimates = {str(measure): evaluation[measure] for measure in measures}
    results = {name: Result(e.value, e.threshold, e.errors, e.trials, e.reason) for name, e in estimates.items()}
    intervals = {}
    if measures and evaluation.settings is not None:
        intervals = intervals_of(evaluation.trials, measures, results, evaluation.settings)
    rows = {str(measure): _row(str(measure), results[str(measure)], intervals) for measure in measures}
    canonical = iter(rows.values())
    at = {t: [next(canonical) for _ in names] for t, names in spelled.items()}
    return [{"at": name, "threshold": float(t), "rates": at[t]} for name, t in places]


def _threshold(evaluation: Any, name: str, result: Result) -> float:
    """That of the answer, or the one that the measure names; NaN without one."""
    if result.threshold is not None:
        return result.threshold
    at = evaluation.measure_set.parse(name).spelling.at  # of a rank it is a number
    return float(at.get("t", math.nan)) if isinstance(at, Mapping) else math.nan


def _row(name: str, result: Result, intervals: Any) -> dict[str, Any]:
    value = None if math.isnan(result.value) else result.value
    row: dict[str, Any] = {
        "name": name.partition("@")[0],
        "value": value,
        "errors": result.errors,
        "trials": result.trials,
    }
    interval = intervals.get(name)
    if interval is None or math.isnan(interval.low):
        return row | {"interval": None, "level": None, "method": None}
    row |= {"interval": [interval.low, interval.high], "level": interval.level, "method": str(interval.method)}
    return {**row, **interval.side_record}


def score_quantiles(trials: Any) -> dict[str, list[float]] | None:
    """Quantiles of the scores of each class: of comparisons, or of the best candidate of a search; None if not kept."""
    if trials.form != "whole":
        return None
    if trials.kind == "verification":
        classes = {"mated": trials.mated, "nonmated": trials.nonmated}
    else:
        top = np.where(np.isnan(trials.top_score), np.nan, trials.top_score)
        classes = {"mated": top[trials.enrolled], "nonmated": top[~trials.enrolled]}
    steps = np.linspace(0.0, 1.0, QUANTILES)
    kept = {name: values[np.isfinite(values)] for name, values in classes.items()}
    return {name: np.quantile(values, steps).tolist() if values.size else [] for name, values in kept.items()}
