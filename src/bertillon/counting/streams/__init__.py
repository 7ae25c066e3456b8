"""Streams: scores that come by in batches, walked once or a few times in memory that does not grow with them.

walk             one pass: batches in, blocks out; the first, which counts every score
exact            the passes after it, which look for the answers
spans            what is known of a stream: filled bins, distinct keys, spans of both
score_counts     counts of one pass, which can be added up: `ScoreCounts`
counts_file      such counts on disk
"""
