"""Measures of 1:N searches, open and closed set, in the same language as those of comparisons.

Conventions: FPIR and FNIR are those of ISO/IEC 19795-1; DIR(t, k) is the share of enrolled searches whose mate passes
the threshold t at rank k or better. k is always printed. Variants are words joined by a dash:

    mate, top                        whose score must pass: the mate's (default) or the best of the search
    pessimistic, optimistic, mean    the mate's rank among others just as alike: last (default), first, halfway

"at FPIR = x" means at most x. Failed searches are left out of all rates and counted apart.

What measures share is in `common`: where on a watch list a number is read, and variants made of words.

One file a family

    watch_list    DIR, FNIR, FPIR, Missed, Misidentified, SEL, EERopen, AUCopen
    ranks         CMS, RR, AUC, nAUC, MeanRank, MedianRank, MRR, mAP
"""

from __future__ import annotations

from bertillon.measures.identification import ranks, watch_list
from bertillon.measures.registry import IDENTIFICATION

FAMILIES = (watch_list.DEFINITIONS, ranks.DEFINITIONS)

for _family in FAMILIES:
    IDENTIFICATION.register_all(_family)

__all__ = ["IDENTIFICATION"]
