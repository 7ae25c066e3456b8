"""Trials to counts: whole numbers wherever trials have no weights; every rate, curve and interval derives from them.

Conventions: scores are oriented (higher means more alike) and a score equal to the threshold is accepted. Candidate
thresholds are the distinct scores plus one that rejects all, or those of them that matter; ties are never split. Small
sets in memory are counted by numpy, which needs no compiler; all else by loops compiled with numba, which give the same
numbers and stand apart in the modules that end in `kernels`.

What is counted: a tally is everything known of one set of trials, and what measures read.

    scores           what is read of scores, and `Failures`, comparisons that gave none
    error_counts     `BinaryCounts`: errors at ascending thresholds, behind every curve
    tally            of scores: `take_tally`, and `Need`, what a measure may ask for
    search_tally     of searches: watch lists and ranks
    outcomes         the four outcomes of verification at one threshold

Scores in memory

    sorting          every distinct threshold
    refining         only the neighbourhoods that hold an answer, at memory speed
    ranking          pairs won, for the AUC
    moments          mean and spread, also of tiles and streams
    fingerprint      a hash that does not depend on order
    kernels          the compiled loops of these, and what those of the folders build on

Elsewhere, each folder with a map of its own

    classes          predictions of classifiers
    tiles            comparisons counted while they are made, and not kept
    streams          scores that come by in batches, and are not kept
    weighted         counts under changing weights, for resamples

What they share: `keys` (floats as integers of the same order), `slices` (work shared out over threads) and `limits`
(sizes at which the way of counting changes). For those above: `id_codes` (ids as small integers).
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
