"""Comparisons counted while they are made, and not kept.

comparisons      `count_comparisons`: templates to exact rates
tile_job         the comparisons as tiles, for any engine
cells            scores counted into cells between mated scores
keeping, people  which comparisons are kept all the same, and the people behind them
counted_scores   what is left in the end
cell_kernels     the compiled loops of these
"""
