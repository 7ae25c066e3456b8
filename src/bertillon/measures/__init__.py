"""Counts and curves to numbers; a measure is a value with one spelling.

Conventions: `FNMR@FMR=0.001` is at once the command-line argument, the JSON key and the table heading, and
`parse(str(m)) == m`. Names follow ISO/IEC 19795-1: FMR and FNMR for comparisons, FAR and FRR once failures to acquire
are counted in; everyday names are understood. "at FMR = x" means at most x unless the variant says otherwise. A number
that cannot be had is NaN with a reason.

Here are the measures of verification; those of 1:N searches are in `identification`, those of classifiers in
`classification`, those of attacks in `attacks`. Another measure takes one file and its name in FAMILIES.

The language

    base              `Measure`, and the `Result` it gives
    spelling          how a measure is written
    registry          what the names mean; `parse`
    better            whether more is better or less
    plans             which interval and which test fit a measure
    known             what is known of it where scores were not kept

What measures share

    operating_point   where on the curve a number is read: at a threshold, or where a rate keeps a promise
    best              where a weighted sum of both errors is least
    limits            how many scores are taken up together

One file a family

    rates             FMR, FNMR, TMR, TNMR, FAR, FRR, GAR, GRR, HTER, their counts, GFAR and GFRR
    eer               the equal error rate in all its definitions; those of other tools are in `peers`
    zero              ZeroFMR, ZeroFNMR, FMR100 ...
    area              AUC, Gini, pAUC
    separation        dprime, FRatio, KS, Youden, Overlap
    cost              Cost, minCost, minHTER, minDCF, actDCF
    llr               Cllr, minCllr, calLoss
    failures          FTA, FTE
"""

from __future__ import annotations

from importlib import import_module

import lazy_loader as _lazy

FAMILIES = ("rates", "eer", "zero", "area", "separation", "cost", "llr", "failures")

for _family in FAMILIES:
    import_module(f"bertillon.measures.{_family}")

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
