"""Comparisons counted while they are made, and not kept.

comparisons      `count_comparisons`: templates to exact rates, in tiles for any engine
cells            scores counted into cells between mated scores
people           which comparisons are kept all the same, and the people behind them
groups           the same by pairs of groups of people, in one pass
"""
