"""Streams: scores that come by in batches, and are not kept.

A stream is walked once or a few times, in memory that does not grow with it.

    walk             one pass: batches in, blocks out
    first            the first pass, which counts every score
    exact            the passes after it, which look for the answers
    score_counts     counts of one pass, which can be added up: `ScoreCounts`
    keeping          what such a pass keeps
    counts_file      such counts on disk
    bins, distinct_keys, spans   what is known of a stream: filled bins, distinct keys, spans of both
    kernels          the compiled loops of these
"""
