"""Counts to curves: how the two errors move against each other as the threshold moves.

Conventions: curves run from the most permissive threshold to the strictest; FMR falls and FNMR rises along them.
The last point rejects everything. Thresholds leave in the user's own units.

Holds `ErrorCurve` with its ROC and DET views (error_curve), `thinned` (thinning), `crossing` (where FMR meets FNMR)
and `Hull` (the convex hull of the ROC, by pooling adjacent violators).
"""
