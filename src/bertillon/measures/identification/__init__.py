"""Measures of 1:N searches, open and closed set, in the same language as those of comparisons.

Conventions: FPIR and FNIR are those of ISO/IEC 19795-1; DIR(t, k) is the share of enrolled searches whose mate passes
the threshold t at rank k or better. k is always printed. Variants are words joined by a dash:

    mate, top                        whose score must pass: the mate's (default) or the best of the search
    pessimistic, optimistic, mean    the mate's rank among others just as alike: last (default), first, halfway

"at FPIR = x" means at most x. Failed searches are left out of all rates and counted apart.

What measures share is in `common`: where on a watch list a number is read, and variants made of words.

One file a family

    rates         DIR, FNIR, FPIR, Missed, Misidentified
    selectivity   SEL
    equal         EERopen
    area          AUCopen
    ranks         CMS, RR, AUC, nAUC, MeanRank, MedianRank, MRR, mAP
"""

from __future__ import annotations

from importlib import import_module

from bertillon.measures.registry import IDENTIFICATION

FAMILIES = ("rates", "selectivity", "equal", "area", "ranks")

for _family in FAMILIES:
    import_module(f"bertillon.measures.identification.{_family}")

__all__ = ["FAMILIES", "IDENTIFICATION"]
