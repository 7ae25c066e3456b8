"""Counts under changing weights, for resamples.

cuts             where the line of scores is cut
cells            scores in the cells between cuts, counted over and over
kernels          the compiled loops of these, and of `id_codes`
"""
