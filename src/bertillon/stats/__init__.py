"""How sure the numbers are: intervals for one system, tests between several, and the size a test needs.

Conventions: an `Interval` says its ends, its level and how it was found; `Settings` say how intervals are asked for.
Whoever is known to stand behind a trial is what is resampled; where nobody is known trials are taken as independent,
and the interval says that it is naive. Where nothing can be said it is NaN with a reason.

    interval            an interval, and how intervals are asked for; what so many independent trials show:
                        Clopper-Pearson, Wilson, the rule of 3
    dependent_rate      the interval of a rate whose trials share people; correlation of errors, design effect
    shared_people       the variance that sharing people makes: by subject, by pair, of counted comparisons, annex B
    at_threshold        FMR, FNMR and HTER at a threshold that is given
    few_errors          bounds where errors are too few to resample

    units               whom a comparison belongs to: subjects, samples or nobody
    resampling          a resample is **drawn here**; values of measures over resamples of any trials
    resampled_scores    the same of comparisons, cut into cells
    resampled_classes   the same of predictions, merged into cells
    ends                from resampled values to the ends of an interval: Student's, percentiles, BCa

    kinds               what is known of any kind of trial: how plans of measures become intervals
    of_scores           what comparisons add to it, with the bands of ROC and DET
    of_searches         what searches add, with their resamples and the bands of CMC and watch list
    of_classes          what predictions add, with precision at a recall and their bands
    of_attacks          what attacks add: presentations by subject, populations drawn each by itself
    over_bins           calibration errors that are read from bins, and a test of calibration
    intervals           **begins here**: the interval of every measure, the band of every curve

    comparing           two and more systems, resampled together: differences, their intervals and p values, adjusted
                        for each other, and what a margin makes of them
    ranking             many systems in order, with letters for those that no test tells apart
    areas               the variance of AUC and DeLong's test; `placement_kernels` are its compiled loops
    paired_tests        McNemar's test of decisions, the permutation test, and which tests apply
    runs                several runs together: a mean, a mean curve, two systems over folds
    planning            how many people and trials a test needs, by formula and by simulation
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
