"""Which way is better: whether a measure should be small or large.

Conventions: each definition says it for its measure, and a name says the same in every mode. A measure that describes
the data and not the system (the share of positives), or that is neither good nor bad by itself, gets no verdict.

Holds `better`.
"""

from __future__ import annotations

from bertillon.measures.base import Measure
from bertillon.measures.registry import CLASSIFICATION, IDENTIFICATION, VERIFICATION, measure_sets
from bertillon.measures.spelling import Spelling

MEASURE_SETS = (VERIFICATION, IDENTIFICATION, CLASSIFICATION)
_SIGNS = {"lower": -1, "higher": 1, "neither": 0}


def better(measure: Measure | str) -> int:
    """1 where more is better, -1 where less is, 0 where neither is.

    >>> better("EER"), better("AUC"), better("Prevalence")
    (-1, 1, 0)
    """
    name = (Spelling.read(measure) if isinstance(measure, str) else measure.spelling).name
    known = MEASURE_SETS if name in VERIFICATION.definitions else measure_sets()  # others only where they are needed
    direction = next((each.definitions[name].better for each in known if name in each.definitions), "neither")
    return _SIGNS[direction]
