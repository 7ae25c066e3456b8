"""Counts and curves to numbers; a measure is a value with one spelling.

Conventions: `FNMR@FMR=0.001` is at once the command-line argument, the JSON key and the table heading, and
`parse(str(m)) == m`. Names follow ISO/IEC 19795-1: FMR and FNMR for comparisons, FAR and FRR once failures to acquire
are counted in; everyday names are understood. "at FMR = x" means at most x unless the variant says otherwise. A number
that cannot be had is NaN with a reason.

Here are the measures of verification; those of 1:N searches are in `identification`, those of classifiers in
`classification`, those of attacks in `attacks`. Another measure takes one file and its table in FAMILIES.

The language

    base              `Measure`, how it is written, and the `Result` it gives
    registry          what the names mean, and whether more is better or less; `parse`
    plans             which interval and which test fit a measure
    known             what is known of it where scores were not kept
    operating_point   where on the curve a number is read

One file a family; both modes with a curve of two classes share them, each with a table of its names

    rates             FMR, FNMR, TMR, TNMR, FAR, FRR, GAR, GRR, HTER, their counts; ZeroFMR, FMR100 ...; FTA, FTE, GFAR,
                      GFRR
    eer               the equal error rate in all its definitions; those of other tools are in `peers`
    area              AUC, Gini, pAUC
    separation        dprime, FRatio, KS, Youden, Overlap
    cost              Cost, minCost, minHTER, minDCF, actDCF
    llr               Cllr, minCllr, calLoss
"""

from __future__ import annotations

import lazy_loader as _lazy

from bertillon.measures import area, cost, eer, llr, rates, separation
from bertillon.measures.registry import VERIFICATION

FAMILIES = (
    rates.DEFINITIONS,
    rates.GENERALIZED,
    eer.DEFINITIONS,
    rates.POINT_DEFINITIONS,
    area.DEFINITIONS,
    separation.DEFINITIONS,
    cost.DEFINITIONS,
    llr.DEFINITIONS,
    rates.FAILURES,
)

for _family in FAMILIES:
    VERIFICATION.register_all(_family)

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
