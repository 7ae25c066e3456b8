"""Bands around curves: the interval of the curve at every place of a grid.

Conventions: a curve is a row of measures, one a place; its band is made of their intervals.

    along      what all bands share: pointwise from the intervals of measures, simultaneous at a higher level
    scores     ROC and DET
    searches   CMC and watch list
    classes    precision by recall, ROC and DET of a classifier, reliability
"""
