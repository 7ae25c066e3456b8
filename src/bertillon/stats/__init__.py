"""How sure the numbers are: intervals for one system, tests between several, and the size a test needs.

Conventions: an `Interval` (interval) says its ends, its level and how it was found; `Settings` (settings) say how
intervals are asked for. Whoever is known to stand behind a trial is what is resampled; where nobody is known trials are
taken as independent, and the interval says that it is naive. Where nothing can be said it is NaN with a reason.

    resampling/      a resample: drawn in `weights`, of the `units` behind the trials, read by one file a kind of trials
    intervals/       the interval of every measure: `of_measures` begins, one file a kind of trials knows the rest
    dependence/      error rates of trials that share people: their variance, and what no error shows
    bands/           intervals along a curve, pointwise or everywhere at once
    comparing/       two and more systems: aligned, resampled together, tested; DeLong, McNemar, permutations, folds
    planning/        how many people and trials a test needs, by formula and by simulation

    kinds            what is known of each kind of trial: how it is resampled, its intervals, bands and tests
    proportion       errors out of independent trials: Clopper-Pearson, Wilson, Jeffreys, Agresti-Coull
    rules_of_thumb   the rule of 3 and the rule of 30, and the sentence for a rate that the trials cannot show
    at_threshold     FMR, FNMR and HTER at a threshold that was fixed beforehand; with `half_total`
    averaging        what several runs say together: the mean of a number, a mean curve
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
