"""Bands as tables beside their curves: the place on the grid, both ends, the level and what it is about.

Holds `band_frames`.
"""

from __future__ import annotations

from collections.abc import Mapping

from bertillon.core.lazy import pl
from bertillon.counting.curves.error_curve import Band

_AXES = {
    "det": ("fmr", "fnmr"),
    "roc": ("fpr", "tpr"),
    "cmc": ("k", "cms"),
    "watch-list": ("fpir", "dir"),
    "precision-recall": ("recall", "precision"),
    "reliability": ("mean", "observed"),
}


def band_frames(bands: Mapping[str, Band], files: Mapping[str, str]) -> dict[str, pl.DataFrame]:
    """The table of each band that a file is named for, by the name of the file."""
    return {f"{file}-band": _frame(bands[curve], *_AXES[curve]) for curve, file in files.items() if curve in bands}


def _frame(band: Band, across: str, upward: str) -> pl.DataFrame:
    place = pl.Series(across, band.x, dtype=pl.Int64) if across == "k" else pl.Series(across, band.x)
    ends = [pl.Series(f"{upward}_low", band.low), pl.Series(f"{upward}_high", band.high)]
    return pl.DataFrame([place, *ends]).with_columns(level=pl.lit(band.level), kind=pl.lit(band.kind))
