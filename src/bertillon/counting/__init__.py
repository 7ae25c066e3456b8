"""Trials to counts: whole numbers wherever trials have no weights; every rate, curve and interval derives from them.

Conventions: scores are oriented (higher means more alike) and a score equal to the threshold is accepted. Candidate
thresholds are the distinct scores plus one that rejects all, or those of them that matter; ties are never split. Small
sets in memory are counted by numpy, which needs no compiler; all else by loops compiled with numba, which give the same
numbers and stand apart in the modules that end in `kernels`.

    error_counts     what is read of scores; `BinaryCounts`: errors at ascending thresholds, behind every curve; how
                     comparisons end at a threshold, and `Failures`, those without a score
    tally            all of it: `take_tally`, and `Need`, what a measure may ask for; `CountedScores`, a tally alone;
                     mean and spread, and pairs won, for the AUC
    refining         only the neighbourhoods that hold an answer, at memory speed
    weighted         counts under changing weights, for resamples
    running_best     the best of the first N others of each search, for many N and orders of a gallery, in one walk
    kernels, cell_kernels, best_kernels   the compiled loops over scores, those that count them in cells, and those of
                     the running best

Elsewhere, each folder with a map of its own

    curves           views of the counts
    classes          predictions of classifiers
    tiles            comparisons counted while they are made, and not kept
    streams          scores that come by in batches, and are not kept

What they share: `keys` (floats as integers of the same order, a hash of them, and ids as small integers), `slices`
(work shared out over threads) and `limits` (sizes at which the way of counting changes).
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
