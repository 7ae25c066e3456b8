"""Resamples of trials: who is taken how often, and what measures say then.

Conventions: a resample is a set of weights of units, never a copy of scores; the same seed gives the same weights on
any number of threads, and two systems over the same people the same ones.

    weights       how often each unit is taken: a resample is **drawn here**; where nobody knows the units, `sources`
                  (scores) and `classes` draw rows, from the streams of random numbers that stand here too
    units         whom a comparison belongs to: subjects, samples or nobody
    resampled     begins here: `resampled_on` gives values over resamples, `Resampler` is what trials must do for it
    rows          trials of any kind, by unit or one by one
    scores        1:1 comparisons, cut into cells, whose `sources` are counted under weights
    searches      1:N searches, by the person who is searched for
    classes       predictions, by sample or by group, merged into `class_cells`
"""
