"""Counts under changing weights, for resamples.

A resample changes how often each unit counts, never the scores: these are put into cells once.

    cuts             where the line of scores is cut
    cells            scores in the cells between cuts, counted over and over
    curve_block      the error curves of a block of resamples, as measures read them
    kernels          the compiled loops of `cells` and of `id_codes`
"""
