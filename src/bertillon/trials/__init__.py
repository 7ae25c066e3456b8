"""What an evaluation consumes: scores (1:1), searches (1:N) or predictions, with their rule and failures.

Conventions: NaN is a failed comparison; it is counted in `Failures` and taken out of the scores. Scores keep the
user's units and direction; only `counting` orients them.

    1:1        `ScoreSet`, `Failures`, `TrialIds`, the quality of each comparison, and `ScoreStream`, scores never
               held together (score_set); read by `read_scores`, `read_systems`, `stream_scores` (reading) and
               `systems_from` (from_tables), two files made one (joining), square matrices settled (matrices); how
               files would be read, `inspect` (inspection)
    1:N        `SearchSet` (search_set), what is counted of it and its curves, `SearchTally` (search_tally), from
               a matrix or blocks (searches), from candidate lists or tables of comparisons (search_candidates), from
               templates `search`, through an index `GalleryIndex` (search_job); in galleries of many sizes,
               `draw_galleries` (drawn_galleries)
    attempts   several of one person at one claim, `TransactionSet` (transactions)
    classes    `Predictions` (predictions), read by `read_predictions` (prediction_reading); what is counted of them and
               read by measures, `ClassTally` (class_tally)
    all        what a kind of trial is, `Trials`, and one in columns, `RowTrials` (protocol); two systems over the
               same trials, `align` (aligning)
    attacks    `AttackSet`, on a whole system `SystemAttacks`, on a detector `DetectorAttacks`, and their `AttackTally`
               (attack_set), read by `read_attacks`, `read_pad` and `read_with_attacks` (attack_reading)
    templates  `compare`, which keeps every score of a plan of comparisons, `table_of` and `matrix_of` to be written; a
               part of them drawn at random, `compare_sampled` (comparing)
    drawn      `simulate` and `simulate_searches`, with the `Truth` behind them (simulate)
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
