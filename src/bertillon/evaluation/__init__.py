"""Evaluate trials: the only place that brings counting, curves and measures together.

Conventions: one pass over the data answers all measures asked for. Thresholds in an evaluation are in the user's
units. Every evaluation carries a signature from which it can be repeated. What a kind of trials needs is imported when
the first of them is met, so that comparisons never wait for classifiers.

Holds one module per question:

    evaluating       `evaluate`: trials of any kind to their evaluation; of a kind without one, `TrialsEvaluation`
    verification     score sets and counted comparisons -> `Evaluation`; `error_curve`
    from_curve       listed error rates, without scores -> `CurveEvaluation`
    identification   searches -> `SearchEvaluation`; `indexed`: what an approximate index of the gallery loses
    classification   predictions -> `ClassEvaluation`; `class_sections`: the
                     measures of the whole report; `class_groups`: group by group
    streams          scores that are not held in memory -> `StreamEvaluation`
    templates        templates -> trials of each mode; `repeated`: one protocol over many random partitions
    base             what every evaluation has: results by name, intervals, signature, and the ways out to dict and JSON
    bands            the bands of an evaluation's curves
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
