"""Evaluate trials: the only place that brings counting, curves and measures together.

Conventions: one pass over the data answers all measures asked for at first; one asked for later is answered from the
counts at hand. Thresholds in an evaluation are in the user's units. Every evaluation carries a signature from which it
can be repeated. What a kind of trials needs is imported when the first of them is met, so that comparisons never wait
for classifiers.

Holds one module per question:

    evaluation       `evaluate`: trials of any kind to their `Evaluation`: answers by name, intervals, bands, signature,
                     and the ways out to dict and JSON
    inputs           arrays, labels and tables to trials
    estimate         one answer: `Estimate`; the bands of curves, by their names
    comparison       systems set against each other: `compare`
    embeddings       embeddings straight to answers
    numbers          single numbers from two arrays: `eer`, `auc`
    usual            which measures are asked where none are named
    streams          scores that are not held in memory, counted
    classification   the sections of the complete report about a classifier, numbers by class, group by group
    templates        templates to trials of each mode, through an index, and over many random partitions
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
