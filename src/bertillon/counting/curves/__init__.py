"""Counts to curves: how rates move against each other as the threshold moves.

Conventions: curves run from the most permissive threshold to the strictest; FMR falls and FNMR rises along them.
The last point rejects everything. Thresholds leave in the user's own units.

    error_curve      `ErrorCurve` with its ROC and DET views, and its hull; `Band`, how sure it is
    class_curves     of predictions: precision and recall, gain, risk and coverage, costs, reliability
    rate_curve       `RateCurve`: rates as listed in a file, without counts; `read_curve`
"""
