"""What a scheme counts: comparisons, or whole transactions where the attempts of each are known.

Conventions: of comparisons FAR and FRR count failed attempts as not accepted, FMR and FNMR leave them out. A rule about
transactions is judged on these where there are any: one is accepted where any of its first attempts passes, a failed
attempt does not, and no more attempts count than the scheme allows. Without them one comparison stands for one
transaction. A symmetric matcher gives (a, b) and (b, a) the same score; where a scheme says that these may not both
count, the second is left out.

Holds `SchemeRates`, which gives what was `Tried` for a requirement; `counted_once`, and `people_of`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.analysis.scheme_rules import IAPAR, TRANSACTION, Requirement, Scheme
from bertillon.core import InputError
from bertillon.core.messages import Message, say
from bertillon.counting import codes_of
from bertillon.stats.interval import Interval
from bertillon.stats.of_scores import RatesOfScores
from bertillon.stats.shared_people import rate_by_pair, rate_by_subject
from bertillon.trials import ScoreSet, TrialIds
from bertillon.trials.attack_set import AttackSet
from bertillon.trials.transactions import ATTACK, GENUINE, IMPOSTOR, TransactionSet, species_of

MATED = {"FNMR": True, "FRR": True, "FMR": False, "FAR": False}
COUNTS_FAILURES = ("FAR", "FRR")
Owners = list[NDArray[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """What was tried for a requirement: which of it went wrong, and whose it is."""

    wrong: NDArray[np.bool_]
    failed: int = 0  # besides, which count
    wrong_of_failed: int = 0
    owners: Owners | None = None  # by number: the one person if mated, else the two; None where one is unknown
    by_subject: Interval | None = None  # of both sides

    @property
    def errors(self) -> int:
        """How much of it went wrong."""
        return int(np.count_nonzero(self.wrong)) + self.wrong_of_failed

    @property
    def trials(self) -> int:
        """How much was tried."""
        return self.wrong.size + self.failed


@dataclass(frozen=True, slots=True, eq=False)
class SchemeRates:
    """Comparisons, and transactions of up to so many attempts where they are known."""

    scores: ScoreSet
    transactions: TransactionSet | None = None
    attempts: int | None = None  # that the system allows; None: as many as were made

    def require_fit(self, rules: Scheme) -> None:
        """Attempts can be judged by the scheme, and are no more than it allows."""
        if self.attempts is None:
            return
        if self.transactions is None:
            raise InputError(f"{self.scores.name}: {self.attempts} attempts, and no transactions; expected these too")
        if not rules.of_transactions:
            raise InputError(f"{rules.name}: no rule is about transactions, so {self.attempts} attempts mean nothing")
        most = min(rule.attempts or self.attempts for rule in rules.of_transactions)
        if not 1 <= self.attempts <= most:
            raise InputError(f"{self.attempts} attempts; expected 1 to {most}, which is what {rules.name} allows")
        if self.attempts > self.transactions.longest:
            longest = f"no transaction has more than {self.transactions.longest}"
            raise InputError(f"{self.scores.name}: {self.attempts} attempts are allowed, and {longest}; ask for fewer")

    def whole(self, rule: Requirement) -> TransactionSet | None:
        """The transactions that the rule is judged on; None where it is judged on comparisons, or on attacks apart."""
        made = self.transactions if rule.unit == TRANSACTION else None
        return None if made is None or (rule.rate == IAPAR and not (made.kind == ATTACK).any()) else made

    def allowed(self, rule: Requirement) -> int | None:
        """How many attempts of a transaction count; None where comparisons do."""
        made = self.whole(rule)
        return None if made is None else min(self.attempts or rule.attempts or made.longest, made.longest)

    def tried(self, rule: Requirement, threshold: float, level: float) -> Tried:
        """For FMR, FNMR, FAR or FRR at a threshold; `level` is that of the interval by subject."""
        made, mated = self.whole(rule), MATED[rule.rate]
        if made is None:
            return self._compared(rule, threshold, level)
        rows = made.kind == (GENUINE if mated else IMPOSTOR)
        accepted = self._accepted(made, rule, threshold)[rows]
        wrong = ~accepted if mated else accepted
        sides = [made.person] if mated else [made.person, made.claimed]
        owners = _numbered([side[rows] for side in sides if side is not None], len(sides))
        if owners is None or not wrong.size:
            return Tried(wrong, owners=owners)
        rate = rate_by_subject(owners[0], wrong) if mated else rate_by_pair(owners[0], owners[1], wrong)
        return Tried(wrong, owners=owners, by_subject=rate.interval(level))

    def attacked(self, rule: Requirement, threshold: float, attacks: AttackSet | None) -> Iterator[tuple[str, Tried]]:
        """Each species; of attacks a response that is missing was not accepted."""
        made = self.whole(rule)
        if made is not None:
            accepted = self._accepted(made, rule, threshold)
            for name in species_of(made):
                assert made.species is not None
                yield name, Tried(accepted[(made.kind == ATTACK) & (made.species == name)])
        for species in () if attacks is None else attacks.species:
            accepted = np.asarray(self.scores.rule.accepts(species.scores, threshold))
            yield species.name, Tried(accepted, species.size - accepted.size)

    def _accepted(self, made: TransactionSet, rule: Requirement, threshold: float) -> NDArray[np.bool_]:
        best = made.best_of(self.allowed(rule) or made.longest)
        return np.asarray(best >= float(made.rule.orient(threshold)))

    def _compared(self, rule: Requirement, threshold: float, level: float) -> Tried:
        mated = MATED[rule.rate]
        scores = self.scores.mated if mated else self.scores.nonmated
        failures = self.scores.failures.mated if mated else self.scores.failures.nonmated
        failed = failures if rule.rate in COUNTS_FAILURES else 0
        accepted = np.asarray(self.scores.rule.accepts(scores, threshold))
        wrong, owners, by_subject = ~accepted if mated else accepted, owners_of(self.scores, mated=mated), None
        if owners is not None and not failed and wrong.size:
            by_subject = RatesOfScores(self.scores).interval(threshold, mated=mated, level=level)
        return Tried(wrong, failed, failed if mated else 0, owners, by_subject)


def owners_of(scores: ScoreSet, *, mated: bool) -> Owners | None:
    """The subjects of each comparison by number: the one person if mated, else the two; None where one is unknown."""
    ids = scores.mated_ids if mated else scores.nonmated_ids
    sides = [] if ids is None else [side for side in (ids.probe_subject, ids.reference_subject) if side is not None]
    needed = 1 if mated else 2
    return _numbered([np.asarray(side) for side in sides[:needed]], needed)


def _numbered(sides: Owners, needed: int) -> Owners | None:
    """The people of each side by number; None where a side, or somebody, is not known."""
    if len(sides) < needed or any((side == "").any() for side in sides if side.dtype.kind == "U"):
        return None
    numbered = codes_of(sides)
    return None if numbered is None else list(numbered.codes)


def people_of(owners: Owners | None) -> int | None:
    return None if owners is None else int(np.unique(np.concatenate(owners)).size)


def counted_once(scores: ScoreSet, rules: Scheme) -> tuple[ScoreSet, tuple[Message, ...]]:
    """The comparisons without those that repeat a pair of samples the other way round with the same score."""
    if rules.ordered_pairs:
        return scores, ()
    others, people = _sides(scores.nonmated_ids), _sides(scores.nonmated_ids, of_people=True)
    again = [_repeated(scores.mated, _sides(scores.mated_ids)), _repeated(scores.nonmated, others or people)]
    left_out = sum(int(np.count_nonzero(rows)) for rows in again)
    if not left_out:
        return scores, ()
    return scores.select(~np.concatenate(again)), (say("scheme.mirrored", n=left_out),)


def _sides(ids: TrialIds | None, *, of_people: bool = False) -> Owners | None:
    """The samples that were compared, or their people; None where they are not known."""
    if ids is None:
        return None
    sides = (ids.probe_subject, ids.reference_subject) if of_people else (ids.probe, ids.reference)
    known = [np.asarray(side) for side in sides if side is not None]
    return known if len(known) == len(sides) else None


def _repeated(scores: NDArray[Any], sides: Owners | None) -> NDArray[np.bool_]:
    """Which comparisons repeat another the other way round; none where nobody knows what was compared."""
    numbered = None if sides is None else codes_of(sides)
    if numbered is None or not scores.size:
        return np.zeros(scores.size, dtype=bool)
    first, second = (code.astype(np.int64) for code in numbered.codes)
    return _turned_round(first, second, scores)


def _turned_round(first: NDArray[Any], second: NDArray[Any], scores: NDArray[Any]) -> NDArray[np.bool_]:
    """The comparisons (b, a) beside an (a, b), where each was made once and all of them have the same score twice."""
    wide = 1 + int(max(first.max(initial=0), second.max(initial=0)))
    pair = np.minimum(first, second) * wide + np.maximum(first, second)
    order = np.lexsort((first > second, pair))
    twice = np.append(np.diff(pair[order]) == 0, False)
    one, other = order[:-1][twice[:-1]], order[1:][twice[:-1]]
    symmetric = bool((scores[one] == scores[other]).all() and (first[one] == second[other]).all())
    again = np.zeros(first.size, dtype=bool)
    again[other] = symmetric and np.unique(pair[one]).size == one.size
    return again
