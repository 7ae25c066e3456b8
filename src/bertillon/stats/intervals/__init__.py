"""The interval of every measure.

Conventions: a proportion at a fixed threshold has a formula, errors too few to resample make a bound, and the rest is
resampled by whoever stands behind the trials.

    of_measures   begins here: `intervals_of` asks for the formula, the bound, the resamples, in this order
    of_scores     what 1:1 comparisons add to `stats.kinds`, where plans of measures are made real for any kind
    of_searches   the same for 1:N searches, and plans about ranks
    of_classes    the same for predictions, and plans about groups; with `of_precision`, precision at a recall
    of_resamples  from resampled values to intervals, by the method asked for
    limits        the two ends: Student's, percentiles, BCa
    ranges        between which ends the values of a measure can lie
    fixed_rates   FMR and FNMR at a threshold, with what is known of the people
    few_errors    bounds where errors are too few to resample
"""
