"""The same numbers under their names in biometrics and in machine learning.

Conventions: a term's first two names are spelled as in the languages of measures, so that one can be asked for by the
other's name. Positives are mated (genuine) comparisons and searches by enrolled people, negatives all others. The
rates of searches are those of decisions "somebody passes" and, for DIR and FNIR, "and it is the right person".

Holds `Vocabulary` (which names to show), `Term`, and the table `VOCABULARY` of `COMPARISONS` and `SEARCHES`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bertillon.core.messages import Message, say


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
    everyday: tuple[str, ...] = ()  # other names in biometrics
    also: tuple[str, ...] = ()  # other names in machine learning

    @property
    def meaning(self) -> Message:
        """What the number says, in a few words."""
        digits = self.biometric.removeprefix("FMR")
        return say("term.FMRn", n=int(digits)) if digits.isdigit() else say(f"term.{self.biometric}")


COMPARISONS = (
    Term("FMR", "FPR", ("FAR",), ("fall-out",)),
    Term("FNMR", "FNR", ("FRR",), ("miss-rate",)),
    Term("TMR", "Recall", ("TAR", "GAR"), ("TPR", "sensitivity", "hit-rate")),
    Term("TNMR", "Specificity", ("TRR", "GRR"), ("TNR",)),
    Term("ZeroFMR", "FNR@FPR=0", ("ZeroFAR",)),
    Term("ZeroFNMR", "FPR@FNR=0", ("ZeroFRR",)),
    *(Term(f"FMR{n}", f"FNR@FPR={1 / n:g}") for n in (10, 100, 1000, 10_000)),
    Term("FM", "FP", ("FA",)),
    Term("FNM", "FN", ("FR",)),
    Term("TM", "TP", ("GA",)),
    Term("TNM", "TN", ("GR",)),
)
SEARCHES = (
    Term("FPIR", "FPR", ("false-alarm-rate",)),
    Term("FNIR", "FNR"),
    Term("DIR", "Recall", ("TPIR",), ("TPR",)),
    Term("CMS", "Top", ("CMC",), ("topk",)),
    Term("RR", "Top@1", ("rank-1", "recognition-rate")),
)
VOCABULARY = (*COMPARISONS, *SEARCHES)
