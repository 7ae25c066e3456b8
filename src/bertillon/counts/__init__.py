"""Trials to counts: integers only; every rate, curve and interval derives from them.

Conventions: scores are oriented (higher means more alike) and a score equal to the threshold is accepted. Candidate
thresholds are the distinct scores plus one that rejects all; ties are never split.

Holds `ErrorCounts` (error_counts), `Tally` and `take_tally` (tally: everything counted about a score set), and the
ways of counting: `sorting` (every distinct threshold), `refining` (only the neighbourhoods that hold an answer, at
memory speed), `ranking` (pairs won, for the AUC), `moments`, `keys` (floats as ordered integers), `kernels` (numba).
The same of scores that are not held: `stream_walk` (blocks of a stream), `stream_first` and `stream_exact` (its
passes), `stream_counts` with `stream_keeping` (one pass, counts that can be merged) and `counts_file` (such counts on
disk); they share `stream_bins`, `stream_keys`, `stream_spans` and `stream_kernels`.
"""
