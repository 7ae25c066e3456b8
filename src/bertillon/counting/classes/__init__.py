"""Predictions of classifiers, counted.

Scores of one class against the rest are counted like those of mated against non-mated comparisons.

    trials           one class against the rest
    sweep            true and false positives as the threshold moves
    confusion        the confusion matrix
    rows             what each row of probabilities says
    bins             probabilities in bins
    losses           logarithmic and quadratic loss
    pairs            areas of every class against every other
    kernels          the compiled loops of these
"""
