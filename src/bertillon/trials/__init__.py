"""What an evaluation consumes: mated and non-mated scores with their rule and failures.

Conventions: NaN is a failed comparison; it is counted in `Failures` and taken out of the scores. Scores keep the
user's units and direction; only `counts` orients them.

Holds `ScoreSet`, `Failures` and `TrialIds` (score_set), `systems_from` (from_tables), `read_scores` and
`read_systems` (reading), `ScoreStream` (scores that are never held together) and `stream_scores` (many files of them),
and `simulate` (scores drawn from a known truth).
"""
