"""The same numbers under their names in biometrics and in machine learning.

Conventions: a term's first two names are spelled as in the languages of measures, so that one can be asked for by the
other's name. Positives are mated (genuine) comparisons and searches by enrolled people, negatives all others. The
rates of searches are those of decisions "somebody passes" and, for DIR and FNIR, "and it is the right person".

Holds `Vocabulary` (which names to show), `Term`, and the table `VOCABULARY` of `COMPARISONS` and `SEARCHES`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Vocabulary(StrEnum):
    """Whose names a table shows."""

    BIOMETRIC = "biometric"
    ML = "ml"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Term:
    """One number and its names; of the other names the first is the usual one."""

    biometric: str
    ml: str
    meaning: str
    everyday: tuple[str, ...] = ()  # other names in biometrics
    also: tuple[str, ...] = ()  # other names in machine learning


COMPARISONS = (
    Term("FMR", "FPR", "impostors (negatives) accepted", ("FAR",), ("fall-out",)),
    Term("FNMR", "FNR", "genuine users (positives) rejected", ("FRR",), ("miss-rate",)),
    Term("TMR", "Recall", "genuine users (positives) accepted", ("TAR", "GAR"), ("TPR", "sensitivity", "hit-rate")),
    Term("TNMR", "Specificity", "impostors (negatives) rejected", ("TRR", "GRR"), ("TNR",)),
    Term("ZeroFMR", "FNR@FPR=0", "genuine users rejected where no impostor is accepted", ("ZeroFAR",)),
    Term("ZeroFNMR", "FPR@FNR=0", "impostors accepted where no genuine user is rejected", ("ZeroFRR",)),
    *(
        Term(f"FMR{n}", f"FNR@FPR={1 / n:g}", f"genuine users rejected where at most 1 of {n:,} impostors is accepted")
        for n in (10, 100, 1000, 10_000)
    ),
    Term("FM", "FP", "how many impostors are accepted", ("FA",)),
    Term("FNM", "FN", "how many genuine users are rejected", ("FR",)),
    Term("TM", "TP", "how many genuine users are accepted", ("GA",)),
    Term("TNM", "TN", "how many impostors are rejected", ("GR",)),
)
SEARCHES = (
    Term("FPIR", "FPR", "searches by others (negatives) in which somebody passes", ("false-alarm-rate",)),
    Term("FNIR", "FNR", "searches by enrolled people (positives) that miss the right person"),
    Term("DIR", "Recall", "searches by enrolled people (positives) that find the right person", ("TPIR",), ("TPR",)),
    Term("CMS", "Top", "the right person (class) is among the first k: CMS@5 = Top@5", ("CMC",), ("topk",)),
    Term("RR", "Top@1", "the right person (class) comes first", ("rank-1", "recognition-rate")),
)
VOCABULARY = (*COMPARISONS, *SEARCHES)
