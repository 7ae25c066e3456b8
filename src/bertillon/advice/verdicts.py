"""Verdict bands: what a number is usually called.

Conventions: a number on the border of two bands belongs to the first of them; one that is undefined is "unknown".

Holds `eer_verdict` and `open_eer_verdict` (a sentence each), and the words behind them and beside other numbers:
`eer_band`, `open_eer_band`, `auc_word`, `kappa_word` (Landis and Koch).
"""

from __future__ import annotations

import math

Bands = tuple[tuple[float, str], ...]  # up to each limit, its word

EER_BANDS: Bands = (
    (0.01, "excellent"),
    (0.05, "good"),
    (0.10, "acceptable where errors are not critical"),
    (0.20, "weak"),
    (1.00, "poor: not usable as it is"),
)
OPEN_EER_BANDS: Bands = (
    (0.02, "excellent"),
    (0.05, "good"),
    (0.10, "acceptable"),
    (1.00, "poor"),
)
KAPPA_BANDS: Bands = (
    (0.20, "slight"),
    (0.40, "fair"),
    (0.60, "moderate"),
    (0.80, "substantial"),
    (1.00, "almost perfect"),
)
AUC_BANDS: Bands = ((0.9, "excellent"), (0.8, "good"), (0.7, "acceptable"), (0.5, "weak"))  # from each limit on


def eer_band(eer: float) -> str:
    """The band of an equal error rate.

    >>> eer_band(0.01), eer_band(0.03)
    ('excellent', 'good')
    """
    return _up_to(eer, EER_BANDS)


def open_eer_band(eer: float) -> str:
    """The band of an open-set equal error rate.

    >>> open_eer_band(0.02), open_eer_band(0.03), open_eer_band(0.1), open_eer_band(0.11)
    ('excellent', 'good', 'acceptable', 'poor')
    """
    return _up_to(eer, OPEN_EER_BANDS)


def eer_verdict(eer: float) -> str:
    """One sentence on an equal error rate.

    >>> eer_verdict(0.0485)
    'EER 4.85 %: good.'
    """
    return _verdict("EER", eer, eer_band(eer))


def open_eer_verdict(eer: float) -> str:
    """One sentence on an open-set equal error rate.

    >>> open_eer_verdict(0.025)
    'EERopen 2.5 %: good.'
    """
    return _verdict("EERopen", eer, open_eer_band(eer))


def kappa_word(kappa: float) -> str:
    """Landis and Koch's word for an agreement.

    >>> kappa_word(0.583), kappa_word(-0.1)
    ('moderate', 'worse than chance')
    """
    return "worse than chance" if kappa < 0 else _up_to(kappa, KAPPA_BANDS)


def auc_word(auc: float) -> str:
    """The usual word for an area under the ROC.

    >>> auc_word(1.0), auc_word(0.93), auc_word(0.5), auc_word(0.4)
    ('perfect', 'excellent', 'none', 'reversed: worse than chance')
    """
    if math.isnan(auc):
        return "unknown"
    if auc == 1.0:
        return "perfect"
    if auc <= 0.5:
        return "none" if auc == 0.5 else "reversed: worse than chance"
    return next(word for limit, word in AUC_BANDS if auc >= limit)


def _up_to(number: float, bands: Bands) -> str:
    return "unknown" if math.isnan(number) else next(word for limit, word in bands if number <= limit)


def _verdict(name: str, rate: float, word: str) -> str:
    return f"{name} unknown." if math.isnan(rate) else f"{name} {rate * 100:.3g} %: {word}."
