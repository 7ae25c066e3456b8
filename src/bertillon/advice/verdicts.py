"""Verdict bands: what an error rate is usually called."""

from __future__ import annotations

import math

EER_BANDS = (
    (0.01, "excellent"),
    (0.05, "good"),
    (0.10, "acceptable where errors are not critical"),
    (0.20, "weak"),
    (1.00, "poor: not usable as it is"),
)


def eer_band(eer: float) -> str:
    """The band of an equal error rate; a rate on the border belongs to the better band.

    >>> eer_band(0.01), eer_band(0.03)
    ('excellent', 'good')
    """
    if math.isnan(eer):
        return "unknown"
    return next(word for limit, word in EER_BANDS if eer <= limit)


def eer_verdict(eer: float) -> str:
    """One sentence on an equal error rate.

    >>> eer_verdict(0.0485)
    'EER 4.85 %: good.'
    """
    return "EER unknown." if math.isnan(eer) else f"EER {eer * 100:.3g} %: {eer_band(eer)}."
