"""Two and more systems set against each other.

Conventions: a difference is the second system's value less the first's; systems over the same trials are resampled with
the same weights.

    systems       begins here: `compare_systems`, every measure of every pair, adjusted for all tests made
    difference    the interval of a difference, its p value, and what a margin makes of it
    holm          p values adjusted for each other
    cross_checks  which classical tests apply beside the bootstrap
    delong        the variance of AUC and the test of two areas; with `placements` and its compiled loops
    mcnemar       which of two systems decides wrongly more often
    permutation   the paired permutation test
    folds         Student's t over folds
"""
