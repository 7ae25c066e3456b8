"""What measures are called on the page: in the vocabulary that was asked for, or in that of their mode.

Conventions: only what a person reads is renamed; what is copied or downloaded keeps the canonical names. In both
vocabularies at once the name of the mode stands first.

Holds `MeasureNames`, and `short_name`, what an operating point is called on a button.
"""

from __future__ import annotations

from dataclasses import dataclass

from bertillon.advice.vocabulary import Vocabulary
from bertillon.core.messages import Catalogue
from bertillon.measures.registry import CLASSIFICATION, MeasureSet
from bertillon.measures.spelling import Spelling
from bertillon.views.page.texts import script_texts_of
from bertillon.views.vocabulary import heading, own_vocabulary, shown_name

RATES = ("matched", "missed", "found")
KINDS = ("mated", "nonmated")


@dataclass(frozen=True, slots=True)
class MeasureNames:
    """How the measures of one mode are named.

    >>> from bertillon.measures.registry import VERIFICATION
    >>> measure_names = MeasureNames.of(VERIFICATION, Vocabulary.ML)
    >>> measure_names.measure("FNMR@FMR=0.01"), measure_names.point("FNMR@FMR=0.01")
    ('FNR@FPR=0.01', 'FPR=0.01')
    >>> MeasureNames.of(VERIFICATION, None).heading("FAR")
    'FAR'
    """

    measure_set: MeasureSet
    vocabulary: Vocabulary

    @classmethod
    def of(cls, measure_set: MeasureSet, vocabulary: Vocabulary | None = None) -> MeasureNames:
        """Names in a vocabulary, or in that of the mode."""
        return cls(measure_set, vocabulary or own_vocabulary(measure_set))

    @property
    def renames(self) -> bool:
        """Other names than those of the mode are wanted."""
        return self.vocabulary is not own_vocabulary(self.measure_set)

    def measure(self, name: str) -> str:
        """A measure's name, in both vocabularies where both are wanted and differ."""
        return shown_name(name, self.vocabulary) if self.renames else name

    def heading(self, text: str) -> str:
        """The heading of a column."""
        return heading(text, self.vocabulary).replace("\n", " = ") if self.renames else text

    def point(self, measure: str) -> str:
        """What the operating point of a measure is called on a button, where there is room for one name."""
        return short_name(measure if self.vocabulary is Vocabulary.BOTH else self.measure(measure))

    def live(self, catalogue: Catalogue) -> dict[str, str]:
        """What the numbers that move are called."""
        own = script_texts_of(self.measure_set.mode, catalogue)
        if not self.renames:
            return own
        other = script_texts_of("verification" if self.measure_set is CLASSIFICATION else "classification", catalogue)
        if self.vocabulary is not Vocabulary.BOTH:
            renamed = (*RATES, *(f"{rate}_words" for rate in RATES), *KINDS)
            return own | {name: other[name] for name in renamed}
        both = {name: f"{own[name]} = {other[name]}" for name in (*RATES, *KINDS)}
        return own | both | {f"{rate}_words": f"{own[f'{rate}_words']} = {other[rate]}" for rate in RATES}


def short_name(measure: str) -> str:
    """An operating point by its place, or its measure where it has none.

    >>> short_name("FNMR@FMR=0.001"), short_name("minCost(cfa=500,cfr=2,impostor=0.01)"), short_name("EER[hull]")
    ('FMR=0.001', 'minCost', 'EER[hull]')
    """
    spelling = Spelling.read(measure)
    if spelling.at:
        return ",".join(f"{place}={float(target):g}" for place, target in spelling.at.items())
    return spelling.name + (f"[{spelling.variant}]" if spelling.variant else "")
