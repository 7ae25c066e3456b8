"""The compiled loops of the matchers, nothing but loops.

Conventions: every loop fills `out`, rows probes and columns gallery, sums in float64 whatever the templates hold, and
releases the interpreter lock so that blocks run on threads. Modules are imported when first used: numba is heavy.
"""
