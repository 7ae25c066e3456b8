"""Comparisons counted while they are made, and not kept.

The mated scores come first, since they are few and say where the others must be told apart.

    comparisons      `count_comparisons`: templates to exact rates
    tile_job         the comparisons as tiles, for any engine
    cells            scores counted into cells between mated scores
    keeping, people  which comparisons are kept all the same, and the people behind them
    group_cells, group_people   the same by pairs of groups of people, in one pass
    counted_scores   what is left in the end
    cell_kernels     the compiled loops of these

Nothing here knows how many machines do the work: that is the engine's.
"""
