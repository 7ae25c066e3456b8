"""Trials to counts: integers only; every rate, curve and interval derives from them.

Conventions: scores are oriented (higher means more alike) and a score equal to the threshold is accepted. Candidate
thresholds are the distinct scores plus one that rejects all; ties are never split. Small sets are counted by numpy,
which needs no compiler; large ones by loops compiled with numba, which give the same integers and stand apart in the
modules that end in `kernels`.

What is counted: a tally is everything known of one set of trials, and what measures read.

    error_counts     `ErrorCounts`: errors at ascending thresholds, behind every curve
    tally            of scores: `take_tally`, and `Need`, what a measure may ask for
    search_tally     of searches: watch lists and ranks
    class_tally      of predictions
    outcomes         the four outcomes of verification at one threshold

Scores in memory

    sorting          every distinct threshold
    refining         only the neighbourhoods that hold an answer, at memory speed
    ranking          pairs won, for the AUC
    moments          mean and spread
    fingerprint      a hash that does not depend on order
    kernels          the compiled loops of these

Predictions

    class_trials     one class against the rest
    class_sweep      true and false positives as the threshold moves
    confusion        the confusion matrix
    class_rows       what each row of probabilities says
    class_bins       probabilities in bins
    class_losses     logarithmic and quadratic loss
    class_pairs      areas of every class against every other
    class_kernels    the compiled loops of these

Comparisons counted while they are made, and not kept

    comparisons      `count_comparisons`: templates to exact rates
    tile_job         the comparisons as tiles, for any engine
    cells            scores counted into cells between mated scores
    keeping, people  which comparisons are kept all the same, and the people behind them
    group_cells, group_people   the same by pairs of groups of people, in one pass
    counted_scores   what is left in the end
    cell_kernels     the compiled loop

Streams: scores that come by in batches, and are not kept

    stream_walk      one pass: batches in, blocks out
    stream_first     the first pass, which counts every score
    stream_exact     the passes after it, which look for the answers
    stream_counts    counts of one pass, which can be added up: `ScoreCounts`
    stream_keeping   what such a pass keeps
    counts_file      such counts on disk
    stream_bins, stream_keys, stream_spans   what is known of a stream: filled bins, distinct keys, spans of both
    stream_kernels   the compiled loops of these

Counts under changing weights, for resamples

    cuts             where the line of scores is cut
    weighted_cells   scores in the cells between cuts, counted over and over
    id_codes         ids as small integers
    weighted_kernels the compiled loops of these

What they share: `keys` (floats as integers of the same order) and `slices` (work shared out over threads).
"""
