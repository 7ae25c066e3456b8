"""Predictions of classifiers, counted.

one_vs_rest      scores of one class against the rest, counted like mated against non-mated ones; areas
confusion        the confusion matrix
probabilities    what rows of probabilities say, bins of them, and their losses
kernels          the compiled loops of these
"""
