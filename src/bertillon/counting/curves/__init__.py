"""Counts to curves: how rates move against each other as the threshold moves.

Conventions: curves run from the most permissive threshold to the strictest; FMR falls and FNMR rises along them.
The last point rejects everything. Thresholds leave in the user's own units.

    error_curve      `ErrorCurve` with its ROC and DET views; fewer points of it, where FMR meets FNMR, its convex hull
    class_curves     of predictions: precision and recall, gain, risk and coverage, costs, reliability
    search_curves    `WatchListCurve`: detections against false alarms; `RankCurve`: the CMC
    rate_curve       `RateCurve`: rates as listed in a file, without counts; `read_curve`
    band             how sure any curve is
"""
