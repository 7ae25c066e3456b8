"""How unequal the error rates of groups are, as one number, at one global threshold.

    FDR                1 - (a A + (1 - a) B), A and B the largest differences of FMR and of FNMR; 1 is fair
    IR                 (max FMR / min FMR)^a (max FNMR / min FNMR)^(1 - a); 1 is fair
    GARBE              a Gini(FMR) + (1 - a) Gini(FNMR); 0 is fair
                       Gini = n / (n - 1) * sum_ij |x_i - x_j| / (2 n^2 mean)
    max/min            of FMR, and of FNMR (NIST)
    max/geometric mean of FMR, and of FNMR (NIST)

Conventions: a is 0.5 unless given. FMR is that of two people of one group. A rate of zero leaves IR and the ratios
undefined, with the reason; it is never clipped. Gini of equal rates is 0, and undefined where all are zero. Groups
without comparisons of a kind are left out of it. FDR hides differences of FMR, which are small beside those of FNMR.

All of these are further from fair in a sample than in truth, the more so the smaller the groups. People are resampled.
Intervals are made of the distance from fair, 1 - FDR, GARBE, and the logarithm of a ratio: its ends are Student's, not
below 0. The end towards fairness is moved by the bias: resamples are as much further from fair than the data as
root 2 - 1 of what the data are from the truth, where groups differ by chance alone; elsewhere that is on the safe side.
It is fair itself where the value is within what chance makes of groups that are alike: resampled rates of each group,
scaled to the mean of all.

Holds `fairness_indices` with its `FairnessIndex`; `fairness_of_rates`, of rates that others measured, with its
`FairnessOfRates`, and `read_rates`, which reads these; `with_intervals`, people resampled, and `rows_of_groups`, whose
comparisons they are. Searches have the same indices, with FPIR in place of FMR and FNIR in place of FNMR.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon._version import __version__
from bertillon.core import InputError, say, text_of
from bertillon.core.arguments import as_floats
from bertillon.core.errors import listed
from bertillon.core.lazy import pl
from bertillon.core.showing import Finding
from bertillon.counting.tally import Needs
from bertillon.evaluation import plain
from bertillon.io.templates.owners import read_labels
from bertillon.measures.base import OfResult, Result, number
from bertillon.measures.registry import measure_set_of
from bertillon.stats.ends import Range, ResampledIntervals
from bertillon.stats.interval import Interval, Settings
from bertillon.stats.kinds import statistics_of
from bertillon.trials.protocol import Trials

ALPHA = 0.5
KINDS, SEARCH_KINDS = ("FMR", "FNMR"), ("FPIR", "FNIR")
FloatArray = NDArray[np.float64]
FAIR = {"FDR": 1.0, "GARBE": 0.0}  # of all others 1
GROWTH = math.sqrt(2.0) - 1.0
MOST_APART = 700.0  # a logarithm that still has a power


@dataclass(frozen=True, slots=True)
class FairnessIndex(OfResult):
    """One number, its result, and how sure it is."""

    name: str
    result: Result
    interval: Interval | None = None

    @property
    def fair(self) -> float:
        """What it is where all groups have the same rates."""
        return FAIR.get(self.name, 1.0)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        whole: dict[str, Any] = {"name": self.name, "value": plain(self.value), "reason": text_of(self.result.reason)}
        if self.interval is None:
            return whole
        ends = None if math.isnan(self.interval.low) else plain([self.interval.low, self.interval.high])
        whole |= {"interval": ends, "level": self.interval.level, "method": str(self.interval.method)}
        return whole | self.interval.side_record | {"interval_reason": text_of(self.interval.reason)}

    def to_row(self) -> dict[str, Any]:
        """A row of the table that holds the rates of groups, called as the kind of rate is there."""
        row: dict[str, Any] = {"kind": self.name, "value": self.value, "reason": text_of(self.result.reason)}
        if self.interval is None:
            return row
        row |= {"low": self.interval.low, "high": self.interval.high}
        return row | {"reason": text_of(self.result.reason or self.interval.reason)}


def fairness_indices(
    fmr: ArrayLike, fnmr: ArrayLike, *, alpha: float = ALPHA, kinds: tuple[str, str] = KINDS
) -> tuple[FairnessIndex, ...]:
    """FDR, IR, GARBE and the ratios of NIST, from the rates of groups; NaN of a group without comparisons.

    >>> found = fairness_indices([0.001, 0.002, 0.004], [0.01, 0.02, 0.03])
    >>> {one.name: round(one.value, 7) for one in found}["GARBE"]
    0.3809524
    """
    if not 0.0 <= alpha <= 1.0:
        raise InputError(f"alpha is {alpha!r}; expected a weight of the FMR from 0 to 1, such as {ALPHA}")
    expected = "one rate for each group, such as [0.001, 0.002]"
    rates = tuple(as_floats(values, kind, expected) for kind, values in zip(kinds, (fmr, fnmr), strict=True))
    if rates[0].shape != rates[1].shape:
        raise InputError(
            f"{rates[0].size} groups have an {kinds[0]} and {rates[1].size} an {kinds[1]}; expected both of each"
        )
    return tuple(FairnessIndex(name, _result(name, rates, alpha, kinds)) for name in _names(kinds))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FairnessOfRates(Finding):
    """How unequal rates of groups are that were measured elsewhere: nobody can be resampled, so no index is sure."""

    name: str
    groups: tuple[str, ...]
    kinds: tuple[str, str]
    rates: tuple[FloatArray, FloatArray]  # of each kind, by group; NaN without comparisons
    alpha: float
    indices: tuple[FairnessIndex, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        rates = {kind: values.tolist() for kind, values in zip(self.kinds, self.rates, strict=True)}
        rows = [{"group": group} | {kind: rates[kind][n] for kind in self.kinds} for n, group in enumerate(self.groups)]
        about = {"bertillon": __version__, "mode": "fairness", "name": self.name, "alpha": self.alpha, "groups": rows}
        made: dict[str, Any] = plain(about | {"fairness": [index.to_dict() for index in self.indices]})
        return made

    def to_frame(self) -> pl.DataFrame:
        """One row a rate of a group, then one an index."""
        rows: list[dict[str, Any]] = [
            {"group": group, "kind": kind, "value": float(values[n])}
            for n, group in enumerate(self.groups)
            for kind, values in zip(self.kinds, self.rates, strict=True)
        ]
        rows += [{"group": None, **index.to_row()} for index in self.indices]
        return pl.DataFrame(rows, schema_overrides={"group": pl.String, "reason": pl.String}, infer_schema_length=None)


def fairness_of_rates(
    groups: Sequence[str],
    fmr: ArrayLike,
    fnmr: ArrayLike,
    *,
    alpha: float = ALPHA,
    kinds: tuple[str, str] = KINDS,
    name: str = "rates",
) -> FairnessOfRates:
    """The indices of rates of groups that were measured elsewhere, such as published ones.

    >>> found = fairness_of_rates(["f", "m"], [0.001, 0.004], [0.01, 0.02])
    >>> {index.name: round(index.value, 4) for index in found.indices[:2]}
    {'FDR': 0.9935, 'IR': 2.8284}
    """
    names = [str(group) for group in groups]
    if "" in names:
        raise InputError(f"{name}: row {names.index('') + 1:,} has no group; expected one in every row")
    twice = [group for group in names if names.count(group) > 1]
    if twice:
        raise InputError(f"{name}: group {twice[0]!r} stands twice; expected each group once")
    if len(names) < 2:
        raise InputError(f"{name}: {len(names)} group; expected two or more to compare")
    indices = fairness_indices(fmr, fnmr, alpha=alpha, kinds=kinds)
    rates = as_floats(fmr, kinds[0], "rates"), as_floats(fnmr, kinds[1], "rates")
    if rates[0].size != len(names):
        raise InputError(f"{name}: {len(names)} groups and {rates[0].size} rates; expected one of each kind for each")
    return FairnessOfRates(name, tuple(names), kinds, rates, alpha, indices)


def read_rates(path: str | os.PathLike[str], *, alpha: float = ALPHA) -> FairnessOfRates:
    """A table of groups, CSV or Parquet, with columns group, FMR and FNMR, or of searches FPIR and FNIR."""
    labels = read_labels(path, {"subject": "group"})
    columns = {name.upper(): name for name in labels.metadata}
    kinds = next((pair for pair in (KINDS, SEARCH_KINDS) if set(pair) <= set(columns)), None)
    if kinds is None:
        found = listed(labels.metadata) or "none"
        problem = f"{labels.source}: expected columns group, FMR and FNMR, or group, FPIR and FNIR"
        raise InputError(f"{problem}; besides the group found {found}")
    rates = [_numbers(labels.metadata[columns[kind]], kind, labels.source) for kind in kinds]
    with_name: dict[str, Any] = {"alpha": alpha, "kinds": kinds, "name": labels.source}
    return fairness_of_rates(labels.subject.tolist(), *rates, **with_name)


def _numbers(column: pl.Series, kind: str, source: str) -> FloatArray:
    """Rates; empty where a group has no comparisons of the kind."""
    numbers = column.cast(pl.Float64, strict=False)
    wrong = numbers.is_null() & ~column.is_null() & (column.cast(pl.String).str.strip_chars() != "")
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        raise InputError(f"{source}: row {row + 1:,} has {kind} {column[row]!r}; expected a rate from 0 to 1, or empty")
    return numbers.fill_null(math.nan).to_numpy()


def _names(kinds: tuple[str, str]) -> tuple[str, ...]:
    ratios = (f"{kind} {ratio}" for kind in kinds for ratio in ("max/min", "max/geometric mean"))
    return ("FDR", "IR", "GARBE", *ratios)


def _result(name: str, rates: tuple[FloatArray, ...], alpha: float, kinds: tuple[str, str]) -> Result:
    used = _used(name, alpha, kinds)
    for place in used:
        known = rates[place][~np.isnan(rates[place])]
        if ((known < 0.0) | (known > 1.0)).any():
            raise InputError(f"{kinds[place]} of a group is {known[(known < 0) | (known > 1)][0]:g}; expected a rate")
        if known.size < 2:
            return Result.undefined(say("reason.few_groups"))
        if name == "GARBE" and not known.any():
            return Result.undefined(say("fairness.all_zero", kind=kinds[place]))
        if name not in ("FDR", "GARBE") and not known.all():
            return Result.undefined(say("fairness.zero", kind=kinds[place]))
    return Result(float(_value(name, np.stack(rates, axis=-1)[:, None], alpha, kinds)[0]))


def _used(name: str, alpha: float, kinds: tuple[str, str]) -> list[int]:
    """Which of both rates an index reads; one without a weight is not looked at."""
    of_kind = [place for place, kind in enumerate(kinds) if name.startswith(f"{kind} ")]
    return of_kind or [place for place, weight in enumerate((alpha, 1.0 - alpha)) if weight]


def _value(name: str, values: FloatArray, alpha: float, kinds: tuple[str, str]) -> FloatArray:
    """Of rates (groups, resamples, 2); NaN where undefined."""
    read = _READ[name.partition(" ")[2] or name]
    parts = {place: read(values[..., place]) for place in _used(name, alpha, kinds)}
    if " " in name:
        return next(iter(parts.values()))
    weights = (alpha, 1.0 - alpha)
    if name == "IR":
        return np.asarray(np.prod([part ** weights[place] for place, part in parts.items()], axis=0))
    summed = np.asarray(np.sum([weights[place] * part for place, part in parts.items()], axis=0))
    return 1.0 - summed if name == "FDR" else summed


def _spread(rates: FloatArray) -> FloatArray:
    return np.asarray(np.fmax.reduce(rates, axis=0) - np.fmin.reduce(rates, axis=0))


def _to_least(rates: FloatArray) -> FloatArray:
    least = np.fmin.reduce(rates, axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(least > 0.0, np.fmax.reduce(rates, axis=0) / least, np.nan))


def _to_mean(rates: FloatArray) -> FloatArray:
    least = np.fmin.reduce(rates, axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.exp(_mean(np.log(rates)))
        return np.asarray(np.where(least > 0.0, np.fmax.reduce(rates, axis=0) / mean, np.nan))


def _mean(rates: FloatArray) -> FloatArray:
    """Over the groups where it is defined; NaN where it is in none."""
    known = ~np.isnan(rates)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(known, rates, 0.0).sum(axis=0) / known.sum(axis=0))


def _gini(rates: FloatArray) -> FloatArray:
    known = rates[~np.isnan(rates).all(axis=1)]
    n = known.shape[0]
    ranked = np.sort(known, axis=0)
    apart = 2.0 * np.tensordot(2.0 * np.arange(1, n + 1) - n - 1, ranked, axes=1)  # the sum over ordered pairs
    total = ranked.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(total > 0.0, apart / (2.0 * (n - 1) * total), np.nan))


_READ: dict[str, Callable[[FloatArray], FloatArray]] = {
    "FDR": _spread,
    "IR": _to_least,
    "GARBE": _gini,
    "max/min": _to_least,
    "max/geometric mean": _to_mean,
}


@dataclass(frozen=True, slots=True)
class _Over:
    """How far from fair the rates of resampled groups are; `seen` are the rates of the data, NaN without comparisons.

    Where groups are taken as `alike`, their rates are scaled to the mean of all.
    """

    name: str
    alpha: float
    kinds: tuple[str, str]
    seen: tuple[tuple[float, float], ...]
    alike: bool = False

    def over(self, values: FloatArray) -> FloatArray:
        """Of (groups, resamples, kinds)."""
        seen = np.array(self.seen)[:, None, :]
        known = np.where(np.isnan(seen), np.nan, values)
        if self.alike:
            mean = _mean(seen)
            with np.errstate(divide="ignore", invalid="ignore"):
                known = np.where(seen > 0.0, known / seen * mean, known + mean)
        return _apart(self.name, _value(self.name, known, self.alpha, self.kinds))


def _apart(name: str, values: FloatArray) -> FloatArray:
    """How far from fair values of an index are, 0 where they are fair."""
    if name in FAIR:
        return np.abs(values - FAIR[name])
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log(values))


def _restored(name: str, apart: float) -> float:
    """The value of an index so far from fair."""
    if name in FAIR:
        return abs(FAIR[name] - min(apart, 1.0))
    return math.exp(min(apart, MOST_APART))


def rows_of_groups(group_of: tuple[NDArray[Any], NDArray[Any], NDArray[Any]]) -> list[NDArray[np.bool_]]:
    """The comparisons of each group, the mated ones first: of its people, and of two of them.

    `group_of` are the groups, by number, of each mated comparison and of the two people of each non-mated one.
    """
    own, first, second = group_of
    n = 1 + max(int(side.max(initial=-1)) for side in group_of)
    return [np.concatenate([own == group, (first == group) & (second == group)]) for group in range(n)]


def with_intervals(
    indices: Sequence[FairnessIndex],
    trials: Trials,
    rows: Sequence[NDArray[np.bool_]],
    threshold: float,
    settings: Settings,
    *,
    alpha: float = ALPHA,
    kinds: tuple[str, str] = KINDS,
) -> tuple[FairnessIndex, ...]:
    """The same indices, people of all groups drawn together; `rows` are the trials of each group."""
    measures = [measure_set_of(trials.kind).parse(f"{kind}@t={number(threshold)}") for kind in kinds]
    rates = [[measure.of(trials.select(one).count(Needs.of([measure]))).value for measure in measures] for one in rows]
    known = tuple((accepted, rejected) for accepted, rejected in rates)
    statistics = statistics_of(trials, settings)
    defined = [one for one in indices if not math.isnan(one.value)]
    asked: list[Any] = [_Over(one.name, alpha, kinds, known) for one in defined]
    resampler = statistics.of_parts(rows, measures) if asked else None
    if resampler is None:
        return tuple(indices)
    alike: list[Any] = [replace(one, alike=True) for one in asked]
    seen = ResampledIntervals.of(resampler, [*asked, *alike], settings.two_sided)
    people = statistics.people
    found = {one.name: _interval(seen, over, one, settings) for over, one in zip(asked, defined, strict=True)}
    return tuple(
        replace(one, interval=found[one.name].by_people(people) if one.name in found else None) for one in indices
    )


def _interval(seen: ResampledIntervals, asked: Any, index: FairnessIndex, settings: Settings) -> Interval:
    """Student's ends of the distance from fair, the one towards fairness moved by the bias."""
    apart = float(_apart(index.name, np.array(index.value)))
    own = seen.interval(asked, Result(apart), Range())
    if math.isnan(own.low):
        return own
    column = seen.measures.index(asked)
    bias = float(np.nanmean(seen.drawn.values[:, column])) - float(seen.drawn.estimate[column])
    moved = apart - max(bias, 0.0) / GROWTH
    chance = seen.drawn.values[:, seen.measures.index(replace(asked, alike=True))]
    if moved <= 0.0 or apart <= float(np.nanquantile(chance, settings.two_sided.tails[1])):
        nearest = 0.0
    else:
        nearest = max(seen.interval(asked, Result(moved), Range()).low, 0.0)
    low, high = sorted(_restored(index.name, end) for end in (nearest, own.high))
    found = replace(own, low=low, high=high, claim="at least")
    if settings.sides == "both":
        return found
    ends = (0.0, 1.0) if index.name in FAIR else (1.0, math.inf)
    return found.one_sided(settings.sides, settings.level, *ends)
