"""Counts to curves: how rates move against each other as the threshold moves.

Conventions: curves run from the most permissive threshold to the strictest; FMR falls and FNMR rises along them.
The last point rejects everything. Thresholds leave in the user's own units.

Comparisons and searches

    by_threshold       `ByThreshold`: error counts by threshold, on which the next two rest
    error_curve        `ErrorCurve` with its ROC and DET views
    rate_curve         `RateCurve`: rates as listed in a file, without counts; `read_curve`
    watch_list         `WatchListCurve`: detections against false alarms
    rank_curve         `RankCurve`: the CMC
    crossing           where FMR meets FNMR
    hull               the convex hull of the ROC, by pooling adjacent violators

Predictions

    precision_recall   precision against recall, and a table of every rate by threshold
    gain               gain and lift
    reliability        the reliability diagram
    risk_coverage      errors against how often a classifier may stay silent
    cost_curve         what decisions cost by threshold

Of any curve: `band` (how sure it is) and `thinning` (fewer points of the same curve).
"""
